// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli.h"
#include "golden.h"
#include "out_file.h"
#include "packet_text.h"
#include "pcapng.h"
#include "ring.h"
#include "source_priv.h"

#define MAX_META 252
#define META_WORD "metadata "
/* What a path did not tell is said to be missing, so that nothing else is missed. */
#define NO_BYTES "bytes not known"
#define NOTHING "neither bytes nor verdict known"

enum {
	IF_IN,
	IF_OUT,
};

static const char *const if_names[] = { [IF_IN] = "in", [IF_OUT] = "out" };

/* ---- writing ----------------------------------------------------------- */

struct golden_out {
	struct out_file *file;
	struct xtr_reader *reader; /* of the packets as they were: outcomes do not have them */
	__u64 lost;
	__u8 packet[MAX_META + PACKET_TEXT_MAX];
};

static int write_head(struct golden_out *out, const struct golden_out_opts *opts)
{
	FILE *file = out_file__stream(out->file);
	struct utsname uts = {};
	char os[160], application[64], comment[256];
	int err;

	uname(&uts);
	snprintf(os, sizeof(os), "%s %s", uts.sysname, uts.release);
	snprintf(application, sizeof(application), "xdp-testrun %s", xtr_version());
	snprintf(comment, sizeof(comment), "outcomes of %s on path %s", opts->program, opts->path);
	err = pcapng__write_section(file, os, application, comment);
	if (!err)
		err = pcapng__write_interface(file, if_names[IF_IN], "packets before the run");
	if (!err)
		err = pcapng__write_interface(file, if_names[IF_OUT],
					      "packets after the run, with their verdicts");
	return err ? out_file__failed(out->file, -err) : 0;
}

struct golden_out *golden_out__open(const char *path, const struct golden_out_opts *opts)
{
	struct xtr_share all = { .lanes = 1, .min_len = XTR_MIN_LEN, .max_len = opts->max_len };
	struct golden_out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->file = out_file__open(path);
	if (!out->file)
		goto fail;
	out->reader = xtr_reader__open(opts->source, &all);
	if (!out->reader || write_head(out, opts))
		goto fail;
	return out;
fail:
	golden_out__close(out);
	return NULL;
}

struct comment {
	char text[sizeof(META_WORD) + 2 * MAX_META];
};

/* NULL where there is no metadata. */
static const char *meta_comment(struct comment *comment, const void *meta, __u32 len)
{
	const __u8 *bytes = meta;
	/* cppcheck-suppress ctuuninitvar */
	char *at = comment->text;

	if (!len || len > MAX_META)
		return NULL;
	at += sprintf(at, META_WORD);
	for (__u32 i = 0; i < len; i++)
		at += sprintf(at, "%02x", bytes[i]);
	return comment->text;
}

static int write_packet(struct golden_out *out, struct pcapng_packet *packet, const char *text)
{
	packet->has_id = true;
	packet->comment = text;
	packet->comment_len = text ? strlen(text) : 0;
	return pcapng__write_packet(out_file__stream(out->file), packet);
}

static int write_in(struct golden_out *out, const struct xtr_packet_info *info)
{
	struct pcapng_packet packet = {
		.interface = IF_IN,
		.ts_ns = info->ts_ns,
		.data = out->packet + info->meta_len,
		.len = info->len,
		.orig_len = info->len,
		.flags = PCAPNG_INBOUND,
		.id = info->index,
	};
	struct comment comment;

	return write_packet(out, &packet, meta_comment(&comment, out->packet, info->meta_len));
}

static int write_out(struct golden_out *out, const struct xtr_outcome *outcome)
{
	bool known = !(outcome->flags & XTR_OUTCOME_NO_DATA);
	bool has_verdict = !(outcome->flags & XTR_OUTCOME_NO_VERDICT);
	struct pcapng_packet packet = {
		.interface = IF_OUT,
		.ts_ns = outcome->ts_ns,
		.data = outcome->data,
		.len = known ? outcome->len : 0,
		.orig_len = known ? outcome->len : 0,
		.flags = PCAPNG_OUTBOUND,
		.id = outcome->index,
		.has_verdict = has_verdict,
		.verdict_type = PCAPNG_VERDICT_XDP,
		.verdict = outcome->verdict,
	};
	struct comment comment;
	const char *text;

	if (known)
		text = meta_comment(&comment, outcome->meta, outcome->meta_len);
	else
		text = has_verdict ? NO_BYTES : NOTHING;
	return write_packet(out, &packet, text);
}

static int write_pair(struct golden_out *out, const struct xtr_outcome *outcome)
{
	struct xtr_packet_info info = {};
	int err;

	if (outcome->flags & XTR_OUTCOME_LOST)
		out->lost++;
	err = xtr_reader__next(out->reader, &info, out->packet, sizeof(out->packet));
	if (err < 0)
		return err;
	if (!err || info.index != outcome->index) {
		cli_error("the packets changed while they were run");
		return -EBADMSG;
	}
	err = write_in(out, &info);
	if (!err)
		err = write_out(out, outcome);
	return err ? out_file__failed(out->file, -err) : 0;
}

int golden_out__write(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = write_pair(ctx, &outcomes[i]);
	return err;
}

int golden_out__commit(struct golden_out *out)
{
	if (!out->lost)
		return out_file__commit(out->file);
	cli_error("nothing recorded: %llu packets were lost", (unsigned long long)out->lost);
	return -EIO;
}

void golden_out__close(struct golden_out *out)
{
	if (!out)
		return;
	xtr_reader__close(out->reader);
	out_file__close(out->file);
	free(out);
}

/* ---- reading ----------------------------------------------------------- */

/* The file, packet by packet; packets on other interfaces are left out. */
struct golden_reader {
	struct pcapng_reader *file;
	const char *name;
	__u64 number; /* pairs so far */
	__u8 meta[MAX_META];
	long meta_len; /* of the packet at hand; -1: none */
	struct pcapng_packet packet;
};

struct golden_reader *golden_reader__open(int fd, const char *name)
{
	struct golden_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->name = name;
	reader->file = pcapng_reader__open(fd);
	if (!reader->file) {
		free(reader);
		return NULL;
	}
	return reader;
}

void golden_reader__close(struct golden_reader *reader)
{
	if (!reader)
		return;
	pcapng_reader__close(reader->file);
	free(reader);
}

static int say_bad(const struct golden_reader *reader, const char *why)
{
	cli_error("%s: packet %llu: %s", reader->name, (unsigned long long)reader->number + 1, why);
	return -EBADMSG;
}

/* What is in a comment that begins with META_WORD. */
static int parse_meta(struct golden_reader *reader, const struct pcapng_packet *packet)
{
	size_t word = strlen(META_WORD);
	struct packet_text_error error = {};
	char text[2 * MAX_META + 1];

	reader->meta_len = -1;
	if (!packet->comment || packet->comment_len < word ||
	    memcmp(packet->comment, META_WORD, word))
		return 0;
	if (packet->comment_len - word >= sizeof(text))
		return say_bad(reader, "more metadata than the kernel has room for");
	memcpy(text, packet->comment + word, packet->comment_len - word);
	text[packet->comment_len - word] = '\0';
	reader->meta_len = packet_text__hex(text, reader->meta, sizeof(reader->meta), &error);
	return reader->meta_len < 0 ? say_bad(reader, "its metadata is not in hexadecimal") : 0;
}

/* The next packet on interface in or out: 1 with @which, 0 at the end. */
static int next_packet(struct golden_reader *reader, int *which)
{
	struct pcapng_packet *packet = &reader->packet;
	int err;

	for (;;) {
		err = pcapng_reader__next(reader->file, packet);
		if (err < 0)
			cli_error("%s: %s", reader->name, pcapng_reader__error(reader->file));
		if (err <= 0)
			return err;
		for (*which = IF_IN; *which <= IF_OUT; ++*which)
			if (!strcmp(packet->if_name, if_names[*which]))
				break;
		if (*which > IF_OUT)
			continue;
		if (packet->link_type != PCAPNG_ETHERNET)
			return say_bad(reader, "not an Ethernet frame");
		err = parse_meta(reader, packet);
		return err ? err : 1;
	}
}

static bool has_comment(const struct pcapng_packet *packet, const char *text)
{
	return packet->comment && packet->comment_len == strlen(text) &&
	       !memcmp(packet->comment, text, packet->comment_len);
}

/* A verdict or bytes that got lost must not pass for "anything will do". */
static int check_complete(const struct golden_reader *reader)
{
	const struct pcapng_packet *packet = &reader->packet;
	bool nothing = has_comment(packet, NOTHING);

	if (!packet->has_verdict && !nothing)
		return say_bad(reader, "there is no verdict; tools that use libpcap drop them");
	if (!packet->len && !nothing && !has_comment(packet, NO_BYTES))
		return say_bad(reader, "there are no bytes of what became of it");
	return 0;
}

static int fill_in(struct golden_reader *reader, struct expectation *expectation)
{
	const struct pcapng_packet *packet = &reader->packet;

	if (check_complete(reader))
		return -EBADMSG;
	if (packet->has_verdict && packet->verdict_type != PCAPNG_VERDICT_XDP)
		return say_bad(reader, "its verdict is not one of XDP");
	if (packet->has_verdict && packet->verdict > ~0U)
		return say_bad(reader, "its verdict has more than 32 bits");
	expectation->has_verdict = packet->has_verdict;
	expectation->verdict = packet->verdict;
	expectation->has_len = packet->orig_len;
	expectation->len = packet->orig_len;
	expectation->has_data = packet->len;
	expectation->data = packet->data;
	expectation->data_len = packet->len;
	if (expectation->data_len > expectation->len)
		return say_bad(reader, "it is captured longer than it was");
	expectation->has_meta = packet->len;
	expectation->meta = reader->meta;
	expectation->meta_len = reader->meta_len > 0 ? reader->meta_len : 0;
	return 1;
}

int golden_reader__next(struct golden_reader *reader, struct expectation *expectation)
{
	bool has_id;
	int which, err;
	__u64 id;

	*expectation = (struct expectation){};
	err = next_packet(reader, &which);
	if (err <= 0)
		return err;
	if (which != IF_IN)
		return say_bad(reader, "it came out without having gone in");
	if (reader->packet.len != reader->packet.orig_len)
		return say_bad(reader, "not all of its bytes were captured");
	expectation->in_len = reader->packet.len;
	has_id = reader->packet.has_id;
	id = reader->packet.id;
	err = next_packet(reader, &which);
	if (err < 0)
		return err;
	if (!err || which != IF_OUT)
		return say_bad(reader, "what became of it is not there");
	if (has_id != reader->packet.has_id || id != reader->packet.id)
		return say_bad(reader, "the next one on interface out is another packet");
	err = fill_in(reader, expectation);
	reader->number += err > 0;
	return err;
}

/* ---- the packets as a source ------------------------------------------- */

struct golden_source {
	struct xtr_source base;
	int fd;
	const char *name;
};

struct source_reader {
	struct xtr_reader base;
	struct golden_reader *golden;
	bool waits; /* a packet is at hand and not passed */
	int err; /* sticky */
};

static struct xtr_reader *source_open(struct xtr_source *base, const struct xtr_share *share)
{
	struct golden_source *source = (struct golden_source *)base;
	struct source_reader *reader = xtr_reader__alloc(sizeof(*reader));

	(void)share;
	if (!reader) {
		errno = ENOMEM;
		return NULL;
	}
	reader->golden = golden_reader__open(source->fd, source->name);
	if (!reader->golden) {
		free(reader);
		errno = ENOMEM;
		return NULL;
	}
	return &reader->base;
}

static int fetch(struct source_reader *reader)
{
	int which = IF_OUT, err = 1;

	if (reader->err || reader->waits)
		return reader->err ? reader->err : 1;
	while (err > 0 && which != IF_IN)
		err = next_packet(reader->golden, &which);
	reader->waits = err > 0;
	if (err < 0)
		reader->err = err;
	return err;
}

static int source_next(struct xtr_reader *base, struct xtr_packet_info *info, void *buf, size_t cap)
{
	struct source_reader *reader = (struct source_reader *)base;
	const struct pcapng_packet *packet = &reader->golden->packet;
	enum xtr_fit fit;
	size_t meta_len;
	int err;

	while ((err = fetch(reader)) > 0) {
		fit = xtr_reader__fit(base, packet->data, packet->len);
		if (fit == XTR_FIT_OURS) {
			meta_len = reader->golden->meta_len > 0 ? reader->golden->meta_len : 0;
			if (meta_len + packet->len > cap)
				return -ENOSPC;
			info->index = base->stats.packets;
			info->ts_ns = packet->ts_ns;
			info->len = packet->len;
			info->meta_len = meta_len;
			memcpy(buf, reader->golden->meta, meta_len);
			memcpy((__u8 *)buf + meta_len, packet->data, packet->len);
		}
		xtr_reader__pass(base, fit);
		reader->golden->number++;
		reader->waits = false;
		if (fit == XTR_FIT_OURS)
			return 1;
	}
	return err;
}

static void source_close(struct xtr_reader *base)
{
	struct source_reader *reader = (struct source_reader *)base;

	golden_reader__close(reader->golden);
	free(reader);
}

static void source_free(struct xtr_source *base)
{
	free(base);
}

/* There must be something to run: 0, or a negative errno after a message. */
static int check_packets(int fd, const char *name)
{
	struct golden_reader *reader = golden_reader__open(fd, name);
	int which = IF_OUT, err = 1;

	if (!reader)
		return -ENOMEM;
	while (err > 0 && which != IF_IN)
		err = next_packet(reader, &which);
	if (!err) {
		cli_error("%s has no packets on an interface \"in\"; --record makes such files",
			  name);
		err = -ENODATA;
	}
	golden_reader__close(reader);
	return err < 0 ? err : 0;
}

struct xtr_source *golden__source(int fd, const char *name)
{
	static const struct xtr_source_ops ops = {
		.open = source_open,
		.next = source_next,
		.close = source_close,
		.free = source_free,
	};
	struct golden_source *source;
	int err;

	err = check_packets(fd, name);
	if (err) {
		errno = -err;
		return NULL;
	}
	source = calloc(1, sizeof(*source));
	if (!source)
		return NULL;
	source->base.ops = &ops;
	source->fd = fd;
	source->name = name;
	return &source->base;
}

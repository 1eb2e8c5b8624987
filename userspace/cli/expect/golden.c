// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli.h"
#include "golden.h"
#include "out_file.h"
#include "outcome.h"
#include "packet_text.h"
#include "pcapng.h"
#include "ring.h"
#include "sinks.h"
#include "source_priv.h"

#define MAX_META 252

/* Notes in a packet's comment. */
#define BETWEEN "; "
#define META_WORD "metadata "
#define SINKS_WORD "sinks "
/* What a path did not tell is said to be missing, so that nothing else is missed. */
#define NO_BYTES "bytes not known"
#define NOTHING "neither bytes nor verdict known"
#define MAX_COMMENT 65535 /* bytes of an option */

enum {
	IF_IN,
	IF_OUT,
};

static const char *const if_names[] = { [IF_IN] = "in", [IF_OUT] = "out" };

/* ---- writing ----------------------------------------------------------- */

struct golden_out {
	struct out_file *file;
	struct xtr_reader *reader; /* of the packets as they were: outcomes do not have them */
	const char *const *redirects;
	char *comment; /* room for all notes of a packet */
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
	out->redirects = opts->redirects;
	out->comment = malloc(sizeof(META_WORD BETWEEN SINKS_WORD) + 2 * MAX_META +
			      sizeof(NOTHING) + sinks__size(opts->redirects));
	if (!out->comment)
		goto fail;
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

/* ---- a packet's comment, note by note */

static char *start_note(const struct golden_out *out, char *at, const char *word)
{
	if (at != out->comment)
		at = stpcpy(at, BETWEEN);
	return stpcpy(at, word);
}

static char *note_meta(const struct golden_out *out, char *at, const void *meta, __u32 len)
{
	const __u8 *bytes = meta;

	if (!len || len > MAX_META)
		return at;
	at = start_note(out, at, META_WORD);
	for (__u32 i = 0; i < len; i++)
		at += sprintf(at, "%02x", bytes[i]);
	return at;
}

static char *note_outcome(const struct golden_out *out, char *at, const struct xtr_outcome *outcome)
{
	if (!(outcome->flags & XTR_OUTCOME_NO_DATA))
		return note_meta(out, at, outcome->meta, outcome->meta_len);
	return start_note(out, at, outcome->flags & XTR_OUTCOME_NO_VERDICT ? NOTHING : NO_BYTES);
}

static char *note_sinks(const struct golden_out *out, char *at, const struct xtr_outcome *outcome)
{
	if (!outcome__has_sinks(outcome, out->redirects))
		return at;
	at = start_note(out, at, SINKS_WORD);
	sinks__print(at, out->redirects, outcome->sinks);
	return at + strlen(at);
}

/* The comment goes to @end. */
static int write_packet(struct golden_out *out, struct pcapng_packet *packet, const char *end)
{
	packet->has_id = true;
	packet->comment_len = end - out->comment;
	packet->comment = packet->comment_len ? out->comment : NULL;
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

	return write_packet(out, &packet,
			    note_meta(out, out->comment, out->packet, info->meta_len));
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
	char *end;

	end = note_outcome(out, out->comment, outcome);
	end = note_sinks(out, end, outcome);
	return write_packet(out, &packet, end);
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
	free(out->comment);
	free(out);
}

/* ---- reading ----------------------------------------------------------- */

/* The file, packet by packet; packets on other interfaces are left out. */
struct golden_reader {
	struct pcapng_reader *file;
	const char *name;
	__u64 number; /* pairs so far */
	struct pcapng_packet packet; /* at hand */
	/* What its comment says: */
	bool no_bytes;
	bool nothing;
	bool has_sinks;
	const char *sinks;
	long meta_len; /* -1: none */
	__u8 meta[MAX_META];
	char comment[MAX_COMMENT + 1];
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

static int parse_meta(struct golden_reader *reader, const char *text)
{
	struct packet_text_error error = {};

	if (strlen(text) > 2 * MAX_META)
		return say_bad(reader, "more metadata than the kernel has room for");
	reader->meta_len = packet_text__hex(text, reader->meta, sizeof(reader->meta), &error);
	return reader->meta_len < 0 ? say_bad(reader, "its metadata is not in hexadecimal") : 0;
}

static bool starts_with(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/* Others may have written comments, too: what is not known is left. */
static int parse_note(struct golden_reader *reader, const char *note)
{
	if (starts_with(note, META_WORD))
		return parse_meta(reader, note + strlen(META_WORD));
	if (starts_with(note, SINKS_WORD)) {
		reader->has_sinks = true;
		reader->sinks = note + strlen(SINKS_WORD);
	}
	reader->no_bytes |= !strcmp(note, NO_BYTES);
	reader->nothing |= !strcmp(note, NOTHING);
	return 0;
}

static int parse_comment(struct golden_reader *reader)
{
	const struct pcapng_packet *packet = &reader->packet;
	char *note = reader->comment, *end;
	int err = 0;

	reader->no_bytes = reader->nothing = reader->has_sinks = false;
	reader->meta_len = -1;
	if (!packet->comment || packet->comment_len > MAX_COMMENT)
		return 0;
	memcpy(note, packet->comment, packet->comment_len);
	note[packet->comment_len] = '\0';
	while (note && !err) {
		end = strstr(note, BETWEEN);
		if (end)
			*end = '\0';
		err = parse_note(reader, note);
		note = end ? end + strlen(BETWEEN) : NULL;
	}
	return err;
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
		err = parse_comment(reader);
		return err ? err : 1;
	}
}

/* A verdict or bytes that got lost must not pass for "anything will do". */
static int check_complete(const struct golden_reader *reader)
{
	const struct pcapng_packet *packet = &reader->packet;

	if (!packet->has_verdict && !reader->nothing)
		return say_bad(reader, "there is no verdict; tools that use libpcap drop them");
	if (!packet->len && !reader->nothing && !reader->no_bytes)
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
	expectation->has_sinks = reader->has_sinks;
	expectation->sinks = reader->sinks;
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

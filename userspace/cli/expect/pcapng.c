// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pcapng.h"

enum {
	BLOCK_INTERFACE = 1,
	BLOCK_PACKET = 6,
	BLOCK_SECTION = 0x0a0d0d0a,
};

enum {
	OPT_END = 0,
	OPT_COMMENT = 1,
	SHB_OS = 3,
	SHB_APPLICATION = 4,
	IF_NAME = 2,
	IF_DESCRIPTION = 3,
	IF_TSRESOL = 9,
	IF_TSOFFSET = 14,
	EPB_FLAGS = 2,
	EPB_PACKETID = 5,
	EPB_QUEUE = 6,
	EPB_VERDICT = 7,
};

#define MAGIC 0x1a2b3c4d
#define NSEC_DIGITS 9
#define NSEC_PER_SEC 1000000000ULL

static __u32 padded(__u32 len)
{
	return (len + 3) & ~3U;
}

/* ---- writing ----------------------------------------------------------- */

/* A block in the making; blocks of ours are small, but for the packet's bytes. */
struct block {
	__u32 type;
	__u8 body[2048]; /* without what is at its front and end */
	size_t len;
};

static void put(struct block *block, const void *bytes, size_t len)
{
	size_t whole = padded(len);

	if (whole > sizeof(block->body) - block->len)
		return;
	if (len)
		memcpy(block->body + block->len, bytes, len);
	memset(block->body + block->len + len, 0, whole - len);
	block->len += whole;
}

static void put_u32(struct block *block, __u32 value)
{
	put(block, &value, sizeof(value));
}

static void put_option(struct block *block, __u16 code, const void *bytes, size_t len)
{
	__u16 head[2] = { code, len };

	/* An option is written whole or not; the end of options always finds room. */
	if (sizeof(head) + padded(len) + 4 > sizeof(block->body) - block->len)
		return;
	put(block, head, sizeof(head));
	put(block, bytes, len);
}

static void put_text(struct block *block, __u16 code, const char *text)
{
	if (text)
		put_option(block, code, text, strlen(text));
}

static int write_all(FILE *file, const void *bytes, size_t len)
{
	if (fwrite(bytes, 1, len, file) == len)
		return 0;
	return errno ? -errno : -EIO;
}

static int write_block(FILE *file, const struct block *block)
{
	__u32 head[2] = { block->type, block->len + 12 };
	int err;

	err = write_all(file, head, sizeof(head));
	if (!err)
		err = write_all(file, block->body, block->len);
	if (!err)
		err = write_all(file, &head[1], sizeof(head[1]));
	return err;
}

int pcapng__write_section(FILE *file, const char *os, const char *application, const char *comment)
{
	static const __u16 version[2] = { 1, 0 };
	static const __s64 unknown = -1;
	struct block block = { .type = BLOCK_SECTION };

	put_u32(&block, MAGIC);
	put(&block, version, sizeof(version));
	put(&block, &unknown, sizeof(unknown));
	put_text(&block, SHB_OS, os);
	put_text(&block, SHB_APPLICATION, application);
	put_text(&block, OPT_COMMENT, comment);
	put_option(&block, OPT_END, NULL, 0);
	return write_block(file, &block);
}

int pcapng__write_interface(FILE *file, const char *name, const char *description)
{
	static const __u16 link[2] = { PCAPNG_ETHERNET, 0 };
	static const __u8 nanoseconds = NSEC_DIGITS;
	struct block block = { .type = BLOCK_INTERFACE };

	put(&block, link, sizeof(link));
	put_u32(&block, 0); /* nothing is cut */
	put_text(&block, IF_NAME, name);
	put_text(&block, IF_DESCRIPTION, description);
	put_option(&block, IF_TSRESOL, &nanoseconds, sizeof(nanoseconds));
	put_option(&block, OPT_END, NULL, 0);
	return write_block(file, &block);
}

static void put_packet_options(struct block *block, const struct pcapng_packet *packet)
{
	__u8 verdict[9] = { packet->verdict_type };

	if (packet->flags)
		put_option(block, EPB_FLAGS, &packet->flags, sizeof(packet->flags));
	if (packet->has_id)
		put_option(block, EPB_PACKETID, &packet->id, sizeof(packet->id));
	if (packet->has_verdict) {
		memcpy(verdict + 1, &packet->verdict, sizeof(packet->verdict));
		put_option(block, EPB_VERDICT, verdict, sizeof(verdict));
	}
	if (packet->comment)
		put_option(block, OPT_COMMENT, packet->comment, packet->comment_len);
	put_option(block, OPT_END, NULL, 0);
}

int pcapng__write_packet(FILE *file, const struct pcapng_packet *packet)
{
	static const __u8 zeros[4];
	struct block options = { .type = BLOCK_PACKET };
	__u32 head[7], pad = padded(packet->len) - packet->len;
	int err;

	put_packet_options(&options, packet);
	head[0] = BLOCK_PACKET;
	head[1] = sizeof(head) + packet->len + pad + options.len + 4;
	head[2] = packet->interface;
	head[3] = packet->ts_ns >> 32;
	head[4] = packet->ts_ns;
	head[5] = packet->len;
	head[6] = packet->orig_len;
	err = write_all(file, head, sizeof(head));
	if (!err && packet->len)
		err = write_all(file, packet->data, packet->len);
	if (!err && pad)
		err = write_all(file, zeros, pad);
	if (!err)
		err = write_all(file, options.body, options.len);
	if (!err)
		err = write_all(file, &head[1], sizeof(head[1]));
	return err;
}

/* ---- reading ----------------------------------------------------------- */

#define BUF_SIZE 65536

struct interface {
	char name[64];
	__u16 link_type;
	__u8 resolution; /* as in if_tsresol */
	__s64 offset; /* seconds */
};

struct pcapng_reader {
	int fd;
	__u64 at; /* of what is to be read next */
	__u64 block_at; /* of the block at hand, for messages */
	bool in_section;
	bool swapped;
	struct interface *interfaces;
	size_t interface_cnt;
	__u8 *block; /* the body of the block at hand */
	size_t block_size; /* room */
	char error[160];
	size_t buf_pos, buf_len;
	__u8 buf[BUF_SIZE];
};

static __u16 u16_of(const struct pcapng_reader *reader, const __u8 *at)
{
	__u16 value;

	memcpy(&value, at, sizeof(value));
	return reader->swapped ? __builtin_bswap16(value) : value;
}

static __u32 u32_of(const struct pcapng_reader *reader, const __u8 *at)
{
	__u32 value;

	memcpy(&value, at, sizeof(value));
	return reader->swapped ? __builtin_bswap32(value) : value;
}

static __u64 u64_of(const struct pcapng_reader *reader, const __u8 *at)
{
	__u64 value;

	memcpy(&value, at, sizeof(value));
	return reader->swapped ? __builtin_bswap64(value) : value;
}

__attribute__((format(printf, 2, 3))) static int bad(struct pcapng_reader *reader, const char *fmt,
						     ...)
{
	va_list args;
	int len;

	len = snprintf(reader->error, sizeof(reader->error),
		       "block at byte %llu: ", (unsigned long long)reader->block_at);
	va_start(args, fmt);
	vsnprintf(reader->error + len, sizeof(reader->error) - len, fmt, args);
	va_end(args);
	return -EBADMSG;
}

static int fill(struct pcapng_reader *reader)
{
	ssize_t n;
	int err;

	do {
		n = pread(reader->fd, reader->buf, sizeof(reader->buf), reader->at);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		err = -errno;
		snprintf(reader->error, sizeof(reader->error), "cannot read it: %s",
			 strerror(-err));
		return err;
	}
	reader->buf_pos = 0;
	reader->buf_len = n;
	reader->at += n;
	return n > 0;
}

/* The whole of @len bytes: 1; 0 at the end of the file; negative. */
static int take(struct pcapng_reader *reader, __u8 *to, size_t len)
{
	size_t part, got = 0;
	int err;

	while (got < len) {
		if (reader->buf_pos == reader->buf_len) {
			err = fill(reader);
			if (err < 0)
				return err;
			if (!err)
				return got ? bad(reader, "the file ends in the middle of it") : 0;
		}
		part = reader->buf_len - reader->buf_pos;
		if (part > len - got)
			part = len - got;
		memcpy(to + got, reader->buf + reader->buf_pos, part);
		reader->buf_pos += part;
		got += part;
	}
	return 1;
}

static int take_all(struct pcapng_reader *reader, __u8 *to, size_t len)
{
	int err = take(reader, to, len);

	return err ? (err < 0 ? err : 0) : bad(reader, "the file ends in the middle of it");
}

/* Goes past bytes that nobody needs, and past the end of a file that lacks them. */
static void skip(struct pcapng_reader *reader, __u64 len)
{
	size_t here = reader->buf_len - reader->buf_pos;

	if (len <= here) {
		reader->buf_pos += len;
		return;
	}
	reader->buf_pos = reader->buf_len;
	reader->at += len - here;
}

/* Calls for each option until that says no. Nothing but the block's end follows the last. */
typedef int (*option_fn)(struct pcapng_reader *reader, void *ctx, __u16 code, const __u8 *value,
			 __u16 len);

static int each_option(struct pcapng_reader *reader, const __u8 *at, size_t left, option_fn fn,
		       void *ctx)
{
	__u16 code, len;
	int err;

	while (left >= 4) {
		code = u16_of(reader, at);
		len = u16_of(reader, at + 2);
		at += 4;
		left -= 4;
		if (code == OPT_END)
			break;
		if (padded(len) > left)
			return bad(reader, "option %u is longer than the block", code);
		err = fn(reader, ctx, code, at, len);
		if (err)
			return err;
		at += padded(len);
		left -= padded(len);
	}
	return left ? bad(reader, "%zu bytes after the last option", left) : 0;
}

/* A section begins with its byte order; what its length is depends on that. */
static int section_order(struct pcapng_reader *reader, const __u8 magic[4])
{
	__u32 value;

	memcpy(&value, magic, sizeof(value));
	if (value != MAGIC && value != __builtin_bswap32(MAGIC))
		return bad(reader, "no byte order: this is not a pcapng file");
	reader->swapped = value != MAGIC;
	return 0;
}

static int parse_section(struct pcapng_reader *reader, size_t len)
{
	__u16 major;

	if (len < 16)
		return bad(reader, "a section header of %zu bytes", len + 12);
	major = u16_of(reader, reader->block + 4);
	if (major != 1)
		return bad(reader, "version %u of pcapng; version 1 is known", major);
	reader->in_section = true;
	reader->interface_cnt = 0;
	return 0;
}

static int on_interface_option(struct pcapng_reader *reader, void *ctx, __u16 code,
			       const __u8 *value, __u16 len)
{
	struct interface *interface = ctx;

	switch (code) {
	case IF_NAME:
		snprintf(interface->name, sizeof(interface->name), "%.*s", (int)len,
			 (const char *)value);
		break;
	case IF_TSRESOL:
		if (len != 1)
			return bad(reader, "a resolution of time stamps of %u bytes", len);
		interface->resolution = *value;
		break;
	case IF_TSOFFSET:
		if (len != 8)
			return bad(reader, "an offset of time stamps of %u bytes", len);
		interface->offset = u64_of(reader, value);
		break;
	}
	return 0;
}

static int parse_interface(struct pcapng_reader *reader, size_t len)
{
	struct interface *more, *interface;

	if (len < 8)
		return bad(reader, "an interface description of %zu bytes", len + 12);
	more = reallocarray(reader->interfaces, reader->interface_cnt + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	reader->interfaces = more;
	interface = &more[reader->interface_cnt++];
	*interface = (struct interface){
		.link_type = u16_of(reader, reader->block),
		.resolution = 6,
	};
	return each_option(reader, reader->block + 8, len - 8, on_interface_option, interface);
}

/* Saturates: time stamps are shown, not relied on. */
static __u64 nanoseconds(const struct interface *interface, __u64 ts)
{
	__uint128_t ns = ts;
	int power = interface->resolution & 0x7f;

	if (interface->resolution & 0x80) {
		ns *= NSEC_PER_SEC;
		ns = power < 128 ? ns >> power : 0;
	} else {
		for (; power < NSEC_DIGITS; power++)
			ns *= 10;
		for (; power > NSEC_DIGITS && ns; power--)
			ns /= 10;
	}
	ns += (__uint128_t)(__u64)interface->offset * NSEC_PER_SEC;
	return ns;
}

static int on_packet_option(struct pcapng_reader *reader, void *ctx, __u16 code, const __u8 *value,
			    __u16 len)
{
	struct pcapng_packet *packet = ctx;

	switch (code) {
	case OPT_COMMENT:
		packet->comment = (const char *)value;
		packet->comment_len = len;
		break;
	case EPB_FLAGS:
		if (len != 4)
			return bad(reader, "packet flags of %u bytes", len);
		packet->flags = u32_of(reader, value);
		break;
	case EPB_PACKETID:
		if (len != 8)
			return bad(reader, "a packet's id of %u bytes", len);
		packet->has_id = true;
		packet->id = u64_of(reader, value);
		break;
	case EPB_QUEUE:
		/* Wireshark 4.0 writes verdicts under this code; a queue has 4 bytes. */
		if (len != 9)
			break;
		__attribute__((fallthrough));
	case EPB_VERDICT:
		if (!len)
			return bad(reader, "a verdict without a type");
		if (*value != PCAPNG_VERDICT_TC && *value != PCAPNG_VERDICT_XDP)
			break; /* the hardware's; it may be of any length */
		if (len != 9)
			return bad(reader, "a verdict of %u bytes", len);
		packet->has_verdict = true;
		packet->verdict_type = *value;
		packet->verdict = u64_of(reader, value + 1);
		break;
	}
	return 0;
}

static int parse_packet(struct pcapng_reader *reader, size_t len, struct pcapng_packet *packet)
{
	const __u8 *block = reader->block;
	const struct interface *interface;
	__u32 caplen;

	if (len < 20)
		return bad(reader, "a packet block of %zu bytes", len + 12);
	*packet = (struct pcapng_packet){ .interface = u32_of(reader, block) };
	if (packet->interface >= reader->interface_cnt)
		return bad(reader, "interface %u, which the section does not describe",
			   packet->interface);
	caplen = u32_of(reader, block + 12);
	if (caplen > len - 20 || padded(caplen) > len - 20)
		return bad(reader, "a packet of %u bytes in a block of %zu", caplen, len + 12);
	interface = &reader->interfaces[packet->interface];
	packet->if_name = interface->name;
	packet->link_type = interface->link_type;
	packet->ts_ns = nanoseconds(interface, (__u64)u32_of(reader, block + 4) << 32 |
						       u32_of(reader, block + 8));
	packet->data = block + 20;
	packet->len = caplen;
	packet->orig_len = u32_of(reader, block + 16);
	return each_option(reader, block + 20 + padded(caplen), len - 20 - padded(caplen),
			   on_packet_option, packet);
}

static int reserve(struct pcapng_reader *reader, size_t len)
{
	__u8 *more;

	if (len <= reader->block_size)
		return 0;
	more = realloc(reader->block, len);
	if (!more)
		return -ENOMEM;
	reader->block = more;
	reader->block_size = len;
	return 0;
}

/* The body of a block whose first @have bytes are there already, and its end. */
static int read_body(struct pcapng_reader *reader, size_t len, size_t have, __u32 total)
{
	__u8 again[4];
	int err;

	err = take_all(reader, reader->block + have, len - have);
	if (!err)
		err = take_all(reader, again, sizeof(again));
	if (!err && u32_of(reader, again) != total)
		err = bad(reader, "its length is %u bytes at its front and %u at its end", total,
			  u32_of(reader, again));
	return err;
}

static bool is_wanted(__u32 type)
{
	return type == BLOCK_SECTION || type == BLOCK_INTERFACE || type == BLOCK_PACKET;
}

/*
 * Reads one block up to its end: 1 with its type and the length of its body, 0
 * at the end of the file. Of blocks that nobody needs the body is not read.
 */
static int read_block(struct pcapng_reader *reader, __u32 *type, size_t *len)
{
	__u8 head[12];
	size_t have = 0;
	__u32 total;
	int err;

	reader->block_at = reader->at - (reader->buf_len - reader->buf_pos);
	err = take(reader, head, 8);
	if (err <= 0)
		return err;
	/* The type of a section header is the same in both byte orders. */
	*type = u32_of(reader, head);
	if (*type == BLOCK_SECTION) {
		err = take_all(reader, head + 8, 4);
		if (!err)
			err = section_order(reader, head + 8);
		if (err)
			return err;
		have = 4;
	} else if (!reader->in_section) {
		return bad(reader, "no section header: this is not a pcapng file");
	}
	total = u32_of(reader, head + 4);
	if (total < 12 + have || total % 4)
		return bad(reader, "a length of %u bytes", total);
	*len = total - 12;
	if (!is_wanted(*type)) {
		skip(reader, total - 8);
		return 1;
	}
	if (total > PCAPNG_MAX_BLOCK)
		return bad(reader, "a length of %u bytes, more than any packet needs", total);
	err = reserve(reader, *len + 1);
	if (err)
		return err;
	memcpy(reader->block, head + 8, have);
	err = read_body(reader, *len, have, total);
	return err ? err : 1;
}

int pcapng_reader__next(struct pcapng_reader *reader, struct pcapng_packet *packet)
{
	size_t len = 0;
	__u32 type = 0;
	int err;

	while ((err = read_block(reader, &type, &len)) > 0) {
		switch (type) {
		case BLOCK_SECTION:
			err = parse_section(reader, len);
			break;
		case BLOCK_INTERFACE:
			err = parse_interface(reader, len);
			break;
		case BLOCK_PACKET:
			err = parse_packet(reader, len, packet);
			if (!err)
				return 1;
			break;
		default:
			err = 0;
		}
		if (err)
			break;
	}
	if (err == -ENOMEM)
		snprintf(reader->error, sizeof(reader->error), "out of memory");
	return err;
}

const char *pcapng_reader__error(const struct pcapng_reader *reader)
{
	return reader->error;
}

struct pcapng_reader *pcapng_reader__open(int fd)
{
	struct pcapng_reader *reader = malloc(sizeof(*reader));

	if (!reader)
		return NULL;
	memset(reader, 0, offsetof(struct pcapng_reader, buf));
	reader->fd = fd;
	return reader;
}

void pcapng_reader__close(struct pcapng_reader *reader)
{
	if (!reader)
		return;
	free(reader->interfaces);
	free(reader->block);
	free(reader);
}

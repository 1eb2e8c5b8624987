// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Packet sources: captures of every kind, the generator, and the split into lanes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "source.h"

#define BUF_SIZE (80 * 1024)
#define ALL_SIZES 14, 73152

static char dir[64];
static char said[2048]; /* the last line of the log */
static int lines;

static void listen_log(enum xtr_log_level level, const char *fmt, va_list args)
{
	if (level != XTR_LOG_ERROR)
		return;
	vsnprintf(said, sizeof(said), fmt, args);
	lines++;
}

/* The last call failed with @err and said so in one line that has @words. */
static void assert_said(const char *words)
{
	if (lines != 1 || !strstr(said, words) || strchr(said, '\n'))
		fail_msg("%d lines, looked for '%s': %s", lines, words, said);
}

static const char *path_to(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void write_file(const char *name, const void *bytes, size_t len)
{
	FILE *file = fopen(path_to(name), "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/* ---- captures by hand -------------------------------------------------- */

struct bytes {
	__u8 at[65536];
	size_t len;
	bool big_endian;
};

static void put(struct bytes *b, const void *data, size_t len)
{
	assert_true(b->len + len <= sizeof(b->at));
	memcpy(b->at + b->len, data, len);
	b->len += len;
}

static void put_int(struct bytes *b, __u64 value, int size)
{
	__u8 byte;
	int i;

	for (i = 0; i < size; i++) {
		byte = value >> 8 * (b->big_endian ? size - 1 - i : i);
		put(b, &byte, 1);
	}
}

static void pcap_header(struct bytes *b, __u32 magic, __u32 dlt)
{
	put_int(b, magic, 4);
	put_int(b, 2, 2);
	put_int(b, 4, 2);
	put_int(b, 0, 8);
	put_int(b, 65535, 4);
	put_int(b, dlt, 4);
}

static void pcap_frame(struct bytes *b, __u32 sec, __u32 frac, __u32 caplen, __u32 len, __u8 byte)
{
	__u32 i;

	put_int(b, sec, 4);
	put_int(b, frac, 4);
	put_int(b, caplen, 4);
	put_int(b, len, 4);
	for (i = 0; i < caplen; i++)
		put(b, &byte, 1);
}

static void pcapng_block(struct bytes *b, __u32 type, const struct bytes *body)
{
	__u32 padded = (body->len + 3) & ~3U;

	put_int(b, type, 4);
	put_int(b, padded + 12, 4);
	put(b, body->at, body->len);
	put(b, "\0\0\0", padded - body->len);
	put_int(b, padded + 12, 4);
}

static void pcapng_start(struct bytes *b)
{
	static struct bytes body;

	body.len = 0;
	body.big_endian = b->big_endian;
	put_int(&body, 0x1a2b3c4d, 4);
	put_int(&body, 1, 2);
	put_int(&body, 0, 2);
	put_int(&body, ~0ULL, 8);
	pcapng_block(b, 0x0a0d0d0a, &body);
}

static void pcapng_interface(struct bytes *b, __u32 dlt)
{
	static struct bytes body;

	body.len = 0;
	body.big_endian = b->big_endian;
	put_int(&body, dlt, 2);
	put_int(&body, 0, 2);
	put_int(&body, 65535, 4);
	put_int(&body, 9, 2); /* if_tsresol: nanoseconds */
	put_int(&body, 1, 2);
	put(&body, "\x09\0\0\0", 4);
	put_int(&body, 0, 4);
	pcapng_block(b, 1, &body);
}

static void pcapng_frame(struct bytes *b, __u32 interface, __u64 ts, __u32 caplen, __u32 len)
{
	static struct bytes body;
	__u32 i;

	body.len = 0;
	body.big_endian = b->big_endian;
	put_int(&body, interface, 4);
	put_int(&body, ts >> 32, 4);
	put_int(&body, ts & 0xffffffff, 4);
	put_int(&body, caplen, 4);
	put_int(&body, len, 4);
	for (i = 0; i < caplen; i++)
		put_int(&body, i, 1);
	pcapng_block(b, 6, &body);
}

static struct bytes capture; /* what a test builds */

static int setup(void **state)
{
	(void)state;
	memset(&capture, 0, sizeof(capture));
	lines = 0;
	said[0] = 0;
	return 0;
}

static struct xtr_source *open_capture(const char *name)
{
	write_file(name, capture.at, capture.len);
	return xtr_source__open_pcap(path_to(name));
}

static struct xtr_reader *open_lane(struct xtr_source *source, __u32 lane, __u32 lanes,
				    enum xtr_affinity affinity, __u32 min_len, __u32 max_len)
{
	struct xtr_share share = { lane, lanes, affinity, min_len, max_len };
	struct xtr_reader *reader = xtr_reader__open(source, &share);

	assert_non_null(reader);
	return reader;
}

static struct xtr_source_stats stats_of(const struct xtr_source *source)
{
	struct xtr_source_stats stats = { .sz = sizeof(stats) };

	assert_int_equal(xtr_source__stats(source, &stats), 0);
	assert_int_equal(stats.sz, sizeof(stats));
	return stats;
}

/* ---- pcap -------------------------------------------------------------- */

static void check_one_frame(const char *name, __u64 ts)
{
	struct xtr_source *source = open_capture(name);
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	__u8 buf[64];

	assert_non_null(source);
	reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
	assert_int_equal(xtr_reader__next(reader, &info, buf, 59), -ENOSPC);
	assert_int_equal(xtr_reader__next(reader, &info, buf, 60), 1);
	assert_int_equal(info.index, 0);
	assert_int_equal(info.len, 60);
	assert_int_equal(info.meta_len, 0);
	assert_int_equal(info.ts_ns, ts);
	assert_int_equal(buf[59], 0xab);
	assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 0);
	assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 0);
	xtr_reader__close(reader);
	assert_int_equal(stats_of(source).packets, 1);
	assert_int_equal(lines, 0);
	xtr_source__close(source);
}

static void pcap_byte_orders_and_precisions(void **state)
{
	static const __u32 magics[] = { 0xa1b2c3d4, 0xa1b23c4d };
	int i;

	for (i = 0; i < 4; i++) {
		setup(state);
		capture.big_endian = i & 1;
		pcap_header(&capture, magics[i / 2], 1);
		pcap_frame(&capture, 1700000000, 123456, 60, 60, 0xab);
		check_one_frame("order.pcap",
				1700000000000000000ULL + (i < 2 ? 123456000 : 123456));
	}
}

static void pcapng_both_byte_orders(void **state)
{
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	struct xtr_source *source;
	__u8 buf[128];
	int order;

	for (order = 0; order < 2; order++) {
		setup(state);
		capture.big_endian = order;
		pcapng_start(&capture);
		pcapng_interface(&capture, 1);
		pcapng_frame(&capture, 0, 1700000000123456789ULL, 61, 61);
		source = open_capture("order.pcapng");
		assert_non_null(source);
		reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
		assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
		assert_int_equal(info.ts_ns, 1700000000123456789ULL);
		assert_int_equal(info.len, 61);
		assert_int_equal(buf[60], 60);
		assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 0);
		xtr_reader__close(reader);
		xtr_source__close(source);
	}
}

static void pcapng_mixed_link_types(void **state)
{
	struct xtr_source *source;
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	__u8 buf[128];

	(void)state;
	pcapng_start(&capture);
	pcapng_interface(&capture, 1);
	pcapng_frame(&capture, 0, 1, 60, 60);
	pcapng_interface(&capture, 113);
	pcapng_frame(&capture, 1, 2, 60, 60);
	source = open_capture("mixed.pcapng");
	assert_non_null(source);
	reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
	assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
	assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), -EBADMSG);
	assert_said("type");
	xtr_reader__close(reader);
	xtr_source__close(source);
}

static void pcap_link_types_refused_by_name(void **state)
{
	static const struct {
		__u32 dlt;
		const char *name;
	} types[] = { { 113, "LINUX_SLL" }, { 276, "LINUX_SLL2" },	 { 101, "RAW" },
		      { 12, "RAW" },	    { 127, "IEEE802_11_RADIO" }, { 9999, "9999" } };
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		setup(state);
		pcap_header(&capture, 0xa1b2c3d4, types[i].dlt);
		pcap_frame(&capture, 1, 0, 60, 60, 0);
		errno = 0;
		assert_null(open_capture("type.pcap"));
		assert_int_equal(errno, EPROTOTYPE);
		assert_said(types[i].name);
		assert_said("capture on an Ethernet interface");
	}
}

static void pcap_without_packets(void **state)
{
	(void)state;
	pcap_header(&capture, 0xa1b2c3d4, 1);
	assert_null(open_capture("empty.pcap"));
	assert_int_equal(errno, ENODATA);
	assert_said("no packet");

	setup(state);
	assert_null(open_capture("zero.pcap"));
	assert_int_equal(errno, ENODATA);
	assert_said("empty");
}

static void refuse(const char *name, int err, const char *words)
{
	lines = 0;
	errno = 0;
	assert_null(xtr_source__open_pcap(name));
	assert_int_equal(errno, err);
	assert_said(words);
}

static void pcap_not_a_capture(void **state)
{
	(void)state;
	refuse(path_to("missing.pcap"), ENOENT, "No such file");
	refuse(dir, EISDIR, "directory");
	refuse("/dev/zero", EBADMSG, "device");
	write_file("garbage", "this is no capture, just text that is long enough", 48);
	refuse(path_to("garbage"), EBADMSG, "tcpdump");
	write_file("short", "abc", 3);
	refuse(path_to("short"), EBADMSG, "short");
	write_file("gz", "\x1f\x8b\x08\0 and so on, and so on", 25);
	refuse(path_to("gz"), EBADMSG, "gunzip");
	pcap_header(&capture, 0xa1b2c3d4, 1);
	write_file("cut", capture.at, 20);
	refuse(path_to("cut"), EBADMSG, "truncated");
}

static void pcap_cut_in_a_packet(void **state)
{
	struct xtr_reader *readers[2];
	struct xtr_packet_info info;
	struct xtr_source *source;
	__u8 buf[128];
	int i;

	(void)state;
	pcap_header(&capture, 0xa1b2c3d4, 1);
	pcap_frame(&capture, 1, 0, 60, 60, 1);
	pcap_frame(&capture, 1, 0, 60, 60, 2);
	pcap_frame(&capture, 1, 0, 60, 60, 3);
	capture.len -= 10;
	source = open_capture("cut.pcap");
	assert_non_null(source);
	for (i = 0; i < 2; i++)
		readers[i] = open_lane(source, i, 2, XTR_AFFINITY_NONE, ALL_SIZES);
	assert_int_equal(xtr_reader__next(readers[0], &info, buf, sizeof(buf)), 1);
	assert_int_equal(xtr_reader__next(readers[0], &info, buf, sizeof(buf)), 1);
	for (i = 0; i < 2; i++) {
		/* on each lane, for good, but said once */
		assert_int_equal(xtr_reader__next(readers[i], &info, buf, sizeof(buf)), -EBADMSG);
		assert_int_equal(xtr_reader__next(readers[i], &info, buf, sizeof(buf)), -EBADMSG);
		assert_said("packet 3 of");
	}
	for (i = 0; i < 2; i++)
		xtr_reader__close(readers[i]);
	xtr_source__close(source);

	/* Not even one packet: found out at once. */
	setup(state);
	pcap_header(&capture, 0xa1b2c3d4, 1);
	pcap_frame(&capture, 1, 0, 60, 60, 1);
	capture.len -= 10;
	assert_null(open_capture("cut1.pcap"));
	assert_int_equal(errno, EBADMSG);
	assert_said("packet 1 of");
}

static void pcap_sizes_are_counted(void **state)
{
	struct xtr_source_stats stats;
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	struct xtr_source *source;
	__u8 buf[2048];
	int lane;

	(void)state;
	pcap_header(&capture, 0xa1b2c3d4, 1);
	pcap_frame(&capture, 1, 0, 60, 60, 1);
	pcap_frame(&capture, 2, 0, 8, 8, 2);
	pcap_frame(&capture, 3, 0, 1515, 1515, 3);
	pcap_frame(&capture, 4, 0, 100, 1400, 4);
	pcap_frame(&capture, 5, 0, 13, 1400, 5);
	pcap_frame(&capture, 6, 0, 90, 1400, 6);
	source = open_capture("sizes.pcap");
	assert_non_null(source);
	for (lane = 0; lane < 2; lane++) {
		reader = open_lane(source, lane, 2, XTR_AFFINITY_NONE, 14, 1514);
		if (lane == 0) {
			assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
			assert_int_equal(info.index, 0);
			assert_int_equal(xtr_reader__next(reader, &info, buf, 99), -ENOSPC);
			assert_int_equal(xtr_reader__next(reader, &info, buf, 100), 1);
			assert_int_equal(info.index, 1);
			assert_int_equal(info.len, 100);
			assert_int_equal(buf[0], 4);
			assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
			assert_int_equal(info.index, 2);
		}
		assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 0);
		xtr_reader__close(reader);
		stats = stats_of(source);
		assert_int_equal(stats.packets, 3);
		assert_int_equal(stats.undersized, 2);
		assert_int_equal(stats.first_undersized, 2);
		assert_int_equal(stats.oversized, 1);
		assert_int_equal(stats.first_oversized, 3);
		assert_int_equal(stats.truncated, 2);
		assert_int_equal(stats.first_truncated, 4);
	}
	xtr_source__close(source);
}

/* A lane that opens the file late must not see its successor. */
static void pcap_replaced_file(void **state)
{
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	struct xtr_source *source;
	char other[256];
	__u8 buf[64];

	(void)state;
	pcap_header(&capture, 0xa1b2c3d4, 1);
	pcap_frame(&capture, 1, 0, 60, 60, 1);
	source = open_capture("replaced.pcap");
	assert_non_null(source);
	capture.len -= 60;
	put(&capture, (__u8[60]){ 2 }, 60);
	write_file("other.pcap", capture.at, capture.len);
	strcpy(other, path_to("other.pcap"));
	assert_int_equal(rename(other, path_to("replaced.pcap")), 0);
	reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
	assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
	assert_int_equal(buf[0], 1);
	xtr_reader__close(reader);
	xtr_source__close(source);
}

static void *feed(void *fd)
{
	assert_int_equal(write(*(int *)fd, capture.at, capture.len), capture.len);
	close(*(int *)fd);
	return NULL;
}

static void *feed_fifo(void *path)
{
	int fd = open(path, O_WRONLY);

	return feed(&fd);
}

/* Each of two lanes reads all of what came through the pipe once. */
static void check_spooled(struct xtr_source *source)
{
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	__u8 buf[64];
	int lane, i;

	assert_non_null(source);
	for (lane = 0; lane < 2; lane++) {
		reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
		for (i = 0; i < 800; i++) {
			assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
			assert_int_equal(buf[0], i & 255);
		}
		assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 0);
		xtr_reader__close(reader);
	}
	xtr_source__close(source);
}

static void pcap_from_stdin_and_fifo(void **state)
{
	int stdin_copy = dup(STDIN_FILENO);
	struct xtr_source *source;
	char fifo[256];
	pthread_t thread;
	int fds[2];
	int i;

	(void)state;
	pcap_header(&capture, 0xa1b2c3d4, 1);
	for (i = 0; i < 800; i++)
		pcap_frame(&capture, i, 0, 60, 60, i);
	assert_int_equal(pipe(fds), 0);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	assert_int_equal(pthread_create(&thread, NULL, feed, &fds[1]), 0);
	source = xtr_source__open_pcap("-");
	pthread_join(thread, NULL);
	check_spooled(source);

	/* standard input from a file */
	write_file("stdin.pcap", capture.at, capture.len);
	fds[0] = open(path_to("stdin.pcap"), O_RDONLY);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	check_spooled(xtr_source__open_pcap("-"));

	strcpy(fifo, path_to("fifo"));
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, feed_fifo, fifo), 0);
	source = xtr_source__open_pcap(fifo);
	pthread_join(thread, NULL);
	check_spooled(source);
	dup2(stdin_copy, STDIN_FILENO);
	close(stdin_copy);
}

/* ---- memory ------------------------------------------------------------ */

static void packets_in_memory(void **state)
{
	struct xtr_packet packets[] = {
		{ .data = "0123456789abcdef",
		  .len = 16,
		  .meta = "METADATA",
		  .meta_len = 8,
		  .ts_ns = 5 },
		{ .data = "0123456789ab", .len = 12 },
		{ .data = "fedcba9876543210", .len = 15 },
	};
	struct xtr_source *source = xtr_source__from_packets(packets, 3);
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	char buf[64];

	(void)state;
	assert_non_null(source);
	reader = open_lane(source, 0, 1, XTR_AFFINITY_FLOW, 14, 1500);
	assert_int_equal(xtr_reader__next(reader, &info, buf, 23), -ENOSPC);
	assert_int_equal(xtr_reader__next(reader, &info, buf, 24), 1);
	assert_memory_equal(buf, "METADATA0123456789abcdef", 24);
	assert_int_equal(info.ts_ns, 5);
	assert_int_equal(info.meta_len, 8);
	assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
	assert_int_equal(info.index, 1);
	assert_int_equal(info.len, 15);
	assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 0);
	xtr_reader__close(reader);
	assert_int_equal(stats_of(source).first_undersized, 2);
	xtr_source__close(source);

	assert_null(xtr_source__from_packets(packets, 0));
	assert_int_equal(errno, ENODATA);
	lines = 0;
	packets[1].meta = "abc";
	packets[1].meta_len = 3;
	assert_null(xtr_source__from_packets(packets, 3));
	assert_int_equal(errno, EINVAL);
	assert_said("packet 2");
	packets[1].meta_len = 0;
	packets[2].data = NULL;
	assert_null(xtr_source__from_packets(packets, 3));
	assert_int_equal(errno, EINVAL);
}

static void stats_of_older_and_newer_callers(void **state)
{
	struct {
		struct xtr_source_stats stats;
		__u64 more;
	} newer = { .stats.sz = sizeof(newer), .more = 7 };
	struct xtr_source_stats older = { .sz = 16, .undersized = 9 };
	struct xtr_source *source = xtr_source__open_gen("udp,count=3");
	struct xtr_reader *reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
	struct xtr_packet_info info;
	__u8 buf[64];

	(void)state;
	while (xtr_reader__next(reader, &info, buf, sizeof(buf)) == 1)
		;
	xtr_reader__close(reader);
	assert_int_equal(xtr_source__stats(source, &newer.stats), 0);
	assert_int_equal(newer.stats.packets, 3);
	assert_int_equal(newer.more, 0);
	assert_int_equal(xtr_source__stats(source, &older), 0);
	assert_int_equal(older.packets, 3);
	assert_int_equal(older.undersized, 9);
	older.sz = 0;
	assert_int_equal(xtr_source__stats(source, &older), -EINVAL);
	xtr_source__close(source);
}

/* ---- generator --------------------------------------------------------- */

static __u16 be16(const __u8 *p)
{
	return p[0] << 8 | p[1];
}

static __u64 be64(const __u8 *p)
{
	return (__u64)be16(p) << 48 | (__u64)be16(p + 2) << 32 | (__u64)be16(p + 4) << 16 |
	       be16(p + 6);
}

/* By the book (RFC 1071), byte by byte, unlike the generator's. */
static __u32 sum_bytes(__u32 sum, const __u8 *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		sum += i % 2 ? p[i] : p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

/* Offset of the IP header. */
static size_t skip_tags(const __u8 *p)
{
	size_t at = 12;

	while (be16(p + at) == 0x8100 || be16(p + at) == 0x88a8)
		at += 4;
	return at + 2;
}

static void check_l4(const __u8 *l4, size_t len, __u8 proto, __u32 pseudo)
{
	__u32 sum = proto == 1 ? 0 : pseudo + proto + len;

	if (proto == 17) {
		assert_int_equal(be16(l4 + 4), len & 0xffff);
		assert_int_not_equal(be16(l4 + 6), 0);
	}
	assert_int_equal(sum_bytes(sum, l4, len), 0xffff);
}

/* Lengths and checksums of an IP packet of the generator. */
static void check_packet(const __u8 *p, size_t len)
{
	size_t l3 = skip_tags(p), ip_len, max = 65535;
	const __u8 *ip = p + l3;

	if (be16(ip - 2) == 0x0800) {
		ip_len = len - l3 < max ? len - l3 : max;
		assert_int_equal(ip[0], 0x45);
		assert_int_equal(be16(ip + 2), ip_len);
		assert_int_equal(sum_bytes(0, ip, 20), 0xffff);
		check_l4(ip + 20, ip_len - 20, ip[9], sum_bytes(0, ip + 12, 8));
	} else {
		assert_int_equal(be16(ip - 2), 0x86dd);
		ip_len = len - l3 - 40 < max ? len - l3 - 40 : max;
		assert_int_equal(ip[0] >> 4, 6);
		assert_int_equal(be16(ip + 4), ip_len);
		check_l4(ip + 40, ip_len, ip[6], sum_bytes(0, ip + 8, 32));
	}
}

static struct xtr_source *gen(const char *spec)
{
	struct xtr_source *source = xtr_source__open_gen(spec);

	if (!source)
		fail_msg("'%s' refused: %s", spec, said);
	return source;
}

static void gen_checksums(void **state)
{
	static const char *const specs[] = {
		"udp,count=70k",
		"tcp,count=70k",
		"udp6,count=70k",
		"tcp6,count=70k",
		"icmp,count=70k",
		"icmp6,count=70k",
		"udp,count=5k,size=42-1514",
		"tcp,count=5k,size=54-1514",
		"udp6,count=5k,size=62-1514",
		"tcp6,count=5k,size=74-1514",
		"icmp,count=5k,size=42-1514",
		"icmp6,count=5k,size=62-1514",
		"udp,count=1k,size=43",
		"udp,count=20,size=73152",
		"udp6,count=20,size=65530-65700",
		"tcp,count=20,size=65540-65600",
		"udp,count=2k,vlan=100,size=64-80",
		"tcp6,count=2k,qinq=100:200,size=82-120",
		"udp,count=2k,dst=10.1.2.3,dport=53,src=192.0.2.0/24",
		"udp6,count=2k,dst=fd00::1,src=fd00:1::/64",
		"udp,count=2k,seed=0xffffffffffffffff",
	};
	static __u8 buf[BUF_SIZE];
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	struct xtr_source *source;
	size_t i;
	__u64 n;

	(void)state;
	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		source = gen(specs[i]);
		reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
		for (n = 0; xtr_reader__next(reader, &info, buf, sizeof(buf)) == 1; n++) {
			assert_int_equal(info.index, n);
			assert_int_equal(info.ts_ns, 1767225600000000000ULL + n * 1000);
			check_packet(buf, info.len);
		}
		xtr_reader__close(reader);
		assert_int_equal(stats_of(source).packets, n);
		xtr_source__close(source);
	}
}

static void gen_fields(void **state)
{
	struct xtr_source *source =
		gen("udp,count=10,qinq=5+6,dst=198.18.0.1,dport=53,sport=7,size=100,pps=1k");
	struct xtr_reader *reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
	struct xtr_packet_info info;
	__u8 buf[128];
	int i;

	(void)state;
	for (i = 0; i < 10; i++) {
		assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
		assert_memory_equal(buf + 12, "\x88\xa8\0\5\x81\0\0\6\x08\0\x45", 11);
		assert_int_equal(buf[0] & 3, 2); /* locally administered, no group */
		assert_int_equal(buf[6] & 3, 2);
		assert_memory_equal(buf + 22 + 16, "\xc6\x12\0\1", 4);
		assert_int_equal(be16(buf + 42), 7);
		assert_int_equal(be16(buf + 44), 53);
		assert_int_equal(be64(buf + 50), i);
		assert_int_equal(info.ts_ns, 1767225600000000000ULL + i * 1000000ULL);
	}
	xtr_reader__close(reader);
	xtr_source__close(source);
}

struct set {
	__u64 *hashes; /* one per packet of the set, by index */
	__u64 count;
};

static __u64 hash_packet(const __u8 *p, size_t len, __u64 ts)
{
	__u64 hash = 0xcbf29ce484222325ULL ^ ts;

	while (len--)
		hash = (hash ^ *p++) * 0x100000001b3ULL;
	return hash;
}

/* Reads one lane to its end into @set; indexes must grow and be new. */
static void read_lane(struct xtr_source *source, struct set *set, struct xtr_share *share)
{
	static __u8 buf[BUF_SIZE];
	struct xtr_packet_info info;
	struct xtr_reader *reader = xtr_reader__open(source, share);
	__s64 last = -1;
	int err;

	assert_non_null(reader);
	while ((err = xtr_reader__next(reader, &info, buf, sizeof(buf))) == 1) {
		assert_true((__s64)info.index > last);
		assert_true(info.index < set->count);
		last = info.index;
		assert_int_equal(set->hashes[info.index], 0);
		set->hashes[info.index] = hash_packet(buf, info.len + info.meta_len, info.ts_ns);
	}
	assert_int_equal(err, 0);
	xtr_reader__close(reader);
}

static void gen_lanes_make_the_same_set(void **state)
{
	static const char *const specs[] = {
		"udp,count=10000",
		"udp,count=10001,flows=7,meta=8",
		"udp6,count=5000,flows=1024",
		"tcp,count=9999,size=60-200,flows=100",
		"mix,count=20000,meta=16",
		"random,count=5000",
		"arp,count=3000",
		"udp,count=1",
		"udp,count=3000,src=10.0.0.0/24,dst=10.0.0.0/28,flows=900",
	};
	static const __u32 limits[][2] = { { 14, 73152 }, { 64, 128 }, { 14, 40 } };
	struct set whole, split;
	struct xtr_source_stats stats;
	struct xtr_source *source;
	struct xtr_share share;
	size_t i, l;
	__u32 lanes;
	int affinity;

	(void)state;
	whole.count = split.count = 20001;
	whole.hashes = calloc(whole.count, sizeof(__u64));
	split.hashes = calloc(split.count, sizeof(__u64));
	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		source = gen(specs[i]);
		for (l = 0; l < 3; l++) {
			memset(whole.hashes, 0, whole.count * sizeof(__u64));
			share = (struct xtr_share){ 0, 1, 0, limits[l][0], limits[l][1] };
			read_lane(source, &whole, &share);
			stats = stats_of(source);
			for (affinity = 0; affinity < 2; affinity++) {
				for (lanes = 2; lanes < 10; lanes += 3) {
					memset(split.hashes, 0, split.count * sizeof(__u64));
					share.lanes = lanes;
					share.affinity = affinity;
					for (share.lane = 0; share.lane < lanes; share.lane++) {
						read_lane(source, &split, &share);
						assert_memory_equal(
							&stats.packets, &source->stats.packets,
							sizeof(stats) -
								offsetof(struct xtr_source_stats,
									 packets));
					}
					assert_memory_equal(whole.hashes, split.hashes,
							    whole.count * sizeof(__u64));
				}
			}
		}
		xtr_source__close(source);
	}
	free(whole.hashes);
	free(split.hashes);
}

static int compare_u128(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

/* Low address bits and ports of @count packets, 16 bytes each, sorted. */
static __u8 *tuples(const char *spec, size_t count)
{
	struct xtr_source *source = gen(spec);
	struct xtr_reader *reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
	__u8 *all = calloc(count, 16);
	struct xtr_packet_info info;
	__u8 buf[128];
	size_t i;

	for (i = 0; i < count; i++) {
		bool v6;

		assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
		v6 = buf[12] == 0x86;
		memcpy(all + 16 * i, buf + (v6 ? 34 : 26), 4);
		memcpy(all + 16 * i + 4, buf + (v6 ? 50 : 30), 4);
		memcpy(all + 16 * i + 8, buf + (v6 ? 54 : 34), 4);
	}
	xtr_reader__close(reader);
	xtr_source__close(source);
	qsort(all, count, 16, compare_u128);
	return all;
}

static size_t count_distinct(const char *spec, size_t count)
{
	__u8 *all = tuples(spec, count);
	size_t i, n = 1;

	for (i = 1; i < count; i++)
		n += memcmp(all + 16 * i, all + 16 * (i - 1), 16) != 0;
	free(all);
	return n;
}

static void gen_flows_are_distinct(void **state)
{
	(void)state;
	assert_int_equal(count_distinct("udp,count=1M", 1000000), 1000000);
	assert_int_equal(count_distinct("tcp6,count=300k,seed=99", 300000), 300000);
	assert_int_equal(count_distinct("udp,count=100k,flows=1234", 100000), 1234);
	assert_int_equal(count_distinct("udp,count=65536,src=10.0.0.1,dst=10.0.0.2,sport=1", 65536),
			 16384);
	assert_int_equal(
		count_distinct("udp,count=1k,src=10.0.0.0/31,dst=10.0.0.2,sport=1,dport=2", 1000),
		2);
	assert_int_equal(count_distinct("udp,count=9,src=10.0.0.1,dst=10.0.0.2,sport=1,dport=2", 9),
			 1);
	assert_int_equal(count_distinct("udp,count=50k,src=10.0.0.0/8,dst=11.0.0.0/8", 50000),
			 50000);
}

static void gen_seeds_differ(void **state)
{
	__u8 *a = tuples("udp,count=1000,seed=1", 1000);
	__u8 *b = tuples("udp,count=1000,seed=2", 1000);
	__u8 *c = tuples("udp,count=1000", 1000);

	(void)state;
	assert_memory_not_equal(a, b, 16000);
	assert_memory_equal(a, c, 16000);
	free(a);
	free(b);
	free(c);
}

static void gen_sizes_and_limits(void **state)
{
	struct xtr_source *source = gen("udp,count=10000,size=60-69,meta=252");
	struct xtr_packet_info info;
	struct xtr_source_stats stats;
	struct xtr_reader *reader;
	__u32 seen[128] = { 0 }, i;
	__u8 buf[512], copy[512];

	(void)state;
	reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
	while (xtr_reader__next(reader, &info, buf, sizeof(buf)) == 1) {
		assert_in_range(info.len, 60, 69);
		assert_int_equal(info.meta_len, 252);
		seen[info.len]++;
	}
	for (i = 60; i < 70; i++)
		assert_in_range(seen[i], 800, 1200);
	xtr_reader__close(reader);

	reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, 62, 65);
	while (xtr_reader__next(reader, &info, buf, sizeof(buf)) == 1) {
		assert_in_range(info.len, 62, 65);
		check_packet(buf + 252, info.len);
	}
	xtr_reader__close(reader);
	stats = stats_of(source);
	assert_int_equal(stats.undersized, seen[60] + seen[61]);
	assert_int_equal(stats.oversized, seen[66] + seen[67] + seen[68] + seen[69]);
	assert_int_equal(stats.packets, 10000 - stats.undersized - stats.oversized);
	assert_true(stats.first_undersized && stats.first_oversized);

	/* A packet that did not fit is the next one, whatever is tried in between. */
	reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, 65, 66);
	assert_int_equal(xtr_reader__next(reader, &info, buf, 252 + 64), -ENOSPC);
	assert_int_equal(xtr_reader__next(reader, &info, buf, 0), -ENOSPC);
	assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
	assert_int_equal(info.index, 0);
	xtr_reader__close(reader);
	xtr_source__close(source);

	source = gen("udp,count=3000");
	reader = open_lane(source, 1, 2, XTR_AFFINITY_FLOW, ALL_SIZES);
	assert_int_equal(xtr_reader__next(reader, &info, copy, 64), 1);
	assert_int_equal(info.index, 1);
	memset(buf, 0xee, sizeof(buf));
	assert_int_equal(xtr_reader__next(reader, &info, buf, 63), -ENOSPC);
	assert_int_equal(xtr_reader__next(reader, &info, buf, 64), 1);
	assert_int_equal(info.index, 3);
	assert_int_equal(buf[64], 0xee);
	assert_memory_not_equal(buf, copy, 64);
	xtr_reader__close(reader);
	xtr_source__close(source);
}

/* Skipping is arithmetic: the last lane of a huge set starts at once. */
static void gen_skips(void **state)
{
	struct xtr_source *source = gen("udp,count=2M,gap=0");
	struct xtr_reader *reader = open_lane(source, 1900, 1954, XTR_AFFINITY_NONE, ALL_SIZES);
	struct xtr_packet_info info;
	__u8 buf[64];
	int n = 0;

	(void)state;
	while (xtr_reader__next(reader, &info, buf, sizeof(buf)) == 1)
		assert_int_equal(info.index, 1900 * 1024 + n++);
	assert_int_equal(n, 1024);
	xtr_reader__close(reader);
	assert_int_equal(stats_of(source).packets, 2000000);
	xtr_source__close(source);
	source = gen("udp,count=1099511627776,gap=0,flows=1G");
	reader = open_lane(source, 7, 8, XTR_AFFINITY_FLOW, ALL_SIZES);
	assert_int_equal(xtr_reader__next(reader, &info, buf, sizeof(buf)), 1);
	assert_int_equal(info.index, 7);
	xtr_reader__close(reader);
	xtr_source__close(source);
}

/* With flow affinity no tuple shows up on two lanes, whichever way it goes. */
static void gen_flows_stay_on_a_lane(void **state)
{
	static const char *const specs[] = {
		"udp,count=20000,flows=500",
		"icmp6,count=5000,flows=300",
		"arp,count=5000,flows=100",
		"mix,count=20000,flows=50",
		"udp,count=20000,src=10.0.0.0/29,dst=10.0.0.0/29,sport=5,dport=5",
	};
	static __u8 buf[BUF_SIZE];
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	struct xtr_source *source;
	__u8 *owner = NULL;
	size_t i;
	__u32 lane, used;
	bool many;

	(void)state;
	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		/* who took which hash: open addressing, far from full */
		__u64 *hashes = calloc(1 << 16, sizeof(*hashes));

		owner = calloc(1 << 16, 1);
		source = gen(specs[i]);
		used = 0;
		for (lane = 0; lane < 3; lane++) {
			reader = open_lane(source, lane, 3, XTR_AFFINITY_FLOW, ALL_SIZES);
			many = false;
			while (xtr_reader__next(reader, &info, buf, sizeof(buf)) == 1) {
				__u32 hash = xtr_flow_hash(buf, info.len);
				__u32 slot = hash >> 16;

				while (owner[slot] && hashes[slot] != hash)
					slot = (slot + 1) & 0xffff;
				hashes[slot] = hash;
				assert_true(!owner[slot] || owner[slot] == lane + 1);
				owner[slot] = lane + 1;
				many = true;
			}
			used += many;
			xtr_reader__close(reader);
		}
		assert_int_equal(used, 3);
		xtr_source__close(source);
		free(hashes);
		free(owner);
	}
}

static void gen_mix_has_everything(void **state)
{
	enum { IPV4, IPV6, ARP, TAG, OTHER, BAD_VERSION, BAD_IHL, BAD_CSUM, FRAGMENT, EXT, KINDS };
	struct xtr_source *source = gen("mix,count=20000,size=64-256");
	struct xtr_reader *reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
	__u32 seen[KINDS] = { 0 }, i;
	struct xtr_packet_info info;
	__u8 buf[256], *ip;
	__u16 type;

	(void)state;
	while (xtr_reader__next(reader, &info, buf, sizeof(buf)) == 1) {
		assert_in_range(info.len, 64, 256);
		type = be16(buf + 12);
		ip = buf + 14;
		seen[TAG] += type == 0x8100 || type == 0x88a8;
		seen[ARP] += type == 0x0806;
		seen[OTHER] += type != 0x8100 && type != 0x88a8 && type != 0x0806 &&
			       type != 0x0800 && type != 0x86dd;
		if (type == 0x0800) {
			seen[IPV4]++;
			seen[BAD_VERSION] += ip[0] >> 4 != 4;
			seen[BAD_IHL] += (ip[0] & 15) < 5;
			seen[BAD_CSUM] += ip[0] == 0x45 && sum_bytes(0, ip, 20) != 0xffff;
			seen[FRAGMENT] += ip[0] == 0x45 && (be16(ip + 6) & 0x3fff) != 0;
		} else if (type == 0x86dd) {
			seen[IPV6]++;
			seen[EXT] += ip[6] == 0 && ip[40] == 60 && ip[48] != 0;
		}
	}
	for (i = 0; i < KINDS; i++)
		assert_true(seen[i] > 20);
	xtr_reader__close(reader);
	xtr_source__close(source);
}

static void gen_bad_specs(void **state)
{
	static const struct {
		const char *spec, *words;
	} bad[] = {
		{ "", "start with one of udp" },
		{ "count=5", "start with one of udp" },
		{ "UDP", "start with one of udp" },
		{ "sctp,count=5", "'sctp'" },
		{ "udp,", "no option ''" },
		{ "udp,,count=5", "no option ''" },
		{ "udp,cuont=5", "no option 'cuont'; options are count" },
		{ "udp,count", "count=; count takes" },
		{ "udp,count=", "count=; count takes" },
		{ "udp,count=12abc", "count=12abc" },
		{ "udp,count=0", "count=0" },
		{ "udp,count=-1", "count=-1" },
		{ "udp,count=+1", "count=+1" },
		{ "udp,count= 1", "count= 1" },
		{ "udp,count=1kk", "count=1kk" },
		{ "udp,count=2000G", "count=2000G" },
		{ "udp,count=99999999999999999999", "count=99999999999999999999" },
		{ "udp,count=18446744073709551615k", "from 1 to 2^40" },
		{ "udp,count=5,count=6", "count is given twice" },
		{ "udp,seed=0x", "seed=0x" },
		{ "udp,size=13", "14 to 73152" },
		{ "udp,size=73153", "14 to 73152" },
		{ "udp,size=100-64", "MIN-MAX" },
		{ "udp,size=64-", "MIN-MAX" },
		{ "udp,size=-64", "MIN-MAX" },
		{ "udp,size=41", "size=42 or more" },
		{ "tcp6,size=64", "size=74 or more" },
		{ "tcp6,qinq=1:2,size=81", "size=82 or more" },
		{ "udp,meta=3", "multiple of 4" },
		{ "udp,meta=256", "multiple of 4" },
		{ "udp,vlan=4096", "0 to 4095" },
		{ "udp,qinq=5", "OUTER:INNER" },
		{ "udp,vlan=5,qinq=5:6", "exclude each other" },
		{ "udp,gap=5,pps=6", "exclude each other" },
		{ "udp,src=1.2.3", "src=1.2.3" },
		{ "udp,src=1.2.3.4/33", "src=1.2.3.4/33" },
		{ "udp,dst=1.2.3.4/", "dst=1.2.3.4/" },
		{ "udp,src=2001:db8::1", "IPv6 address" },
		{ "udp6,dst=1.2.3.4", "IPv4 address" },
		{ "udp,sport=65536", "0 to 65535" },
		{ "icmp,dport=5", "icmp packets have no dport" },
		{ "random,flows=5", "random packets have no flows" },
		{ "random,vlan=5", "random packets have no vlan" },
		{ "udp,pps=0", "pps=0" },
		{ "udp,count=1000G,gap=1G", "200" },
		{ "udp,flows=3,src=1.1.1.0/31,dst=2.2.2.2,sport=1,dport=2", "make 2" },
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setup(state);
		errno = 0;
		assert_null(xtr_source__open_gen(bad[i].spec));
		assert_int_equal(errno, EINVAL);
		assert_said(bad[i].words);
	}
}

static void reader_bad_share(void **state)
{
	struct xtr_share share = { .lane = 2, .lanes = 2, .max_len = 1500 };
	struct xtr_source *source = gen("udp,count=1");

	(void)state;
	assert_null(xtr_reader__open(source, &share));
	assert_int_equal(errno, EINVAL);
	share.lanes = 0;
	assert_null(xtr_reader__open(source, &share));
	xtr_source__close(source);
	xtr_source__close(NULL);
	xtr_reader__close(NULL);
}

/* ---- flow hash --------------------------------------------------------- */

static void swap_bytes(__u8 *a, __u8 *b, size_t len)
{
	__u8 tmp;

	for (; len; len--, a++, b++) {
		tmp = *a;
		*a = *b;
		*b = tmp;
	}
}

static void flow_hash_is_symmetric(void **state)
{
	static const char *const specs[] = { "udp,count=100", "tcp6,count=100", "icmp,count=100",
					     "udp,count=100,vlan=7", "tcp6,count=100,qinq=7:8" };
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	struct xtr_source *source;
	__u8 buf[128];
	__u32 hash, last;
	size_t i, l3, addr, l4, alen;
	int equal;

	(void)state;
	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		source = gen(specs[i]);
		reader = open_lane(source, 0, 1, XTR_AFFINITY_NONE, ALL_SIZES);
		last = 0;
		equal = 0;
		while (xtr_reader__next(reader, &info, buf, sizeof(buf)) == 1) {
			hash = xtr_flow_hash(buf, info.len);
			equal += hash == last;
			last = hash;
			l3 = skip_tags(buf);
			alen = buf[l3] >> 4 == 6 ? 16 : 4;
			addr = l3 + (alen == 16 ? 8 : 12);
			l4 = addr + 2 * alen;
			swap_bytes(buf, buf + 6, 6);
			swap_bytes(buf + addr, buf + addr + alen, alen);
			if (i != 2)
				swap_bytes(buf + l4, buf + l4 + 2, 2);
			assert_int_equal(xtr_flow_hash(buf, info.len), hash);
			buf[info.len - 1] ^= 1; /* payload is not part of it */
			assert_int_equal(xtr_flow_hash(buf, info.len), hash);
			buf[addr + alen - 1] ^= 1;
			assert_int_not_equal(xtr_flow_hash(buf, info.len), hash);
		}
		assert_true(equal < 3);
		xtr_reader__close(reader);
		xtr_source__close(source);
	}
}

static void flow_hash_fragments_and_extensions(void **state)
{
	__u8 a[14 + 40 + 32 + 8] = { [12] = 0x08, [14] = 0x45, [23] = 17, [26] = 10, [30] = 11 };
	__u8 b[sizeof(a)];
	size_t i;

	(void)state;
	/* the ports of a later fragment are payload */
	a[20] = 0x20;
	a[21] = 0x10;
	memcpy(b, a, sizeof(a));
	b[34] = 9;
	assert_int_equal(xtr_flow_hash(a, sizeof(a)), xtr_flow_hash(b, sizeof(a)));
	a[21] = b[21] = 0;
	assert_int_not_equal(xtr_flow_hash(a, sizeof(a)), xtr_flow_hash(b, sizeof(a)));

	/* UDP, directly and behind two extension headers: one flow */
	memset(a, 0, sizeof(a));
	a[12] = 0x86;
	a[13] = 0xdd;
	a[14] = 0x60;
	a[20] = 17;
	a[22] = 1;
	a[54] = 0x12;
	memcpy(b, a, sizeof(a));
	b[20] = 0; /* hop-by-hop */
	b[54] = 60; /* then destination options */
	b[55] = 1; /* 16 bytes */
	b[70] = 17;
	b[78] = 0x12;
	assert_int_equal(xtr_flow_hash(a, sizeof(a)), xtr_flow_hash(b, sizeof(a)));
	b[78] = 0x13;
	assert_int_not_equal(xtr_flow_hash(a, sizeof(a)), xtr_flow_hash(b, sizeof(a)));

	/* a later fragment */
	b[70] = 17;
	b[54] = 44;
	b[55] = 0;
	b[20] = 0;
	b[62] = 17;
	b[65] = 8;
	memcpy(a, b, sizeof(a));
	a[70] ^= 0xff;
	assert_int_equal(xtr_flow_hash(a, sizeof(a)), xtr_flow_hash(b, sizeof(a)));
	a[65] = b[65] = 1;
	assert_int_not_equal(xtr_flow_hash(a, sizeof(a)), xtr_flow_hash(b, sizeof(a)));

	/* whatever is cut off is not read (exact allocation, for ASan) */
	for (i = 0; i <= sizeof(a); i++) {
		__u8 *exact = malloc(i + 1);

		memcpy(exact + 1, b, i);
		xtr_flow_hash(exact + 1, i);
		free(exact);
	}
}

static int group_setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/xtr-test-source-XXXXXX");
	xtr_set_log(listen_log);
	return mkdtemp(dir) ? 0 : -1;
}

static int group_teardown(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return system(cmd);
}

#define TEST(fn) cmocka_unit_test_setup(fn, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pcap_byte_orders_and_precisions),
		TEST(pcapng_both_byte_orders),
		TEST(pcapng_mixed_link_types),
		TEST(pcap_link_types_refused_by_name),
		TEST(pcap_without_packets),
		TEST(pcap_not_a_capture),
		TEST(pcap_cut_in_a_packet),
		TEST(pcap_sizes_are_counted),
		TEST(pcap_replaced_file),
		TEST(pcap_from_stdin_and_fifo),
		TEST(packets_in_memory),
		TEST(stats_of_older_and_newer_callers),
		TEST(gen_checksums),
		TEST(gen_fields),
		TEST(gen_lanes_make_the_same_set),
		TEST(gen_flows_are_distinct),
		TEST(gen_seeds_differ),
		TEST(gen_sizes_and_limits),
		TEST(gen_skips),
		TEST(gen_flows_stay_on_a_lane),
		TEST(gen_mix_has_everything),
		TEST(gen_bad_specs),
		TEST(reader_bad_share),
		TEST(flow_hash_is_symmetric),
		TEST(flow_hash_fragments_and_extensions),
	};

	return cmocka_run_group_tests_name("source", tests, group_setup, group_teardown);
}

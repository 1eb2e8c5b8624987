// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The harness programs on packets of all lengths: their hash and ours agree. */
#include <unistd.h>
#include <bpf/bpf.h>

#include "harness.h"
#include "splice.h"
#include "unit.h"

static struct xtr_harness harness;
static __u8 packet[XTR_MAX_LINEAR];

static int open_harness(void **state)
{
	static const char *const progs[] = { "observe", "capture", NULL };
	const struct xtr_harness_opts opts = {};
	size_t i;

	(void)state;
	if (geteuid())
		return 0;
	xtr_set_log(unit_log);
	for (i = 0; i < sizeof(packet); i++)
		packet[i] = i * 31 + i / 256;
	return xtr_harness__open(&harness, &opts, progs);
}

static int close_harness(void **state)
{
	(void)state;
	if (harness.skel)
		xtr_harness__close(&harness);
	return 0;
}

/* Runs it over the packet's first @len bytes; the record is good until the next call. */
static const struct xtr_record *run(int prog_fd, __u32 len)
{
	static __u64 pos;
	const struct xtr_record *rec;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = len);

	assert_int_equal(bpf_prog_test_run_opts(prog_fd, &opts), 0);
	rec = xtr_harness__record(&harness, pos);
	assert_non_null(rec);
	pos += rec->size;
	assert_null(xtr_harness__record(&harness, pos));
	xtr_harness__release(&harness, pos);
	return rec;
}

static void check(int prog_fd, __u16 port, __u32 len)
{
	const struct xtr_record *rec = run(prog_fd, len);

	assert_int_equal(rec->port, port);
	assert_int_equal(rec->in_len, len);
	assert_int_equal(rec->len, len);
	assert_int_equal(rec->meta_len, 0);
	assert_int_equal(rec->size, XTR_ALIGN(sizeof(*rec) + len));
	if (rec->in_hash != xtr_hash(packet, len))
		fail_msg("%u bytes: %llx and %llx", len, rec->in_hash, xtr_hash(packet, len));
	assert_memory_equal(rec->data, packet, len);
}

static void observer_agrees(void **state)
{
	struct xtr_target *target;
	__u32 len;
	int fd;

	(void)state;
	need_root();
	target = must_load("xdp_pass", NULL);
	fd = xtr_splice(harness.skel->progs.observe, target);
	assert_true(fd >= 0);
	for (len = XTR_MIN_LEN; len <= XTR_MAX_LINEAR; len++)
		check(fd, XTR_PORT_TARGET, len);
	assert_int_equal(harness.ctl->overflow, 0);
	close(fd);
	xtr_target__close(target);
}

static void capture_agrees(void **state)
{
	__u32 len;

	(void)state;
	need_root();
	/* A test run's packets come from lo. */
	harness.skel->bss->ports[1] = XTR_PORT_SINK + 3;
	for (len = XTR_MIN_LEN; len <= XTR_MAX_LINEAR; len++)
		check(bpf_program__fd(harness.skel->progs.capture), XTR_PORT_SINK + 3, len);
	assert_int_equal(harness.ctl->overflow, 0);
}

/* Each bit of what a veth takes makes a difference. */
static void hash_sees_each_bit(void **state)
{
	static const __u32 lens[] = { 14, 60, 64, 65, 1514, 1518 };
	__u64 hash;
	size_t i;
	__u32 bit;

	(void)state;
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		hash = xtr_hash(packet, lens[i]);
		for (bit = 0; bit < lens[i] * 8; bit++) {
			packet[bit / 8] ^= 1 << bit % 8;
			assert_true(xtr_hash(packet, lens[i]) != hash);
			packet[bit / 8] ^= 1 << bit % 8;
		}
		assert_true(xtr_hash(packet, lens[i]) == hash);
		assert_true(xtr_hash(packet, lens[i] + 1) != hash);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(observer_agrees),
		test(capture_agrees),
		test(hash_sees_each_bit),
	};

	return cmocka_run_group_tests(tests, open_harness, close_harness);
}

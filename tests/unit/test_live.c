// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the kernel's live frames take and tell: the injector stays within the
 * limits, and takes no verdict from there.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "kernel.h"
#include "netns.h"
#include "ring.h"
#include "unit.h"

static struct xtr_target *drop;

static int setup_group(void **state)
{
	if (geteuid())
		return 0;
	setup(state);
	drop = must_load("xdp_drop", NULL);
	return 0;
}

static int teardown_group(void **state)
{
	(void)state;
	xtr_target__close(drop);
	return 0;
}

/* Returns what the kernel does; *@retval is what it tells of the program. */
static int run(__u32 flags, __u32 len, __u32 repeat, __u32 batch_size, __u32 *retval)
{
	static __u8 frame[XTR_MAX_LINEAR];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .repeat = repeat, .batch_size = batch_size, .flags = flags);
	int err = bpf_prog_test_run_opts(xtr_target__fd(drop), &opts);

	if (retval)
		*retval = opts.retval;
	return err;
}

static int run_live(__u32 len, __u32 repeat, __u32 batch_size)
{
	return run(BPF_F_TEST_XDP_LIVE_FRAMES, len, repeat, batch_size, NULL);
}

static void need_live(void)
{
	if (!xtr_kernel__has_live_frames()) {
		print_message("this kernel refuses live frames\n");
		skip();
	}
}

/* The limit depends on the kernel: 3368 bytes on some, 3408 on others. */
static void takes_the_longest_frame(void **state)
{
	__u32 fits = XTR_NETNS_MAX_IN + 1, too_long = XTR_MAX_LINEAR + 1, len;

	(void)state;
	need_root();
	need_live();
	assert_int_equal(run_live(fits, 1, 1), 0);
	while (too_long - fits > 1) {
		len = (fits + too_long) / 2;
		if (run_live(len, 1, 1))
			too_long = len;
		else
			fits = len;
	}
	print_message("# live frames have up to %u bytes\n", fits);
	assert_in_range(fits, 3300, 3500);
	assert_int_equal(run_live(too_long, 1, 1), -EINVAL);
}

static void takes_256_at_once(void **state)
{
	(void)state;
	need_root();
	need_live();
	assert_int_equal(run_live(64, 1000, 256), 0);
	assert_int_equal(run_live(64, 1000, 257), -E2BIG);
	assert_int_equal(run(0, 64, 1, 64, NULL), -EINVAL);
}

/* A plain run says XDP_DROP, the same program on live frames 0. */
static void tells_no_verdict(void **state)
{
	__u32 retval = 77;

	(void)state;
	need_root();
	need_live();
	assert_int_equal(run(0, 64, 1, 0, &retval), 0);
	assert_int_equal(retval, XDP_DROP);
	retval = 77;
	assert_int_equal(run(BPF_F_TEST_XDP_LIVE_FRAMES, 64, 1, 1, &retval), 0);
	assert_int_equal(retval, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(takes_the_longest_frame),
		test(takes_256_at_once),
		test(tells_no_verdict),
	};

	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}

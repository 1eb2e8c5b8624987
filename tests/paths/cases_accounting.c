// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What goes in comes out, and nothing else does. */
#include <string.h>

#include "case.h"
#include "tally.h"

/* A million packets a lane on two lanes; smaller numbers on more lanes and the slow path. */
static enum test_status million(struct env *env)
{
	struct tally tally = {
		.spec = "udp,size=64",
		.verdict = *(const __u32 *)env->tc->data,
		.unordered = true,
	};
	__u32 packets = 1000000;

	if (on_call(env->v) || env->v->lanes > 2)
		packets = 100000;
	if (env->v->bare)
		packets = 2000;
	tally.packets = (__u64)scaled(env, packets) * env->v->lanes;
	return run_tally(env, &tally);
}

/*
 * Nobody sends for five seconds: whatever arrives then is foreign. A device with
 * IPv6 solicits routers once it is up, and again four seconds later.
 */
static enum test_status idle(struct env *env)
{
	struct tally tally = {
		.spec = "udp,size=64",
		.packets = 3000 * env->v->lanes,
		.verdict = XDP_DROP,
		.unordered = true,
		.sleep_ms = 5000,
	};

	return run_tally(env, &tally);
}

/* As many frames as a system call takes (32), one less, one more; and odd numbers. */
static enum test_status few(struct env *env)
{
	static const __u32 counts[] = { 1,   2,	  31,  32,   33,   63,	 179,
					255, 256, 257, 1023, 1024, 1025, 2000 };
	enum test_status status = TEST_PASS;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts) && !status; i++) {
		struct tally tally = {
			.spec = "udp,size=60-1514",
			.packets = counts[i],
			.verdict = XDP_TX,
			.unordered = true,
		};

		/* Eight lanes take a while to make and to take down. */
		if (env->v->lanes == 8 && i % 4)
			continue;
		status = run_tally(env, &tally);
	}
	return status;
}

/* Many identical frames: the order alone tells them apart. */
static void build_twins(struct packet_set *set)
{
	int i;

	for (i = 0; i < 5000; i++)
		memcpy(set_add(set, NULL, 64, NULL, 0), "same to all", 11);
}

#define VERDICT(v) (&(const __u32){ v })

const struct test_case cases_accounting[] = {
	{ .name = "million-drop",
	  .object = "xdp_drop",
	  .program = "xdp_drop",
	  .run = million,
	  .data = VERDICT(XDP_DROP),
	  .flags = CASE_ALONE },
	{ .name = "million-tx",
	  .object = "xdp_tx",
	  .program = "xdp_tx",
	  .run = million,
	  .data = VERDICT(XDP_TX),
	  .flags = CASE_ALONE },
	{ .name = "idle",
	  .object = "xdp_drop",
	  .program = "xdp_drop",
	  .run = idle,
	  .flags = CASE_VETH_ONLY,
	  .reason = "only a veth can be idle" },
	{ .name = "few", .object = "xdp_tx", .program = "xdp_tx", .run = few },
	{ .name = "twins",
	  .object = "xdp_tx",
	  .program = "xdp_tx",
	  .build = build_twins,
	  .model = reflect },
};
CASES(accounting);

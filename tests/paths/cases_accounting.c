// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What goes in comes out, and nothing else does. */
#include <string.h>
#include <unistd.h>

#include "case.h"

struct tally {
	__u64 outcomes;
	__u64 lost;
	__u64 odd; /* verdicts or lengths that are not the expected ones */
	__u32 verdict;
	__u32 sleep_ms; /* in the first call */
	int slept;
};

static int count_outcomes(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	struct tally *tally = ctx;
	__u64 lost = 0, odd = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		lost += !!(outcomes[i].flags & XTR_OUTCOME_LOST);
		odd += outcomes[i].verdict != tally->verdict;
		if (!(outcomes[i].flags & XTR_OUTCOME_NO_DATA))
			odd += outcomes[i].len != outcomes[i].in_len;
	}
	__atomic_add_fetch(&tally->outcomes, count, __ATOMIC_RELAXED);
	__atomic_add_fetch(&tally->lost, lost, __ATOMIC_RELAXED);
	__atomic_add_fetch(&tally->odd, odd, __ATOMIC_RELAXED);
	if (tally->sleep_ms && !__atomic_exchange_n(&tally->slept, 1, __ATOMIC_RELAXED))
		usleep(tally->sleep_ms * 1000);
	return 0;
}

static bool accounts(struct env *env, const struct tally *tally, const struct xtr_result *result,
		     __u64 packets)
{
	if (result->packets == packets && result->observed == packets && !result->lost &&
	    !result->foreign && tally->outcomes == packets && !tally->lost && !tally->odd)
		return true;
	mistake(env,
		"%llu packets: %llu injected, %llu observed, %llu lost, %llu foreign, %llu sent "
		"again; %llu outcomes, %llu lost, %llu odd",
		(unsigned long long)packets, (unsigned long long)result->packets,
		(unsigned long long)result->observed, (unsigned long long)result->lost,
		(unsigned long long)result->foreign, (unsigned long long)result->resent,
		(unsigned long long)tally->outcomes, (unsigned long long)tally->lost,
		(unsigned long long)tally->odd);
	return false;
}

static enum test_status count_run(struct env *env, struct tally *tally, const char *kind,
				  __u64 packets)
{
	struct xtr_result result = { .sz = sizeof(result) };
	enum test_status status = open_target(env);
	struct xtr_source *source = NULL;
	struct xtr_run_opts opts;
	char spec[128];
	int err;

	if (status)
		goto out;
	status = TEST_FAIL;
	snprintf(spec, sizeof(spec), "%s,count=%llu", kind, (unsigned long long)packets);
	source = xtr_source__open_gen(spec);
	if (!source)
		goto out;
	variant_opts(env, &opts);
	opts.ordered = false;
	opts.outcomes = count_outcomes;
	opts.ctx = tally;
	err = xtr_run(env->target, source, &opts, &result);
	if (err)
		mistake(env, "xtr_run() failed: %d", err);
	else if (accounts(env, tally, &result, packets))
		status = TEST_PASS;
out:
	xtr_source__close(source);
	close_target(env);
	return status;
}

/* A million packets a lane on two lanes; smaller numbers on more lanes and the slow path. */
static enum test_status million(struct env *env)
{
	struct tally tally = { .verdict = *(const __u32 *)env->tc->data };
	__u32 packets = 1000000;

	if (on_call(env->v) || env->v->lanes > 2)
		packets = 100000;
	if (env->v->bare)
		packets = 2000;
	return count_run(env, &tally, "udp,size=64", (__u64)scaled(env, packets) * env->v->lanes);
}

/*
 * Nobody sends for five seconds: whatever arrives then is foreign. A device with
 * IPv6 solicits routers once it is up, and again four seconds later.
 */
static enum test_status idle(struct env *env)
{
	struct tally tally = { .verdict = XDP_DROP, .sleep_ms = 5000 };

	if (env->v->lanes > 2)
		return skip(env, "one and two lanes say it all");
	return count_run(env, &tally, "udp,size=64", 3000 * env->v->lanes);
}

/* As many frames as a system call takes (32), one less, one more; and odd numbers. */
static enum test_status few(struct env *env)
{
	static const __u32 counts[] = { 1,   2,	  31,  32,   33,   63,	 179,
					255, 256, 257, 1023, 1024, 1025, 2000 };
	enum test_status status = TEST_PASS;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts) && !status; i++) {
		struct tally tally = { .verdict = XDP_TX };

		/* Eight lanes take a while to make and to take down. */
		if (env->v->lanes == 8 && i % 4)
			continue;

		status = count_run(env, &tally, "udp,size=60-1514", counts[i]);
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

static __u32 swap_macs(const struct env *env, struct pkt *pkt)
{
	__u8 tmp[6], *p = pkt_data(pkt);

	(void)env;
	memcpy(tmp, p, 6);
	memcpy(p, p + 6, 6);
	memcpy(p + 6, tmp, 6);
	return XDP_TX;
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
	  .model = swap_macs },
};
CASES(accounting);

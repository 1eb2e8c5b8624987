// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tally.h"

/* The run's side of it: lanes tell from threads of their own. */
struct count {
	struct tally *tally;
	bool returns; /* what is transmitted comes back */
};

static bool is_odd(const struct count *count, const struct xtr_outcome *out)
{
	bool returned = out->flags & XTR_OUTCOME_RETURNED;

	return out->verdict != count->tally->verdict ||
	       (!(out->flags & XTR_OUTCOME_NO_DATA) && out->len != out->in_len) ||
	       (count->returns && out->verdict == XDP_TX && !returned);
}

static int tell(void *ctx, const struct xtr_outcome *outcomes, size_t n)
{
	const struct count *count = ctx;
	struct tally *tally = count->tally;
	__u64 lost = 0, returned = 0, odd = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct xtr_outcome *out = &outcomes[i];

		if (out->flags & XTR_OUTCOME_LOST) {
			lost++;
			continue;
		}
		returned += !!(out->flags & XTR_OUTCOME_RETURNED);
		odd += is_odd(count, out);
	}
	__atomic_add_fetch(&tally->told, n, __ATOMIC_RELAXED);
	__atomic_add_fetch(&tally->lost, lost, __ATOMIC_RELAXED);
	__atomic_add_fetch(&tally->returned, returned, __ATOMIC_RELAXED);
	__atomic_add_fetch(&tally->odd, odd, __ATOMIC_RELAXED);
	if (tally->sleep_ms && !__atomic_exchange_n(&tally->slept, 1, __ATOMIC_RELAXED))
		usleep(tally->sleep_ms * 1000);
	return 0;
}

static bool adds_up(struct env *env, const struct tally *tally)
{
	const struct xtr_result *result = &tally->result;

	if (result->packets == tally->packets && tally->told == tally->packets && !tally->odd &&
	    result->observed + result->lost == tally->packets && tally->lost == result->lost &&
	    (tally->may_lose || !result->lost) && !result->foreign)
		return true;
	mistake(env,
		"%llu packets: %llu injected, %llu observed, %llu lost, %llu foreign, %llu sent "
		"again; told %llu, of these %llu lost, %llu odd",
		(unsigned long long)tally->packets, (unsigned long long)result->packets,
		(unsigned long long)result->observed, (unsigned long long)result->lost,
		(unsigned long long)result->foreign, (unsigned long long)result->resent,
		(unsigned long long)tally->told, (unsigned long long)tally->lost,
		(unsigned long long)tally->odd);
	return false;
}

static enum test_status run(struct env *env, struct tally *tally, struct xtr_source *source)
{
	struct count count = {
		.tally = tally,
		.returns = on_veth(env->v) && !tally->may_not_return,
	};
	struct xtr_run_opts opts;
	int err;

	variant_opts(env, &opts);
	if (tally->unordered)
		opts.ordered = false;
	opts.outcomes = tell;
	opts.ctx = &count;
	opts.ready = tally->ready;
	err = xtr_run(env->target, source, &opts, &tally->result);
	if (err) {
		mistake(env, "xtr_run() failed: %s", strerror(-err));
		return TEST_FAIL;
	}
	return adds_up(env, tally) ? TEST_PASS : TEST_FAIL;
}

enum test_status run_tally(struct env *env, struct tally *tally)
{
	enum test_status status = open_target(env);
	struct xtr_source *source = NULL;
	char spec[128];

	tally->result = (struct xtr_result){ .sz = sizeof(tally->result) };
	if (!status) {
		snprintf(spec, sizeof(spec), "%s,count=%llu", tally->spec,
			 (unsigned long long)tally->packets);
		source = xtr_source__open_gen(spec);
		status = source ? run(env, tally, source) : TEST_FAIL;
	}
	xtr_source__close(source);
	close_target(env);
	return status;
}

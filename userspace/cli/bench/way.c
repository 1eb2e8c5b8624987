// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The ways that bench compares: paths, and on veth the injector. */
#include "bench.h"

const struct bench_way_info bench_ways[BENCH_WAYS] = {
	[BENCH_CALL] = { "call", "call", "call", NULL },
	[BENCH_BATCH] = { "batch", "batch", "batch", NULL },
	[BENCH_VETH_AFXDP] = { "veth (afxdp)", "veth-afxdp", "veth", "afxdp" },
	[BENCH_VETH_LIVE] = { "veth (live)", "veth-live", "veth", "live" },
};

void bench_way__set(enum bench_way way, const struct bench_args *args, struct xtr_run_opts *opts)
{
	opts->path = bench_ways[way].path;
	opts->inject = way == BENCH_VETH_LIVE ? XTR_INJECT_LIVE : XTR_INJECT_AFXDP;
	opts->no_hold = args->no_hold;
}

double bench_group__mpps(const struct bench_group *group)
{
	double seconds = 0, packets = 0;

	for (int i = 0; i < BENCH_SIZES; i++) {
		if (group->alone[i].state != BENCH_GOOD)
			continue;
		packets += group->alone[i].result.observed;
		seconds += group->alone[i].result.seconds;
	}
	return seconds > 0 ? packets / seconds / 1e6 : 0;
}

double bench_least_slowdown(const struct bench *b)
{
	return b->args.threads > b->cpus ? (double)b->args.threads / b->cpus : 1;
}

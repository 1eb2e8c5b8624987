// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* One sentence out of what was measured. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

__attribute__((format(printf, 2, 3))) static void say(struct bench *b, const char *fmt, ...)
{
	size_t used = strlen(b->recommendation);
	va_list args;

	va_start(args, fmt);
	vsnprintf(b->recommendation + used, sizeof(b->recommendation) - used, fmt, args);
	va_end(args);
}

static double rate(const struct bench *b, enum bench_way way)
{
	return bench_group__mpps(&b->groups[way]);
}

/* What few packets are outweighed by; about the same for each size. */
static double set_up(const struct bench *b, enum bench_way way)
{
	return b->groups[way].alone[0].result.setup_seconds;
}

static int fastest(const struct bench *b, enum bench_way from, enum bench_way to)
{
	int best = -1;

	for (int way = from; way <= (int)to; way++)
		if (rate(b, way) > (best < 0 ? 0 : rate(b, best)))
			best = way;
	return best;
}

static void advise_test_run(struct bench *b, int best)
{
	int other = best == BENCH_BATCH ? BENCH_CALL : BENCH_BATCH;
	double than = rate(b, other);

	say(b, "use %s for correctness tests and for throughput alike: %.2f million packets/s",
	    bench_ways[best].label, rate(b, best));
	if (than)
		say(b, ", %.1f times %s, with the same verdicts and bytes", rate(b, best) / than,
		    bench_ways[other].label);
}

static void advise_veth(struct bench *b, int best, bool only)
{
	int other = best == BENCH_VETH_LIVE ? BENCH_VETH_AFXDP : BENCH_VETH_LIVE;
	double than = rate(b, other);

	say(b,
	    only ? "use %s: %.2f million packets/s, after %.2f s of set-up"
		 : "; take %s (%.2f million packets/s, after %.2f s of set-up) where a test needs "
		   "a real device, as redirects, transmits and driver limits do",
	    bench_ways[best].label, rate(b, best), set_up(b, best));
	if (than)
		say(b, ", which is %.1f times %s", rate(b, best) / than, bench_ways[other].label);
}

static enum bench_state worst_state(const struct bench_group *group)
{
	enum bench_state state = BENCH_GOOD;

	for (int i = 0; group->wanted && i < BENCH_SIZES; i++)
		if (group->alone[i].state > state)
			state = group->alone[i].state;
	return state;
}

/* Ways that were asked for and gave nothing to go by. */
static void advise_against(struct bench *b, enum bench_state state, const char *what)
{
	const char *before = what;

	for (int way = 0; way < BENCH_WAYS; way++) {
		if (worst_state(&b->groups[way]) != state)
			continue;
		say(b, "%s%s", before, bench_ways[way].label);
		before = ", ";
	}
}

/* Without hold, one thread: what a user of repeat pays here. */
static void advise_dispatcher(struct bench *b)
{
	const struct bench_dispatcher *row = &b->dispatcher[0];

	if (!row->calls)
		return;
	if (row->call_seconds > 100e-6)
		say(b,
		    "; never repeat a program that is not held: a call takes %.1f ms on this "
		    "kernel",
		    row->call_seconds * 1e3);
	else
		say(b, "; repeated runs are cheap on this kernel, held or not (%.1f us a call)",
		    row->call_seconds * 1e6);
}

void bench_advice__write(struct bench *b)
{
	int in_kernel = fastest(b, BENCH_CALL, BENCH_BATCH);
	int veth = fastest(b, BENCH_VETH_AFXDP, BENCH_VETH_LIVE);

	if (in_kernel < 0 && veth < 0) {
		say(b, "none, as no path gave figures that can be trusted.");
		return;
	}
	if (in_kernel >= 0)
		advise_test_run(b, in_kernel);
	if (veth >= 0)
		advise_veth(b, veth, in_kernel < 0);
	advise_against(b, BENCH_WRONG, "; do not trust, as packets were lost or changed: ");
	advise_against(b, BENCH_IMPOSSIBLE, "; not possible here: ");
	advise_dispatcher(b);
	say(b, ".");
}

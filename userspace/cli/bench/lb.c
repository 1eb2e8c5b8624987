// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The experiment of the 2021 report: as many packets, each of another flow, go
 * to a load balancer with 32, 64 and 128 endpoints; one run at a time, then
 * several at once, each in a thread of its own and with a program of its own.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"

#define CHECKED 10000 /* packets looked at one by one before the clock starts */
#define RUNS 5 /* of what is short: the median counts */
#define SHORT 0.5 /* seconds */

const __u32 bench_endpoints[BENCH_SIZES] = { 32, 64, 128 };

static struct xtr_source *open_source(__u32 packets)
{
	char spec[64];

	snprintf(spec, sizeof(spec), "udp,count=%u,seed=1,size=64", packets);
	return xtr_source__open_gen(spec);
}

/* ---- check: each packet's outcome against the call path's --------------- */

/* A hash of verdict, length and bytes for each packet. */
struct outcomes {
	__u32 cnt;
	__u64 hashes[CHECKED];
};

static __u64 hash_bytes(__u64 hash, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3;
	return hash;
}

static int note_outcomes(void *ctx, const struct xtr_outcome *outcomes, size_t cnt)
{
	struct outcomes *to = ctx;

	for (size_t i = 0; i < cnt; i++) {
		const struct xtr_outcome *o = &outcomes[i];
		__u64 hash = 0xcbf29ce484222325;

		if (o->index >= CHECKED || o->flags & XTR_OUTCOME_LOST)
			continue;
		hash = hash_bytes(hash, &o->verdict, sizeof(o->verdict));
		hash = hash_bytes(hash, &o->len, sizeof(o->len));
		to->hashes[o->index] = o->data ? hash_bytes(hash, o->data, o->len) : hash;
		to->cnt++;
	}
	return 0;
}

struct check {
	const struct bench *b;
	enum bench_way way;
	__u32 endpoints;
	__u32 packets;
	struct outcomes *outcomes;
	int err;
};

static void check_member(void *ctx, __u32 id, struct bench_meet *meet)
{
	struct check *check = ctx;
	struct xtr_run_opts opts = {
		.sz = sizeof(opts),
		.stop = check->b->stop,
		.outcomes = note_outcomes,
		.ctx = check->outcomes,
	};
	struct xtr_source *source = open_source(check->packets);
	struct bench_target t;

	(void)id;
	(void)meet;
	bench_way__set(check->way, &check->b->args, &opts);
	check->err = bench_target__open(&t, BENCH_LB, check->endpoints);
	if (!check->err && !source)
		check->err = -errno;
	if (!check->err)
		check->err = xtr_run(t.target, source, &opts, NULL);
	xtr_source__close(source);
	bench_target__close(&t);
}

static int run_check(struct check *check)
{
	int err = bench_team(1, false, check_member, check);

	return err ? err : check->err;
}

static void compare(struct bench_row *row, const struct outcomes *expected,
		    const struct outcomes *got)
{
	for (__u32 i = 0; i < CHECKED; i++) {
		if (expected->hashes[i] == got->hashes[i])
			continue;
		row->state = BENCH_WRONG;
		snprintf(row->reason, sizeof(row->reason),
			 "packet %u: verdict, length or bytes are not what call gives", i);
		return;
	}
}

static enum bench_state failure(int err)
{
	return err == -EINTR ? BENCH_NOT_RUN : BENCH_IMPOSSIBLE;
}

/* Leaves @row as it is if all is well. */
static void check_row(const struct bench *b, struct bench_row *row, struct outcomes *expected)
{
	struct outcomes *got = calloc(1, sizeof(*got));
	struct check check = { b, row->way, row->endpoints, b->args.packets, got, 0 };

	if (!got)
		return;
	if (check.packets > CHECKED)
		check.packets = CHECKED;
	cli_capture_errors(row->reason, BENCH_REASON);
	row->err = run_check(&check);
	cli_capture_errors(NULL, 0);
	if (row->err)
		row->state = failure(row->err);
	else if (expected->cnt)
		compare(row, expected, got);
	else if (row->way == BENCH_CALL)
		*expected = *got;
	free(got);
}

/* Where call is not asked for, it still says what is right. */
static void expect(const struct bench *b, __u32 endpoints, struct outcomes *expected)
{
	struct bench_row row = { .way = BENCH_CALL, .endpoints = endpoints };

	check_row(b, &row, expected);
}

/* ---- timed runs --------------------------------------------------------- */

struct timed {
	const struct bench *b;
	struct bench_row *rows;
	bool no_pin;
};

static double coefficient_of_variation(const __u64 *load, __u32 cnt)
{
	double sum = 0, squares = 0, mean;

	for (__u32 i = 0; i < cnt; i++)
		sum += load[i];
	mean = sum / cnt;
	for (__u32 i = 0; i < cnt; i++)
		squares += (load[i] - mean) * (load[i] - mean);
	return mean > 0 ? sqrt(squares / cnt) / mean : 0;
}

static int run_row(const struct timed *timed, struct bench_row *row, struct bench_target *t,
		   struct bench_meet *meet)
{
	struct xtr_run_opts opts = {
		.sz = sizeof(opts),
		.stop = timed->b->stop,
		.no_pin = timed->no_pin,
		.ready = bench_meet__wait,
		.ready_ctx = meet,
	};
	struct xtr_source *source = open_source(timed->b->args.packets);
	double begin = cli_now();
	int err;

	if (!source)
		return -errno;
	bench_way__set(row->way, &timed->b->args, &opts);
	row->result.sz = sizeof(row->result);
	err = bench_target__open(t, BENCH_LB, row->endpoints);
	begin = cli_now() - begin;
	if (!err)
		err = xtr_run(t->target, source, &opts, &row->result);
	row->result.setup_seconds += begin;
	xtr_source__close(source);
	return err;
}

static void timed_member(void *ctx, __u32 id, struct bench_meet *meet)
{
	const struct timed *timed = ctx;
	struct bench_row *row = &timed->rows[id];
	struct bench_target t = {};

	row->err = run_row(timed, row, &t, meet);
	if (!row->err)
		row->err = bench_target__load(&t, row->load, row->endpoints);
	row->state = row->err ? failure(row->err) : BENCH_GOOD;
	row->cov = coefficient_of_variation(row->load, row->endpoints);
	bench_target__close(&t);
}

/* The same packets give the same verdicts and the same load, whatever the way. */
static void judge(struct bench_row *row, const struct bench_row *reference)
{
	const struct xtr_result *result = &row->result;
	char *reason = row->reason;

	if (row->state != BENCH_GOOD)
		return;
	if (result->lost || result->foreign)
		snprintf(reason, BENCH_REASON, "%llu packets lost, %llu foreign ones counted",
			 (unsigned long long)result->lost, (unsigned long long)result->foreign);
	else if (memcmp(result->verdicts, reference->result.verdicts, sizeof(result->verdicts)))
		snprintf(reason, BENCH_REASON, "the verdicts differ from those of %s",
			 bench_ways[reference->way].label);
	else if (memcmp(row->load, reference->load, sizeof(row->load)))
		snprintf(reason, BENCH_REASON, "the endpoints' load differs from that of %s",
			 bench_ways[reference->way].label);
	else
		return;
	row->state = BENCH_WRONG;
}

/* The first good row with as many endpoints; perhaps @row itself. */
static const struct bench_row *reference(const struct bench *b, const struct bench_row *row)
{
	for (int way = 0; way < BENCH_WAYS; way++)
		for (int i = 0; i < BENCH_SIZES; i++) {
			const struct bench_row *other = &b->groups[way].alone[i];

			if (other->endpoints == row->endpoints && other->state == BENCH_GOOD)
				return other;
		}
	return row;
}

static void run_once(const struct bench *b, struct bench_row *rows, __u32 cnt)
{
	struct timed timed = { .b = b, .rows = rows };
	char reason[BENCH_REASON];
	bool crowded = cnt > b->cpus;

	/* More threads than CPUs: the scheduler is fairer than any fixed places. */
	timed.no_pin = crowded && (rows->way == BENCH_CALL || rows->way == BENCH_BATCH);
	cli_capture_errors(reason, BENCH_REASON);
	bench_team(cnt, cnt > 1 && !timed.no_pin, timed_member, &timed);
	cli_capture_errors(NULL, 0);
	for (__u32 i = 0; i < cnt; i++) {
		if (rows[i].state == BENCH_IMPOSSIBLE)
			memcpy(rows[i].reason, reason, sizeof(reason));
		judge(&rows[i], reference(b, &rows[i]));
	}
}

static bool all_short(const struct bench_row *rows, __u32 cnt)
{
	for (__u32 i = 0; i < cnt; i++)
		if (rows[i].state != BENCH_GOOD || rows[i].result.seconds > SHORT)
			return false;
	return true;
}

static int by_seconds(const void *a, const void *b)
{
	const struct bench_row *x = *(struct bench_row *const *)a;
	const struct bench_row *y = *(struct bench_row *const *)b;

	return (x->result.seconds > y->result.seconds) - (x->result.seconds < y->result.seconds);
}

/* The median of a row's runs; but one that went wrong is not passed over. */
static void choose_run(struct bench_row *row, struct bench_row *runs, __u32 run_cnt, __u32 stride)
{
	struct bench_row *good[RUNS];
	__u32 good_cnt = 0;

	for (__u32 i = 0; i < run_cnt; i++) {
		struct bench_row *run = &runs[(size_t)i * stride];

		if (run->state == BENCH_GOOD) {
			good[good_cnt++] = run;
		} else if (run->state != BENCH_NOT_RUN) {
			*row = *run;
			return;
		}
	}
	if (!good_cnt)
		return;
	qsort(good, good_cnt, sizeof(good[0]), by_seconds);
	*row = *good[good_cnt / 2];
	row->runs = good_cnt;
}

/* What takes some ms says little when it ran once. */
static void run_timed(const struct bench *b, struct bench_row *rows, __u32 cnt)
{
	struct bench_row *runs = calloc((size_t)RUNS * cnt, sizeof(*runs));
	__u32 i = 0;

	if (!runs)
		return;
	do {
		memcpy(&runs[(size_t)i * cnt], rows, cnt * sizeof(*rows));
		run_once(b, &runs[(size_t)i * cnt], cnt);
		i++;
	} while (i < RUNS && !*b->stop && all_short(&runs[(size_t)(i - 1) * cnt], cnt));
	for (__u32 row = 0; row < cnt; row++)
		choose_run(&rows[row], &runs[row], i, cnt);
	free(runs);
}

static void run_alone(const struct bench *b, struct bench_group *group, struct outcomes *expected)
{
	for (int i = 0; i < BENCH_SIZES && !*b->stop; i++) {
		struct bench_row *row = &group->alone[i];

		bench_progress("%s, %u endpoints", bench_ways[row->way].label, row->endpoints);
		check_row(b, row, &expected[i]);
		if (row->state == BENCH_NOT_RUN && !row->err)
			run_timed(b, row, 1);
	}
}

static void compare_times(const struct bench *b, struct bench_group *group)
{
	for (__u32 i = 0; i < b->args.threads; i++) {
		const struct bench_row *alone = &group->alone[i % BENCH_SIZES];
		struct bench_row *row = &group->together[i];

		if (row->state == BENCH_GOOD && alone->state == BENCH_GOOD)
			row->slowdown = row->result.seconds / alone->result.seconds;
	}
}

static bool any_failed(const struct bench_group *group)
{
	for (int i = 0; i < BENCH_SIZES; i++)
		if (group->alone[i].state != BENCH_GOOD)
			return true;
	return false;
}

/* What does not work alone won't together. */
static void run_together(const struct bench *b, struct bench_group *group)
{
	if (*b->stop)
		return;
	if (any_failed(group)) {
		for (__u32 i = 0; i < b->args.threads; i++) {
			const struct bench_row *alone = &group->alone[i % BENCH_SIZES];

			group->together[i].state = alone->state;
			memcpy(group->together[i].reason, alone->reason, BENCH_REASON);
		}
		return;
	}
	bench_progress("%s, %u at once", bench_ways[group->alone[0].way].label, b->args.threads);
	run_timed(b, group->together, b->args.threads);
	compare_times(b, group);
}

static void name_rows(const struct bench *b, struct bench_group *group, enum bench_way way)
{
	for (int i = 0; i < BENCH_SIZES; i++) {
		group->alone[i].way = way;
		group->alone[i].endpoints = bench_endpoints[i];
	}
	for (__u32 i = 0; i < b->args.threads; i++) {
		group->together[i].way = way;
		group->together[i].endpoints = bench_endpoints[i % BENCH_SIZES];
		group->together[i].concurrent = true;
	}
}

void bench_lb__run(struct bench *b)
{
	struct outcomes *expected = calloc(BENCH_SIZES, sizeof(*expected));

	if (!expected)
		return;
	for (int i = 0; !b->args.ways[BENCH_CALL] && i < BENCH_SIZES; i++)
		expect(b, bench_endpoints[i], &expected[i]);
	for (int way = 0; way < BENCH_WAYS; way++) {
		struct bench_group *group = &b->groups[way];

		group->wanted = b->args.ways[way];
		if (!group->wanted)
			continue;
		name_rows(b, group, way);
		run_alone(b, group, expected);
		run_together(b, group);
	}
	bench_progress(NULL);
	free(expected);
}

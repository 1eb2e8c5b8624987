// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Measures many small runs in rounds: each round has one run of each kind, so
 * that what else the machine does meets all kinds alike, and the median of the
 * rounds counts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "scaling.h"
#include "cli.h"
#include "hold.h"
#include "source.h"

#define BASE_SIZE 64
#define BARE_PACKETS 1024 /* different ones, over and over */
#define PAIRS 41 /* of turns, call and bare loop */
#define PAIR_PACKETS 10000
#define BARE_OUT 4096 /* more than a packet grows, as the call path has it */

/* Packets of a lane's round: some tens of ms on a machine of 2026. */
static const __u32 round_packets[SCALING_FLOOR + 1] = {
	[BENCH_CALL] = 50000,	    [BENCH_BATCH] = 1000000, [BENCH_VETH_AFXDP] = 50000,
	[BENCH_VETH_LIVE] = 200000, [SCALING_BARE] = 50000,  [SCALING_FLOOR] = 1000000,
};

/* ---- the kinds of run ---------------------------------------------------- */

static int add(struct scaling *s, const struct scaling_row *row)
{
	struct scaling_row *more = reallocarray(s->rows, s->cnt + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->rows = more;
	more[s->cnt] = *row;
	more[s->cnt].packets = s->b->args.packets ? s->b->args.packets : round_packets[row->way];
	s->cnt++;
	return 0;
}

/* 1, 2, 4, ... and all CPUs. */
static __u32 more_lanes(__u32 lanes, __u32 cpus)
{
	return lanes * 2 > cpus && lanes < cpus ? cpus : lanes * 2;
}

/* One thing at a time differs from: 64 bytes, recorded, one lane. */
static int add_way(struct scaling *s, int way)
{
	static const __u32 sizes[] = { 512, 1500 };
	struct scaling_row row = { .way = way, .size = BASE_SIZE, .record = SCALING_BYTES };
	int err = 0;

	for (row.program = BENCH_LB; !err && row.program <= BENCH_TX; row.program++)
		for (row.lanes = 1; !err && row.lanes <= s->b->cpus;
		     row.lanes = more_lanes(row.lanes, s->b->cpus))
			err = add(s, &row);
	row.program = BENCH_DROP;
	row.lanes = 1;
	for (int i = 0; !err && i < 2; i++) {
		row.size = sizes[i];
		err = add(s, &row);
	}
	row.size = BASE_SIZE;
	row.record = SCALING_DELIVERED;
	if (!err)
		err = add(s, &row);
	row.record = SCALING_VERDICTS;
	for (row.program = BENCH_LB; !err && row.program <= BENCH_DROP; row.program++)
		err = add(s, &row);
	return err;
}

static int add_measure(struct scaling *s, int way)
{
	struct scaling_row row = {
		.way = way,
		.program = BENCH_DROP,
		.lanes = 1,
		.size = BASE_SIZE,
		.record = way == SCALING_BARE ? SCALING_BYTES : SCALING_VERDICTS,
	};

	return add(s, &row);
}

static int add_all(struct scaling *s)
{
	const bool *ways = s->b->args.ways;
	int err = add_measure(s, SCALING_FLOOR);

	for (int way = 0; !err && way < BENCH_WAYS; way++) {
		if (ways[way] && way == BENCH_CALL)
			err = add_measure(s, SCALING_BARE);
		if (!err && ways[way])
			err = add_way(s, way);
	}
	return err;
}

/* ---- one run -------------------------------------------------------------- */

static int ignore_outcomes(void *ctx, const struct xtr_outcome *outcomes, size_t cnt)
{
	(void)ctx;
	(void)outcomes;
	(void)cnt;
	return 0;
}

static struct xtr_source *open_source(const struct scaling_row *row)
{
	char spec[64];

	snprintf(spec, sizeof(spec), "udp,count=%llu,size=%u",
		 (unsigned long long)row->packets * row->lanes, row->size);
	return xtr_source__open_gen(spec);
}

/* A run that lost packets is no measurement. */
static int rate_of(struct scaling_row *row, const struct xtr_result *result, double *mpps)
{
	*mpps = cli_mpps(result);
	if (!result->lost && !result->foreign)
		return 0;
	snprintf(row->reason, sizeof(row->reason), "%llu packets lost, %llu foreign ones counted",
		 (unsigned long long)result->lost, (unsigned long long)result->foreign);
	return -EIO;
}

static int run_way(const struct scaling *s, struct scaling_row *row, struct bench_target *t,
		   struct xtr_source *source, double *mpps)
{
	struct xtr_run_opts opts = {
		.sz = sizeof(opts),
		.lanes = row->lanes,
		.verdicts_only = row->record == SCALING_VERDICTS,
		.outcomes = row->record == SCALING_DELIVERED ? ignore_outcomes : NULL,
		.stop = s->b->stop,
	};
	struct xtr_result result = { .sz = sizeof(result) };
	int err;

	bench_way__set(row->way, &s->b->args, &opts);
	err = xtr_run(t->target, source, &opts, &result);
	return err ? err : rate_of(row, &result, mpps);
}

static int time_floor(struct scaling_row *row, struct bench_target *t, double *mpps)
{
	struct xtr_hold hold = XTR_HOLD_NONE;
	double ns = 0;
	int err;

	err = xtr_hold__open(&hold, xtr_target__fd(t->target));
	if (!err)
		err = bench_time_empty(xtr_target__fd(t->target), row->packets, &ns);
	xtr_hold__close(&hold);
	*mpps = ns > 0 ? 1e3 / ns : 0;
	return err;
}

/* What the call path does at least: the calls. */
static int time_bare(struct scaling_row *row, int fd, const __u8 *packets, double *mpps)
{
	__u8 out[BARE_OUT];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_out = out, .repeat = 1);
	double begin = cli_now();
	int err = 0;

	for (__u32 i = 0; !err && i < row->packets; i++) {
		opts.data_in = packets + (size_t)(i % BARE_PACKETS) * row->size;
		opts.data_size_in = row->size;
		opts.data_size_out = sizeof(out);
		err = bpf_prog_test_run_opts(fd, &opts);
	}
	*mpps = row->packets / (cli_now() - begin) / 1e6;
	return err;
}

static int read_packets(struct xtr_source *source, const struct scaling_row *row, __u8 *packets)
{
	struct xtr_share share = { .lanes = 1, .max_len = row->size };
	struct xtr_reader *reader = xtr_reader__open(source, &share);
	struct xtr_packet_info info;
	int got = 1;

	if (!reader)
		return -errno;
	for (__u32 i = 0; got > 0 && i < BARE_PACKETS; i++)
		got = xtr_reader__next(reader, &info, packets + (size_t)i * row->size, row->size);
	xtr_reader__close(reader);
	return got < 0 ? got : 0;
}

static int run_bare(struct scaling_row *row, struct bench_target *t, struct xtr_source *source,
		    double *mpps)
{
	__u8 *packets = calloc(BARE_PACKETS, row->size);
	int err;

	if (!packets)
		return -ENOMEM;
	err = read_packets(source, row, packets);
	if (!err)
		err = time_bare(row, xtr_target__fd(t->target), packets, mpps);
	free(packets);
	return err;
}

/* ---- rounds ---------------------------------------------------------------- */

struct job {
	const struct scaling *s;
	struct scaling_row *row;
	double mpps;
};

static void job_member(void *ctx, __u32 id, struct bench_meet *meet)
{
	struct job *job = ctx;
	struct scaling_row *row = job->row;
	struct xtr_source *source = open_source(row);
	struct bench_target t;

	(void)id;
	(void)meet;
	row->err = bench_target__open(&t, row->program, bench_endpoints[0]);
	if (!row->err && !source)
		row->err = -errno;
	if (!row->err && row->way == SCALING_FLOOR)
		row->err = time_floor(row, &t, &job->mpps);
	else if (!row->err && row->way == SCALING_BARE)
		row->err = run_bare(row, &t, source, &job->mpps);
	else if (!row->err)
		row->err = run_way(job->s, row, &t, source, &job->mpps);
	xtr_source__close(source);
	bench_target__close(&t);
}

/* One lane is always on the same CPU: CPUs of one machine may differ. */
static void run_row(const struct scaling *s, struct scaling_row *row, __u32 round)
{
	struct job job = { s, row, 0 };
	char reason[BENCH_REASON];
	int err;

	cli_capture_errors(reason, BENCH_REASON);
	err = bench_team(1, row->lanes == 1, job_member, &job);
	cli_capture_errors(NULL, 0);
	if (err)
		row->err = err;
	if (row->err && !row->reason[0])
		snprintf(row->reason, sizeof(row->reason), "%s",
			 reason[0] ? reason : strerror(-row->err));
	row->rounds[round] = job.mpps;
}

static int run_round(const struct scaling *s, __u32 round)
{
	for (__u32 i = 0; i < s->cnt; i++) {
		struct scaling_row *row = &s->rows[i];

		if (*s->b->stop)
			return -EINTR;
		if (row->err)
			continue;
		bench_progress("round %u of %u: %s, %s, %u bytes", round + 1, s->rounds,
			       scaling__way_label(row), scaling__program(row), row->size);
		run_row(s, row, round);
	}
	return 0;
}

/* ---- figures ---------------------------------------------------------------- */

static void summarize(struct scaling_row *row, __u32 rounds)
{
	double sorted[SCALING_ROUNDS];

	memcpy(sorted, row->rounds, sizeof(sorted));
	row->mpps = bench_median(sorted, rounds);
	if (row->mpps > 0)
		row->spread = (sorted[rounds - 1 - rounds / 4] - sorted[rounds / 4]) / row->mpps;
}

static const struct scaling_row *find(const struct scaling *s, const struct scaling_row *like,
				      int way, __u32 lanes)
{
	for (__u32 i = 0; i < s->cnt; i++) {
		const struct scaling_row *row = &s->rows[i];

		if (row->way == way && row->lanes == lanes && row->program == like->program &&
		    row->size == like->size && row->record == like->record && row->mpps > 0)
			return row;
	}
	return NULL;
}

static void relate(const struct scaling *s, struct scaling_row *row)
{
	const struct scaling_row *call = find(s, row, BENCH_CALL, row->lanes);
	const struct scaling_row *lane = find(s, row, row->way, 1);

	if (row->mpps > 0 && row->way < BENCH_WAYS && call)
		row->times_call = row->mpps / call->mpps;
	if (row->mpps > 0 && row->lanes > 1 && lane)
		row->times_lane = row->mpps / lane->mpps;
}

/* ---- call against the bare loop --------------------------------------------- */

struct pairs {
	const struct scaling *s;
	double shares[PAIRS];
	int err;
};

/* In turns of some ms, each compared with its neighbour. */
static int run_pairs(struct pairs *pairs, struct bench_target *t, struct xtr_source *source,
		     struct scaling_row *row)
{
	double bare, call;
	int err = 0;

	for (int i = 0; !err && i < PAIRS; i++) {
		err = run_bare(row, t, source, &bare);
		if (!err)
			err = run_way(pairs->s, row, t, source, &call);
		if (!err)
			pairs->shares[i] = call / bare;
	}
	return err;
}

static void pairs_member(void *ctx, __u32 id, struct bench_meet *meet)
{
	struct scaling_row row = {
		.way = BENCH_CALL,
		.lanes = 1,
		.size = BASE_SIZE,
		.record = SCALING_BYTES,
		.packets = PAIR_PACKETS,
	};
	struct xtr_source *source = open_source(&row);
	struct pairs *pairs = ctx;
	struct bench_target t;

	(void)id;
	(void)meet;
	pairs->err = bench_target__open(&t, BENCH_DROP, 0);
	if (!pairs->err && source)
		pairs->err = run_pairs(pairs, &t, source, &row);
	xtr_source__close(source);
	bench_target__close(&t);
}

static int compare_with_bare(struct scaling *s)
{
	struct pairs pairs = { .s = s };
	char reason[BENCH_REASON];

	if (!s->b->args.ways[BENCH_CALL])
		return 0;
	bench_progress("call against a bare loop");
	cli_capture_errors(reason, BENCH_REASON);
	bench_team(1, true, pairs_member, &pairs);
	cli_capture_errors(NULL, 0);
	if (!pairs.err)
		s->call_share = bench_median(pairs.shares, PAIRS);
	return pairs.err == -EINTR ? -EINTR : 0;
}

int scaling__run(struct scaling *s, const struct bench *b)
{
	int err;

	s->b = b;
	s->rounds = b->args.quick ? SCALING_QUICK_ROUNDS : SCALING_ROUNDS;
	err = add_all(s);
	for (__u32 round = 0; !err && round < s->rounds; round++)
		err = run_round(s, round);
	if (!err)
		err = compare_with_bare(s);
	bench_progress(NULL);
	/* Rounds cut short would be a median of what was early in them. */
	if (err)
		return err;
	for (__u32 i = 0; i < s->cnt; i++)
		if (!s->rows[i].err)
			summarize(&s->rows[i], s->rounds);
	for (__u32 i = 0; i < s->cnt; i++)
		relate(s, &s->rows[i]);
	return 0;
}

void scaling__free(struct scaling *s)
{
	free(s->rows);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What BPF_PROG_TEST_RUN itself costs. With repeat > 1 the kernel adds the
 * program to its XDP dispatcher and removes it again, which patches its text
 * and waits for RCU twice, under one mutex: milliseconds a call, unless the
 * program is in there already. In 2021 every call did so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "bench.h"
#include "cli.h"
#include "hold.h"

#define TIME_LIMIT 0.4 /* seconds for each row of dispatcher calls */
#define MAX_CALLS 100000 /* no more tells no more */
#define FLOOR_REPEAT 1000000
#define FLOOR_TRIES 5
#define FLOOR_PACKETS 500000U

static int test_run(int fd, __u32 repeat)
{
	char packet[64] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = repeat);

	return bpf_prog_test_run_opts(fd, &opts);
}

/* ---- dispatcher --------------------------------------------------------- */

struct caller {
	__u64 calls;
	double seconds;
	int err;
};

struct callers {
	const struct bench *b;
	bool hold;
	struct caller each[BENCH_MAX_THREADS];
};

static int call_on(const struct callers *callers, struct caller *caller, int fd)
{
	double begin = cli_now();
	int err;

	do {
		err = test_run(fd, 2);
		if (err)
			return err;
		caller->calls++;
		caller->seconds = cli_now() - begin;
	} while (caller->seconds < TIME_LIMIT && caller->calls < MAX_CALLS && !*callers->b->stop);
	return 0;
}

static void call_member(void *ctx, __u32 id, struct bench_meet *meet)
{
	struct callers *callers = ctx;
	struct caller *caller = &callers->each[id];
	struct xtr_hold hold = XTR_HOLD_NONE;
	struct bench_target t;

	caller->err = bench_target__open(&t, BENCH_LB, bench_endpoints[id % BENCH_SIZES]);
	if (!caller->err && callers->hold)
		caller->err = xtr_hold__open(&hold, xtr_target__fd(t.target));
	if (!caller->err) {
		bench_meet__wait(meet);
		caller->err = call_on(callers, caller, xtr_target__fd(t.target));
	}
	xtr_hold__close(&hold);
	bench_target__close(&t);
}

static void run_calls(const struct bench *b, struct bench_dispatcher *row)
{
	struct callers *callers = calloc(1, sizeof(*callers));
	double seconds = 0;

	if (!callers)
		return;
	callers->b = b;
	callers->hold = row->hold;
	cli_capture_errors(row->reason, BENCH_REASON);
	row->err = bench_team(row->threads, false, call_member, callers);
	cli_capture_errors(NULL, 0);
	for (__u32 i = 0; i < row->threads; i++) {
		row->err = row->err ? row->err : callers->each[i].err;
		row->calls += callers->each[i].calls;
		seconds += callers->each[i].seconds;
	}
	if (row->err && !row->reason[0])
		snprintf(row->reason, sizeof(row->reason), "BPF_PROG_TEST_RUN: %s",
			 strerror(-row->err));
	row->call_seconds = row->calls ? seconds / row->calls : 0;
	free(callers);
}

/* ---- floor -------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *values, size_t cnt)
{
	qsort(values, cnt, sizeof(*values), by_value);
	return values[cnt / 2];
}

/* An empty program's iteration: what the kernel's loop around a program costs. */
int bench_time_empty(int fd, __u32 repeat, double *ns)
{
	double begin = cli_now();
	int err;

	err = test_run(fd, repeat);
	*ns = (cli_now() - begin) * 1e9 / repeat;
	return err;
}

static int time_batch(struct bench_target *t, struct xtr_source *source, double *ns)
{
	struct xtr_run_opts opts = { .sz = sizeof(opts), .path = "batch" };
	struct xtr_result result = { .sz = sizeof(result) };
	int err;

	err = xtr_run(t->target, source, &opts, &result);
	if (!err && !result.observed)
		err = -ENODATA;
	*ns = err ? 0 : result.seconds * 1e9 / result.observed;
	return err;
}

struct floor_job {
	struct bench_floor *floor;
	struct xtr_source *source;
	double empty[FLOOR_TRIES];
	double batch[FLOOR_TRIES];
};

/* In turn, so that noise meets both alike. */
static void floor_member(void *ctx, __u32 id, struct bench_meet *meet)
{
	struct floor_job *job = ctx;
	struct xtr_hold hold = XTR_HOLD_NONE;
	struct bench_target t;
	bool batch = true;
	int err;

	(void)id;
	(void)meet;
	err = bench_target__open(&t, BENCH_DROP, 0);
	if (!err)
		err = xtr_hold__open(&hold, xtr_target__fd(t.target));
	for (int i = 0; !err && i < FLOOR_TRIES; i++) {
		err = bench_time_empty(xtr_target__fd(t.target), FLOOR_REPEAT, &job->empty[i]);
		batch = batch && !time_batch(&t, job->source, &job->batch[i]);
	}
	if (!err)
		job->floor->empty_ns = bench_median(job->empty, FLOOR_TRIES);
	if (!err && batch)
		job->floor->batch_ns = bench_median(job->batch, FLOOR_TRIES);
	xtr_hold__close(&hold);
	bench_target__close(&t);
}

static void run_floor(struct bench *b)
{
	struct floor_job job = { .floor = &b->floor };
	char reason[BENCH_REASON], spec[64];

	snprintf(spec, sizeof(spec), "udp,count=%u,size=64", FLOOR_PACKETS);
	job.source = xtr_source__open_gen(spec);
	if (!job.source)
		return;
	cli_capture_errors(reason, BENCH_REASON);
	bench_team(1, true, floor_member, &job);
	cli_capture_errors(NULL, 0);
	xtr_source__close(job.source);
}

void bench_calls__run(struct bench *b)
{
	for (int i = 0; i < BENCH_DISPATCHER_ROWS && !*b->stop; i++) {
		struct bench_dispatcher *row = &b->dispatcher[i];

		row->threads = i & 1 ? b->args.threads : 1;
		row->hold = i >= 2;
		bench_progress("repeat 2, %s hold, %u at once", row->hold ? "with" : "without",
			       row->threads);
		run_calls(b, row);
	}
	bench_progress("empty program");
	if (!*b->stop)
		run_floor(b);
	bench_progress(NULL);
}

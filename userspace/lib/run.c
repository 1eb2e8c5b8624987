// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A run from end to end: choose the path, start the lanes, keep the time, add up. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "log.h"
#include "opts.h"
#include "order.h"
#include "path.h"
#include "run.h"
#include "signals.h"

#define MAX_LANES 1024
#define SET_UP_AT_ONCE 16 /* lanes; each waits for the kernel most of the time */

const char *xtr_version(void)
{
	return XTR_VERSION;
}

const char *xtr_verdict_name(__u32 verdict)
{
	static const char *const names[XTR_VERDICTS] = {
		"XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT", "INVALID",
	};

	return names[xtr_verdict_slot(verdict)];
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* The caller's options, whatever its header's age, and our defaults. */
static int complete_opts(struct xtr_run *run, const struct xtr_run_opts *opts)
{
	size_t known = xtr_offsetofend(struct xtr_run_opts, xtr_run_opts__last_field);

	if (!XTR_OPTS_VALID(opts, xtr_run_opts)) {
		pr_err("run options: sz is %zu, or fields are set that version %s of the library "
		       "lacks; set sz to sizeof(struct xtr_run_opts) and the rest to zero",
		       opts->sz, XTR_VERSION);
		return -EINVAL;
	}
	if (opts)
		memcpy(&run->opts, opts, opts->sz < known ? opts->sz : known);
	run->lanes = run->opts.lanes ? run->opts.lanes : 1;
	if (run->lanes > MAX_LANES) {
		pr_err("%u lanes are more than the %d that a run may have", run->lanes, MAX_LANES);
		return -EINVAL;
	}
	return 0;
}

/* The fastest path that gives the same outcomes, else the one that takes all. */
static int choose_automatically(struct xtr_run *run)
{
	const char *name = xtr_target__name(run->target);
	bool was;
	int err;

	run->path = &xtr_path_call;
	if (xtr_target__frags(run->target) &&
	    (!run->opts.max_len || run->opts.max_len > XTR_MAX_LINEAR)) {
		pr_info("%s takes packets in fragments, which path batch does not: taking path "
			"call",
			name);
		return run->path->probe(run);
	}
	run->path = &xtr_path_batch;
	was = xtr_log__demote(true);
	err = run->path->probe(run);
	xtr_log__demote(was);
	if (!err)
		return 0;
	/* Also where the privileges for more are missing. */
	pr_info("path batch cannot run %s here (-v says why): taking path call", name);
	run->path = &xtr_path_call;
	return run->path->probe(run);
}

static int choose_path(struct xtr_run *run)
{
	const char *name = run->opts.path ? run->opts.path : "auto";

	if (!strcmp(name, "auto"))
		return choose_automatically(run);
	run->path = xtr_path__find(name);
	if (!run->path) {
		pr_err("there is no path \"%s\"; there are auto, call, batch and veth", name);
		return -EINVAL;
	}
	return run->path->probe(run);
}

static void choose_lengths(struct xtr_run *run)
{
	__u32 max_len = run->path->max_len(run);

	if (!run->opts.max_len || run->opts.max_len > max_len)
		run->opts.max_len = max_len;
}

/*
 * Lanes go round the CPUs that the calling thread may use, from the one it is
 * on: runs side by side then do not all start on the first.
 */
static int next_cpu(const cpu_set_t *cpus, int cpu)
{
	int tries;

	for (tries = 0; tries < CPU_SETSIZE; tries++) {
		cpu = (cpu + 1) % CPU_SETSIZE;
		if (CPU_ISSET(cpu, cpus))
			break;
	}
	return cpu;
}

static int start(struct xtr_run *run, struct xtr_lane *lanes, __u32 *started)
{
	struct xtr_lane *lane;
	cpu_set_t cpus;
	int cpu, err;

	cpu = sched_getcpu();
	cpu = cpu > 0 ? cpu - 1 : -1;
	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (*started = 0; *started < run->lanes; ++*started) {
		lane = &lanes[*started];
		lane->run = run;
		lane->id = *started;
		lane->cpu = cpu = next_cpu(&cpus, cpu);
		err = -pthread_create(&lane->thread, NULL, xtr_lane__main, lane);
		if (err) {
			pr_err("cannot start lane %u: %s", lane->id, strerror(-err));
			return err;
		}
	}
	return 0;
}

static struct xtr_counts total(const struct xtr_run *run, const struct xtr_lane *lanes)
{
	struct xtr_counts total = {};
	__u32 i, v, s;

	for (i = 0; i < run->lanes; i++) {
		const struct xtr_counts *counts = &lanes[i].counts;

		total.packets += counts->packets;
		total.observed += counts->observed;
		total.foreign += counts->foreign;
		total.resent += counts->resent;
		total.unreturned += counts->unreturned;
		total.refused += counts->refused;
		total.undelivered += counts->undelivered;
		total.nowhere += counts->nowhere;
		for (v = 0; v < XTR_VERDICTS; v++)
			total.verdicts[v] += counts->verdicts[v];
		for (s = 0; s < XTR_MAX_SINKS; s++)
			total.sinks[s] += counts->sinks[s];
	}
	return total;
}

/* What the target emitted and nobody got: a veth drops it without a word. */
static void warn_of_losses(const struct xtr_counts *counts)
{
	if (counts->unreturned)
		pr_warn("%llu transmitted frames did not come back to the injecting end%s",
			(unsigned long long)counts->unreturned,
			counts->refused
				? ": a veth refuses what is too long for its other end, and "
				  "all while no XDP program is attached there"
				: "");
	if (counts->undelivered)
		pr_warn("%llu redirected frames did not arrive in a sink",
			(unsigned long long)counts->undelivered);
	if (counts->nowhere)
		pr_warn("%llu redirected frames went nowhere: there is no such interface in the "
			"lane's namespace, or it takes no XDP frames (a veth does while its other "
			"end has an XDP program)",
			(unsigned long long)counts->nowhere);
}

static void add_up(struct xtr_result *result, const struct xtr_run *run,
		   const struct xtr_lane *lanes)
{
	struct xtr_counts counts = total(run, lanes);

	result->packets = counts.packets;
	result->observed = counts.observed;
	result->foreign = counts.foreign;
	result->resent = counts.resent;
	memcpy(result->verdicts, counts.verdicts, sizeof(counts.verdicts));
	memcpy(result->sinks, counts.sinks, sizeof(counts.sinks));
	result->lost = result->packets - result->observed;
	warn_of_losses(&counts);
}

static void await_caller(struct xtr_run *run)
{
	int err;

	if (!run->opts.ready || xtr_run__failed(run))
		return;
	err = run->opts.ready(run->opts.ready_ctx);
	if (err)
		xtr_run__fail(run, err);
}

static int run_lanes(struct xtr_run *run, struct xtr_result *result)
{
	struct xtr_lane *lanes = calloc(run->lanes, sizeof(*lanes));
	double begin = now(), set_up, ready;
	__u32 started, i;
	int err;

	if (!lanes) {
		pr_err("out of memory for %u lanes", run->lanes);
		return -ENOMEM;
	}
	xtr_gate__init(&run->gate);
	sem_init(&run->turns, 0, SET_UP_AT_ONCE);
	xtr_log__share(&run->explained);
	err = start(run, lanes, &started);
	xtr_log__share(NULL);
	if (err)
		xtr_run__fail(run, err);
	xtr_gate__await(&run->gate, started);
	set_up = now();
	await_caller(run);
	ready = now();
	xtr_gate__open(&run->gate);
	xtr_gate__await(&run->gate, started);
	result->seconds = now() - ready;
	result->setup_seconds += set_up - begin;
	xtr_gate__open(&run->gate);
	for (i = 0; i < started; i++)
		pthread_join(lanes[i].thread, NULL);
	xtr_gate__destroy(&run->gate);
	sem_destroy(&run->turns);
	add_up(result, run, lanes);
	free(lanes);
	return xtr_run__failed(run);
}

static const char *mode_name(const struct xtr_run *run)
{
	return run->mode == XTR_MODE_BARE ? "bare" : "spliced";
}

static void hand_over(struct xtr_result *to, struct xtr_result *from, const struct xtr_run *run)
{
	size_t known = xtr_offsetofend(struct xtr_result, xtr_result__last_field), sz;

	if (!to)
		return;
	from->path = run->path ? run->path->name : "none";
	from->mode = mode_name(run);
	from->lanes = run->lanes;
	sz = from->sz = to->sz;
	/* A newer caller's fields that are unknown here read as 0. */
	memset(to, 0, sz);
	memcpy(to, from, sz < known ? sz : known);
}

static int prepare(struct xtr_run *run, const struct xtr_run_opts *opts)
{
	sigset_t signals;
	int err;

	err = complete_opts(run, opts);
	if (!err)
		err = xtr_target__load(run->target);
	if (err)
		return err;
	xtr_signals__hold(&signals);
	err = choose_path(run);
	xtr_signals__release(&signals);
	return err;
}

int xtr_probe(struct xtr_target *target, const struct xtr_run_opts *opts,
	      struct xtr_path_info *info)
{
	size_t known = xtr_offsetofend(struct xtr_path_info, xtr_path_info__last_field);
	struct xtr_run run = { .target = target };
	struct xtr_path_info full = { .sz = info->sz };
	int err;

	err = prepare(&run, opts);
	if (err)
		return err;
	full.path = run.path->name;
	full.mode = mode_name(&run);
	full.max_len = run.path->max_len(&run);
	memset(info, 0, full.sz);
	memcpy(info, &full, full.sz < known ? full.sz : known);
	return 0;
}

int xtr_run(struct xtr_target *target, struct xtr_source *source, const struct xtr_run_opts *opts,
	    struct xtr_result *result)
{
	struct xtr_run run = { .target = target, .source = source };
	struct xtr_result sum = {};
	double begin = now();
	int err;

	err = prepare(&run, opts);
	if (err)
		goto out;
	choose_lengths(&run);
	if (run.opts.ordered && run.opts.outcomes) {
		run.order = xtr_order__new(run.lanes, run.opts.outcomes, run.opts.ctx);
		if (!run.order) {
			pr_err("out of memory for %u lanes", run.lanes);
			err = -ENOMEM;
			goto out;
		}
	}
	sum.setup_seconds = now() - begin;
	err = run_lanes(&run, &sum);
	sum.interrupted = err == -EINTR;
out:
	hand_over(result, &sum, &run);
	xtr_order__free(run.order);
	return err;
}

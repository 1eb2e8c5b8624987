// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "lane.h"
#include "log.h"
#include "order.h"
#include "run.h"

/*
 * A pending signal makes the kernel's run loop return EINTR, and signals are
 * the main thread's business anyway.
 */
static void settle(const struct xtr_lane *lane)
{
	sigset_t all;
	cpu_set_t cpus;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (lane->run->opts.no_pin && !lane->run->path->needs_pinning)
		return;
	CPU_ZERO(&cpus);
	CPU_SET(lane->cpu, &cpus);
	if (pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus))
		pr_warn("lane %u cannot be pinned to CPU %d", lane->id, lane->cpu);
}

static int open_reader(struct xtr_lane *lane)
{
	const struct xtr_run *run = lane->run;
	struct xtr_share share = {
		.lane = lane->id,
		.lanes = run->lanes,
		.affinity = run->opts.affinity,
		.min_len = run->path->min_len,
		.max_len = run->opts.max_len,
	};

	lane->reader = xtr_reader__open(run->source, &share);
	return lane->reader ? 0 : -errno;
}

static int own_target(struct xtr_lane *lane)
{
	lane->target = lane->run->target;
	if (lane->run->opts.fresh != XTR_FRESH_LANE || !lane->id)
		return 0;
	lane->target = xtr_target__clone(lane->run->target);
	if (!lane->target)
		return -errno;
	return xtr_target__load(lane->target);
}

static int set_up(struct xtr_lane *lane)
{
	int err;

	lane->window = calloc(1, sizeof(*lane->window));
	if (!lane->window)
		return -ENOMEM;
	err = own_target(lane);
	if (!err)
		err = open_reader(lane);
	if (!err)
		err = lane->run->path->open(lane);
	return err;
}

/*
 * A few lanes at a time: a thousand at once would starve the kernel's threads
 * that bring their links up, and could not be stopped halfway.
 */
static int set_up_in_turn(struct xtr_lane *lane)
{
	struct xtr_run *run = lane->run;
	int err = -EINTR;

	while (sem_wait(&run->turns))
		;
	if (!xtr_run__stopped(run)) {
		err = set_up(lane);
		/* Not said where something more precise was. */
		if (err)
			pr_err("lane %u cannot be set up: %s", lane->id, strerror(-err));
	}
	sem_post(&run->turns);
	return err;
}

static void tear_down(struct xtr_lane *lane)
{
	lane->run->path->close(lane);
	xtr_reader__close(lane->reader);
	if (lane->target != lane->run->target)
		xtr_target__close(lane->target);
	free(lane->window);
}

static int deliver(struct xtr_lane *lane, __u32 from)
{
	const struct xtr_run *run = lane->run;
	struct xtr_window *window = lane->window;
	const struct xtr_outcome *outcomes = &window->outcomes[from];
	__u32 count = window->done - from;

	if (!run->opts.outcomes)
		return 0;
	xtr_fault__outcomes(window, from, window->done);
	if (run->order)
		return xtr_order__put(run->order, lane->id, outcomes, count);
	return run->opts.outcomes(run->opts.ctx, outcomes, count);
}

static int run_window(struct xtr_lane *lane)
{
	struct xtr_window *window = lane->window;
	__u32 from;
	int err;

	xtr_fault__input(window);
	while (window->done < window->count) {
		from = window->done;
		err = lane->run->path->run(lane);
		/* After an error all of the window counts as given to the path. */
		lane->counts.packets += (err ? window->count : window->done) - from;
		if (err)
			return err;
		if (window->done == from) {
			pr_err("path %s makes no progress at packet %llu", lane->run->path->name,
			       (unsigned long long)window->entries[from].index);
			return -ESTALE;
		}
		err = deliver(lane, from);
		if (err)
			return err;
	}
	return 0;
}

static int run_all(struct xtr_lane *lane)
{
	struct xtr_run *run = lane->run;
	int count, err;

	while (!xtr_run__stopped(run)) {
		count = xtr_window__fill(lane->window, lane->reader, run->path->matches);
		if (count <= 0)
			return count;
		err = run_window(lane);
		if (err)
			return err;
	}
	return -EINTR;
}

void *xtr_lane__main(void *arg)
{
	struct xtr_lane *lane = arg;
	struct xtr_run *run = lane->run;

	xtr_log__share(&run->explained);
	settle(lane);
	lane->err = set_up_in_turn(lane);
	if (lane->err)
		xtr_run__fail(run, lane->err);
	xtr_gate__pass(&run->gate, 1);
	if (!xtr_run__failed(run)) {
		lane->err = run_all(lane);
		if (lane->err)
			xtr_run__fail(run, lane->err);
	}
	if (run->order)
		xtr_order__done(run->order, lane->id, lane->err);
	xtr_gate__pass(&run->gate, 2);
	tear_down(lane);
	return NULL;
}

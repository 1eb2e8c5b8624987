/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A lane: one worker thread with what it owns. Lanes share the target's maps
 * (unless asked not to) and nothing else on the way of a packet: not a counter,
 * not a ring, not a socket.
 */
#ifndef XTR_LANE_H
#define XTR_LANE_H

#include <pthread.h>
#include <semaphore.h>

#include <xdptestrun.h>

#include "gate.h"
#include "target.h"
#include "window.h"

struct xtr_lane;
struct xtr_run;

/* How packets reach the target. One file per path; path.c lists them. */
struct xtr_path {
	const char *name;
	bool matches; /* frames are matched to packets by their hash */
	bool needs_pinning; /* what softirqs do on the lane's CPU must not move */
	__u32 min_len;

	/* The longest packet this path takes with these options. */
	__u32 (*max_len)(const struct xtr_run *run);

	/*
	 * In the caller's thread, with the target loaded: whether this path can
	 * run it, decided once for all lanes (@run->mode). Returns -EOPNOTSUPP
	 * with the reason in the log.
	 */
	int (*probe)(struct xtr_run *run);

	/* In the lane's thread, before the clock starts. */
	int (*open)(struct xtr_lane *lane);

	/*
	 * Runs the packets of the window from @done on, all or as many as it can,
	 * and tells xtr_lane__observed() or xtr_lane__lost() of each, in order.
	 */
	int (*run)(struct xtr_lane *lane);

	/* Also after a failed open(). */
	void (*close)(struct xtr_lane *lane);
};

enum xtr_mode {
	XTR_MODE_BARE, /* the target by itself */
	XTR_MODE_SPLICED, /* in a harness program */
	XTR_MODE_SPLICED_EACH, /* batch: one packet per iteration of the kernel's loop */
};

struct xtr_counts {
	__u64 packets;
	__u64 observed;
	__u64 foreign;
	__u64 resent;
	__u64 unreturned; /* veth: transmitted by the target, not seen again */
	__u64 refused; /* veth: of these, those that the device did not transmit */
	__u64 undelivered; /* veth: redirected to a sink, not seen there */
	__u64 nowhere; /* veth: redirected to where the kernel found no device */
	__u64 verdicts[XTR_VERDICTS];
	__u64 sinks[XTR_MAX_SINKS]; /* veth: arrived at each */
};

/* What all lanes of a run have in common; only read while they run. */
struct xtr_run {
	struct xtr_run_opts opts; /* complete, whatever the caller's size was */
	struct xtr_target *target;
	struct xtr_source *source;
	const struct xtr_path *path;
	enum xtr_mode mode;
	__u32 lanes;
	struct xtr_order *order; /* NULL: outcomes in each lane's own order */
	sem_t turns; /* to set up a lane */
	struct xtr_gate gate;
	int failed; /* the first error of any lane; atomic */
	int explained; /* one lane has said why; atomic */
};

struct xtr_lane {
	struct xtr_run *run;
	__u32 id;
	int cpu;
	pthread_t thread;
	struct xtr_target *target; /* the run's, or this lane's own */
	struct xtr_reader *reader;
	struct xtr_window *window;
	struct xtr_counts counts;
	void *state; /* the path's */
	int err;
};

/* Thread function: sets up, waits for the others, runs, tears down. */
void *xtr_lane__main(void *lane);

static inline __u32 xtr_verdict_slot(__u32 verdict)
{
	return verdict < XTR_VERDICTS - 1 ? verdict : XTR_VERDICTS - 1;
}

/*
 * Packet @seq of the window was seen. Returns its outcome to be completed, or
 * NULL where nobody asked for outcomes.
 */
static inline struct xtr_outcome *xtr_lane__observed(struct xtr_lane *lane, __u32 seq,
						     __u32 verdict, __u32 flags)
{
	struct xtr_window *window = lane->window;
	const struct xtr_entry *entry = &window->entries[seq];
	struct xtr_outcome *outcome;

	lane->counts.observed++;
	if (!(flags & XTR_OUTCOME_NO_VERDICT))
		lane->counts.verdicts[xtr_verdict_slot(verdict)]++;
	if (!lane->run->opts.outcomes)
		return NULL;
	outcome = &window->outcomes[seq];
	*outcome = (struct xtr_outcome){
		.index = entry->index,
		.ts_ns = entry->ts_ns,
		.verdict = verdict,
		.flags = flags,
		.in_len = entry->len,
	};
	return outcome;
}

/* Packet @seq of the window was given to the path and never seen. */
static inline void xtr_lane__lost(struct xtr_lane *lane, __u32 seq)
{
	const struct xtr_entry *entry = &lane->window->entries[seq];

	if (lane->run->opts.outcomes)
		lane->window->outcomes[seq] = (struct xtr_outcome){
			.index = entry->index,
			.ts_ns = entry->ts_ns,
			.flags = XTR_OUTCOME_LOST,
			.in_len = entry->len,
		};
}

/*
 * For paths that see packets in the window's order: settles those before @seq
 * that did not show up. Returns false for a packet that showed up before.
 */
static inline bool xtr_lane__in_order(struct xtr_lane *lane, __u32 seq)
{
	struct xtr_window *window = lane->window;

	if (seq < window->done || seq >= window->count) {
		lane->counts.foreign++;
		return false;
	}
	for (; window->done < seq; window->done++)
		xtr_lane__lost(lane, window->done);
	window->done++;
	return true;
}

/* The same at the end of the window: what did not show up will not. */
static inline void xtr_lane__end_of_window(struct xtr_lane *lane)
{
	for (; lane->window->done < lane->window->count; lane->window->done++)
		xtr_lane__lost(lane, lane->window->done);
}

#endif /* XTR_LANE_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * One packet set over several paths at once, each in a thread of its own. No
 * path gets ahead of another by more than a few windows, so memory is bounded
 * and all together takes little longer than the slowest: what a path has ahead is
 * copied, and the one that comes last compares, where its outcomes are.
 */
#ifndef XTR_LOCKSTEP_H
#define XTR_LOCKSTEP_H

#include <sched.h>

#include <xdptestrun.h>

#define LOCKSTEP_MAX 8

struct lockstep_path {
	struct xtr_target *target; /* each path's own */
	struct xtr_run_opts opts; /* without outcomes, ctx, ordered: these are set here */
	const cpu_set_t *cpus; /* where to run; NULL: anywhere */
	struct xtr_result result; /* filled in */
};

/*
 * Gets the outcomes of the same @count packets from all paths: @outcomes[path]
 * is an array. One call at a time, in the thread of any path. Not 0 ends all.
 */
typedef int (*lockstep_fn)(void *ctx, const struct xtr_outcome *const *outcomes, size_t count);

/*
 * Returns 0; -EINTR when interrupted; -EPROTO where the paths did not run the
 * same number of packets; the first error of any path, or what @fn returned.
 */
int lockstep__run(struct lockstep_path *paths, size_t count, struct xtr_source *source,
		  lockstep_fn fn, void *ctx);

#endif /* XTR_LOCKSTEP_H */

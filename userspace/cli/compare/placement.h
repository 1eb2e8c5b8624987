/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Which CPUs paths that run at the same time get. */
#ifndef XTR_PLACEMENT_H
#define XTR_PLACEMENT_H

#include <sched.h>
#include <stddef.h>

#include "lockstep.h"

struct placement {
	cpu_set_t paths[LOCKSTEP_MAX]; /* one CPU each */
};

/*
 * @costs: what a packet takes on each path, in any unit. The slowest path shares
 * its CPU with as little as possible, for all wait for it.
 */
void placement__spread(struct placement *placement, const cpu_set_t *allowed,
		       const unsigned int *costs, size_t count);

/* All paths take turns on one CPU. */
void placement__one_cpu(struct placement *placement, const cpu_set_t *allowed, size_t count);

#endif /* XTR_PLACEMENT_H */

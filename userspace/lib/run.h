/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_RUN_H
#define XTR_RUN_H

#include "lane.h"

/* The run's error, the first one of any lane. */
static inline void xtr_run__fail(struct xtr_run *run, int err)
{
	int none = 0;

	__atomic_compare_exchange_n(&run->failed, &none, err, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
}

static inline int xtr_run__failed(const struct xtr_run *run)
{
	return __atomic_load_n(&run->failed, __ATOMIC_ACQUIRE);
}

static inline bool xtr_run__stopped(const struct xtr_run *run)
{
	return xtr_run__failed(run) || (run->opts.stop && *run->opts.stop);
}

#endif /* XTR_RUN_H */

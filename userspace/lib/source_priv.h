/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the kinds of source share among themselves. */
#ifndef XTR_SOURCE_PRIV_H
#define XTR_SOURCE_PRIV_H

#include "source.h"

/* A zeroed reader for free(), on cache lines of its own: lanes count in them
 * at each packet, and often one thread opens them all.
 */
void *xtr_reader__alloc(size_t size);

/* How a packet of the set stands to one reader. */
enum xtr_fit {
	XTR_FIT_OURS,
	XTR_FIT_OTHERS, /* another lane's */
	XTR_FIT_UNDERSIZED,
	XTR_FIT_OVERSIZED,
};

/* Looks at the next packet of the set; @packet is read for flow affinity only. */
enum xtr_fit xtr_reader__fit(const struct xtr_reader *reader, const void *packet, __u32 len);

/* Goes past that packet. Apart from the look, since -ENOSPC looks again. */
void xtr_reader__pass(struct xtr_reader *reader, enum xtr_fit fit);

/* The number, from 1, of the next packet of the set, left out ones included. */
static inline __u64 xtr_reader__number(const struct xtr_reader *reader)
{
	const struct xtr_source_stats *stats = &reader->stats;

	return stats->packets + stats->undersized + stats->oversized + 1;
}

#endif /* XTR_SOURCE_PRIV_H */

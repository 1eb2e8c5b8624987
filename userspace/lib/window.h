/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A window: the packets that a lane fills in, runs and drains in one go. It is
 * bounded in packets and bytes, so memory is bounded and stays in the cache.
 */
#ifndef XTR_WINDOW_H
#define XTR_WINDOW_H

#include <xdptestrun.h>

#include "ring.h"
#include "source.h"

/* What the lane remembers of a packet whose bytes are in the slots. */
struct xtr_entry {
	__u64 index;
	__u64 ts_ns;
	__u64 hash; /* only for paths that match frames */
	__u32 len;
	__u32 slot; /* where its slot is, in bytes */
};

struct xtr_window {
	__u8 *slots; /* XTR_IN_SIZE + XTR_SLACK bytes */
	__u32 used; /* bytes of slots */
	__u32 count; /* packets */
	__u32 done; /* packets whose outcome is final; they come first */
	struct xtr_entry entries[XTR_CHUNK];
	struct xtr_outcome outcomes[XTR_CHUNK];
};

static inline struct xtr_slot *xtr_window__slot(const struct xtr_window *window, __u32 pos)
{
	return (struct xtr_slot *)(window->slots + pos);
}

/*
 * Fills an empty window from @reader; @hash says whether the path matches
 * frames by their hash. Returns the number of packets, 0 at the end of the set.
 */
int xtr_window__fill(struct xtr_window *window, struct xtr_reader *reader, bool hash);

#endif /* XTR_WINDOW_H */

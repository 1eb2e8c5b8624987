/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the veth path and its two injectors have in common. */
#ifndef XTR_VETH_H
#define XTR_VETH_H

#include "harness.h"
#include "lane.h"

#define XTR_VETH_RING 256 /* VETH_RING_SIZE in drivers/net/veth.c */

/* Window places in the order in which something is expected of them. */
struct xtr_fifo {
	__u32 head;
	__u32 tail;
	__u32 seqs[2 * XTR_CHUNK]; /* each packet, and again if it was sent again */
};

static inline void xtr_fifo__push(struct xtr_fifo *fifo, __u32 seq)
{
	fifo->seqs[fifo->tail++ % (2 * XTR_CHUNK)] = seq;
}

static inline __u32 xtr_fifo__count(const struct xtr_fifo *fifo)
{
	return fifo->tail - fifo->head;
}

struct xtr_veth;

/* Gets frames onto the injecting end. */
struct xtr_injector {
	int (*open)(struct xtr_lane *lane);

	/*
	 * Injects up to @budget of the slots from veth->next on and pushes their
	 * places to veth->flying. Returns how many, or a negative errno.
	 */
	int (*send)(struct xtr_lane *lane, __u32 budget);
	void (*close)(struct xtr_lane *lane);
};

extern const struct xtr_injector xtr_inject_afxdp;
extern const struct xtr_injector xtr_inject_live;

struct xtr_veth {
	struct xtr_harness harness;
	const struct xtr_injector *injector;
	void *injector_state;
	int observer_fd; /* the spliced observer */
	int links[2 + 16]; /* target, returns, sinks */
	__u32 link_count;
	__u32 next; /* slot to inject next, in bytes */
	__u32 refused; /* frames the device refused, not yet found missing */
	__u64 read; /* records read so far */
	struct xtr_fifo flying; /* injected, not seen at the target */
	struct xtr_fifo again; /* found missing, to be injected again */
	struct xtr_fifo returning; /* transmitted by the target */
	struct xtr_fifo sinking; /* redirected by the target */
	__u8 settled[XTR_CHUNK]; /* seen or given up */
};

#endif /* XTR_VETH_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_ORDER_H
#define XTR_ORDER_H

#include <xdptestrun.h>

/*
 * Puts the lanes' outcomes back into input order. Each lane hands over a window
 * at a time and waits until it is used up, so the look-ahead is one window per
 * lane. What can be passed on is what comes before every lane's next packet.
 */
struct xtr_order;

struct xtr_order *xtr_order__new(__u32 lanes, xtr_outcomes_fn fn, void *ctx);

/* Blocks until all of @outcomes went to the callback. Returns what ended the run, or 0. */
int xtr_order__put(struct xtr_order *order, __u32 lane, const struct xtr_outcome *outcomes,
		   __u32 count);

/* The lane has no more; also after an error (@err), which wakes all others. */
void xtr_order__done(struct xtr_order *order, __u32 lane, int err);

void xtr_order__free(struct xtr_order *order);

#endif /* XTR_ORDER_H */

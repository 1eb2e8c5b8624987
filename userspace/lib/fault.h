/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Deliberate faults, for tests that check the tests: the suite must notice each
 * of them on each path. Not part of the public interface; off unless
 * xtr_fault__set() was called.
 */
#ifndef XTR_FAULT_H
#define XTR_FAULT_H

#include <stdbool.h>
#include <linux/types.h>

enum xtr_fault {
	XTR_FAULT_NONE,
	XTR_FAULT_CORRUPT, /* a byte of one packet changes on its way to the target */
	XTR_FAULT_SWAP, /* two packets' outcomes change places */
	XTR_FAULT_DROP, /* one packet never reaches the target */
	XTR_FAULT_REPEAT, /* one packet reaches it twice */
};

struct xtr_window;

/* Arms one fault; it happens once, in the first window that has room for it. */
void xtr_fault__set(enum xtr_fault fault);

/* Between filling and running a window: what the path is given to run. */
void xtr_fault__input(struct xtr_window *window);

/* Between running and delivering: what is told about packets @from to @to. */
void xtr_fault__outcomes(struct xtr_window *window, __u32 from, __u32 to);

#endif /* XTR_FAULT_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Starts and stops the clock: lanes wait at the gate until all are there, and
 * again at the end, so that no lane sets up or tears down while another runs.
 * Unlike a barrier it does not need to know how many will come.
 */
#ifndef XTR_GATE_H
#define XTR_GATE_H

#include <pthread.h>
#include <linux/types.h>

struct xtr_gate {
	pthread_mutex_t lock;
	pthread_cond_t came;
	pthread_cond_t opened;
	__u32 arrived;
	__u32 openings;
};

void xtr_gate__init(struct xtr_gate *gate);
void xtr_gate__destroy(struct xtr_gate *gate);

/* A lane's side: returns after the @nth opening, from 1. */
void xtr_gate__pass(struct xtr_gate *gate, __u32 nth);

/* The main thread's: returns when @lanes have come to the gate. */
void xtr_gate__await(struct xtr_gate *gate, __u32 lanes);
void xtr_gate__open(struct xtr_gate *gate);

#endif /* XTR_GATE_H */

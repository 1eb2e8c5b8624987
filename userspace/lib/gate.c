// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include "gate.h"

void xtr_gate__init(struct xtr_gate *gate)
{
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->changed, NULL);
	gate->arrived = 0;
	gate->openings = 0;
}

void xtr_gate__destroy(struct xtr_gate *gate)
{
	pthread_cond_destroy(&gate->changed);
	pthread_mutex_destroy(&gate->lock);
}

void xtr_gate__pass(struct xtr_gate *gate, __u32 nth)
{
	pthread_mutex_lock(&gate->lock);
	gate->arrived++;
	pthread_cond_broadcast(&gate->changed);
	while (gate->openings < nth)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

void xtr_gate__await(struct xtr_gate *gate, __u32 lanes)
{
	pthread_mutex_lock(&gate->lock);
	while (gate->arrived < lanes)
		pthread_cond_wait(&gate->changed, &gate->lock);
	gate->arrived = 0;
	pthread_mutex_unlock(&gate->lock);
}

void xtr_gate__open(struct xtr_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->openings++;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

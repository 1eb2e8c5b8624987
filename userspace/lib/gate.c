// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include "gate.h"

void xtr_gate__init(struct xtr_gate *gate)
{
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->came, NULL);
	pthread_cond_init(&gate->opened, NULL);
	gate->arrived = 0;
	gate->openings = 0;
}

void xtr_gate__destroy(struct xtr_gate *gate)
{
	pthread_cond_destroy(&gate->came);
	pthread_cond_destroy(&gate->opened);
	pthread_mutex_destroy(&gate->lock);
}

void xtr_gate__pass(struct xtr_gate *gate, __u32 nth)
{
	pthread_mutex_lock(&gate->lock);
	gate->arrived++;
	pthread_cond_signal(&gate->came);
	while (gate->openings < nth)
		pthread_cond_wait(&gate->opened, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

void xtr_gate__await(struct xtr_gate *gate, __u32 lanes)
{
	pthread_mutex_lock(&gate->lock);
	while (gate->arrived < lanes)
		pthread_cond_wait(&gate->came, &gate->lock);
	gate->arrived = 0;
	pthread_mutex_unlock(&gate->lock);
}

void xtr_gate__open(struct xtr_gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->openings++;
	pthread_cond_broadcast(&gate->opened);
	pthread_mutex_unlock(&gate->lock);
}

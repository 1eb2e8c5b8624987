// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "order.h"

struct queue {
	const struct xtr_outcome *next;
	const struct xtr_outcome *end;
	bool done;
};

struct xtr_order {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	xtr_outcomes_fn fn;
	void *ctx;
	int err;
	__u32 lanes;
	struct queue queues[];
};

struct xtr_order *xtr_order__new(__u32 lanes, xtr_outcomes_fn fn, void *ctx)
{
	struct xtr_order *order = calloc(1, sizeof(*order) + lanes * sizeof(order->queues[0]));

	if (!order)
		return NULL;
	pthread_mutex_init(&order->lock, NULL);
	pthread_cond_init(&order->moved, NULL);
	order->fn = fn;
	order->ctx = ctx;
	order->lanes = lanes;
	return order;
}

void xtr_order__free(struct xtr_order *order)
{
	if (!order)
		return;
	pthread_cond_destroy(&order->moved);
	pthread_mutex_destroy(&order->lock);
	free(order);
}

static bool empty(const struct queue *queue)
{
	return queue->next == queue->end;
}

/*
 * The queue with the first outcome, and @limit: the index at which another
 * queue goes on. NULL while a lane that has more to come has nothing here: its
 * next packet may be the first.
 */
static struct queue *first_queue(struct xtr_order *order, __u64 *limit)
{
	struct queue *first = NULL, *queue;
	__u32 i;

	*limit = ~0ULL;
	for (i = 0; i < order->lanes; i++) {
		queue = &order->queues[i];
		if (empty(queue)) {
			if (!queue->done)
				return NULL;
			continue;
		}
		if (!first || queue->next->index < first->next->index) {
			if (first)
				*limit = first->next->index;
			first = queue;
		} else if (queue->next->index < *limit) {
			*limit = queue->next->index;
		}
	}
	return first;
}

static void pass_on(struct xtr_order *order)
{
	const struct xtr_outcome *from;
	struct queue *queue;
	__u64 limit;

	while (!order->err && (queue = first_queue(order, &limit))) {
		from = queue->next;
		while (!empty(queue) && queue->next->index < limit)
			queue->next++;
		order->err = order->fn(order->ctx, from, queue->next - from);
	}
}

int xtr_order__put(struct xtr_order *order, __u32 lane, const struct xtr_outcome *outcomes,
		   __u32 count)
{
	struct queue *queue = &order->queues[lane];
	int err;

	pthread_mutex_lock(&order->lock);
	queue->next = outcomes;
	queue->end = outcomes + count;
	pass_on(order);
	pthread_cond_broadcast(&order->moved);
	while (!order->err && !empty(queue))
		pthread_cond_wait(&order->moved, &order->lock);
	/* After an error others may still look at it, but it goes away. */
	queue->next = queue->end;
	err = order->err;
	pthread_mutex_unlock(&order->lock);
	return err;
}

void xtr_order__done(struct xtr_order *order, __u32 lane, int err)
{
	pthread_mutex_lock(&order->lock);
	order->queues[lane].done = true;
	if (err && !order->err)
		order->err = err;
	pass_on(order);
	pthread_cond_broadcast(&order->moved);
	pthread_mutex_unlock(&order->lock);
}

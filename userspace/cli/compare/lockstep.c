// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "lockstep.h"

/*
 * What a path may be ahead, in bytes; one chunk in any case. It then waits until
 * half of that is gone: few long waits cost less than one a chunk.
 */
#define LOOK_AHEAD (4 << 20)

/*
 * Chunks come and go all the time: their memory is not to be given back to the
 * kernel and faulted in again with each.
 */
#define KEEP_FREED (LOCKSTEP_MAX * LOOK_AHEAD)
#define KEEP_CHUNK (LOOK_AHEAD / 2)

/* Copies of outcomes, with their bytes after them. */
struct chunk {
	struct chunk *next;
	size_t size;
	size_t count;
	struct xtr_outcome outcomes[];
};

struct lockstep;

struct queue {
	struct lockstep *all;
	struct lockstep_path *path;
	pthread_t thread;
	bool started;
	bool done;
	bool full; /* its thread waits */
	int err;
	struct chunk *first;
	struct chunk *last;
	size_t bytes; /* of all chunks */
	size_t used; /* outcomes of the first chunk */
};

struct lockstep {
	pthread_mutex_t lock;
	pthread_cond_t grown; /* a queue has more, or is done */
	pthread_cond_t shrunk; /* a queue has room, or all is over */
	struct xtr_source *source;
	int err; /* what ended it all early */
	size_t count;
	struct queue queues[LOCKSTEP_MAX];
};

/* ---- the paths' threads ------------------------------------------------ */

static struct chunk *copy(const struct xtr_outcome *outcomes, size_t count)
{
	size_t size = sizeof(struct chunk) + count * sizeof(outcomes[0]);
	struct chunk *chunk;
	__u8 *bytes;

	for (size_t i = 0; i < count; i++)
		if (outcomes[i].data)
			size += outcomes[i].meta_len + outcomes[i].len;
	chunk = malloc(size);
	if (!chunk)
		return NULL;
	*chunk = (struct chunk){ .size = size, .count = count };
	memcpy(chunk->outcomes, outcomes, count * sizeof(outcomes[0]));
	bytes = (__u8 *)&chunk->outcomes[count];
	for (struct xtr_outcome *o = chunk->outcomes; count--; o++) {
		if (!o->data)
			continue;
		if (o->meta_len)
			memcpy(bytes, o->meta, o->meta_len);
		o->meta = bytes;
		bytes += o->meta_len;
		memcpy(bytes, o->data, o->len);
		o->data = bytes;
		bytes += o->len;
	}
	return chunk;
}

static void await_room(struct queue *queue, const struct chunk *chunk)
{
	struct lockstep *all = queue->all;

	queue->full = queue->first && queue->bytes + chunk->size > LOOK_AHEAD;
	while (!all->err && queue->full)
		pthread_cond_wait(&all->shrunk, &all->lock);
}

/* More of what there is already wakes nobody. */
static void append(struct queue *queue, struct chunk *chunk)
{
	if (queue->last) {
		queue->last->next = chunk;
	} else {
		queue->first = chunk;
		pthread_cond_signal(&queue->all->grown);
	}
	queue->last = chunk;
	queue->bytes += chunk->size;
}

static int on_outcomes(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	struct queue *queue = ctx;
	struct lockstep *all = queue->all;
	struct chunk *chunk = copy(outcomes, count);
	int err;

	if (!chunk)
		return -ENOMEM;
	pthread_mutex_lock(&all->lock);
	await_room(queue, chunk);
	err = all->err;
	if (!err)
		append(queue, chunk);
	pthread_mutex_unlock(&all->lock);
	if (err)
		free(chunk);
	return err;
}

static void end_all(struct lockstep *all, int err)
{
	if (!all->err)
		all->err = err;
	pthread_cond_broadcast(&all->shrunk);
}

static void *run_path(void *arg)
{
	struct queue *queue = arg;
	struct lockstep *all = queue->all;
	struct lockstep_path *path = queue->path;
	sigset_t signals;

	/* Signals are the main thread's business. */
	sigfillset(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (path->cpus)
		pthread_setaffinity_np(pthread_self(), sizeof(*path->cpus), path->cpus);
	path->opts.outcomes = on_outcomes;
	path->opts.ctx = queue;
	path->opts.ordered = true;
	path->result.sz = sizeof(path->result);
	queue->err = xtr_run(path->target, all->source, &path->opts, &path->result);
	pthread_mutex_lock(&all->lock);
	queue->done = true;
	if (queue->err)
		end_all(all, queue->err);
	pthread_cond_signal(&all->grown);
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

/* ---- the caller's ------------------------------------------------------ */

static bool all_have(const struct lockstep *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (!all->queues[i].first)
			return false;
	return true;
}

static bool some_ended(const struct lockstep *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->queues[i].done && !all->queues[i].first)
			return true;
	return false;
}

static size_t common_count(const struct lockstep *all, const struct xtr_outcome **outcomes)
{
	size_t least = ~(size_t)0;

	for (size_t i = 0; i < all->count; i++) {
		const struct queue *queue = &all->queues[i];

		outcomes[i] = queue->first->outcomes + queue->used;
		if (queue->first->count - queue->used < least)
			least = queue->first->count - queue->used;
	}
	return least;
}

static void pop(struct queue *queue)
{
	struct chunk *chunk = queue->first;

	queue->first = chunk->next;
	if (!queue->first)
		queue->last = NULL;
	queue->bytes -= chunk->size;
	queue->used = 0;
	free(chunk);
}

static void advance(struct lockstep *all, size_t count)
{
	bool shrunk = false;

	for (size_t i = 0; i < all->count; i++) {
		struct queue *queue = &all->queues[i];

		queue->used += count;
		if (queue->used == queue->first->count)
			pop(queue);
		if (queue->full && queue->bytes <= LOOK_AHEAD / 2) {
			queue->full = false;
			shrunk = true;
		}
	}
	if (shrunk)
		pthread_cond_broadcast(&all->shrunk);
}

/* With the lock held, which is let go while @fn looks: nobody else touches what is first. */
static void consume(struct lockstep *all, lockstep_fn fn, void *ctx)
{
	const struct xtr_outcome *outcomes[LOCKSTEP_MAX];
	size_t count;
	int err;

	while (!all->err) {
		if (!all_have(all)) {
			if (some_ended(all))
				return;
			pthread_cond_wait(&all->grown, &all->lock);
			continue;
		}
		count = common_count(all, outcomes);
		pthread_mutex_unlock(&all->lock);
		err = fn(ctx, outcomes, count);
		pthread_mutex_lock(&all->lock);
		advance(all, count);
		if (err)
			end_all(all, err);
	}
}

/* One path has no more: so should all others. */
static void await_ends(struct lockstep *all)
{
	for (size_t i = 0; i < all->count && !all->err; i++) {
		struct queue *queue = &all->queues[i];

		while (!all->err && !queue->done && !queue->first)
			pthread_cond_wait(&all->grown, &all->lock);
		if (queue->first)
			end_all(all, -EPROTO);
	}
}

static int start(struct lockstep *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct queue *queue = &all->queues[i];
		int err = pthread_create(&queue->thread, NULL, run_path, queue);

		if (err) {
			cli_error("cannot start a thread: %s", strerror(err));
			return -err;
		}
		queue->started = true;
	}
	return 0;
}

static void join(struct lockstep *all)
{
	for (size_t i = 0; i < all->count; i++) {
		if (all->queues[i].started)
			pthread_join(all->queues[i].thread, NULL);
		while (all->queues[i].first)
			pop(&all->queues[i]);
	}
}

int lockstep__run(struct lockstep_path *paths, size_t count, struct xtr_source *source,
		  lockstep_fn fn, void *ctx)
{
	struct lockstep all = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.grown = PTHREAD_COND_INITIALIZER,
		.shrunk = PTHREAD_COND_INITIALIZER,
		.source = source,
		.count = count,
	};
	int err;

	mallopt(M_TRIM_THRESHOLD, KEEP_FREED);
	mallopt(M_MMAP_THRESHOLD, KEEP_CHUNK);
	for (size_t i = 0; i < count; i++) {
		all.queues[i].all = &all;
		all.queues[i].path = &paths[i];
	}
	err = start(&all);
	pthread_mutex_lock(&all.lock);
	if (err)
		end_all(&all, err);
	consume(&all, fn, ctx);
	await_ends(&all);
	pthread_mutex_unlock(&all.lock);
	join(&all);
	return all.err;
}

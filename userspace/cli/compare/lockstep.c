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
 * What a path may be ahead, in bytes, and a window more. It then waits until
 * half of that is gone: few long waits cost less than one a window.
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
	size_t used;
	struct xtr_outcome outcomes[];
};

struct lockstep;

/* What a path had ahead of others. At any time at least one queue is empty. */
struct queue {
	struct lockstep *all;
	struct lockstep_path *path;
	pthread_t thread;
	bool started;
	bool done;
	bool full; /* its thread waits */
	struct chunk *first;
	struct chunk *last;
	size_t bytes; /* of all chunks */
};

struct lockstep {
	pthread_mutex_t lock;
	pthread_cond_t shrunk; /* a queue has room, or all is over */
	struct xtr_source *source;
	lockstep_fn fn;
	void *ctx;
	int err; /* what ended it all early */
	size_t count;
	struct queue queues[LOCKSTEP_MAX];
};

/* ---- what is ahead ----------------------------------------------------- */

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

/* The last @left of its outcomes: others came meanwhile and compared the first. */
static void append(struct queue *queue, struct chunk *chunk, size_t left)
{
	chunk->used = chunk->count - left;
	if (queue->last)
		queue->last->next = chunk;
	else
		queue->first = chunk;
	queue->last = chunk;
	queue->bytes += chunk->size;
}

static void pop(struct queue *queue)
{
	struct chunk *chunk = queue->first;

	queue->first = chunk->next;
	if (!queue->first)
		queue->last = NULL;
	queue->bytes -= chunk->size;
	free(chunk);
}

/* Of all queues but the empty ones. */
static void advance(struct lockstep *all, size_t count)
{
	bool shrunk = false;

	for (size_t i = 0; i < all->count; i++) {
		struct queue *queue = &all->queues[i];

		if (!queue->first)
			continue;
		queue->first->used += count;
		if (queue->first->used == queue->first->count)
			pop(queue);
		if (queue->full && queue->bytes <= LOOK_AHEAD / 2) {
			queue->full = false;
			shrunk = true;
		}
	}
	if (shrunk)
		pthread_cond_broadcast(&all->shrunk);
}

static void end_all(struct lockstep *all, int err)
{
	if (!all->err)
		all->err = err;
	pthread_cond_broadcast(&all->shrunk);
}

/* ---- the paths' threads ------------------------------------------------ */

/*
 * How many of the @count next outcomes of this path all others have already, and
 * where: 0 as long as there is one that has none. One that will have no more ends
 * it all.
 */
static size_t common(const struct queue *own, size_t count, const struct xtr_outcome **outcomes)
{
	struct lockstep *all = own->all;

	if (own->first)
		return 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct queue *queue = &all->queues[i];
		const struct chunk *chunk = queue->first;

		if (queue == own)
			continue;
		if (!chunk && queue->done)
			end_all(all, -EPROTO);
		if (!chunk)
			return 0;
		outcomes[i] = chunk->outcomes + chunk->used;
		if (chunk->count - chunk->used < count)
			count = chunk->count - chunk->used;
	}
	return count;
}

/*
 * The path that comes last compares, where its outcomes are: nothing of the
 * slowest is copied. Called with the lock held, which is let go while the caller
 * looks. Nobody else touches what is first then, for this queue is empty.
 */
static size_t compare(struct queue *own, const struct xtr_outcome *next, size_t count)
{
	const struct xtr_outcome *outcomes[LOCKSTEP_MAX];
	struct lockstep *all = own->all;
	int err;

	count = common(own, count, outcomes);
	if (!count)
		return 0;
	outcomes[own - all->queues] = next;
	pthread_mutex_unlock(&all->lock);
	err = all->fn(all->ctx, outcomes, count);
	pthread_mutex_lock(&all->lock);
	advance(all, count);
	if (err)
		end_all(all, err);
	return count;
}

static bool has_room(struct queue *queue)
{
	if (queue->bytes >= LOOK_AHEAD)
		queue->full = true;
	return !queue->full;
}

static int on_outcomes(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	struct queue *queue = ctx;
	struct lockstep *all = queue->all;
	const struct xtr_outcome *end = outcomes + count;
	struct chunk *chunk = NULL;
	int err;

	pthread_mutex_lock(&all->lock);
	while (!all->err && outcomes < end) {
		count = compare(queue, outcomes, end - outcomes);
		if (count || all->err) {
			outcomes += count;
		} else if (!has_room(queue)) {
			pthread_cond_wait(&all->shrunk, &all->lock);
		} else if (!chunk) {
			pthread_mutex_unlock(&all->lock);
			chunk = copy(outcomes, end - outcomes);
			pthread_mutex_lock(&all->lock);
			if (!chunk)
				end_all(all, -ENOMEM);
		} else {
			append(queue, chunk, end - outcomes);
			chunk = NULL;
			break;
		}
	}
	err = all->err;
	pthread_mutex_unlock(&all->lock);
	free(chunk);
	return err;
}

/* This path has no more: neither should those that are ahead. */
static void end_path(struct queue *queue, int err)
{
	struct lockstep *all = queue->all;

	pthread_mutex_lock(&all->lock);
	queue->done = true;
	if (err)
		end_all(all, err);
	for (size_t i = 0; i < all->count && !queue->first; i++)
		if (all->queues[i].first)
			end_all(all, -EPROTO);
	pthread_mutex_unlock(&all->lock);
}

static void *run_path(void *arg)
{
	struct queue *queue = arg;
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
	end_path(queue, xtr_run(path->target, queue->all->source, &path->opts, &path->result));
	return NULL;
}

/* ---- the caller's ------------------------------------------------------ */

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
	}
	for (size_t i = 0; i < all->count; i++)
		while (all->queues[i].first)
			pop(&all->queues[i]);
}

int lockstep__run(struct lockstep_path *paths, size_t count, struct xtr_source *source,
		  lockstep_fn fn, void *ctx)
{
	struct lockstep all = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.shrunk = PTHREAD_COND_INITIALIZER,
		.source = source,
		.fn = fn,
		.ctx = ctx,
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
	if (err) {
		pthread_mutex_lock(&all.lock);
		end_all(&all, err);
		pthread_mutex_unlock(&all.lock);
	}
	join(&all);
	return all.err;
}

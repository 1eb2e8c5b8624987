// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Threads that start together. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "cli.h"

/* ---- team --------------------------------------------------------------- */

/* Unlike a barrier it can do without those that fail on the way. */
struct bench_meet {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	__u32 awaited;
};

struct member {
	pthread_t thread;
	__u32 id;
	bool pin;
	bench_member_fn fn;
	void *ctx;
	struct bench_meet *meet;
	bool has_met;
};

static __thread struct member *self;

static void arrive(struct bench_meet *meet)
{
	self->has_met = true;
	if (!--meet->awaited)
		pthread_cond_broadcast(&meet->changed);
}

int bench_meet__wait(void *arg)
{
	struct bench_meet *meet = arg;

	pthread_mutex_lock(&meet->lock);
	arrive(meet);
	while (meet->awaited)
		pthread_cond_wait(&meet->changed, &meet->lock);
	pthread_mutex_unlock(&meet->lock);
	return 0;
}

static void leave(struct bench_meet *meet)
{
	pthread_mutex_lock(&meet->lock);
	if (!self->has_met)
		arrive(meet);
	pthread_mutex_unlock(&meet->lock);
}

__u32 bench_cpus(void)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return 1;
	return CPU_COUNT(&cpus);
}

/* The library's lanes inherit it. */
static void pin(__u32 id)
{
	__u32 nth = id % bench_cpus();
	cpu_set_t cpus, one;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &cpus) || nth--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void *member_main(void *arg)
{
	self = arg;
	if (self->pin)
		pin(self->id);
	self->fn(self->ctx, self->id, self->meet);
	leave(self->meet);
	return NULL;
}

int bench_team(__u32 cnt, bool pinned, bench_member_fn fn, void *ctx)
{
	struct bench_meet meet = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, cnt };
	struct member *members = calloc(cnt, sizeof(*members));
	__u32 started = 0;
	sigset_t all, old;
	int err = 0;

	if (!members)
		return -ENOMEM;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	for (; !err && started < cnt; started++) {
		members[started] = (struct member){ 0, started, pinned, fn, ctx, &meet, false };
		err = -pthread_create(&members[started].thread, NULL, member_main,
				      &members[started]);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		started--;
		pthread_mutex_lock(&meet.lock);
		meet.awaited -= cnt - started;
		pthread_cond_broadcast(&meet.changed);
		pthread_mutex_unlock(&meet.lock);
	}
	while (started--)
		pthread_join(members[started].thread, NULL);
	free(members);
	return err;
}

/* ---- progress ----------------------------------------------------------- */

void bench_progress(const char *fmt, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	if (fmt) {
		va_start(args, fmt);
		vfprintf(stderr, fmt, args);
		va_end(args);
	}
	fflush(stderr);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Outcomes of several lanes, put back into input order. */
#include "order.h"
#include "unit.h"

/* ---- a callback that keeps what it gets -------------------------------- */

struct sink {
	__u64 next; /* the index that must come */
	__u64 calls;
	__u64 step; /* between indexes */
	int busy; /* one call at a time */
	int fail_after; /* calls; 0: never */
	int fault; /* what was wrong */
};

static int collect(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	struct sink *sink = ctx;
	size_t i;

	if (__atomic_exchange_n(&sink->busy, 1, __ATOMIC_ACQ_REL))
		sink->fault = 1;
	if (!count)
		sink->fault = 2;
	sink->calls++;
	for (i = 0; i < count; i++) {
		if (outcomes[i].index != sink->next)
			sink->fault = 3;
		sink->next = outcomes[i].index + sink->step;
	}
	__atomic_store_n(&sink->busy, 0, __ATOMIC_RELEASE);
	return sink->fail_after && sink->calls >= (__u64)sink->fail_after ? 42 : 0;
}

static void number(struct xtr_outcome *outcomes, __u32 count, __u64 first, __u64 step)
{
	__u32 i;

	memset(outcomes, 0, count * sizeof(*outcomes));
	for (i = 0; i < count; i++)
		outcomes[i].index = first + i * step;
}

/* ---- a lane in a thread ------------------------------------------------ */

struct feed {
	struct xtr_order *order;
	__u32 lane;
	__u64 first;
	__u32 count;
	int put; /* what xtr_order__put() returned */
	int returned;
	pthread_t thread;
};

static void *feed(void *arg)
{
	struct feed *feed = arg;
	struct xtr_outcome outcomes[16];

	number(outcomes, feed->count, feed->first, 1);
	feed->put = xtr_order__put(feed->order, feed->lane, outcomes, feed->count);
	/* The window is filled anew: nobody may look at it any more. */
	memset(outcomes, 0xff, sizeof(outcomes));
	__atomic_store_n(&feed->returned, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void start(struct feed *lane)
{
	assert_int_equal(pthread_create(&lane->thread, NULL, feed, lane), 0);
}

static void join(struct feed *lane)
{
	assert_int_equal(pthread_join(lane->thread, NULL), 0);
}

static bool waits(struct feed *lane)
{
	pause_ms(20);
	return !__atomic_load_n(&lane->returned, __ATOMIC_ACQUIRE);
}

/* ---- tests ------------------------------------------------------------- */

static void single_lane_goes_through(void **state)
{
	struct sink sink = { .step = 1 };
	struct xtr_order *order = xtr_order__new(1, collect, &sink);
	struct xtr_outcome outcomes[8];

	(void)state;
	assert_non_null(order);
	number(outcomes, 8, 0, 1);
	assert_int_equal(xtr_order__put(order, 0, outcomes, 8), 0);
	assert_int_equal(sink.calls, 1);
	number(outcomes, 3, 8, 1);
	assert_int_equal(xtr_order__put(order, 0, outcomes, 3), 0);
	xtr_order__done(order, 0, 0);
	assert_int_equal(sink.next, 11);
	assert_int_equal(sink.fault, 0);
	xtr_order__free(order);
}

static void waits_for_the_first(void **state)
{
	struct sink sink = { .step = 1 };
	struct xtr_order *order = xtr_order__new(2, collect, &sink);
	struct feed late = { .order = order, .lane = 1, .first = 4, .count = 4 };
	struct feed early = { .order = order, .lane = 0, .first = 0, .count = 4 };

	(void)state;
	start(&late);
	assert_true(waits(&late));
	assert_int_equal(sink.calls, 0);
	start(&early);
	join(&early);
	/* Lane 0 may go on with 4. */
	assert_true(waits(&late));
	assert_int_equal(sink.next, 4);
	xtr_order__done(order, 0, 0);
	join(&late);
	assert_int_equal(late.put, 0);
	assert_int_equal(sink.next, 8);
	assert_int_equal(sink.fault, 0);
	xtr_order__free(order);
}

static void lanes_may_have_nothing(void **state)
{
	struct sink sink = { .step = 1 };
	struct xtr_order *order = xtr_order__new(4, collect, &sink);
	struct xtr_outcome outcomes[4];

	(void)state;
	xtr_order__done(order, 0, 0);
	xtr_order__done(order, 3, 0);
	xtr_order__done(order, 2, 0);
	number(outcomes, 4, 0, 1);
	assert_int_equal(xtr_order__put(order, 1, outcomes, 4), 0);
	assert_int_equal(sink.next, 4);
	xtr_order__done(order, 1, 0);
	assert_int_equal(sink.fault, 0);
	xtr_order__free(order);
}

/* Indexes that no lane has are no reason to wait. */
static void passes_gaps(void **state)
{
	struct sink sink = { .step = 1000 };
	struct xtr_order *order = xtr_order__new(1, collect, &sink);
	struct xtr_outcome outcomes[4];

	(void)state;
	number(outcomes, 4, 0, 1000);
	assert_int_equal(xtr_order__put(order, 0, outcomes, 4), 0);
	assert_int_equal(sink.next, 4000);
	assert_int_equal(sink.fault, 0);
	xtr_order__free(order);
}

static void lane_error_wakes_all(void **state)
{
	struct sink sink = { .step = 1 };
	struct xtr_order *order = xtr_order__new(4, collect, &sink);
	struct feed lanes[3];
	struct xtr_outcome outcome = {};
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		lanes[i] = (struct feed){ .order = order, .lane = i, .first = i * 4, .count = 4 };
		start(&lanes[i]);
	}
	assert_true(waits(&lanes[2]));
	xtr_order__done(order, 3, -EIO);
	for (i = 0; i < 3; i++) {
		join(&lanes[i]);
		assert_int_equal(lanes[i].put, -EIO);
		/* The first error stays. */
		xtr_order__done(order, i, -ENOMEM);
	}
	assert_int_equal(xtr_order__put(order, 0, &outcome, 1), -EIO);
	assert_int_equal(sink.calls, 0);
	xtr_order__free(order);
}

static void callback_ends_it(void **state)
{
	struct sink sink = { .step = 1, .fail_after = 1 };
	struct xtr_order *order = xtr_order__new(2, collect, &sink);
	struct feed waiting = { .order = order, .lane = 1, .first = 4, .count = 4 };
	struct xtr_outcome outcomes[4];

	(void)state;
	start(&waiting);
	assert_true(waits(&waiting));
	number(outcomes, 4, 0, 1);
	assert_int_equal(xtr_order__put(order, 0, outcomes, 4), 42);
	join(&waiting);
	assert_int_equal(waiting.put, 42);
	assert_int_equal(xtr_order__put(order, 0, outcomes, 4), 42);
	xtr_order__done(order, 0, 42);
	xtr_order__done(order, 1, 42);
	assert_int_equal(sink.calls, 1);
	xtr_order__free(order);
}

/* ---- many lanes at random ---------------------------------------------- */

#define LANES 8
#define TOTAL 200000
#define RUN 64 /* at most so many in a row are one lane's */

static __u8 owner[TOTAL];

struct worker {
	struct xtr_order *order;
	__u32 lane;
	__u32 seed;
	int err;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct xtr_outcome window[256];
	__u32 count = 0, size = 1 + rand_r(&worker->seed) % 256;
	__u64 i;

	for (i = 0; i < TOTAL && !worker->err; i++) {
		if (owner[i] != worker->lane)
			continue;
		window[count] = (struct xtr_outcome){ .index = i };
		if (++count < size)
			continue;
		worker->err = xtr_order__put(worker->order, worker->lane, window, count);
		memset(window, 0xff, sizeof(window));
		size = 1 + rand_r(&worker->seed) % 256;
		count = 0;
	}
	if (count && !worker->err)
		worker->err = xtr_order__put(worker->order, worker->lane, window, count);
	xtr_order__done(worker->order, worker->lane, worker->err);
	return NULL;
}

static void spread(__u32 seed)
{
	__u32 i, end, lane;

	for (i = 0; i < TOTAL; i = end) {
		end = i + 1 + rand_r(&seed) % RUN;
		end = end < TOTAL ? end : TOTAL;
		/* One lane has far less than the others. */
		lane = rand_r(&seed) % (LANES * 4);
		memset(owner + i, lane < LANES ? lane : lane % (LANES - 1), end - i);
	}
}

static void run_workers(struct sink *sink, int want)
{
	struct xtr_order *order = xtr_order__new(LANES, collect, sink);
	struct worker workers[LANES];
	__u32 i;

	spread(7);
	for (i = 0; i < LANES; i++) {
		workers[i] = (struct worker){ .order = order, .lane = i, .seed = i };
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (i = 0; i < LANES; i++) {
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
		/* Some may have been done before it failed. */
		assert_true(!workers[i].err || workers[i].err == want);
	}
	assert_int_equal(sink->fault, 0);
	xtr_order__free(order);
}

static void merges_many_lanes(void **state)
{
	struct sink sink = { .step = 1 };

	(void)state;
	run_workers(&sink, 0);
	assert_int_equal(sink.next, TOTAL);
}

static void ends_many_lanes(void **state)
{
	struct sink sink = { .step = 1, .fail_after = 100 };

	(void)state;
	run_workers(&sink, 42);
	assert_int_equal(sink.calls, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(single_lane_goes_through), test(waits_for_the_first),
		test(lanes_may_have_nothing),	test(passes_gaps),
		test(lane_error_wakes_all),	test(callback_ends_it),
		test(merges_many_lanes),	test(ends_many_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

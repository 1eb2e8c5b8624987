// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Lanes start together and wait for each other at the end. */
#include "gate.h"
#include "unit.h"

#define LANES 16

struct lane {
	struct xtr_gate *gate;
	int openings; /* gates it has passed */
	int rounds;
	pthread_t thread;
};

static void *go(void *arg)
{
	struct lane *lane = arg;
	int i;

	for (i = 1; i <= lane->rounds; i++) {
		xtr_gate__pass(lane->gate, i);
		__atomic_store_n(&lane->openings, i, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void start(struct lane *lanes, int from, int to, struct xtr_gate *gate, int rounds)
{
	int i;

	for (i = from; i < to; i++) {
		lanes[i] = (struct lane){ .gate = gate, .rounds = rounds };
		assert_int_equal(pthread_create(&lanes[i].thread, NULL, go, &lanes[i]), 0);
	}
}

static void join(struct lane *lanes)
{
	int i;

	for (i = 0; i < LANES; i++)
		assert_int_equal(pthread_join(lanes[i].thread, NULL), 0);
}

static int most_openings(const struct lane *lanes)
{
	int i, most = 0, openings;

	for (i = 0; i < LANES; i++) {
		openings = __atomic_load_n(&lanes[i].openings, __ATOMIC_ACQUIRE);
		most = openings > most ? openings : most;
	}
	return most;
}

static void nobody_passes_before(void **state)
{
	struct lane lanes[LANES];
	struct xtr_gate gate;

	(void)state;
	xtr_gate__init(&gate);
	start(lanes, 0, LANES, &gate, 2);
	xtr_gate__await(&gate, LANES);
	pause_ms(20);
	assert_int_equal(most_openings(lanes), 0);
	xtr_gate__open(&gate);
	xtr_gate__await(&gate, LANES);
	pause_ms(20);
	assert_int_equal(most_openings(lanes), 1);
	xtr_gate__open(&gate);
	join(lanes);
	assert_int_equal(most_openings(lanes), 2);
	xtr_gate__destroy(&gate);
}

static void *await_all(void *arg)
{
	struct lane *waiter = arg;

	xtr_gate__await(waiter->gate, LANES);
	__atomic_store_n(&waiter->openings, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void await_wants_all(void **state)
{
	struct lane lanes[LANES], waiter;
	struct xtr_gate gate;

	(void)state;
	xtr_gate__init(&gate);
	waiter = (struct lane){ .gate = &gate };
	start(lanes, 0, LANES - 1, &gate, 1);
	assert_int_equal(pthread_create(&waiter.thread, NULL, await_all, &waiter), 0);
	pause_ms(20);
	assert_int_equal(__atomic_load_n(&waiter.openings, __ATOMIC_ACQUIRE), 0);
	start(lanes, LANES - 1, LANES, &gate, 1);
	assert_int_equal(pthread_join(waiter.thread, NULL), 0);
	xtr_gate__open(&gate);
	join(lanes);
	xtr_gate__destroy(&gate);
}

/* No lane could be started. */
static void opens_for_nobody(void **state)
{
	struct xtr_gate gate;

	(void)state;
	xtr_gate__init(&gate);
	xtr_gate__await(&gate, 0);
	xtr_gate__open(&gate);
	xtr_gate__await(&gate, 0);
	xtr_gate__open(&gate);
	/* Who comes late finds it open. */
	xtr_gate__pass(&gate, 2);
	xtr_gate__destroy(&gate);
}

static void many_rounds(void **state)
{
	struct lane lanes[LANES];
	struct xtr_gate gate;
	int i;

	(void)state;
	xtr_gate__init(&gate);
	start(lanes, 0, LANES, &gate, 300);
	for (i = 0; i < 300; i++) {
		xtr_gate__await(&gate, LANES);
		assert_int_equal(most_openings(lanes), i);
		xtr_gate__open(&gate);
	}
	join(lanes);
	xtr_gate__destroy(&gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(nobody_passes_before),
		test(await_wants_all),
		test(opens_for_nobody),
		test(many_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

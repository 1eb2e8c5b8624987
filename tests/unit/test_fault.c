// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The deliberate faults: each happens once, and is what it says. */
#include "fault.h"
#include "unit.h"
#include "window.h"

#define LEN 60

static struct xtr_window window;
static __u8 slots[XTR_IN_SIZE + XTR_SLACK];
static __u8 before[sizeof(slots)];

/* Packets of a byte each, their number. */
static void fill(__u32 count)
{
	struct xtr_slot *slot;
	__u32 i;

	memset(&window, 0, sizeof(window));
	memset(slots, 0, sizeof(slots));
	window.slots = slots;
	for (i = 0; i < count; i++) {
		slot = xtr_window__slot(&window, window.used);
		slot->size = XTR_ALIGN(sizeof(*slot) + LEN);
		slot->seq = i;
		slot->len = LEN;
		memset(slot->data, i, LEN);
		window.entries[i].slot = window.used;
		window.outcomes[i] = (struct xtr_outcome){ .index = 100 + i, .verdict = i };
		window.used += slot->size;
	}
	window.count = window.done = count;
	memcpy(before, slots, sizeof(slots));
}

static bool changed(void)
{
	return memcmp(before, slots, sizeof(slots));
}

/* The numbers of the packets that will be run. */
static void expect_slots(const __u32 *want, __u32 count)
{
	const struct xtr_slot *slot;
	__u32 i, pos = 0;

	for (i = 0; i < count; i++) {
		slot = xtr_window__slot(&window, pos);
		assert_int_equal(slot->seq, want[i]);
		assert_int_equal(slot->data[0], want[i]);
		pos += slot->size;
	}
	assert_int_equal(pos, window.used);
}

static void none_is_none(void **state)
{
	(void)state;
	xtr_fault__set(XTR_FAULT_NONE);
	fill(4);
	xtr_fault__input(&window);
	xtr_fault__outcomes(&window, 0, 4);
	assert_false(changed());
	assert_int_equal(window.outcomes[1].verdict, 1);
}

static void corrupts_a_byte_once(void **state)
{
	__u32 i, differ = 0;

	(void)state;
	xtr_fault__set(XTR_FAULT_CORRUPT);
	fill(4);
	xtr_fault__input(&window);
	for (i = 0; i < sizeof(slots); i++)
		differ += slots[i] != before[i];
	assert_int_equal(differ, 1);
	expect_slots((__u32[]){ 0, 1, 2, 3 }, 4);
	fill(4);
	xtr_fault__input(&window);
	assert_false(changed());
}

static void drops_one(void **state)
{
	(void)state;
	xtr_fault__set(XTR_FAULT_DROP);
	fill(4);
	xtr_fault__input(&window);
	expect_slots((__u32[]){ 0, 2, 3 }, 3);
	assert_int_equal(window.count, 4);
	fill(4);
	xtr_fault__input(&window);
	assert_false(changed());
}

static void repeats_one(void **state)
{
	(void)state;
	xtr_fault__set(XTR_FAULT_REPEAT);
	fill(4);
	xtr_fault__input(&window);
	expect_slots((__u32[]){ 0, 1, 1, 2, 3 }, 5);
	fill(4);
	xtr_fault__input(&window);
	assert_false(changed());
}

static void swaps_outcomes(void **state)
{
	(void)state;
	xtr_fault__set(XTR_FAULT_SWAP);
	fill(4);
	xtr_fault__input(&window);
	assert_false(changed());
	/* Not among those that are delivered now. */
	xtr_fault__outcomes(&window, 2, 4);
	assert_int_equal(window.outcomes[1].verdict, 1);
	xtr_fault__outcomes(&window, 0, 4);
	assert_int_equal(window.outcomes[1].verdict, 2);
	assert_int_equal(window.outcomes[1].index, 101);
	assert_int_equal(window.outcomes[2].verdict, 1);
	assert_int_equal(window.outcomes[2].index, 102);
	xtr_fault__outcomes(&window, 0, 4);
	assert_int_equal(window.outcomes[1].verdict, 2);
}

/* A window without room for it is left alone; the fault waits for the next one. */
static void waits_for_room(void **state)
{
	(void)state;
	xtr_fault__set(XTR_FAULT_DROP);
	fill(2);
	xtr_fault__input(&window);
	assert_false(changed());
	fill(3);
	xtr_fault__input(&window);
	assert_true(changed());
	xtr_fault__set(XTR_FAULT_REPEAT);
	fill(4);
	window.used = XTR_IN_SIZE - 8;
	xtr_fault__input(&window);
	assert_false(changed());
	xtr_fault__set(XTR_FAULT_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(none_is_none), test(corrupts_a_byte_once), test(drops_one),
		test(repeats_one),  test(swaps_outcomes),	test(waits_for_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <string.h>

#include "fault.h"
#include "window.h"

/* Which packet of the window is hit; its neighbour takes part in a swap. */
#define VICTIM 1

static enum xtr_fault armed;

void xtr_fault__set(enum xtr_fault fault)
{
	__atomic_store_n(&armed, fault, __ATOMIC_RELEASE);
}

/* Lanes race for it; one gets it. */
static bool take(enum xtr_fault fault)
{
	return __atomic_compare_exchange_n(&armed, &fault, XTR_FAULT_NONE, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void drop_slot(struct xtr_window *window, struct xtr_slot *slot)
{
	__u32 pos = window->entries[VICTIM].slot, size = slot->size;

	memmove(slot, (char *)slot + size, window->used - pos - size);
	window->used -= size;
}

static void repeat_slot(struct xtr_window *window, struct xtr_slot *slot)
{
	__u32 pos = window->entries[VICTIM].slot, size = slot->size;

	memmove((char *)slot + size, slot, window->used - pos);
	window->used += size;
}

void xtr_fault__input(struct xtr_window *window)
{
	struct xtr_slot *slot;

	if (!__atomic_load_n(&armed, __ATOMIC_ACQUIRE) || window->count < VICTIM + 2)
		return;
	slot = xtr_window__slot(window, window->entries[VICTIM].slot);
	if (take(XTR_FAULT_CORRUPT))
		slot->data[slot->meta_len + slot->len - 1] ^= 0x40;
	else if (take(XTR_FAULT_DROP))
		drop_slot(window, slot);
	else if (window->used + slot->size <= XTR_IN_SIZE && take(XTR_FAULT_REPEAT))
		repeat_slot(window, slot);
}

void xtr_fault__outcomes(struct xtr_window *window, __u32 from, __u32 to)
{
	struct xtr_outcome *a = &window->outcomes[VICTIM], *b = a + 1, c;

	if (!__atomic_load_n(&armed, __ATOMIC_ACQUIRE) || from > VICTIM || to < VICTIM + 2)
		return;
	if (!take(XTR_FAULT_SWAP))
		return;
	c = *a;
	*a = *b;
	*b = c;
	/* The places stay: it is what happened that got mixed up. */
	b->index = a->index;
	a->index = c.index;
}

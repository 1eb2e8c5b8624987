// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>

#include "window.h"

int xtr_window__fill(struct xtr_window *window, struct xtr_reader *reader, bool hash)
{
	struct xtr_packet_info info;
	struct xtr_entry *entry;
	struct xtr_slot *slot;
	int err;

	window->used = 0;
	window->count = 0;
	window->done = 0;
	while (window->count < XTR_CHUNK && window->used + sizeof(*slot) < XTR_IN_SIZE) {
		slot = xtr_window__slot(window, window->used);
		err = xtr_reader__next(reader, &info, slot->data,
				       XTR_IN_SIZE - window->used - sizeof(*slot));
		if (err == -ENOSPC && window->count)
			break;
		if (err < 0)
			return err;
		if (!err)
			break;
		slot->size = XTR_ALIGN(sizeof(*slot) + info.meta_len + info.len);
		slot->seq = window->count;
		slot->len = info.len;
		slot->meta_len = info.meta_len;

		entry = &window->entries[window->count];
		entry->index = info.index;
		entry->ts_ns = info.ts_ns;
		entry->len = info.len;
		entry->slot = window->used;
		if (hash)
			entry->hash = xtr_hash(slot->data + info.meta_len, info.len);
		window->used += slot->size;
		window->count++;
	}
	return window->count;
}

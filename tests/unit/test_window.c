// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Filling a window: as many packets as fit, each in its slot. */
#include "unit.h"
#include "window.h"

#define MAX_FRAGS_LEN 73152

/* ---- a reader that makes up packets ------------------------------------ */

struct fake {
	struct xtr_reader base;
	__u32 (*len)(__u64 i);
	__u32 meta_len;
	__u64 count;
	__u64 next;
	int err; /* at the end, instead of 0 */
};

static int fake_next(struct xtr_reader *base, struct xtr_packet_info *info, void *buf, size_t cap)
{
	struct fake *fake = (struct fake *)base;
	__u32 len = fake->len(fake->next);

	if (fake->next >= fake->count)
		return fake->err;
	if (fake->meta_len + len > cap)
		return -ENOSPC;
	info->index = fake->next * 3;
	info->ts_ns = fake->next + 1000;
	info->len = len;
	info->meta_len = fake->meta_len;
	memset(buf, fake->next, fake->meta_len + len);
	fake->next++;
	return 1;
}

static const struct xtr_source_ops fake_ops = { .next = fake_next };

static struct fake fake_reader(__u32 (*len)(__u64), __u64 count)
{
	return (struct fake){ .base.ops = &fake_ops, .len = len, .count = count };
}

static __u32 small(__u64 i)
{
	(void)i;
	return 60;
}

static __u32 varied(__u64 i)
{
	return 14 + i * 37 % 3507;
}

static __u32 whole_page(__u64 i)
{
	(void)i;
	return XTR_MAX_LINEAR;
}

static __u32 frags(__u64 i)
{
	(void)i;
	return MAX_FRAGS_LEN;
}

static __u32 too_big(__u64 i)
{
	(void)i;
	return XTR_IN_SIZE;
}

/* Exactly the space of a window, header included. */
static __u32 exact(__u64 i)
{
	(void)i;
	return XTR_IN_SIZE - sizeof(struct xtr_slot);
}

/* ---- a window whose slots are followed by what must stay ---------------- */

static struct xtr_window window;
static __u8 slots[XTR_IN_SIZE + XTR_SLACK];

static int fill(struct fake *fake, bool hash)
{
	memset(slots + XTR_IN_SIZE, 0xa5, XTR_SLACK);
	window.slots = slots;
	window.done = 99;
	return xtr_window__fill(&window, &fake->base, hash);
}

static void check_slot(const struct fake *fake, __u32 seq, __u64 i, __u32 pos)
{
	const struct xtr_entry *entry = &window.entries[seq];
	const struct xtr_slot *slot = xtr_window__slot(&window, pos);
	__u32 k;

	assert_int_equal(entry->slot, pos);
	assert_int_equal(entry->index, i * 3);
	assert_int_equal(entry->ts_ns, i + 1000);
	assert_int_equal(entry->len, fake->len(i));
	assert_int_equal(slot->seq, seq);
	assert_int_equal(slot->len, fake->len(i));
	assert_int_equal(slot->meta_len, fake->meta_len);
	assert_int_equal(slot->size % 8, 0);
	assert_true(slot->size >= sizeof(*slot) + slot->len + slot->meta_len);
	for (k = 0; k < slot->len + slot->meta_len; k++)
		assert_int_equal(slot->data[k], (__u8)i);
}

/* The window's packets are @first and those behind it, one behind the other. */
static void check_window(const struct fake *fake, __u64 first)
{
	__u32 seq, pos = 0;

	assert_int_equal(window.done, 0);
	for (seq = 0; seq < window.count; seq++) {
		check_slot(fake, seq, first + seq, pos);
		pos += xtr_window__slot(&window, pos)->size;
	}
	assert_int_equal(window.used, pos);
	assert_true(window.used <= XTR_IN_SIZE);
	for (pos = XTR_IN_SIZE; pos < sizeof(slots); pos++)
		assert_int_equal(slots[pos], 0xa5);
}

/* All of the set comes, once and in order. Returns how many windows it took. */
static int check_all(struct fake *fake)
{
	int windows = 0, n;
	__u64 first = 0;

	while ((n = fill(fake, false)) > 0) {
		assert_int_equal(n, window.count);
		check_window(fake, first);
		first += n;
		windows++;
	}
	assert_int_equal(n, 0);
	assert_int_equal(first, fake->count);
	assert_int_equal(window.count, 0);
	assert_int_equal(window.used, 0);
	return windows;
}

/* ---- tests ------------------------------------------------------------- */

static void takes_a_chunk_at_most(void **state)
{
	struct fake fake = fake_reader(small, 3 * XTR_CHUNK + 1);

	(void)state;
	assert_int_equal(check_all(&fake), 4);
}

static void takes_what_fits(void **state)
{
	struct fake fake = fake_reader(varied, 20000);

	(void)state;
	check_all(&fake);
	fake = fake_reader(whole_page, 1000);
	assert_in_range(check_all(&fake), 1000 / (XTR_IN_SIZE / XTR_MAX_LINEAR), 1000);
}

static void takes_metadata(void **state)
{
	struct fake fake = fake_reader(varied, 5000);

	(void)state;
	fake.meta_len = XTR_MAX_META;
	check_all(&fake);
}

static void takes_one_big_frame(void **state)
{
	struct fake fake = fake_reader(frags, 5);

	(void)state;
	assert_int_equal(check_all(&fake), 5);
	fake = fake_reader(exact, 3);
	assert_int_equal(check_all(&fake), 3);
	assert_int_equal(window.used, 0);
}

/* What no window can hold is an error, not the end and not for ever. */
static void refuses_what_never_fits(void **state)
{
	struct fake fake = fake_reader(too_big, 1);

	(void)state;
	assert_int_equal(fill(&fake, false), -ENOSPC);
	assert_int_equal(window.count, 0);
}

static void passes_errors(void **state)
{
	struct fake fake = fake_reader(small, 10);

	(void)state;
	fake.err = -EBADMSG;
	assert_int_equal(fill(&fake, false), -EBADMSG);
}

static void hashes_packets_only(void **state)
{
	struct fake fake = fake_reader(varied, 30);
	const struct xtr_slot *slot;
	__u32 i;

	(void)state;
	fake.meta_len = 8;
	assert_int_equal(fill(&fake, true), 30);
	for (i = 0; i < 30; i++) {
		slot = xtr_window__slot(&window, window.entries[i].slot);
		assert_true(window.entries[i].hash == xtr_hash(slot->data + 8, slot->len));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(takes_a_chunk_at_most), test(takes_what_fits),	    test(takes_metadata),
		test(takes_one_big_frame),   test(refuses_what_never_fits), test(passes_errors),
		test(hashes_packets_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

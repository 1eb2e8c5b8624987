// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The batch path: runs the spliced target over the slots of the input area.
 *
 * feed_window takes all of them in one iteration, from a bpf_loop(), so that
 * the kernel's run loop and its dispatcher are paid once a window. feed_each
 * takes one per iteration, for targets that cannot be called from a callback:
 * it has more stack left, and what the kernel counts per run (tail calls, of
 * which it allows 33) starts anew for each packet.
 */
#include "packet.bpf.h"

/*
 * Gives the packet back the shape it had, whatever the last one's run did to
 * it. The order matters: a head can only be moved if 14 bytes stay, and there
 * must be no metadata in its way.
 */
static __noinline int restore(struct xdp_md *ctx, __u32 len)
{
	int meta = DATA(ctx) - DATA_META(ctx);
	int moved, have;

	if (moves_meta && meta && bpf_xdp_adjust_meta(ctx, meta))
		return -1;
	moved = address(DATA(ctx)) - ctl.origin;
	if (moved < 0) {
		have = DATA_END(ctx) - DATA(ctx);
		have += moved;
		if (have < XTR_MIN_LEN && bpf_xdp_adjust_tail(ctx, XTR_MIN_LEN - have))
			return -1;
	}
	if (moved && bpf_xdp_adjust_head(ctx, -moved))
		return -1;
	have = DATA_END(ctx) - DATA(ctx);
	if (have != (int)len && bpf_xdp_adjust_tail(ctx, len - have))
		return -1;
	return 0;
}

static __always_inline bool untouched(struct xdp_md *ctx, __u32 len)
{
	void *data = DATA(ctx);

	return DATA_END(ctx) - data == len && DATA_META(ctx) == data && address(data) == ctl.origin;
}

/* The counterpart of meta_read(). */
static __noinline int meta_write(struct xdp_md *ctx, __u8 *from)
{
	for (int i = 0; i < XTR_MAX_META; i += 4) {
		void *p = DATA_META(ctx) + i;

		if (p + 4 > DATA(ctx))
			break;
		*(__u32 *)p = *(__u32 *)(from + i);
	}
	return 0;
}

static __always_inline int load(struct xdp_md *ctx, struct xtr_slot *slot)
{
	__u32 len = slot->len, meta_len = slot->meta_len;
	__u8 *from = slot->data;

	if (!ctl.origin)
		ctl.origin = address(DATA(ctx));
	if (!untouched(ctx, len) && restore(ctx, len))
		return -1;
	if (meta_len) {
		if (!moves_meta || meta_len > XTR_MAX_META ||
		    bpf_xdp_adjust_meta(ctx, -(int)meta_len))
			return -1;
		meta_write(ctx, from);
		from += meta_len;
	}
	return packet_write(ctx, from, len);
}

/* Returns 1 where there was nothing to do. */
static __always_inline int feed_one(struct xdp_md *ctx)
{
	struct xtr_record *rec;
	struct xtr_slot *slot;
	__u32 pos = ctl.in_pos;
	int verdict;

	if (pos >= ctl.in_end || output_full())
		return 1;
	slot = slot_at(pos);
	if (load(ctx, slot)) {
		ctl.failed = slot->seq + 1;
		return 1;
	}
	verdict = xtr_target(ctx);

	slot = slot_at(ctl.in_pos);
	rec = record_at(ctl.out_head);
	rec->seq = slot->seq;
	rec->verdict = verdict;
	rec->port = XTR_PORT_TARGET;
	rec->in_len = slot->len;
	rec->in_hash = 0;
	ctl.in_pos += slot->size;
	ctl.out_head += record_write(ctx, rec);
	return 0;
}

SEC("xdp")
int feed_each(struct xdp_md *ctx)
{
	if (!is_template())
		feed_one(ctx);
	return XDP_DROP;
}

struct feed {
	struct xdp_md *ctx;
};

/*
 * A few packets per callback, since calls and returns cost more than the rest
 * of the loop. Few: the verifier walks through the target for each of them.
 */
#define FEED_ROUNDS 4

static int feed_next(__u32 i, struct feed *feed)
{
#pragma nounroll
	for (int round = 0; round < FEED_ROUNDS; round++)
		if (feed_one(feed->ctx))
			return 1;
	return 0;
}

SEC("xdp")
int feed_window(struct xdp_md *ctx)
{
	struct feed feed = { .ctx = ctx };

	if (is_template())
		return XDP_DROP;
	bpf_loop(XTR_IN_SIZE / sizeof(struct xtr_slot), feed_next, &feed, 0);
	return XDP_DROP;
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Head, tail and metadata moved by what the packet's own bytes say, in an
 * order that they say too, so that packets of random bytes drive a path's
 * restoring in all directions. The verdict counts the moves that the kernel
 * refused (none: TX, one: PASS, two: DROP, three: ABORTED), and bits 0 to 2 of
 * the packet's last byte say which ones: head, tail, metadata.
 */
#include "cases.h"

/* The limits of each amount, in bytes. How far a tail may grow is where paths
 * differ: tail_grow_max = 0 gives a run that must agree on all of them.
 */
const volatile __s32 head_push_max = 256;
const volatile __s32 head_pull_max = 64;
const volatile __s32 tail_grow_max = 128;
const volatile __s32 tail_shrink_max = 64;
const volatile __u32 meta_words_max = 9;

struct args {
	__u16 head;
	__u16 tail;
	__u8 meta;
	__u8 order;
};

#define FAILED_HEAD 1
#define FAILED_TAIL 2
#define FAILED_META 4

/* Scale 16 random bits to a delta between -neg and pos. */
static __always_inline __s32 delta(__u16 random, __s32 neg, __s32 pos)
{
	return (__s32)(random % (__u32)(neg + pos + 1)) - neg;
}

static __always_inline __u32 move_head(struct xdp_md *ctx, const struct args *args)
{
	__s32 d = delta(args->head, head_push_max, head_pull_max);

	if (bpf_xdp_adjust_head(ctx, d))
		return FAILED_HEAD;
	if (d < 0)
		fill_head(ctx, -d, args->order);
	return 0;
}

static __always_inline __u32 move_tail(struct xdp_md *ctx, const struct args *args)
{
	__s32 d = delta(args->tail, tail_shrink_max, tail_grow_max);

	return bpf_xdp_adjust_tail(ctx, d) ? FAILED_TAIL : 0;
}

static __always_inline __u32 move_meta(struct xdp_md *ctx, const struct args *args)
{
	__u32 words = args->meta % (meta_words_max + 1);
	__u32 *pos, *end;
	__u32 i;

	if (bpf_xdp_adjust_meta(ctx, -(__s32)(4 * words)))
		return FAILED_META;

	pos = (void *)(long)ctx->data_meta;
	end = (void *)(long)ctx->data;
	for (i = 0; i < 64; i++) {
		if (i >= words || pos + i + 1 > end)
			break;
		pos[i] = 0x01010101 * args->meta + i;
	}
	return 0;
}

static __always_inline int verdict(__u32 failed)
{
	return XDP_TX -
	       (!!(failed & FAILED_HEAD) + !!(failed & FAILED_TAIL) + !!(failed & FAILED_META));
}

SEC("xdp")
int moves(struct xdp_md *ctx)
{
	struct args *in = pkt_args(ctx, sizeof(*in));
	struct args args;
	__u32 failed;
	__u8 last;

	if (!in)
		return XDP_PASS;
	args = *in;

	if (args.order & 1) {
		failed = move_head(ctx, &args);
		failed |= move_tail(ctx, &args);
	} else {
		failed = move_tail(ctx, &args);
		failed |= move_head(ctx, &args);
	}
	failed |= move_meta(ctx, &args);

	last = failed;
	if (bpf_xdp_store_bytes(ctx, bpf_xdp_get_buff_len(ctx) - 1, &last, sizeof(last)))
		return 1000;
	return verdict(failed);
}

char _license[] SEC("license") = "Dual BSD/GPL";

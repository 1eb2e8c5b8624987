// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Programs that take packets of several fragments. BPF_PROG_TEST_RUN takes up to
 * 73152 bytes, but bpf_xdp_load_bytes() and bpf_xdp_store_bytes() refuse
 * offsets above 65535, so that the rest is out of a program's reach.
 */
#include "cases.h"

#define CHUNK 64
#define MAX_CHUNKS 1024

const volatile __s32 tail_delta = -100;

SEC("xdp.frags")
int frags_len_linear(struct xdp_md *ctx)
{
	return ctx->data_end - ctx->data;
}

SEC("xdp.frags")
int frags_len_buff(struct xdp_md *ctx)
{
	return bpf_xdp_get_buff_len(ctx);
}

/* One byte of each chunk within reach, wherever the fragments begin and end. */
SEC("xdp.frags")
int frags_sum(struct xdp_md *ctx)
{
	__u32 len = bpf_xdp_get_buff_len(ctx);
	__u32 i, sum = 0;
	__u8 byte;

	for (i = 0; i < MAX_CHUNKS; i++) {
		if (i * CHUNK >= len)
			break;
		if (bpf_xdp_load_bytes(ctx, i * CHUNK, &byte, sizeof(byte)))
			return XDP_ABORTED;
		sum += byte;
	}
	/* Out of the verdicts' way. */
	return sum + 1000;
}

/* Turn the last 16 bytes over, in the last fragment or across two. ABORTED when
 * they are out of reach.
 */
SEC("xdp.frags")
int frags_invert_end(struct xdp_md *ctx)
{
	__u32 len = bpf_xdp_get_buff_len(ctx);
	__u64 end[2];

	if (len < sizeof(end) || bpf_xdp_load_bytes(ctx, len - sizeof(end), end, sizeof(end)))
		return XDP_ABORTED;
	end[0] = ~end[0];
	end[1] = ~end[1];
	if (bpf_xdp_store_bytes(ctx, len - sizeof(end), end, sizeof(end)))
		return XDP_ABORTED;
	return XDP_TX;
}

SEC("xdp.frags")
int frags_tail(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_tail(ctx, tail_delta) ? XDP_ABORTED : XDP_TX;
}

SEC("xdp.frags")
int frags_push_8(struct xdp_md *ctx)
{
	if (bpf_xdp_adjust_head(ctx, -8))
		return XDP_ABORTED;
	fill_head(ctx, 8, 0xa0);
	return XDP_TX;
}

/* As far as a packet can grow: its last buffer to the end of a page, all of the
 * headroom.
 */
SEC("xdp.frags")
int frags_grow_push_216(struct xdp_md *ctx)
{
	if (bpf_xdp_adjust_tail(ctx, tail_delta))
		return XDP_ABORTED;
	if (bpf_xdp_adjust_head(ctx, -216))
		return XDP_DROP;
	fill_head(ctx, 216, 0xa0);
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

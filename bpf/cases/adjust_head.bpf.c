// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf_xdp_adjust_head() in both directions: TX when the kernel did it,
 * ABORTED when it refused. Pushed bytes are 0xa0, 0xa1, ...
 */
#include "cases.h"

const volatile __s32 head_delta = -4;

static __always_inline int move_head(struct xdp_md *ctx, __s32 delta)
{
	if (bpf_xdp_adjust_head(ctx, delta))
		return XDP_ABORTED;
	if (delta < 0)
		fill_head(ctx, -delta, 0xa0);
	return XDP_TX;
}

#define MOVE_HEAD(name, delta)                \
	SEC("xdp")                            \
	int name(struct xdp_md *ctx)          \
	{                                     \
		return move_head(ctx, delta); \
	}

MOVE_HEAD(head_push_4, -4)
MOVE_HEAD(head_push_14, -14)
MOVE_HEAD(head_push_100, -100)
/* All of the headroom that test-run and veth give, and one byte more. */
MOVE_HEAD(head_push_216, -216)
MOVE_HEAD(head_push_217, -217)
MOVE_HEAD(head_pull_4, 4)
MOVE_HEAD(head_pull_14, 14)
MOVE_HEAD(head_pull_46, 46)
MOVE_HEAD(head_rodata, head_delta)

/* Argument: the delta as a __s16. */
SEC("xdp")
int head_from_packet(struct xdp_md *ctx)
{
	__s16 *delta = pkt_args(ctx, sizeof(*delta));

	return delta ? move_head(ctx, *delta) : XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Head and tail in one run: whoever restores the packet for the next one must
 * undo both. TX when the kernel did both, DROP when it refused the head,
 * ABORTED when it refused the tail. Pushed bytes are 0xb0, 0xb1, ...
 */
#include "cases.h"

static __always_inline int move_both(struct xdp_md *ctx, int head, int tail)
{
	if (bpf_xdp_adjust_head(ctx, head))
		return XDP_DROP;
	if (head < 0)
		fill_head(ctx, -head, 0xb0);
	if (bpf_xdp_adjust_tail(ctx, tail))
		return XDP_ABORTED;
	return XDP_TX;
}

#define MOVE_BOTH(name, head, tail)                \
	SEC("xdp")                                 \
	int name(struct xdp_md *ctx)               \
	{                                          \
		return move_both(ctx, head, tail); \
	}

MOVE_BOTH(push_100_grow_40, -100, 40)
MOVE_BOTH(push_100_shrink_20, -100, -20)
MOVE_BOTH(pull_14_grow_14, 14, 14)
MOVE_BOTH(pull_14_shrink_20, 14, -20)

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf_xdp_adjust_tail() in both directions: TX when the kernel did it, ABORTED
 * when it refused. The kernel clears what a packet grows by.
 *
 * How far a packet can grow differs between test-run and veth, and on veth
 * between kernels: a documented divergence.
 */
#include "cases.h"

const volatile __s32 tail_delta = -4;

#define MOVE_TAIL(name, delta)                                                 \
	SEC("xdp")                                                             \
	int name(struct xdp_md *ctx)                                           \
	{                                                                      \
		return bpf_xdp_adjust_tail(ctx, delta) ? XDP_ABORTED : XDP_TX; \
	}

MOVE_TAIL(tail_grow_4, 4)
MOVE_TAIL(tail_grow_40, 40)
MOVE_TAIL(tail_grow_100, 100)
MOVE_TAIL(tail_grow_1000, 1000)
MOVE_TAIL(tail_shrink_4, -4)
MOVE_TAIL(tail_shrink_40, -40)
MOVE_TAIL(tail_shrink_100, -100)
MOVE_TAIL(tail_rodata, tail_delta)

/* Argument: the delta as a __s16. */
SEC("xdp")
int tail_from_packet(struct xdp_md *ctx)
{
	__s16 *delta = pkt_args(ctx, sizeof(*delta));

	if (!delta)
		return XDP_PASS;
	return bpf_xdp_adjust_tail(ctx, *delta) ? XDP_ABORTED : XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

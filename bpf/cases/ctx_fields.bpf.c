// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the context says about where the packet came from. */
#include "cases.h"

/* Both into the packet, as two __u32. */
SEC("xdp")
int ctx_to_packet(struct xdp_md *ctx)
{
	__u32 *out = pkt_args(ctx, 2 * sizeof(*out));

	if (!out)
		return XDP_PASS;
	out[0] = ctx->ingress_ifindex;
	out[1] = ctx->rx_queue_index;
	return XDP_TX;
}

/* Each as the verdict. */
SEC("xdp")
int ctx_ifindex(struct xdp_md *ctx)
{
	return ctx->ingress_ifindex;
}

SEC("xdp")
int ctx_queue(struct xdp_md *ctx)
{
	return ctx->rx_queue_index;
}

char _license[] SEC("license") = "Dual BSD/GPL";

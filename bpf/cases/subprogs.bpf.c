// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Static and global subprograms, nested, and moving the packet. */
#include "cases.h"

static __noinline int classify(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth));

	if (!eth)
		return XDP_ABORTED;
	return eth->h_proto == bpf_htons(ETH_P_IP) ? XDP_TX : XDP_PASS;
}

__noinline int global_classify(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth));

	if (!eth)
		return XDP_ABORTED;
	return eth->h_proto == bpf_htons(ETH_P_IPV6) ? XDP_TX : XDP_PASS;
}

/* TX for IPv4, PASS for the rest. */
SEC("xdp")
int subprog_static(struct xdp_md *ctx)
{
	return classify(ctx);
}

/* TX for IPv6, PASS for the rest. */
SEC("xdp")
int subprog_global(struct xdp_md *ctx)
{
	return global_classify(ctx);
}

static __noinline __u32 nest4(__u32 x)
{
	return x * 31 + 4;
}

static __noinline __u32 nest3(__u32 x)
{
	return nest4(x) * 31 + 3;
}

static __noinline __u32 nest2(__u32 x)
{
	return nest3(x) * 31 + 2;
}

static __noinline __u32 nest1(__u32 x)
{
	return nest2(x) * 31 + 1;
}

/* Five frames deep; the argument, a __u32, is replaced by the result. */
SEC("xdp")
int subprog_nested(struct xdp_md *ctx)
{
	__u32 *arg = pkt_args(ctx, sizeof(*arg));

	if (!arg)
		return XDP_PASS;
	*arg = nest1(*arg);
	return XDP_TX;
}

__noinline int global_push(struct xdp_md *ctx)
{
	return bpf_xdp_adjust_head(ctx, -8);
}

/* The packet moves inside of the subprogram. */
SEC("xdp")
int subprog_push_8(struct xdp_md *ctx)
{
	if (global_push(ctx))
		return XDP_ABORTED;
	fill_head(ctx, 8, 0xd0);
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

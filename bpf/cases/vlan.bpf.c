// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* 802.1Q and 802.1ad tags pushed and popped: TX when done, PASS when there is
 * nothing to pop, ABORTED when the kernel refused to move the head.
 */
#include "cases.h"

const volatile __u16 vlan_id = 100;

static __always_inline int push(struct xdp_md *ctx, __u16 tpid, __u16 tci)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth));
	struct vlan_hdr *vlan;
	struct ethhdr copy;

	if (!eth)
		return XDP_ABORTED;
	copy = *eth;
	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(*vlan)))
		return XDP_ABORTED;
	eth = pkt_at(ctx, 0, sizeof(*eth) + sizeof(*vlan));
	if (!eth)
		return XDP_ABORTED;
	vlan = (void *)(eth + 1);
	vlan->tci = bpf_htons(tci);
	vlan->proto = copy.h_proto;
	*eth = copy;
	eth->h_proto = bpf_htons(tpid);
	return XDP_TX;
}

static __always_inline int pop(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth) + sizeof(struct vlan_hdr));
	struct vlan_hdr *vlan;
	struct ethhdr copy;

	if (!eth)
		return XDP_PASS;
	if (eth->h_proto != bpf_htons(ETH_P_8021Q) && eth->h_proto != bpf_htons(ETH_P_8021AD))
		return XDP_PASS;
	vlan = (void *)(eth + 1);
	copy = *eth;
	copy.h_proto = vlan->proto;
	if (bpf_xdp_adjust_head(ctx, sizeof(*vlan)))
		return XDP_ABORTED;
	eth = pkt_at(ctx, 0, sizeof(*eth));
	if (!eth)
		return XDP_ABORTED;
	*eth = copy;
	return XDP_TX;
}

SEC("xdp")
int vlan_push(struct xdp_md *ctx)
{
	return push(ctx, ETH_P_8021Q, vlan_id);
}

SEC("xdp")
int vlan_push_double(struct xdp_md *ctx)
{
	int ret = push(ctx, ETH_P_8021Q, vlan_id);

	return ret == XDP_TX ? push(ctx, ETH_P_8021AD, vlan_id + 1) : ret;
}

SEC("xdp")
int vlan_pop(struct xdp_md *ctx)
{
	return pop(ctx);
}

SEC("xdp")
int vlan_pop_double(struct xdp_md *ctx)
{
	int ret = pop(ctx);

	return ret == XDP_TX ? pop(ctx) : ret;
}

char _license[] SEC("license") = "Dual BSD/GPL";

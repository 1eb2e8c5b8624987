// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* IPv4 into IPv4, IPv4 into UDP (VXLAN), and IPIP out again. TX when done,
 * PASS for other packets, ABORTED when the kernel refused to move the head.
 */
#include "cases.h"

#define VXLAN_PORT 4789

struct vxlan_hdr {
	__be32 flags;
	__be32 vni;
};

const volatile __be32 outer_saddr = bpf_htonl(0xac100001);
const volatile __be32 outer_daddr = bpf_htonl(0xac100002);

static __always_inline void fill_ipv4(struct iphdr *iph, __u8 proto, __u32 len)
{
	__u16 *word = (__u16 *)iph;
	__u32 sum = 0;
	int i;

	__builtin_memset(iph, 0, sizeof(*iph));
	iph->version = 4;
	iph->ihl = 5;
	iph->tot_len = bpf_htons(len);
	iph->ttl = 64;
	iph->protocol = proto;
	iph->saddr = outer_saddr;
	iph->daddr = outer_daddr;
#pragma unroll
	for (i = 0; i < (int)sizeof(*iph) / 2; i++)
		sum += word[i];
	iph->check = csum_fold(sum);
}

static __always_inline bool is_ipv4(struct ethhdr *eth)
{
	return eth->h_proto == bpf_htons(ETH_P_IP);
}

SEC("xdp")
int encap_ipip(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth) + sizeof(struct iphdr));
	struct iphdr *iph;
	struct ethhdr copy;
	__u32 len;

	if (!eth || !is_ipv4(eth))
		return XDP_PASS;
	iph = (void *)(eth + 1);
	len = bpf_ntohs(iph->tot_len) + sizeof(*iph);
	copy = *eth;

	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(*iph)))
		return XDP_ABORTED;
	eth = pkt_at(ctx, 0, sizeof(*eth) + sizeof(*iph));
	if (!eth)
		return XDP_ABORTED;
	*eth = copy;
	fill_ipv4((void *)(eth + 1), IPPROTO_IPIP, len);
	return XDP_TX;
}

SEC("xdp")
int decap_ipip(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth) + sizeof(struct iphdr));
	struct iphdr *iph;
	struct ethhdr copy;

	if (!eth || !is_ipv4(eth))
		return XDP_PASS;
	iph = (void *)(eth + 1);
	if (iph->ihl != 5 || iph->protocol != IPPROTO_IPIP)
		return XDP_PASS;
	copy = *eth;

	if (bpf_xdp_adjust_head(ctx, sizeof(*iph)))
		return XDP_ABORTED;
	eth = pkt_at(ctx, 0, sizeof(*eth));
	if (!eth)
		return XDP_ABORTED;
	*eth = copy;
	return XDP_TX;
}

struct vxlan_outer {
	struct ethhdr eth;
	struct iphdr iph;
	struct udphdr uh;
	struct vxlan_hdr vxh;
} __attribute__((packed));

SEC("xdp")
int encap_vxlan(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth));
	__u32 len = ctx->data_end - ctx->data;
	struct vxlan_outer *outer;
	struct ethhdr copy;

	if (!eth || !is_ipv4(eth))
		return XDP_PASS;
	copy = *eth;

	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(*outer)))
		return XDP_ABORTED;
	outer = pkt_at(ctx, 0, sizeof(*outer));
	if (!outer)
		return XDP_ABORTED;

	len += sizeof(outer->vxh) + sizeof(outer->uh);
	outer->eth = copy;
	fill_ipv4((void *)outer + offsetof(struct vxlan_outer, iph), IPPROTO_UDP,
		  len + sizeof(outer->iph));
	outer->uh.source = bpf_htons(49152);
	outer->uh.dest = bpf_htons(VXLAN_PORT);
	outer->uh.len = bpf_htons(len);
	outer->uh.check = 0;
	outer->vxh.flags = bpf_htonl(0x08000000);
	outer->vxh.vni = bpf_htonl(42 << 8);
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

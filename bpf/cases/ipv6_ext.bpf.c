// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Walk IPv6 extension headers. TX when TCP or UDP lies behind at least one,
 * PASS when there is none (or the packet isn't IPv6), DROP when the chain is
 * broken, longer than 8 headers or leads to something else. For TX the first
 * two bytes of the packet become the number of headers and the protocol.
 */
#include "cases.h"

#define MAX_HDRS 8

struct ext_hdr {
	__u8 nexthdr;
	__u8 len;
	__u8 rest[6];
};

SEC("xdp")
int ipv6_ext_walk(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth));
	struct ipv6hdr *ip6h;
	struct ext_hdr *ext;
	__u8 nexthdr;
	void *pos;
	int i;

	if (!eth || eth->h_proto != bpf_htons(ETH_P_IPV6))
		return XDP_PASS;
	ip6h = (void *)(eth + 1);
	if ((void *)(ip6h + 1) > end)
		return XDP_DROP;

	nexthdr = ip6h->nexthdr;
	pos = ip6h + 1;
	for (i = 0; i <= MAX_HDRS; i++) {
		switch (nexthdr) {
		case IPPROTO_TCP:
		case IPPROTO_UDP:
			if (!i)
				return XDP_PASS;
			eth->h_dest[0] = i;
			eth->h_dest[1] = nexthdr;
			return XDP_TX;
		case IPPROTO_HOPOPTS:
		case IPPROTO_ROUTING:
		case IPPROTO_DSTOPTS:
		case IPPROTO_FRAGMENT:
			break;
		default:
			return XDP_DROP;
		}
		ext = pos;
		if ((void *)(ext + 1) > end)
			return XDP_DROP;
		pos = ext + 1;
		if (nexthdr != IPPROTO_FRAGMENT)
			pos += ext->len * 8;
		nexthdr = ext->nexthdr;
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Change a packet on its way up the stack as a router or a port forwarder
 * would: one hop less, another DSCP, another destination port, with all
 * checksums updated incrementally (a bad one stays exactly as bad as it was).
 */
#include "parsing.h"

/* Values above 63 leave the DSCP alone. */
const volatile __u32 dscp = 46;
/* 0 leaves the port alone. */
const volatile __u16 dport = 8080;

static __always_inline __be16 load16(const void *p)
{
	return *(const __be16 *)p;
}

static __always_inline void rewrite_ports(struct cursor *c, __u8 proto)
{
	__be16 to = bpf_htons(dport);
	struct tcphdr *th;
	struct udphdr *uh;

	if (!to)
		return;

	if (proto == IPPROTO_TCP) {
		th = cursor_take(c, sizeof(*th));
		if (!th)
			return;
		th->check = csum_replace(th->check, th->dest, to);
		th->dest = to;
	} else if (proto == IPPROTO_UDP) {
		uh = cursor_take(c, sizeof(*uh));
		if (!uh)
			return;
		/* 0 says that the sender computed none. */
		if (uh->check) {
			uh->check = csum_replace(uh->check, uh->dest, to);
			if (!uh->check)
				uh->check = 0xffff;
		}
		uh->dest = to;
	}
}

static __always_inline int rewrite_ipv4(struct cursor *c)
{
	struct iphdr *iph = parse_iphdr(c);
	__be16 from;

	if (!iph || iph->ttl <= 1)
		return XDP_DROP;

	from = load16(&iph->ttl);
	iph->ttl--;
	iph->check = csum_replace(iph->check, from, load16(&iph->ttl));

	if (dscp < 64) {
		from = load16(iph);
		iph->tos = (iph->tos & 3) | dscp << 2;
		iph->check = csum_replace(iph->check, from, load16(iph));
	}

	/* Only the first fragment has ports. */
	if (!(iph->frag_off & bpf_htons(IP_OFFSET)))
		rewrite_ports(c, iph->protocol);
	return XDP_PASS;
}

static __always_inline int rewrite_ipv6(struct cursor *c)
{
	struct ipv6hdr *ip6h = parse_ip6hdr(c);

	if (!ip6h || ip6h->hop_limit <= 1)
		return XDP_DROP;

	ip6h->hop_limit--;
	if (dscp < 64) {
		ip6h->priority = dscp >> 2;
		ip6h->flow_lbl[0] = (ip6h->flow_lbl[0] & 0x3f) | (dscp & 3) << 6;
	}
	rewrite_ports(c, ip6h->nexthdr);
	return XDP_PASS;
}

SEC("xdp")
int xdp_rewrite(struct xdp_md *ctx)
{
	struct cursor c = cursor_init(ctx);
	__be16 proto;

	if (!parse_ethhdr(&c, &proto) || parse_vlans(&c, &proto) < 0)
		return XDP_DROP;

	switch (proto) {
	case bpf_htons(ETH_P_IP):
		return rewrite_ipv4(&c);
	case bpf_htons(ETH_P_IPV6):
		return rewrite_ipv6(&c);
	default:
		return XDP_PASS;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";

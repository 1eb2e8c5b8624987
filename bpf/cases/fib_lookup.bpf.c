// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A router: look the destination up, one hop less, new MAC addresses, REDIRECT.
 * PASS when the kernel should see the packet (no route of its own kind, no
 * neighbour entry, expiring TTL), DROP for routes that say so and for broken
 * packets. Routes and neighbours are those of the program's network namespace.
 */
#include "cases.h"

#define AF_INET 2
#define AF_INET6 10

static __always_inline __u16 csum_dec_ttl(struct iphdr *iph)
{
	__u32 sum = iph->check + bpf_htons(0x0100);

	return sum + (sum >= 0xffff);
}

SEC("xdp")
int fib_forward(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth));
	struct bpf_fib_lookup fib = {};
	struct ipv6hdr *ip6h = NULL;
	struct iphdr *iph = NULL;

	if (!eth)
		return XDP_DROP;

	if (eth->h_proto == bpf_htons(ETH_P_IP)) {
		iph = (void *)(eth + 1);
		if ((void *)(iph + 1) > end)
			return XDP_DROP;
		if (iph->ttl <= 1)
			return XDP_PASS;
		fib.family = AF_INET;
		fib.tos = iph->tos;
		fib.l4_protocol = iph->protocol;
		fib.tot_len = bpf_ntohs(iph->tot_len);
		fib.ipv4_src = iph->saddr;
		fib.ipv4_dst = iph->daddr;
	} else if (eth->h_proto == bpf_htons(ETH_P_IPV6)) {
		ip6h = (void *)(eth + 1);
		if ((void *)(ip6h + 1) > end)
			return XDP_DROP;
		if (ip6h->hop_limit <= 1)
			return XDP_PASS;
		fib.family = AF_INET6;
		fib.flowinfo = *(__be32 *)ip6h & bpf_htonl(0x0fffffff);
		fib.l4_protocol = ip6h->nexthdr;
		fib.tot_len = bpf_ntohs(ip6h->payload_len);
		__builtin_memcpy(fib.ipv6_src, &ip6h->saddr, sizeof(ip6h->saddr));
		__builtin_memcpy(fib.ipv6_dst, &ip6h->daddr, sizeof(ip6h->daddr));
	} else {
		return XDP_PASS;
	}
	fib.ifindex = ctx->ingress_ifindex;

	switch (bpf_fib_lookup(ctx, &fib, sizeof(fib), 0)) {
	case BPF_FIB_LKUP_RET_SUCCESS:
		break;
	case BPF_FIB_LKUP_RET_BLACKHOLE:
	case BPF_FIB_LKUP_RET_UNREACHABLE:
	case BPF_FIB_LKUP_RET_PROHIBIT:
		return XDP_DROP;
	default:
		return XDP_PASS;
	}

	if (iph) {
		iph->check = csum_dec_ttl(iph);
		iph->ttl--;
	} else if (ip6h) {
		ip6h->hop_limit--;
	}
	__builtin_memcpy(eth->h_dest, fib.dmac, ETH_ALEN);
	__builtin_memcpy(eth->h_source, fib.smac, ETH_ALEN);
	return bpf_redirect(fib.ifindex, 0);
}

/* What the lookup says, as the verdict: 100 + BPF_FIB_LKUP_RET_*. */
SEC("xdp")
int fib_result(struct xdp_md *ctx)
{
	struct bpf_fib_lookup fib = { .family = AF_INET };
	struct iphdr *iph = pkt_at(ctx, sizeof(struct ethhdr), sizeof(*iph));

	if (!iph)
		return XDP_DROP;
	fib.ipv4_src = iph->saddr;
	fib.ipv4_dst = iph->daddr;
	fib.ifindex = ctx->ingress_ifindex;
	return 100 + bpf_fib_lookup(ctx, &fib, sizeof(fib), 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";

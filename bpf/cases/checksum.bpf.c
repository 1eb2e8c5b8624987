// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The verdict says whether a checksum is right: PASS when it is, DROP when it
 * isn't, ABORTED when the packet has none to check. What arrives with a bad
 * checksum must reach the program unchanged.
 */
#include "cases.h"

#define MAX_WORDS 760

static __always_inline struct iphdr *ipv4(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth) + sizeof(struct iphdr));
	struct iphdr *iph;

	if (!eth || eth->h_proto != bpf_htons(ETH_P_IP))
		return NULL;
	iph = (void *)(eth + 1);
	return iph->version == 4 && iph->ihl == 5 ? iph : NULL;
}

SEC("xdp")
int csum_ipv4(struct xdp_md *ctx)
{
	struct iphdr *iph = ipv4(ctx);
	__s64 sum;

	if (!iph)
		return XDP_ABORTED;
	sum = bpf_csum_diff(NULL, 0, (__be32 *)iph, sizeof(*iph), 0);
	return csum_fold(sum) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int csum_udp(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct iphdr *iph = ipv4(ctx);
	struct udphdr *uh;
	__u32 i, len, sum;
	__u16 *word;

	if (!iph || iph->protocol != IPPROTO_UDP)
		return XDP_ABORTED;
	uh = (void *)(iph + 1);
	if ((void *)(uh + 1) > end || !uh->check)
		return XDP_ABORTED;

	len = bpf_ntohs(uh->len);
	sum = (iph->saddr & 0xffff) + (iph->saddr >> 16) + (iph->daddr & 0xffff) +
	      (iph->daddr >> 16) + bpf_htons(IPPROTO_UDP) + uh->len;
	word = (void *)uh;
	for (i = 0; i < MAX_WORDS; i++) {
		if (len < 2 || (void *)(word + 1) > end)
			break;
		sum += *word++;
		len -= 2;
	}
	if (len == 1 && (void *)word + 1 <= end) {
		sum += *(__u8 *)word;
		len = 0;
	}
	if (len)
		return XDP_ABORTED;
	return csum_fold(sum) ? XDP_DROP : XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

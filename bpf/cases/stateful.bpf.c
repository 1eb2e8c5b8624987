// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program whose verdict depends on the packets before: TCP over IPv4 passes
 * in flows that began with a SYN and is dropped in others. The verdicts are
 * the same for any number of lanes only when a flow stays on one lane, in
 * order. FIN and RST end a flow after they passed. ABORTED for what isn't TCP.
 */
#include "cases.h"

struct flow {
	__u32 saddr;
	__u32 daddr;
	__u16 sport;
	__u16 dport;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct flow);
	__type(value, __u32);
} conntrack SEC(".maps");

struct packet {
	struct ethhdr eth;
	struct iphdr iph;
	struct tcphdr th;
} __attribute__((packed));

SEC("xdp")
int tcp_conntrack(struct xdp_md *ctx)
{
	struct packet *pkt = pkt_at(ctx, 0, sizeof(*pkt));
	struct flow flow = {};
	__u32 seen = 1;

	if (!pkt || pkt->eth.h_proto != bpf_htons(ETH_P_IP) || pkt->iph.ihl != 5 ||
	    pkt->iph.protocol != IPPROTO_TCP)
		return XDP_ABORTED;

	flow.saddr = pkt->iph.saddr;
	flow.daddr = pkt->iph.daddr;
	flow.sport = pkt->th.source;
	flow.dport = pkt->th.dest;

	if (pkt->th.syn)
		return bpf_map_update_elem(&conntrack, &flow, &seen, BPF_ANY) ? XDP_ABORTED
									      : XDP_PASS;
	if (!bpf_map_lookup_elem(&conntrack, &flow))
		return XDP_DROP;
	if (pkt->th.fin || pkt->th.rst)
		bpf_map_delete_elem(&conntrack, &flow);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

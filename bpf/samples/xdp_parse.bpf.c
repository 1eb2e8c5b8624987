// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A strict parser: ABORTED for a packet whose headers don't hold together,
 * DROP for one that is well-formed and has no business on a network, PASS for
 * the rest. The per-CPU array parse_results counts each reason.
 */
#include "parsing.h"

#define EXT_HDRS_MAX 6

enum result {
	RES_PASS,
	RES_TRUNCATED,
	RES_BAD_VLAN_DEPTH,
	RES_BAD_IP_HEADER,
	RES_BAD_IP_LENGTH,
	RES_BAD_IP_CSUM,
	RES_BAD_EXT_HDRS,
	RES_BAD_TCP_LENGTH,
	RES_BAD_UDP_LENGTH,
	RES_DROP_LAND,
	RES_DROP_TTL,
	RES_DROP_PORT,
	RES_DROP_FLAGS,
	__RES_MAX,
};

#define RES_FIRST_DROP RES_DROP_LAND

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, __RES_MAX);
	__type(key, __u32);
	__type(value, __u64);
} parse_results SEC(".maps");

/* len: what the IP header says that is left for this one and its payload. */
static __always_inline enum result check_tcp(struct cursor *c, __u32 len)
{
	struct tcphdr *th = cursor_take(c, sizeof(*th));
	__u32 hlen;

	if (!th)
		return RES_TRUNCATED;
	hlen = th->doff * 4;
	if (hlen < sizeof(*th) || hlen > len)
		return RES_BAD_TCP_LENGTH;
	if (!th->source || !th->dest)
		return RES_DROP_PORT;
	if ((th->syn && (th->fin || th->rst)) ||
	    !(th->syn || th->ack || th->rst || th->fin || th->psh || th->urg))
		return RES_DROP_FLAGS;
	return RES_PASS;
}

static __always_inline enum result check_udp(struct cursor *c, __u32 len)
{
	struct udphdr *uh = cursor_take(c, sizeof(*uh));
	__u32 ulen;

	if (!uh)
		return RES_TRUNCATED;
	ulen = bpf_ntohs(uh->len);
	if (ulen < sizeof(*uh) || ulen > len)
		return RES_BAD_UDP_LENGTH;
	if (!uh->dest)
		return RES_DROP_PORT;
	return RES_PASS;
}

static __always_inline enum result check_l4(struct cursor *c, __u8 proto, __u32 len)
{
	switch (proto) {
	case IPPROTO_TCP:
		return check_tcp(c, len);
	case IPPROTO_UDP:
		return check_udp(c, len);
	default:
		return RES_PASS;
	}
}

static __always_inline bool ip_csum_ok(struct iphdr *iph, void *end)
{
	__u16 *word = (void *)iph;
	__u32 sum = 0;
	int i;

	for (i = 0; i < 30; i++) {
		if (i >= iph->ihl * 2)
			break;
		if ((void *)(word + i + 1) > end)
			return false;
		sum += word[i];
	}
	return !csum_fold(sum);
}

static __always_inline enum result check_ipv4(struct cursor *c)
{
	struct iphdr *iph = c->pos;
	__u32 len, hlen;

	if ((void *)(iph + 1) > c->end)
		return RES_TRUNCATED;
	iph = parse_iphdr(c);
	if (!iph)
		return RES_BAD_IP_HEADER;
	hlen = iph->ihl * 4;
	len = bpf_ntohs(iph->tot_len);
	if (len < hlen || len > c->end - (void *)iph)
		return RES_BAD_IP_LENGTH;
	if (!ip_csum_ok(iph, c->end))
		return RES_BAD_IP_CSUM;
	if (!iph->ttl)
		return RES_DROP_TTL;
	if (iph->saddr == iph->daddr)
		return RES_DROP_LAND;
	if (iph->frag_off & bpf_htons(IP_OFFSET))
		return RES_PASS;
	return check_l4(c, iph->protocol, len - hlen);
}

static __always_inline enum result check_ipv6(struct cursor *c)
{
	struct ipv6hdr *ip6h = cursor_take(c, sizeof(*ip6h));
	__u32 len, hlen;
	__u8 nexthdr;
	__u8 *ext;
	int i;

	if (!ip6h)
		return RES_TRUNCATED;
	if (ip6h->version != 6)
		return RES_BAD_IP_HEADER;
	len = bpf_ntohs(ip6h->payload_len);
	if (len > c->end - c->pos)
		return RES_BAD_IP_LENGTH;
	if (!ip6h->hop_limit)
		return RES_DROP_TTL;

	nexthdr = ip6h->nexthdr;
	for (i = 0; i < EXT_HDRS_MAX; i++) {
		if (nexthdr != IPPROTO_HOPOPTS && nexthdr != IPPROTO_ROUTING &&
		    nexthdr != IPPROTO_DSTOPTS && nexthdr != IPPROTO_FRAGMENT)
			return check_l4(c, nexthdr, len);

		ext = cursor_take(c, 8);
		if (!ext)
			return RES_TRUNCATED;
		hlen = 8;
		if (nexthdr == IPPROTO_FRAGMENT) {
			/* Behind a later fragment's header is no header. */
			if (*(__be16 *)(ext + 2) & bpf_htons(0xfff8))
				return RES_PASS;
		} else {
			hlen += ext[1] * 8;
			if (!cursor_take(c, ext[1] * 8))
				return RES_TRUNCATED;
		}
		if (hlen > len)
			return RES_BAD_EXT_HDRS;
		len -= hlen;
		nexthdr = ext[0];
	}
	return RES_BAD_EXT_HDRS;
}

static __always_inline enum result check_packet(struct xdp_md *ctx)
{
	struct cursor c = cursor_init(ctx);
	__be16 proto;

	if (!parse_ethhdr(&c, &proto) || parse_vlans(&c, &proto) < 0)
		return RES_TRUNCATED;

	switch (proto) {
	case bpf_htons(ETH_P_IP):
		return check_ipv4(&c);
	case bpf_htons(ETH_P_IPV6):
		return check_ipv6(&c);
	case bpf_htons(ETH_P_8021Q):
	case bpf_htons(ETH_P_8021AD):
		return RES_BAD_VLAN_DEPTH;
	default:
		return RES_PASS;
	}
}

SEC("xdp")
int xdp_parse(struct xdp_md *ctx)
{
	__u32 res = check_packet(ctx);
	__u64 *count;

	count = bpf_map_lookup_elem(&parse_results, &res);
	if (count)
		*count += 1;

	if (res == RES_PASS)
		return XDP_PASS;
	return res < RES_FIRST_DROP ? XDP_ABORTED : XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";

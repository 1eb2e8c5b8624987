// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A layer-4 load balancer: TCP and UDP over IPv4 and IPv6, with up to two VLAN
 * tags. A flow's hash picks a slot of a Maglev table, the slot names the
 * endpoint, and the packet goes there by a new destination MAC address or
 * inside of a tunnel. The tables and the endpoints' addresses are built in, so
 * the object does real work without any configuration.
 *
 * Verdicts: TX for what is balanced, PASS for what isn't the balancer's
 * business (ARP, ICMP, IPv6 extension headers, destinations that are no VIP),
 * DROP for what is broken or can't be sent on.
 */
#include <stddef.h>

#include "parsing.h"

#define MAGLEV_SECTION SEC(".rodata.maglev")
#include "maglev.h"

#define MAX_ENDPOINTS 128

enum encap {
	/* Endpoints are on the same segment: a new destination MAC address. */
	ENCAP_NONE,
	/* IPIP for IPv4, IP6IP6 for IPv6. */
	ENCAP_IPIP,
};

/* 32, 64 or 128: which table. */
const volatile __u32 endpoints = 32;
const volatile __u32 encap = ENCAP_NONE;
/* 0: any destination is a VIP. 1: those in the map vips. Not "when the map
 * isn't empty": this way the default pays for no lookup, since the verifier
 * takes the branch out.
 */
const volatile __u32 use_vips = 0;

/* Outer source addresses, 172.16.0.1 and fd00:16::1, and the next hop of
 * what is tunnelled.
 */
const volatile __u8 encap_saddr4[4] __attribute__((aligned(4))) = { 172, 16, 0, 1 };
const volatile __u8 encap_saddr6[16] __attribute__((aligned(4))) = { 0xfd, 0, 0, 0x16, [15] = 1 };
const volatile __u8 gateway_mac[ETH_ALEN] = { 2, 0, 0, 0, 0xff, 1 };

#define ENDPOINT(i)                                                         \
	{                                                                   \
		.mac = { 2, 0, 0, 0, 0x64, i }, .addr4 = { 10, 100, 0, i }, \
		.addr6 = { 0xfd, 0, 1, 0, [15] = i },                       \
	}
#define ENDPOINT4(i) ENDPOINT(i), ENDPOINT((i) + 1), ENDPOINT((i) + 2), ENDPOINT((i) + 3)
#define ENDPOINT16(i) ENDPOINT4(i), ENDPOINT4((i) + 4), ENDPOINT4((i) + 8), ENDPOINT4((i) + 12)
#define ENDPOINT64(i) \
	ENDPOINT16(i), ENDPOINT16((i) + 16), ENDPOINT16((i) + 32), ENDPOINT16((i) + 48)

/* Endpoint i is 02:00:00:00:64:i, 10.100.0.i and fd00:100::i. */
const volatile struct {
	__u8 mac[ETH_ALEN];
	__u8 pad[2];
	__u8 addr4[4];
	__u8 addr6[16];
} __attribute__((aligned(4))) endpoint_table[MAX_ENDPOINTS] = { ENDPOINT64(0), ENDPOINT64(64) };

/* An IPv4 address is in the first four bytes, the rest is zero. */
struct vip {
	__u8 addr[16];
	__be16 port;
	__u8 proto;
	__u8 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 512);
	__type(key, struct vip);
	__type(value, __u32);
} vips SEC(".maps");

/* Packets that each endpoint got. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAX_ENDPOINTS);
	__type(key, __u32);
	__type(value, __u64);
} endpoint_load SEC(".maps");

struct flow {
	/* The IP header's offset and the length that it states. */
	__u32 l3_off;
	__u32 l3_len;
	__be16 proto;
	__u64 hash;
};

/* Multiply and fold: two rounds give a hash whose top bits spread a million
 * flows as evenly as chance does, even when they differ by a port only.
 */
static __always_inline __u64 hash_round(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

static __always_inline __u64 hash_final(__u64 hash)
{
	hash *= 0xd6e8feb86659fd93ull;
	return hash ^ hash >> 32;
}

static __always_inline bool is_vip(const void *addr, __u32 len, __be16 port, __u8 proto)
{
	struct vip vip = { .port = port, .proto = proto };

	if (!use_vips)
		return true;
	__builtin_memcpy(vip.addr, addr, len);
	return bpf_map_lookup_elem(&vips, &vip);
}

/* Source and destination port as one word: TCP and UDP start alike. */
static __always_inline int parse_ports(struct cursor *c, __u8 proto, __u32 *ports)
{
	__u32 *word;

	if (proto == IPPROTO_TCP)
		word = cursor_take(c, sizeof(struct tcphdr));
	else if (proto == IPPROTO_UDP)
		word = cursor_take(c, sizeof(struct udphdr));
	else
		return XDP_PASS;
	if (!word)
		return XDP_DROP;
	*ports = *word;
	return XDP_TX;
}

static __always_inline __be16 dest_port(__u32 ports)
{
	return ports >> 16;
}

static __always_inline int parse_ipv4(struct cursor *c, struct flow *flow)
{
	struct iphdr *iph = parse_iphdr(c);
	__u32 ports = 0;
	int ret;

	if (!iph)
		return XDP_DROP;
	flow->l3_len = bpf_ntohs(iph->tot_len);
	if (flow->l3_len < sizeof(*iph) || flow->l3_len > c->end - (void *)iph)
		return XDP_DROP;

	if (iph->frag_off & bpf_htons(IP_MF | IP_OFFSET)) {
		/* All fragments of a packet must meet at one endpoint, and only
		 * the first has ports: leave them out of the hash.
		 */
		if (iph->protocol != IPPROTO_TCP && iph->protocol != IPPROTO_UDP)
			return XDP_PASS;
	} else {
		ret = parse_ports(c, iph->protocol, &ports);
		if (ret != XDP_TX)
			return ret;
	}
	if (!is_vip(&iph->daddr, sizeof(iph->daddr), dest_port(ports), iph->protocol))
		return XDP_PASS;

	flow->hash = hash_round(iph->protocol, (__u64)iph->saddr << 32 | iph->daddr);
	flow->hash = hash_final(hash_round(flow->hash, ports));
	return XDP_TX;
}

static __always_inline int parse_ipv6(struct cursor *c, struct flow *flow)
{
	struct ipv6hdr *ip6h = parse_ip6hdr(c);
	__u32 ports = 0;
	__u32 *addr;
	int ret;

	if (!ip6h)
		return XDP_DROP;
	flow->l3_len = bpf_ntohs(ip6h->payload_len) + sizeof(*ip6h);
	if (flow->l3_len > c->end - (void *)ip6h)
		return XDP_DROP;

	ret = parse_ports(c, ip6h->nexthdr, &ports);
	if (ret != XDP_TX)
		return ret;
	if (!is_vip(&ip6h->daddr, sizeof(ip6h->daddr), dest_port(ports), ip6h->nexthdr))
		return XDP_PASS;

	addr = ip6h->saddr.s6_addr32;
	flow->hash = hash_round(ip6h->nexthdr, (__u64)addr[0] << 32 | addr[1]);
	flow->hash = hash_round(flow->hash, (__u64)addr[2] << 32 | addr[3]);
	addr = ip6h->daddr.s6_addr32;
	flow->hash = hash_round(flow->hash, (__u64)addr[0] << 32 | addr[1]);
	flow->hash = hash_round(flow->hash, (__u64)addr[2] << 32 | addr[3]);
	flow->hash = hash_final(hash_round(flow->hash, ports));
	return XDP_TX;
}

static __always_inline int parse_flow(struct xdp_md *ctx, struct flow *flow)
{
	struct cursor c = cursor_init(ctx);
	__be16 proto;
	int tags;

	if (!parse_ethhdr(&c, &proto))
		return XDP_DROP;
	tags = parse_vlans(&c, &proto);
	if (tags < 0)
		return XDP_DROP;
	flow->l3_off = sizeof(struct ethhdr) + tags * sizeof(struct vlan_hdr);
	flow->proto = proto;

	switch (proto) {
	case bpf_htons(ETH_P_IP):
		return parse_ipv4(&c, flow);
	case bpf_htons(ETH_P_IPV6):
		return parse_ipv6(&c, flow);
	default:
		return XDP_PASS;
	}
}

static __always_inline __u32 pick_endpoint(__u64 hash)
{
	__u32 table = endpoints <= 32 ? 0 : endpoints <= 64 ? 1 : 2;
	/* Scaling the hash to the table's size: a modulo without a division. */
	__u64 slot = (hash & 0xffffffff) * MAGLEV_TABLE_SIZE >> 32;

	/* The compiler knows that the check is not needed; older verifiers don't. */
	barrier_var(slot);
	if (slot >= MAGLEV_TABLE_SIZE)
		return 0;
	return maglev_tables[table][slot] & (MAX_ENDPOINTS - 1);
}

static __always_inline void set_macs(struct ethhdr *eth, const volatile __u8 *dest)
{
	int i;

	__builtin_memcpy(eth->h_source, eth->h_dest, ETH_ALEN);
#pragma unroll
	for (i = 0; i < ETH_ALEN; i++)
		eth->h_dest[i] = dest[i];
}

static __always_inline int send_direct(struct xdp_md *ctx, __u32 endpoint)
{
	struct cursor c = cursor_init(ctx);
	struct ethhdr *eth = cursor_take(&c, sizeof(*eth));

	if (!eth)
		return XDP_DROP;
	set_macs(eth, endpoint_table[endpoint].mac);
	return XDP_TX;
}

static __always_inline void fill_outer4(struct iphdr *iph, __u32 endpoint, const struct flow *flow)
{
	__u16 *word = (__u16 *)iph;
	__u32 sum = 0;
	int i;

	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = 0;
	iph->tot_len = bpf_htons(flow->l3_len + sizeof(*iph));
	iph->id = 0;
	iph->frag_off = bpf_htons(IP_DF);
	iph->ttl = 64;
	iph->protocol = IPPROTO_IPIP;
	iph->check = 0;
	iph->saddr = *(const volatile __u32 *)encap_saddr4;
	iph->daddr = *(const volatile __u32 *)endpoint_table[endpoint].addr4;

#pragma unroll
	for (i = 0; i < (int)sizeof(*iph) / 2; i++)
		sum += word[i];
	iph->check = csum_fold(sum);
}

static __always_inline void fill_outer6(struct ipv6hdr *ip6h, __u32 endpoint,
					const struct flow *flow)
{
	const volatile __u32 *saddr = (const volatile __u32 *)encap_saddr6;
	const volatile __u32 *daddr = (const volatile __u32 *)endpoint_table[endpoint].addr6;
	int i;

	/* The inner flow's hash as the flow label lets the endpoints spread the
	 * tunnel's packets over their queues.
	 */
	*(__be32 *)ip6h = bpf_htonl(6 << 28 | (flow->hash >> 44));
	ip6h->payload_len = bpf_htons(flow->l3_len);
	ip6h->nexthdr = IPPROTO_IPV6;
	ip6h->hop_limit = 64;
#pragma unroll
	for (i = 0; i < 4; i++) {
		ip6h->saddr.s6_addr32[i] = saddr[i];
		ip6h->daddr.s6_addr32[i] = daddr[i];
	}
}

/* One copy for each length that the link-layer header can have: constant
 * lengths need no loop. Padding behind the inner packet stays.
 */
static __always_inline int send_tunnelled(struct xdp_md *ctx, __u32 endpoint,
					  const struct flow *flow, __u32 l2_len, __u32 outer_len)
{
	__u8 l2[sizeof(struct ethhdr) + VLAN_MAX_DEPTH * sizeof(struct vlan_hdr)];
	struct cursor c = cursor_init(ctx);
	void *hdr = cursor_take(&c, l2_len);

	if (!hdr || flow->l3_len + outer_len > 0xffff)
		return XDP_DROP;
	__builtin_memcpy(l2, hdr, l2_len);
	if (bpf_xdp_adjust_head(ctx, -(int)outer_len))
		return XDP_DROP;

	c = cursor_init(ctx);
	hdr = cursor_take(&c, l2_len);
	if (!hdr)
		return XDP_DROP;
	__builtin_memcpy(hdr, l2, l2_len);
	set_macs(hdr, gateway_mac);

	hdr = cursor_take(&c, outer_len);
	if (!hdr)
		return XDP_DROP;
	if (outer_len == sizeof(struct iphdr))
		fill_outer4(hdr, endpoint, flow);
	else
		fill_outer6(hdr, endpoint, flow);
	return XDP_TX;
}

static __always_inline int send_ipip(struct xdp_md *ctx, __u32 endpoint, const struct flow *flow,
				     __u32 outer_len)
{
	switch (flow->l3_off) {
	case sizeof(struct ethhdr):
		return send_tunnelled(ctx, endpoint, flow, sizeof(struct ethhdr), outer_len);
	case sizeof(struct ethhdr) + sizeof(struct vlan_hdr):
		return send_tunnelled(ctx, endpoint, flow,
				      sizeof(struct ethhdr) + sizeof(struct vlan_hdr), outer_len);
	default:
		return send_tunnelled(ctx, endpoint, flow,
				      sizeof(struct ethhdr) + 2 * sizeof(struct vlan_hdr),
				      outer_len);
	}
}

SEC("xdp")
int xdp_lb(struct xdp_md *ctx)
{
	struct flow flow = {};
	__u32 endpoint;
	__u64 *load;
	int ret;

	ret = parse_flow(ctx, &flow);
	if (ret != XDP_TX)
		return ret;

	endpoint = pick_endpoint(flow.hash);
	if (encap == ENCAP_NONE)
		ret = send_direct(ctx, endpoint);
	else if (flow.proto == bpf_htons(ETH_P_IP))
		ret = send_ipip(ctx, endpoint, &flow, sizeof(struct iphdr));
	else
		ret = send_ipip(ctx, endpoint, &flow, sizeof(struct ipv6hdr));
	if (ret != XDP_TX)
		return ret;

	load = bpf_map_lookup_elem(&endpoint_load, &endpoint);
	if (load)
		*load += 1;
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

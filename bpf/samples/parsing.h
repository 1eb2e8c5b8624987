/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef XTR_SAMPLES_PARSING_H
#define XTR_SAMPLES_PARSING_H

/* What the samples share: a cursor that walks a packet's headers, and checksum
 * arithmetic. Every step checks its bounds; a NULL return means that the
 * packet ends before the header does.
 */

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define VLAN_MAX_DEPTH 2

#define IP_DF 0x4000
#define IP_MF 0x2000
#define IP_OFFSET 0x1fff

struct vlan_hdr {
	__be16 tci;
	__be16 proto;
};

struct cursor {
	void *pos;
	void *end;
};

static __always_inline struct cursor cursor_init(struct xdp_md *ctx)
{
	return (struct cursor){
		.pos = (void *)(long)ctx->data,
		.end = (void *)(long)ctx->data_end,
	};
}

static __always_inline void *cursor_take(struct cursor *c, __u32 len)
{
	void *hdr = c->pos;

	if (hdr + len > c->end)
		return NULL;
	c->pos = hdr + len;
	return hdr;
}

static __always_inline struct ethhdr *parse_ethhdr(struct cursor *c, __be16 *proto)
{
	struct ethhdr *eth = cursor_take(c, sizeof(*eth));

	if (eth)
		*proto = eth->h_proto;
	return eth;
}

/* Step over up to VLAN_MAX_DEPTH tags. Returns their number, or -1 when the
 * packet ends inside of one.
 */
static __always_inline int parse_vlans(struct cursor *c, __be16 *proto)
{
	struct vlan_hdr *vlan;
	int i;

#pragma unroll
	for (i = 0; i < VLAN_MAX_DEPTH; i++) {
		if (*proto != bpf_htons(ETH_P_8021Q) && *proto != bpf_htons(ETH_P_8021AD))
			break;
		vlan = cursor_take(c, sizeof(*vlan));
		if (!vlan)
			return -1;
		*proto = vlan->proto;
	}
	return i;
}

/* The cursor ends up behind the options. */
static __always_inline struct iphdr *parse_iphdr(struct cursor *c)
{
	struct iphdr *iph = cursor_take(c, sizeof(*iph));
	__u32 len;

	if (!iph)
		return NULL;
	len = iph->ihl * 4;
	if (iph->version != 4 || len < sizeof(*iph) || !cursor_take(c, len - sizeof(*iph)))
		return NULL;
	return iph;
}

static __always_inline struct ipv6hdr *parse_ip6hdr(struct cursor *c)
{
	struct ipv6hdr *ip6h = cursor_take(c, sizeof(*ip6h));

	return ip6h && ip6h->version == 6 ? ip6h : NULL;
}

static __always_inline __u16 csum_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* RFC 1624, equation 3: the checksum after a 16-bit word went from one value
 * to another. All three in network byte order.
 */
static __always_inline __u16 csum_replace(__u16 check, __be16 from, __be16 to)
{
	return csum_fold((__u32)(__u16)~check + (__u16)~from + to);
}

static __always_inline void swap_macs(struct ethhdr *eth)
{
	__u8 tmp[ETH_ALEN];

	__builtin_memcpy(tmp, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, tmp, ETH_ALEN);
}

#endif /* XTR_SAMPLES_PARSING_H */

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Changes in place, tags, tunnels, checksums, chains of headers. */
#include <string.h>

#include "case.h"
#include "parse.h"

static __u32 increment_first(const struct env *env, struct pkt *pkt)
{
	(void)env;
	pkt_data(pkt)[0]++;
	return XDP_TX;
}

static __u32 invert_all(const struct env *env, struct pkt *pkt)
{
	__u32 i;

	(void)env;
	for (i = 0; i < pkt->len && i < 1514; i++)
		pkt_data(pkt)[i] = ~pkt_data(pkt)[i];
	return XDP_PASS;
}

static __u32 zero_macs(const struct env *env, struct pkt *pkt)
{
	(void)env;
	memset(pkt_data(pkt), 0, 12);
	return XDP_DROP;
}

/* ---- VLAN ---------------------------------------------------------------------- */

static void push_tag(struct pkt *pkt, __u16 tpid, __u16 tci)
{
	__u8 *p;

	pkt_adjust_head(pkt, -4);
	p = pkt_data(pkt);
	memmove(p, p + 4, 12);
	put16n(p + 12, tpid);
	put16n(p + 14, tci);
}

static bool pop_tag(struct pkt *pkt)
{
	__u8 *p = pkt_at(pkt, 0, 18);
	__u16 proto;

	if (!p)
		return false;
	proto = get16n(p + 12);
	if (proto != 0x8100 && proto != 0x88a8)
		return false;
	memmove(p + 4, p, 12);
	pkt_adjust_head(pkt, 4);
	return true;
}

static __u32 vlan_push(const struct env *env, struct pkt *pkt)
{
	(void)env;
	push_tag(pkt, 0x8100, 100);
	return XDP_TX;
}

static __u32 vlan_push_double(const struct env *env, struct pkt *pkt)
{
	(void)env;
	push_tag(pkt, 0x8100, 100);
	push_tag(pkt, 0x88a8, 101);
	return XDP_TX;
}

static __u32 vlan_pop(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return pop_tag(pkt) ? XDP_TX : XDP_PASS;
}

static __u32 vlan_pop_double(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return pop_tag(pkt) && pop_tag(pkt) ? XDP_TX : XDP_PASS;
}

/* ---- tunnels ------------------------------------------------------------------- */

static bool is_ipv4(struct pkt *pkt, __u32 len)
{
	return pkt_at(pkt, 0, len) && get16n(pkt_data(pkt) + 12) == 0x0800;
}

static void fill_ipv4(__u8 *ip, __u8 proto, __u32 len)
{
	memset(ip, 0, 20);
	ip[0] = 0x45;
	put16n(ip + 2, len);
	ip[8] = 64;
	ip[9] = proto;
	memcpy(ip + 12, (const __u8[]){ 172, 16, 0, 1, 172, 16, 0, 2 }, 8);
	put16n(ip + 10, csum(ip, 20, 0));
}

static __u32 encap_ipip(const struct env *env, struct pkt *pkt)
{
	__u32 len;
	__u8 *p;

	(void)env;
	if (!is_ipv4(pkt, 34))
		return XDP_PASS;
	len = get16n(pkt_data(pkt) + 16) + 20;
	pkt_adjust_head(pkt, -20);
	p = pkt_data(pkt);
	memmove(p, p + 20, 14);
	fill_ipv4(p + 14, 4, len);
	return XDP_TX;
}

static __u32 decap_ipip(const struct env *env, struct pkt *pkt)
{
	__u8 *p = pkt_data(pkt);

	(void)env;
	if (!is_ipv4(pkt, 34) || (p[14] & 15) != 5 || p[23] != 4)
		return XDP_PASS;
	memmove(p + 20, p, 14);
	return pkt_adjust_head(pkt, 20) ? XDP_ABORTED : XDP_TX;
}

static void build_ipip(struct packet_set *set)
{
	__u32 i;
	__u8 *p;

	for (i = 0; i < 3000; i++) {
		p = set_add_udp(set, 60 + i % 1000, i);
		if (i % 5)
			p[23] = 4;
		if (i % 11 == 0)
			p[14] = 0x46;
	}
}

static __u32 encap_vxlan(const struct env *env, struct pkt *pkt)
{
	__u32 len = pkt->len;
	__u8 *p;

	(void)env;
	if (!is_ipv4(pkt, 14))
		return XDP_PASS;
	pkt_adjust_head(pkt, -50);
	p = pkt_data(pkt);
	memcpy(p, p + 50, 14);
	fill_ipv4(p + 14, 17, len + 36);
	put16n(p + 34, 49152);
	put16n(p + 36, 4789);
	put16n(p + 38, len + 16);
	put16n(p + 40, 0);
	memcpy(p + 42, (const __u8[]){ 8, 0, 0, 0, 0, 0, 42, 0 }, 8);
	return XDP_TX;
}

/* ---- checksums ----------------------------------------------------------------- */

static __u8 *plain_ipv4(struct pkt *pkt)
{
	__u8 *p = pkt_data(pkt);

	return is_ipv4(pkt, 34) && p[14] == 0x45 ? p + 14 : NULL;
}

static __u32 csum_ipv4(const struct env *env, struct pkt *pkt)
{
	__u8 *ip = plain_ipv4(pkt);

	(void)env;
	if (!ip)
		return XDP_ABORTED;
	return csum(ip, 20, 0) ? XDP_DROP : XDP_PASS;
}

static __u32 csum_udp(const struct env *env, struct pkt *pkt)
{
	__u8 *ip = plain_ipv4(pkt), *uh;
	__u32 len, sum;

	(void)env;
	if (!ip || ip[9] != 17)
		return XDP_ABORTED;
	uh = pkt_at(pkt, 34, 8);
	if (!uh || !get16n(uh + 6))
		return XDP_ABORTED;
	len = get16n(uh + 4);
	if (len > pkt->len - 34)
		return XDP_ABORTED;
	sum = get16n(ip + 12) + get16n(ip + 14) + get16n(ip + 16) + get16n(ip + 18) + 17 + len;
	return csum(uh, len, sum) ? XDP_DROP : XDP_PASS;
}

/*
 * A device with checksum offload would put them right, or ask the stack to do
 * so: an injected frame must reach the target as it is.
 */
static void build_wrong_sums(struct packet_set *set)
{
	__u32 i;
	__u8 *p;

	for (i = 0; i < 4000; i++) {
		p = set_add_udp(set, 46 + i % 1400, i);
		if (i % 4 & 1)
			p[24 + i % 2] ^= 1 << i % 8;
		if (i % 4 & 2)
			p[40 + i % 2] ^= 1 << i % 8;
		/* What a sender leaves that relies on offload: the pseudo header's sum. */
		if (i % 8 == 4)
			put16n(p + 40, ~csum(p + 26, 8, 17 + get16n(p + 38)));
	}
}

/* ---- IPv6 extension headers ------------------------------------------------------ */

static void build_ipv6_ext(struct packet_set *set)
{
	static const __u8 types[] = { 0, 43, 60, 44 };
	__u8 buf[1024], *next, *at, *p;
	__u32 i, k, n, len;

	for (i = 0; i < 4000; i++) {
		memset(buf, 0, sizeof(buf));
		memcpy(buf, (const __u8[]){ 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd, 0x60 },
		       15);
		put32(buf + 22, i);
		buf[21] = 64;
		next = buf + 20;
		at = buf + 54;
		n = i % 11;
		for (k = 0; k < n; k++) {
			*next = types[(i / 11 + k) % 4];
			next = at;
			at[1] = *next == 44 ? 0 : (i + k) % 4;
			at += 8 + ((i / 11 + k) % 4 == 3 ? 0 : at[1] * 8);
		}
		*next = i % 7 == 0 ? 58 : i % 2 ? 6 : 17;
		len = at - buf + 20;
		/* Some end inside of the chain. */
		if (i % 5 == 0)
			len -= i % 60 % (len - 54);
		put16n(buf + 18, len - 54);
		p = set_add(set, buf, len, NULL, 0);
		(void)p;
	}
}

static __u32 ipv6_ext_walk(const struct env *env, struct pkt *pkt)
{
	__u8 *p = pkt_data(pkt), next, *ext;
	__u32 off = 54;
	int i;

	(void)env;
	if (get16n(p + 12) != 0x86dd)
		return XDP_PASS;
	if (pkt->len < 54)
		return XDP_DROP;
	next = p[20];
	for (i = 0; i <= 8; i++) {
		if (next == 6 || next == 17) {
			if (!i)
				return XDP_PASS;
			p[0] = i;
			p[1] = next;
			return XDP_TX;
		}
		if (next != 0 && next != 43 && next != 60 && next != 44)
			return XDP_DROP;
		ext = pkt_at(pkt, off, 8);
		if (!ext)
			return XDP_DROP;
		off += 8 + (next == 44 ? 0 : ext[1] * 8);
		next = ext[0];
	}
	return XDP_DROP;
}

#define ON(label, obj, prog, on, kind)                                                             \
	{                                                                                          \
		.name = label, .object = "cases/" obj, .program = prog, .model = on, .spec = kind, \
		.count = 10000                                                                     \
	}
#define BUILT(label, obj, prog, on, make)                                                          \
	{                                                                                          \
		.name = label, .object = "cases/" obj, .program = prog, .model = on, .build = make \
	}

const struct test_case cases_rewrite[] = {
	ON("increment_first", "rewrite", "increment_first", increment_first, "udp,size=64-1514"),
	ON("invert_all", "rewrite", "invert_all", invert_all, "mix,size=14-1514"),
	ON("zero_macs_drop", "rewrite", "zero_macs_drop", zero_macs, "mix,size=14-1514"),
	ON("vlan_push", "vlan", "vlan_push", vlan_push, "mix,size=14-1510"),
	ON("vlan_push_double", "vlan", "vlan_push_double", vlan_push_double, "mix,size=14-1510"),
	ON("vlan_pop", "vlan", "vlan_pop", vlan_pop, "mix,size=14-1514"),
	ON("vlan_pop-tagged", "vlan", "vlan_pop", vlan_pop, "udp,vlan=7,size=64-1514"),
	ON("vlan_pop_double", "vlan", "vlan_pop_double", vlan_pop_double, "mix,size=14-1514"),
	ON("vlan_pop_double-tagged", "vlan", "vlan_pop_double", vlan_pop_double,
	   "tcp6,qinq=7:8,size=82-1518"),
	ON("encap_ipip", "encap", "encap_ipip", encap_ipip, "mix,size=14-1490"),
	BUILT("decap_ipip", "encap", "decap_ipip", decap_ipip, build_ipip),
	ON("encap_vxlan", "encap", "encap_vxlan", encap_vxlan, "mix,size=14-1460"),
	ON("csum_ipv4", "checksum", "csum_ipv4", csum_ipv4, "mix,size=14-512"),
	ON("csum_udp", "checksum", "csum_udp", csum_udp, "mix,size=14-1514"),
	ON("csum_udp-right", "checksum", "csum_udp", csum_udp, "udp,size=64-1514"),
	BUILT("csum_ipv4-wrong", "checksum", "csum_ipv4", csum_ipv4, build_wrong_sums),
	BUILT("csum_udp-wrong", "checksum", "csum_udp", csum_udp, build_wrong_sums),
	ON("ipv6_ext-mix", "ipv6_ext", "ipv6_ext_walk", ipv6_ext_walk, "mix,size=14-512"),
	BUILT("ipv6_ext", "ipv6_ext", "ipv6_ext_walk", ipv6_ext_walk, build_ipv6_ext),
};
CASES(rewrite);

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The sample targets, on packets of all kinds and sizes. */
#include <string.h>

#include "case.h"
#include "parse.h"

#define MAGLEV_SECTION static
#include "bpf/maglev.h"

static __u32 pass(const struct env *env, struct pkt *pkt)
{
	(void)env;
	(void)pkt;
	return XDP_PASS;
}

static __u32 drop(const struct env *env, struct pkt *pkt)
{
	(void)env;
	(void)pkt;
	return XDP_DROP;
}

/* ---- xdp_rewrite ------------------------------------------------------------- */

/* RFC 1624 on numbers in host order, with the plain sum's two forms of zero. */
static __u16 replace(__u16 check, __u16 from, __u16 to)
{
	__u32 sum = (__u16)~check + (__u16)~from + to;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void replace_at(__u8 *check, __u16 from, __u16 to)
{
	put16n(check, replace(get16n(check), from, to));
}

static void rewrite_port(struct pkt *pkt, __u32 off, __u8 proto)
{
	__u8 *h = pkt_at(pkt, off, proto == 6 ? 20 : 8);

	if (!h || (proto != 6 && proto != 17))
		return;
	if (proto == 6) {
		replace_at(h + 16, get16n(h + 2), 8080);
	} else if (get16n(h + 6)) {
		replace_at(h + 6, get16n(h + 2), 8080);
		if (!get16n(h + 6))
			put16n(h + 6, 0xffff);
	}
	put16n(h + 2, 8080);
}

static __u32 rewrite4(struct pkt *pkt, __u32 off)
{
	__u32 hlen = ipv4_header(pkt, off);
	__u16 from;
	__u8 *ip;

	ip = pkt_data(pkt) + off;
	if (!hlen || ip[8] <= 1)
		return XDP_DROP;
	from = get16n(ip + 8);
	ip[8]--;
	replace_at(ip + 10, from, get16n(ip + 8));
	from = get16n(ip);
	ip[1] = (ip[1] & 3) | 46 << 2;
	replace_at(ip + 10, from, get16n(ip));
	if (!(get16n(ip + 6) & 0x1fff))
		rewrite_port(pkt, off + hlen, ip[9]);
	return XDP_PASS;
}

static __u32 rewrite6(struct pkt *pkt, __u32 off)
{
	__u8 *ip = pkt_at(pkt, off, 40);

	if (!ip || ip[0] >> 4 != 6 || ip[7] <= 1)
		return XDP_DROP;
	ip[7]--;
	ip[0] = 0x60 | 46 >> 2;
	ip[1] = (ip[1] & 0x3f) | (46 & 3) << 6;
	rewrite_port(pkt, off + 40, ip[6]);
	return XDP_PASS;
}

static __u32 rewrite(const struct env *env, struct pkt *pkt)
{
	__u16 proto;
	int off = link_header(pkt, &proto);

	(void)env;
	if (off < 0)
		return XDP_DROP;
	if (proto == 0x0800)
		return rewrite4(pkt, off);
	if (proto == 0x86dd)
		return rewrite6(pkt, off);
	return XDP_PASS;
}

/* ---- xdp_parse --------------------------------------------------------------- */

static __u32 parse_l4(struct pkt *pkt, __u32 off, __u8 proto, __u32 len)
{
	__u8 *h = pkt_at(pkt, off, proto == 6 ? 20 : 8);

	if (proto != 6 && proto != 17)
		return XDP_PASS;
	if (!h)
		return XDP_ABORTED;
	if (proto == 17) {
		if (get16n(h + 4) < 8 || get16n(h + 4) > len)
			return XDP_ABORTED;
		return get16n(h + 2) ? XDP_PASS : XDP_DROP;
	}
	if (h[12] >> 4 < 5 || (h[12] >> 4) * 4U > len)
		return XDP_ABORTED;
	if (!get16n(h) || !get16n(h + 2))
		return XDP_DROP;
	if ((h[13] & 2 && h[13] & 5) || !(h[13] & 0x3f))
		return XDP_DROP;
	return XDP_PASS;
}

static __u32 parse4(struct pkt *pkt, __u32 off)
{
	__u32 hlen = ipv4_header(pkt, off), len;
	__u8 *ip = pkt_data(pkt) + off;

	if (!hlen)
		return XDP_ABORTED;
	len = get16n(ip + 2);
	if (len < hlen || len > pkt->len - off || csum(ip, hlen, 0))
		return XDP_ABORTED;
	if (!ip[8] || !memcmp(ip + 12, ip + 16, 4))
		return XDP_DROP;
	if (get16n(ip + 6) & 0x1fff)
		return XDP_PASS;
	return parse_l4(pkt, off + hlen, ip[9], len - hlen);
}

static __u32 parse6(struct pkt *pkt, __u32 off)
{
	__u8 *ip = pkt_at(pkt, off, 40), *ext, next;
	__u32 len, hlen;
	int i;

	if (!ip || ip[0] >> 4 != 6)
		return XDP_ABORTED;
	len = get16n(ip + 4);
	off += 40;
	if (len > pkt->len - off)
		return XDP_ABORTED;
	if (!ip[7])
		return XDP_DROP;
	next = ip[6];
	for (i = 0; i < 6; i++) {
		if (next != 0 && next != 43 && next != 60 && next != 44)
			return parse_l4(pkt, off, next, len);
		ext = pkt_at(pkt, off, 8);
		if (!ext)
			return XDP_ABORTED;
		hlen = 8;
		if (next == 44 && get16n(ext + 2) & 0xfff8)
			return XDP_PASS;
		if (next != 44)
			hlen += ext[1] * 8;
		if (!pkt_at(pkt, off, hlen) || hlen > len)
			return XDP_ABORTED;
		len -= hlen;
		off += hlen;
		next = ext[0];
	}
	return XDP_ABORTED;
}

static __u32 parse(const struct env *env, struct pkt *pkt)
{
	__u16 proto;
	int off = link_header(pkt, &proto);

	(void)env;
	if (off < 0)
		return XDP_ABORTED;
	switch (proto) {
	case 0x0800:
		return parse4(pkt, off);
	case 0x86dd:
		return parse6(pkt, off);
	case 0x8100:
	case 0x88a8:
		return XDP_ABORTED;
	default:
		return XDP_PASS;
	}
}

/* ---- xdp_lb ------------------------------------------------------------------ */

static __u64 mix_in(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

static __u64 two_words(const __u8 *at)
{
	return (__u64)get32(at) << 32 | get32(at + 4);
}

/* The flow's hash; TX for what is balanced. */
static __u32 lb_flow(struct pkt *pkt, __u32 off, __u16 eth_proto, __u64 *hash, __u32 *l3_len)
{
	__u32 hlen = 40, ports = 0;
	bool fragment = false;
	__u8 *ip, proto, *l4;

	if (eth_proto == 0x0800) {
		hlen = ipv4_header(pkt, off);
		ip = pkt_data(pkt) + off;
		if (!hlen)
			return XDP_DROP;
		*l3_len = get16n(ip + 2);
		if (*l3_len < 20)
			return XDP_DROP;
		proto = ip[9];
		fragment = get16n(ip + 6) & 0x3fff;
	} else {
		ip = pkt_at(pkt, off, 40);
		if (!ip || ip[0] >> 4 != 6)
			return XDP_DROP;
		*l3_len = get16n(ip + 4) + 40;
		proto = ip[6];
	}
	if (*l3_len > pkt->len - off)
		return XDP_DROP;
	if (proto != 6 && proto != 17)
		return XDP_PASS;
	if (!fragment) {
		l4 = pkt_at(pkt, off + hlen, proto == 6 ? 20 : 8);
		if (!l4)
			return XDP_DROP;
		ports = get32(l4);
	}
	*hash = mix_in(proto, two_words(eth_proto == 0x0800 ? ip + 12 : ip + 8));
	if (eth_proto == 0x86dd) {
		*hash = mix_in(*hash, two_words(ip + 16));
		*hash = mix_in(*hash, two_words(ip + 24));
		*hash = mix_in(*hash, two_words(ip + 32));
	}
	*hash = mix_in(*hash, ports) * 0xd6e8feb86659fd93ULL;
	*hash ^= *hash >> 32;
	return XDP_TX;
}

static __u32 lb_tunnel(struct pkt *pkt, __u32 off, bool v4, __u8 endpoint, __u64 hash, __u32 l3_len)
{
	static const __u8 src6[16] = { 0xfd, 0, 0, 0x16, [15] = 1 };
	static const __u8 gateway[6] = { 2, 0, 0, 0, 0xff, 1 };
	__u32 outer = v4 ? 20 : 40;
	__u8 *p, *ip;

	if (l3_len + outer > 0xffff)
		return XDP_DROP;
	if (pkt_adjust_head(pkt, -(int)outer))
		return XDP_DROP;
	p = pkt_data(pkt);
	memmove(p, p + outer, off);
	memcpy(p + 6, p, 6);
	memcpy(p, gateway, 6);
	ip = p + off;
	memset(ip, 0, outer);
	if (v4) {
		ip[0] = 0x45;
		put16n(ip + 2, l3_len + 20);
		put16n(ip + 6, 0x4000);
		ip[8] = 64;
		ip[9] = 4;
		memcpy(ip + 12, (const __u8[]){ 172, 16, 0, 1, 10, 100, 0, endpoint }, 8);
		put16n(ip + 10, csum(ip, 20, 0));
	} else {
		put16n(ip, 0x6000 | (__u16)(hash >> 60));
		put16n(ip + 2, hash >> 44);
		put16n(ip + 4, l3_len);
		ip[6] = 41;
		ip[7] = 64;
		memcpy(ip + 8, src6, 16);
		ip[24] = 0xfd;
		ip[26] = 1;
		ip[39] = endpoint;
	}
	return XDP_TX;
}

static __u32 lb(const struct env *env, struct pkt *pkt)
{
	bool tunnel = env->tc->rodata[0] && !strcmp(env->tc->rodata[0], "encap");
	__u32 l3_len, verdict;
	__u8 endpoint, *p;
	__u16 proto;
	__u64 hash;
	int off = link_header(pkt, &proto);

	if (off < 0)
		return XDP_DROP;
	if (proto != 0x0800 && proto != 0x86dd)
		return XDP_PASS;
	verdict = lb_flow(pkt, off, proto, &hash, &l3_len);
	if (verdict != XDP_TX)
		return verdict;
	endpoint = maglev_tables[0][(hash & 0xffffffff) * MAGLEV_TABLE_SIZE >> 32];
	if (tunnel)
		return lb_tunnel(pkt, off, proto == 0x0800, endpoint, hash, l3_len);
	p = pkt_data(pkt);
	memcpy(p + 6, p, 6);
	memcpy(p, (const __u8[]){ 2, 0, 0, 0, 0x64, endpoint }, 6);
	return XDP_TX;
}

/* Every balanced packet is on some endpoint's account, whatever the lane. */
static bool lb_counted(struct env *env, const struct xtr_result *result)
{
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < 128; i++)
		sum += map_u64_all_cpus(env, "endpoint_load", &i);
	if (sum != result->verdicts[XDP_TX])
		mistake(env, "endpoints got %llu packets of %llu", (unsigned long long)sum,
			(unsigned long long)result->verdicts[XDP_TX]);
	return true;
}

#define COUNT 100000

#define SAMPLE(label, prog, on, ...)                                                        \
	{ .name = label "-udp",                                                             \
	  .object = prog,                                                                   \
	  .program = prog,                                                                  \
	  .model = on,                                                                      \
	  .spec = "udp,size=64-1514",                                                       \
	  .count = COUNT,                                                                   \
	  __VA_ARGS__ },                                                                    \
		{ .name = label "-tcp6",                                                    \
		  .object = prog,                                                           \
		  .program = prog,                                                          \
		  .model = on,                                                              \
		  .spec = "tcp6,size=82-1514",                                              \
		  .count = COUNT,                                                           \
		  __VA_ARGS__ },                                                            \
	{                                                                                   \
		.name = label "-mix", .object = prog, .program = prog, .model = on,         \
		.spec = "mix,size=14-1514", .count = COUNT, .flags = CASE_WIDE, __VA_ARGS__ \
	}

const struct test_case cases_samples[] = {
	SAMPLE("sample-pass", "xdp_pass", pass),
	SAMPLE("sample-drop", "xdp_drop", drop),
	SAMPLE("sample-tx", "xdp_tx", reflect),
	SAMPLE("sample-rewrite", "xdp_rewrite", rewrite),
	SAMPLE("sample-parse", "xdp_parse", parse),
	SAMPLE("sample-lb", "xdp_lb", lb, .check = lb_counted),
	SAMPLE("sample-lb-ipip", "xdp_lb", lb, .check = lb_counted, .rodata = { "encap", "1" }),
};
CASES(samples);

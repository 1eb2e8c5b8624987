// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The generator. Packet i is a function of the specification and i alone, so
 * each lane makes its own packets and never those of others.
 *
 * It has to keep up with a path that spends 20 ns on a packet. A packet is
 * therefore a copy of a template, a few stores, and checksums that start from
 * the template's sum; nothing in the common case divides or branches on data.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/in.h>

#include "log.h"
#include "source_gen.h"
#include "source_priv.h"

#define BASE_TIME_NS 1767225600000000000ULL /* 2026-01-01, a constant for the sake of cmp */
#define GOLDEN 0x9e3779b97f4a7c15ULL
#define MAX_HEADERS (14 + 8 + 40 + 20)
#define MAX_CUT 64 /* how much of a packet a mix cuts off */
#define NUMBER_SIZE 8

/*
 * A permutation of the numbers below 2^bits: each step can be undone. It takes
 * flow numbers to addresses and ports, so that no two flows share a tuple.
 */
struct gen_perm {
	__u64 mask;
	__u64 add;
	__u64 mul[2]; /* odd */
	__u32 shift;
};

/* Part of the permuted number. */
struct gen_field {
	__u32 base;
	__u32 mask;
	__u32 bits;
};

struct gen_source;
struct gen_shape;

typedef void (*gen_write_fn)(const struct gen_source *gen, const struct gen_shape *shape, __u64 i,
			     __u64 flow, __u8 *p, __u32 len);

/* All packets of one protocol. Sums are of 16-bit words in memory order, not
 * yet folded: a one's complement sum does not care about the byte order.
 */
struct gen_shape {
	gen_write_fn write;
	__u8 *frame; /* the template: @size bytes of headers and payload */
	__u32 size;
	__u32 headers; /* bytes, the payload starts there */
	__u16 l3, l4; /* offsets */
	__u16 src, dst; /* offsets of the 32 bits of the addresses that vary */
	__u16 csum; /* offset of the L4 checksum */
	__u8 l4_proto; /* 0: ARP */
	bool ipv6;
	bool pseudo; /* the checksum has a pseudo header */
	bool numbered; /* a packet of @size has room for its number */
	__u64 l3_sum, l4_sum; /* of a packet of @size */
	__u64 l3_head, l4_head; /* the same without lengths and payload */
	struct gen_field saddr, daddr, sport, dport;
	struct gen_perm perm;
};

struct gen_source {
	struct xtr_source base;
	struct gen_spec spec;
	__u64 flows;
	__u64 key; /* from the seed */
	bool apart; /* flows are told apart by number: none is another's way back */
	__u8 *payload; /* the pattern */
	__u32 *payload_sum; /* of its first n words */
	const struct gen_shape *shape; /* of all packets, unless they differ */
	struct gen_shape shapes[GEN_SHAPES];
};

struct gen_reader {
	struct xtr_reader base;
	__u64 i; /* the next packet, if @left */
	__u64 flow; /* its flow */
	__u64 left; /* packets left in this run of own ones */
	__u64 stride; /* from one to the next within a run */
	__u64 cycle; /* by flow: where the next round over all flows starts */
	__u64 per_cycle; /* by flow: own flows in a round */
	size_t plain; /* the length of all packets; SIZE_MAX: it is not that simple */
	bool by_flow;
	bool walk; /* look at each packet of the set */
	bool started;
	__u8 *scratch; /* a mix builds here */
	__u8 *look; /* a walk by flow looks at packets here */
};

static __u64 mix64(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Random bits for packet @i; @use keeps different uses apart. */
static __u64 bits_for(const struct gen_source *gen, __u64 i, __u64 use)
{
	return mix64(gen->key + (i + 1) * GOLDEN + (use << 56));
}

static __u64 permute(const struct gen_perm *perm, __u64 x)
{
	x = (x + perm->add) * perm->mul[0] & perm->mask;
	x ^= x >> perm->shift;
	x = x * perm->mul[1] & perm->mask;
	x ^= x >> perm->shift;
	return x;
}

/* ---- bytes ------------------------------------------------------------- */

static void put16(__u8 *p, __u16 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put32(__u8 *p, __u32 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put64(__u8 *p, __u64 v)
{
	memcpy(p, &v, sizeof(v));
}

static __u16 get16(const __u8 *p)
{
	__u16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static __u64 to_be64(__u64 v)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(v) : v;
}

static __u64 sum_words(const __u8 *p, __u32 len)
{
	__u8 last[2] = { 0 };
	__u64 sum = 0;

	for (; len > 1; p += 2, len -= 2)
		sum += get16(p);
	if (len) {
		last[0] = *p;
		sum += get16(last);
	}
	return sum;
}

/* Adding the halves crosswise brings each carry round by itself. */
static __u16 fold(__u64 sum)
{
	__u32 half;

	sum += sum << 32 | sum >> 32;
	half = sum >> 32;
	half += half << 16 | half >> 16;
	return ~(half >> 16);
}

/* Calls to memcpy() cost more than the copy of a small packet. */
static inline void copy_frame(__u8 *to, const __u8 *from, __u32 len)
{
	if (len >= 64) {
		memcpy(to, from, 64);
		to += 64;
		from += 64;
		len -= 64;
	}
	if (len)
		memcpy(to, from, len);
}

/* ---- one packet of a shape --------------------------------------------- */

/* Bytes from the L3 header on: an IP length has 16 bits, what a longer frame
 * has beyond that is padding.
 */
static __u32 l3_len(const struct gen_shape *shape, __u32 len)
{
	__u32 max = 65535 + (shape->ipv6 ? 40 : 0);

	len -= shape->l3;
	return len < max ? len : max;
}

static bool has_number(const struct gen_shape *shape, __u32 len)
{
	if (shape->l4_proto)
		len = shape->l3 + l3_len(shape, len);
	return len >= shape->headers + NUMBER_SIZE;
}

static __u64 payload_sum(const struct gen_source *gen, __u32 len)
{
	__u64 sum = gen->payload_sum[len / 2];

	return len % 2 ? sum + sum_words(gen->payload + len - 1, 1) : sum;
}

struct gen_sums {
	__u64 l3, l4;
};

/* Writes the lengths into the headers of a packet and returns its sums. */
static struct gen_sums set_lengths(const struct gen_source *gen, const struct gen_shape *shape,
				   __u8 *p, __u32 len)
{
	__u32 l3_bytes = l3_len(shape, len);
	__u32 l4_bytes = l3_bytes - (shape->l4 - shape->l3);
	__u16 wire = htons(l4_bytes);
	struct gen_sums sums = {
		.l3 = shape->l3_head,
		.l4 = shape->l4_head + payload_sum(gen, l4_bytes - (shape->headers - shape->l4)),
	};

	if (shape->ipv6) {
		put16(p + shape->l3 + 4, wire);
	} else {
		put16(p + shape->l3 + 2, htons(l3_bytes));
		sums.l3 += htons(l3_bytes);
	}
	if (shape->pseudo)
		sums.l4 += wire;
	if (shape->l4_proto == IPPROTO_UDP) {
		put16(p + shape->l4 + 4, wire);
		sums.l4 += wire;
	}
	return sums;
}

static inline __u32 next_field(const struct gen_field *field, __u64 *x)
{
	__u32 value = field->base | (*x & field->mask);

	*x >>= field->bits;
	return value;
}

static void write_arp(const struct gen_source *gen, const struct gen_shape *shape, __u64 i,
		      __u64 flow, __u8 *p, __u32 len)
{
	__u64 x = permute(&shape->perm, flow);
	__u32 src = htonl(next_field(&shape->saddr, &x));

	(void)gen;
	copy_frame(p, shape->frame, len);
	/* One sender, one MAC address: it ends with the IP address. */
	put32(p + 8, src);
	put32(p + shape->l3 + 10, src);
	put32(p + shape->src, src);
	put32(p + shape->dst, htonl(next_field(&shape->daddr, &x)));
	if (has_number(shape, len))
		put64(p + shape->headers, to_be64(i));
}

/* Instantiated for each protocol below, so that a packet runs no test of its kind. */
static inline __attribute__((always_inline)) void write_ip(const struct gen_source *gen,
							   const struct gen_shape *shape, __u64 i,
							   __u64 flow, __u8 *p, __u32 len,
							   bool ipv6, __u8 l4_proto)
{
	struct gen_sums sums = { shape->l3_sum, shape->l4_sum };
	__u64 x = permute(&shape->perm, flow);
	__u32 src = htonl(next_field(&shape->saddr, &x));
	__u32 dst = htonl(next_field(&shape->daddr, &x));
	bool numbered = shape->numbered;
	__u8 *l4 = p + shape->l4;
	__u16 id = htons(i & 0xffff);
	__u64 number = to_be64(i);
	__u32 word;
	__u16 csum;

	copy_frame(p, shape->frame, len);
	if (__builtin_expect(len != shape->size, 0)) {
		sums = set_lengths(gen, shape, p, len);
		numbered = has_number(shape, len);
	}
	put32(p + shape->src, src);
	put32(p + shape->dst, dst);
	if (!ipv6) {
		put16(p + shape->l3 + 4, id);
		put16(p + shape->l3 + 10, fold(sums.l3 + src + dst + id));
	}
	if (l4_proto != IPPROTO_ICMP)
		sums.l4 += (__u64)src + dst;
	if (l4_proto == IPPROTO_UDP || l4_proto == IPPROTO_TCP) {
		word = next_field(&shape->sport, &x) << 16;
		word = htonl(word | next_field(&shape->dport, &x));
		put32(l4, word);
		sums.l4 += word;
	} else {
		put16(l4 + 6, id);
		sums.l4 += id;
	}
	if (l4_proto == IPPROTO_TCP) {
		put32(l4 + 4, htonl(i));
		sums.l4 += htonl(i);
	}
	if (numbered) {
		put64(p + shape->headers, number);
		sums.l4 += (number & 0xffffffff) + (number >> 32);
	}
	csum = fold(sums.l4);
	/* UDP: 0 would mean "no checksum". */
	if (l4_proto == IPPROTO_UDP)
		csum = csum ? csum : 0xffff;
	put16(p + shape->csum, csum);
}

#define DEFINE_WRITE(name, ipv6, l4_proto)                                                    \
	static void write_##name(const struct gen_source *gen, const struct gen_shape *shape, \
				 __u64 i, __u64 flow, __u8 *p, __u32 len)                     \
	{                                                                                     \
		write_ip(gen, shape, i, flow, p, len, ipv6, l4_proto);                        \
	}

DEFINE_WRITE(udp, false, IPPROTO_UDP)
DEFINE_WRITE(tcp, false, IPPROTO_TCP)
DEFINE_WRITE(udp6, true, IPPROTO_UDP)
DEFINE_WRITE(tcp6, true, IPPROTO_TCP)
DEFINE_WRITE(icmp, false, IPPROTO_ICMP)
DEFINE_WRITE(icmp6, true, IPPROTO_ICMPV6)

static const gen_write_fn writers[GEN_SHAPES] = {
	[GEN_UDP] = write_udp,	 [GEN_TCP] = write_tcp,	  [GEN_UDP6] = write_udp6,
	[GEN_TCP6] = write_tcp6, [GEN_ICMP] = write_icmp, [GEN_ICMP6] = write_icmp6,
	[GEN_ARP] = write_arp,
};

/* ---- random packets ---------------------------------------------------- */

static void fill(__u8 *p, __u32 len, __u64 state)
{
	__u64 word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word))
		put64(p, mix64(state += GOLDEN));
	word = mix64(state + GOLDEN);
	memcpy(p, &word, len);
}

/* Random bytes; mostly behind a type that makes a parser go on. */
static void write_random(const struct gen_source *gen, __u64 i, __u8 *p, __u32 len)
{
	static const __u16 types[] = { ETH_P_IP, ETH_P_IPV6, ETH_P_ARP, ETH_P_8021Q, ETH_P_8021AD };
	__u64 bits = bits_for(gen, i, 'r');
	__u32 kind = bits % 8;

	fill(p, len, bits);
	if (kind >= sizeof(types) / sizeof(types[0]))
		return;
	put16(p + 12, htons(types[kind]));
	if (len == ETH_HLEN || !(bits & 8))
		return;
	if (kind == 0)
		p[14] = 0x45;
	else if (kind == 1)
		p[14] = 0x60;
}

/* ---- a mix: every protocol, some of it broken -------------------------- */

enum gen_damage {
	DAMAGE_VERSION,
	DAMAGE_HEADER_LEN,
	DAMAGE_L3_CSUM,
	DAMAGE_L4_CSUM,
	DAMAGE_LEN_MORE,
	DAMAGE_LEN_LESS,
	DAMAGE_L4_LEN,
	DAMAGE_TTL,
	DAMAGE_TYPE,
	DAMAGE_CUT, /* the frame ends before the packet */
	/* not damage, but rarely looked after */
	ODD_FIRST_FRAGMENT,
	ODD_LATER_FRAGMENT,
	ODD_OPTIONS,
	ODD_KINDS,
};

/* A frame that is being put together. */
struct gen_draft {
	const struct gen_shape *shape;
	__u8 *p;
	__u32 len;
	__u64 bits; /* to choose by */
};

static void insert(struct gen_draft *draft, __u32 at, __u32 len)
{
	memmove(draft->p + at + len, draft->p + at, draft->len - at);
	memset(draft->p + at, 0, len);
	draft->len += len;
}

static void add_to16(__u8 *p, int n)
{
	put16(p, htons(ntohs(get16(p)) + n));
}

static void fix_ipv4_csum(__u8 *ip)
{
	put16(ip + 10, 0);
	put16(ip + 10, fold(sum_words(ip, (ip[0] & 15) * 4)));
}

static void add_ext_header(struct gen_draft *draft, __u8 type)
{
	__u8 *ip = draft->p + draft->shape->l3;

	insert(draft, draft->shape->l3 + 40, 8);
	ip[40] = ip[6];
	ip[6] = type;
	if (type != IPPROTO_FRAGMENT) {
		ip[42] = 1; /* PadN fills the header */
		ip[43] = 4;
	}
	add_to16(ip + 4, 8);
}

static void make_fragment(struct gen_draft *draft, bool first)
{
	__u32 offset = first ? 0 : 1 + (draft->bits >> 40) % 180;
	__u8 *ip = draft->p + draft->shape->l3;

	if (draft->shape->ipv6) {
		add_ext_header(draft, IPPROTO_FRAGMENT);
		put16(ip + 42, htons(offset << 3 | 1));
		put32(ip + 44, draft->bits >> 32);
		return;
	}
	put16(ip + 6, htons(0x2000 | offset));
	fix_ipv4_csum(ip);
}

static void add_options(struct gen_draft *draft)
{
	__u8 *ip = draft->p + draft->shape->l3;

	if (draft->shape->ipv6) {
		add_ext_header(draft, IPPROTO_DSTOPTS);
		add_ext_header(draft, IPPROTO_HOPOPTS);
		return;
	}
	insert(draft, draft->shape->l3 + 20, 8);
	memset(ip + 20, 1, 8); /* no-operation */
	ip[0] += 2;
	add_to16(ip + 2, 8);
	fix_ipv4_csum(ip);
}

static void damage_l4_len(struct gen_draft *draft)
{
	__u8 *l4 = draft->p + draft->shape->l4;

	if (draft->shape->l4_proto == IPPROTO_TCP)
		l4[12] = (draft->bits >> 40) % 5 << 4;
	else
		put16(l4 + 4, draft->bits >> 40);
}

static void damage_header_len(struct gen_draft *draft)
{
	static const __u8 lens[] = { 0, 1, 2, 3, 4, 15 };
	__u8 *ip = draft->p + draft->shape->l3;

	if (draft->shape->ipv6)
		add_to16(ip + 4, 40);
	else
		ip[0] = 0x40 | lens[(draft->bits >> 40) % sizeof(lens)];
}

static void apply(struct gen_draft *draft, __u32 kind)
{
	const struct gen_shape *shape = draft->shape;
	__u8 *ip = draft->p + shape->l3;
	__u8 *len = ip + (shape->ipv6 ? 4 : 2);

	switch (kind) {
	case DAMAGE_VERSION:
		ip[0] = (ip[0] & 15) | ((draft->bits >> 40) % 4) << 4;
		break;
	case DAMAGE_HEADER_LEN:
		damage_header_len(draft);
		break;
	case DAMAGE_L3_CSUM:
		ip[shape->ipv6 ? 7 : 10] ^= 0x55;
		break;
	case DAMAGE_L4_CSUM:
		draft->p[shape->csum] ^= 0x55;
		break;
	case DAMAGE_LEN_MORE:
		add_to16(len, 1 + (draft->bits >> 40) % 2000);
		break;
	case DAMAGE_LEN_LESS:
		put16(len, htons((draft->bits >> 40) % 28));
		break;
	case DAMAGE_L4_LEN:
		damage_l4_len(draft);
		break;
	case DAMAGE_TTL:
		ip[shape->ipv6 ? 7 : 8] = 0;
		break;
	case ODD_FIRST_FRAGMENT:
	case ODD_LATER_FRAGMENT:
		make_fragment(draft, kind == ODD_FIRST_FRAGMENT);
		break;
	case ODD_OPTIONS:
		add_options(draft);
		break;
	}
}

/* How many bytes apply() adds. */
static __u32 growth(const struct gen_shape *shape, __u32 kind)
{
	if (kind == ODD_OPTIONS)
		return shape->ipv6 ? 16 : 8;
	if (kind == ODD_FIRST_FRAGMENT || kind == ODD_LATER_FRAGMENT)
		return shape->ipv6 ? 8 : 0;
	return 0;
}

static void add_tags(struct gen_draft *draft, __u32 tags)
{
	__u32 i;

	for (i = 0; i < tags; i++) {
		insert(draft, 12, 4);
		put16(draft->p + 12, htons(i ? ETH_P_8021AD : ETH_P_8021Q));
		put16(draft->p + 14, htons((draft->bits >> (8 + 12 * i)) % 4095));
	}
}

/* The frame is built whole and then cut to its size, so that one that is too
 * short for its headers comes out as a wire would have cut it.
 */
static void write_mix(const struct gen_source *gen, __u64 i, __u64 flow, __u8 *p, __u32 len,
		      __u8 *scratch)
{
	__u64 bits = bits_for(gen, i, 'm');
	struct gen_draft draft = { .p = scratch, .bits = mix64(bits) };
	__u32 kind = bits >> 8 & 31;
	__u32 tags = bits >> 16 & 7;
	__u32 extra;

	if (!(bits & 15)) {
		write_random(gen, i, p, len);
		return;
	}
	draft.shape = &gen->shapes[(bits >> 32) % GEN_SHAPES];
	if (!draft.shape->l4_proto && kind != DAMAGE_TYPE)
		kind = ODD_KINDS;
	tags = tags < 3 ? tags : 0;
	extra = growth(draft.shape, kind) + 4 * tags;
	draft.len = len > extra ? len - extra : 0;
	if (kind == DAMAGE_CUT)
		draft.len += 1 + (bits >> 40) % MAX_CUT;
	if (draft.len < draft.shape->headers)
		draft.len = draft.shape->headers;
	draft.shape->write(gen, draft.shape, i, flow, scratch, draft.len);
	apply(&draft, kind);
	if (kind == DAMAGE_TYPE)
		put16(scratch + draft.shape->l3 - 2, bits >> 40);
	add_tags(&draft, tags);
	memcpy(p, scratch, len);
}

/* ---- readers ----------------------------------------------------------- */

static __u32 frame_len(const struct gen_source *gen, __u64 i)
{
	const struct gen_spec *spec = &gen->spec;
	__u64 range = spec->max_size - spec->min_size + 1;

	if (range == 1)
		return spec->min_size;
	return spec->min_size + ((bits_for(gen, i, 's') >> 32) * range >> 32);
}

static inline void write_frame(struct gen_reader *reader, __u8 *p, __u32 len)
{
	const struct gen_source *gen = (const struct gen_source *)reader->base.source;

	if (gen->shape)
		gen->shape->write(gen, gen->shape, reader->i, reader->flow, p, len);
	else if (gen->spec.proto == GEN_MIX)
		write_mix(gen, reader->i, reader->flow, p, len, reader->scratch);
	else
		write_random(gen, reader->i, p, len);
}

static inline void write_next(struct gen_reader *reader, struct xtr_packet_info *info, __u8 *buf,
			      __u32 len)
{
	const struct gen_source *gen = (const struct gen_source *)reader->base.source;

	info->ts_ns = BASE_TIME_NS + reader->i * gen->spec.gap_ns;
	info->len = len;
	info->meta_len = gen->spec.meta;
	if (gen->spec.meta) {
		fill(buf, gen->spec.meta, bits_for(gen, reader->i, 'd'));
		buf += gen->spec.meta;
	}
	write_frame(reader, buf, len);
}

/* Looks at each packet of the set; for what cannot be skipped by arithmetic. */
static int walk(struct gen_reader *reader, struct xtr_packet_info *info, void *buf, size_t cap)
{
	struct gen_source *gen = (struct gen_source *)reader->base.source;
	enum xtr_fit fit;
	__u32 len;

	for (; reader->i < gen->spec.count; reader->i++, reader->flow++) {
		if (reader->flow == gen->flows)
			reader->flow = 0;
		len = frame_len(gen, reader->i);
		if (reader->look)
			write_frame(reader, reader->look, len);
		fit = xtr_reader__fit(&reader->base, reader->look, len);
		if (fit == XTR_FIT_OURS && (size_t)len + gen->spec.meta > cap)
			return -ENOSPC;
		info->index = reader->base.stats.packets;
		xtr_reader__pass(&reader->base, fit);
		if (fit != XTR_FIT_OURS)
			continue;
		write_next(reader, info, buf, len);
		reader->i++;
		reader->flow++;
		return 1;
	}
	return 0;
}

/* Chunks in turn: this lane's next one. */
static void next_chunk(struct gen_reader *reader, const struct gen_source *gen)
{
	const struct xtr_share *share = &reader->base.share;
	__u64 count = gen->spec.count;

	if (!reader->started)
		reader->i = (__u64)share->lane * XTR_CHUNK;
	else
		reader->i += (__u64)(share->lanes - 1) * XTR_CHUNK;
	reader->left = reader->i < count ? count - reader->i : 0;
	if (share->lanes > 1 && reader->left > XTR_CHUNK)
		reader->left = XTR_CHUNK;
	reader->flow = reader->i % gen->flows;
}

/* Flow f is lane f % lanes': own packets of the next round over all flows. */
static void next_cycle(struct gen_reader *reader, const struct gen_source *gen)
{
	const struct xtr_share *share = &reader->base.share;
	__u64 rest = gen->spec.count - reader->cycle;

	if (rest >= gen->flows) {
		reader->left = reader->per_cycle;
		rest = gen->flows;
	} else {
		reader->left = (rest + share->lanes - 1 - share->lane) / share->lanes;
	}
	reader->i = reader->cycle + share->lane;
	reader->flow = share->lane;
	reader->cycle += rest;
}

static bool next_run(struct gen_reader *reader)
{
	const struct gen_source *gen = (const struct gen_source *)reader->base.source;

	if (!reader->by_flow)
		next_chunk(reader, gen);
	else if (reader->per_cycle)
		do {
			next_cycle(reader, gen);
		} while (!reader->left && reader->cycle < gen->spec.count);
	reader->started = true;
	if (!reader->left)
		reader->base.stats.packets = gen->spec.count;
	return reader->left;
}

/* To the next packet of the run. */
static inline void step(struct gen_reader *reader, const struct gen_source *gen)
{
	reader->base.stats.packets = reader->i + 1;
	reader->left--;
	reader->i += reader->stride;
	reader->flow += reader->stride;
	if (reader->flow >= gen->flows)
		reader->flow = 0;
}

static __attribute__((noinline)) int next_any(struct gen_reader *reader,
					      struct xtr_packet_info *info, void *buf, size_t cap)
{
	const struct gen_source *gen = (const struct gen_source *)reader->base.source;
	__u32 len;

	if (reader->walk)
		return walk(reader, info, buf, cap);
	if (!reader->left && !next_run(reader))
		return 0;
	len = frame_len(gen, reader->i);
	if ((size_t)len + gen->spec.meta > cap)
		return -ENOSPC;
	info->index = reader->i;
	write_next(reader, info, buf, len);
	step(reader, gen);
	return 1;
}

static int gen_next(struct xtr_reader *base, struct xtr_packet_info *info, void *buf, size_t cap)
{
	struct gen_reader *reader = (struct gen_reader *)base;
	const struct gen_source *gen = (const struct gen_source *)base->source;
	const struct gen_shape *shape = gen->shape;
	__u64 flow = reader->flow;
	__u64 i = reader->i;

	/* One test for all that is not the common case. */
	if (__builtin_expect(!reader->left || cap < reader->plain, 0))
		return next_any(reader, info, buf, cap);
	info->index = i;
	info->ts_ns = BASE_TIME_NS + i * gen->spec.gap_ns;
	info->len = reader->plain;
	info->meta_len = 0;
	step(reader, gen);
	shape->write(gen, shape, i, flow, buf, reader->plain);
	return 1;
}

static void gen_reader_close(struct xtr_reader *base)
{
	struct gen_reader *reader = (struct gen_reader *)base;

	free(reader->scratch);
	free(reader->look);
	free(reader);
}

/* Decides how this lane finds its packets. */
static void plan(struct gen_reader *reader, const struct gen_source *gen,
		 const struct xtr_share *share)
{
	const struct gen_spec *spec = &gen->spec;
	bool all_fit = spec->min_size >= share->min_len && spec->max_size <= share->max_len;

	reader->by_flow = share->lanes > 1 && share->affinity == XTR_AFFINITY_FLOW;
	if (gen->shape && spec->min_size == spec->max_size && !spec->meta)
		reader->plain = spec->min_size;
	else
		reader->plain = SIZE_MAX;
	reader->walk = !all_fit || (reader->by_flow && !gen->apart);
	reader->stride = reader->by_flow ? share->lanes : 1;
	if (reader->walk)
		reader->stride = 1;
	reader->per_cycle =
		gen->flows > share->lane ? (gen->flows - share->lane - 1) / share->lanes + 1 : 0;
}

static struct xtr_reader *gen_reader_open(struct xtr_source *source, const struct xtr_share *share)
{
	const struct gen_source *gen = (const struct gen_source *)source;
	struct gen_reader *reader = xtr_reader__alloc(sizeof(*reader));

	if (!reader)
		goto nomem;
	plan(reader, gen, share);
	if (gen->spec.proto == GEN_MIX) {
		/* room for what is cut off and inserted */
		reader->scratch = malloc(gen->spec.max_size + 2 * MAX_HEADERS + MAX_CUT);
		if (!reader->scratch)
			goto nomem;
	}
	if (reader->walk && reader->by_flow) {
		reader->look = malloc(gen->spec.max_size);
		if (!reader->look)
			goto nomem;
	}
	return &reader->base;

nomem:
	pr_err("cannot generate packets: out of memory");
	if (reader)
		gen_reader_close(&reader->base);
	errno = ENOMEM;
	return NULL;
}

/* ---- templates --------------------------------------------------------- */

static void set_perm(struct gen_perm *perm, __u32 bits, __u64 key)
{
	perm->mask = bits ? ~0ULL >> (64 - bits) : 0;
	perm->shift = bits > 1 ? (bits + 1) / 2 : 1;
	perm->add = mix64(key + GOLDEN);
	perm->mul[0] = mix64(key + 2 * GOLDEN) | 1;
	perm->mul[1] = mix64(key + 3 * GOLDEN) | 1;
}

static void set_field(struct gen_field *field, __u32 base, __u32 bits)
{
	field->base = base;
	field->bits = bits;
	field->mask = bits ? ~0U >> (32 - bits) : 0;
}

static void set_addr(struct gen_field *field, const struct gen_range *range)
{
	const __u8 *low = range->addr + 12;

	set_field(field, (__u32)low[0] << 24 | low[1] << 16 | low[2] << 8 | low[3], range->bits);
}

/* Ports that no service is at; together with two prefixes at most 63 bits. */
static void set_ports(struct gen_shape *shape, const struct gen_spec *spec)
{
	__u32 rest = 63 - shape->saddr.bits - shape->daddr.bits - 15;

	if (spec->sport < 0)
		set_field(&shape->sport, 32768, 15);
	else
		set_field(&shape->sport, spec->sport, 0);
	if (spec->dport < 0)
		set_field(&shape->dport, 16384, rest < 14 ? rest : 14);
	else
		set_field(&shape->dport, spec->dport, 0);
}

static __u32 flow_bits(const struct gen_shape *shape)
{
	return shape->saddr.bits + shape->daddr.bits + shape->sport.bits + shape->dport.bits;
}

static void template_eth(const struct gen_shape *shape, const struct gen_spec *spec)
{
	static const __u8 macs[12] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	__u8 *p = shape->frame;
	__u16 type = shape->ipv6 ? ETH_P_IPV6 : shape->l4_proto ? ETH_P_IP : ETH_P_ARP;
	__u32 i;

	memcpy(p, macs, sizeof(macs));
	if (!shape->l4_proto)
		memset(p, 0xff, ETH_ALEN);
	p += sizeof(macs);
	for (i = 0; i < spec->tags; i++) {
		put16(p, htons(spec->tags - i == 2 ? ETH_P_8021AD : ETH_P_8021Q));
		put16(p + 2, htons(spec->vlan[i]));
		p += 4;
	}
	put16(p, htons(type));
}

static void template_ipv4(const struct gen_shape *shape)
{
	__u8 *ip = shape->frame + shape->l3;

	ip[0] = 0x45;
	ip[6] = 0x40; /* don't fragment */
	ip[8] = 64;
	ip[9] = shape->l4_proto;
}

static void template_ipv6(const struct gen_shape *shape, const struct gen_spec *spec)
{
	__u8 *ip = shape->frame + shape->l3;

	ip[0] = 0x60;
	ip[6] = shape->l4_proto;
	ip[7] = 64;
	/* The last 32 bits are written into each packet. */
	memcpy(ip + 8, spec->src[1].addr, 12);
	memcpy(ip + 24, spec->dst[1].addr, 12);
}

static void template_l4(const struct gen_shape *shape)
{
	__u8 *l4 = shape->frame + shape->l4;

	switch (shape->l4_proto) {
	case IPPROTO_TCP:
		l4[12] = 5 << 4;
		l4[13] = 0x18; /* PSH, ACK */
		put16(l4 + 14, htons(65535));
		break;
	case IPPROTO_ICMP:
		l4[0] = 8; /* echo request */
		break;
	case IPPROTO_ICMPV6:
		l4[0] = 128;
		break;
	}
}

static void template_arp(const struct gen_shape *shape)
{
	static const __u8 request[] = { 0, 1, 8, 0, 6, 4, 0, 1, 2 };

	memcpy(shape->frame + shape->l3, request, sizeof(request));
}

/* Offsets and kinds. */
static void lay_out(struct gen_shape *shape, enum gen_proto proto, __u32 tags)
{
	static const __u8 l4_protos[GEN_SHAPES] = {
		[GEN_UDP] = IPPROTO_UDP,  [GEN_TCP] = IPPROTO_TCP,   [GEN_UDP6] = IPPROTO_UDP,
		[GEN_TCP6] = IPPROTO_TCP, [GEN_ICMP] = IPPROTO_ICMP, [GEN_ICMP6] = IPPROTO_ICMPV6,
	};
	static const __u8 csums[] = {
		[IPPROTO_UDP] = 6, [IPPROTO_TCP] = 16, [IPPROTO_ICMP] = 2, [IPPROTO_ICMPV6] = 2
	};

	shape->write = writers[proto];
	shape->l4_proto = l4_protos[proto];
	shape->ipv6 = gen_is_ipv6(proto);
	shape->headers = gen_header_size(proto) + 4 * tags;
	shape->l3 = ETH_HLEN + 4 * tags;
	shape->l4 = shape->l3 + (shape->ipv6 ? 40 : 20);
	shape->csum = shape->l4 + csums[shape->l4_proto];
	shape->pseudo = shape->l4_proto != IPPROTO_ICMP;
	shape->src = shape->l3 + (shape->ipv6 ? 20 : 12);
	shape->dst = shape->l3 + (shape->ipv6 ? 36 : 16);
	if (proto == GEN_ARP) {
		shape->src = shape->l3 + 14;
		shape->dst = shape->l3 + 24;
	}
}

/* Headers, then the sums that all packets start from. */
static void fill_template(const struct gen_source *gen, struct gen_shape *shape)
{
	__u8 *p = shape->frame;
	struct gen_sums sums;

	memset(p, 0, shape->headers);
	memcpy(p + shape->headers, gen->payload, shape->size - shape->headers);
	template_eth(shape, &gen->spec);
	if (!shape->l4_proto) {
		template_arp(shape);
		return;
	}
	if (shape->ipv6)
		template_ipv6(shape, &gen->spec);
	else
		template_ipv4(shape);
	template_l4(shape);
	shape->l3_head = sum_words(p + shape->l3, 20);
	shape->l4_head = sum_words(p + shape->l4, shape->headers - shape->l4);
	if (shape->pseudo)
		shape->l4_head += htons(shape->l4_proto);
	if (shape->ipv6)
		shape->l4_head += sum_words(p + shape->l3 + 8, 32);
	sums = set_lengths(gen, shape, p, shape->size);
	shape->l3_sum = sums.l3;
	shape->l4_sum = sums.l4;
	shape->numbered = has_number(shape, shape->size);
}

static int set_shape(struct gen_source *gen, enum gen_proto proto)
{
	struct gen_shape *shape = &gen->shapes[proto];
	const struct gen_spec *spec = &gen->spec;

	lay_out(shape, proto, spec->tags);
	set_addr(&shape->saddr, &spec->src[shape->ipv6]);
	set_addr(&shape->daddr, &spec->dst[shape->ipv6]);
	if (shape->l4_proto == IPPROTO_UDP || shape->l4_proto == IPPROTO_TCP)
		set_ports(shape, spec);
	set_perm(&shape->perm, flow_bits(shape), gen->key);
	shape->size = spec->max_size;
	if (spec->proto == GEN_MIX) {
		shape->size += MAX_CUT;
		if (shape->size < shape->headers)
			shape->size = shape->headers;
	}
	shape->frame = malloc(shape->size);
	if (!shape->frame)
		return -ENOMEM;
	fill_template(gen, shape);
	return 0;
}

/* The pattern leaves room for the number, which is added to the sum by itself. */
static int set_payload(struct gen_source *gen)
{
	__u32 words = (gen->spec.max_size + MAX_CUT) / 2 + 1;
	__u32 i;

	gen->payload = calloc(words, 2);
	gen->payload_sum = calloc(words + 1, sizeof(*gen->payload_sum));
	if (!gen->payload || !gen->payload_sum)
		return -ENOMEM;
	if (2 * words > NUMBER_SIZE)
		fill(gen->payload + NUMBER_SIZE, 2 * words - NUMBER_SIZE, gen->key);
	for (i = 0; i < words; i++)
		gen->payload_sum[i + 1] = gen->payload_sum[i] + get16(gen->payload + 2 * i);
	return 0;
}

static int set_shapes(struct gen_source *gen)
{
	const struct gen_spec *spec = &gen->spec;
	enum gen_proto proto;
	int err = 0;

	if (spec->proto < GEN_SHAPES) {
		gen->shape = &gen->shapes[spec->proto];
		return set_shape(gen, spec->proto);
	}
	if (spec->proto == GEN_MIX)
		for (proto = 0; proto < GEN_SHAPES && !err; proto++)
			err = set_shape(gen, proto);
	return err;
}

/* No address of one side is one of the other side's. */
static bool sides_apart(const struct gen_shape *shape, const struct gen_spec *spec)
{
	__u32 fixed = ~(shape->saddr.mask | shape->daddr.mask);

	if (shape->ipv6 && memcmp(spec->src[1].addr, spec->dst[1].addr, 12))
		return true;
	return (shape->saddr.base ^ shape->daddr.base) & fixed;
}

static int set_flows(struct gen_source *gen, const char *text)
{
	const struct gen_spec *spec = &gen->spec;
	__u64 room = GEN_MAX_COUNT;
	__u32 bits;

	if (gen->shape) {
		bits = flow_bits(gen->shape);
		if (bits < 40)
			room = 1ULL << bits;
		gen->apart = gen->shape->l4_proto && sides_apart(gen->shape, spec);
	}
	if (spec->flows > room) {
		pr_err("cannot use generator '%s': flows=%llu, but the addresses and ports that "
		       "vary make %llu; lower flows, or widen src, dst, sport or dport",
		       text, (unsigned long long)spec->flows, (unsigned long long)room);
		return -EINVAL;
	}
	gen->flows = spec->flows ? spec->flows : spec->count;
	if (gen->flows > room)
		gen->flows = room;
	return 0;
}

static void gen_free(struct xtr_source *source)
{
	struct gen_source *gen = (struct gen_source *)source;
	int i;

	for (i = 0; i < GEN_SHAPES; i++)
		free(gen->shapes[i].frame);
	free(gen->payload);
	free(gen->payload_sum);
	free(gen);
}

static const struct xtr_source_ops gen_ops = {
	.open = gen_reader_open,
	.next = gen_next,
	.close = gen_reader_close,
	.free = gen_free,
};

struct xtr_source *xtr_source__open_gen(const char *text)
{
	struct gen_source *gen = calloc(1, sizeof(*gen));
	int err = -ENOMEM;

	if (!gen)
		goto out;
	gen->base.ops = &gen_ops;
	err = gen_spec__parse(&gen->spec, text);
	if (err)
		goto out;
	gen->key = mix64(gen->spec.seed + GOLDEN);
	err = set_payload(gen);
	if (!err)
		err = set_shapes(gen);
	if (!err)
		err = set_flows(gen, text);
out:
	if (!err)
		return &gen->base;
	if (err == -ENOMEM)
		pr_err("cannot use generator '%s': out of memory", text);
	if (gen)
		gen_free(&gen->base);
	errno = -err;
	return NULL;
}

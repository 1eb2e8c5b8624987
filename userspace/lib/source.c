// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What all packet sources have in common: which packets a lane takes, what is
 * left out and counted, and the source that reads from memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_ether.h>
#include <netinet/in.h>

#include "log.h"
#include "source_priv.h"

/* ---- flow hash --------------------------------------------------------- */

#define MAX_TAGS 2
/* A chain of extension headers can be as long as the packet; real ones are short. */
#define MAX_EXT_HEADERS 8

struct cursor {
	const __u8 *at;
	const __u8 *end;
};

/* The next @len bytes, or NULL where the packet ends before. */
static const __u8 *take(struct cursor *cur, size_t len)
{
	const __u8 *at = cur->at;

	if ((size_t)(cur->end - at) < len)
		return NULL;
	cur->at += len;
	return at;
}

static __u16 load16(const __u8 *p)
{
	return p[0] << 8 | p[1];
}

static __u64 load64(const __u8 *p)
{
	__u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static __u32 load32(const __u8 *p)
{
	__u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static __u64 mix64(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* The two ends of a flow are mixed apart and added: the sum does not know
 * which of them was the sender.
 */
static __u32 hash_ends(__u64 a, __u64 b, __u32 proto)
{
	return mix64(mix64(a) + mix64(b) + proto) >> 32;
}

static bool has_ports(__u8 proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP || proto == IPPROTO_SCTP ||
	       proto == IPPROTO_UDPLITE || proto == IPPROTO_DCCP;
}

/* Ports go above the 32 bits of an IPv4 address, or what IPv6 was folded to. */
static void add_ports(struct cursor *cur, __u8 proto, __u64 *src, __u64 *dst)
{
	const __u8 *ports = has_ports(proto) ? take(cur, 4) : NULL;

	if (!ports)
		return;
	*src ^= (__u64)load16(ports) << 40;
	*dst ^= (__u64)load16(ports + 2) << 40;
}

static bool hash_ipv4(struct cursor cur, __u32 *hash)
{
	const __u8 *ip = take(&cur, 20);
	__u64 src, dst;
	size_t options;

	if (!ip || ip[0] >> 4 != 4 || (ip[0] & 15) < 5)
		return false;
	options = (ip[0] & 15) * 4 - 20;
	src = load32(ip + 12);
	dst = load32(ip + 16);
	if (load16(ip + 6) & 0x1fff) {
		/* Ports are in the first fragment only. */
		*hash = hash_ends(src, dst, 0);
		return true;
	}
	if (take(&cur, options))
		add_ports(&cur, ip[9], &src, &dst);
	*hash = hash_ends(src, dst, ip[9]);
	return true;
}

static bool is_ext_header(__u8 proto)
{
	return proto == IPPROTO_HOPOPTS || proto == IPPROTO_ROUTING || proto == IPPROTO_DSTOPTS ||
	       proto == IPPROTO_FRAGMENT || proto == IPPROTO_AH;
}

/*
 * Goes past the extension headers. Returns the upper protocol, or -1 where
 * there is none to be seen: a later fragment, a cut or too long chain.
 */
static int skip_ext_headers(struct cursor *cur, __u8 proto)
{
	const __u8 *ext;
	int i;

	for (i = 0; is_ext_header(proto); i++) {
		ext = i < MAX_EXT_HEADERS ? take(cur, 8) : NULL;
		if (!ext)
			return -1;
		if (proto == IPPROTO_FRAGMENT) {
			if (load16(ext + 2) & 0xfff8)
				return -1;
		} else if (!take(cur, proto == IPPROTO_AH ? ext[1] * 4 : ext[1] * 8)) {
			return -1;
		}
		proto = ext[0];
	}
	return proto;
}

static __u64 fold_ipv6(const __u8 *addr)
{
	return mix64(load64(addr)) ^ load64(addr + 8);
}

static bool hash_ipv6(struct cursor cur, __u32 *hash)
{
	const __u8 *ip = take(&cur, 40);
	__u64 src, dst;
	int proto;

	if (!ip || ip[0] >> 4 != 6)
		return false;
	src = fold_ipv6(ip + 8);
	dst = fold_ipv6(ip + 24);
	proto = skip_ext_headers(&cur, ip[6]);
	if (proto < 0)
		proto = 0;
	else
		add_ports(&cur, proto, &src, &dst);
	*hash = hash_ends(src, dst, proto);
	return true;
}

static bool is_tag(__u16 type)
{
	return type == ETH_P_8021Q || type == ETH_P_8021AD || type == ETH_P_QINQ1;
}

__u32 xtr_flow_hash(const void *packet, size_t len)
{
	struct cursor cur = { packet, (const __u8 *)packet + len };
	const __u8 *eth = take(&cur, ETH_HLEN);
	const __u8 *tag;
	__u32 hash;
	__u16 type;
	int i;

	if (!eth)
		return 0;
	type = load16(eth + 12);
	for (i = 0; i < MAX_TAGS && is_tag(type); i++) {
		tag = take(&cur, 4);
		if (!tag)
			break;
		type = load16(tag + 2);
	}
	if (type == ETH_P_IP && hash_ipv4(cur, &hash))
		return hash;
	if (type == ETH_P_IPV6 && hash_ipv6(cur, &hash))
		return hash;
	return hash_ends((__u64)load32(eth) << 16 | load16(eth + 4),
			 (__u64)load32(eth + 6) << 16 | load16(eth + 10), type);
}

/* ---- readers ----------------------------------------------------------- */

#define CACHE_LINES 128 /* two: the neighbour is prefetched */

void *xtr_reader__alloc(size_t size)
{
	void *reader;

	size = (size + CACHE_LINES - 1) / CACHE_LINES * CACHE_LINES;
	reader = aligned_alloc(CACHE_LINES, size);
	return reader ? memset(reader, 0, size) : NULL;
}

static bool owns(const struct xtr_reader *reader, const void *packet, __u32 len)
{
	const struct xtr_share *share = &reader->share;
	__u64 turn;

	if (share->lanes == 1)
		return true;
	if (share->affinity == XTR_AFFINITY_FLOW)
		turn = xtr_flow_hash(packet, len);
	else
		turn = reader->stats.packets / XTR_CHUNK;
	return turn % share->lanes == share->lane;
}

enum xtr_fit xtr_reader__fit(const struct xtr_reader *reader, const void *packet, __u32 len)
{
	if (len < reader->share.min_len)
		return XTR_FIT_UNDERSIZED;
	if (len > reader->share.max_len)
		return XTR_FIT_OVERSIZED;
	return owns(reader, packet, len) ? XTR_FIT_OURS : XTR_FIT_OTHERS;
}

void xtr_reader__pass(struct xtr_reader *reader, enum xtr_fit fit)
{
	struct xtr_source_stats *stats = &reader->stats;
	__u64 number = xtr_reader__number(reader);

	switch (fit) {
	case XTR_FIT_UNDERSIZED:
		if (!stats->undersized++)
			stats->first_undersized = number;
		break;
	case XTR_FIT_OVERSIZED:
		if (!stats->oversized++)
			stats->first_oversized = number;
		break;
	default:
		stats->packets++;
	}
}

struct xtr_reader *xtr_reader__open(struct xtr_source *source, const struct xtr_share *share)
{
	struct xtr_share full = *share;
	struct xtr_reader *reader;

	if (share->lane >= share->lanes) {
		pr_err("cannot read packets for lane %u of %u: lanes count from 0", share->lane,
		       share->lanes);
		errno = EINVAL;
		return NULL;
	}
	if (!full.max_len)
		full.max_len = ~0U;
	reader = source->ops->open(source, &full);
	if (!reader)
		return NULL;
	reader->source = source;
	reader->ops = source->ops;
	reader->share = full;
	/* The share was copied, not kept. */
	/* cppcheck-suppress returnDanglingLifetime */
	return reader;
}

void xtr_reader__close(struct xtr_reader *reader)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	if (!reader)
		return;
	/* Lanes end at the same time. */
	pthread_mutex_lock(&lock);
	reader->source->stats = reader->stats;
	pthread_mutex_unlock(&lock);
	reader->ops->close(reader);
}

int xtr_source__stats(const struct xtr_source *source, struct xtr_source_stats *stats)
{
	struct xtr_source_stats full = source->stats;
	size_t sz = stats->sz;

	if (sz < offsetof(struct xtr_source_stats, packets)) {
		pr_err("cannot return packet set statistics: sz is %zu, set it to "
		       "sizeof(struct xtr_source_stats)",
		       sz);
		return -EINVAL;
	}
	full.sz = sz;
	/* A newer caller's fields that are unknown here read as 0. */
	memset(stats, 0, sz);
	memcpy(stats, &full, sz < sizeof(full) ? sz : sizeof(full));
	return 0;
}

void xtr_source__close(struct xtr_source *source)
{
	if (source)
		source->ops->free(source);
}

/* ---- packets in memory ------------------------------------------------- */

struct mem_source {
	struct xtr_source base;
	const struct xtr_packet *packets;
	size_t count;
};

static struct xtr_reader *mem_open(struct xtr_source *source, const struct xtr_share *share)
{
	struct xtr_reader *reader = xtr_reader__alloc(sizeof(*reader));

	(void)source;
	(void)share;
	if (!reader)
		pr_err("cannot read packets from memory: out of memory");
	return reader;
}

static void mem_copy(const struct xtr_packet *packet, void *buf)
{
	/* Without bytes the pointers may be NULL, which memcpy() does not take. */
	if (packet->meta_len)
		memcpy(buf, packet->meta, packet->meta_len);
	if (packet->len)
		memcpy((char *)buf + packet->meta_len, packet->data, packet->len);
}

static int mem_next(struct xtr_reader *reader, struct xtr_packet_info *info, void *buf, size_t cap)
{
	const struct mem_source *source = (const struct mem_source *)reader->source;
	const struct xtr_packet *packet;
	enum xtr_fit fit;
	__u64 number;

	while ((number = xtr_reader__number(reader)) <= source->count) {
		packet = &source->packets[number - 1];
		fit = xtr_reader__fit(reader, packet->data, packet->len);
		if (fit == XTR_FIT_OURS && (size_t)packet->len + packet->meta_len > cap)
			return -ENOSPC;
		info->index = reader->stats.packets;
		xtr_reader__pass(reader, fit);
		if (fit != XTR_FIT_OURS)
			continue;
		info->ts_ns = packet->ts_ns;
		info->len = packet->len;
		info->meta_len = packet->meta_len;
		mem_copy(packet, buf);
		return 1;
	}
	return 0;
}

static void mem_close(struct xtr_reader *reader)
{
	free(reader);
}

static void mem_free(struct xtr_source *source)
{
	free(source);
}

static const struct xtr_source_ops mem_ops = {
	.open = mem_open,
	.next = mem_next,
	.close = mem_close,
	.free = mem_free,
};

static int mem_check(const struct xtr_packet *packets, size_t count)
{
	size_t i;

	if (!count) {
		pr_err("cannot use packets in memory: there are none; hand over at least one");
		return -ENODATA;
	}
	for (i = 0; i < count; i++) {
		if (packets[i].meta_len % 4) {
			pr_err("cannot use packet %zu in memory: %u bytes of metadata; "
			       "the kernel takes multiples of 4",
			       i + 1, packets[i].meta_len);
			return -EINVAL;
		}
		if ((packets[i].len && !packets[i].data) ||
		    (packets[i].meta_len && !packets[i].meta)) {
			pr_err("cannot use packet %zu in memory: it has a length but no bytes; "
			       "set data and meta",
			       i + 1);
			return -EINVAL;
		}
	}
	return 0;
}

struct xtr_source *xtr_source__from_packets(const struct xtr_packet *packets, size_t count)
{
	struct mem_source *source;
	int err;

	err = mem_check(packets, count);
	if (err) {
		errno = -err;
		return NULL;
	}
	source = calloc(1, sizeof(*source));
	if (!source) {
		pr_err("cannot use packets in memory: out of memory");
		return NULL;
	}
	source->base.ops = &mem_ops;
	source->packets = packets;
	source->count = count;
	return &source->base;
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Programs that move head, tail and metadata, in all directions. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

#define COUNT 20000

/* The case's data: how far. */
struct move {
	int head;
	int tail;
	int meta;
};

static __u32 push(struct pkt *pkt, int delta, __u8 first)
{
	if (pkt_adjust_head(pkt, delta))
		return XDP_ABORTED;
	if (delta < 0)
		pkt_fill_head(pkt, -delta, first);
	return XDP_TX;
}

static __u32 head(const struct env *env, struct pkt *pkt)
{
	const struct move *move = env->tc->data;

	return push(pkt, move->head, 0xa0);
}

static __u32 tail(const struct env *env, struct pkt *pkt)
{
	const struct move *move = env->tc->data;

	return pkt_adjust_tail(pkt, move->tail) ? XDP_ABORTED : XDP_TX;
}

static __u32 both(const struct env *env, struct pkt *pkt)
{
	const struct move *move = env->tc->data;

	if (push(pkt, move->head, 0xb0) == XDP_ABORTED)
		return XDP_DROP;
	return tail(env, pkt);
}

static __u32 set_meta(struct pkt *pkt, int size)
{
	int i;

	if (pkt_adjust_meta(pkt, -size))
		return XDP_ABORTED;
	for (i = 0; i < (int)pkt->meta_len && i < size; i++)
		pkt_data(pkt)[i - (int)pkt->meta_len] = 0xc0 + i;
	return XDP_TX;
}

static __u32 meta(const struct env *env, struct pkt *pkt)
{
	const struct move *move = env->tc->data;

	return set_meta(pkt, move->meta);
}

static __u32 meta_then_push(const struct env *env, struct pkt *pkt)
{
	(void)env;
	if (set_meta(pkt, 8) != XDP_TX)
		return XDP_ABORTED;
	return push(pkt, -4, 0xa0) == XDP_TX ? XDP_TX : XDP_DROP;
}

static __u32 meta_shrink(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return pkt_adjust_meta(pkt, 4) ? XDP_ABORTED : XDP_TX;
}

static __u32 meta_read(const struct env *env, struct pkt *pkt)
{
	__u8 *args = pkt_args(pkt, 8);

	(void)env;
	if (!args)
		return XDP_PASS;
	put32(args, pkt->meta_len);
	if (pkt->meta_len >= 4)
		memcpy(args + 4, pkt_data(pkt) - pkt->meta_len, 4);
	return XDP_TX;
}

static __u32 head_from_packet(const struct env *env, struct pkt *pkt)
{
	__u8 *arg = pkt_args(pkt, 2);

	(void)env;
	return arg ? push(pkt, (__s16)get16(arg), 0xa0) : XDP_PASS;
}

static __u32 tail_from_packet(const struct env *env, struct pkt *pkt)
{
	__u8 *arg = pkt_args(pkt, 2);

	(void)env;
	if (!arg)
		return XDP_PASS;
	return pkt_adjust_tail(pkt, (__s16)get16(arg)) ? XDP_ABORTED : XDP_TX;
}

/* ---- moves: all three by the packet's own bytes --------------------------------- */

static int limit(const struct env *env, const char *name, int fallback)
{
	const char *const *rodata = env->tc->rodata;
	int i;

	for (i = 0; i + 1 < (int)ARRAY_SIZE(env->tc->rodata) && rodata[i]; i += 2)
		if (!strcmp(rodata[i], name))
			return atoi(rodata[i + 1]);
	return fallback;
}

static int scale_delta(__u16 random, int neg, int pos)
{
	return random % (neg + pos + 1) - neg;
}

static __u32 moves(const struct env *env, struct pkt *pkt)
{
	int words_max = limit(env, "meta_words_max", 9), words, i, head, tail;
	__u8 *in = pkt_args(pkt, 6), order, meta;
	bool bad_head = false, bad_tail = false, bad_meta;

	if (!in)
		return XDP_PASS;
	head = scale_delta(get16(in), limit(env, "head_push_max", 256),
			   limit(env, "head_pull_max", 64));
	tail = scale_delta(get16(in + 2), limit(env, "tail_shrink_max", 64),
			   limit(env, "tail_grow_max", 128));
	meta = in[4];
	order = in[5];
	words = meta % (words_max + 1);
	if (!(order & 1))
		bad_tail = pkt_adjust_tail(pkt, tail);
	bad_head = push(pkt, head, order) != XDP_TX;
	if (order & 1)
		bad_tail = pkt_adjust_tail(pkt, tail);
	bad_meta = pkt_adjust_meta(pkt, -4 * words);
	for (i = 0; !bad_meta && i < words && 4 * (i + 1) <= (int)pkt->meta_len; i++)
		put32(pkt_data(pkt) - pkt->meta_len + 4 * i, 0x01010101U * meta + i);
	pkt_data(pkt)[pkt->len - 1] = bad_head | bad_tail << 1 | bad_meta << 2;
	return XDP_TX - bad_head - bad_tail - bad_meta;
}

#define MOVE(...)            \
	&(const struct move) \
	{                    \
		__VA_ARGS__  \
	}

#define RANDOM(label, obj, prog, on, ...)                                            \
	{                                                                            \
		.name = label, .object = "cases/" obj, .program = prog, .model = on, \
		.spec = "random,size=14-1280", .count = COUNT, __VA_ARGS__           \
	}

/* Frames that get longer than what can be injected, up to what can come back, or beyond. */
#define LONG(label, obj, prog, on, lengths, ...)                                     \
	{                                                                            \
		.name = label, .object = "cases/" obj, .program = prog, .model = on, \
		.spec = "random,size=" lengths, .count = 3000, __VA_ARGS__           \
	}

#define HEAD(prog, delta) RANDOM(prog, "adjust_head", prog, head, .data = MOVE(.head = delta))
#define TAIL(prog, delta)                                                    \
	RANDOM(prog, "adjust_tail", prog, tail, .data = MOVE(.tail = delta), \
	       .flags = (delta) > 0 ? CASE_TAIL_GROWTH : 0)
#define BOTH(prog, h, t)                                                            \
	RANDOM(prog, "adjust_both", prog, both, .data = MOVE(.head = h, .tail = t), \
	       .flags = (t) > 0 ? CASE_TAIL_GROWTH : 0)
#define META(prog, n) RANDOM(prog, "adjust_meta", prog, meta, .data = MOVE(.meta = n))

#define META_IN(label, obj, prog, on, bytes, ...)                                                 \
	{                                                                                         \
		.name = label, .object = "cases/" obj, .program = prog, .model = on,              \
		.spec = "random,size=64-1280,meta=" bytes, .count = COUNT, .flags = CASE_META_IN, \
		__VA_ARGS__                                                                       \
	}

const struct test_case cases_moves[] = {
	RANDOM("moves", "moves", "moves", moves, .rodata = { "tail_grow_max", "0" },
	       .flags = CASE_WIDE),
	RANDOM("moves-grow", "moves", "moves", moves, .flags = CASE_TAIL_GROWTH | CASE_WIDE),
	RANDOM("moves-far", "moves", "moves", moves,
	       .rodata = { "head_pull_max", "600", "tail_shrink_max", "600", "tail_grow_max",
			   "0" }),
	RANDOM("moves-grow-far", "moves", "moves", moves,
	       .rodata = { "tail_grow_max", "1400", "head_pull_max", "300" },
	       .flags = CASE_TAIL_GROWTH),
	META_IN("moves-meta-in", "moves", "moves", moves, "8"),
	META_IN("moves-meta-in-32", "moves", "moves", moves, "32"),
	META_IN("moves-meta-in-long", "moves", "moves", moves, "120",
		.rodata = { "meta_words_max", "20" }, .min_kernel = KVER(6, 3)),
	HEAD("head_push_4", -4),
	HEAD("head_push_14", -14),
	HEAD("head_push_100", -100),
	HEAD("head_push_216", -216),
	HEAD("head_push_217", -217),
	HEAD("head_pull_4", 4),
	HEAD("head_pull_14", 14),
	HEAD("head_pull_46", 46),
	RANDOM("head_rodata", "adjust_head", "head_rodata", head, .data = MOVE(.head = -37),
	       .rodata = { "head_delta", "-37" }),
	RANDOM("head_from_packet", "adjust_head", "head_from_packet", head_from_packet),
	TAIL("tail_grow_4", 4),
	TAIL("tail_grow_40", 40),
	TAIL("tail_grow_100", 100),
	TAIL("tail_grow_1000", 1000),
	TAIL("tail_shrink_4", -4),
	TAIL("tail_shrink_40", -40),
	TAIL("tail_shrink_100", -100),
	RANDOM("tail_rodata", "adjust_tail", "tail_rodata", tail, .data = MOVE(.tail = -7),
	       .rodata = { "tail_delta", "-7" }),
	RANDOM("tail_from_packet", "adjust_tail", "tail_from_packet", tail_from_packet,
	       .flags = CASE_TAIL_GROWTH | CASE_UNRETURNED),
	LONG("long-push", "adjust_head", "head_push_216", head, "1303-1518",
	     .data = MOVE(.head = -216)),
	LONG("long-grow", "adjust_tail", "tail_rodata", tail, "64-1518", .data = MOVE(.tail = 1500),
	     .rodata = { "tail_delta", "1500" }, .flags = CASE_TAIL_GROWTH),
	LONG("long-grow-longest", "adjust_tail", "tail_rodata", tail, "1510-1518",
	     .data = MOVE(.tail = 1500), .rodata = { "tail_delta", "1500" },
	     .flags = CASE_TAIL_GROWTH),
	LONG("long-grow-beyond", "adjust_tail", "tail_rodata", tail, "1510-1518",
	     .data = MOVE(.tail = 1509), .rodata = { "tail_delta", "1509" },
	     .flags = CASE_TAIL_GROWTH | CASE_UNRETURNED),
	BOTH("push_100_grow_40", -100, 40),
	BOTH("push_100_shrink_20", -100, -20),
	BOTH("pull_14_grow_14", 14, 14),
	BOTH("pull_14_shrink_20", 14, -20),
	META("meta_set_4", 4),
	META("meta_set_8", 8),
	META("meta_set_16", 16),
	META("meta_set_32", 32),
	META("meta_set_6", 6),
	RANDOM("meta_set_rodata", "adjust_meta", "meta_set_rodata", meta, .data = MOVE(.meta = 64),
	       .rodata = { "meta_size", "64" }),
	RANDOM("meta_then_push_4", "adjust_meta", "meta_then_push_4", meta_then_push),
	RANDOM("meta_read", "adjust_meta", "meta_read", meta_read),
	RANDOM("meta_shrink_4", "adjust_meta", "meta_shrink_4", meta_shrink),
	META_IN("meta_in_read_4", "adjust_meta", "meta_read", meta_read, "4"),
	META_IN("meta_in_read_32", "adjust_meta", "meta_read", meta_read, "32"),
	META_IN("meta_in_read_216", "adjust_meta", "meta_read", meta_read, "216",
		.min_kernel = KVER(6, 3)),
	META_IN("meta_in_shrink", "adjust_meta", "meta_shrink_4", meta_shrink, "12"),
	META_IN("meta_in_push", "adjust_head", "head_push_100", head, "32",
		.data = MOVE(.head = -100)),
	META_IN("meta_in_push_too_far", "adjust_head", "head_push_216", head, "4",
		.data = MOVE(.head = -216)),
};
CASES(moves);

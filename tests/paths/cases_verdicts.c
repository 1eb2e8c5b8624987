// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Verdicts, the real ones and others, and the lengths that paths take. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

/* The case's data: a verdict. */
#define VERDICT(v) (&(const __u32){ v })

static __u32 constant(const struct env *env, struct pkt *pkt)
{
	(void)pkt;
	return *(const __u32 *)env->tc->data;
}

static __u32 from_packet(const struct env *env, struct pkt *pkt)
{
	__u8 *arg = pkt_args(pkt, 4);

	(void)env;
	return arg ? get32(arg) : XDP_PASS;
}

static void build_verdicts(struct packet_set *set)
{
	static const __u32 odd[] = { 6, 7, 255, 256, 65536, 0x7fffffff, 0x80000000, 0xffffffff };
	__u32 i;

	for (i = 0; i < 4000; i++)
		put32(set_add_udp(set, 46 + i % 100, i) + ARGS_OFF, i % 3 ? i % 6 : odd[i / 3 % 8]);
}

#define CONSTANT(prog, v)                                                                    \
	{                                                                                    \
		.name = prog, .object = "cases/verdict", .program = prog, .model = constant, \
		.spec = "mix,size=14-1514", .count = 3000, .data = VERDICT(v)                \
	}

const struct test_case cases_verdicts[] = {
	CONSTANT("verdict_aborted", XDP_ABORTED),
	CONSTANT("verdict_drop", XDP_DROP),
	CONSTANT("verdict_pass", XDP_PASS),
	CONSTANT("verdict_tx", XDP_TX),
	CONSTANT("verdict_redirect", XDP_REDIRECT),
	CONSTANT("verdict_5", 5),
	CONSTANT("verdict_1234567", 1234567),
	{ .name = "verdict_from_packet",
	  .object = "cases/verdict",
	  .program = "verdict_from_packet",
	  .build = build_verdicts,
	  .model = from_packet },
};
CASES(verdicts);

/* ---- sizes --------------------------------------------------------------------- */

static const __u32 sizes[] = { 0,    1,	   13,	 14,   15,   16,   17,	 59,   60,   61,   63,
			       64,   65,   127,	 128,  129,  135,  136,	 137,  191,  192,  193,
			       255,  256,  257,	 511,  512,  1023, 1024, 1500, 1513, 1514, 1515,
			       1516, 1517, 1518, 1519, 1520, 2047, 2048, 3000, 3519, 3520, 3521 };

static void build_sizes(struct packet_set *set)
{
	__u32 round, i, b;
	__u8 *p;

	for (round = 0; round < 40; round++)
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			p = set_add(set, NULL, sizes[i], NULL, 0);
			for (b = 0; b < sizes[i]; b++)
				p[b] = round * 7 + b * 13 + i;
		}
}

/* Each length from the least to the most that a veth takes. */
static void build_all_sizes(struct packet_set *set)
{
	__u32 len, b;
	__u8 *p;

	for (len = 14; len <= 3520; len++) {
		p = set_add(set, NULL, len, NULL, 0);
		for (b = 0; b < len; b++)
			p[b] = len + b * 31;
	}
}

static __u32 length(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return pkt->len;
}

static __u32 invert(const struct env *env, struct pkt *pkt)
{
	__u32 i;

	(void)env;
	for (i = 0; i < pkt->len && i < 1514; i++)
		pkt_data(pkt)[i] ^= 0xff;
	return XDP_PASS;
}

/* The part before the fragments. */
static __u32 linear(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return pkt->len < PKT_LINEAR_END ? pkt->len : PKT_LINEAR_END;
}

static __u32 frags_sum(const struct env *env, struct pkt *pkt)
{
	__u32 i, sum = 1000;

	(void)env;
	for (i = 0; i < 1024 && i * 64 < pkt->len; i++)
		sum += pkt_data(pkt)[i * 64];
	return sum;
}

static __u32 frags_invert_end(const struct env *env, struct pkt *pkt)
{
	__u32 i;

	(void)env;
	/* The helpers do not reach further. */
	if (pkt->len < 16 || pkt->len - 16 > 0xffff)
		return XDP_ABORTED;
	for (i = pkt->len - 16; i < pkt->len; i++)
		pkt_data(pkt)[i] ^= 0xff;
	return XDP_TX;
}

static __u32 frags_tail(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return pkt_adjust_tail(pkt, -100) ? XDP_ABORTED : XDP_TX;
}

static __u32 frags_push(const struct env *env, struct pkt *pkt)
{
	(void)env;
	if (pkt_adjust_head(pkt, -8))
		return XDP_ABORTED;
	pkt_fill_head(pkt, 8, 0xa0);
	return XDP_TX;
}

static __u32 frags_grow_push(const struct env *env, struct pkt *pkt)
{
	if (pkt_adjust_tail(pkt, atoi(env->tc->rodata[1])))
		return XDP_ABORTED;
	if (pkt_adjust_head(pkt, -216))
		return XDP_DROP;
	pkt_fill_head(pkt, 216, 0xa0);
	return XDP_TX;
}

static void build_frags(struct packet_set *set)
{
	static const __u32 lens[] = { 64,    1514,  3520,  3521,  4096,	 7616,	9000,  16384,
				      40000, 65535, 65536, 65551, 65552, 70000, 73151, 73152 };
	__u32 i, b;
	__u8 *p;

	for (i = 0; i < 10 * ARRAY_SIZE(lens); i++) {
		p = set_add(set, NULL, lens[i % ARRAY_SIZE(lens)], NULL, 0);
		for (b = 0; b < lens[i % ARRAY_SIZE(lens)]; b++)
			p[b] = b * 17 + b / 251 + i;
	}
}

/* A program that takes fragments, on long packets and on such as all paths take. */
#define FRAGS(prog, on)                                                                          \
	{ .name = prog,                                                                          \
	  .object = "cases/xdp_frags",                                                           \
	  .program = prog,                                                                       \
	  .model = on,                                                                           \
	  .spec = "random,size=14-1500",                                                         \
	  .count = 3000,                                                                         \
	  .flags = CASE_FRAGS },                                                                 \
	{                                                                                        \
		.name = prog "-long", .object = "cases/xdp_frags", .program = prog, .model = on, \
		.build = build_frags, .flags = CASE_FRAGS | CASE_CALL_ONLY,                      \
		.reason = "packets of several fragments run on the call path only"               \
	}

/* By how much the room for what comes out must exceed what went in. */
#define FRAGS_GROW(label, delta)                                                                   \
	{                                                                                          \
		.name = label, .object = "cases/xdp_frags", .program = "frags_grow_push_216",      \
		.model = frags_grow_push, .build = build_frags, .rodata = { "tail_delta", delta }, \
		.flags = CASE_FRAGS | CASE_CALL_ONLY,                                              \
		.reason = "packets of several fragments run on the call path only"                 \
	}

const struct test_case cases_sizes[] = {
	{ .name = "sizes-linear",
	  .object = "cases/pkt_len",
	  .program = "len_linear",
	  .build = build_sizes,
	  .model = length },
	{ .name = "sizes-buff",
	  .object = "cases/pkt_len",
	  .program = "len_buff",
	  .build = build_sizes,
	  .model = length },
	{ .name = "sizes-tx",
	  .object = "xdp_tx",
	  .program = "xdp_tx",
	  .build = build_sizes,
	  .model = reflect,
	  .flags = CASE_WIDE },
	{ .name = "sizes-invert",
	  .object = "cases/rewrite",
	  .program = "invert_all",
	  .build = build_sizes,
	  .model = invert },
	{ .name = "sizes-all",
	  .object = "xdp_tx",
	  .program = "xdp_tx",
	  .build = build_all_sizes,
	  .model = reflect },
	FRAGS("frags_len_linear", linear),
	FRAGS("frags_len_buff", length),
	FRAGS("frags_sum", frags_sum),
	FRAGS("frags_invert_end", frags_invert_end),
	FRAGS("frags_tail", frags_tail),
	FRAGS("frags_push_8", frags_push),
	FRAGS_GROW("frags_grow_4-long", "4"),
	FRAGS_GROW("frags_grow_4095-long", "4095"),
};
CASES(sizes);

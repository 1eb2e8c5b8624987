// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* How a program is built: what splicing it into a harness must keep intact. */
#include <string.h>

#include "case.h"

static __u32 pass_tx(const struct env *env, struct pkt *pkt)
{
	(void)env;
	(void)pkt;
	return XDP_TX;
}

static __u32 subprog_static(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return get16n(pkt_data(pkt) + 12) == 0x0800 ? XDP_TX : XDP_PASS;
}

static __u32 subprog_global(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return get16n(pkt_data(pkt) + 12) == 0x86dd ? XDP_TX : XDP_PASS;
}

static __u32 subprog_nested(const struct env *env, struct pkt *pkt)
{
	__u8 *arg = pkt_args(pkt, 4);
	__u32 x, add;

	(void)env;
	if (!arg)
		return XDP_PASS;
	x = get32(arg);
	for (add = 4; add; add--)
		x = x * 31 + add;
	put32(arg, x);
	return XDP_TX;
}

static __u32 subprog_push(const struct env *env, struct pkt *pkt)
{
	(void)env;
	if (pkt_adjust_head(pkt, -8))
		return XDP_ABORTED;
	pkt_fill_head(pkt, 8, 0xd0);
	return XDP_TX;
}

/* ---- tail calls ------------------------------------------------------------------ */

#define TAIL_CALLS 33 /* the kernel's limit in one run */

static void build_slots(struct packet_set *set)
{
	__u32 i;

	for (i = 0; i < 5000; i++)
		set_add_udp(set, 43 + i % 500, i)[ARGS_OFF] = i % 13;
}

/* The program in the slot; false where the call falls through. */
static bool tail_target(struct pkt *pkt, __u8 slot, __u32 *verdict)
{
	*verdict = XDP_TX;
	switch (slot) {
	case 0:
		*verdict = XDP_DROP;
		return true;
	case 1:
	case 2:
		pkt_data(pkt)[0] = 0x77;
		return true;
	case 3:
		pkt_data(pkt)[0] += TAIL_CALLS;
		return true;
	default:
		return false;
	}
}

static __u32 tail_full(const struct env *env, struct pkt *pkt)
{
	__u8 *slot = pkt_args(pkt, 1);
	__u32 verdict;

	(void)env;
	if (!slot)
		return XDP_PASS;
	return tail_target(pkt, *slot, &verdict) ? verdict : XDP_ABORTED;
}

static __u32 tail_subprog(const struct env *env, struct pkt *pkt)
{
	__u8 *slot = pkt_args(pkt, 1);
	__u32 verdict;

	(void)env;
	if (!slot)
		return XDP_PASS;
	return 100 + (tail_target(pkt, *slot, &verdict) ? verdict : XDP_ABORTED);
}

static __u32 tail_count(const struct env *env, struct pkt *pkt)
{
	(void)env;
	pkt_data(pkt)[0] += TAIL_CALLS + 1;
	return XDP_TX;
}

static __u32 tail_tx(const struct env *env, struct pkt *pkt)
{
	(void)env;
	pkt_data(pkt)[0] = 0x77;
	return XDP_TX;
}

static __u32 constant(const struct env *env, struct pkt *pkt)
{
	(void)pkt;
	return *(const __u32 *)env->tc->data;
}

/* ---- callbacks, kfuncs, large programs --------------------------------------------- */

static __u32 loop_hash(const struct env *env, struct pkt *pkt)
{
	__u8 *arg = pkt_args(pkt, 4);
	__u32 i, seed, value = 0;

	(void)env;
	if (!arg)
		return XDP_PASS;
	seed = get32(arg);
	for (i = 0; i < 64; i++)
		value = value * 31 + (i ^ seed);
	put32(arg, value);
	return XDP_TX;
}

/* Each packet adds its length to a set that all lanes share. */
static const char *for_each_hash(struct env *env, const struct xtr_packet *in,
				 const struct xtr_outcome *out)
{
	(void)env;
	(void)in;
	return out->verdict > 100 && out->verdict <= 137 ? NULL : "not 100 and a number of lengths";
}

static const char *kfunc(struct env *env, const struct xtr_packet *in,
			 const struct xtr_outcome *out)
{
	const __u8 *args = (const __u8 *)out->data + ARGS_OFF;

	if (env->kernel < KVER(6, 2))
		return out->verdict == XDP_ABORTED ? NULL : "the kernel lacks the function";
	if (out->verdict != XDP_TX || out->len != in->len)
		return "not transmitted as it was";
	if (get32(args) != get32(args + 4))
		return "kernel and context disagree";
	if (!on_veth(env->v) && get32(args) != 1)
		return "not the loopback";
	return NULL;
}

static __u32 obj_new(const struct env *env, struct pkt *pkt)
{
	__u8 *arg = pkt_args(pkt, 4);

	(void)env;
	if (!arg)
		return XDP_PASS;
	put32(arg, ~get32(arg));
	return XDP_TX;
}

static __u32 rounds(struct pkt *pkt, __u32 n)
{
	__u8 *arg = pkt_args(pkt, 4);
	__u32 x;

	if (!arg)
		return XDP_PASS;
	for (x = get32(arg); n; n--) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		x = x * 0x9e3779b1 + 11;
	}
	put32(arg, x);
	return XDP_TX;
}

static __u32 large_1000(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return rounds(pkt, 128);
}

static __u32 large_4000(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return rounds(pkt, 512);
}

static __u32 swap_first(const struct env *env, struct pkt *pkt)
{
	__u8 *p = pkt_data(pkt), tmp = p[0];

	(void)env;
	p[0] = p[6];
	p[6] = tmp;
	return XDP_TX;
}

/* Slot 0 of the map packets counts them. */
static bool counted(struct env *env, const struct xtr_result *result)
{
	__u32 key = 0;
	__u64 n = map_u64(env, "packets", &key);

	if (n != result->packets)
		mistake(env, "the target counted %llu packets of %llu", (unsigned long long)n,
			(unsigned long long)result->packets);
	return true;
}

static __u32 stack(const struct env *env, struct pkt *pkt)
{
	__u8 *arg = pkt_args(pkt, 2);
	__u32 i, size = *(const __u32 *)env->tc->data;
	__u16 sum = 0;
	__u8 seed;

	if (!arg)
		return XDP_PASS;
	seed = *arg;
	for (i = 0; i < size; i++)
		sum += (__u8)(seed + i);
	put16(arg, sum);
	return XDP_TX;
}

#define NUMBER(n) (&(const __u32){ n })
#define BASE(label, obj, prog) .name = label, .object = "cases/" obj, .program = prog
#define ARGS_AT_RANDOM .spec = "random,size=14-512", .count = 10000
#define MIX .spec = "mix,size=14-512", .count = 10000

#define SLOTS(prog, on)                                                          \
	{                                                                        \
		BASE(prog, "tail_call", prog), .build = build_slots, .model = on \
	}
#define STACK(prog, size, ...)                                                                   \
	{                                                                                        \
		BASE(prog, "stack", prog), ARGS_AT_RANDOM, .model = stack, .data = NUMBER(size), \
							   __VA_ARGS__                           \
	}

const struct test_case cases_control[] = {
	{ BASE("subprog_static", "subprogs", "subprog_static"), MIX, .model = subprog_static },
	{ BASE("subprog_global", "subprogs", "subprog_global"), MIX, .model = subprog_global },
	{ BASE("subprog_nested", "subprogs", "subprog_nested"), ARGS_AT_RANDOM,
	  .model = subprog_nested },
	{ BASE("subprog_push_8", "subprogs", "subprog_push_8"), MIX, .model = subprog_push },
	SLOTS("tail_full", tail_full),
	SLOTS("tail_subprog", tail_subprog),
	SLOTS("tail_count", tail_count),
	SLOTS("tail_target_chain", tail_tx),
	{ BASE("tail_empty", "tail_call", "tail_empty"), MIX, .model = constant,
	  .data = NUMBER(XDP_ABORTED) },
	{ BASE("tail_subprog_empty", "tail_call", "tail_subprog_empty"), MIX, .model = constant,
	  .data = NUMBER(102) },
	{ BASE("loop_hash", "callbacks", "loop_hash"), ARGS_AT_RANDOM, .model = loop_hash },
	{ BASE("for_each_array", "callbacks", "for_each_array"), MIX, .model = constant,
	  .data = NUMBER(360) },
	{ BASE("for_each_hash", "callbacks", "for_each_hash"), .spec = "udp,size=64-100",
	  .count = 5000, .verify = for_each_hash, .flags = CASE_STATE },
	{ BASE("kfunc", "kfunc", "kfunc_kern_ctx"), .spec = "udp,size=64-512", .count = 5000,
	  .verify = kfunc, .flags = CASE_STATE },
	{ BASE("obj_new", "obj_new", "obj_new"), ARGS_AT_RANDOM, .model = obj_new,
	  .flags = CASE_MAY_NOT_LOAD, .surely_since = KVER(6, 12),
	  .reason = "XDP programs may not call bpf_obj_new() before Linux 6.12" },
	{ BASE("non_gpl", "non_gpl", "non_gpl"), MIX, .model = reflect, .check = counted },
	{ BASE("first_drop", "main_not_first", "first_drop"), MIX, .model = constant,
	  .data = NUMBER(XDP_DROP) },
	{ BASE("main_not_first", "main_not_first", "main_tx"), MIX, .model = swap_first },
	{ BASE("xdp_and_tc", "xdp_and_tc", "xdp_count"), MIX, .model = pass_tx, .check = counted },
	{ BASE("custom_section", "custom_section", "custom_section"), MIX, .model = pass_tx },
	{ BASE("zero_max_entries", "zero_max_entries", "zero_max_entries"), MIX, .model = pass_tx },
	{ BASE("large_1000", "large", "large_1000"), ARGS_AT_RANDOM, .model = large_1000 },
	{ BASE("large_4000", "large", "large_4000"), ARGS_AT_RANDOM, .model = large_4000 },
	STACK("stack_400", 400),
	STACK("stack_448", 448),
	STACK("stack_480", 480),
	STACK("stack_488", 488, .flags = CASE_MAY_REFUSE, .surely_since = KVER(6, 18)),
	STACK("stack_496", 496, .flags = CASE_MAY_REFUSE, .surely_since = KVER(6, 18)),
	STACK("stack_504", 504, .flags = CASE_MAY_REFUSE),
};
CASES(control);

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Follows the context through a program: for each instruction the registers and
 * stack slots that may hold it, joined over all ways there. The sets only grow,
 * so this ends.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "ctx_reads.h"

#define CALLER_SAVED 0x3f /* r0 to r5 */
#define ARGUMENTS 0x3e /* r1 to r5 */
#define MAX_FIELD 32

/* Where the context may be. */
struct where {
	__u64 slots; /* of 8 bytes, from the frame pointer down */
	__u16 regs;
	bool seen;
	bool queued;
};

struct walk {
	const struct bpf_insn *insns;
	size_t count;
	struct where *where; /* before each instruction */
	size_t *queue; /* instructions to look at (again) */
	size_t queued;
	__u32 fields;
};

static void flow(struct walk *walk, long to, __u16 regs, __u64 slots)
{
	struct where *where;

	if (to < 0 || (size_t)to >= walk->count)
		return;
	where = &walk->where[to];
	if (where->seen && !(regs & ~where->regs) && !(slots & ~where->slots))
		return;
	where->seen = true;
	where->regs |= regs;
	where->slots |= slots;
	if (where->queued)
		return;
	where->queued = true;
	walk->queue[walk->queued++] = to;
}

static __u64 slot(const struct bpf_insn *insn)
{
	return insn->off < 0 && insn->off >= -512 ? 1ULL << ((-insn->off - 1) / 8) : 0;
}

static void load(struct walk *walk, const struct bpf_insn *insn, __u16 *regs, __u64 slots)
{
	bool is_ctx = *regs & (1 << insn->src_reg);
	bool is_filled = insn->src_reg == BPF_REG_10 && BPF_SIZE(insn->code) == BPF_DW &&
			 (slots & slot(insn));

	if (is_ctx && insn->off >= 0 && insn->off / 4 < MAX_FIELD)
		walk->fields |= 1U << (insn->off / 4);
	*regs &= ~(1 << insn->dst_reg);
	if (is_filled)
		*regs |= 1 << insn->dst_reg;
}

static void store(const struct bpf_insn *insn, __u16 regs, __u64 *slots)
{
	if (insn->dst_reg != BPF_REG_10)
		return;
	*slots &= ~slot(insn);
	if (insn->code == (BPF_STX | BPF_MEM | BPF_DW) && (regs & (1 << insn->src_reg)))
		*slots |= slot(insn);
}

static void compute(const struct bpf_insn *insn, __u16 *regs)
{
	bool moves = insn->code == (BPF_ALU64 | BPF_MOV | BPF_X) && !insn->off &&
		     (*regs & (1 << insn->src_reg));

	*regs &= ~(1 << insn->dst_reg);
	if (moves)
		*regs |= 1 << insn->dst_reg;
}

static void jump(struct walk *walk, long at, __u16 regs, __u64 slots)
{
	const struct bpf_insn *insn = &walk->insns[at];

	switch (BPF_OP(insn->code)) {
	case BPF_EXIT:
		return;
	case BPF_CALL:
		if (insn->src_reg == BPF_PSEUDO_CALL)
			flow(walk, at + 1 + insn->imm, regs & ARGUMENTS, 0);
		flow(walk, at + 1, regs & ~CALLER_SAVED, slots);
		return;
	case BPF_JA:
		flow(walk,
		     at + 1 + (BPF_CLASS(insn->code) == BPF_JMP32 ? insn->imm : (long)insn->off),
		     regs, slots);
		return;
	default:
		flow(walk, at + 1 + insn->off, regs, slots);
		flow(walk, at + 1, regs, slots);
	}
}

static void step(struct walk *walk, size_t at)
{
	const struct bpf_insn *insn = &walk->insns[at];
	__u16 regs = walk->where[at].regs;
	__u64 slots = walk->where[at].slots;
	long next = at + 1;

	switch (BPF_CLASS(insn->code)) {
	case BPF_JMP:
	case BPF_JMP32:
		jump(walk, at, regs, slots);
		return;
	case BPF_LDX:
		load(walk, insn, &regs, slots);
		break;
	case BPF_ST:
	case BPF_STX:
		store(insn, regs, &slots);
		break;
	case BPF_LD:
		regs &= ~(1 << insn->dst_reg);
		/* A 64-bit constant takes two instructions. */
		next += insn->code == (BPF_LD | BPF_IMM | BPF_DW);
		break;
	default:
		compute(insn, &regs);
	}
	flow(walk, next, regs, slots);
}

__u32 ctx_reads(const struct bpf_insn *insns, size_t count)
{
	struct walk walk = { .insns = insns, .count = count };

	walk.where = calloc(count, sizeof(*walk.where));
	walk.queue = calloc(count, sizeof(*walk.queue));
	if (!walk.where || !walk.queue) {
		walk.fields = ~0U;
		goto out;
	}
	flow(&walk, 0, 1 << BPF_REG_1, 0);
	while (walk.queued) {
		size_t at = walk.queue[--walk.queued];

		walk.where[at].queued = false;
		step(&walk, at);
	}
out:
	free(walk.queue);
	free(walk.where);
	return walk.fields;
}

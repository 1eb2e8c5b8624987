// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Splicing: the stub goes, the target comes in its stead, and all that referred
 * to a subprogram still does. What is static in splice.c is tested, too.
 */
#include "splice.c"

#include "harness.h"
#include "kernel.h"
#include "unit.h"

/* ---- instructions by hand ---------------------------------------------- */

#define STUB(reg_op)                                                                        \
	{                                                                                   \
		.code = (reg_op) | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = STUB_VALUE \
	}
#define EXIT                               \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}
#define NOP                                                                         \
	{                                                                           \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_6, .imm = 7 \
	}
#define CALL(distance)                                                                    \
	{                                                                                 \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (distance) \
	}
#define HELPER(number)                                      \
	{                                                   \
		.code = BPF_JMP | BPF_CALL, .imm = (number) \
	}
#define FUNC(distance)                                                                        \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_FUNC, .imm = (distance) }, \
	{                                                                                     \
	}
#define MAP_FD(fd)                                                                        \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_MAP_FD, .imm = (fd) }, \
	{                                                                                 \
	}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void finds_the_stub(void **state)
{
	const struct bpf_insn first[] = { STUB(BPF_ALU64), EXIT, NOP, EXIT };
	const struct bpf_insn narrow[] = { NOP, EXIT, STUB(BPF_ALU), EXIT };
	const struct bpf_insn value_only[] = { STUB(BPF_ALU64), NOP, EXIT };
	const struct bpf_insn cut[] = { NOP, STUB(BPF_ALU64) };

	(void)state;
	assert_int_equal(find_stub(first, COUNT(first)), 0);
	assert_int_equal(find_stub(narrow, COUNT(narrow)), 2);
	assert_int_equal(find_stub(value_only, COUNT(value_only)), -ENOENT);
	assert_int_equal(find_stub(cut, COUNT(cut)), -ENOENT);
	assert_int_equal(find_stub(cut, 0), -ENOENT);
}

/* The stub in the middle: references across it get shorter, in both directions. */
static void mends_references(void **state)
{
	const struct bpf_insn from[] = {
		/* 0 */ CALL(6), /* the stub, at 7 */
		/* 1 */ CALL(7), /* behind it, 9 */
		/* 2 */ FUNC(2), /* before it, 5 */
		/* 4 */ EXIT,
		/* 5 */ CALL(1), /* the stub */
		/* 6 */ EXIT,
		/* 7 */ STUB(BPF_ALU64),
		/* 8 */ EXIT,
		/* 9 */ CALL(-5), /* back over it, 5 */
		/* 10 */ CALL(-4), /* back to it */
		/* 11 */ MAP_FD(42),
		/* 13 */ HELPER(5),
		/* 14 */ EXIT,
	};
	const ssize_t target = COUNT(from) - STUB_INSNS;
	struct bpf_insn to[COUNT(from)] = {};

	(void)state;
	copy_harness(to, from, COUNT(from), 7, target);
	assert_int_equal(0 + to[0].imm + 1, target);
	assert_int_equal(1 + to[1].imm + 1, 7);
	assert_int_equal(2 + to[2].imm + 1, 5);
	assert_int_equal(5 + to[5].imm + 1, target);
	assert_int_equal(7 + to[7].imm + 1, 5);
	assert_int_equal(8 + to[8].imm + 1, target);
	/* What is no reference stays. */
	assert_memory_equal(&to[9], &from[11], 4 * sizeof(*to));
	assert_int_equal(to[target].code, 0);
}

static void mends_references_to_the_last(void **state)
{
	const struct bpf_insn from[] = {
		FUNC(2), /* 3 */
		EXIT,	 CALL(1), /* the stub, at 5 */
		EXIT,	 STUB(BPF_ALU64), EXIT,
	};
	struct bpf_insn to[COUNT(from)] = {};

	(void)state;
	copy_harness(to, from, COUNT(from), 5, 5);
	assert_memory_equal(to, from, 5 * sizeof(*to));
}

/* Wherever the compiler put the mark; the stub's value is none. */
static void is_no_template_any_more(void **state)
{
	const struct bpf_insn from[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		  .dst_reg = BPF_REG_3,
		  .imm = TEMPLATE_VALUE },
		NOP,
		CALL(1),
		EXIT,
		STUB(BPF_ALU64),
		EXIT,
	};
	struct bpf_insn to[COUNT(from)] = {};

	(void)state;
	copy_harness(to, from, COUNT(from), 4, 4);
	assert_int_equal(to[0].imm, 0);
	assert_int_equal(to[0].dst_reg, BPF_REG_3);
	assert_memory_equal(&to[1], &from[1], sizeof(*to));
}

static void finds_all_starts(void **state)
{
	struct bpf_insn insns[] = {
		CALL(3), /* 4 */
		FUNC(3), /* 5 */
		EXIT,	 EXIT, CALL(-2), /* 4 again */
		EXIT,
	};
	bool starts[COUNT(insns)] = {};
	struct spliced s = { .insns = insns, .count = COUNT(insns), .starts = starts };

	(void)state;
	find_starts(&s);
	assert_int_equal(s.func_count, 3);
	assert_true(starts[0] && starts[4] && starts[5]);
}

/* A distance that leads out of the program is the verifier's business. */
static void survives_wild_references(void **state)
{
	struct bpf_insn insns[] = { CALL(1000000), CALL(-1000000), CALL(0x7fffffff), EXIT };
	bool starts[COUNT(insns)] = {};
	struct spliced s = { .insns = insns, .count = COUNT(insns), .starts = starts };

	(void)state;
	find_starts(&s);
	assert_int_equal(s.func_count, 1);
}

/* ---- the harness and real targets -------------------------------------- */

static struct harness *harness;

static int load_harness(void **state)
{
	(void)state;
	if (geteuid())
		return 0;
	xtr_set_log(unit_log);
	harness = harness__open();
	if (!harness)
		return -1;
	harness->rodata->moves_meta = xtr_kernel__moves_meta();
	return harness__load(harness);
}

static int free_harness(void **state)
{
	(void)state;
	harness__destroy(harness);
	return 0;
}

static bool same_insn(const struct bpf_insn *a, const struct bpf_insn *b)
{
	struct bpf_insn x = *a, y = *b;

	if (refers(a) || sets(a, TEMPLATE_VALUE))
		x.imm = y.imm = 0;
	return !memcmp(&x, &y, sizeof(x));
}

/* Where instruction @i of the harness went to; -1: it was the stub's. */
static ssize_t moved_to(ssize_t i, ssize_t stub)
{
	if (i == stub || i == stub + 1)
		return -1;
	return i > stub ? i - STUB_INSNS : i;
}

static void check_harness_part(const struct spliced *s, const struct bpf_program *prog,
			       ssize_t stub, ssize_t start)
{
	const struct bpf_insn *from = bpf_program__insns(prog);
	ssize_t i, at, dest, want;
	int to_target = 0;

	for (i = 0; i < (ssize_t)bpf_program__insn_cnt(prog); i++) {
		at = moved_to(i, stub);
		if (at < 0)
			continue;
		assert_true(same_insn(&from[i], &s->insns[at]));
		if (!refers(&from[i]))
			continue;
		dest = i + from[i].imm + 1;
		want = dest == stub ? start : moved_to(dest, stub);
		assert_int_equal(at + s->insns[at].imm + 1, want);
		assert_true(s->starts[want]);
		to_target += dest == stub;
	}
	assert_true(to_target > 0);
}

static void check_target_part(const struct spliced *s, const struct bpf_program *prog,
			      ssize_t start)
{
	const struct bpf_insn *from = bpf_program__insns(prog);
	ssize_t i, count = bpf_program__insn_cnt(prog), dest;

	assert_int_equal(s->count, start + count);
	assert_memory_equal(s->insns + start, from, count * sizeof(*from));
	for (i = 0; i < count; i++) {
		if (!refers(&from[i]))
			continue;
		dest = start + i + from[i].imm + 1;
		assert_in_range(dest, start, s->count - 1);
		assert_true(s->starts[dest]);
	}
}

/* A subprogram ends before the next one begins: with an exit or a jump. */
static void check_ends(const struct spliced *s)
{
	size_t i;

	for (i = 1; i < s->count; i++)
		if (s->starts[i])
			assert_true(s->insns[i - 1].code == (BPF_JMP | BPF_EXIT) ||
				    s->insns[i - 1].code == (BPF_JMP | BPF_JA));
}

static void check_join(const struct bpf_program *prog, const struct xtr_target *target)
{
	ssize_t stub = find_stub(bpf_program__insns(prog), bpf_program__insn_cnt(prog));
	ssize_t start = bpf_program__insn_cnt(prog) - STUB_INSNS;
	struct spliced s = {};

	assert_true(stub > 0);
	assert_ok(join(&s, prog, xtr_target__program(target)));
	find_starts(&s);
	check_harness_part(&s, prog, stub, start);
	check_target_part(&s, xtr_target__program(target), start);
	check_ends(&s);
	free(s.starts);
	free(s.insns);
}

static void check_splice(const struct bpf_program *prog, const struct xtr_target *target)
{
	int fd;

	check_join(prog, target);
	fd = xtr_splice(prog, target);
	if (fd < 0)
		fail_msg("%s: %s", xtr_target__name(target), said);
	close(fd);
}

static void splices_each(void **state)
{
	static const struct {
		const char *object, *program;
	} targets[] = {
		{ "xdp_pass", NULL },
		{ "xdp_rewrite", NULL },
		{ "xdp_lb", NULL },
		{ "cases/hash", "hash_count" },
		{ "cases/global_data", "globals" },
		{ "cases/verdict", "verdict_1234567" },
		{ "cases/subprogs", "subprog_nested" },
		{ "cases/main_not_first", "main_tx" },
		{ "cases/callbacks", "loop_hash" },
		{ "cases/callbacks", "for_each_hash" },
		{ "cases/tail_call", "tail_subprog" },
	};
	struct xtr_target *target;
	size_t i;

	(void)state;
	need_root();
	for (i = 0; i < COUNT(targets); i++) {
		target = must_load(targets[i].object, targets[i].program);
		check_splice(harness->progs.observe, target);
		check_splice(harness->progs.feed_each, target);
		/* A kernel may refuse tail calls in callbacks; path batch does without. */
		if (xtr_target__calls_tail(target))
			check_join(harness->progs.feed_window, target);
		else
			check_splice(harness->progs.feed_window, target);
		xtr_target__close(target);
	}
}

static void needs_a_stub(void **state)
{
	struct xtr_target *target;

	(void)state;
	need_root();
	target = must_load("xdp_pass", NULL);
	assert_int_equal(xtr_splice(harness->progs.capture, target), -ENOENT);
	assert_said("capture has no stub");
	xtr_target__close(target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(finds_the_stub),
		test(mends_references),
		test(mends_references_to_the_last),
		test(is_no_template_any_more),
		test(finds_all_starts),
		test(survives_wild_references),
		test(splices_each),
		test(needs_a_stub),
	};

	return cmocka_run_group_tests(tests, load_harness, free_harness);
}

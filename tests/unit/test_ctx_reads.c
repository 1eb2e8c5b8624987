// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Which fields of its context a program reads: the context followed through its code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare/ctx_reads.h"

#define IFINDEX 12
#define QUEUE 16
#define BIT(off) (1U << ((off) / 4))

#define LOAD(size, dst, src, off)                            \
	{                                                    \
		BPF_LDX | BPF_MEM | (size), dst, src, off, 0 \
	}
#define STORE(size, dst, src, off)                           \
	{                                                    \
		BPF_STX | BPF_MEM | (size), dst, src, off, 0 \
	}
#define MOV(dst, src)                                       \
	{                                                   \
		BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0 \
	}
#define MOV_IMM(dst, imm)                                   \
	{                                                   \
		BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm \
	}
#define CALL(kind, imm)                             \
	{                                           \
		BPF_JMP | BPF_CALL, 0, kind, 0, imm \
	}
#define JA(off)                                \
	{                                      \
		BPF_JMP | BPF_JA, 0, 0, off, 0 \
	}
#define JEQ(dst, off)                                     \
	{                                                 \
		BPF_JMP | BPF_JEQ | BPF_K, dst, 0, off, 0 \
	}
#define EXIT                                   \
	{                                      \
		BPF_JMP | BPF_EXIT, 0, 0, 0, 0 \
	}
#define CONST64(dst)                                 \
	{ BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, 0 }, \
	{                                            \
		0                                    \
	}

#define READS(...)                                                  \
	({                                                          \
		const struct bpf_insn insns[] = { __VA_ARGS__ };    \
		ctx_reads(insns, sizeof(insns) / sizeof(insns[0])); \
	})

static void test_direct(void **state)
{
	(void)state;
	assert_int_equal(READS(LOAD(BPF_W, 0, 1, IFINDEX), EXIT), BIT(IFINDEX));
	assert_int_equal(READS(LOAD(BPF_W, 2, 1, 0), LOAD(BPF_W, 0, 2, IFINDEX), EXIT), BIT(0));
	assert_int_equal(READS(MOV_IMM(0, 1), EXIT), 0);
}

/* By way of other registers and the stack; not after they were overwritten. */
static void test_moves(void **state)
{
	(void)state;
	assert_int_equal(READS(MOV(6, 1), CALL(0, 5), LOAD(BPF_W, 0, 6, QUEUE), EXIT), BIT(QUEUE));
	assert_int_equal(READS(CALL(0, 5), LOAD(BPF_W, 0, 1, QUEUE), EXIT), 0);
	assert_int_equal(READS(MOV(6, 1), MOV_IMM(6, 0), LOAD(BPF_W, 0, 6, QUEUE), EXIT), 0);
	assert_int_equal(READS(MOV(6, 1), CONST64(6), LOAD(BPF_W, 0, 6, QUEUE), EXIT), 0);
	assert_int_equal(READS(STORE(BPF_DW, 10, 1, -16), CALL(0, 5), LOAD(BPF_DW, 7, 10, -16),
			       LOAD(BPF_W, 0, 7, QUEUE), EXIT),
			 BIT(QUEUE));
	assert_int_equal(READS(STORE(BPF_DW, 10, 1, -16), STORE(BPF_DW, 10, 2, -16),
			       LOAD(BPF_DW, 7, 10, -16), LOAD(BPF_W, 0, 7, QUEUE), EXIT),
			 0);
}

/* One of two ways is enough, and code that nothing leads to is none. */
static void test_branches(void **state)
{
	(void)state;
	assert_int_equal(
		READS(MOV(6, 1), JEQ(2, 1), MOV_IMM(6, 0), LOAD(BPF_W, 0, 6, IFINDEX), EXIT),
		BIT(IFINDEX));
	assert_int_equal(READS(JA(1), LOAD(BPF_W, 0, 1, IFINDEX), EXIT), 0);
	/* A loop, with the read at its front and the move at its end. */
	assert_int_equal(
		READS(MOV_IMM(6, 0), LOAD(BPF_W, 0, 6, QUEUE), MOV(6, 1), JEQ(0, -3), EXIT),
		BIT(QUEUE));
}

static void test_subprograms(void **state)
{
	(void)state;
	assert_int_equal(READS(CALL(BPF_PSEUDO_CALL, 1), EXIT, LOAD(BPF_W, 0, 1, QUEUE), EXIT),
			 BIT(QUEUE));
	assert_int_equal(READS(MOV(2, 1), MOV_IMM(1, 0), CALL(BPF_PSEUDO_CALL, 1), EXIT,
			       LOAD(BPF_W, 0, 2, QUEUE), EXIT),
			 BIT(QUEUE));
	/* The callee has registers of its own from r6 on. */
	assert_int_equal(READS(MOV(6, 1), MOV_IMM(1, 0), CALL(BPF_PSEUDO_CALL, 1), EXIT,
			       LOAD(BPF_W, 0, 6, QUEUE), EXIT),
			 0);
}

/* Jumps to nowhere are the verifier's business; here they must do no harm. */
static void test_nowhere(void **state)
{
	(void)state;
	assert_int_equal(READS(JA(1000)), 0);
	assert_int_equal(READS(JA(-1000)), 0);
	assert_int_equal(READS(MOV(6, 1)), 0);
	assert_int_equal(ctx_reads(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct),	 cmocka_unit_test(test_moves),
		cmocka_unit_test(test_branches), cmocka_unit_test(test_subprograms),
		cmocka_unit_test(test_nowhere),
	};

	return cmocka_run_group_tests_name("ctx_reads", tests, NULL, NULL);
}

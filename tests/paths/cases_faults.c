// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Tests of the tests: a fault planted in the library must be noticed by the
 * comparison or by the library's own accounts, on each path.
 */
#include <string.h>

#include "case.h"

static enum test_status faulty(struct env *env)
{
	enum xtr_fault fault = *(const enum xtr_fault *)env->tc->data;
	struct xtr_result result;
	enum test_status status;

	if (env->v->bare && !strcmp(env->tc->object, "xdp_drop") &&
	    (fault == XTR_FAULT_CORRUPT || fault == XTR_FAULT_SWAP))
		return skip(env, "of what a bare target drops only the verdict is seen");
	/* Sound first: what is noticed later is the fault. */
	status = run_table(env);
	if (status)
		return status;
	env->hush = true;
	run_once(env, fault, &result);
	env->hush = false;
	if (env->mistakes || result.lost || result.foreign)
		return TEST_PASS;
	printf("nobody noticed the fault: %llu packets, %llu observed, %llu lost, %llu foreign\n",
	       (unsigned long long)result.packets, (unsigned long long)result.observed,
	       (unsigned long long)result.lost, (unsigned long long)result.foreign);
	return TEST_FAIL;
}

#define FAULT(label, which)                                                                  \
	{ .name = "fault-" label,                                                            \
	  .object = "xdp_tx",                                                                \
	  .program = "xdp_tx",                                                               \
	  .spec = "udp,size=64-1024",                                                        \
	  .count = 5000,                                                                     \
	  .run = faulty,                                                                     \
	  .data = &(const enum xtr_fault){ which } },                                        \
	{                                                                                    \
		.name = "fault-" label "-drop", .object = "xdp_drop", .program = "xdp_drop", \
		.spec = "mix,size=64-256", .count = 5000, .run = faulty,                     \
		.data = &(const enum xtr_fault)                                              \
		{                                                                            \
			which                                                                \
		}                                                                            \
	}

const struct test_case cases_faults[] = {
	FAULT("corrupt", XTR_FAULT_CORRUPT),
	FAULT("swap", XTR_FAULT_SWAP),
	FAULT("lose", XTR_FAULT_DROP),
	FAULT("repeat", XTR_FAULT_REPEAT),
};
CASES(faults);

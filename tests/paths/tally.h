/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A run of one verdict that must add up: each packet told once, and nothing else. */
#ifndef XTR_TEST_TALLY_H
#define XTR_TEST_TALLY_H

#include <stdbool.h>
#include <linux/types.h>

#include <xdptestrun.h>

#include "case.h"

struct tally {
	/* What is run and what comes of it. */
	const char *spec; /* packets: a generator's specification without the count */
	__u64 packets;
	__u32 verdict; /* of the target, for all packets; lengths stay */
	bool unordered;
	bool may_lose; /* packets, and say so */
	bool may_not_return; /* on veth: what is transmitted is dropped */
	xtr_ready_fn ready; /* called between set-up and the first packet; may be NULL */
	__u32 sleep_ms; /* in the first report of outcomes */

	/* What was told. */
	__u64 told;
	__u64 lost;
	__u64 returned;
	__u64 odd; /* not as expected */
	int slept;
	struct xtr_result result;
};

/* Runs the case's target. What does not add up is a mistake. */
enum test_status run_tally(struct env *env, struct tally *tally);

#endif /* XTR_TEST_TALLY_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench --scaling: how each way's rate depends on the program, the lanes, the
 * packets' size and on what is recorded.
 */
#ifndef XTR_BENCH_SCALING_H
#define XTR_BENCH_SCALING_H

#include "bench.h"

#define SCALING_ROUNDS 7 /* odd: the median is one of them */
#define SCALING_QUICK_ROUNDS 3
#define SCALING_NOISY 0.2 /* spread that makes a figure doubtful */

/* Beside the ways: what they are measured against. */
#define SCALING_BARE BENCH_WAYS /* a loop of bpf_prog_test_run_opts(), nothing around it */
#define SCALING_FLOOR (BENCH_WAYS + 1) /* an empty program under a large repeat */

enum scaling_record {
	SCALING_VERDICTS,
	SCALING_BYTES,
	SCALING_DELIVERED, /* bytes, and each outcome to a callback */
};

struct scaling_row {
	int way; /* enum bench_way or SCALING_* */
	enum bench_program program;
	__u32 lanes;
	__u32 size;
	enum scaling_record record;
	__u32 packets; /* of each round */
	int err;
	char reason[BENCH_REASON];
	double rounds[SCALING_ROUNDS]; /* million packets/s */
	double mpps; /* their median */
	double spread; /* middle half, as a fraction of the median */
	double times_call; /* of the call path's rate for the same; 0: not known */
	double times_lane; /* of the same with one lane; likewise */
};

struct scaling {
	const struct bench *b;
	__u32 rounds;
	__u32 cnt;
	struct scaling_row *rows;
	double call_share; /* of the bare loop's rate; 0: not known */
};

/* 0 or a negative errno; -EINTR when stopped, with what there is. */
int scaling__run(struct scaling *s, const struct bench *b);
void scaling__free(struct scaling *s);

const char *scaling__way_label(const struct scaling_row *row);
const char *scaling__program(const struct scaling_row *row);
const char *scaling__record(const struct scaling_row *row);

void scaling__print(const struct scaling *s);
int scaling__write_json(const struct scaling *s);

#endif /* XTR_BENCH_SCALING_H */

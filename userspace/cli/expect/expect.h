/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Outcomes checked against a file: a golden file, or JSON lines. */
#ifndef XTR_EXPECT_H
#define XTR_EXPECT_H

#include <stdio.h>

#include <xdptestrun.h>

#include "json_out.h"
#include "suite_out.h"

struct expect;

/* Tells by its first bytes what kind of file it is. NULL after a message. */
struct expect *expect__open(const char *path);

/* The packets that are in the file, for xtr_source__close(); NULL after a message. */
struct xtr_source *expect__source(struct expect *expect);

struct expect_opts {
	__u32 max_len; /* of the packets that are run */
	__u32 show; /* mismatches to keep */
	const char *const *redirects; /* the run's, ends with NULL; NULL: sinks are not known */
	struct suite_out *suite; /* gets each packet as a case; may be NULL */
};

/* Before the run. 0 or a negative errno after a message. */
int expect__start(struct expect *expect, const struct expect_opts *opts);

/* An xtr_outcomes_fn for all outcomes, in order; @ctx is the struct expect. */
int expect__check(void *ctx, const struct xtr_outcome *outcomes, size_t count);

/* After all outcomes: what has not come. 0 or a negative errno after a message. */
int expect__finish(struct expect *expect);

bool expect__met(const struct expect *expect);
void expect__print(FILE *file, const struct expect *expect);
json_object *expect__json(const struct expect *expect);
void expect__close(struct expect *expect);

#endif /* XTR_EXPECT_H */

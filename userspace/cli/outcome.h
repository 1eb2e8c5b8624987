/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Single outcomes: kept, printed. */
#ifndef XTR_OUTCOME_H
#define XTR_OUTCOME_H

#include <stdio.h>
#include <linux/bpf.h>

#include <xdptestrun.h>

#include "json_out.h"

/* "XDP_PASS", "INVALID(7)" */
struct verdict_text {
	char text[32];
};

struct verdict_text verdict_text(__u32 verdict);

/* A copy with bytes of its own, for outcome__free(). */
int outcome__copy(struct xtr_outcome *to, const struct xtr_outcome *from);
void outcome__free(struct xtr_outcome *outcome);

static inline bool outcome__has_bytes(const struct xtr_outcome *outcome)
{
	return !(outcome->flags & (XTR_OUTCOME_LOST | XTR_OUTCOME_NO_DATA));
}

/* Whether it is known where the packet arrived: a run without sinks has no @redirects. */
static inline bool outcome__has_sinks(const struct xtr_outcome *outcome,
				      const char *const *redirects)
{
	return redirects && outcome->verdict == XDP_REDIRECT;
}

/*
 * "XDP_REDIRECT    64 bytes, and 4 of metadata, to tx_ports:0". @redirects are the
 * run's, which name its sinks; NULL: it has none.
 */
void outcome__print(FILE *file, const struct xtr_outcome *outcome, const char *const *redirects);
json_object *outcome__json(const struct xtr_outcome *outcome, const char *const *redirects);
json_object *json__hex(const void *data, size_t len);

#endif /* XTR_OUTCOME_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_REPORT_H
#define XTR_REPORT_H

#include <xdptestrun.h>

#include "expect/expect.h"

/* What a run's report is made of. */
struct report {
	const char *program;
	const struct xtr_result *result;
	const struct xtr_source_stats *stats;
	const char *const *redirects; /* the sinks' names; ends with NULL, or is it */
	const struct expect *expect; /* what the outcomes were checked against, or NULL */
};

/* Print to stdout. 0 or a negative errno after a message. */
int report__table(const struct report *report);
int report__json(const struct report *report);

#endif /* XTR_REPORT_H */

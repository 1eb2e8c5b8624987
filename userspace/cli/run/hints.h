/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What a user should know about a run that went well and may yet mislead. */
#ifndef XTR_HINTS_H
#define XTR_HINTS_H

#include <xdptestrun.h>

/* Maps that had nothing in them before the run, as a list to print. */
struct empty_maps {
	char names[256];
};

void empty_maps__read(struct empty_maps *maps, int prog_fd);

/* Prints what there is to say. */
void hints__print(const struct xtr_result *result, const struct xtr_source_stats *stats,
		  const struct empty_maps *maps);

/* What was asked for and has no effect on the path that was taken. */
void hints__no_effect(const struct xtr_result *result, const struct xtr_run_opts *opts,
		      const char *gen);

/* Why packets were left out for their length on this path, to be printed. */
const char *hints__too_long(const char *path);

#endif /* XTR_HINTS_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A way that was asked for, whether or not it can run the program. */
#ifndef XTR_CANDIDATE_H
#define XTR_CANDIDATE_H

#include <stdbool.h>

#include <xdptestrun.h>

#include "options.h"
#include "ways.h"

struct candidate {
	const struct way *way;
	struct xtr_target *target; /* its own, so that no map's content is shared */
	struct xtr_run_opts opts;
	struct xtr_path_info info;
	size_t place; /* among those that run; if it does */
	bool runs;
	int err; /* of the probe */
	char reason[256]; /* why it does not */
};

/* One for each of the @ways, loaded. Returns the command's exit code. */
int candidates__open(struct candidate *candidates, const struct ways *ways,
		     const struct program_args *program, const struct how_args *how);

/*
 * Which can run the program: that is no error, anything else than "not possible"
 * is. All at once, for each loads programs. Returns the command's exit code.
 */
int candidates__probe(struct candidate *candidates, size_t count);

void candidates__close(struct candidate *candidates, size_t count);

#endif /* XTR_CANDIDATE_H */

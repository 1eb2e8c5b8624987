/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What --paths names: a path and, where it matters, how it gets its packets. */
#ifndef XTR_WAYS_H
#define XTR_WAYS_H

#include <argp.h>

#include <xdptestrun.h>

#include "lockstep.h"

struct way {
	const char *name;
	const char *path;
	enum xtr_inject inject;
	unsigned int cost; /* ns for a small packet, roughly: who shares a CPU with whom */
};

/* Those that were chosen, in that order. */
struct ways {
	const struct way *way[LOCKSTEP_MAX];
	size_t count;
};

void ways__all(struct ways *ways);

/* Takes @list apart. EINVAL after a message. */
error_t ways__parse(struct ways *ways, char *list);

#endif /* XTR_WAYS_H */

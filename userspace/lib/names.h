/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A list of names for the end of an error message, cut where it gets long. */
#ifndef XTR_NAMES_H
#define XTR_NAMES_H

#include <stddef.h>

struct xtr_names {
	char text[512];
	size_t cnt;
};

void xtr_names__add(struct xtr_names *names, const char *name);

/* "a, b, c", or "none" */
const char *xtr_names__text(const struct xtr_names *names);

#endif /* XTR_NAMES_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Structures that grow: callers built against an older header hand over a
 * smaller one (missing fields have their defaults), those built against a newer
 * one a larger one (fine as long as what is not known here is zero).
 */
#ifndef XTR_OPTS_H
#define XTR_OPTS_H

#include <stdbool.h>
#include <stddef.h>

#define xtr_offsetofend(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

static inline bool xtr_opts_zero(const char *opts, size_t known, size_t sz)
{
	for (size_t i = known; i < sz; i++)
		if (opts[i])
			return false;
	return true;
}

/*
 * The padding behind the last field is known, too: an initializer need not clear
 * it. So a new field never goes there, but behind it.
 */
#define XTR_OPTS_VALID(opts, type)                   \
	(!(opts) || ((opts)->sz >= sizeof(size_t) && \
		     xtr_opts_zero((const char *)(opts), sizeof(struct type), (opts)->sz)))

#define XTR_OPTS_HAS(opts, field) \
	((opts) && (opts)->sz >= xtr_offsetofend(__typeof__(*(opts)), field))

#define XTR_OPTS_GET(opts, field, fallback) (XTR_OPTS_HAS(opts, field) ? (opts)->field : (fallback))

#endif /* XTR_OPTS_H */

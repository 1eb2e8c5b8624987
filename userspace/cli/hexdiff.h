/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_HEXDIFF_H
#define XTR_HEXDIFF_H

#include <stdio.h>
#include <linux/types.h>

/* Bytes to compare. A @mask below says which bits count; NULL: all. */
struct hexdiff_side {
	const char *name;
	const __u8 *data;
	__u32 len;
};

/* Where they first differ; ~0U where they are the same. */
__u32 hexdiff__find(const struct hexdiff_side *a, const struct hexdiff_side *b, const __u8 *mask);

/*
 * Prints the rows that differ side by side, an asterisk before each byte that
 * does. Long differences are cut short.
 */
void hexdiff__print(FILE *file, const struct hexdiff_side *a, const struct hexdiff_side *b,
		    const __u8 *mask);

#endif /* XTR_HEXDIFF_H */

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdbool.h>

#include "hexdiff.h"

#define ROW 16 /* bytes a side */
#define MAX_ROWS 12

static bool differs(const struct hexdiff_side *a, const struct hexdiff_side *b, const __u8 *mask,
		    __u32 at)
{
	if (at >= a->len && at >= b->len)
		return false;
	if (at >= a->len || at >= b->len)
		return true;
	return (a->data[at] ^ b->data[at]) & (mask ? mask[at] : 0xff);
}

static __u32 longer(const struct hexdiff_side *a, const struct hexdiff_side *b)
{
	return a->len > b->len ? a->len : b->len;
}

__u32 hexdiff__find(const struct hexdiff_side *a, const struct hexdiff_side *b, const __u8 *mask)
{
	for (__u32 at = 0; at < longer(a, b); at++)
		if (differs(a, b, mask, at))
			return at;
	return ~0U;
}

static void print_side(FILE *file, const struct hexdiff_side *side,
		       const struct hexdiff_side *other, const __u8 *mask, __u32 row)
{
	for (__u32 at = row; at < row + ROW; at++) {
		if (at < side->len)
			fprintf(file, "%c%02x", differs(side, other, mask, at) ? '*' : ' ',
				side->data[at]);
		else
			fputs("   ", file);
	}
}

static bool row_differs(const struct hexdiff_side *a, const struct hexdiff_side *b,
			const __u8 *mask, __u32 row)
{
	for (__u32 at = row; at < row + ROW; at++)
		if (differs(a, b, mask, at))
			return true;
	return false;
}

void hexdiff__print(FILE *file, const struct hexdiff_side *a, const struct hexdiff_side *b,
		    const __u8 *mask)
{
	int rows = 0;

	if (hexdiff__find(a, b, mask) == ~0U)
		return;
	fprintf(file, "      %6s %-48s | %s\n", "", a->name, b->name);
	for (__u32 row = 0; row < longer(a, b); row += ROW) {
		if (!row_differs(a, b, mask, row))
			continue;
		if (rows++ == MAX_ROWS) {
			fprintf(file, "      ...\n");
			return;
		}
		fprintf(file, "      %05x ", row);
		print_side(file, a, b, mask, row);
		fprintf(file, " |");
		print_side(file, b, a, mask, row);
		fputc('\n', file);
	}
}

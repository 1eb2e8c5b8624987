/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_NUMBER_H
#define XTR_NUMBER_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <linux/types.h>

/*
 * Reads a number that users write: decimal, or hexadecimal after 0x. strtoull()
 * by itself would take blanks and a sign, and 010 for eight. @end is what
 * follows the number.
 */
static inline bool xtr_number__read(const char *text, char **end, __u64 *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	errno = 0;
	if (*text < '0' || *text > '9')
		return false;
	*value = strtoull(text, end, hex ? 16 : 10);
	return !errno;
}

/* The same, and nothing may follow. */
static inline bool xtr_number__parse(const char *text, __u64 *value)
{
	char *end;

	return xtr_number__read(text, &end, value) && !*end;
}

#endif /* XTR_NUMBER_H */

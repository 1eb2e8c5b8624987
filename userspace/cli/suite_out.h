/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Results as test cases, for CI: TAP on stdout, JUnit XML in a file, either or both. */
#ifndef XTR_SUITE_OUT_H
#define XTR_SUITE_OUT_H

#include <stdbool.h>

struct suite_out;

/* @junit: a file's name or NULL. NULL after a message. */
struct suite_out *suite_out__open(const char *name, bool tap, const char *junit);

/* @text: lines for people, or NULL. Nothing happens where @out is NULL. */
void suite_out__pass(struct suite_out *out, const char *name, const char *text);
void suite_out__fail(struct suite_out *out, const char *name, const char *text);
void suite_out__skip(struct suite_out *out, const char *name, const char *why);

/* Instead of suite_out__finish(), where not all was run. */
void suite_out__bail_out(struct suite_out *out, const char *why);

/* Writes what is due at the end. 0, or a negative errno after a message. */
int suite_out__finish(struct suite_out *out);
void suite_out__close(struct suite_out *out);

#endif /* XTR_SUITE_OUT_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_OUT_FILE_H
#define XTR_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * A file that appears under its name when all is written; a broken run leaves
 * nothing behind, and what was there before stays.
 */
struct out_file;

/* NULL after a message. */
struct out_file *out_file__open(const char *path);

/* Are these two names of one file? Of devices any number of writers is right. */
bool out_file__same(const char *a, const char *b);

/* To write to; not for fclose(). */
FILE *out_file__stream(const struct out_file *out);

/* Gives the file its name. 0 or a negative errno after a message. */
int out_file__commit(struct out_file *out);

/* Says why it cannot be written; returns -@err. */
int out_file__failed(const struct out_file *out, int err);

/* Closes it; what was not committed is gone. */
void out_file__close(struct out_file *out);

#endif /* XTR_OUT_FILE_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_FILE_H
#define XTR_FILE_H

#include <stddef.h>

/*
 * Reads a whole file (a pipe too) of less than 1 GiB, with a '\0' after its end. The bytes are
 * for free(). 0 or a negative errno, explained in the log.
 */
int xtr_file__read(const char *path, char **data, size_t *size);

#endif /* XTR_FILE_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Redirect sinks by their names, "MAP:KEY" as --redirect was given them: an
 * outcome knows the sinks that a frame arrived at by number only.
 */
#ifndef XTR_SINKS_H
#define XTR_SINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "json_out.h"

/* Bytes that sinks__print() takes at most. @redirects ends with NULL, or is it. */
size_t sinks__size(const char *const *redirects);

/* Names of the @sinks (bits, as in struct xtr_outcome), a blank between them. */
void sinks__print(char *buf, const char *const *redirects, __u32 sinks);

/* The other way round. False: a name is of no sink of this run. */
bool sinks__parse(const char *names, const char *const *redirects, __u32 *sinks);

/* An array of the names in @names, as sinks__print() writes them. */
json_object *sinks__names_json(const char *names);

json_object *sinks__json(const char *const *redirects, __u32 sinks);

#endif /* XTR_SINKS_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Global variables of a loaded target, found by the object's BTF. */
#ifndef XTR_TEST_GLOBALS_H
#define XTR_TEST_GLOBALS_H

#include "case.h"

__u64 global_u64(struct env *env, const char *section, const char *name);

#endif /* XTR_TEST_GLOBALS_H */

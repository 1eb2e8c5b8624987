/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_PATH_H
#define XTR_PATH_H

#include "lane.h"

extern const struct xtr_path xtr_path_call;
extern const struct xtr_path xtr_path_batch;
extern const struct xtr_path xtr_path_veth;

/*
 * Says what is wrong with the interface and the queue that a test run was to show
 * the program. Returns false where @err has another reason.
 */
bool xtr_path__explain_ctx(const struct xtr_run_opts *opts, int err);

/* NULL where there is no such path. */
const struct xtr_path *xtr_path__find(const char *name);

#endif /* XTR_PATH_H */

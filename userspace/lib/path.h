/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_PATH_H
#define XTR_PATH_H

#include "lane.h"

extern const struct xtr_path xtr_path_call;
extern const struct xtr_path xtr_path_batch;
extern const struct xtr_path xtr_path_veth;

/* NULL where there is no such path. */
const struct xtr_path *xtr_path__find(const char *name);

#endif /* XTR_PATH_H */

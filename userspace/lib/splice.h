/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_SPLICE_H
#define XTR_SPLICE_H

#include <bpf/libbpf.h>

#include "target.h"

/*
 * Loads a program that is @harness with @target in the place of its stub. Both
 * stay as they are; the new program uses their maps.
 *
 * Returns a program fd or a negative errno; -EOPNOTSUPP where the verifier
 * refused the combination.
 */
int xtr_splice(const struct bpf_program *harness, const struct xtr_target *target);

#endif /* XTR_SPLICE_H */

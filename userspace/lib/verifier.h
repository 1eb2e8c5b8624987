/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The kernel's verifier takes hundreds of megabytes for a large program: no more
 * of them at once than there are CPUs for it.
 */
#ifndef XTR_VERIFIER_H
#define XTR_VERIFIER_H

/* Around what loads a program; waits for its turn. */
void xtr_verifier__enter(void);
void xtr_verifier__leave(void);

#endif /* XTR_VERIFIER_H */

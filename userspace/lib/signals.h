/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_SIGNALS_H
#define XTR_SIGNALS_H

#include <signal.h>

/*
 * Keeps signals from the calling thread while it loads programs: at each one the
 * verifier starts anew (EAGAIN), so a timer that is faster than the verifier
 * lets no program through. Those by which a user ends or stops a process stay.
 */
void xtr_signals__hold(sigset_t *was);
void xtr_signals__release(const sigset_t *was);

#endif /* XTR_SIGNALS_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_CAPS_H
#define XTR_CAPS_H

#include <stdbool.h>
#include <linux/capability.h>

/*
 * Explains in the log why @what got EPERM: which of the capabilities @caps
 * (ended by -1) this thread lacks. Returns -EPERM.
 */
int xtr_caps__explain(const char *what, const int *caps);

/* Does this thread lack one of @caps? */
bool xtr_caps__missing(const int *caps);

/* What the parts of the tool need, for the above. */
extern const int xtr_caps_load[]; /* loading and running an XDP program */
extern const int xtr_caps_splice[]; /* loading a harness around it */
extern const int xtr_caps_verifier[]; /* the verifier's full tolerance */
extern const int xtr_caps_netns[]; /* namespaces and what is in them */
extern const int xtr_caps_afxdp[]; /* AF_XDP sockets */

#endif /* XTR_CAPS_H */

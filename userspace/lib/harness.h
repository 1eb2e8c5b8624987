/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A lane's copy of the harness: its memory and the programs that use it. */
#ifndef XTR_HARNESS_H
#define XTR_HARNESS_H

#include <xdptestrun.h>

#include "ring.h"
#include "harness.skel.h"

struct xtr_harness {
	struct harness *skel;
	struct xtr_ctl *ctl;
	__u8 *input;
	__u8 *output;
	bool mapped; /* skel->bss, by us */
};

struct xtr_harness_opts {
	bool verdicts_only;
	bool deliver_pass;
};

/*
 * Loads the harness with the programs named in @progs (NULL-terminated), and
 * maps its memory. Only these are loaded: what is not needed cannot fail.
 */
int xtr_harness__open(struct xtr_harness *h, const struct xtr_harness_opts *opts,
		      const char *const *progs);
void xtr_harness__close(struct xtr_harness *h);

/* The next record that was not released, or NULL. It is the caller's until
 * xtr_harness__release() says how far the caller got.
 */
static inline const struct xtr_record *xtr_harness__record(const struct xtr_harness *h, __u64 pos)
{
	if (pos == __atomic_load_n(&h->ctl->out_head, __ATOMIC_ACQUIRE))
		return NULL;
	return (const void *)(h->output + (pos & (XTR_OUT_SIZE - 8)));
}

static inline void xtr_harness__release(struct xtr_harness *h, __u64 pos)
{
	__atomic_store_n(&h->ctl->out_tail, pos, __ATOMIC_RELEASE);
}

#endif /* XTR_HARNESS_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What splice and the paths may know of a target beyond the public interface. */
#ifndef XTR_TARGET_H
#define XTR_TARGET_H

#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include <xdptestrun.h>

/*
 * The same program once more, opened from the same bytes with the same settings
 * (rodata, presets, reused maps) and not yet loaded: for lanes that share
 * nothing. NULL with errno; EOPNOTSUPP for a program that is the caller's.
 */
struct xtr_target *xtr_target__clone(const struct xtr_target *target);

/* All that was in the file; NULL for a program that is the caller's. */
const struct bpf_object *xtr_target__object(const struct xtr_target *target);
struct bpf_program *xtr_target__program(const struct xtr_target *target);
enum bpf_attach_type xtr_target__expected_attach_type(const struct xtr_target *target);

/* Takes packets in several buffers (BPF_F_XDP_HAS_FRAGS). */
bool xtr_target__frags(const struct xtr_target *target);

/* The following are about the loaded program and false before the load. */
bool xtr_target__gpl_compatible(const struct xtr_target *target);
bool xtr_target__uses_helper(const struct xtr_target *target, enum bpf_func_id helper);
bool xtr_target__calls_tail(const struct xtr_target *target);

/* What it was spliced into, to be remembered from the probe to the run. */
enum xtr_splice_site {
	XTR_SITE_FEED_WINDOW = 1 << 0,
	XTR_SITE_FEED_EACH = 1 << 1,
	XTR_SITE_OBSERVE = 1 << 2,
};

bool xtr_target__fits(const struct xtr_target *target, enum xtr_splice_site site);
void xtr_target__set_fits(struct xtr_target *target, enum xtr_splice_site site);

/*
 * What a probe loaded, kept for the run to come: the verifier would take as long
 * again. The target unloads what nobody takes. First member of what is kept.
 */
struct xtr_kept {
	void (*unload)(struct xtr_kept *kept);
};

void xtr_target__keep(struct xtr_target *target, struct xtr_kept *kept);

/* NULL: nothing is kept. Else it is the caller's now. */
struct xtr_kept *xtr_target__take(struct xtr_target *target);

#endif /* XTR_TARGET_H */

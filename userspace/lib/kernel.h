/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What a kernel may refuse whatever the caller's capabilities: tried, not looked up. */
#ifndef XTR_KERNEL_H
#define XTR_KERNEL_H

#include <stdbool.h>

/* Can XDP programs call bpf_xdp_adjust_meta()? True too where no program can be loaded. */
bool xtr_kernel__moves_meta(void);

/* False only where BPF_F_TEST_XDP_LIVE_FRAMES gets EPERM; other errors are the run's to tell. */
bool xtr_kernel__has_live_frames(void);

#endif /* XTR_KERNEL_H */

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A lane's memory; each lane loads the harness once and so has its own. All of it
 * is in .bss, one array map that user space maps, reached without a look-up.
 */
#include "packet.bpf.h"

struct xtr_ctl ctl = {};
__u8 input[XTR_IN_SIZE + XTR_SLACK];
__u8 output[XTR_OUT_SIZE + XTR_SLACK];

const volatile bool verdicts_only = false;
const volatile bool deliver_pass = false;
const volatile bool moves_meta = true;

char _license[] SEC("license") = "Dual BSD/GPL";

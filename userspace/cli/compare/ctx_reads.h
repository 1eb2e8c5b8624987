/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_CTX_READS_H
#define XTR_CTX_READS_H

#include <stddef.h>
#include <linux/bpf.h>

/*
 * Which fields of its context a program reads, by its instructions as libbpf
 * loads them: bit n stands for the four bytes at offset 4 * n. Where the context
 * went through memory other than the stack's it is lost from sight. ~0 where
 * there is no memory to find out.
 */
__u32 ctx_reads(const struct bpf_insn *insns, size_t count);

#endif /* XTR_CTX_READS_H */

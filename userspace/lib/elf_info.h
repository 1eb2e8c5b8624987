/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_ELF_INFO_H
#define XTR_ELF_INFO_H

#include <stdbool.h>
#include <stddef.h>

/* What must be known of an object file that libbpf does not tell. */
struct xtr_elf {
	bool legacy_maps; /* has maps as of libbpf < 1.0 */
	char **tail_targets; /* functions that program arrays are initialised with */
	size_t tail_target_cnt;
};

/*
 * Looks at an object file in memory. Returns 0; -ENOEXEC where it is none for
 * BPF, explained in the log under the name @path.
 */
int xtr_elf__read(const char *path, char *data, size_t size, struct xtr_elf *elf);
bool xtr_elf__is_tail_target(const struct xtr_elf *elf, const char *function);
void xtr_elf__free(struct xtr_elf *elf);

#endif /* XTR_ELF_INFO_H */

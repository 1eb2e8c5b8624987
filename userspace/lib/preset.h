/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Map contents that are set before the run. */
#ifndef XTR_PRESET_H
#define XTR_PRESET_H

#include <stddef.h>

struct bpf_map;
struct xtr_preset;

/*
 * Reads what `bpftool map dump -j` printed and checks it against the map, which
 * needs not exist yet and goes by @name. NULL with errno, explained in the log.
 */
struct xtr_preset *xtr_preset__read(const char *name, const struct bpf_map *map,
				    const char *json_path);

const char *xtr_preset__map(const struct xtr_preset *preset);
size_t xtr_preset__entries(const struct xtr_preset *preset);

/* Writes it to the map. 0 or a negative errno, explained in the log. */
int xtr_preset__apply(const struct xtr_preset *preset, int map_fd);

void xtr_preset__free(struct xtr_preset *preset);

#endif /* XTR_PRESET_H */

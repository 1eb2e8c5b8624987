/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_RODATA_H
#define XTR_RODATA_H

struct bpf_object;

/*
 * Sets a `const volatile` variable of an object that is not loaded yet. 0 or a
 * negative errno, explained in the log under the name @path.
 */
int xtr_rodata__set(const char *path, struct bpf_object *obj, const char *name, const char *value);

#endif /* XTR_RODATA_H */

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "globals.h"

/* Where the variable is in its section; -1 where it is not. */
static int global_offset(const struct btf *btf, const char *section, const char *name)
{
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC), i;
	const struct btf_var_secinfo *var;
	const struct btf_type *sec, *type;

	if (id < 0)
		return -1;
	sec = btf__type_by_id(btf, id);
	var = btf_var_secinfos(sec);
	for (i = 0; i < btf_vlen(sec); i++, var++) {
		type = btf__type_by_id(btf, var->type);
		if (!strcmp(btf__name_by_offset(btf, type->name_off), name))
			return var->offset;
	}
	return -1;
}

__u64 global_u64(struct env *env, const char *section, const char *name)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info), key = 0;
	struct btf *btf = NULL;
	__u8 *values = NULL;
	int fd, off = -1;
	__u64 value = ~0ULL;

	fd = map_fd(env, section);
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return value;
	btf = btf__load_from_kernel_by_id(info.btf_id);
	if (btf)
		off = global_offset(btf, section, name);
	values = calloc(1, info.value_size);
	if (off >= 0 && values && !bpf_map_lookup_elem(fd, &key, values))
		memcpy(&value, values + off, sizeof(value));
	else
		mistake(env, "there is no variable %s in %s", name, section);
	free(values);
	btf__free(btf);
	return value;
}

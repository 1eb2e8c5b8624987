// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Variables of the program that are constant from the load on, by name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "log.h"
#include "names.h"
#include "number.h"
#include "rodata.h"

/* An integer variable and where it is. */
struct variable {
	const char *section;
	__u32 offset;
	__u32 size; /* bytes; 0: not an integer */
	bool is_signed;
	bool is_bool;
};

static bool is_rodata(const char *section)
{
	return !strcmp(section, ".rodata") || !strncmp(section, ".rodata.", 8);
}

static void describe_type(const struct btf *btf, __u32 type_id, struct variable *var)
{
	const struct btf_type *t = btf__type_by_id(btf, btf__resolve_type(btf, type_id));

	var->size = 0;
	if (!t)
		return;
	if (btf_is_int(t)) {
		var->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
		var->is_bool = btf_int_encoding(t) & BTF_INT_BOOL;
	} else if (btf_is_any_enum(t)) {
		var->is_signed = btf_kflag(t);
	} else {
		return;
	}
	if (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8)
		var->size = t->size;
}

/* Walks the variables of one section; also collects the names it passes. */
static bool find_in_section(const struct btf *btf, const struct btf_type *sec, const char *name,
			    struct variable *var, struct xtr_names *names)
{
	const struct btf_var_secinfo *info = btf_var_secinfos(sec);

	for (int i = 0; i < btf_vlen(sec); i++, info++) {
		const struct btf_type *t = btf__type_by_id(btf, info->type);
		const char *var_name = btf__name_by_offset(btf, t->name_off);

		if (!strcmp(var_name, name)) {
			var->section = btf__name_by_offset(btf, sec->name_off);
			var->offset = info->offset;
			describe_type(btf, t->type, var);
			return true;
		}
		xtr_names__add(names, var_name);
	}
	return false;
}

static int find_variable(const char *path, const struct btf *btf, const char *name,
			 struct variable *var)
{
	struct xtr_names names = {};

	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_datasec(t) && is_rodata(btf__name_by_offset(btf, t->name_off)) &&
		    find_in_section(btf, t, name, var, &names))
			return 0;
	}
	pr_err("%s: no `const volatile` variable '%s'; there are: %s", path, name,
	       xtr_names__text(&names));
	return -ENOENT;
}

/* The whole of @s is one number: its sign and its magnitude. */
static bool parse_number(const char *s, bool *negative, __u64 *magnitude)
{
	*negative = *s == '-';
	s += *s == '-' || *s == '+';
	return xtr_number__parse(s, magnitude);
}

static bool parse_value(const struct variable *var, const char *s, bool *negative, __u64 *magnitude)
{
	*negative = false;
	if (var->is_bool && (!strcmp(s, "true") || !strcmp(s, "false"))) {
		*magnitude = *s == 't';
		return true;
	}
	return parse_number(s, negative, magnitude);
}

static bool fits(const struct variable *var, bool negative, __u64 magnitude)
{
	__u64 max = ~0ULL >> (64 - 8 * var->size);

	if (var->is_bool)
		max = 1;
	else if (var->is_signed)
		max >>= 1;
	if (negative)
		return magnitude <= (var->is_signed ? max + 1 : 0);
	return magnitude <= max;
}

static void store(void *where, __u32 size, __u64 value)
{
	switch (size) {
	case 1:
		*(__u8 *)where = value;
		break;
	case 2:
		*(__u16 *)where = value;
		break;
	case 4:
		*(__u32 *)where = value;
		break;
	case 8:
		*(__u64 *)where = value;
		break;
	}
}

static int parse_for(const char *path, const char *name, const struct variable *var,
		     const char *text, __u64 *value)
{
	bool negative;
	__u64 magnitude;

	if (!var->size) {
		pr_err("%s: variable '%s' is not an integer of 1, 2, 4 or 8 bytes", path, name);
		return -EINVAL;
	}
	if (!parse_value(var, text, &negative, &magnitude)) {
		pr_err("%s: variable '%s': '%s' is not a number", path, name, text);
		return errno == ERANGE ? -ERANGE : -EINVAL;
	}
	if (!fits(var, negative, magnitude)) {
		pr_err("%s: variable '%s': %s does not fit in %s", path, name, text,
		       var->is_bool	? "a bool"
		       : var->is_signed ? "its signed type"
					: "its unsigned type");
		return -ERANGE;
	}
	*value = negative ? -magnitude : magnitude;
	return 0;
}

int xtr_rodata__set(const char *path, struct bpf_object *obj, const char *name, const char *text)
{
	const struct btf *btf = bpf_object__btf(obj);
	struct variable var = {};
	struct bpf_map *map;
	size_t size = 0;
	__u64 value;
	char *data;
	int err;

	if (!btf) {
		pr_err("%s: no BTF, so its variables have no names; compile it with -g", path);
		return -ENOENT;
	}
	err = find_variable(path, btf, name, &var);
	if (err)
		return err;
	err = parse_for(path, name, &var, text, &value);
	if (err)
		return err;
	map = bpf_object__find_map_by_name(obj, var.section);
	data = map ? (char *)bpf_map__initial_value(map, &size) : NULL;
	if (!data || var.offset + var.size > size) {
		pr_err("%s: variable '%s' is not part of the program's data", path, name);
		return -ENOENT;
	}
	store(data + var.offset, var.size, value);
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Map contents in the JSON of `bpftool map dump -j`: a list of entries
 *	{"key": ["0x01", ...], "value": ["0x02", ...]}
 * or, for per-CPU maps, {"key": [...], "values": [{"cpu": 0, "value": [...]}]}.
 * Bytes may be plain numbers too, for files written by hand. What bpftool
 * prints beside these ("formatted") is left alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <json-c/json.h>

#include "file.h"
#include "log.h"
#include "preset.h"

struct xtr_preset {
	char *map;
	char *file;
	__u32 key_size;
	__u32 value_size; /* of one value */
	__u32 cpus; /* values of an entry of a per-CPU map; 0: other maps */
	__u32 stored_size; /* what an update takes: all values, padded */
	size_t cnt;
	unsigned char *data; /* key, values; key, values; ... */
	bool warned_cpu;
};

/* ---- which maps can be filled ------------------------------------------ */

static const char *why_not_fillable(const struct bpf_map *map)
{
	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		return "a map of maps: its inner maps are not in a dump; give them as initial "
		       "values in the program";
	case BPF_MAP_TYPE_PROG_ARRAY:
		return "a program array: programs are not in a dump; give them as initial values "
		       "in the program";
	case BPF_MAP_TYPE_PERF_EVENT_ARRAY:
	case BPF_MAP_TYPE_CGROUP_ARRAY:
	case BPF_MAP_TYPE_SOCKMAP:
	case BPF_MAP_TYPE_SOCKHASH:
	case BPF_MAP_TYPE_REUSEPORT_SOCKARRAY:
	case BPF_MAP_TYPE_XSKMAP:
		return "a map of file descriptors, which a file cannot hold";
	case BPF_MAP_TYPE_QUEUE:
	case BPF_MAP_TYPE_STACK:
	case BPF_MAP_TYPE_BLOOM_FILTER:
	case BPF_MAP_TYPE_RINGBUF:
	case BPF_MAP_TYPE_USER_RINGBUF:
		return "a map without keys";
	default:
		break;
	}
	if (bpf_map__is_internal(map) && strstr(bpf_map__name(map), ".rodata"))
		return "read-only data: set the variables by name (--rodata)";
	return NULL;
}

static bool is_percpu(const struct bpf_map *map)
{
	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		return true;
	default:
		return false;
	}
}

/* ---- from JSON --------------------------------------------------------- */

/* All complaints about the contents look the same. */
#define pr_entry(preset, entry, fmt, ...)                                               \
	pr_err("%s: entry %zu for map '%s': " fmt, (preset)->file, (size_t)(entry) + 1, \
	       (preset)->map, ##__VA_ARGS__)

static bool parse_byte(json_object *obj, unsigned char *byte)
{
	const char *text;
	char *end;
	long value;

	if (json_object_is_type(obj, json_type_int)) {
		value = json_object_get_int64(obj);
	} else if (json_object_is_type(obj, json_type_string)) {
		text = json_object_get_string(obj);
		value = strtol(text, &end, 0);
		if (end == text || *end)
			return false;
	} else {
		return false;
	}
	*byte = value;
	return value >= 0 && value <= 255;
}

/* @what is "key" or "value". */
static int parse_bytes(const struct xtr_preset *preset, size_t entry, const char *what,
		       json_object *list, unsigned char *out, __u32 size)
{
	size_t len;

	if (!json_object_is_type(list, json_type_array)) {
		pr_entry(preset, entry,
			 "its %s is no list of bytes; print the map with `bpftool map dump -j`",
			 what);
		return -EINVAL;
	}
	len = json_object_array_length(list);
	if (len != size) {
		pr_entry(preset, entry, "a %s of %zu bytes, the map has %u", what, len, size);
		return -EINVAL;
	}
	for (size_t i = 0; i < len; i++) {
		if (!parse_byte(json_object_array_get_idx(list, i), &out[i])) {
			pr_entry(preset, entry, "byte %zu of its %s is none", i, what);
			return -EINVAL;
		}
	}
	return 0;
}

static __u32 padded(__u32 value_size)
{
	return (value_size + 7) / 8 * 8;
}

/* {"cpu": n, "value": [...]} */
static int parse_cpu_value(struct xtr_preset *preset, size_t entry, json_object *obj,
			   unsigned char *values)
{
	json_object *cpu, *value;
	__s64 n;

	if (!json_object_object_get_ex(obj, "cpu", &cpu) ||
	    !json_object_object_get_ex(obj, "value", &value) ||
	    !json_object_is_type(cpu, json_type_int) || json_object_get_int64(cpu) < 0) {
		pr_entry(preset, entry, "one of its values lacks \"cpu\" or \"value\"");
		return -EINVAL;
	}
	n = json_object_get_int64(cpu);
	if (n >= preset->cpus) {
		if (!preset->warned_cpu)
			pr_warn("%s: values for CPUs that this machine lacks are left out",
				preset->file);
		preset->warned_cpu = true;
		return 0;
	}
	return parse_bytes(preset, entry, "value", value, values + n * padded(preset->value_size),
			   preset->value_size);
}

static int parse_cpu_values(struct xtr_preset *preset, size_t entry, json_object *list,
			    unsigned char *out)
{
	int err = 0;

	if (!json_object_is_type(list, json_type_array)) {
		pr_entry(preset, entry, "its \"values\" are no list");
		return -EINVAL;
	}
	for (size_t i = 0; !err && i < json_object_array_length(list); i++)
		err = parse_cpu_value(preset, entry, json_object_array_get_idx(list, i), out);
	return err;
}

/* One value of a per-CPU map, given once, is every CPU's. */
static void spread_value(const struct xtr_preset *preset, unsigned char *values)
{
	for (__u32 cpu = 1; cpu < preset->cpus; cpu++)
		memcpy(values + cpu * padded(preset->value_size), values, preset->value_size);
}

/* What bpftool prints where the kernel would not read a value (an empty slot of
 * a device map): {"key": [...], "value": {"error": "..."}}
 */
static bool is_unreadable(json_object *value)
{
	return json_object_is_type(value, json_type_object) &&
	       json_object_object_get_ex(value, "error", NULL);
}

/* 1: an entry was written to @out; 0: there was nothing in it. */
static int parse_entry(struct xtr_preset *preset, size_t entry, json_object *obj,
		       unsigned char *out)
{
	json_object *key, *value = NULL, *values = NULL;
	unsigned char *stored = out + preset->key_size;
	int err;

	if (json_object_is_type(obj, json_type_object) &&
	    json_object_object_get_ex(obj, "elements", NULL)) {
		pr_err("%s: the dump of several maps of one name; dump one by its id",
		       preset->file);
		return -EINVAL;
	}
	if (!json_object_is_type(obj, json_type_object) ||
	    !json_object_object_get_ex(obj, "key", &key) ||
	    (!json_object_object_get_ex(obj, "value", &value) &&
	     !json_object_object_get_ex(obj, "values", &values))) {
		pr_entry(preset, entry, "it lacks \"key\" or \"value\"");
		return -EINVAL;
	}
	if (is_unreadable(value))
		return 0;
	if (values && !preset->cpus) {
		pr_entry(preset, entry, "values per CPU, which the map does not have");
		return -EINVAL;
	}
	err = parse_bytes(preset, entry, "key", key, out, preset->key_size);
	if (err)
		return err;
	err = values ? parse_cpu_values(preset, entry, values, stored)
		     : parse_bytes(preset, entry, "value", value, stored, preset->value_size);
	if (err)
		return err;
	if (!values)
		spread_value(preset, stored);
	return 1;
}

static int parse_entries(struct xtr_preset *preset, json_object *list)
{
	size_t entry_size = preset->key_size + preset->stored_size, len;
	int ret;

	if (!json_object_is_type(list, json_type_array)) {
		pr_err("%s: no list of map entries; print the map with `bpftool map dump -j`",
		       preset->file);
		return -EINVAL;
	}
	len = json_object_array_length(list);
	preset->data = calloc(len + 1, entry_size);
	if (!preset->data) {
		pr_err("%s: out of memory", preset->file);
		return -ENOMEM;
	}
	for (size_t i = 0; i < len; i++) {
		ret = parse_entry(preset, i, json_object_array_get_idx(list, i),
				  preset->data + preset->cnt * entry_size);
		if (ret < 0)
			return ret;
		preset->cnt += ret;
	}
	return 0;
}

static json_object *parse_text(const char *file, const char *text, size_t size)
{
	json_tokener *tokener = json_tokener_new();
	json_object *obj;

	if (!tokener)
		return NULL;
	/* With the '\0' that ends it, or a number at the end would look unfinished. */
	obj = json_tokener_parse_ex(tokener, text, size + 1);
	if (!obj)
		pr_err("%s: not JSON: %s at byte %zu", file,
		       json_tokener_error_desc(json_tokener_get_error(tokener)),
		       json_tokener_get_parse_end(tokener));
	json_tokener_free(tokener);
	return obj;
}

static int read_entries(struct xtr_preset *preset)
{
	json_object *list;
	char *text;
	size_t size;
	int err;

	err = xtr_file__read(preset->file, &text, &size);
	if (err)
		return err;
	list = parse_text(preset->file, text, size);
	free(text);
	if (!list)
		return -EINVAL;
	err = parse_entries(preset, list);
	json_object_put(list);
	return err;
}

static int describe_map(struct xtr_preset *preset, const struct bpf_map *map)
{
	int cpus = is_percpu(map) ? libbpf_num_possible_cpus() : 0;

	if (cpus < 0) {
		pr_err("map '%s': cannot tell the number of CPUs: %s", preset->map,
		       strerror(-cpus));
		return cpus;
	}
	preset->cpus = cpus;
	preset->key_size = bpf_map__key_size(map);
	preset->value_size = bpf_map__value_size(map);
	preset->stored_size = cpus ? padded(preset->value_size) * cpus : preset->value_size;
	return 0;
}

struct xtr_preset *xtr_preset__read(const char *name, const struct bpf_map *map,
				    const char *json_path)
{
	const char *why_not = why_not_fillable(map);
	struct xtr_preset *preset;
	int err;

	if (why_not) {
		pr_err("map '%s' cannot be filled from a file: it is %s", name, why_not);
		errno = EOPNOTSUPP;
		return NULL;
	}
	preset = calloc(1, sizeof(*preset));
	if (!preset)
		return NULL;
	preset->map = strdup(name);
	preset->file = strdup(json_path);
	err = preset->map && preset->file ? describe_map(preset, map) : -ENOMEM;
	if (!err)
		err = read_entries(preset);
	if (err) {
		xtr_preset__free(preset);
		errno = -err;
		return NULL;
	}
	return preset;
}

const char *xtr_preset__map(const struct xtr_preset *preset)
{
	return preset->map;
}

size_t xtr_preset__entries(const struct xtr_preset *preset)
{
	return preset->cnt;
}

/* ---- to the map -------------------------------------------------------- */

static const char *update_error(int err)
{
	switch (err) {
	case E2BIG:
		return "the map has no such index or is full";
	case EPERM:
		return "the map is read-only";
	default:
		return strerror(err);
	}
}

int xtr_preset__apply(const struct xtr_preset *preset, int map_fd)
{
	const unsigned char *entry = preset->data;

	for (size_t i = 0; i < preset->cnt; i++) {
		if (bpf_map_update_elem(map_fd, entry, entry + preset->key_size, BPF_ANY)) {
			int err = errno;

			pr_entry(preset, i, "%s", update_error(err));
			return -err;
		}
		entry += preset->key_size + preset->stored_size;
	}
	return 0;
}

void xtr_preset__free(struct xtr_preset *preset)
{
	if (!preset)
		return;
	free(preset->map);
	free(preset->file);
	free(preset->data);
	free(preset);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The program under test: found in its object file, adapted where libbpf would
 * refuse what is no fault of the program, loaded, filled.
 *
 * A target is made of two parts: the recipe (the file's bytes and all that the
 * user set), which clones share, and what was opened and loaded from it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "caps.h"
#include "elf_info.h"
#include "file.h"
#include "libbpf_log.h"
#include "log.h"
#include "names.h"
#include "opts.h"
#include "preset.h"
#include "rodata.h"
#include "signals.h"
#include "target.h"
#include "verifier.h"

/* For maps whose size the user's loader would have set. */
#define DEFAULT_MAX_ENTRIES 1024
#define DEFAULT_RINGBUF_BYTES (256 * 1024)

struct setting {
	char *name;
	char *value;
};

struct reused_map {
	char *name; /* in the object; libbpf calls it by the pinned map's name from then on */
	size_t index; /* among the object's maps */
	int fd;
};

struct recipe {
	int refs;
	char *path; /* as the user wrote it; for messages */
	char *program; /* what to look for; may be NULL */
	char *section; /* likewise */
	char *object; /* the file's bytes */
	size_t object_size;
	struct xtr_elf elf;
	struct setting *rodata;
	size_t rodata_cnt;
	struct xtr_preset **presets;
	size_t preset_cnt;
	struct reused_map *reused;
	size_t reused_cnt;
};

struct xtr_target {
	struct recipe *recipe; /* NULL: the program is the caller's */
	struct bpf_object *obj; /* likewise */
	struct bpf_program *prog;
	bool is_clone; /* what there is to say was said for the original */
	bool loaded;
	bool gpl_compatible;
	int load_err; /* libbpf loads an object once; why that failed */
	__u32 sites; /* enum xtr_splice_site: where it is known to fit */
	struct xtr_kept *kept;
	int *map_fds; /* of a caller's program, for xtr_target__map_fd() */
	size_t map_fd_cnt;
};

#define pr_said(target, fmt, ...) \
	xtr_log((target)->is_clone ? XTR_LOG_DEBUG : XTR_LOG_INFO, fmt, ##__VA_ARGS__)

/* ---- recipe ------------------------------------------------------------ */

static void recipe__put(struct recipe *recipe)
{
	if (!recipe || __atomic_sub_fetch(&recipe->refs, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < recipe->rodata_cnt; i++) {
		free(recipe->rodata[i].name);
		free(recipe->rodata[i].value);
	}
	for (size_t i = 0; i < recipe->preset_cnt; i++)
		xtr_preset__free(recipe->presets[i]);
	for (size_t i = 0; i < recipe->reused_cnt; i++) {
		free(recipe->reused[i].name);
		close(recipe->reused[i].fd);
	}
	free(recipe->rodata);
	free(recipe->presets);
	free(recipe->reused);
	xtr_elf__free(&recipe->elf);
	free(recipe->object);
	free(recipe->section);
	free(recipe->program);
	free(recipe->path);
	free(recipe);
}

static struct recipe *recipe__get(struct recipe *recipe)
{
	__atomic_add_fetch(&recipe->refs, 1, __ATOMIC_RELAXED);
	return recipe;
}

static int copy_string(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

static int recipe__read_object(struct recipe *recipe)
{
	int err;

	err = xtr_file__read(recipe->path, &recipe->object, &recipe->object_size);
	if (err)
		return err;
	err = xtr_elf__read(recipe->path, recipe->object, recipe->object_size, &recipe->elf);
	if (err)
		return err;
	if (recipe->elf.legacy_maps) {
		pr_err("%s: its maps are defined the old way (section \"maps\"), which libbpf 1.0 "
		       "and "
		       "later cannot load; recompile it with BTF maps (section \".maps\")",
		       recipe->path);
		return -ENOEXEC;
	}
	return 0;
}

static struct recipe *recipe__new(const char *path, const struct xtr_target_opts *opts)
{
	struct recipe *recipe = calloc(1, sizeof(*recipe));
	int err;

	if (!recipe)
		return NULL;
	recipe->refs = 1;
	err = copy_string(&recipe->path, path);
	if (!err)
		err = copy_string(&recipe->program, XTR_OPTS_GET(opts, program, NULL));
	if (!err)
		err = copy_string(&recipe->section, XTR_OPTS_GET(opts, section, NULL));
	if (!err)
		err = recipe__read_object(recipe);
	if (err) {
		recipe__put(recipe);
		errno = -err;
		return NULL;
	}
	return recipe;
}

/* Makes room for one element more at the end of an array. */
#define grow(array, cnt)                                                        \
	({                                                                      \
		void *more_ = reallocarray(array, (cnt) + 1, sizeof(*(array))); \
		if (more_)                                                      \
			(array) = more_;                                        \
		more_ ? 0 : -ENOMEM;                                            \
	})

/* ---- picking the program ----------------------------------------------- */

enum kind {
	KIND_XDP, /* can be run */
	KIND_UNKNOWN, /* its section says nothing to libbpf */
	KIND_MAP_ENTRY, /* runs from a devmap or cpumap entry only */
	KIND_OTHER,
	KINDS,
};

static enum kind kind_of(const struct bpf_program *prog)
{
	switch (bpf_program__type(prog)) {
	case BPF_PROG_TYPE_XDP:
		break;
	case BPF_PROG_TYPE_UNSPEC:
		return KIND_UNKNOWN;
	default:
		return KIND_OTHER;
	}
	switch (bpf_program__expected_attach_type(prog)) {
	case BPF_XDP_DEVMAP:
	case BPF_XDP_CPUMAP:
		return KIND_MAP_ENTRY;
	default:
		return KIND_XDP;
	}
}

static const char *map_entry_kind(const struct bpf_program *prog)
{
	return bpf_program__expected_attach_type(prog) == BPF_XDP_DEVMAP ? "devmap" : "cpumap";
}

static bool is_wanted(const struct recipe *recipe, const struct bpf_program *prog)
{
	if (recipe->program && strcmp(recipe->program, bpf_program__name(prog)))
		return false;
	return !recipe->section || !strcmp(recipe->section, bpf_program__section_name(prog));
}

/* The programs of each kind that the user may have meant. */
struct candidates {
	struct bpf_program *first[KINDS];
	struct xtr_names names[KINDS];
	struct xtr_names all; /* of the whole object */
};

static void collect_candidates(const struct xtr_target *target, struct candidates *found)
{
	struct bpf_program *prog;

	memset(found, 0, sizeof(*found));
	bpf_object__for_each_program(prog, target->obj) {
		enum kind kind = kind_of(prog);

		xtr_names__add(&found->all, bpf_program__name(prog));
		if (!is_wanted(target->recipe, prog))
			continue;
		if (!found->first[kind])
			found->first[kind] = prog;
		xtr_names__add(&found->names[kind], bpf_program__name(prog));
	}
}

static int no_candidate(const struct recipe *recipe, const struct candidates *found)
{
	struct bpf_program *entry = found->first[KIND_MAP_ENTRY], *other = found->first[KIND_OTHER];

	if (entry) {
		pr_err("%s: '%s' is a %s program: it cannot be run directly, only from a %s entry",
		       recipe->path, bpf_program__name(entry), map_entry_kind(entry),
		       map_entry_kind(entry));
		return -EOPNOTSUPP;
	}
	if (other && bpf_program__type(other) == BPF_PROG_TYPE_EXT) {
		pr_err("%s: '%s' stands for a function of another program (freplace): it cannot be "
		       "run directly; test the program that it is meant for",
		       recipe->path, bpf_program__name(other));
		return -EOPNOTSUPP;
	}
	if (!recipe->program && !recipe->section)
		pr_err("%s: no XDP program in it; its programs: %s", recipe->path,
		       xtr_names__text(&found->all));
	else if (other)
		pr_err("%s: '%s' is no XDP program but of type %s", recipe->path,
		       bpf_program__name(other),
		       libbpf_bpf_prog_type_str(bpf_program__type(other)));
	else
		pr_err("%s: no program%s '%s' in it; its programs: %s", recipe->path,
		       recipe->program ? "" : " in section",
		       recipe->program ? recipe->program : recipe->section,
		       xtr_names__text(&found->all));
	return -ENOMSG;
}

/* A program in an unknown section counts where no better one matches. */
static int pick_program(struct xtr_target *target)
{
	const struct recipe *recipe = target->recipe;
	struct candidates found;
	enum kind kind;

	collect_candidates(target, &found);
	kind = found.first[KIND_XDP] ? KIND_XDP : KIND_UNKNOWN;
	if (!found.first[kind])
		return no_candidate(recipe, &found);
	if (found.names[kind].cnt > 1) {
		pr_err("%s: several XDP programs, choose one by name (--prog): %s", recipe->path,
		       xtr_names__text(&found.names[kind]));
		return -E2BIG;
	}
	target->prog = found.first[kind];
	return 0;
}

/* ---- adapting the object ----------------------------------------------- */

static void make_xdp(struct bpf_program *prog)
{
	bpf_program__set_type(prog, BPF_PROG_TYPE_XDP);
	/* What bpf_link wants of a program that is attached to a device. */
	bpf_program__set_expected_attach_type(prog, BPF_XDP);
}

/*
 * Only what is needed gets loaded: other programs may be for hooks that this
 * kernel does not have. Needed beside the target are the functions that program
 * arrays are initialised with.
 */
static void choose_programs(struct xtr_target *target)
{
	const struct recipe *recipe = target->recipe;
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, target->obj) {
		bool tail = xtr_elf__is_tail_target(&recipe->elf, bpf_program__name(prog));

		bpf_program__set_autoload(prog, prog == target->prog || tail);
		if (kind_of(prog) != KIND_UNKNOWN || (prog != target->prog && !tail))
			continue;
		make_xdp(prog);
		pr_said(target, "%s: section \"%s\" says no program type: '%s' is taken for XDP",
			recipe->path, bpf_program__section_name(prog), bpf_program__name(prog));
	}
}

/* Nothing may land in /sys/fs/bpf, where another run would find it. */
static void clear_pins(struct xtr_target *target)
{
	struct xtr_names names = {};
	struct bpf_map *map;

	bpf_object__for_each_map(map, target->obj) {
		if (!bpf_map__pin_path(map))
			continue;
		xtr_names__add(&names, bpf_map__name(map));
		bpf_map__set_pin_path(map, NULL);
	}
	if (names.cnt)
		pr_said(target, "%s: not pinned to /sys/fs/bpf but the run's own: map %s",
			target->recipe->path, xtr_names__text(&names));
}

/* What to make of max_entries 0; 0 where that is right or libbpf's business. */
static __u32 default_size(const struct bpf_map *map)
{
	switch ((int)bpf_map__type(map)) {
	case BPF_MAP_TYPE_PERF_EVENT_ARRAY:
	case BPF_MAP_TYPE_CGROUP_STORAGE:
	case BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE:
	case BPF_MAP_TYPE_SK_STORAGE:
	case BPF_MAP_TYPE_INODE_STORAGE:
	case BPF_MAP_TYPE_TASK_STORAGE:
	case BPF_MAP_TYPE_STRUCT_OPS:
	case 32: /* BPF_MAP_TYPE_CGRP_STORAGE, newer than the oldest headers */
	case 33: /* BPF_MAP_TYPE_ARENA */
		return 0;
	case BPF_MAP_TYPE_RINGBUF:
	case BPF_MAP_TYPE_USER_RINGBUF:
		return DEFAULT_RINGBUF_BYTES;
	default:
		return DEFAULT_MAX_ENTRIES;
	}
}

static __u32 preset_entries(const struct recipe *recipe, const char *map)
{
	for (size_t i = 0; i < recipe->preset_cnt; i++)
		if (!strcmp(xtr_preset__map(recipe->presets[i]), map))
			return xtr_preset__entries(recipe->presets[i]);
	return 0;
}

static void size_map(struct xtr_target *target, struct bpf_map *map)
{
	__u32 size = default_size(map), wanted;

	if (bpf_map__max_entries(map) || !size)
		return;
	wanted = preset_entries(target->recipe, bpf_map__name(map));
	if (wanted > size)
		size = wanted;
	if (!bpf_map__set_max_entries(map, size))
		pr_said(target, "%s: map '%s' has no size (max_entries is 0): made %u",
			target->recipe->path, bpf_map__name(map), size);
}

static void size_maps(struct xtr_target *target)
{
	struct bpf_map *map, *inner;

	bpf_object__for_each_map(map, target->obj) {
		size_map(target, map);
		inner = bpf_map__inner_map(map);
		if (inner)
			size_map(target, inner);
	}
}

/* ---- open -------------------------------------------------------------- */

/* libbpf names internal maps (.rodata, .bss) after the object: the file's name
 * up to its first dot.
 */
static void object_name(const struct recipe *recipe, char *name, size_t size)
{
	const char *base = strrchr(recipe->path, '/');
	size_t len;

	base = base ? base + 1 : recipe->path;
	len = strcspn(base, ".");
	if (len >= size)
		len = size - 1;
	memcpy(name, base, len);
	name[len] = '\0';
}

static int open_object(struct xtr_target *target)
{
	const struct recipe *recipe = target->recipe;
	struct xtr_libbpf_log log;
	char name[64];
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	int err = 0;

	object_name(recipe, name, sizeof(name));
	xtr_libbpf_log__start(&log);
	target->obj = bpf_object__open_mem(recipe->object, recipe->object_size, &opts);
	if (!target->obj)
		err = -errno;
	xtr_libbpf_log__stop();
	if (err) {
		pr_err("%s: libbpf cannot open it: %s", recipe->path,
		       log.reason[0] ? log.reason : strerror(-err));
		return -ENOEXEC;
	}
	err = pick_program(target);
	if (err)
		return err;
	choose_programs(target);
	clear_pins(target);
	return 0;
}

static struct xtr_target *target__new(struct recipe *recipe, bool is_clone)
{
	struct xtr_target *target = calloc(1, sizeof(*target));
	int err;

	if (!target) {
		recipe__put(recipe);
		return NULL;
	}
	target->recipe = recipe;
	target->is_clone = is_clone;
	err = open_object(target);
	if (err) {
		xtr_target__close(target);
		errno = -err;
		return NULL;
	}
	return target;
}

struct xtr_target *xtr_target__open(const char *path, const struct xtr_target_opts *opts)
{
	struct recipe *recipe;

	xtr_libbpf_log__install();
	if (!path || !XTR_OPTS_VALID(opts, xtr_target_opts)) {
		pr_err("target: no file name, or options of another version of this library");
		errno = EINVAL;
		return NULL;
	}
	recipe = recipe__new(path, opts);
	return recipe ? target__new(recipe, false) : NULL;
}

static struct bpf_map *nth_map(const struct xtr_target *target, size_t n)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, target->obj) {
		if (!n--)
			return map;
	}
	return NULL;
}

/* All was accepted once, so that errors here mean a lack of memory or files. */
static int replay_settings(struct xtr_target *target)
{
	const struct recipe *recipe = target->recipe;
	int err = 0;

	for (size_t i = 0; !err && i < recipe->rodata_cnt; i++)
		err = xtr_rodata__set(recipe->path, target->obj, recipe->rodata[i].name,
				      recipe->rodata[i].value);
	for (size_t i = 0; !err && i < recipe->reused_cnt; i++)
		err = bpf_map__reuse_fd(nth_map(target, recipe->reused[i].index),
					recipe->reused[i].fd);
	return err;
}

struct xtr_target *xtr_target__clone(const struct xtr_target *target)
{
	struct xtr_target *clone;
	int err;

	if (!target->recipe) {
		pr_err("target '%s': the caller's own program cannot be loaded once more",
		       xtr_target__name(target));
		errno = EOPNOTSUPP;
		return NULL;
	}
	clone = target__new(recipe__get(target->recipe), true);
	if (!clone)
		return NULL;
	err = replay_settings(clone);
	if (err) {
		xtr_target__close(clone);
		errno = -err;
		return NULL;
	}
	return clone;
}

/* ---- settings ---------------------------------------------------------- */

static int check_settable(const struct xtr_target *target)
{
	if (target->recipe && !target->loaded && !target->load_err)
		return 0;
	pr_err("target '%s' is loaded already: too late to change it", xtr_target__name(target));
	return -EBUSY;
}

static bool is_reused(const struct recipe *recipe, size_t index)
{
	for (size_t i = 0; i < recipe->reused_cnt; i++)
		if (recipe->reused[i].index == index)
			return true;
	return false;
}

/* NULL where there is none of this name; by the name in the object, always. */
static struct bpf_map *lookup_map(const struct xtr_target *target, const char *name, size_t *index)
{
	const struct recipe *recipe = target->recipe;
	struct bpf_map *found, *map;

	for (size_t i = 0; i < recipe->reused_cnt; i++) {
		if (!strcmp(recipe->reused[i].name, name)) {
			*index = recipe->reused[i].index;
			return nth_map(target, *index);
		}
	}
	found = bpf_object__find_map_by_name(target->obj, name);
	*index = 0;
	bpf_object__for_each_map(map, target->obj) {
		if (map == found)
			break;
		++*index;
	}
	return found && !is_reused(recipe, *index) ? found : NULL;
}

static struct bpf_map *find_map(const struct xtr_target *target, const char *name, size_t *index)
{
	struct bpf_map *map = lookup_map(target, name, index);
	struct xtr_names names = {};

	if (map)
		return map;
	bpf_object__for_each_map(map, target->obj) {
		if (!bpf_map__is_internal(map))
			xtr_names__add(&names, bpf_map__name(map));
	}
	pr_err("%s: no map '%s' in it; its maps: %s", target->recipe->path, name,
	       xtr_names__text(&names));
	return NULL;
}

int xtr_target__set_rodata(struct xtr_target *target, const char *name, const char *value)
{
	struct recipe *recipe = target->recipe;
	struct setting setting = {};
	int err;

	err = check_settable(target);
	if (!err)
		err = xtr_rodata__set(recipe->path, target->obj, name, value);
	if (!err)
		err = grow(recipe->rodata, recipe->rodata_cnt);
	if (!err)
		err = copy_string(&setting.name, name);
	if (!err)
		err = copy_string(&setting.value, value);
	if (err) {
		free(setting.name);
		return err;
	}
	recipe->rodata[recipe->rodata_cnt++] = setting;
	return 0;
}

int xtr_target__set_map(struct xtr_target *target, const char *name, const char *json_path)
{
	struct recipe *recipe = target->recipe;
	struct xtr_preset *preset;
	struct bpf_map *map;
	size_t index;
	int err;

	err = check_settable(target);
	if (err)
		return err;
	map = find_map(target, name, &index);
	if (!map)
		return -ENOENT;
	err = grow(recipe->presets, recipe->preset_cnt);
	if (err)
		return err;
	preset = xtr_preset__read(name, map, json_path);
	if (!preset)
		return -errno;
	recipe->presets[recipe->preset_cnt++] = preset;
	return 0;
}

static int check_same(const char *map, const char *what, __u32 ours, __u32 pinned)
{
	if (ours == pinned)
		return 0;
	pr_err("map '%s': the pinned map's %s is %u, the program's %u", map, what, pinned, ours);
	return -EINVAL;
}

/* libbpf would take any map and leave it to the verifier to complain. */
static int check_compatible(const char *name, const struct bpf_map *map, const char *path, int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int err;

	if (bpf_obj_get_info_by_fd(fd, &info, &len)) {
		err = -errno;
		pr_err("%s: not a map", path);
		return err;
	}
	err = check_same(name, "type", bpf_map__type(map), info.type);
	if (!err)
		err = check_same(name, "key size", bpf_map__key_size(map), info.key_size);
	if (!err)
		err = check_same(name, "value size", bpf_map__value_size(map), info.value_size);
	return err;
}

static int open_pinned(const char *path)
{
	int fd = bpf_obj_get(path), err = -errno;

	if (fd >= 0)
		return fd;
	if (err == -EPERM)
		xtr_caps__explain(path, xtr_caps_load);
	else
		pr_err("%s: no pinned map: %s", path, strerror(-err));
	return err;
}

int xtr_target__reuse_map(struct xtr_target *target, const char *name, const char *pinned_path)
{
	struct reused_map reused = { .fd = -1 };
	struct recipe *recipe = target->recipe;
	struct bpf_map *map;
	int err;

	err = check_settable(target);
	if (err)
		return err;
	map = find_map(target, name, &reused.index);
	if (!map)
		return -ENOENT;
	if (is_reused(recipe, reused.index)) {
		pr_err("map '%s' is another pinned map already", name);
		return -EBUSY;
	}
	reused.fd = open_pinned(pinned_path);
	err = reused.fd < 0 ? reused.fd : check_compatible(name, map, pinned_path, reused.fd);
	if (!err)
		err = grow(recipe->reused, recipe->reused_cnt);
	if (!err)
		err = copy_string(&reused.name, name);
	if (!err)
		err = bpf_map__reuse_fd(map, reused.fd);
	if (err) {
		free(reused.name);
		if (reused.fd >= 0)
			close(reused.fd);
		return err;
	}
	recipe->reused[recipe->reused_cnt++] = reused;
	return 0;
}

/* ---- load -------------------------------------------------------------- */

static int explain_load(const struct xtr_target *target, const struct xtr_libbpf_log *log, int err)
{
	const char *path = target->recipe->path, *errname = strerrorname_np(-err);

	if (log->verifier[0])
		pr_err("%s: the verifier refuses program '%s' (%s): %s%s", path, log->program,
		       errname ? errname : "?", log->verifier,
		       xtr_caps__missing(xtr_caps_verifier)
			       ? "; without CAP_PERFMON it refuses more than it does to root"
			       : "");
	else if (err == -EPERM)
		xtr_caps__explain(path, xtr_caps_load);
	else
		pr_err("%s: cannot load program '%s': %s", path, xtr_target__name(target),
		       log->reason[0] ? log->reason : strerror(-err));
	return err;
}

static int read_prog_info(struct xtr_target *target)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(target->prog), &info, &len)) {
		int err = -errno;

		pr_err("target '%s': cannot ask the kernel about it: %s", xtr_target__name(target),
		       strerror(-err));
		return err;
	}
	target->gpl_compatible = info.gpl_compatible;
	return 0;
}

static int apply_presets(const struct xtr_target *target)
{
	const struct recipe *recipe = target->recipe;
	int err = 0;

	for (size_t i = 0; !err && i < recipe->preset_cnt; i++) {
		const struct xtr_preset *preset = recipe->presets[i];
		const char *map = xtr_preset__map(preset);

		err = xtr_preset__apply(preset, xtr_target__map_fd(target, map));
		if (!err)
			pr_said(target, "map '%s': %zu entries set", map,
				xtr_preset__entries(preset));
	}
	return err;
}

/* RLIMIT_MEMLOCK needs no care: libbpf raises it on kernels that count map
 * memory against it and goes on where that is not permitted.
 */
static int load_object(struct xtr_target *target)
{
	struct xtr_libbpf_log log;
	int err;

	size_maps(target);
	xtr_libbpf_log__start(&log);
	xtr_verifier__enter();
	err = bpf_object__load(target->obj);
	xtr_verifier__leave();
	xtr_libbpf_log__stop();
	if (err)
		return explain_load(target, &log, err);
	err = read_prog_info(target);
	return err ? err : apply_presets(target);
}

int xtr_target__load(struct xtr_target *target)
{
	sigset_t signals;

	if (target->loaded || target->load_err)
		return target->load_err;
	xtr_signals__hold(&signals);
	target->load_err = load_object(target);
	xtr_signals__release(&signals);
	target->loaded = !target->load_err;
	return target->load_err;
}

/* ---- a caller's program ------------------------------------------------ */

static int check_callers(const struct bpf_program *prog)
{
	const char *name = bpf_program__name(prog);

	switch (kind_of(prog)) {
	case KIND_XDP:
		break;
	case KIND_MAP_ENTRY:
		pr_err("target '%s' is a %s program: it cannot be run directly", name,
		       map_entry_kind(prog));
		return -EOPNOTSUPP;
	default:
		pr_err("target '%s' is not an XDP program", name);
		return -ENOMSG;
	}
	if (bpf_program__fd(prog) < 0) {
		pr_err("target '%s' is not loaded", name);
		return -EINVAL;
	}
	return 0;
}

struct xtr_target *xtr_target__from_program(struct bpf_program *prog)
{
	struct xtr_target *target = NULL;
	int err;

	xtr_libbpf_log__install();
	err = prog ? check_callers(prog) : -EINVAL;
	if (err)
		goto out;
	target = calloc(1, sizeof(*target));
	if (!target)
		return NULL;
	target->prog = prog;
	target->loaded = true;
	err = read_prog_info(target);
	if (err) {
		xtr_target__close(target);
		target = NULL;
	}
out:
	if (err)
		errno = -err;
	return target;
}

/* The kernel keeps 15 characters of a map's name. */
static bool is_map_named(int fd, const char *name)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(fd, &info, &len) &&
	       !strncmp(info.name, name, sizeof(info.name) - 1);
}

/* The new descriptor is the target's until it is closed. */
static int keep_map_fd(struct xtr_target *target, int fd)
{
	int err = grow(target->map_fds, target->map_fd_cnt);

	if (err) {
		close(fd);
		return err;
	}
	target->map_fds[target->map_fd_cnt++] = fd;
	return fd;
}

static int find_callers_map(struct xtr_target *target, const char *name)
{
	struct bpf_prog_info info = {};
	__u32 ids[64], len = sizeof(info);

	for (size_t i = 0; i < target->map_fd_cnt; i++)
		if (is_map_named(target->map_fds[i], name))
			return target->map_fds[i];
	/* A program has 64 maps at most (MAX_USED_MAPS). */
	info.nr_map_ids = 64;
	info.map_ids = (__u64)(unsigned long)ids;
	if (bpf_obj_get_info_by_fd(bpf_program__fd(target->prog), &info, &len))
		return -errno;
	for (__u32 i = 0; i < info.nr_map_ids && i < 64; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		if (fd < 0)
			continue;
		if (is_map_named(fd, name))
			return keep_map_fd(target, fd);
		close(fd);
	}
	return -ENOENT;
}

/* ---- what others ask --------------------------------------------------- */

int xtr_target__map_fd(const struct xtr_target *target, const char *map)
{
	struct bpf_map *found;
	size_t index;

	if (!target->obj)
		return find_callers_map((struct xtr_target *)target, map);
	found = lookup_map(target, map, &index);
	return found && bpf_map__fd(found) >= 0 ? bpf_map__fd(found) : -ENOENT;
}

int xtr_target__fd(const struct xtr_target *target)
{
	return target->loaded ? bpf_program__fd(target->prog) : -ENOENT;
}

const char *xtr_target__name(const struct xtr_target *target)
{
	return bpf_program__name(target->prog);
}

const struct bpf_object *xtr_target__object(const struct xtr_target *target)
{
	return target->obj;
}

struct bpf_program *xtr_target__program(const struct xtr_target *target)
{
	return target->prog;
}

enum bpf_attach_type xtr_target__expected_attach_type(const struct xtr_target *target)
{
	return bpf_program__expected_attach_type(target->prog);
}

/* The flag of a section "xdp.frags" is added by libbpf on its way to the kernel
 * and is not among the program's flags.
 */
bool xtr_target__frags(const struct xtr_target *target)
{
	return bpf_program__flags(target->prog) & BPF_F_XDP_HAS_FRAGS ||
	       !strcmp(bpf_program__section_name(target->prog), "xdp.frags");
}

bool xtr_target__gpl_compatible(const struct xtr_target *target)
{
	return target->gpl_compatible;
}

bool xtr_target__uses_helper(const struct xtr_target *target, enum bpf_func_id helper)
{
	const struct bpf_insn *insn = bpf_program__insns(target->prog);

	if (!target->loaded)
		return false;
	for (size_t i = 0; i < bpf_program__insn_cnt(target->prog); i++)
		if (insn[i].code == (BPF_JMP | BPF_CALL) && !insn[i].src_reg &&
		    insn[i].imm == (__s32)helper)
			return true;
	return false;
}

bool xtr_target__calls_tail(const struct xtr_target *target)
{
	return xtr_target__uses_helper(target, BPF_FUNC_tail_call);
}

/* ---- where it fits ------------------------------------------------------- */

bool xtr_target__fits(const struct xtr_target *target, enum xtr_splice_site site)
{
	return __atomic_load_n(&target->sites, __ATOMIC_RELAXED) & site;
}

/* Runs may be probed side by side. */
void xtr_target__set_fits(struct xtr_target *target, enum xtr_splice_site site)
{
	__atomic_fetch_or(&target->sites, site, __ATOMIC_RELAXED);
}

void xtr_target__keep(struct xtr_target *target, struct xtr_kept *kept)
{
	kept = __atomic_exchange_n(&target->kept, kept, __ATOMIC_ACQ_REL);
	if (kept)
		kept->unload(kept);
}

struct xtr_kept *xtr_target__take(struct xtr_target *target)
{
	return __atomic_exchange_n(&target->kept, NULL, __ATOMIC_ACQ_REL);
}

void xtr_target__close(struct xtr_target *target)
{
	if (!target)
		return;
	xtr_target__keep(target, NULL);
	bpf_object__close(target->obj);
	for (size_t i = 0; i < target->map_fd_cnt; i++)
		close(target->map_fds[i]);
	free(target->map_fds);
	recipe__put(target->recipe);
	free(target);
}

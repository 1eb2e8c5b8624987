// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The target: finding, adapting, loading and filling programs; and what it says
 * where it can't.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <cmocka.h>

#include "libbpf_log.h"
#include "names.h"
#include "target.h"

#ifndef XTR_BPF_DIR_DEFAULT
#define XTR_BPF_DIR_DEFAULT "build/bpf"
#endif

/* ---- what all tests use ------------------------------------------------ */

static char said[4096]; /* everything from notes to errors, one per line */
static int errors;
static char folder[] = "/tmp/test-target-XXXXXX";

static void log_fn(enum xtr_log_level level, const char *fmt, va_list args)
{
	size_t used = strlen(said);

	if (level == XTR_LOG_DEBUG)
		return;
	errors += level == XTR_LOG_ERROR;
	vsnprintf(said + used, sizeof(said) - used, fmt, args);
	strncat(said, "\n", sizeof(said) - strlen(said) - 1);
}

static int setup(void **state)
{
	(void)state;
	said[0] = '\0';
	errors = 0;
	return 0;
}

static int setup_group(void **state)
{
	(void)state;
	xtr_set_log(log_fn);
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown_group(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

#define assert_said(text)                                              \
	do {                                                           \
		if (!strstr(said, text))                               \
			fail_msg("\"%s\" is not in:\n%s", text, said); \
	} while (0)

static void need_root(void)
{
	if (geteuid())
		skip();
}

static const char *bpf_path(const char *name)
{
	static char path[512];
	const char *dir = getenv("XTR_BPF_DIR");

	snprintf(path, sizeof(path), "%s/%s.bpf.o", dir ? dir : XTR_BPF_DIR_DEFAULT, name);
	return path;
}

static struct xtr_target *open_named(const char *object, const char *program, const char *section)
{
	struct xtr_target_opts opts = {
		.sz = sizeof(opts),
		.program = program,
		.section = section,
	};

	return xtr_target__open(bpf_path(object), &opts);
}

static struct xtr_target *must_open(const char *object, const char *program)
{
	struct xtr_target *target = open_named(object, program, NULL);

	if (!target)
		fail_msg("%s does not open: %s", object, said);
	return target;
}

static struct xtr_target *must_load(const char *object, const char *program)
{
	struct xtr_target *target = must_open(object, program);

	if (xtr_target__load(target))
		fail_msg("%s does not load: %s", object, said);
	return target;
}

static const char *write_file(const char *name, const char *text, size_t len)
{
	static char path[128];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	stream = fopen(path, "w");
	assert_non_null(stream);
	assert_int_equal(fwrite(text, 1, len, stream), len);
	fclose(stream);
	return path;
}

static const char *map_file(const char *json)
{
	return write_file("map.json", json, strlen(json));
}

/* One line, and errno as promised. */
static void assert_refused(const struct xtr_target *target, int err, const char *text)
{
	int got = errno;

	assert_null(target);
	assert_int_equal(got, err);
	assert_int_equal(errors, 1);
	assert_said(text);
}

static __u32 verdict_of(const struct xtr_target *target, unsigned char *packet)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_out = packet,
		    .data_size_in = 64, .data_size_out = 64);

	assert_int_equal(bpf_prog_test_run_opts(xtr_target__fd(target), &opts), 0);
	return opts.retval;
}

/* ---- opening ----------------------------------------------------------- */

static void refuses_missing_file(void **state)
{
	(void)state;
	assert_refused(xtr_target__open("/nonexistent/prog.o", NULL), ENOENT, "No such file");
}

static void refuses_folder(void **state)
{
	(void)state;
	assert_refused(xtr_target__open("/tmp", NULL), EISDIR, "Is a directory");
}

static void refuses_non_elf(void **state)
{
	(void)state;
	assert_refused(xtr_target__open(write_file("text.o", "int main;", 9), NULL), ENOEXEC,
		       "not even an ELF file");
}

static void refuses_empty_file(void **state)
{
	(void)state;
	assert_refused(xtr_target__open(write_file("empty.o", "", 0), NULL), ENOEXEC,
		       "the file is empty");
}

static void refuses_other_machine(void **state)
{
	(void)state;
	assert_refused(xtr_target__open("/proc/self/exe", NULL), ENOEXEC, "another machine");
}

/* A real object, cut at each of many places. */
static void refuses_truncated_object(void **state)
{
	FILE *stream = fopen(bpf_path("xdp_pass"), "r");
	char buf[65536];
	size_t len;

	(void)state;
	assert_non_null(stream);
	len = fread(buf, 1, sizeof(buf), stream);
	fclose(stream);
	for (size_t cut = 1; cut < len; cut += len / 50) {
		setup(NULL);
		assert_refused(xtr_target__open(write_file("cut.o", buf, cut), NULL), ENOEXEC,
			       "cut.o");
	}
}

static void refuses_bad_opts(void **state)
{
	struct xtr_target_opts opts = {};

	(void)state;
	assert_refused(xtr_target__open(bpf_path("xdp_pass"), &opts), EINVAL, "options");
}

/* A program built against a later header: more fields, but zero. */
static void takes_larger_opts(void **state)
{
	struct {
		struct xtr_target_opts opts;
		__u64 later;
	} larger = { .opts = { .sz = sizeof(larger) } };
	struct xtr_target *target = xtr_target__open(bpf_path("xdp_pass"), &larger.opts);

	(void)state;
	assert_non_null(target);
	xtr_target__close(target);
	larger.later = 1;
	assert_refused(xtr_target__open(bpf_path("xdp_pass"), &larger.opts), EINVAL, "options");
}

static void refuses_legacy_maps(void **state)
{
	(void)state;
	assert_refused(open_named("cases/legacy_maps", NULL, NULL), ENOEXEC,
		       "recompile it with BTF maps");
}

static void refuses_object_without_xdp(void **state)
{
	(void)state;
	assert_refused(open_named("cases/only_tc", NULL, NULL), ENOMSG, "no XDP program");
	assert_said("tc_ok");
}

static void refuses_non_xdp_by_name(void **state)
{
	(void)state;
	assert_refused(open_named("cases/xdp_and_tc", "tc_count", NULL), ENOMSG, "sched_cls");
}

static void refuses_unknown_name(void **state)
{
	(void)state;
	assert_refused(open_named("cases/xdp_and_tc", "nobody", NULL), ENOMSG, "xdp_count");
	setup(NULL);
	/* Both must match. */
	assert_refused(open_named("cases/xdp_and_tc", "xdp_count", "tc"), ENOMSG, "xdp_count");
}

static void refuses_map_programs(void **state)
{
	(void)state;
	assert_refused(open_named("cases/map_progs", "devmap_prog", NULL), EOPNOTSUPP,
		       "devmap program: it cannot be run directly");
	setup(NULL);
	assert_refused(open_named("cases/map_progs", NULL, "xdp/cpumap"), EOPNOTSUPP,
		       "cpumap program: it cannot be run directly");
	setup(NULL);
	assert_refused(open_named("cases/map_progs", NULL, NULL), EOPNOTSUPP, "devmap_prog");
}

static void refuses_replacements(void **state)
{
	(void)state;
	assert_refused(open_named("cases/many_kinds", "kind_freplace", NULL), EOPNOTSUPP,
		       "(freplace): it cannot be run directly");
}

static void refuses_to_choose(void **state)
{
	(void)state;
	assert_refused(open_named("cases/checksum", NULL, NULL), E2BIG, "csum_ipv4, csum_udp");
	setup(NULL);
	assert_refused(open_named("cases/checksum", NULL, "xdp"), E2BIG, "csum_ipv4, csum_udp");
}

static void picks_by_name(void **state)
{
	struct xtr_target *target = must_open("cases/checksum", "csum_udp");

	(void)state;
	assert_string_equal(xtr_target__name(target), "csum_udp");
	assert_string_equal(said, "");
	xtr_target__close(target);
}

static void picks_unknown_section(void **state)
{
	unsigned char packet[64] = {};
	struct xtr_target *target;

	(void)state;
	need_root();
	target = open_named("cases/custom_section", NULL, "my_xdp_filter");
	assert_non_null(target);
	assert_said("'custom_section' is taken for XDP");
	assert_int_equal(xtr_target__load(target), 0);
	assert_int_equal(xtr_target__expected_attach_type(target), BPF_XDP);
	assert_int_equal(verdict_of(target, packet), XDP_TX);
	xtr_target__close(target);
}

/* ---- loading ----------------------------------------------------------- */

static void loads_beside_tc(void **state)
{
	struct xtr_target *target;

	(void)state;
	need_root();
	target = must_load("cases/xdp_and_tc", NULL);
	assert_string_equal(xtr_target__name(target), "xdp_count");
	assert_string_equal(said, "");
	xtr_target__close(target);
}

static void loads_only_once(void **state)
{
	struct xtr_target *target;
	int fd;

	(void)state;
	need_root();
	target = must_open("xdp_pass", NULL);
	assert_true(xtr_target__fd(target) < 0);
	assert_int_equal(xtr_target__load(target), 0);
	fd = xtr_target__fd(target);
	assert_true(fd >= 0);
	assert_int_equal(xtr_target__load(target), 0);
	assert_int_equal(xtr_target__fd(target), fd);
	assert_int_equal(xtr_target__set_rodata(target, "x", "1"), -EBUSY);
	xtr_target__close(target);
}

/* libbpf loads an object once, so that a second try gives the same answer. */
static void explains_verifier(void **state)
{
	struct xtr_target *target;

	(void)state;
	need_root();
	target = must_open("cases/verifier_reject", NULL);
	assert_int_equal(xtr_target__load(target), -EACCES);
	assert_int_equal(errors, 1);
	assert_said("the verifier refuses program 'no_bounds_check' (EACCES): ");
	assert_said("packet");
	assert_int_equal(xtr_target__load(target), -EACCES);
	assert_int_equal(errors, 1);
	xtr_target__close(target);
}

static void loads_tail_call_targets(void **state)
{
	struct xtr_target *target;
	unsigned char packet[64] = {};

	(void)state;
	need_root();
	target = must_load("cases/tail_call", "tail_full");
	/* The slot, where a UDP packet has its payload. */
	packet[42] = 1;
	assert_int_equal(verdict_of(target, packet), XDP_TX);
	packet[42] = 0;
	assert_int_equal(verdict_of(target, packet), XDP_DROP);
	assert_true(xtr_target__calls_tail(target));
	xtr_target__close(target);
}

static void sizes_maps(void **state)
{
	struct xtr_target *target;
	unsigned char packet[64] = {};

	(void)state;
	need_root();
	target = must_load("cases/zero_max_entries", NULL);
	assert_said("made 1024");
	assert_int_equal(verdict_of(target, packet), XDP_TX);
	xtr_target__close(target);
}

static void pins_nothing(void **state)
{
	struct xtr_target *target;

	(void)state;
	need_root();
	target = must_load("cases/pin_by_name", NULL);
	assert_said("not pinned to /sys/fs/bpf but the run's own: map pinned_counter");
	assert_int_equal(access("/sys/fs/bpf/pinned_counter", F_OK), -1);
	xtr_target__close(target);
}

static void knows_program(void **state)
{
	struct xtr_target *target;

	(void)state;
	need_root();
	target = must_load("cases/non_gpl", NULL);
	assert_false(xtr_target__gpl_compatible(target));
	assert_false(xtr_target__frags(target));
	assert_false(xtr_target__calls_tail(target));
	xtr_target__close(target);
	target = must_load("cases/xdp_frags", "frags_len_buff");
	assert_true(xtr_target__frags(target));
	assert_true(xtr_target__gpl_compatible(target));
	assert_true(xtr_target__uses_helper(target, BPF_FUNC_xdp_get_buff_len));
	assert_false(xtr_target__uses_helper(target, BPF_FUNC_ktime_get_ns));
	xtr_target__close(target);
	target = must_load("cases/token_bucket", NULL);
	assert_true(xtr_target__uses_helper(target, BPF_FUNC_ktime_get_ns));
	xtr_target__close(target);
}

static void explains_missing_capability(void **state)
{
	struct xtr_target *target;

	(void)state;
	need_root();
	target = must_open("xdp_pass", NULL);
	assert_int_equal(seteuid(65534), 0);
	assert_int_equal(xtr_target__load(target), -EPERM);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(errors, 1);
	assert_said("missing CAP_BPF, CAP_NET_ADMIN");
	xtr_target__close(target);
}

static void wraps_callers_program(void **state)
{
	struct xtr_target *owner, *target;
	int fd;

	(void)state;
	need_root();
	owner = must_load("cases/non_gpl", NULL);
	target = xtr_target__from_program(xtr_target__program(owner));
	assert_non_null(target);
	assert_int_equal(xtr_target__fd(target), xtr_target__fd(owner));
	assert_int_equal(xtr_target__load(target), 0);
	fd = xtr_target__map_fd(target, "packets");
	assert_true(fd >= 0);
	assert_int_equal(xtr_target__map_fd(target, "packets"), fd);
	assert_int_equal(xtr_target__map_fd(target, "nobody"), -ENOENT);
	assert_int_equal(xtr_target__set_rodata(target, "x", "1"), -EBUSY);
	assert_null(xtr_target__clone(target));
	assert_int_equal(errno, EOPNOTSUPP);
	xtr_target__close(target);
	xtr_target__close(owner);
}

static void refuses_callers_unloaded_program(void **state)
{
	struct xtr_target *owner = must_open("xdp_pass", NULL);

	(void)state;
	assert_refused(xtr_target__from_program(xtr_target__program(owner)), EINVAL, "not loaded");
	assert_null(xtr_target__from_program(NULL));
	xtr_target__close(owner);
}

/* ---- variables --------------------------------------------------------- */

static void sets_rodata(void **state)
{
	struct xtr_target *target, *clone;
	unsigned char packet[64] = {};

	(void)state;
	need_root();
	target = must_open("cases/global_data", "globals");
	assert_int_equal(xtr_target__set_rodata(target, "xor_key", "0x11223344"), 0);
	assert_int_equal(xtr_target__load(target), 0);
	assert_int_equal(verdict_of(target, packet), XDP_TX);
	assert_memory_equal(packet + 42, "\x44\x33\x22\x11", 4);

	/* What a clone is made of does not end with the original. */
	clone = xtr_target__clone(target);
	assert_non_null(clone);
	xtr_target__close(target);
	assert_string_equal(xtr_target__name(clone), "globals");
	assert_int_equal(xtr_target__load(clone), 0);
	verdict_of(clone, packet);
	assert_memory_equal(packet + 42, "\0\0\0\0", 4);
	xtr_target__close(clone);
}

static void checks_rodata(void **state)
{
	static const struct {
		const char *name, *value;
		int err;
	} cases[] = {
		{ "xor_key", "4294967295", 0 }, { "xor_key", "+7", 0 },
		{ "xor_key", "-0", 0 },		{ "xor_key", "4294967296", -ERANGE },
		{ "xor_key", "-1", -ERANGE },	{ "xor_key", "99999999999999999999999", -ERANGE },
		{ "xor_key", "", -EINVAL },	{ "xor_key", "12abc", -EINVAL },
		{ "xor_key", " 12", -EINVAL },	{ "xor_key", "--1", -EINVAL },
		{ "xor_key", "true", -EINVAL }, { "table", "1", -EINVAL },
		{ "packets", "1", -ENOENT },	{ "nobody", "1", -ENOENT },
	};
	struct xtr_target *target = must_open("cases/global_data", "globals");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int err = xtr_target__set_rodata(target, cases[i].name, cases[i].value);

		if (err != cases[i].err)
			fail_msg("%s=%s: %d, not %d", cases[i].name, cases[i].value, err,
				 cases[i].err);
	}
	assert_said("there are: ");
	xtr_target__close(target);
}

/* ---- maps -------------------------------------------------------------- */

/* The first CPU's value of a map with 64-bit values. */
static __u64 value_of(const struct xtr_target *target, const char *map, __u32 key)
{
	__u64 values[1024] = {};

	assert_int_equal(bpf_map_lookup_elem(xtr_target__map_fd(target, map), &key, values), 0);
	return values[0];
}

static void fills_hash(void **state)
{
	static const char json[] =
		"[{\"key\":[\"0x40\",\"0x00\",\"0x00\",\"0x00\"],\"value\":[\"0x01\",\"0x02\","
		"\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\",\"0x00\"],"
		"\"formatted\":{\"key\":64,\"value\":513}},"
		"{\"key\":[65,0,0,0],\"value\":{\"error\":\"No such file or directory\"}}]";
	struct xtr_target *target, *clone;

	(void)state;
	need_root();
	target = must_open("cases/zero_max_entries", NULL);
	assert_int_equal(xtr_target__set_map(target, "sized_by_loader", map_file(json)), 0);
	/* The file is read at once. */
	map_file("gone");
	assert_int_equal(xtr_target__load(target), 0);
	assert_said("1 entries set");
	assert_int_equal(value_of(target, "sized_by_loader", 64), 513);

	/* A clone has the same contents in a map of its own. */
	clone = xtr_target__clone(target);
	assert_non_null(clone);
	xtr_target__close(target);
	assert_int_equal(xtr_target__load(clone), 0);
	assert_int_equal(value_of(clone, "sized_by_loader", 64), 513);
	xtr_target__close(clone);
}

static void fills_percpu(void **state)
{
	static const char json[] = "[{\"key\":[0,0,0,0],\"values\":["
				   "{\"cpu\":0,\"value\":[7,0,0,0,0,0,0,0]},"
				   "{\"cpu\":40000,\"value\":[9,0,0,0,0,0,0,0]}]}]";
	struct xtr_target *target;

	(void)state;
	need_root();
	target = must_open("cases/percpu", "percpu_count");
	assert_int_equal(xtr_target__set_map(target, "percpu_array", map_file(json)), 0);
	assert_said("CPUs that this machine lacks");
	assert_int_equal(xtr_target__load(target), 0);
	assert_int_equal(value_of(target, "percpu_array", 0), 7);
	xtr_target__close(target);
}

/* A value that is given once is every CPU's. */
static void spreads_percpu(void **state)
{
	static const char json[] = "[{\"key\":[3,0,0,0],\"value\":[5,0,0,0,0,0,0,0]}]";
	__u64 values[1024] = {};
	struct xtr_target *target;
	__u32 key = 3;
	int fd;

	(void)state;
	need_root();
	target = must_open("cases/percpu", "percpu_hash_count");
	assert_int_equal(xtr_target__set_map(target, "percpu_hash", map_file(json)), 0);
	assert_int_equal(xtr_target__load(target), 0);
	fd = xtr_target__map_fd(target, "percpu_hash");
	assert_int_equal(bpf_map_lookup_elem(fd, &key, values), 0);
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		assert_int_equal(values[cpu], 5);
	xtr_target__close(target);
}

static void checks_map_files(void **state)
{
	static const struct {
		const char *json, *said;
	} cases[] = {
		{ "", "not JSON" },
		{ "[{", "not JSON" },
		{ "{}", "no list of map entries" },
		{ "[1]", "lacks \"key\" or \"value\"" },
		{ "[{\"key\":[0,0,0,0]}]", "lacks \"key\" or \"value\"" },
		{ "[{\"id\":7,\"elements\":[]}]", "the dump of several maps" },
		{ "[{\"key\":1,\"value\":2}]", "bpftool map dump -j" },
		{ "[{\"key\":[0,0,0],\"value\":[]}]", "a key of 3 bytes, the map has 4" },
		{ "[{\"key\":[0,0,0,0],\"value\":[1]}]", "a value of 1 bytes, the map has 8" },
		{ "[{\"key\":[0,0,0,256],\"value\":[]}]", "byte 3 of its key" },
		{ "[{\"key\":[0,0,0,\"0xzz\"],\"value\":[]}]", "byte 3 of its key" },
		{ "[{\"key\":[0,0,0,0],\"values\":[]}]", "values per CPU" },
	};
	struct xtr_target *target = must_open("cases/zero_max_entries", NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(NULL);
		assert_int_equal(
			xtr_target__set_map(target, "sized_by_loader", map_file(cases[i].json)),
			-EINVAL);
		assert_int_equal(errors, 1);
		assert_said(cases[i].said);
	}
	assert_int_equal(xtr_target__set_map(target, "nobody", "/dev/null"), -ENOENT);
	assert_said("its maps: sized_by_loader");
	assert_int_equal(xtr_target__set_map(target, "sized_by_loader", "/nonexistent"), -ENOENT);
	xtr_target__close(target);
}

static void assert_unfillable(const char *object, const char *program, const char *map,
			      const char *why)
{
	struct xtr_target *target = must_open(object, program);

	setup(NULL);
	assert_int_equal(xtr_target__set_map(target, map, "/dev/null"), -EOPNOTSUPP);
	assert_int_equal(errors, 1);
	assert_said(why);
	xtr_target__close(target);
}

static void refuses_unfillable_maps(void **state)
{
	(void)state;
	assert_unfillable("cases/tail_call", "tail_full", "jump_empty", "a program array");
	assert_unfillable("cases/map_in_map", "hash_of_maps", "outer_hash", "a map of maps");
	assert_unfillable("cases/redirect", "xskmap_or_pass", "xsks", "file descriptors");
	assert_unfillable("cases/global_data", "globals", ".rodata", "--rodata");
}

static void says_which_entry_does_not_fit(void **state)
{
	static const char json[] = "[{\"key\":[0,0,0,0],\"value\":[0,0,0,0,0,0,0,0]},"
				   "{\"key\":[1,0,0,0],\"value\":[0,0,0,0,0,0,0,0]}]";
	struct xtr_target *target;

	(void)state;
	need_root();
	target = must_open("cases/non_gpl", NULL);
	assert_int_equal(xtr_target__set_map(target, "packets", map_file(json)), 0);
	assert_int_equal(xtr_target__load(target), -E2BIG);
	assert_said("entry 2 for map 'packets'");
	xtr_target__close(target);
}

static int pin_array(const char *name, const char *path, __u32 value_size)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, 4, value_size, 1, NULL);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(bpf_obj_pin(fd, path), 0);
	return fd;
}

static void reuse_pinned(const char *path)
{
	int fd, wrong;
	static const char json[] = "[{\"key\":[0,0,0,0],\"value\":[9,0,0,0,0,0,0,0]}]";
	struct xtr_target *target, *clone;
	__u64 value = 41;
	__u32 key = 0;

	target = must_open("cases/pin_by_name", NULL);
	wrong = pin_array("wrong", path, 4);
	assert_int_equal(xtr_target__reuse_map(target, "pinned_counter", path), -EINVAL);
	assert_said("the pinned map's value size is 4, the program's 8");
	unlink(path);
	assert_int_equal(xtr_target__reuse_map(target, "pinned_counter", path), -ENOENT);
	fd = pin_array("mine", path, 8);
	assert_int_equal(xtr_target__reuse_map(target, "pinned_counter", path), 0);
	assert_int_equal(xtr_target__reuse_map(target, "pinned_counter", path), -EBUSY);
	assert_int_equal(xtr_target__reuse_map(target, "mine", path), -ENOENT);
	unlink(path);
	assert_int_equal(xtr_target__set_map(target, "pinned_counter", map_file(json)), 0);

	assert_int_equal(xtr_target__load(target), 0);
	assert_int_equal(value_of(target, "pinned_counter", 0), 9);
	clone = xtr_target__clone(target);
	assert_non_null(clone);
	assert_int_equal(xtr_target__load(clone), 0);
	assert_int_equal(bpf_map_update_elem(fd, &key, &value, 0), 0);
	assert_int_equal(value_of(target, "pinned_counter", 0), 41);
	assert_int_equal(value_of(clone, "pinned_counter", 0), 41);
	xtr_target__close(clone);
	xtr_target__close(target);
	close(wrong);
	close(fd);
}

/* In a bpffs of the test's own. */
static void reuses_pinned_map(void **state)
{
	char path[128];

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/bpffs", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	if (mount("none", path, "bpf", 0, NULL))
		skip();
	strcat(path, "/map");
	reuse_pinned(path);
}

static int unmount(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/bpffs", folder);
	umount(path);
	return 0;
}

/* ---- the small parts --------------------------------------------------- */

static void assert_reason(const char *log, const char *reason)
{
	size_t len;
	const char *line = xtr_verifier_reason(log, &len);

	assert_int_equal(len, strlen(reason));
	assert_memory_equal(line, reason, len);
}

static void finds_verifier_reason(void **state)
{
	(void)state;
	assert_reason("", "");
	assert_reason("\n\n", "");
	assert_reason("one", "one");
	assert_reason("0: R1=ctx\nbad thing\nprocessed 3 insns (limit 1000000)\n", "bad thing");
	assert_reason("bad\nverification time 9 usec\nstack depth 0\nprocessed 3 insns\n\n", "bad");
	assert_reason("processed 3 insns\n", "");
}

static void cuts_long_lists(void **state)
{
	struct xtr_names names = {};
	size_t len;

	(void)state;
	assert_string_equal(xtr_names__text(&names), "none");
	xtr_names__add(&names, "a");
	xtr_names__add(&names, "b");
	assert_string_equal(xtr_names__text(&names), "a, b");
	for (int i = 0; i < 1000; i++)
		xtr_names__add(&names, "a_rather_long_name");
	len = strlen(xtr_names__text(&names));
	assert_true(len < sizeof(names.text));
	assert_string_equal(xtr_names__text(&names) + len - 9, "name, ...");
	assert_int_equal(names.cnt, 1002);
}

#define test(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(refuses_missing_file),
		test(refuses_folder),
		test(refuses_non_elf),
		test(refuses_empty_file),
		test(refuses_other_machine),
		test(refuses_truncated_object),
		test(refuses_bad_opts),
		test(takes_larger_opts),
		test(refuses_legacy_maps),
		test(refuses_object_without_xdp),
		test(refuses_non_xdp_by_name),
		test(refuses_unknown_name),
		test(refuses_map_programs),
		test(refuses_replacements),
		test(refuses_to_choose),
		test(picks_by_name),
		test(picks_unknown_section),
		test(loads_beside_tc),
		test(loads_only_once),
		test(explains_verifier),
		test(loads_tail_call_targets),
		test(sizes_maps),
		test(pins_nothing),
		test(knows_program),
		test(explains_missing_capability),
		test(wraps_callers_program),
		test(refuses_callers_unloaded_program),
		test(sets_rodata),
		test(checks_rodata),
		test(fills_hash),
		test(fills_percpu),
		test(spreads_percpu),
		test(checks_map_files),
		test(refuses_unfillable_maps),
		test(says_which_entry_does_not_fit),
		cmocka_unit_test_setup_teardown(reuses_pinned_map, setup, unmount),
		test(finds_verifier_reason),
		test(cuts_long_lists),
	};

	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}

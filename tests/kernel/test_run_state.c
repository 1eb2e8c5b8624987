// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What test runs of XDP programs do to the kernel's dispatcher, and what they
 * leave behind. Counts and states only, no timing. Needs fentry, so a kernel of
 * our own in a VM. With --expect=stock (or 2021) the checks that tell a patched
 * kernel from that one must fail, and the test is that they do.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_link.h>

#include "dispatcher_monitor.skel.h"
#include "xdp_prog.h"

#define LO 1 /* ifindex of lo, in every network namespace */
#define SLOTS 48 /* BPF_DISPATCHER_MAX */
#define MANY 60
#define RUNS 100
#define LEAKED_KIB 2048 /* more is no noise */
#define FILLED_CYCLES 5000 /* whatever fills up is full after them */
#define POLL_US 10000
#define POLL_TIMES 500

enum kernel {
	KERNEL_2021, /* updates the dispatcher for each call */
	KERNEL_STOCK, /* for each call with repeat > 1 */
	KERNEL_PATCHED, /* once for each program */
};

static enum kernel kernel = KERNEL_PATCHED;
static struct dispatcher_monitor *monitor;
static int checks, failures;

/* ---- Checks ---------------------------------------------------------- */

/* A check that holds from kernel `since` on, and must not hold before */
static void check_since(enum kernel since, bool ok, const char *fmt, ...)
{
	bool expected = kernel >= since;
	va_list args;

	failures += ok != expected;
	printf("%s %d - ", ok == expected ? "ok" : "not ok", ++checks);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("%s\n", expected ? "" : " (must not hold on this kernel)");
	fflush(stdout);
}

#define check(ok, ...) check_since(KERNEL_2021, ok, __VA_ARGS__)

static int must(int result, const char *what)
{
	if (result < 0) {
		printf("Bail out! %s: %s\n", what, strerror(result == -1 ? errno : -result));
		exit(1);
	}
	return result;
}

/* ---- The dispatcher, seen from outside ------------------------------- */

/* Address of a kernel symbol, of data or of code */
static unsigned long long symbol(const char *name, const char *types)
{
	unsigned long long address;
	char line[512], symbol[256], type;
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c %255s", &address, &type, symbol) == 3 &&
		    strchr(types, type) && !strcmp(symbol, name)) {
			fclose(f);
			return address;
		}
	}
	printf("Bail out! no %s in /proc/kallsyms\n", name);
	exit(1);
}

static void monitor_start(void)
{
	struct btf *btf = btf__load_vmlinux_btf();

	monitor = dispatcher_monitor__open();
	if (!monitor || !btf)
		must(-errno, "monitor");
	monitor->rodata->dispatcher = symbol("bpf_dispatcher_xdp", "bBdD");
	monitor->rodata->call_key = symbol("__SCK__bpf_dispatcher_xdp_call", "bBdDrR");

	/* Under lockdep mutex_lock() is a macro around this */
	if (btf__find_by_name_kind(btf, "mutex_lock_nested", BTF_KIND_FUNC) > 0)
		must(bpf_program__set_attach_target(monitor->progs.count_lock, 0,
						    "mutex_lock_nested"),
		     "attach target");
	btf__free(btf);
	must(dispatcher_monitor__load(monitor), "load the monitor");
	must(dispatcher_monitor__attach(monitor), "attach the monitor");
}

static void monitor_reset(void)
{
	monitor->bss->locks = 0;
	monitor->bss->updates = 0;
}

static int locks(void)
{
	return monitor->bss->locks;
}

static int updates(void)
{
	return monitor->bss->updates;
}

/* Wait for at least n updates: some are made by a kernel worker. Then for no more. */
static int updates_settled(int at_least)
{
	int i, n;

	for (i = 0; i < POLL_TIMES && updates() < at_least; i++)
		usleep(POLL_US);
	do {
		n = updates();
		usleep(20 * POLL_US);
	} while (n != updates());
	return n;
}

static unsigned long long prog_address(int prog_fd)
{
	unsigned long long address = 0;
	struct bpf_prog_info info = {
		.jited_ksyms = (unsigned long)&address,
		.nr_jited_ksyms = 1,
	};
	__u32 len = sizeof(info);

	must(bpf_obj_get_info_by_fd(prog_fd, &info, &len), "program info");
	return address;
}

static bool has_entry(unsigned long long address)
{
	unsigned int i;

	for (i = 0; i < monitor->bss->num_entries; i++)
		if (monitor->bss->entries[i] == address)
			return true;
	return false;
}

/* ---- Programs and maps ------------------------------------------------ */

static __u32 prog_id(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	must(bpf_obj_get_info_by_fd(prog_fd, &info, &len), "program info");
	return info.id;
}

static bool prog_gone(__u32 id)
{
	int i, fd;

	for (i = 0; i < POLL_TIMES; i++) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			return errno == ENOENT;
		close(fd);
		usleep(POLL_US);
	}
	return false;
}

static int count_progs(void)
{
	__u32 id = 0;
	int n = 0;

	while (!bpf_prog_get_next_id(id, &id))
		n++;
	return n;
}

static int count_maps(void)
{
	__u32 id = 0;
	int n = 0;

	while (!bpf_map_get_next_id(id, &id))
		n++;
	return n;
}

/* Programs are freed by a kernel worker: wait until there are no more than n */
static int count_progs_settled(int n)
{
	int i, now = 0;

	for (i = 0; i < POLL_TIMES; i++) {
		now = count_progs();
		if (now <= n)
			break;
		usleep(POLL_US);
	}
	return now;
}

static int count_maps_settled(int n)
{
	int i, now = 0;

	for (i = 0; i < POLL_TIMES; i++) {
		now = count_maps();
		if (now <= n)
			break;
		usleep(POLL_US);
	}
	return now;
}

static int load(void)
{
	return must(xdp_prog__load(XDP_PASS, -1), "load");
}

static void run(int prog_fd, int repeat, int times)
{
	while (times--)
		must(xdp_prog__run(prog_fd, repeat), "test run");
}

/* What the kernel holds for itself, in KiB */
static long kernel_memory(void)
{
	static const char *const fields[] = { "SUnreclaim:", "VmallocUsed:", "KernelStack:",
					      "Percpu:" };
	char line[256];
	long kib, sum = 0;
	FILE *f = fopen("/proc/meminfo", "r");
	size_t i, len;

	while (f && fgets(line, sizeof(line), f)) {
		for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
			len = strlen(fields[i]);
			if (!strncmp(line, fields[i], len) && sscanf(line + len, "%ld", &kib) == 1)
				sum += kib;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* ---- Cases ------------------------------------------------------------ */

static void test_repeat_one(void)
{
	int prog = load();

	monitor_reset();
	run(prog, 1, RUNS);
	check_since(KERNEL_STOCK, !locks() && !updates(),
		    "repeat=1 leaves the dispatcher alone: %d locks, %d updates in %d runs",
		    locks(), updates(), RUNS);
	close(prog);
}

static void test_repeat_many(void)
{
	unsigned long long address;
	int prog = load();
	__u32 id = prog_id(prog);

	address = prog_address(prog);
	monitor_reset();
	run(prog, 2, RUNS);
	check_since(KERNEL_PATCHED, updates() == 1, "repeat=2, %d runs: one update (%d)", RUNS,
		    updates());
	check_since(KERNEL_PATCHED, locks() == 1, "repeat=2, %d runs: one lock taken (%d)", RUNS,
		    locks());
	check_since(KERNEL_PATCHED, has_entry(address), "the program has an entry after its runs");

	monitor_reset();
	close(prog);
	check(prog_gone(id), "the program is gone when its file descriptor is closed");
	check_since(KERNEL_PATCHED, updates_settled(1) == 1,
		    "and its entry with it: one update (%d)", updates());
	check(!has_entry(address), "no entry is left of it");
}

static void test_map_goes(void)
{
	int map = must(bpf_map_create(BPF_MAP_TYPE_ARRAY, "held", 4, 8, 1, NULL), "map");
	int prog = must(xdp_prog__load(XDP_PASS, map), "load with a map");
	__u32 id = prog_id(prog);
	int maps = count_maps();

	run(prog, 2, 2);
	close(prog);
	close(map);
	check(prog_gone(id) && count_maps_settled(maps - 1) == maps - 1,
	      "test runs keep neither a program nor its map");
}

/* Frames of live mode: the program drops them */
static void test_live_frames(void)
{
	unsigned char frame[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = 64, .flags = BPF_F_TEST_XDP_LIVE_FRAMES, );
	int i, prog = must(xdp_prog__load(XDP_DROP, -1), "load");

	monitor_reset();
	for (i = 0; i < 10; i++)
		must(bpf_prog_test_run_opts(prog, &opts), "live frames");
	check_since(KERNEL_PATCHED, updates() == 1, "live frames, 10 runs: one update (%d)",
		    updates());
	close(prog);
	updates_settled(2);
}

/*
 * An error between the set-up of the buffer and the dispatcher: the second page
 * of a frame of 9000 bytes is not there.
 */
static void test_failed_run(void)
{
	long page = sysconf(_SC_PAGESIZE);
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_size_in = 9000, .repeat = 2);
	int prog = load();
	int err;

	opts.data_in =
		mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (opts.data_in == MAP_FAILED)
		must(-errno, "mmap");
	munmap((char *)opts.data_in + page, 3 * page);

	must(bpf_xdp_attach(LO, prog, XDP_FLAGS_SKB_MODE, NULL), "attach");
	check(has_entry(prog_address(prog)), "an attached program has an entry");
	monitor_reset();
	err = bpf_prog_test_run_opts(prog, &opts) ? -errno : 0;
	check(err == -EFAULT, "a run with a hole in its data fails with EFAULT (%d)", err);
	check_since(KERNEL_PATCHED, !updates() && has_entry(prog_address(prog)),
		    "and leaves the attachment's entry (%d updates)", updates());
	must(bpf_xdp_detach(LO, XDP_FLAGS_SKB_MODE, NULL), "detach");
	munmap((void *)opts.data_in, page);
	close(prog);
	updates_settled(0);
}

static void test_attach_after_run(void)
{
	unsigned long long address;
	int prog = load();
	__u32 id = prog_id(prog);

	address = prog_address(prog);
	run(prog, 2, 1);

	monitor_reset();
	must(bpf_xdp_attach(LO, prog, XDP_FLAGS_SKB_MODE, NULL), "attach");
	check_since(KERNEL_PATCHED, !updates(), "attaching a program that ran: no update (%d)",
		    updates());
	check(has_entry(address), "it has an entry");

	monitor_reset();
	run(prog, 2, RUNS);
	check(!updates(), "runs of an attached program: no update (%d)", updates());

	must(bpf_xdp_detach(LO, XDP_FLAGS_SKB_MODE, NULL), "detach");
	check_since(KERNEL_PATCHED, !updates(), "detaching it: no update (%d)", updates());

	must(bpf_xdp_attach(LO, prog, XDP_FLAGS_SKB_MODE, NULL), "attach");
	close(prog);
	usleep(20 * POLL_US);
	check(has_entry(address), "closed while attached: the entry stays");
	must(bpf_xdp_detach(LO, XDP_FLAGS_SKB_MODE, NULL), "detach");
	check(prog_gone(id), "then detached: the program is gone");
	updates_settled(1);
	check(!has_entry(address), "and its entry");
}

static void test_more_than_slots(void)
{
	int i, n, fresh, progs[MANY];
	int before = count_progs();

	for (i = 0; i < MANY; i++)
		progs[i] = load();
	monitor_reset();
	for (i = 0; i < MANY; i++)
		run(progs[i], 2, 1);
	check_since(KERNEL_PATCHED, updates() <= SLOTS, "%d programs: no more than %d updates (%d)",
		    MANY, SLOTS, updates());

	monitor_reset();
	for (i = 0; i < MANY; i++)
		run(progs[i], 2, 10);
	check_since(KERNEL_PATCHED, !updates() && !locks(),
		    "%d more runs of them: no update (%d), no lock (%d)", 10 * MANY, updates(),
		    locks());

	must(bpf_xdp_attach(LO, progs[MANY - 1], XDP_FLAGS_SKB_MODE, NULL), "attach");
	check(has_entry(prog_address(progs[MANY - 1])),
	      "attaching the last of them: it has an entry");
	must(bpf_xdp_detach(LO, XDP_FLAGS_SKB_MODE, NULL), "detach");

	fresh = load();
	must(bpf_xdp_attach(LO, fresh, XDP_FLAGS_SKB_MODE, NULL), "attach");
	check(has_entry(prog_address(fresh)), "attaching one that never ran: it has an entry");
	monitor_reset();
	for (i = 0; i < MANY; i++)
		run(progs[i], 2, 1);
	check(has_entry(prog_address(fresh)), "which %d test runs do not take", MANY);
	must(bpf_xdp_detach(LO, XDP_FLAGS_SKB_MODE, NULL), "detach");
	close(fresh);

	for (i = 0; i < MANY; i++)
		close(progs[i]);
	n = count_progs_settled(before);
	check(n == before, "all are gone when closed (%d left)", n - before);
	updates_settled(0);
	check(!monitor->bss->num_entries, "no entry is left (%d)", monitor->bss->num_entries);
}

/* Runs of one program at once return what a single run returns */
struct concurrent {
	pthread_t thread;
	int prog_fd;
	int repeat;
	int wrong;
};

static void *concurrent_runs(void *arg)
{
	struct concurrent *c = arg;
	unsigned char in[64], out[64];
	int i;

	for (i = 0; i < RUNS; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in, .data_size_in = sizeof(in),
			    .data_out = out, .data_size_out = sizeof(out), .repeat = c->repeat, );

		memset(in, i, sizeof(in));
		if (bpf_prog_test_run_opts(c->prog_fd, &opts) || opts.retval != XDP_TX ||
		    opts.data_size_out != sizeof(in) || memcmp(in, out, sizeof(in)))
			c->wrong++;
	}
	return NULL;
}

static void test_concurrent(bool distinct)
{
	struct concurrent threads[4] = {};
	int i, wrong = 0;

	for (i = 0; i < 4; i++) {
		threads[i].prog_fd = i && !distinct ? threads[0].prog_fd
						    : must(xdp_prog__load(XDP_TX, -1), "load");
		threads[i].repeat = 1 + i % 2;
		must(-pthread_create(&threads[i].thread, NULL, concurrent_runs, &threads[i]),
		     "thread");
	}
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i].thread, NULL);
		wrong += threads[i].wrong;
	}
	for (i = 0; i < (distinct ? 4 : 1); i++)
		close(threads[i].prog_fd);
	check(!wrong, "4 threads, %s, repeat 1 and 2: each run as a single one (%d wrong)",
	      distinct ? "a program each" : "one program", wrong);
	updates_settled(0);
}

static void cycle(int count)
{
	int map, prog;

	while (count--) {
		map = must(bpf_map_create(BPF_MAP_TYPE_ARRAY, "cycle", 4, 8, 1, NULL), "map");
		prog = must(xdp_prog__load(XDP_PASS, map), "load");
		run(prog, 2, 1);
		close(prog);
		close(map);
	}
}

/*
 * KiB that the cycles cost. What fills up once (KASAN holds freed objects back,
 * some 40 MiB) costs nothing when they are gone through again; a leak does.
 */
static long memory_of_cycles(int count)
{
	long memory, cost;
	int cycles = 0;

	do {
		memory = kernel_memory();
		cycle(count);
		updates_settled(0);
		cost = kernel_memory() - memory;
		cycles += count;
	} while (cost >= LEAKED_KIB && cycles < FILLED_CYCLES);
	return cost;
}

static void test_cycles(int cycles)
{
	int progs = count_progs(), maps = count_maps();
	int more_progs, more_maps;
	long memory;

	/* Caches fill up in the first cycles */
	cycle(50);
	memory = memory_of_cycles(cycles);
	more_progs = count_progs_settled(progs) - progs;
	more_maps = count_maps_settled(maps) - maps;
	check(!more_progs && !more_maps,
	      "%d cycles of load, run, close: no program, no map is left (%d, %d)", cycles,
	      more_progs, more_maps);
	check(memory < LEAKED_KIB, "and no kernel memory (%ld KiB)", memory);
}

/* Load/run/close beside attach/detach */
static atomic_bool churning;

struct churn {
	pthread_t thread;
	unsigned int cycles;
	int err;
};

static void *churn_runs(void *arg)
{
	struct churn *c = arg;
	int i, prog, err = 0;

	for (; churning && !err; c->cycles++) {
		prog = xdp_prog__load(XDP_PASS, -1);
		if (prog < 0) {
			err = prog;
			break;
		}
		for (i = 0; i < 3 && !err; i++)
			err = xdp_prog__run(prog, 2);
		close(prog);
	}
	c->err = err;
	return NULL;
}

static void *churn_attach(void *arg)
{
	struct churn *c = arg;
	int prog, err = 0;

	if (unshare(CLONE_NEWNET))
		err = -errno;
	for (; churning && !err; c->cycles++) {
		prog = xdp_prog__load(XDP_PASS, -1);
		if (prog < 0) {
			err = prog;
			break;
		}
		if (c->cycles % 2)
			err = xdp_prog__run(prog, 2);
		if (!err)
			err = bpf_xdp_attach(LO, prog, XDP_FLAGS_SKB_MODE, NULL);
		if (!err)
			err = xdp_prog__run(prog, 2);
		if (!err)
			err = bpf_xdp_detach(LO, XDP_FLAGS_SKB_MODE, NULL);
		close(prog);
	}
	c->err = err;
	return NULL;
}

static void test_churn(int seconds)
{
	struct churn churns[5] = {};
	int i, n, err = 0, long_lived[SLOTS];
	int before = count_progs();
	unsigned int runs = 0, attaches = 0;

	/* The dispatcher is full from the start */
	for (i = 0; i < SLOTS; i++) {
		long_lived[i] = load();
		run(long_lived[i], 2, 1);
	}

	churning = true;
	for (i = 0; i < 5; i++)
		must(-pthread_create(&churns[i].thread, NULL, i < 3 ? churn_runs : churn_attach,
				     &churns[i]),
		     "thread");
	sleep(seconds);
	churning = false;
	for (i = 0; i < 5; i++) {
		pthread_join(churns[i].thread, NULL);
		err = err ?: churns[i].err;
		*(i < 3 ? &runs : &attaches) += churns[i].cycles;
	}
	check(!err, "%d s of %u load/run/close beside %u attach/detach (%d)", seconds, runs,
	      attaches, err);

	for (i = 0; i < SLOTS; i++)
		close(long_lived[i]);
	n = count_progs_settled(before);
	check(n == before, "no program is left of them (%d)", n - before);
	updates_settled(0);
	check(!monitor->bss->num_entries, "no entry is left (%d)", monitor->bss->num_entries);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "expect", required_argument, NULL, 'e' },
		{ "cycles", required_argument, NULL, 'c' },
		{ "churn", required_argument, NULL, 's' },
		{},
	};
	int cycles = 100, seconds = 5, opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'e':
			kernel = !strcmp(optarg, "2021")    ? KERNEL_2021
				 : !strcmp(optarg, "stock") ? KERNEL_STOCK
							    : KERNEL_PATCHED;
			break;
		case 'c':
			cycles = atoi(optarg);
			break;
		case 's':
			seconds = atoi(optarg);
			break;
		default:
			fprintf(stderr,
				"usage: %s [--expect=2021|stock|patched] [--cycles=N] "
				"[--churn=SECONDS]\n",
				argv[0]);
			return 2;
		}
	}

	/* Nobody else's attachments, and none left behind */
	must(unshare(CLONE_NEWNET), "network namespace");
	monitor_start();

	test_repeat_one();
	test_repeat_many();
	test_map_goes();
	test_live_frames();
	test_failed_run();
	test_attach_after_run();
	test_more_than_slots();
	test_concurrent(false);
	test_concurrent(true);
	test_cycles(cycles);
	test_churn(seconds);

	printf("1..%d\n", checks);
	dispatcher_monitor__destroy(monitor);
	return failures ? 1 : 0;
}

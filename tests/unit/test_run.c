// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A run's options and results, on each path. */
#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "kernel.h"
#include "opts.h"
#include "unit.h"

static const char *const paths[] = { "call", "batch", "veth" };

#define PATH_COUNT (sizeof(paths) / sizeof(paths[0]))

static struct xtr_target *target; /* XDP_TX for all */

static int setup_group(void **state)
{
	if (geteuid())
		return 0;
	setup(state);
	target = must_load("xdp_tx", NULL);
	return 0;
}

static int teardown_group(void **state)
{
	(void)state;
	xtr_target__close(target);
	return 0;
}

static struct xtr_source *gen(const char *spec)
{
	struct xtr_source *source = xtr_source__open_gen(spec);

	if (!source)
		fail_msg("%s: %s", spec, said);
	return source;
}

/* A run of a source that is closed afterwards. */
static int run_of(struct xtr_target *of, const char *spec, const struct xtr_run_opts *opts,
		  struct xtr_result *result)
{
	struct xtr_source *source = gen(spec);
	int err;

	result->sz = sizeof(*result);
	err = xtr_run(of, source, opts, result);
	xtr_source__close(source);
	return err;
}

static int run(const char *spec, const struct xtr_run_opts *opts, struct xtr_result *result)
{
	return run_of(target, spec, opts, result);
}

/* ---- names ------------------------------------------------------------- */

static void names_paths(void **state)
{
	(void)state;
	assert_string_equal(xtr_path_name(0), "call");
	assert_string_equal(xtr_path_name(1), "batch");
	assert_string_equal(xtr_path_name(2), "veth");
	assert_null(xtr_path_name(3));
	assert_null(xtr_path_name(~0U));
}

static void names_verdicts(void **state)
{
	(void)state;
	assert_string_equal(xtr_verdict_name(0), "XDP_ABORTED");
	assert_string_equal(xtr_verdict_name(4), "XDP_REDIRECT");
	assert_string_equal(xtr_verdict_name(5), "INVALID");
	assert_string_equal(xtr_verdict_name(~0U), "INVALID");
}

/* ---- sizes of structures ------------------------------------------------ */

static void takes_no_options(void **state)
{
	struct xtr_source *source;

	(void)state;
	need_root();
	source = gen("udp,count=10");
	assert_ok(xtr_run(target, source, NULL, NULL));
	xtr_source__close(source);
}

/* As a caller hands them over that was built before there was @lanes. */
static void takes_older_options(void **state)
{
	struct xtr_run_opts opts = { .path = "call", .lanes = 3, .verdicts_only = true };
	struct xtr_result result = {};

	(void)state;
	need_root();
	opts.sz = offsetof(struct xtr_run_opts, lanes);
	assert_ok(run("udp,count=3000", &opts, &result));
	assert_int_equal(result.lanes, 1);
	assert_string_equal(result.path, "call");
}

struct newer_opts {
	struct xtr_run_opts opts;
	__u64 unknown;
};

static void takes_newer_options(void **state)
{
	struct newer_opts newer = { .opts = { .sz = sizeof(newer), .path = "call" } };
	struct xtr_result result = {};

	(void)state;
	need_root();
	assert_ok(run("udp,count=10", &newer.opts, &result));
	newer.unknown = 1ULL << 40;
	assert_int_equal(run("udp,count=10", &newer.opts, &result), -EINVAL);
	assert_said("fields are set that");
}

static void refuses_nonsense_sizes(void **state)
{
	struct xtr_run_opts opts = { .path = "call" };
	struct xtr_result result = {};

	(void)state;
	need_root();
	opts.sz = 0;
	assert_int_equal(run("udp,count=10", &opts, &result), -EINVAL);
	opts.sz = sizeof(size_t) - 1;
	assert_int_equal(run("udp,count=10", &opts, &result), -EINVAL);
}

static void fills_older_results(void **state)
{
	struct xtr_run_opts opts = { .sz = sizeof(opts), .path = "call" };
	struct xtr_source *source;
	struct xtr_result result;
	const __u8 *bytes = (void *)&result;
	size_t i;

	(void)state;
	need_root();
	memset(&result, 0xa5, sizeof(result));
	result.sz = offsetof(struct xtr_result, observed);
	source = gen("udp,count=10");
	assert_ok(xtr_run(target, source, &opts, &result));
	xtr_source__close(source);
	assert_int_equal(result.packets, 10);
	assert_int_equal(result.sz, offsetof(struct xtr_result, observed));
	for (i = result.sz; i < sizeof(result); i++)
		assert_int_equal(bytes[i], 0xa5);
}

static void fills_newer_results(void **state)
{
	struct {
		struct xtr_result result;
		__u64 unknown[4];
	} newer;
	struct xtr_source *source;

	(void)state;
	need_root();
	memset(&newer, 0xa5, sizeof(newer));
	newer.result.sz = sizeof(newer);
	source = gen("udp,count=10");
	assert_ok(xtr_run(target, source, NULL, &newer.result));
	xtr_source__close(source);
	assert_int_equal(newer.result.packets, 10);
	assert_int_equal(newer.result.sz, sizeof(newer));
	/* What this version does not know it has none of. */
	assert_true(!newer.unknown[0] && !newer.unknown[3]);
}

/* ---- options ------------------------------------------------------------ */

static void refuses_unknown_path(void **state)
{
	struct xtr_run_opts opts = { .sz = sizeof(opts), .path = "tunnel" };
	struct xtr_result result = {};

	(void)state;
	need_root();
	assert_int_equal(run("udp,count=10", &opts, &result), -EINVAL);
	assert_said("there is no path \"tunnel\"");
	assert_string_equal(result.path, "none");
}

static void counts_lanes(void **state)
{
	struct xtr_run_opts opts = { .sz = sizeof(opts), .path = "call" };
	struct xtr_result result = {};

	(void)state;
	need_root();
	opts.lanes = 0;
	assert_ok(run("udp,count=10", &opts, &result));
	assert_int_equal(result.lanes, 1);
	opts.lanes = 1025;
	assert_int_equal(run("udp,count=10", &opts, &result), -EINVAL);
	assert_said("1025 lanes");
	opts.lanes = ~0U;
	assert_int_equal(run("udp,count=10", &opts, &result), -EINVAL);
	/* More lanes than packets. */
	opts.lanes = 40;
	assert_ok(run("udp,count=10", &opts, &result));
	assert_int_equal(result.packets, 10);
	assert_int_equal(result.lanes, 40);
}

static void fills_in_results(void **state)
{
	struct xtr_run_opts opts = { .sz = sizeof(opts), .lanes = 2 };
	struct xtr_result result;
	size_t i;

	(void)state;
	need_root();
	for (i = 0; i < PATH_COUNT; i++) {
		memset(&result, 0xff, sizeof(result));
		opts.path = paths[i];
		assert_ok(run("udp,count=5000", &opts, &result));
		assert_string_equal(result.path, paths[i]);
		assert_string_equal(result.mode, i ? "spliced" : "bare");
		assert_int_equal(result.lanes, 2);
		assert_int_equal(result.packets, 5000);
		assert_int_equal(result.observed, 5000);
		assert_int_equal(result.lost, 0);
		assert_int_equal(result.foreign, 0);
		assert_int_equal(result.verdicts[3], 5000);
		assert_int_equal(result.verdicts[0] + result.verdicts[1] + result.verdicts[2] +
					 result.verdicts[4] + result.verdicts[5],
				 0);
		assert_true(result.seconds > 0 && result.setup_seconds > 0);
		assert_false(result.interrupted);
	}
}

static void auto_takes_batch(void **state)
{
	struct xtr_run_opts opts = { .sz = sizeof(opts), .path = "auto" };
	struct xtr_result result = {};

	(void)state;
	need_root();
	assert_ok(run("udp,count=10", &opts, &result));
	assert_string_equal(result.path, "batch");
	opts.bare = true;
	assert_ok(run("udp,count=10", &opts, &result));
	assert_string_equal(result.path, "call");
}

/* ---- callbacks ---------------------------------------------------------- */

struct seen {
	__u64 count;
	__u64 end_at; /* returns @value once so many were seen */
	int value;
	volatile int *stop; /* or sets this */
	int fault;
};

static int look(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	struct seen *seen = ctx;
	size_t i;

	for (i = 0; i < count; i++)
		if (outcomes[i].index != seen->count + i || outcomes[i].verdict != 3)
			seen->fault++;
	seen->count += count;
	if (!seen->end_at || seen->count < seen->end_at)
		return 0;
	if (seen->stop)
		__atomic_store_n(seen->stop, 1, __ATOMIC_RELAXED);
	return seen->value;
}

static void callback_gets_all(void **state)
{
	struct xtr_run_opts opts = {
		.sz = sizeof(opts), .lanes = 3, .ordered = true, .outcomes = look
	};
	struct xtr_result result = {};
	struct seen seen;
	size_t i;

	(void)state;
	need_root();
	opts.ctx = &seen;
	for (i = 0; i < PATH_COUNT; i++) {
		memset(&seen, 0, sizeof(seen));
		opts.path = paths[i];
		assert_ok(run("udp,count=20000", &opts, &result));
		assert_int_equal(seen.count, 20000);
		assert_int_equal(seen.fault, 0);
	}
}

static void callback_ends_the_run(void **state)
{
	static const int values[] = { 7, -ENOTTY, -EINTR };
	struct xtr_run_opts opts = {
		.sz = sizeof(opts), .lanes = 3, .ordered = true, .outcomes = look
	};
	struct xtr_result result = {};
	struct seen seen;
	size_t i, k;

	(void)state;
	need_root();
	opts.ctx = &seen;
	for (i = 0; i < PATH_COUNT; i++) {
		for (k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			seen = (struct seen){ .end_at = 3000, .value = values[k] };
			opts.path = paths[i];
			assert_int_equal(run("udp,count=4000000000", &opts, &result), values[k]);
			assert_int_equal(seen.fault, 0);
			assert_true(result.packets >= 3000 && result.packets < 4000000000);
		}
	}
	/* It has its reasons, and says them itself. */
	assert_string_equal(said, "");
}

static void stop_flag_ends_the_run(void **state)
{
	struct xtr_run_opts opts = {
		.sz = sizeof(opts), .lanes = 3, .ordered = true, .outcomes = look
	};
	struct xtr_result result = {};
	struct seen seen;
	int stop;
	size_t i;

	(void)state;
	need_root();
	opts.ctx = &seen;
	opts.stop = &stop;
	for (i = 0; i < PATH_COUNT; i++) {
		stop = 0;
		seen = (struct seen){ .end_at = 3000, .stop = &stop };
		opts.path = paths[i];
		assert_int_equal(run("udp,count=4000000000", &opts, &result), -EINTR);
		assert_true(result.interrupted);
		assert_true(result.observed >= 3000);
		assert_int_equal(seen.fault, 0);
		/* Set before the run it ends at once. */
		assert_int_equal(run("udp,count=4000000000", &opts, &result), -EINTR);
		assert_true(result.interrupted);
		assert_int_equal(result.packets, 0);
	}
}

static int not_ready(void *ctx)
{
	++*(int *)ctx;
	return 11;
}

static void ready_ends_the_run(void **state)
{
	int calls = 0;
	struct xtr_run_opts opts = {
		.sz = sizeof(opts), .lanes = 2, .ready = not_ready, .ready_ctx = &calls
	};
	struct xtr_result result = {};
	size_t i;

	(void)state;
	need_root();
	for (i = 0; i < PATH_COUNT; i++) {
		opts.path = paths[i];
		assert_int_equal(run("udp,count=4000000000", &opts, &result), 11);
		assert_int_equal(result.packets, 0);
	}
	assert_int_equal(calls, PATH_COUNT);
}

/* ---- signals ------------------------------------------------------------ */

static volatile int signals;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

/* To each thread but this one: a process's signals mostly go to its first. */
static void signal_all_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	pid_t tid;

	while (dir && (entry = readdir(dir))) {
		tid = atoi(entry->d_name);
		if (tid && tid != gettid())
			syscall(SYS_tgkill, getpid(), tid, SIGALRM);
	}
	if (dir)
		closedir(dir);
}

static void *signal_often(void *arg)
{
	const int *stop = arg;

	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		signal_all_threads();
		usleep(2000);
	}
	return NULL;
}

/* Live frames, where the kernel has them */
static enum xtr_inject other_injector(void)
{
	return xtr_kernel__has_live_frames() ? XTR_INJECT_LIVE : XTR_INJECT_AFXDP;
}

static void ride_out(struct xtr_target *of, struct xtr_run_opts *opts)
{
	struct xtr_result result = {};
	struct seen seen = {};
	pthread_t signaller;
	int stop = 0, err;

	opts->ctx = &seen;
	signals = 0;
	assert_int_equal(pthread_create(&signaller, NULL, signal_often, &stop), 0);
	err = run_of(of, "udp,count=100000", opts, &result);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(signaller, NULL);
	assert_ok(err);
	assert_true(signals > 0);
	assert_int_equal(seen.count, 100000);
	assert_int_equal(seen.fault, 0);
	assert_int_equal(result.observed, 100000);
	assert_int_equal(result.lost + result.foreign, 0);
}

/*
 * A signal every two milliseconds changes nothing: neither where the kernel is
 * called once a window or packet, nor where it repeats (a target that calls
 * tails, live frames) and would end with EINTR.
 */
static void rides_out_signals(void **state)
{
	struct sigaction action = { .sa_handler = on_signal }, was;
	struct xtr_run_opts opts = {
		.sz = sizeof(opts), .lanes = 2, .ordered = true, .outcomes = look
	};
	struct xtr_target *tail;
	size_t i;

	(void)state;
	need_root();
#ifdef __SANITIZE_THREAD__
	skip(); /* it delivers signals in its own time, and finds fault with each handler */
#endif
	tail = must_load("cases/tail_call", "tail_count");
	sigaction(SIGALRM, &action, &was);
	for (i = 0; i < PATH_COUNT; i++) {
		opts.path = paths[i];
		opts.inject = XTR_INJECT_AFXDP;
		ride_out(target, &opts);
		opts.inject = other_injector();
		ride_out(tail, &opts);
	}
	sigaction(SIGALRM, &was, NULL);
	xtr_target__close(tail);
}

/* ---- repeat -------------------------------------------------------------- */

#define FRAMES 64
#define FRAME_LEN 64

/* What many users do: the kernel repeats the program on its own output. */
static void repeat_in_kernel(int fd, __u32 repeat, __u32 *verdict, __u32 *len)
{
	static __u8 in[FRAME_LEN], out[4096];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in, .data_size_in = sizeof(in),
		    .data_out = out, .data_size_out = sizeof(out), .repeat = repeat);

	assert_ok(bpf_prog_test_run_opts(fd, &opts));
	*verdict = opts.retval;
	*len = opts.data_size_out;
}

static int look_pushed(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	int *good = ctx;
	size_t i;

	for (i = 0; i < count; i++)
		*good += outcomes[i].verdict == XDP_TX && outcomes[i].len == FRAME_LEN + 4;
	return 0;
}

/*
 * A program that takes 4 bytes of headroom has it used up in 64 repetitions. No
 * path may show that: each of 64 equal packets gets what one gets.
 */
static void carries_nothing_over(void **state)
{
	struct xtr_target *push;
	struct xtr_run_opts opts = { .sz = sizeof(opts), .outcomes = look_pushed };
	struct xtr_packet packets[FRAMES] = {};
	static const __u8 frame[FRAME_LEN];
	struct xtr_source *source;
	__u32 verdict, len;
	int good;
	size_t i;

	(void)state;
	need_root();
	push = must_load("cases/adjust_head", "head_push_4");
	repeat_in_kernel(xtr_target__fd(push), 1, &verdict, &len);
	assert_int_equal(verdict, XDP_TX);
	assert_int_equal(len, FRAME_LEN + 4);
	repeat_in_kernel(xtr_target__fd(push), FRAMES, &verdict, &len);
	assert_int_equal(verdict, XDP_ABORTED);
	assert_int_equal(len, FRAME_LEN + 216);
	for (i = 0; i < FRAMES; i++)
		packets[i] = (struct xtr_packet){ .data = frame, .len = FRAME_LEN };
	source = xtr_source__from_packets(packets, FRAMES);
	opts.ctx = &good;
	for (i = 0; i < PATH_COUNT; i++) {
		good = 0;
		opts.path = paths[i];
		assert_ok(xtr_run(push, source, &opts, NULL));
		assert_int_equal(good, FRAMES);
	}
	xtr_source__close(source);
	xtr_target__close(push);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/*
 * What a call with repeat > 1 takes: the dispatcher is updated and RCU waited
 * for, twice. Where that is cheap (a patched kernel) there is nothing to avoid.
 */
static double repeated_call(void)
{
	struct xtr_target *drop = must_load("xdp_drop", NULL);
	__u32 verdict, len;
	double begin;
	int i;

	begin = now();
	for (i = 0; i < 10; i++)
		repeat_in_kernel(xtr_target__fd(drop), 2, &verdict, &len);
	xtr_target__close(drop);
	return (now() - begin) / 10;
}

/* 2000 packets take a fraction of what as many updates would, on each path. */
static void leaves_the_dispatcher_alone(void **state)
{
	struct xtr_run_opts opts = { .sz = sizeof(opts) };
	struct xtr_result result = {};
	double call;
	size_t i;

	(void)state;
	need_root();
	call = repeated_call();
	if (call < 0.002)
		skip();
	for (i = 0; i < PATH_COUNT; i++) {
		opts.path = paths[i];
		assert_ok(run("udp,count=2000", &opts, &result));
		assert_true(result.seconds < 2000 * call / 10);
	}
}

/* ---- what is left behind ------------------------------------------------ */

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static void leaves_no_file_open(void **state)
{
	struct xtr_run_opts opts = { .sz = sizeof(opts), .lanes = 2 };
	struct xtr_result result = {};
	ino_t here = this_netns();
	int files, i;
	size_t k;

	(void)state;
	need_root();
	for (k = 0; k < PATH_COUNT * 2; k++) {
		opts.path = paths[k / 2];
		opts.inject = k % 2 ? other_injector() : XTR_INJECT_AFXDP;
		assert_ok(run("udp,count=100", &opts, &result));
		files = open_files();
		for (i = 0; i < 5; i++)
			assert_ok(run("udp,count=100", &opts, &result));
		assert_int_equal(open_files(), files);
	}
	assert_int_equal(this_netns(), here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(names_paths),
		test(names_verdicts),
		test(takes_no_options),
		test(takes_older_options),
		test(takes_newer_options),
		test(refuses_nonsense_sizes),
		test(fills_older_results),
		test(fills_newer_results),
		test(refuses_unknown_path),
		test(counts_lanes),
		test(fills_in_results),
		test(auto_takes_batch),
		test(callback_gets_all),
		test(callback_ends_the_run),
		test(stop_flag_ends_the_run),
		test(ready_ends_the_run),
		test(rides_out_signals),
		test(carries_nothing_over),
		test(leaves_the_dispatcher_alone),
		test(leaves_no_file_open),
	};

	return cmocka_run_group_tests(tests, setup_group, teardown_group);
}

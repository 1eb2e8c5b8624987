// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Runs the cases, some side by side. Each case has a process of its own, in which
 * its variants run one after the other and share the reference; if one crashes
 * or hangs, a new process goes on with the next. Results come through a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "case.h"
#include "runner.h"

#define MAX_OUTPUT 16384

static const __u32 lane_counts[] = { 1, 2, 8 };

/* Paths, injectors and ways to carry the target that a case runs on. */
static const struct variant kinds[] = {
	{ .label = "call", .path = "call" },
	{ .label = "batch", .path = "batch" },
	{ .label = "veth-afxdp", .path = "veth", .inject = XTR_INJECT_AFXDP },
	{ .label = "veth-live", .path = "veth", .inject = XTR_INJECT_LIVE },
	{ .label = "veth-afxdp-bare", .path = "veth", .inject = XTR_INJECT_AFXDP, .bare = true },
	{ .label = "veth-live-bare", .path = "veth", .inject = XTR_INJECT_LIVE, .bare = true },
};

#define VARIANTS (ARRAY_SIZE(kinds) * ARRAY_SIZE(lane_counts))

static const struct {
	const struct test_case *cases;
	const size_t *count;
} groups[] = {
#define ENTRY(name)                                 \
	{                                           \
		cases_##name, &cases_##name##_count \
	}
	ENTRY(verdicts), ENTRY(sizes),	ENTRY(moves),	   ENTRY(rewrite),
	ENTRY(control),	 ENTRY(maps),	ENTRY(redirect),   ENTRY(context),
	ENTRY(samples),	 ENTRY(faults), ENTRY(accounting), ENTRY(device),
};

/* What the child tells about one variant, followed by @output bytes. */
struct report {
	__u32 variant;
	enum test_status status;
	double seconds;
	char reason[256];
	__u32 output;
};

/* What the processes that run cases side by side have in common. */
struct shared {
	pthread_mutex_t lock; /* of the output and the rest */
	size_t next; /* case to run next */
	unsigned int number;
	unsigned int counts[3];
};

struct runner {
	const struct runner_opts *opts;
	FILE *json;
	struct shared *shared;
};

static char log_lines[512];

static void on_log(enum xtr_log_level level, const char *fmt, va_list args)
{
	char line[512];

	if (level > XTR_LOG_INFO)
		return;
	vsnprintf(line, sizeof(line), fmt, args);
	printf("%s\n", line);
	if (level == XTR_LOG_ERROR)
		memcpy(log_lines, line, sizeof(log_lines));
}

const char *last_log(void)
{
	return log_lines;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static unsigned int kernel_version(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname uts;

	uname(&uts);
	if (sscanf(uts.release, "%u.%u", &major, &minor) != 2)
		return 0;
	return KVER(major, minor);
}

static void nth_variant(__u32 n, struct variant *v)
{
	*v = kinds[n / ARRAY_SIZE(lane_counts)];
	v->lanes = lane_counts[n % ARRAY_SIZE(lane_counts)];
}

static void test_name(char *name, size_t room, const struct test_case *tc, __u32 n)
{
	struct variant v;

	nth_variant(n, &v);
	snprintf(name, room, "%s/%s/%u", tc->name, v.label, v.lanes);
}

static bool lanes_wanted(const struct runner *runner, __u32 n)
{
	const char *at = runner->opts->lanes;
	__u32 lanes = lane_counts[n % ARRAY_SIZE(lane_counts)];
	char *end;

	if (!at)
		return true;
	for (; *at; at = *end ? end + 1 : end)
		if (strtoul(at, &end, 10) == lanes)
			return true;
	return false;
}

/* Most cases have nothing to do with lanes, and lanes of veths take their time to go. */
static bool brief_enough(const struct test_case *tc, __u32 n)
{
	struct variant v;

	nth_variant(n, &v);
	if (tc->flags & CASE_WIDE || tc->check || tc->run)
		return true;
	return v.bare ? v.lanes == 1 && v.inject == XTR_INJECT_AFXDP : v.lanes == 2;
}

static bool wanted(const struct runner *runner, const struct test_case *tc, __u32 n)
{
	const char *const *glob = runner->opts->globs;
	char name[128];

	if (!lanes_wanted(runner, n) || (runner->opts->brief && !brief_enough(tc, n)))
		return false;
	if (!*glob)
		return true;
	test_name(name, sizeof(name), tc, n);
	for (; *glob; glob++)
		if (!fnmatch(*glob, name, 0) || !fnmatch(*glob, tc->name, 0))
			return true;
	return false;
}

/* ---- the child -------------------------------------------------------------- */

static void put(int fd, const void *data, size_t len)
{
	ssize_t n;

	for (; len; len -= n, data = (const char *)data + n) {
		n = write(fd, data, len);
		if (n < 0)
			_exit(1);
	}
}

static void tell(int fd, int output, struct report *report)
{
	static char text[MAX_OUTPUT];
	ssize_t n;

	fflush(stdout);
	n = pread(output, text, sizeof(text), 0);
	report->output = n > 0 ? n : 0;
	put(fd, report, sizeof(*report));
	put(fd, text, report->output);
	if (ftruncate(output, 0))
		_exit(1);
}

static void child(const struct runner *runner, const struct test_case *tc, __u32 first, int fd,
		  int output)
{
	static struct env env;
	struct report report;
	struct variant v;
	double begin;
	__u32 n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	xtr_set_log(on_log);
	env.tc = tc;
	env.scale = runner->opts->scale;
	env.kernel = kernel_version();
	for (n = first; n < VARIANTS; n++) {
		if (!wanted(runner, tc, n))
			continue;
		nth_variant(n, &v);
		env.v = &v;
		env.reason[0] = 0;
		begin = now();
		report = (struct report){ .variant = n };
		report.status = run_case(&env);
		report.seconds = now() - begin;
		memcpy(report.reason, env.reason, sizeof(report.reason));
		tell(fd, output, &report);
	}
	/* Not _exit(): the leak checker speaks here. */
	exit(0);
}

/* ---- the parent -------------------------------------------------------------- */

static void json_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			fprintf(out, "\\u%04x", *text);
		else
			fputc(*text, out);
	}
	fputc('"', out);
}

static void print_output(const char *output)
{
	const char *end;

	for (; *output; output = *end ? end + 1 : end) {
		end = strchrnul(output, '\n');
		printf("# %.*s\n", (int)(end - output), output);
	}
}

static void write_json(FILE *json, bool first, const char *name, const char *word,
		       const struct report *report, const char *output)
{
	fprintf(json, "%s\n  {\"name\": ", first ? "" : ",");
	json_string(json, name);
	fprintf(json, ", \"result\": \"%s\", \"seconds\": %.3f, \"reason\": ", word,
		report->seconds);
	json_string(json, report->reason);
	fprintf(json, ", \"output\": ");
	json_string(json, report->status == TEST_FAIL ? output : "");
	fputc('}', json);
	fflush(json);
}

static void print_ktap(const struct runner *runner, unsigned int number, const char *name,
		       const struct report *report, const char *output)
{
	if (report->status == TEST_FAIL || runner->opts->verbose)
		print_output(output);
	printf("%s %u %s", report->status == TEST_FAIL ? "not ok" : "ok", number, name);
	if (report->status == TEST_SKIP)
		printf(" # SKIP %s", report->reason);
	else if (*report->reason)
		printf(" # %s", report->reason);
	if (runner->opts->verbose)
		printf(" (%.2f s)", report->seconds);
	putchar('\n');
	fflush(stdout);
}

static void conclude(struct runner *runner, const struct test_case *tc, const struct report *report,
		     const char *output)
{
	static const char *const words[] = { "passed", "failed", "skipped" };
	struct shared *shared = runner->shared;
	char name[128];

	test_name(name, sizeof(name), tc, report->variant);
	pthread_mutex_lock(&shared->lock);
	shared->counts[report->status]++;
	shared->number++;
	print_ktap(runner, shared->number, name, report, output);
	if (runner->json)
		write_json(runner->json, shared->number == 1, name, words[report->status], report,
			   output);
	pthread_mutex_unlock(&shared->lock);
}

/* All of @len bytes before the deadline. Returns 0, -ETIME, or -EPIPE at the end. */
static int get(int fd, void *data, size_t len, double deadline)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	double left;
	ssize_t n;

	while (len) {
		left = deadline - now();
		if (left <= 0)
			return -ETIME;
		if (poll(&pfd, 1, left * 1000 + 1) <= 0)
			continue;
		n = read(fd, data, len);
		if (n <= 0)
			return -EPIPE;
		data = (char *)data + n;
		len -= n;
	}
	return 0;
}

/* More packets take longer. */
static double timeout(const struct runner *runner)
{
	double scale = runner->opts->scale;

	return runner->opts->timeout * (scale > 1 ? scale : 1);
}

static __u32 next_wanted(const struct runner *runner, const struct test_case *tc, __u32 n)
{
	while (n < VARIANTS && !wanted(runner, tc, n))
		n++;
	return n;
}

/* All tests of a case are told, and then its process does not end well: it leaked. */
static void bad_end(struct runner *runner, const struct test_case *tc, int status, int output)
{
	static char text[MAX_OUTPUT + 1];
	ssize_t n = pread(output, text, MAX_OUTPUT, 0);

	text[n < 0 ? 0 : n] = 0;
	pthread_mutex_lock(&runner->shared->lock);
	print_output(text);
	printf("# %s: its process ended with status %#x\n", tc->name, status);
	fflush(stdout);
	runner->shared->counts[TEST_FAIL]++;
	pthread_mutex_unlock(&runner->shared->lock);
}

/* Follows a child; returns the variant to go on with in a new one. */
static __u32 follow(struct runner *runner, const struct test_case *tc, __u32 first, pid_t pid,
		    int fd, int output)
{
	static char text[MAX_OUTPUT + 1];
	__u32 due = first;
	struct report report;
	int err, status;
	ssize_t n;

	while (due < VARIANTS) {
		double deadline = now() + timeout(runner);

		err = get(fd, &report, sizeof(report), deadline);
		if (!err)
			err = get(fd, text, report.output, deadline);
		if (err)
			break;
		text[report.output] = 0;
		conclude(runner, tc, &report, text);
		due = next_wanted(runner, tc, report.variant + 1);
	}
	if (due == VARIANTS) {
		waitpid(pid, &status, 0);
		if (status)
			bad_end(runner, tc, status, output);
		return VARIANTS;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	report = (struct report){ .variant = due, .status = TEST_FAIL };
	n = pread(output, text, MAX_OUTPUT - 128, 0);
	n = n < 0 ? 0 : n;
	if (err == -ETIME)
		sprintf(text + n, "no end after %.0f s\n", timeout(runner));
	else if (WIFSIGNALED(status))
		sprintf(text + n, "killed by signal %d\n", WTERMSIG(status));
	else
		sprintf(text + n, "exited with %d\n", WEXITSTATUS(status));
	conclude(runner, tc, &report, text);
	return next_wanted(runner, tc, due + 1);
}

static void run_variants(struct runner *runner, const struct test_case *tc)
{
	__u32 first = next_wanted(runner, tc, 0);
	int fds[2], output;
	pid_t pid;

	while (first < VARIANTS) {
		output = memfd_create("output", 0);
		if (output < 0 || pipe(fds) || fcntl(output, F_SETFL, O_APPEND)) {
			perror("pipe");
			exit(1);
		}
		fflush(NULL);
		pid = fork();
		if (pid < 0) {
			perror("fork");
			exit(1);
		}
		if (!pid) {
			close(fds[0]);
			child(runner, tc, first, fds[1], output);
		}
		close(fds[1]);
		first = follow(runner, tc, first, pid, fds[0], output);
		close(fds[0]);
		close(output);
	}
}

static const struct test_case *nth_case(size_t n)
{
	size_t g;

	for (g = 0; g < ARRAY_SIZE(groups); n -= *groups[g++].count)
		if (n < *groups[g].count)
			return &groups[g].cases[n];
	return NULL;
}

/* Takes cases until there are none left; @alone tells which kind. */
static void work(struct runner *runner, bool alone)
{
	const struct test_case *tc;

	while ((tc = nth_case(__atomic_fetch_add(&runner->shared->next, 1, __ATOMIC_RELAXED))))
		if (!!(tc->flags & CASE_ALONE) == alone)
			run_variants(runner, tc);
}

static void work_in_parallel(struct runner *runner)
{
	int i;

	fflush(NULL);
	for (i = 0; i < runner->opts->jobs; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("fork");
			exit(1);
		}
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(runner, false);
			fflush(NULL);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static void list(const struct runner *runner)
{
	const struct test_case *tc;
	char name[128];
	size_t i;
	__u32 n;

	for (i = 0; (tc = nth_case(i)); i++)
		for (n = next_wanted(runner, tc, 0); n < VARIANTS;
		     n = next_wanted(runner, tc, n + 1)) {
			test_name(name, sizeof(name), tc, n);
			puts(name);
		}
}

static unsigned int plan(const struct runner *runner)
{
	const struct test_case *tc;
	unsigned int count = 0;
	size_t i;
	__u32 n;

	for (i = 0; (tc = nth_case(i)); i++)
		for (n = 0; n < VARIANTS; n++)
			count += wanted(runner, tc, n);
	return count;
}

static struct shared *new_shared(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attr;

	if (shared == MAP_FAILED)
		return NULL;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return shared;
}

int run_all(const struct runner_opts *opts)
{
	struct runner runner = { .opts = opts, .shared = new_shared() };
	unsigned int *counts;
	unsigned int planned;

	if (opts->list) {
		list(&runner);
		return 0;
	}
	if (!runner.shared) {
		perror("mmap");
		return 1;
	}
	planned = plan(&runner);
	printf("KTAP version 1\n1..%u\n", planned);
	if (opts->json) {
		runner.json = fopen(opts->json, "w");
		if (!runner.json) {
			perror(opts->json);
			return 1;
		}
		fputs("[", runner.json);
	}
	work_in_parallel(&runner);
	runner.shared->next = 0;
	work(&runner, true);
	if (runner.json) {
		fputs("\n]\n", runner.json);
		fclose(runner.json);
	}
	counts = runner.shared->counts;
	/* A runner's process that died took its tests along. */
	counts[TEST_FAIL] += planned - runner.shared->number;
	printf("%u passed, %u failed, %u skipped\n", counts[TEST_PASS], counts[TEST_FAIL],
	       counts[TEST_SKIP]);
	return counts[TEST_FAIL];
}

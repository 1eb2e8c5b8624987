// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What a BPF_PROG_TEST_RUN call of an XDP program costs, for one and for many
 * threads that run the same program or a program each. Prints a JSON row for
 * each combination; the best of the rounds counts, for a busy machine only
 * ever adds.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "xdp_prog.h"

#define MAX_THREADS 4
#define WARM_UP_NS 300000000ULL

struct worker {
	pthread_t thread;
	int prog_fd;
	unsigned long calls;
	unsigned long long ns;
	int err;
};

struct row {
	bool distinct; /* a program for each thread */
	int repeat;
	int threads;
};

static const struct row rows[] = {
	{ false, 1, 1 }, { false, 1, 2 }, { false, 1, 4 }, { false, 2, 1 },
	{ false, 2, 2 }, { false, 2, 4 }, { true, 1, 1 },  { true, 1, 2 },
	{ true, 1, 4 },	 { true, 2, 1 },  { true, 2, 2 },  { true, 2, 4 },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

struct figures {
	double us_per_call;
	double calls_per_second; /* of all threads */
};

static pthread_barrier_t barrier;
static int repeat;
static unsigned long long round_ns;

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int run_for(struct worker *w, unsigned long long ns)
{
	unsigned long long start = now_ns(), end = start;
	int err;

	for (w->calls = 0; end < start + ns; w->calls++) {
		err = xdp_prog__run(w->prog_fd, repeat);
		if (err)
			return err;
		end = now_ns();
	}
	w->ns = end - start;
	return 0;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	w->err = run_for(w, WARM_UP_NS);
	pthread_barrier_wait(&barrier);
	if (!w->err)
		w->err = run_for(w, round_ns);
	return NULL;
}

/* One round of a row */
static int measure(const struct row *row, const int *prog_fds, struct figures *figures)
{
	struct worker workers[MAX_THREADS] = {};
	int i, err = 0;

	repeat = row->repeat;
	pthread_barrier_init(&barrier, NULL, row->threads);
	for (i = 0; i < row->threads; i++) {
		workers[i].prog_fd = prog_fds[row->distinct ? i : 0];
		err = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (err) {
			fprintf(stderr, "can't start a thread: %s\n", strerror(err));
			exit(1);
		}
	}
	for (i = 0; i < row->threads; i++) {
		struct worker *w = &workers[i];

		pthread_join(w->thread, NULL);
		if (w->err) {
			err = w->err;
			continue;
		}
		figures->us_per_call += w->ns / 1e3 / w->calls / row->threads;
		figures->calls_per_second += w->calls * 1e9 / w->ns;
	}
	pthread_barrier_destroy(&barrier);
	return err;
}

/* Round by round, so that all rows get their share of what else the machine does */
static int measure_all(struct figures *best, int rounds)
{
	int prog_fds[MAX_THREADS];
	int i, err;
	size_t r;

	for (i = 0; i < MAX_THREADS; i++) {
		prog_fds[i] = xdp_prog__load(XDP_PASS, -1);
		if (prog_fds[i] < 0)
			return prog_fds[i];
	}
	for (i = 0; i < rounds; i++) {
		for (r = 0; r < ROWS; r++) {
			struct figures figures = {};

			err = measure(&rows[r], prog_fds, &figures);
			if (err)
				return err;
			if (figures.calls_per_second > best[r].calls_per_second)
				best[r] = figures;
		}
	}
	return 0;
}

static void print_rows(const char *variant, const struct figures *figures)
{
	size_t r;

	printf("[\n");
	for (r = 0; r < ROWS; r++)
		printf("{\"variant\": \"%s\", \"programs\": \"%s\", \"repeat\": %d, "
		       "\"threads\": %d, \"us_per_call\": %.3f, \"calls_per_second\": %.0f}%s\n",
		       variant, rows[r].distinct ? "distinct" : "same", rows[r].repeat,
		       rows[r].threads, figures[r].us_per_call, figures[r].calls_per_second,
		       r + 1 < ROWS ? "," : "");
	printf("]\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "variant", required_argument, NULL, 'v' },
		{ "seconds", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'r' },
		{},
	};
	struct figures best[ROWS] = {};
	const char *variant = "stock";
	int opt, err, rounds = 5;
	double seconds = 1;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'v':
			variant = optarg;
			break;
		case 's':
			seconds = strtod(optarg, NULL);
			break;
		case 'r':
			rounds = atoi(optarg);
			break;
		default:
			fprintf(stderr, "usage: %s [--variant NAME] [--seconds S] [--rounds N]\n",
				argv[0]);
			return 2;
		}
	}
	round_ns = seconds * 1e9;

	err = measure_all(best, rounds);
	if (err) {
		fprintf(stderr, "test run: %s\n", strerror(-err));
		return 1;
	}
	print_rows(variant, best);
	return 0;
}

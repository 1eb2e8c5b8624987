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

#define MAX_THREADS 64
#define WARM_UP_NS 300000000ULL

struct worker {
	pthread_t thread;
	int prog_fd;
	unsigned long calls;
	unsigned long long ns;
	int err;
};

struct bench {
	const char *variant;
	double seconds;
	int rounds;
	bool first;
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

/* One round: the calls per second of all threads together */
static int measure(struct worker *workers, int threads, double *us_per_call, double *per_second)
{
	double us = 0, rate = 0;
	int i, err = 0;

	pthread_barrier_init(&barrier, NULL, threads);
	for (i = 0; i < threads; i++) {
		err = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (err) {
			fprintf(stderr, "can't start a thread: %s\n", strerror(err));
			exit(1);
		}
	}
	for (i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		if (workers[i].err)
			err = workers[i].err;
	}
	pthread_barrier_destroy(&barrier);
	if (err)
		return err;

	for (i = 0; i < threads; i++) {
		us += workers[i].ns / 1e3 / workers[i].calls / threads;
		rate += workers[i].calls * 1e9 / workers[i].ns;
	}
	*us_per_call = us;
	*per_second = rate;
	return 0;
}

static int bench__row(struct bench *b, int threads, bool distinct)
{
	double us = 0, rate = 0, round_us, round_rate;
	struct worker workers[MAX_THREADS] = {};
	int i, err = 0;

	for (i = 0; i < threads; i++) {
		workers[i].prog_fd = -1;
		if (i && !distinct) {
			workers[i].prog_fd = workers[0].prog_fd;
			continue;
		}
		err = xdp_prog__load(XDP_PASS, -1);
		if (err < 0)
			goto out;
		workers[i].prog_fd = err;
	}

	for (i = 0; i < b->rounds; i++) {
		err = measure(workers, threads, &round_us, &round_rate);
		if (err)
			goto out;
		if (round_rate > rate) {
			us = round_us;
			rate = round_rate;
		}
	}

	printf("%s{\"variant\": \"%s\", \"programs\": \"%s\", \"repeat\": %d, \"threads\": %d, "
	       "\"us_per_call\": %.3f, \"calls_per_second\": %.0f}",
	       b->first ? "" : ",\n", b->variant, distinct ? "distinct" : "same", repeat, threads,
	       us, rate);
	fflush(stdout);
	b->first = false;
out:
	for (i = 0; i < threads; i++)
		if (workers[i].prog_fd >= 0 && (!i || distinct))
			close(workers[i].prog_fd);
	return err;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "variant", required_argument, NULL, 'v' },
		{ "seconds", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'r' },
		{},
	};
	static const int repeats[] = { 1, 2 }, threads[] = { 1, 2, 4 };
	struct bench b = { .variant = "stock", .seconds = 1, .rounds = 3, .first = true };
	size_t r, t;
	int opt, distinct, err;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'v':
			b.variant = optarg;
			break;
		case 's':
			b.seconds = strtod(optarg, NULL);
			break;
		case 'r':
			b.rounds = atoi(optarg);
			break;
		default:
			fprintf(stderr, "usage: %s [--variant NAME] [--seconds S] [--rounds N]\n",
				argv[0]);
			return 2;
		}
	}
	round_ns = b.seconds * 1e9;

	printf("[\n");
	for (distinct = 0; distinct <= 1; distinct++) {
		for (r = 0; r < sizeof(repeats) / sizeof(*repeats); r++) {
			for (t = 0; t < sizeof(threads) / sizeof(*threads); t++) {
				repeat = repeats[r];
				err = bench__row(&b, threads[t], distinct);
				if (err) {
					fprintf(stderr, "test run: %s\n", strerror(-err));
					return 1;
				}
			}
		}
	}
	printf("\n]\n");
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "candidate.h"
#include "cli.h"

static struct xtr_run_opts opts_of(const struct way *way, const struct how_args *how)
{
	struct xtr_run_opts opts = how->run;

	opts.path = way->path;
	opts.inject = way->inject;
	opts.max_len = 0;
	opts.stop = cli_stop_flag();
	return opts;
}

/* One after the other: the first that the program does not please tells it, once. */
int candidates__open(struct candidate *candidates, const struct ways *ways,
		     const struct program_args *program, const struct how_args *how)
{
	int ret = CLI_OK;

	for (size_t i = 0; !ret && i < ways->count; i++) {
		struct candidate *candidate = &candidates[i];

		candidate->way = ways->way[i];
		candidate->opts = opts_of(candidate->way, how);
		ret = program_args__open(program, &candidate->target);
		if (!ret)
			ret = input_exit_code(xtr_target__load(candidate->target));
	}
	return ret;
}

/* What the library says is the reason, told only if it ends the command. */
static void *probe(void *arg)
{
	struct candidate *candidate = arg;

	candidate->info.sz = sizeof(candidate->info);
	cli_capture_own_errors(candidate->reason, sizeof(candidate->reason));
	candidate->err = xtr_probe(candidate->target, &candidate->opts, &candidate->info);
	cli_capture_own_errors(NULL, 0);
	candidate->runs = !candidate->err;
	return NULL;
}

static void probe_all(struct candidate *candidates, size_t count)
{
	pthread_t threads[LOCKSTEP_MAX];
	bool started[LOCKSTEP_MAX];
	sigset_t all, old;

	/* Signals are the main thread's business. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	for (size_t i = 0; i < count; i++) {
		started[i] = !pthread_create(&threads[i], NULL, probe, &candidates[i]);
		if (!started[i])
			probe(&candidates[i]);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	for (size_t i = 0; i < count; i++)
		if (started[i])
			pthread_join(threads[i], NULL);
}

int candidates__probe(struct candidate *candidates, size_t count)
{
	probe_all(candidates, count);
	for (size_t i = 0; i < count; i++) {
		if (candidates[i].runs || candidates[i].err == -EOPNOTSUPP)
			continue;
		cli_error("%s", candidates[i].reason);
		return cli_run_exit_code(candidates[i].err);
	}
	return CLI_OK;
}

void candidates__close(struct candidate *candidates, size_t count)
{
	for (size_t i = 0; i < count; i++)
		xtr_target__close(candidates[i].target);
}

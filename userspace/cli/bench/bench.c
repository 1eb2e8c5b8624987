// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xdp-testrun bench: what XDP tests cost on this machine, path by path. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "scaling.h"
#include "cli.h"
#include "out_file.h"

#define PACKETS 1000000
#define QUICK_PACKETS 100000 /* fewer, and the distribution means nothing */

enum {
	OPT_QUICK = 256,
	OPT_PATHS,
	OPT_JSON,
	OPT_NO_HOLD,
	OPT_SCALING,
	OPT_PLOT,
};

static const struct argp_option options[] = {
	{ "packets", 'n', "N", 0, "packets of each run (1000000)", 1 },
	{ "quick", OPT_QUICK, NULL, 0, "100000 packets; with --scaling fewer rounds", 1 },
	{ "threads", 't', "N", 0, "runs at once in the concurrent part (3)", 1 },
	{ "paths", OPT_PATHS, "LIST", 0,
	  "some of call,batch,veth-afxdp,veth-live; veth is both of the last two (all)", 1 },
	{ "no-hold", OPT_NO_HOLD, NULL, 0,
	  "do not keep programs in the kernel's dispatcher; slow with veth-live", 1 },
	{ "scaling", OPT_SCALING, NULL, 0,
	  "instead: rates by path, program, lanes, packet size and what is recorded", 1 },
	{ "json", OPT_JSON, "FILE", 0, "write one JSON object, too", 2 },
	{ "plot", OPT_PLOT, "FILE", 0, "draw the experiment: an .svg or .png file, by gnuplot", 2 },
	{},
};

static int choose_way(struct bench_args *args, const char *name)
{
	bool found = false;

	for (int way = 0; way < BENCH_WAYS; way++) {
		if (strcmp(name, bench_ways[way].option) && strcmp(name, bench_ways[way].path))
			continue;
		args->ways[way] = true;
		found = true;
	}
	return found ? 0 : EINVAL;
}

static error_t parse_paths(struct bench_args *args, const char *text)
{
	char *list = strdup(text), *rest = list, *name;
	error_t err = list ? 0 : ENOMEM;

	memset(args->ways, 0, sizeof(args->ways));
	while (!err && (name = strsep(&rest, ",")))
		err = choose_way(args, name);
	if (err == EINVAL)
		cli_error("--paths takes a list of call, batch, veth, veth-afxdp and veth-live, "
			  "not '%s'",
			  text);
	free(list);
	return err;
}

static error_t complete(struct bench_args *args)
{
	if (!args->packets && !args->scaling)
		args->packets = args->quick ? QUICK_PACKETS : PACKETS;
	if (args->scaling && (args->plot || args->threads)) {
		cli_error("%s is for the experiment, which --scaling replaces",
			  args->plot ? "--plot" : "--threads");
		return EINVAL;
	}
	if (!args->threads)
		args->threads = BENCH_SIZES;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct bench_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cli_argp_init(state);
		return 0;
	case 'n':
		return cli_parse_u32("--packets", arg, 1, 1000000000, &args->packets);
	case 't':
		return cli_parse_u32("--threads", arg, 1, BENCH_MAX_THREADS, &args->threads);
	case OPT_QUICK:
		args->quick = true;
		return 0;
	case OPT_SCALING:
		args->scaling = true;
		return 0;
	case OPT_PATHS:
		return parse_paths(args, arg);
	case OPT_NO_HOLD:
		args->no_hold = true;
		return 0;
	case OPT_JSON:
		args->json = arg;
		return 0;
	case OPT_PLOT:
		args->plot = arg;
		return bench_plot__check(arg);
	case ARGP_KEY_ARG:
		cli_error("bench takes no argument, but there is '%s'", arg);
		return EINVAL;
	case ARGP_KEY_END:
		return complete(args);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cli_common_argp, 0, NULL, 0 }, {} };

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.doc = "Repeat the experiment of the 2021 report: a million distinct packets against a "
	       "load balancer, one run at a time and several at once, on each path.",
	.children = children,
};

/* ---- what came out of it ------------------------------------------------- */

static bool any_row(const struct bench *b, enum bench_state state)
{
	for (int way = 0; way < BENCH_WAYS; way++) {
		const struct bench_group *group = &b->groups[way];

		for (int i = 0; group->wanted && i < BENCH_SIZES; i++)
			if (group->alone[i].state == state)
				return true;
		for (__u32 i = 0; group->wanted && i < b->args.threads; i++)
			if (group->together[i].state == state)
				return true;
	}
	return false;
}

static const char *first_reason(const struct bench *b)
{
	for (int way = 0; way < BENCH_WAYS; way++)
		if (b->groups[way].wanted && b->groups[way].alone[0].reason[0])
			return b->groups[way].alone[0].reason;
	return "no path can be used";
}

static int report(struct bench *b)
{
	bool wrong = any_row(b, BENCH_WRONG);

	if (!*b->stop && !wrong && !any_row(b, BENCH_GOOD)) {
		cli_error("%s", first_reason(b));
		return CLI_IMPOSSIBLE;
	}
	cli_release_notes();
	if (!*b->stop)
		bench_advice__write(b);
	bench_table__print(b);
	if (cli_finish_stdout() || (b->json && bench_json__write(b)))
		return CLI_IMPOSSIBLE;
	if (*b->stop)
		return CLI_INTERRUPTED;
	if (b->plot && bench_plot__write(b))
		return CLI_IMPOSSIBLE;
	return wrong ? CLI_DIFFERS : CLI_OK;
}

/* ---- the two parts -------------------------------------------------------- */

static int experiment(struct bench *b)
{
	bench_lb__run(b);
	bench_calls__run(b);
	return report(b);
}

static int report_scaling(const struct scaling *s)
{
	const struct scaling_row *bad = NULL;
	bool good = false;

	for (__u32 i = 0; i < s->cnt; i++) {
		good = good || !s->rows[i].err;
		if (s->rows[i].err == -EIO)
			bad = &s->rows[i];
	}
	if (!good) {
		cli_error("%s", s->cnt ? s->rows[0].reason : "no path can be used");
		return CLI_IMPOSSIBLE;
	}
	cli_release_notes();
	scaling__print(s);
	if (cli_finish_stdout() || (s->b->json && scaling__write_json(s)))
		return CLI_IMPOSSIBLE;
	return bad ? CLI_DIFFERS : CLI_OK;
}

static int scaling(const struct bench *b)
{
	struct scaling s = {};
	int err, ret;

	err = scaling__run(&s, b);
	ret = err ? cli_run_exit_code(err) : report_scaling(&s);
	scaling__free(&s);
	return ret;
}

static int allocate(struct bench *b)
{
	for (int way = 0; way < BENCH_WAYS; way++) {
		struct bench_group *group = &b->groups[way];

		group->together = calloc(b->args.threads, sizeof(*group->together));
		if (!group->together) {
			cli_error("out of memory");
			return CLI_IMPOSSIBLE;
		}
	}
	return CLI_OK;
}

/* Before a minute is spent on what can't be written. */
static int open_files(struct bench *b)
{
	if (b->args.json)
		b->json = out_file__open(b->args.json);
	if (b->args.plot)
		b->plot = out_file__open(b->args.plot);
	return (b->args.json && !b->json) || (b->args.plot && !b->plot) ? CLI_USAGE : CLI_OK;
}

static int run_part(struct bench *b)
{
	b->stop = cli_stop_flag();
	b->cpus = bench_cpus();
	return b->args.scaling ? scaling(b) : experiment(b);
}

static void free_all(struct bench *b)
{
	for (int way = 0; way < BENCH_WAYS; way++)
		free(b->groups[way].together);
	out_file__close(b->json);
	out_file__close(b->plot);
	free(b);
}

int cmd_bench(int argc, char **argv)
{
	struct bench *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return CLI_IMPOSSIBLE;
	memset(b->args.ways, true, sizeof(b->args.ways));
	ret = cli_parse(&argp, argc, argv, &b->args);
	if (!ret)
		ret = allocate(b);
	if (!ret)
		ret = open_files(b);
	if (!ret)
		ret = run_part(b);
	free_all(b);
	return ret;
}

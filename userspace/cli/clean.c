// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * xdp-testrun clean: namespaces with a name outlive their run when it is killed;
 * all else of a run (anonymous namespaces, links, programs) dies with it.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>

#include "cli.h"
#include "netns.h"

struct clean_args {
	bool all;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct clean_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cli_argp_init(state);
		return 0;
	case 'a':
		args->all = true;
		return 0;
	case ARGP_KEY_ARG:
		cli_error("clean takes no argument, but there is '%s'", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Named namespaces of the tool, whoever owns them. */
static size_t count_namespaces(void)
{
	glob_t found = {};
	size_t cnt = 0;

	if (!glob("/run/netns/xtr-*", 0, NULL, &found))
		cnt = found.gl_pathc;
	globfree(&found);
	return cnt;
}

int cmd_clean(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "all", 'a', NULL, 0, "also the namespaces of runs that are going on", 0 },
		{},
	};
	static const struct argp_child children[] = { { &cli_common_argp, 0, NULL, 0 }, {} };
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.doc = "Remove the named network namespaces of runs that were killed.",
	};
	struct clean_args args = {};
	size_t before;
	int ret;

	ret = cli_parse(&argp, argc, argv, &args);
	if (ret)
		return ret;
	cli_release_notes();
	before = count_namespaces();
	/* It prints the names of what it removes. */
	if (xtr_netns__clean(args.all))
		return CLI_IMPOSSIBLE;
	if (count_namespaces() == before)
		puts("nothing to clean");
	return cli_finish_stdout() ? CLI_IMPOSSIBLE : CLI_OK;
}

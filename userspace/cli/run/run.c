// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xdp-testrun run: one XDP program, one packet set, one path. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cli.h"
#include "hints.h"
#include "options.h"
#include "outputs.h"
#include "report.h"

/* ---- the command line -------------------------------------------------- */

enum {
	OPT_INJECT = 256,
	OPT_BARE,
	OPT_VERDICTS_ONLY,
};

struct run_args {
	struct program_args program;
	struct packet_args packets;
	struct how_args how;
	struct output_args output;
};

static const struct argp_option options[] = {
	{ "path", 'p', "PATH", 0, "auto (default), call, batch or veth", 3 },
	{ "inject", OPT_INJECT, "HOW", 0, "veth: afxdp (default) or live", 3 },
	{ "bare", OPT_BARE, NULL, 0, "do not splice the program into a harness", 3 },
	{ "verdicts-only", OPT_VERDICTS_ONLY, NULL, 0, "do not record the packets' bytes", 3 },
	{},
};

static error_t parse_path(const char *text, const char **path)
{
	const char *names[16] = { "auto" };
	int value = 0;
	error_t err;

	for (unsigned int i = 0; i < 14 && xtr_path_name(i); i++)
		names[i + 1] = xtr_path_name(i);
	err = cli_parse_choice("--path", text, names, &value);
	*path = err ? NULL : !value ? "auto" : xtr_path_name(value - 1);
	return err;
}

/* What is known when all is parsed. */
static error_t settle(struct run_args *args)
{
	if (args->output.out && args->how.run.verdicts_only) {
		cli_error("--out needs the bytes that --verdicts-only leaves out");
		return EINVAL;
	}
	if (args->output.expect && args->packets.in && !strcmp(args->output.expect, "-") &&
	    !strcmp(args->packets.in, "-")) {
		cli_error("--in and --expect can't both read standard input");
		return EINVAL;
	}
	return packet_args__check(&args->packets, args->output.expect);
}

static void init_children(struct argp_state *state)
{
	struct run_args *args = state->input;

	cli_argp_init(state);
	state->child_inputs[0] = &args->program;
	state->child_inputs[1] = &args->packets;
	state->child_inputs[2] = &args->how;
	state->child_inputs[3] = &args->output;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	static const char *const inject[] = { "afxdp", "live", NULL };
	struct run_args *args = state->input;
	struct xtr_run_opts *run = &args->how.run;
	error_t err;
	int value = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		init_children(state);
		return 0;
	case 'p':
		return parse_path(arg, &run->path);
	case OPT_INJECT:
		err = cli_parse_choice("--inject", arg, inject, &value);
		run->inject = value;
		return err;
	case OPT_BARE:
		run->bare = true;
		return 0;
	case OPT_VERDICTS_ONLY:
		run->verdicts_only = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		return settle(args);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &program_argp, 0, NULL, 0 }, { &packet_argp, 0, NULL, 0 },	 { &how_argp, 0, NULL, 0 },
	{ &output_argp, 0, NULL, 0 },  { &cli_common_argp, 0, NULL, 0 }, {},
};

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "PROG.o",
	.doc = "Run an XDP program over each packet of a set and count the verdicts.",
	.children = children,
};

/* ---- the run ----------------------------------------------------------- */

/* All that one run needs; closed in one place. */
struct session {
	struct xtr_target *target;
	struct xtr_source *source;
	struct outputs outputs;
	struct empty_maps empty;
	double load_seconds;
	struct xtr_result result;
	struct xtr_source_stats stats;
};

static int load_target(struct session *session)
{
	double begin = cli_now();
	int err;

	err = xtr_target__load(session->target);
	if (err)
		return input_exit_code(err);
	session->load_seconds = cli_now() - begin;
	empty_maps__read(&session->empty, xtr_target__fd(session->target));
	return CLI_OK;
}

static int open_source(struct session *session, const struct run_args *args)
{
	if (args->packets.in || args->packets.gen)
		return packet_args__open(&args->packets, &session->source);
	session->source = expect__source(session->outputs.expect);
	return session->source ? CLI_OK : input_exit_code(-errno);
}

static int no_packets(const struct xtr_result *result, const struct xtr_source_stats *stats)
{
	cli_error("no packet could be run: %llu are too short%s, %llu too long%s%s",
		  (unsigned long long)stats->undersized,
		  stats->undersized ? " (shorter than an Ethernet header)" : "",
		  (unsigned long long)stats->oversized, stats->oversized ? ": " : "",
		  stats->oversized ? hints__too_long(result->path) : "");
	return CLI_USAGE;
}

static int run_packets(struct session *session, struct run_args *args)
{
	struct xtr_result *result = &session->result;
	int err;

	args->how.run.stop = cli_stop_flag();
	result->sz = sizeof(*result);
	session->stats.sz = sizeof(session->stats);
	err = xtr_run(session->target, session->source, &args->how.run, result);
	result->setup_seconds += session->load_seconds;
	xtr_source__stats(session->source, &session->stats);
	if (!err && !result->packets)
		return no_packets(result, &session->stats);
	if (!err)
		return outputs__finish(&session->outputs);
	suite_out__bail_out(session->outputs.suite, err == -EINTR ? "interrupted" : "see stderr");
	return cli_run_exit_code(err);
}

static int print_report(const struct session *session, const struct run_args *args)
{
	const struct report_args *how = &args->output.report;
	const struct report report = {
		.program = xtr_target__name(session->target),
		.result = &session->result,
		.stats = &session->stats,
		/* Elsewhere redirects are verdicts only. */
		.redirects = strcmp(session->result.path, "veth") ? NULL : args->how.run.redirects,
		.expect = session->outputs.expect,
	};
	int err;

	hints__print(&session->result, &session->stats, &session->empty);
	if (how->tap)
		err = cli_finish_stdout();
	else
		err = how->json ? report__json(&report) : report__table(&report);
	return err ? CLI_IMPOSSIBLE : CLI_OK;
}

static bool all_well(const struct session *session)
{
	const struct expect *expect = session->outputs.expect;

	if (expect && !expect__met(expect))
		return false;
	return !session->result.lost && !session->result.foreign;
}

static int run_session(struct session *session, struct run_args *args)
{
	int ret, printed;

	ret = program_args__open(&args->program, &session->target);
	if (!ret)
		ret = outputs__open_expect(&session->outputs, &args->output);
	if (!ret)
		ret = open_source(session, args);
	if (!ret)
		ret = load_target(session);
	if (!ret)
		ret = outputs__open(&session->outputs, &args->output, session->target,
				    session->source, &args->how.run);
	if (!ret)
		ret = run_packets(session, args);
	if (ret && ret != CLI_INTERRUPTED)
		return ret;
	/* What was counted until Ctrl-C is worth printing. */
	cli_release_notes();
	hints__no_effect(&session->result, &args->how.run, args->packets.gen);
	printed = print_report(session, args);
	if (ret || printed)
		return ret ? ret : printed;
	return all_well(session) ? CLI_OK : CLI_DIFFERS;
}

int cmd_run(int argc, char **argv)
{
	struct run_args args = {
		.program = PROGRAM_ARGS_INIT,
		.how = HOW_ARGS_INIT,
		.output = OUTPUT_ARGS_INIT,
	};
	struct session session = {};
	int ret;

	ret = cli_parse(&argp, argc, argv, &args);
	if (!ret)
		ret = run_session(&session, &args);
	outputs__close(&session.outputs);
	xtr_source__close(session.source);
	xtr_target__close(session.target);
	how_args__free(&args.how);
	program_args__free(&args.program);
	return ret;
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "out_file.h"
#include "outputs.h"

/* ---- the command line -------------------------------------------------- */

enum {
	OPT_RECORD = 256,
	OPT_EXPECT,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Results:", 4 },
	{ "out", 'o', "FILE", 0,
	  "write each packet as it is after the run, in input order; a lost one is an empty record",
	  4 },
	{ "record", OPT_RECORD, "FILE", 0,
	  "write a golden file: pcapng with each packet before and after the run, and its verdict",
	  4 },
	{ "expect", OPT_EXPECT, "FILE", 0,
	  "check the outcomes against a golden file or JSON lines; without --in and --gen its "
	  "packets are run",
	  4 },
	{},
};

/* The last one written would be all that is left. */
static error_t check_files(const struct output_args *args)
{
	const struct {
		const char *option, *path;
	} files[] = {
		{ "--expect", args->expect },
		{ "--record", args->record },
		{ "--out", args->out },
		{ "--junit", args->report.junit },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		for (size_t j = 0; j < i; j++) {
			if (!files[i].path || !files[j].path ||
			    !out_file__same(files[i].path, files[j].path))
				continue;
			cli_error("%s and %s are the same file: %s", files[j].option,
				  files[i].option, files[i].path);
			return EINVAL;
		}
	}
	return 0;
}

static error_t check_args(const struct output_args *args)
{
	if (args->record && args->expect)
		cli_error("--record and --expect exclude each other");
	else if ((args->report.tap || args->report.junit) && !args->expect)
		cli_error("--tap and --junit are about what --expect says");
	else if (args->report.show_given && !args->expect)
		cli_error("--show is about what --expect says");
	else
		return check_files(args);
	return EINVAL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct output_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cli_argp_init(state);
		state->child_inputs[0] = &args->report;
		return 0;
	case 'o':
		args->out = arg;
		return 0;
	case OPT_RECORD:
		args->record = arg;
		return 0;
	case OPT_EXPECT:
		args->expect = arg;
		return 0;
	case ARGP_KEY_END:
		return check_args(args);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &report_argp, 0, NULL, 0 },
	{},
};

const struct argp output_argp = {
	.options = options,
	.parser = parse_option,
	.children = children,
};

/* ---- the outputs ------------------------------------------------------- */

int outputs__open_expect(struct outputs *outputs, const struct output_args *args)
{
	if (!args->expect)
		return CLI_OK;
	outputs->expect = expect__open(args->expect);
	return outputs->expect ? CLI_OK : CLI_USAGE;
}

static int write_all(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	struct outputs *outputs = ctx;
	int err = 0;

	if (outputs->pcap)
		err = pcap_out__write(outputs->pcap, outcomes, count);
	if (!err && outputs->golden)
		err = golden_out__write(outputs->golden, outcomes, count);
	if (!err && outputs->expect)
		err = expect__check(outputs->expect, outcomes, count);
	return err;
}

/*
 * The sinks that outcomes tell of; NULL: none. Where bytes are not recorded it is
 * not certain which frame arrived where.
 */
static const char *const *known_sinks(const struct xtr_run_opts *run, const char *path)
{
	return strcmp(path, "veth") || run->verdicts_only ? NULL : run->redirects;
}

/* Files with the inputs leave out the same packets as the run does. */
static int settle_max_len(struct xtr_target *target, struct xtr_run_opts *run, const char **path)
{
	struct xtr_path_info info = { .sz = sizeof(info) };
	int err = xtr_probe(target, run, &info);

	if (err)
		return cli_run_exit_code(err);
	if (!run->max_len || run->max_len > info.max_len)
		run->max_len = info.max_len;
	*path = info.path;
	return CLI_OK;
}

static int open_golden(struct outputs *outputs, const struct output_args *args,
		       struct xtr_target *target, struct xtr_source *source,
		       struct xtr_run_opts *run)
{
	struct golden_out_opts opts = {
		.source = source,
		.program = xtr_target__name(target),
	};
	int ret;

	ret = settle_max_len(target, run, &opts.path);
	if (ret)
		return ret;
	opts.max_len = run->max_len;
	opts.redirects = known_sinks(run, opts.path);
	outputs->golden = golden_out__open(args->record, &opts);
	return outputs->golden ? CLI_OK : CLI_USAGE;
}

static int start_expect(struct outputs *outputs, const struct output_args *args,
			struct xtr_target *target, struct xtr_run_opts *run)
{
	struct expect_opts opts = { .show = args->report.show };
	const char *path;
	int ret;

	ret = settle_max_len(target, run, &path);
	if (ret)
		return ret;
	if (args->report.tap || args->report.junit) {
		outputs->suite =
			suite_out__open(args->expect, args->report.tap, args->report.junit);
		if (!outputs->suite)
			return CLI_USAGE;
	}
	opts.max_len = run->max_len;
	opts.suite = outputs->suite;
	opts.redirects = known_sinks(run, path);
	return expect__start(outputs->expect, &opts) ? CLI_IMPOSSIBLE : CLI_OK;
}

int outputs__open(struct outputs *outputs, const struct output_args *args,
		  struct xtr_target *target, struct xtr_source *source, struct xtr_run_opts *run)
{
	int ret = CLI_OK;

	if (args->out) {
		outputs->pcap = pcap_out__open(args->out);
		ret = outputs->pcap ? CLI_OK : CLI_USAGE;
	}
	if (!ret && args->record)
		ret = open_golden(outputs, args, target, source, run);
	if (!ret && outputs->expect)
		ret = start_expect(outputs, args, target, run);
	if (outputs->pcap || outputs->golden || outputs->expect) {
		run->outcomes = write_all;
		run->ctx = outputs;
		run->ordered = true;
	}
	return ret;
}

int outputs__finish(struct outputs *outputs)
{
	int err = 0;

	if (outputs->expect)
		err = expect__finish(outputs->expect);
	if (err)
		return CLI_USAGE;
	if (outputs->pcap)
		err = pcap_out__commit(outputs->pcap);
	if (!err && outputs->golden)
		err = golden_out__commit(outputs->golden);
	if (!err && outputs->suite)
		err = suite_out__finish(outputs->suite);
	return err ? CLI_IMPOSSIBLE : CLI_OK;
}

void outputs__close(struct outputs *outputs)
{
	expect__close(outputs->expect);
	golden_out__close(outputs->golden);
	pcap_out__close(outputs->pcap);
	suite_out__close(outputs->suite);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xdp-testrun run: one XDP program, one packet set, one path. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "hints.h"
#include "pcap_out.h"
#include "report.h"

/* ---- the command line -------------------------------------------------- */

enum {
	OPT_PROG = 256,
	OPT_SECTION,
	OPT_GEN,
	OPT_INJECT,
	OPT_JSON,
	OPT_MAP,
	OPT_MAP_PINNED,
	OPT_RODATA,
	OPT_IFINDEX,
	OPT_QUEUE,
	OPT_AFFINITY,
	OPT_FRESH,
	OPT_REDIRECT,
	OPT_BARE,
	OPT_NO_HOLD,
	OPT_VERDICTS_ONLY,
	OPT_DELIVER_PASS,
	OPT_MAX_LEN,
};

/* NAME=VALUE for the target, in the order given. */
struct setting {
	int key; /* OPT_MAP, ... */
	char *name; /* points into the command line, as does the value */
	char *value;
};

struct run_args {
	const char *object;
	struct xtr_target_opts target;
	const char *in;
	const char *gen;
	const char *out;
	bool json;
	struct xtr_run_opts run;
	struct setting *settings;
	size_t setting_cnt;
	const char **redirects; /* ends with NULL */
	size_t redirect_cnt;
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Program:", 1 },
	{ "prog", OPT_PROG, "NAME", 0, "the function to run, where there are several", 1 },
	{ "section", OPT_SECTION, "NAME", 0, "or its section", 1 },
	{ "map", OPT_MAP, "NAME=FILE", 0,
	  "fill a map before the run with what `bpftool map dump -j' printed", 1 },
	{ "map-pinned", OPT_MAP_PINNED, "NAME=PATH", 0,
	  "use a pinned map in place of the program's", 1 },
	{ "rodata", OPT_RODATA, "NAME=VALUE", 0, "set a `const volatile' variable", 1 },
	{ "set", OPT_RODATA, NULL, OPTION_ALIAS, NULL, 1 },

	{ NULL, 0, NULL, 0, "Packets:", 2 },
	{ "in", 'i', "FILE", 0, "a pcap or pcapng file of Ethernet frames; - is standard input",
	  2 },
	{ "gen", OPT_GEN, "SPEC", 0, "or generated packets, e.g. udp,count=100000,seed=7,size=64",
	  2 },
	{ "max-len", OPT_MAX_LEN, "BYTES", 0, "leave out longer packets", 2 },

	{ NULL, 0, NULL, 0, "How:", 3 },
	{ "path", 'p', "PATH", 0, "auto (default), call, batch or veth", 3 },
	{ "threads", 't', "N", 0, "worker threads, each with its share of the packets (1)", 3 },
	{ "affinity", OPT_AFFINITY, "HOW", 0, "flow: all packets of a flow in one thread; none",
	  3 },
	{ "fresh", OPT_FRESH, "PER", 0, "maps are new for each run (default) or each lane (thread)",
	  3 },
	{ "bare", OPT_BARE, NULL, 0, "do not splice the program into a harness", 3 },
	{ "no-hold", OPT_NO_HOLD, NULL, 0, "do not keep the program in the kernel's dispatcher",
	  3 },
	{ "verdicts-only", OPT_VERDICTS_ONLY, NULL, 0, "do not record the packets' bytes", 3 },
	{ "ifindex", OPT_IFINDEX, "IFNAME", 0, "call, batch: the interface that the program sees",
	  3 },
	{ "ingress", OPT_IFINDEX, NULL, OPTION_ALIAS, NULL, 3 },
	{ "queue", OPT_QUEUE, "N", 0, "call, batch: its receive queue", 3 },
	{ "inject", OPT_INJECT, "HOW", 0, "veth: afxdp (default) or live", 3 },
	{ "redirect", OPT_REDIRECT, "MAP:KEY", 0, "veth: a sink for what goes to this entry", 3 },
	{ "deliver-pass", OPT_DELIVER_PASS, NULL, 0, "veth: let passed packets go up the stack",
	  3 },

	{ NULL, 0, NULL, 0, "Results:", 4 },
	{ "out", 'o', "FILE", 0,
	  "write each packet as it is after the run, in input order; a lost one is an empty record",
	  4 },
	{ "json", OPT_JSON, NULL, 0, "print one JSON object", 4 },
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

static error_t add_setting(struct run_args *args, int key, char *text)
{
	char *equals = strchr(text, '=');
	struct setting *more;

	if (!equals || equals == text || !equals[1]) {
		cli_error("%s takes %s, not '%s'",
			  key == OPT_MAP	  ? "--map"
			  : key == OPT_MAP_PINNED ? "--map-pinned"
						  : "--rodata",
			  key == OPT_MAP	  ? "NAME=FILE"
			  : key == OPT_MAP_PINNED ? "NAME=PATH"
						  : "NAME=VALUE",
			  text);
		return EINVAL;
	}
	more = reallocarray(args->settings, args->setting_cnt + 1, sizeof(*more));
	if (!more)
		return ENOMEM;
	*equals = '\0';
	args->settings = more;
	more[args->setting_cnt++] = (struct setting){ key, text, equals + 1 };
	return 0;
}

static error_t add_redirect(struct run_args *args, const char *text)
{
	const char *colon = strchr(text, ':');
	const char **more;

	if (!colon || colon == text || !colon[1]) {
		cli_error("--redirect takes MAP:KEY, not '%s'", text);
		return EINVAL;
	}
	more = reallocarray(args->redirects, args->redirect_cnt + 2, sizeof(*more));
	if (!more)
		return ENOMEM;
	more[args->redirect_cnt++] = text;
	more[args->redirect_cnt] = NULL;
	args->redirects = more;
	args->run.redirects = more;
	return 0;
}

static error_t set_object(struct run_args *args, const char *text)
{
	if (args->object) {
		cli_error("one program file at a time: %s or %s?", args->object, text);
		return EINVAL;
	}
	args->object = text;
	return 0;
}

static error_t check_args(const struct run_args *args)
{
	if (!args->object)
		cli_error("no program file given; see xdp-testrun run --help");
	else if (!args->in && !args->gen)
		cli_error("no packets given: use --in FILE or --gen SPEC");
	else if (args->in && args->gen)
		cli_error("--in and --gen exclude each other");
	else if (args->out && args->run.verdicts_only)
		cli_error("--out needs the bytes that --verdicts-only leaves out");
	else
		return 0;
	return EINVAL;
}

/* Options that set how the packets reach the program. */
static error_t parse_how(int key, char *arg, struct run_args *args)
{
	static const char *const inject[] = { "afxdp", "live", NULL };
	static const char *const affinity[] = { "none", "flow", NULL };
	static const char *const fresh[] = { "run", "lane", NULL };
	struct xtr_run_opts *run = &args->run;
	error_t err;
	int value = 0;

	switch (key) {
	case 'p':
		return parse_path(arg, &run->path);
	case 't':
		return cli_parse_u32("--threads", arg, 1, 1024, &run->lanes);
	case OPT_MAX_LEN:
		return cli_parse_u32("--max-len", arg, 14, 1 << 20, &run->max_len);
	case OPT_QUEUE:
		return cli_parse_u32("--queue", arg, 0, INT_MAX, &run->rx_queue_index);
	case OPT_IFINDEX:
		return cli_parse_ifindex("--ifindex", arg, &run->ingress_ifindex);
	case OPT_INJECT:
		err = cli_parse_choice("--inject", arg, inject, &value);
		run->inject = value;
		return err;
	case OPT_AFFINITY:
		err = cli_parse_choice("--affinity", arg, affinity, &value);
		run->affinity = value;
		return err;
	case OPT_FRESH:
		err = cli_parse_choice("--fresh", arg, fresh, &value);
		run->fresh = value;
		return err;
	case OPT_REDIRECT:
		return add_redirect(args, arg);
	case OPT_BARE:
		run->bare = true;
		return 0;
	case OPT_NO_HOLD:
		run->no_hold = true;
		return 0;
	case OPT_VERDICTS_ONLY:
		run->verdicts_only = true;
		return 0;
	case OPT_DELIVER_PASS:
		run->deliver_pass = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct run_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cli_argp_init(state);
		return 0;
	case OPT_PROG:
		args->target.program = arg;
		return 0;
	case OPT_SECTION:
		args->target.section = arg;
		return 0;
	case OPT_MAP:
	case OPT_MAP_PINNED:
	case OPT_RODATA:
		return add_setting(args, key, arg);
	case 'i':
		args->in = arg;
		return 0;
	case OPT_GEN:
		args->gen = arg;
		return 0;
	case 'o':
		args->out = arg;
		return 0;
	case OPT_JSON:
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		return set_object(args, arg);
	case ARGP_KEY_END:
		return check_args(args);
	default:
		return parse_how(key, arg, args);
	}
}

static const struct argp_child children[] = { { &cli_common_argp, 0, NULL, 0 }, {} };

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
	struct pcap_out *out;
	struct empty_maps empty;
	double load_seconds;
	struct xtr_result result;
	struct xtr_source_stats stats;
};

/* What is wrong with a file or with what is wanted of it is the user's to put
 * right; a lack of memory or privileges is not.
 */
static int input_exit_code(int err)
{
	switch (-err) {
	case 0:
		return CLI_OK;
	case EPERM:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return CLI_IMPOSSIBLE;
	default:
		return CLI_USAGE;
	}
}

static int apply_setting(struct xtr_target *target, const struct setting *setting)
{
	switch (setting->key) {
	case OPT_MAP:
		return xtr_target__set_map(target, setting->name, setting->value);
	case OPT_MAP_PINNED:
		return xtr_target__reuse_map(target, setting->name, setting->value);
	default:
		return xtr_target__set_rodata(target, setting->name, setting->value);
	}
}

static int open_target(struct session *session, const struct run_args *args)
{
	int err = 0;

	session->target = xtr_target__open(args->object, &args->target);
	if (!session->target)
		return input_exit_code(-errno);
	for (size_t i = 0; !err && i < args->setting_cnt; i++)
		err = apply_setting(session->target, &args->settings[i]);
	return input_exit_code(err);
}

static int open_source(struct session *session, const struct run_args *args)
{
	session->source =
		args->in ? xtr_source__open_pcap(args->in) : xtr_source__open_gen(args->gen);
	return session->source ? CLI_OK : input_exit_code(-errno);
}

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

static int open_out(struct session *session, struct run_args *args)
{
	if (!args->out)
		return CLI_OK;
	session->out = pcap_out__open(args->out);
	if (!session->out)
		return CLI_USAGE;
	args->run.outcomes = pcap_out__write;
	args->run.ctx = session->out;
	args->run.ordered = true;
	return CLI_OK;
}

static int no_packets(const struct xtr_source_stats *stats)
{
	cli_error("no packet could be run: %llu are too short, %llu too long",
		  (unsigned long long)stats->undersized, (unsigned long long)stats->oversized);
	return CLI_USAGE;
}

static int run_packets(struct session *session, struct run_args *args)
{
	struct xtr_result *result = &session->result;
	int err;

	args->run.stop = cli_stop_flag();
	result->sz = sizeof(*result);
	session->stats.sz = sizeof(session->stats);
	err = xtr_run(session->target, session->source, &args->run, result);
	result->setup_seconds += session->load_seconds;
	xtr_source__stats(session->source, &session->stats);
	if (!err && !result->packets)
		return no_packets(&session->stats);
	if (!err && session->out)
		return pcap_out__commit(session->out) ? CLI_IMPOSSIBLE : CLI_OK;
	return cli_run_exit_code(err);
}

static int print_report(const struct session *session, bool json)
{
	const struct report report = {
		.program = xtr_target__name(session->target),
		.result = &session->result,
		.stats = &session->stats,
	};
	int err;

	hints__print(&session->result, &session->stats, &session->empty);
	err = json ? report__json(&report) : report__table(&report);
	return err ? CLI_IMPOSSIBLE : CLI_OK;
}

static int run_session(struct session *session, struct run_args *args)
{
	int ret, printed;

	ret = open_target(session, args);
	if (!ret)
		ret = open_source(session, args);
	if (!ret)
		ret = load_target(session);
	if (!ret)
		ret = open_out(session, args);
	if (!ret)
		ret = run_packets(session, args);
	if (ret && ret != CLI_INTERRUPTED)
		return ret;
	/* What was counted until Ctrl-C is worth printing. */
	cli_release_notes();
	printed = print_report(session, args->json);
	if (ret || printed)
		return ret ? ret : printed;
	return session->result.lost || session->result.foreign ? CLI_DIFFERS : CLI_OK;
}

int cmd_run(int argc, char **argv)
{
	struct run_args args = {
		.target = { .sz = sizeof(args.target) },
		.run = { .sz = sizeof(args.run) },
	};
	struct session session = {};
	int ret;

	ret = cli_parse(&argp, argc, argv, &args);
	if (!ret)
		ret = run_session(&session, &args);
	pcap_out__close(session.out);
	xtr_source__close(session.source);
	xtr_target__close(session.target);
	free(args.settings);
	free(args.redirects);
	return ret;
}

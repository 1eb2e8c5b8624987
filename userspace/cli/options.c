// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Groups of options that several subcommands have. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"

enum {
	OPT_PROG = 256,
	OPT_SECTION,
	OPT_MAP,
	OPT_MAP_PINNED,
	OPT_RODATA,
	OPT_GEN,
	OPT_MAX_LEN,
	OPT_IFINDEX,
	OPT_QUEUE,
	OPT_AFFINITY,
	OPT_FRESH,
	OPT_REDIRECT,
	OPT_NO_HOLD,
	OPT_DELIVER_PASS,
	OPT_SHOW,
	OPT_JSON,
	OPT_TAP,
	OPT_JUNIT,
};

/* What is wrong with a file or with what is wanted of it is the user's to put
 * right; a lack of memory or privileges is not.
 */
int input_exit_code(int err)
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

/* ---- the program ------------------------------------------------------- */

/* NAME=VALUE for the target. */
struct setting {
	int key; /* OPT_MAP, ... */
	char *name; /* points into the command line, as does the value */
	char *value;
};

static const struct argp_option program_options[] = {
	{ NULL, 0, NULL, 0, "Program:", 1 },
	{ "prog", OPT_PROG, "NAME", 0, "the function to run, where there are several", 1 },
	{ "section", OPT_SECTION, "NAME", 0, "or its section", 1 },
	{ "map", OPT_MAP, "NAME=FILE", 0,
	  "fill a map before the run with what `bpftool map dump -j' printed", 1 },
	{ "map-pinned", OPT_MAP_PINNED, "NAME=PATH", 0,
	  "use a pinned map in place of the program's", 1 },
	{ "rodata", OPT_RODATA, "NAME=VALUE", 0, "set a `const volatile' variable", 1 },
	{ "set", OPT_RODATA, NULL, OPTION_ALIAS, NULL, 1 },
	{},
};

static error_t add_setting(struct program_args *args, int key, char *text)
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

static error_t set_object(struct program_args *args, const char *text)
{
	if (args->object) {
		cli_error("one program file at a time: %s or %s?", args->object, text);
		return EINVAL;
	}
	args->object = text;
	return 0;
}

static error_t parse_program(int key, char *arg, struct argp_state *state)
{
	struct program_args *args = state->input;

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
	case ARGP_KEY_ARG:
		return set_object(args, arg);
	case ARGP_KEY_END:
		if (args->object)
			return 0;
		cli_error("no program file given; see %s --help", state->name);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp program_argp = { .options = program_options, .parser = parse_program };

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

int program_args__open(const struct program_args *args, struct xtr_target **target)
{
	int err = 0;

	*target = xtr_target__open(args->object, &args->target);
	if (!*target)
		return input_exit_code(-errno);
	for (size_t i = 0; !err && i < args->setting_cnt; i++)
		err = apply_setting(*target, &args->settings[i]);
	return input_exit_code(err);
}

const char *program_args__filled_map(const struct program_args *args, size_t n)
{
	for (size_t i = 0; i < args->setting_cnt; i++)
		if (args->settings[i].key != OPT_RODATA && !n--)
			return args->settings[i].name;
	return NULL;
}

void program_args__free(struct program_args *args)
{
	free(args->settings);
}

/* ---- the packets ------------------------------------------------------- */

static const struct argp_option packet_options[] = {
	{ NULL, 0, NULL, 0, "Packets:", 2 },
	{ "in", 'i', "FILE", 0, "a pcap or pcapng file of Ethernet frames; - is standard input",
	  2 },
	{ "gen", OPT_GEN, "SPEC", 0, "or generated packets, e.g. udp,count=100000,seed=7,size=64",
	  2 },
	{},
};

error_t packet_args__check(const struct packet_args *args, bool elsewhere)
{
	if (!args->in && !args->gen && !elsewhere)
		cli_error("no packets given: use --in FILE or --gen SPEC");
	else if (args->in && args->gen)
		cli_error("--in and --gen exclude each other");
	else
		return 0;
	return EINVAL;
}

static error_t parse_packets(int key, char *arg, struct argp_state *state)
{
	struct packet_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cli_argp_init(state);
		return 0;
	case 'i':
		args->in = arg;
		return 0;
	case OPT_GEN:
		args->gen = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp packet_argp = { .options = packet_options, .parser = parse_packets };

int packet_args__open(const struct packet_args *args, struct xtr_source **source)
{
	*source = args->in ? xtr_source__open_pcap(args->in) : xtr_source__open_gen(args->gen);
	return *source ? CLI_OK : input_exit_code(-errno);
}

/* ---- how --------------------------------------------------------------- */

static const struct argp_option how_options[] = {
	{ "max-len", OPT_MAX_LEN, "BYTES", 0, "leave out longer packets", 2 },
	{ NULL, 0, NULL, 0, "How:", 3 },
	{ "threads", 't', "N", 0, "worker threads, each with its share of the packets (1)", 3 },
	{ "affinity", OPT_AFFINITY, "HOW", 0, "flow: all packets of a flow in one thread; none",
	  3 },
	{ "fresh", OPT_FRESH, "PER", 0, "maps are new for each run (default) or each lane (thread)",
	  3 },
	{ "no-hold", OPT_NO_HOLD, NULL, 0, "do not keep the program in the kernel's dispatcher",
	  3 },
	{ "ifindex", OPT_IFINDEX, "IFNAME", 0, "call, batch: the interface that the program sees",
	  3 },
	{ "ingress", OPT_IFINDEX, NULL, OPTION_ALIAS, NULL, 3 },
	{ "queue", OPT_QUEUE, "N", 0, "call, batch: its receive queue; with --ifindex", 3 },
	{ "redirect", OPT_REDIRECT, "MAP:KEY", 0,
	  "veth: a sink for what goes to this entry; up to 16 times; several threads need "
	  "--fresh lane",
	  3 },
	{ "deliver-pass", OPT_DELIVER_PASS, NULL, 0, "veth: let passed packets go up the stack",
	  3 },
	{},
};

static error_t add_redirect(struct how_args *args, const char *text)
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

static error_t parse_how(int key, char *arg, struct argp_state *state)
{
	static const char *const affinity[] = { "none", "flow", NULL };
	static const char *const fresh[] = { "run", "lane", NULL };
	struct how_args *args = state->input;
	struct xtr_run_opts *run = &args->run;
	error_t err;
	int value = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		cli_argp_init(state);
		return 0;
	case 't':
		return cli_parse_u32("--threads", arg, 1, 1024, &run->lanes);
	case OPT_MAX_LEN:
		return cli_parse_u32("--max-len", arg, 14, 1 << 20, &run->max_len);
	case OPT_QUEUE:
		return cli_parse_u32("--queue", arg, 0, INT_MAX, &run->rx_queue_index);
	case OPT_IFINDEX:
		return cli_parse_ifindex("--ifindex", arg, &run->ingress_ifindex);
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
	case OPT_NO_HOLD:
		run->no_hold = true;
		return 0;
	case OPT_DELIVER_PASS:
		run->deliver_pass = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp how_argp = { .options = how_options, .parser = parse_how };

void how_args__free(struct how_args *args)
{
	free(args->redirects);
}

/* ---- the report -------------------------------------------------------- */

static const struct argp_option report_options[] = {
	{ "show", OPT_SHOW, "N", 0,
	  "show the first N packets that differ, of each kind (3); run: with --expect", 4 },
	{ "json", OPT_JSON, NULL, 0, "print one JSON object", 4 },
	{ "tap", OPT_TAP, NULL, 0,
	  "print TAP: a test for each packet (run, with --expect) or each path (compare)", 4 },
	{ "junit", OPT_JUNIT, "FILE", 0, "write as JUnit XML what --tap prints", 4 },
	{},
};

static error_t parse_report(int key, char *arg, struct argp_state *state)
{
	struct report_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cli_argp_init(state);
		return 0;
	case OPT_SHOW:
		args->show_given = true;
		return cli_parse_u32("--show", arg, 0, 1000, &args->show);
	case OPT_JSON:
		args->json = true;
		return 0;
	case OPT_TAP:
		args->tap = true;
		return 0;
	case OPT_JUNIT:
		args->junit = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->json || !args->tap)
			return 0;
		cli_error("--json and --tap exclude each other");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp report_argp = { .options = report_options, .parser = parse_report };

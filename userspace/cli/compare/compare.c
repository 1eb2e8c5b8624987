// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xdp-testrun compare: one XDP program, one packet set, several paths. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "candidate.h"
#include "cli.h"
#include "findings.h"
#include "options.h"
#include "placement.h"
#include "suite_out.h"
#include "traits.h"
#include "ways.h"

typedef unsigned long long ull;

/* ---- the command line -------------------------------------------------- */

struct compare_args {
	struct program_args program;
	struct packet_args packets;
	struct how_args how;
	struct ways ways;
	struct report_args report;
};

static const struct argp_option options[] = {
	{ "paths", 'p', "LIST", 0,
	  "which ones, the first is what others are compared with "
	  "(call,batch,veth-afxdp,veth-live); veth is both of the last two",
	  3 },
	{ NULL, 0, NULL, 0, "Results:", 4 },
	{},
};

static error_t check_args(struct compare_args *args)
{
	if (!args->ways.count)
		ways__all(&args->ways);
	return packet_args__check(&args->packets, false);
}

static void init_children(struct argp_state *state)
{
	struct compare_args *args = state->input;

	cli_argp_init(state);
	state->child_inputs[0] = &args->program;
	state->child_inputs[1] = &args->packets;
	state->child_inputs[2] = &args->how;
	state->child_inputs[3] = &args->report;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct compare_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		init_children(state);
		return 0;
	case 'p':
		return ways__parse(&args->ways, arg);
	case ARGP_KEY_SUCCESS:
		return check_args(args);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &program_argp, 0, NULL, 0 }, { &packet_argp, 0, NULL, 0 },	 { &how_argp, 0, NULL, 0 },
	{ &report_argp, 0, NULL, 0 },  { &cli_common_argp, 0, NULL, 0 }, {},
};

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "PROG.o",
	.doc = "Run an XDP program over the same packets on several paths and tell the "
	       "differences.",
	.children = children,
};

/* ---- the paths --------------------------------------------------------- */

struct session {
	struct compare_args *args;
	struct xtr_source *source;
	struct candidate candidates[LOCKSTEP_MAX];
	struct lockstep_path paths[LOCKSTEP_MAX]; /* those that run */
	struct compared compared[LOCKSTEP_MAX];
	struct placement placement;
	size_t count;
	__u32 max_len;
	__u32 traits;
	double seconds;
	struct findings findings;
	struct xtr_source_stats stats;
	struct suite_out *suite;
	bool interrupted;
};

static void print_reasons(const struct session *session)
{
	for (size_t i = 0; i < session->args->ways.count; i++) {
		const struct candidate *candidate = &session->candidates[i];

		if (!candidate->runs)
			cli_error("%s: %s", candidate->way->name, candidate->reason);
	}
}

static int choose_paths(struct session *session)
{
	const struct compare_args *args = session->args;
	int ret;

	ret = candidates__open(session->candidates, &args->ways, &args->program, &args->how);
	if (!ret)
		ret = candidates__probe(session->candidates, args->ways.count);
	if (ret)
		return ret;
	for (size_t i = 0; i < args->ways.count; i++)
		if (session->candidates[i].runs)
			session->candidates[i].place = session->count++;
	session->traits = traits__of(session->candidates[0].target);
	if (session->count >= 2)
		return CLI_OK;
	print_reasons(session);
	cli_error("there are no two paths to compare");
	return CLI_IMPOSSIBLE;
}

/* All paths run the same packets: what one of them refuses none gets. */
static void choose_max_len(struct session *session)
{
	session->max_len = session->args->how.run.max_len;
	for (size_t i = 0; i < session->args->ways.count; i++) {
		const struct candidate *candidate = &session->candidates[i];

		if (candidate->runs &&
		    (!session->max_len || candidate->info.max_len < session->max_len))
			session->max_len = candidate->info.max_len;
	}
}

/*
 * A program that asks for its CPU must be told the same by all paths. One that
 * only has per-CPU maps finds the same in them on any CPU, unless they were
 * filled: what a file or a pinned map holds is another for each.
 */
static bool tells_cpus_apart(const struct session *session)
{
	const struct program_args *program = &session->args->program;
	const char *name;

	if (session->traits & TRAIT_CPU)
		return true;
	for (size_t i = 0; (name = program_args__filled_map(program, i)); i++)
		if (traits__of_map(session->candidates[0].target, name) & TRAIT_PERCPU)
			return true;
	return false;
}

/* With several threads each a path has all CPUs, as when it runs alone. */
static void place_paths(struct session *session)
{
	unsigned int costs[LOCKSTEP_MAX];
	cpu_set_t allowed;

	if (session->args->how.run.lanes > 1 || sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (size_t i = 0; i < session->args->ways.count; i++)
		if (session->candidates[i].runs)
			costs[session->candidates[i].place] = session->candidates[i].way->cost;
	if (tells_cpus_apart(session))
		placement__one_cpu(&session->placement, &allowed, session->count);
	else
		placement__spread(&session->placement, &allowed, costs, session->count);
	for (size_t i = 0; i < session->count; i++)
		session->paths[i].cpus = &session->placement.paths[i];
}

static void describe(struct session *session, const struct candidate *candidate)
{
	const struct how_args *how = &session->args->how;
	const char *gen = session->args->packets.gen;
	bool veth = !strcmp(candidate->way->path, "veth");

	session->compared[candidate->place] = (struct compared){
		.name = candidate->way->name,
		.mode = candidate->info.mode,
		.veth = veth,
		.traits = session->traits,
		.lanes = how->run.lanes ? how->run.lanes : 1,
		.fresh_lanes = how->run.fresh == XTR_FRESH_LANE,
		.redirects = veth ? how->run.redirects : NULL,
		.meta_in = gen && strstr(gen, "meta="),
	};
}

static void set_up_paths(struct session *session)
{
	choose_max_len(session);
	for (size_t i = 0; i < session->args->ways.count; i++) {
		struct candidate *candidate = &session->candidates[i];
		struct lockstep_path *path = &session->paths[candidate->place];

		if (!candidate->runs)
			continue;
		path->target = candidate->target;
		path->opts = candidate->opts;
		path->opts.max_len = session->max_len;
		describe(session, candidate);
	}
	place_paths(session);
}

static int on_outcomes(void *ctx, const struct xtr_outcome *const *outcomes, size_t count)
{
	struct session *session = ctx;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = findings__add(&session->findings, session->compared, session->count, outcomes,
				    i);
	return err;
}

static int run_paths(struct session *session)
{
	double begin = cli_now();
	int err;

	err = lockstep__run(session->paths, session->count, session->source, on_outcomes, session);
	session->seconds = cli_now() - begin;
	session->interrupted = err == -EINTR;
	session->stats.sz = sizeof(session->stats);
	xtr_source__stats(session->source, &session->stats);
	if (err == -EPROTO)
		cli_error("the paths did not run the same number of packets");
	if (err)
		return cli_run_exit_code(err);
	if (session->findings.packets)
		return CLI_OK;
	cli_error("no packet could be run: %llu are too short, %llu longer than the %u bytes that "
		  "all paths take",
		  (ull)session->stats.undersized, (ull)session->stats.oversized, session->max_len);
	return CLI_USAGE;
}

/* ---- the report -------------------------------------------------------- */

static __u64 foreign_frames(const struct session *session)
{
	__u64 sum = 0;

	for (size_t i = 0; i < session->count; i++)
		sum += session->paths[i].result.foreign;
	return sum;
}

static bool all_well(const struct session *session)
{
	return !session->findings.unexplained && !foreign_frames(session);
}

/* The paths that would not take longer packets. */
static void short_paths(const struct session *session, char *list, size_t size)
{
	size_t len = 0;

	*list = '\0';
	for (size_t i = 0; i < session->args->ways.count; i++) {
		const struct candidate *candidate = &session->candidates[i];

		if (candidate->runs && candidate->info.max_len <= session->max_len && len < size)
			len += snprintf(list + len, size - len, "%s%s", len ? ", " : "",
					candidate->way->name);
	}
}

static void print_left_out(FILE *file, const struct session *session)
{
	const struct xtr_source_stats *stats = &session->stats;
	char list[128];

	short_paths(session, list, sizeof(list));
	if (stats->oversized && *list)
		fprintf(file,
			"not runnable on %s: %llu packets longer than %u bytes (the first is "
			"number %llu), left out everywhere\n",
			list, (ull)stats->oversized, session->max_len, (ull)stats->first_oversized);
	else if (stats->oversized)
		fprintf(file, "left out: %llu packets longer than %u bytes\n",
			(ull)stats->oversized, session->max_len);
	if (stats->undersized)
		fprintf(file,
			"not runnable on any path: %llu packets shorter than an Ethernet "
			"header (the first is number %llu)\n",
			(ull)stats->undersized, (ull)stats->first_undersized);
}

static void print_head(const struct session *session)
{
	__u32 lanes = session->compared[0].lanes;

	printf("%s:", xtr_target__name(session->candidates[0].target));
	for (size_t i = 0; i < session->count; i++)
		printf("%s %s (%s)", i ? "," : "", session->compared[i].name,
		       session->compared[i].mode);
	printf("; %u %s each, %.3f s%s\n", lanes, lanes == 1 ? "thread" : "threads",
	       session->seconds, session->interrupted ? ", interrupted" : "");
	for (size_t i = 0; i < session->args->ways.count; i++)
		if (!session->candidates[i].runs)
			printf("not runnable on %s: %s\n", session->candidates[i].way->name,
			       session->candidates[i].reason);
	print_left_out(stdout, session);
	if (session->findings.unseen)
		printf("of %llu packets some path tells the verdict only\n",
		       (ull)session->findings.unseen);
	if (session->traits & TRAIT_TIME)
		puts("the program depends on the time: differences are marked, not held against "
		     "it");
}

static void print_sum(const struct session *session)
{
	const struct findings *findings = &session->findings;
	ull packets = findings->packets, differing = findings->differing;

	if (foreign_frames(session))
		printf("%llu foreign frames were seen on veth\n", (ull)foreign_frames(session));
	if (!differing)
		printf("identical on %llu packets\n", packets);
	else if (!findings->unexplained)
		printf("identical on %llu of %llu packets; all %llu differences are known "
		       "divergences\n",
		       packets - differing, packets, differing);
	else
		printf("identical on %llu of %llu packets; %llu differ, %llu without a known "
		       "reason\n",
		       packets - differing, packets, differing, (ull)findings->unexplained);
}

static void print_table(const struct session *session)
{
	print_head(session);
	putchar('\n');
	for (size_t i = 1; i < session->count; i++) {
		findings__print(stdout, &session->findings, session->compared, i);
		if (findings__count(&session->findings, i, true) +
		    findings__count(&session->findings, i, false))
			putchar('\n');
	}
	print_sum(session);
}

static json_object *candidate_json(const struct session *session, const struct candidate *candidate)
{
	const struct xtr_result *result = &session->paths[candidate->place].result;
	json_object *obj = json_object_new_object();

	json__add_string(obj, "name", candidate->way->name);
	json_object_object_add(obj, "runnable", json_object_new_boolean(candidate->runs));
	if (!candidate->runs) {
		json__add_string(obj, "reason", candidate->reason);
		return obj;
	}
	json__add_string(obj, "mode", candidate->info.mode);
	json__add_count(obj, "max_length", candidate->info.max_len);
	json__add_count(obj, "packets", result->packets);
	json__add_count(obj, "lost", result->lost);
	json__add_count(obj, "foreign", result->foreign);
	json__add_count(obj, "resent", result->resent);
	json_object_object_add(obj, "verdicts", json__verdicts(result));
	return obj;
}

static void print_json(const struct session *session)
{
	const struct findings *findings = &session->findings;
	json_object *obj = json_object_new_object(), *paths = json_object_new_array();

	json__add_string(obj, "program", xtr_target__name(session->candidates[0].target));
	json__add_count(obj, "threads", session->compared[0].lanes);
	for (size_t i = 0; i < session->args->ways.count; i++)
		json_object_array_add(paths, candidate_json(session, &session->candidates[i]));
	json_object_object_add(obj, "paths", paths);
	json__add_count(obj, "packets", findings->packets);
	json__add_count(obj, "identical", findings->packets - findings->differing);
	json__add_count(obj, "differing", findings->differing);
	json__add_count(obj, "unexplained", findings->unexplained);
	json__add_count(obj, "verdict_only", findings->unseen);
	json__add_count(obj, "undersized", session->stats.undersized);
	json__add_count(obj, "oversized", session->stats.oversized);
	json__add_count(obj, "max_length", session->max_len);
	json_object_object_add(obj, "time_dependent",
			       json_object_new_boolean(!!(session->traits & TRAIT_TIME)));
	json_object_object_add(obj, "differences",
			       findings__json(findings, session->compared, session->count));
	json__add_number(obj, "seconds", session->seconds);
	json_object_object_add(obj, "interrupted", json_object_new_boolean(session->interrupted));
	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN));
	json_object_put(obj);
}

/* What findings__print() says, as one string to be freed. */
static char *findings_text(const struct session *session, size_t path)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	findings__print(file, &session->findings, session->compared, path);
	fclose(file);
	return text;
}

static void report_case(const struct session *session, const struct candidate *candidate,
			struct suite_out *out)
{
	char name[128], *text;

	snprintf(name, sizeof(name), "%s: %s as %s, %llu packets",
		 xtr_target__name(candidate->target), candidate->way->name,
		 session->compared[0].name, (ull)session->findings.packets);
	if (!candidate->runs) {
		suite_out__skip(out, name, candidate->reason);
		return;
	}
	text = findings_text(session, candidate->place);
	if (findings__count(&session->findings, candidate->place, false) ||
	    session->paths[candidate->place].result.foreign)
		suite_out__fail(out, name, text);
	else
		suite_out__pass(out, name, text && *text ? text : NULL);
	free(text);
}

static int report_cases(const struct session *session)
{
	for (size_t i = 0; session->suite && i < session->args->ways.count; i++) {
		const struct candidate *candidate = &session->candidates[i];

		if (!candidate->runs || candidate->place)
			report_case(session, candidate, session->suite);
	}
	return suite_out__finish(session->suite);
}

static int report(const struct session *session)
{
	if (session->args->report.json)
		print_json(session);
	else if (!session->args->report.tap)
		print_table(session);
	/* Half of the packets are no test that passed. */
	if (session->interrupted) {
		suite_out__bail_out(session->suite, "interrupted");
		return cli_finish_stdout() ? CLI_IMPOSSIBLE : CLI_OK;
	}
	return report_cases(session) || cli_finish_stdout() ? CLI_IMPOSSIBLE : CLI_OK;
}

/* Before time is spent on what can't be written. */
static int open_suite(struct session *session)
{
	const struct compare_args *args = session->args;

	if (!args->report.tap && !args->report.junit)
		return CLI_OK;
	session->suite = suite_out__open("compare", args->report.tap, args->report.junit);
	return session->suite ? CLI_OK : CLI_USAGE;
}

static int run_session(struct session *session)
{
	int ret, reported;

	ret = packet_args__open(&session->args->packets, &session->source);
	if (!ret)
		ret = choose_paths(session);
	if (!ret)
		ret = open_suite(session);
	if (ret)
		return ret;
	set_up_paths(session);
	ret = run_paths(session);
	if (ret && ret != CLI_INTERRUPTED) {
		suite_out__bail_out(session->suite, "see stderr");
		return ret;
	}
	cli_release_notes();
	reported = report(session);
	if (ret || reported)
		return ret ? ret : reported;
	return all_well(session) ? CLI_OK : CLI_DIFFERS;
}

int cmd_compare(int argc, char **argv)
{
	struct compare_args args = {
		.program = PROGRAM_ARGS_INIT,
		.how = HOW_ARGS_INIT,
		.report = REPORT_ARGS_INIT,
	};
	struct session session = { .args = &args };
	int ret;

	ret = cli_parse(&argp, argc, argv, &args);
	session.findings.show = args.report.show;
	if (!ret)
		ret = run_session(&session);
	suite_out__close(session.suite);
	findings__free(&session.findings);
	candidates__close(session.candidates, args.ways.count);
	xtr_source__close(session.source);
	how_args__free(&args.how);
	program_args__free(&args.program);
	return ret;
}

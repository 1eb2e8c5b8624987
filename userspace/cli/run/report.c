// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The result of a run, for people and for programs. */
#include <stdio.h>
#include <sys/utsname.h>

#include "cli.h"
#include "json_out.h"
#include "report.h"

typedef unsigned long long ull;

static void print_verdicts(const struct xtr_result *result)
{
	ull sum = 0;

	printf("%-14s %14s %10s\n", "verdict", "packets", "share");
	for (int v = 0; v < XTR_VERDICTS; v++)
		sum += result->verdicts[v];
	for (int v = 0; v < XTR_VERDICTS; v++)
		if (result->verdicts[v])
			printf("%-14s %14llu %8.2f %%\n", xtr_verdict_name(v),
			       (ull)result->verdicts[v], 100.0 * result->verdicts[v] / sum);
}

static void print_sinks(const struct report *report)
{
	for (size_t i = 0; report->redirects && report->redirects[i]; i++)
		printf("sink %s: %llu frames\n", report->redirects[i],
		       (ull)report->result->sinks[i]);
}

int report__table(const struct report *report)
{
	const struct xtr_result *result = report->result;

	printf("%s: path %s, %s, %u %s%s\n\n", report->program, result->path, result->mode,
	       result->lanes, result->lanes == 1 ? "thread" : "threads",
	       result->interrupted ? ", interrupted" : "");
	print_verdicts(result);
	printf("\npackets %llu, observed %llu, lost %llu, foreign %llu, resent %llu\n",
	       (ull)result->packets, (ull)result->observed, (ull)result->lost, (ull)result->foreign,
	       (ull)result->resent);
	print_sinks(report);
	printf("%.3f s (and %.3f s of set-up): %.3f million packets/s\n", result->seconds,
	       result->setup_seconds, cli_mpps(result));
	if (report->expect)
		expect__print(stdout, report->expect);
	return cli_finish_stdout();
}

static void add_result(json_object *obj, const struct xtr_result *result)
{
	json__add_string(obj, "path", result->path);
	json__add_string(obj, "mode", result->mode);
	json__add_count(obj, "threads", result->lanes);
	json__add_count(obj, "packets", result->packets);
	json__add_count(obj, "observed", result->observed);
	json__add_count(obj, "lost", result->lost);
	json__add_count(obj, "foreign", result->foreign);
	json__add_count(obj, "resent", result->resent);
	json__add_number(obj, "seconds", result->seconds);
	json__add_number(obj, "setup_seconds", result->setup_seconds);
	json__add_number(obj, "mpps", cli_mpps(result));
	json_object_object_add(obj, "verdicts", json__verdicts(result));
	json_object_object_add(obj, "interrupted", json_object_new_boolean(result->interrupted));
}

static json_object *sinks_json(const struct report *report)
{
	json_object *obj = json_object_new_object();

	for (size_t i = 0; report->redirects[i]; i++)
		json__add_count(obj, report->redirects[i], report->result->sinks[i]);
	return obj;
}

static void add_stats(json_object *obj, const struct xtr_source_stats *stats)
{
	json__add_count(obj, "truncated", stats->truncated);
	json__add_count(obj, "undersized", stats->undersized);
	json__add_count(obj, "oversized", stats->oversized);
}

int report__json(const struct report *report)
{
	json_object *obj = json_object_new_object();
	struct utsname uts = {};

	uname(&uts);
	json__add_string(obj, "program", report->program);
	add_result(obj, report->result);
	if (report->redirects)
		json_object_object_add(obj, "sinks", sinks_json(report));
	add_stats(obj, report->stats);
	json__add_string(obj, "kernel", uts.release);
	if (report->expect)
		json_object_object_add(obj, "expect", expect__json(report->expect));
	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN));
	json_object_put(obj);
	return cli_finish_stdout();
}

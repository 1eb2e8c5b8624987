// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The result of a run, for people and for programs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <json-c/json.h>

#include "cli.h"
#include "report.h"

typedef unsigned long long ull;

static double mpps(const struct xtr_result *result)
{
	return result->seconds > 0 ? result->observed / result->seconds / 1e6 : 0;
}

/* A full disk or a closed pipe shows here at the latest. */
static int finish_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	cli_error("cannot write the report: %s", strerror(errno));
	return -EIO;
}

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
	printf("%.3f s (and %.3f s of set-up): %.3f million packets/s\n", result->seconds,
	       result->setup_seconds, mpps(result));
	return finish_stdout();
}

static void add_count(json_object *obj, const char *key, __u64 count)
{
	json_object_object_add(obj, key, json_object_new_uint64(count));
}

static void add_string(json_object *obj, const char *key, const char *text)
{
	json_object_object_add(obj, key, json_object_new_string(text));
}

/* json-c would print all 17 digits. */
static void add_number(json_object *obj, const char *key, double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6f", number);
	json_object_object_add(obj, key, json_object_new_double_s(number, text));
}

static json_object *verdicts_object(const struct xtr_result *result)
{
	json_object *obj = json_object_new_object();

	for (int v = 0; v < XTR_VERDICTS; v++)
		if (result->verdicts[v])
			add_count(obj, xtr_verdict_name(v), result->verdicts[v]);
	return obj;
}

static void add_result(json_object *obj, const struct xtr_result *result)
{
	add_string(obj, "path", result->path);
	add_string(obj, "mode", result->mode);
	add_count(obj, "threads", result->lanes);
	add_count(obj, "packets", result->packets);
	add_count(obj, "observed", result->observed);
	add_count(obj, "lost", result->lost);
	add_count(obj, "foreign", result->foreign);
	add_count(obj, "resent", result->resent);
	add_number(obj, "seconds", result->seconds);
	add_number(obj, "setup_seconds", result->setup_seconds);
	add_number(obj, "mpps", mpps(result));
	json_object_object_add(obj, "verdicts", verdicts_object(result));
	json_object_object_add(obj, "interrupted", json_object_new_boolean(result->interrupted));
}

static void add_stats(json_object *obj, const struct xtr_source_stats *stats)
{
	add_count(obj, "truncated", stats->truncated);
	add_count(obj, "undersized", stats->undersized);
	add_count(obj, "oversized", stats->oversized);
}

int report__json(const struct report *report)
{
	json_object *obj = json_object_new_object();
	struct utsname uts = {};

	uname(&uts);
	add_string(obj, "program", report->program);
	add_result(obj, report->result);
	add_stats(obj, report->stats);
	add_string(obj, "kernel", uts.release);
	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN));
	json_object_put(obj);
	return finish_stdout();
}

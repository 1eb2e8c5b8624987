// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What bench found, for programs. */
#include <sys/utsname.h>

#include "bench.h"
#include "cli.h"
#include "json_out.h"
#include "out_file.h"

static void add_bool(json_object *obj, const char *key, bool value)
{
	json_object_object_add(obj, key, json_object_new_boolean(value));
}

static void add_figures(json_object *obj, const struct bench_row *row)
{
	const struct xtr_result *result = &row->result;

	json__add_count(obj, "packets", result->packets);
	json__add_number(obj, "seconds", result->seconds);
	json__add_number(obj, "mpps", cli_mpps(result));
	json__add_number(obj, "setup_seconds", result->setup_seconds);
	json__add_number(obj, "cov", row->cov);
	json__add_count(obj, "runs", row->runs);
	json__add_count(obj, "observed", result->observed);
	json__add_count(obj, "lost", result->lost);
	json__add_count(obj, "foreign", result->foreign);
	json__add_count(obj, "resent", result->resent);
	json_object_object_add(obj, "verdicts", json__verdicts(result));
	if (row->slowdown)
		json__add_number(obj, "slowdown", row->slowdown);
}

static const char *state_name(enum bench_state state)
{
	switch (state) {
	case BENCH_GOOD:
		return "ok";
	case BENCH_WRONG:
		return "wrong";
	case BENCH_IMPOSSIBLE:
		return "not possible";
	default:
		return "not run";
	}
}

static json_object *row_object(const struct bench *b, const struct bench_row *row)
{
	json_object *obj = json_object_new_object();

	json__add_string(obj, "path", bench_ways[row->way].path);
	if (bench_ways[row->way].inject)
		json__add_string(obj, "inject", bench_ways[row->way].inject);
	json__add_count(obj, "endpoints", row->endpoints);
	add_bool(obj, "concurrent", row->concurrent);
	json__add_count(obj, "threads", row->concurrent ? b->args.threads : 1);
	json__add_string(obj, "state", state_name(row->state));
	if (row->reason[0])
		json__add_string(obj, "reason", row->reason);
	if (row->state == BENCH_GOOD || (row->state == BENCH_WRONG && row->result.packets))
		add_figures(obj, row);
	return obj;
}

static json_object *results_array(const struct bench *b)
{
	json_object *array = json_object_new_array();

	for (int way = 0; way < BENCH_WAYS; way++) {
		const struct bench_group *group = &b->groups[way];

		if (!group->wanted)
			continue;
		for (int i = 0; i < BENCH_SIZES; i++)
			json_object_array_add(array, row_object(b, &group->alone[i]));
		for (__u32 i = 0; i < b->args.threads; i++)
			json_object_array_add(array, row_object(b, &group->together[i]));
	}
	return array;
}

static json_object *dispatcher_object(const struct bench_dispatcher *row)
{
	json_object *obj = json_object_new_object();

	json__add_count(obj, "repeat", 2);
	json__add_count(obj, "threads", row->threads);
	add_bool(obj, "hold", row->hold);
	json__add_count(obj, "calls", row->calls);
	if (row->err)
		json__add_string(obj, "reason", row->reason);
	if (!row->calls || row->err)
		return obj;
	json__add_number(obj, "us_per_call", row->call_seconds * 1e6);
	add_bool(obj, "extrapolated", true);
	json__add_count(obj, "packets", BENCH_EXTRAPOLATED);
	json__add_number(obj, "seconds", row->call_seconds * BENCH_EXTRAPOLATED);
	return obj;
}

static json_object *dispatcher_array(const struct bench *b)
{
	json_object *array = json_object_new_array();

	for (int i = 0; i < BENCH_DISPATCHER_ROWS; i++)
		if (b->dispatcher[i].threads)
			json_object_array_add(array, dispatcher_object(&b->dispatcher[i]));
	return array;
}

json_object *bench_json__new(const struct bench *b)
{
	json_object *obj = json_object_new_object();
	struct utsname uts = {};

	uname(&uts);
	json__add_string(obj, "version", xtr_version());
	json__add_string(obj, "kernel", uts.release);
	json__add_count(obj, "cpus", b->cpus);
	add_bool(obj, "hold", !b->args.no_hold);
	add_bool(obj, "interrupted", *b->stop);
	return obj;
}

int bench_json__finish(const struct bench *b, json_object *obj)
{
	FILE *to = out_file__stream(b->json);

	fprintf(to, "%s\n", json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY));
	json_object_put(obj);
	return out_file__commit(b->json);
}

int bench_json__write(const struct bench *b)
{
	json_object *obj = bench_json__new(b);

	json__add_count(obj, "packets", b->args.packets);
	json__add_count(obj, "threads", b->args.threads);
	json__add_number(obj, "least_slowdown", bench_least_slowdown(b));
	json_object_object_add(obj, "results", results_array(b));
	json_object_object_add(obj, "dispatcher", dispatcher_array(b));
	if (b->floor.empty_ns)
		json__add_number(obj, "floor_ns", b->floor.empty_ns);
	if (b->floor.batch_ns)
		json__add_number(obj, "batch_empty_ns", b->floor.batch_ns);
	json__add_string(obj, "recommendation", b->recommendation);
	return bench_json__finish(b, obj);
}

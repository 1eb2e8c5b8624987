// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "scaling.h"
#include "cli.h"
#include "json_out.h"

const char *scaling__way_label(const struct scaling_row *row)
{
	if (row->way < BENCH_WAYS)
		return bench_ways[row->way].label;
	return row->way == SCALING_BARE ? "bare loop" : "floor";
}

const char *scaling__program(const struct scaling_row *row)
{
	static const char *const names[] = {
		[BENCH_LB] = "balancer",
		[BENCH_DROP] = "drop",
		[BENCH_TX] = "tx",
	};

	return names[row->program];
}

const char *scaling__record(const struct scaling_row *row)
{
	static const char *const names[] = {
		[SCALING_VERDICTS] = "verdicts",
		[SCALING_BYTES] = "bytes",
		[SCALING_DELIVERED] = "delivered",
	};

	return names[row->record];
}

/* ---- table ------------------------------------------------------------------ */

static void print_head(const struct scaling *s)
{
	struct utsname uts = {};

	uname(&uts);
	printf("Rates by path, program, lanes, packet size and what is recorded; Linux %s, %u "
	       "CPUs;\nmedians of %u rounds of one run each, spread of the middle half; ~ where "
	       "that is over %.0f %%\n\n",
	       uts.release, s->b->cpus, s->rounds, SCALING_NOISY * 100);
	printf("%-13s %-9s %5s %6s %-10s | %9s %9s %8s | %7s %8s\n", "path", "program", "lanes",
	       "bytes", "recorded", "Mpkt/s", "ns/pkt", "spread,%", "x call", "x 1 lane");
}

static void print_factor(int width, double factor)
{
	if (factor > 0)
		printf(" %*.2f", width, factor);
	else
		printf(" %*s", width, "-");
}

static void print_row(const struct scaling_row *row)
{
	printf("%-13s %-9s %5u %6u %-10s |", scaling__way_label(row), scaling__program(row),
	       row->lanes, row->size, scaling__record(row));
	if (row->err) {
		printf(" %s\n", row->reason);
		return;
	}
	printf(" %9.3f %9.1f %7.1f%c |", row->mpps, row->mpps > 0 ? 1e3 / row->mpps : 0,
	       row->spread * 100, row->spread > SCALING_NOISY ? '~' : ' ');
	print_factor(7, row->times_call);
	print_factor(8, row->times_lane);
	putchar('\n');
}

void scaling__print(const struct scaling *s)
{
	print_head(s);
	for (__u32 i = 0; i < s->cnt; i++) {
		if (i && s->rows[i].way != s->rows[i - 1].way)
			putchar('\n');
		print_row(&s->rows[i]);
	}
	if (s->call_share)
		printf("\nThe call path runs at %.1f %% of the rate of a bare loop of "
		       "bpf_prog_test_run_opts().\n",
		       s->call_share * 100);
}

/* ---- JSON -------------------------------------------------------------------- */

static json_object *rounds_array(const struct scaling *s, const struct scaling_row *row)
{
	json_object *array = json_object_new_array();

	for (__u32 i = 0; i < s->rounds; i++)
		json_object_array_add(array, json__number(row->rounds[i]));
	return array;
}

static void add_way(json_object *obj, const struct scaling_row *row)
{
	if (row->way >= BENCH_WAYS) {
		json__add_string(obj, "path", scaling__way_label(row));
		return;
	}
	json__add_string(obj, "path", bench_ways[row->way].path);
	if (bench_ways[row->way].inject)
		json__add_string(obj, "inject", bench_ways[row->way].inject);
}

static json_object *row_object(const struct scaling *s, const struct scaling_row *row)
{
	json_object *obj = json_object_new_object();

	add_way(obj, row);
	json__add_string(obj, "program", scaling__program(row));
	json__add_count(obj, "lanes", row->lanes);
	json__add_count(obj, "size", row->size);
	json__add_string(obj, "recorded", scaling__record(row));
	json__add_count(obj, "packets", (__u64)row->packets * row->lanes);
	if (row->err) {
		json__add_string(obj, "reason", row->reason);
		return obj;
	}
	json__add_number(obj, "mpps", row->mpps);
	json__add_number(obj, "ns", row->mpps > 0 ? 1e3 / row->mpps : 0);
	json__add_number(obj, "spread", row->spread);
	json_object_object_add(obj, "rounds", rounds_array(s, row));
	if (row->times_call)
		json__add_number(obj, "times_call", row->times_call);
	if (row->times_lane)
		json__add_number(obj, "times_one_lane", row->times_lane);
	return obj;
}

int scaling__write_json(const struct scaling *s)
{
	json_object *obj = bench_json__new(s->b), *array = json_object_new_array();

	for (__u32 i = 0; i < s->cnt; i++)
		json_object_array_add(array, row_object(s, &s->rows[i]));
	json_object_object_add(obj, "scaling", array);
	if (s->call_share)
		json__add_number(obj, "call_of_bare_loop", s->call_share);
	return bench_json__finish(s->b, obj);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What bench found, for people. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "bench.h"
#include "cli.h"

/* The report's, in percent. */
static const double report_cov[BENCH_SIZES] = { 0.52, 0.82, 1.24 };

static void print_head(const struct bench *b)
{
	struct utsname uts = {};
	char together[32];

	uname(&uts);
	printf("%u distinct packets of 64 bytes through a load balancer, one run at a time and %u "
	       "at once;\nLinux %s, %u CPUs%s\n\n",
	       b->args.packets, b->args.threads, uts.release, b->cpus,
	       b->args.no_hold ? ", programs not held in the dispatcher" : "");
	snprintf(together, sizeof(together), "%u runs at once, each", b->args.threads);
	printf("%-23s | %-18s | %-28s |\n", "", "one run alone", together);
	printf("%-13s %9s | %9s %8s | %9s %8s %9s | %6s %9s\n", "path", "endpoints", "s", "Mpkt/s",
	       "s", "Mpkt/s", "slow-down", "CoV, %", "set-up, s");
}

/* A cell of a run that there isn't is a dash. */
static void print_cell(int width, int digits, bool good, double value)
{
	if (good)
		printf(" %*.*f", width, digits, value);
	else
		printf(" %*s", width, "-");
}

static const char *mark(const struct bench_row *alone, const struct bench_row *together)
{
	if (alone->state == BENCH_WRONG || (together && together->state == BENCH_WRONG))
		return " WRONG";
	if (alone->state == BENCH_IMPOSSIBLE)
		return " not possible";
	return "";
}

static void print_row(const struct bench_row *alone, const struct bench_row *together)
{
	bool good = alone->state == BENCH_GOOD;
	bool both = together && together->state == BENCH_GOOD;

	printf("%-13s %9u |", bench_ways[alone->way].label, alone->endpoints);
	print_cell(9, 3, good, alone->result.seconds);
	print_cell(8, 3, good, cli_mpps(&alone->result));
	printf(" |");
	print_cell(9, 3, both, both ? together->result.seconds : 0);
	print_cell(8, 3, both, both ? cli_mpps(&together->result) : 0);
	print_cell(9, 2, both && together->slowdown, both ? together->slowdown : 0);
	printf(" |");
	print_cell(6, 2, good, alone->cov * 100);
	print_cell(9, 3, good, alone->result.setup_seconds);
	printf("%s\n", mark(alone, together));
}

static void print_group(const struct bench *b, const struct bench_group *group)
{
	__u32 rows = b->args.threads > BENCH_SIZES ? b->args.threads : BENCH_SIZES;

	for (__u32 i = 0; i < BENCH_SIZES; i++)
		print_row(&group->alone[i], i < b->args.threads ? &group->together[i] : NULL);
	for (__u32 i = BENCH_SIZES; i < rows; i++) {
		const struct bench_row *row = &group->together[i];
		bool good = row->state == BENCH_GOOD;

		printf("%-13s %9u | %9s %8s |", bench_ways[row->way].label, row->endpoints, "", "");
		print_cell(9, 3, good, row->result.seconds);
		print_cell(8, 3, good, cli_mpps(&row->result));
		print_cell(9, 2, good && row->slowdown, row->slowdown);
		printf(" |\n");
	}
}

static void print_report_2021(void)
{
	for (int i = 0; i < BENCH_SIZES; i++)
		printf("%-13s %9u | %9.0f %8.3f | %9.0f %8.3f %9.2f | %6.2f\n", "2021 report",
		       bench_endpoints[i], BENCH_REPORT_ALONE, 1 / BENCH_REPORT_ALONE,
		       BENCH_REPORT_TOGETHER, 1 / BENCH_REPORT_TOGETHER,
		       BENCH_REPORT_TOGETHER / BENCH_REPORT_ALONE, report_cov[i]);
}

static void print_reason(const struct bench_row *row, const char **last)
{
	if ((row->state != BENCH_WRONG && row->state != BENCH_IMPOSSIBLE) ||
	    !strcmp(row->reason, *last))
		return;
	printf("%s, %u endpoints%s: %s: %s\n", bench_ways[row->way].label, row->endpoints,
	       row->concurrent ? ", concurrent" : "",
	       row->state == BENCH_WRONG ? "WRONG" : "not possible here", row->reason);
	*last = row->reason;
}

static void print_reasons(const struct bench *b)
{
	for (int way = 0; way < BENCH_WAYS; way++) {
		const struct bench_group *group = &b->groups[way];
		const char *last = "";

		if (!group->wanted)
			continue;
		for (int i = 0; i < BENCH_SIZES; i++)
			print_reason(&group->alone[i], &last);
		for (__u32 i = 0; i < b->args.threads; i++)
			print_reason(&group->together[i], &last);
	}
}

static void print_slowdown_note(const struct bench *b)
{
	if (b->args.threads < 2)
		return;
	if (b->args.threads > b->cpus)
		printf("%u busy threads on %u CPUs: a slow-down of %.2f is what the CPUs make "
		       "unavoidable%s.\n",
		       b->args.threads, b->cpus, bench_least_slowdown(b),
		       b->args.threads % b->cpus ? ";\non veth, where threads stay on their CPU, "
						   "that is more for those that share one"
						 : "");
	else
		printf("%u threads on %u CPUs: no slow-down is unavoidable.\n", b->args.threads,
		       b->cpus);
}

static void print_dispatcher(const struct bench *b)
{
	printf("\nThe dispatcher: BPF_PROG_TEST_RUN with repeat 2, which makes the kernel add the "
	       "program to it\nand remove it again (in 2021 every call did so). Seconds for %u "
	       "calls are extrapolated.\n\n",
	       BENCH_EXTRAPOLATED);
	printf("%-13s %9s | %9s %12s | %s\n", "program held", "threads", "calls", "us a call",
	       "extrapolated, s each");
	for (int i = 0; i < BENCH_DISPATCHER_ROWS; i++) {
		const struct bench_dispatcher *row = &b->dispatcher[i];
		const char *held = row->hold ? "yes" : "no";

		if (row->err)
			printf("%-13s %9u | not possible here: %s\n", held, row->threads,
			       row->reason);
		else if (row->calls)
			printf("%-13s %9u | %9llu %12.2f | %10.1f\n", held, row->threads,
			       (unsigned long long)row->calls, row->call_seconds * 1e6,
			       row->call_seconds * BENCH_EXTRAPOLATED);
	}
}

static void print_floor(const struct bench *b)
{
	double mpps = bench_group__mpps(&b->groups[BENCH_BATCH]);

	if (!b->floor.empty_ns)
		return;
	printf("\nThe floor: an empty program costs %.1f ns an iteration under a large repeat.",
	       b->floor.empty_ns);
	if (b->floor.batch_ns)
		printf("\nA packet through batch costs %.1f ns with an empty program (%.1f times "
		       "the floor)",
		       b->floor.batch_ns, b->floor.batch_ns / b->floor.empty_ns);
	if (b->floor.batch_ns && mpps)
		printf(",\n%.1f ns with the balancer (%.1f times)", 1e3 / mpps,
		       1e3 / mpps / b->floor.empty_ns);
	puts(b->floor.batch_ns ? "." : "");
}

static void print_choice(void)
{
	puts("\nHow to choose:\n"
	     "  batch        many packets, their verdicts and bytes: the default\n"
	     "  call         programs that batch says it cannot take; packets in fragments; one "
	     "packet in a debugger\n"
	     "  veth         what needs a device: redirects and transmits that arrive somewhere, "
	     "the kernel's\n"
	     "               own limits of a driver, AF_XDP; --inject=live for speed, afxdp to "
	     "test with AF_XDP itself\n"
	     "  repeat > 1   for timing one packet only: each run gets the output of the one "
	     "before; and held, see above");
}

void bench_table__print(const struct bench *b)
{
	print_head(b);
	for (int way = 0; way < BENCH_WAYS; way++)
		if (b->groups[way].wanted)
			print_group(b, &b->groups[way]);
	print_report_2021();
	putchar('\n');
	print_reasons(b);
	if (*b->stop) {
		puts("Interrupted: a dash is what did not run.");
		return;
	}
	print_slowdown_note(b);
	print_dispatcher(b);
	print_floor(b);
	print_choice();
	printf("\nRecommendation: %s\n", b->recommendation);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The experiment as a picture, by gnuplot where that is installed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "cli.h"
#include "out_file.h"

static const char *terminal(const char *file)
{
	const char *dot = strrchr(file, '.');

	if (dot && !strcmp(dot, ".svg"))
		return "svg size 900,500 background 'white'";
	if (dot && !strcmp(dot, ".png"))
		return "pngcairo size 900,500";
	return NULL;
}

int bench_plot__check(const char *file)
{
	if (terminal(file))
		return 0;
	cli_error("--plot takes a file that ends in .svg or .png, not '%s'", file);
	return EINVAL;
}

/* The mean rate of the runs that went well; gnuplot takes "?" for none. */
static void print_rate(FILE *to, const struct bench_row *rows, __u32 cnt)
{
	double seconds = 0, packets = 0;

	for (__u32 i = 0; i < cnt; i++) {
		if (rows[i].state != BENCH_GOOD)
			continue;
		seconds += rows[i].result.seconds;
		packets += rows[i].result.observed;
	}
	if (seconds > 0)
		fprintf(to, " %.6f", packets / seconds / 1e6);
	else
		fputs(" ?", to);
}

static void print_data(FILE *to, const struct bench *b)
{
	fputs("$rates << END\n", to);
	for (int way = 0; way < BENCH_WAYS; way++) {
		const struct bench_group *group = &b->groups[way];

		if (!group->wanted)
			continue;
		fprintf(to, "\"%s\"", bench_ways[way].label);
		print_rate(to, group->alone, BENCH_SIZES);
		print_rate(to, group->together, b->args.threads);
		fputc('\n', to);
	}
	fprintf(to, "\"2021 report\" %.6f %.6f\nEND\n", 1 / BENCH_REPORT_ALONE,
		1 / BENCH_REPORT_TOGETHER);
}

static void print_script(FILE *to, const struct bench *b)
{
	/* The file has no name yet. */
	fprintf(to, "set terminal %s\nset output '/proc/%d/fd/%d'\n", terminal(b->args.plot),
		getpid(), fileno(out_file__stream(b->plot)));
	print_data(to, b);
	fprintf(to,
		"set title 'A load balancer on each path'\n"
		"set ylabel 'million packets/s of each run'\n"
		"set logscale y\n"
		"set yrange [0.01:*]\n"
		"set grid y\n"
		"set style data histogram\n"
		"set style fill solid 0.8\n"
		"set datafile missing '?'\n"
		"plot $rates using 2:xtic(1) title 'alone', '' using 3 title '%u at once'\n",
		b->args.threads);
}

int bench_plot__write(const struct bench *b)
{
	FILE *gnuplot;
	int status;

	/* Where there is no gnuplot, the pipe has no reader. */
	signal(SIGPIPE, SIG_IGN);
	gnuplot = popen("exec gnuplot", "w");
	if (!gnuplot) {
		cli_error("cannot start gnuplot: %s", strerror(errno));
		return -errno;
	}
	print_script(gnuplot, b);
	status = pclose(gnuplot);
	if (!status)
		return out_file__commit(b->plot);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		cli_error("--plot needs gnuplot (package gnuplot-nox)");
	else
		cli_error("gnuplot could not write %s", b->args.plot);
	return -EIO;
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

#include "runner.h"

static const char usage[] =
	"usage: suite [OPTION]... [GLOB]...\n"
	"Runs the cases whose names (case/path/lanes, or just the case) match a GLOB.\n"
	"  --list          print the names, run nothing\n"
	"  --json FILE     write the results to FILE as well\n"
	"  --scale N       so many times the packets; below 1 for slow machines\n"
	"  --timeout SECS  for one test (120)\n"
	"  --lanes LIST    only with so many lanes: some of 1,2,8\n"
	"  --brief         most cases with two lanes only, bare with one and AF_XDP\n"
	"  --jobs N        cases that run side by side (as many as there are CPUs)\n"
	"  --verbose       show what passing tests print\n"
	"Needs root. XTR_BPF_DIR names the folder of the object files, XTR_SCALE the scale,\n"
	"XTR_LANES the numbers of lanes; XTR_BRIEF stands for --brief.\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "list", no_argument, NULL, 'l' },
		{ "json", required_argument, NULL, 'j' },
		{ "scale", required_argument, NULL, 's' },
		{ "timeout", required_argument, NULL, 't' },
		{ "lanes", required_argument, NULL, 'L' },
		{ "brief", no_argument, NULL, 'b' },
		{ "jobs", required_argument, NULL, 'J' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct runner_opts opts = { .scale = 1, .timeout = 120, .jobs = get_nprocs() };
	int opt;

	opts.lanes = getenv("XTR_LANES");
	opts.brief = getenv("XTR_BRIEF");
	if (getenv("XTR_SCALE"))
		opts.scale = atof(getenv("XTR_SCALE"));
	while ((opt = getopt_long(argc, argv, "vh", options, NULL)) != -1) {
		switch (opt) {
		case 'l':
			opts.list = true;
			break;
		case 'j':
			opts.json = optarg;
			break;
		case 's':
			opts.scale = atof(optarg);
			break;
		case 't':
			opts.timeout = atoi(optarg);
			break;
		case 'L':
			opts.lanes = optarg;
			break;
		case 'b':
			opts.brief = true;
			break;
		case 'J':
			opts.jobs = atoi(optarg);
			break;
		case 'v':
			opts.verbose = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (opts.scale <= 0 || opts.timeout <= 0 || opts.jobs <= 0) {
		fputs(usage, stderr);
		return 2;
	}
	opts.globs = (const char *const *)argv + optind;
	return run_all(&opts) ? 1 : 0;
}

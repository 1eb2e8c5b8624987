// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xdp-testrun: finds the subcommand. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "cli.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "run", cmd_run, "run an XDP program over a packet set" },
	{ "bench", cmd_bench, "the 2021 report's experiment on this machine" },
	{ "compare", cmd_compare, "run it over several paths and tell the differences" },
	{ "clean", cmd_clean, "remove what runs that were killed have left" },
};

#define COMMAND_CNT (sizeof(commands) / sizeof(commands[0]))

static void print_version(FILE *stream, struct argp_state *state)
{
	(void)state;
	fprintf(stream, "xdp-testrun %s\nlibbpf %s\n", xtr_version(), libbpf_version_string());
}

static int print_help(void)
{
	puts("Usage: xdp-testrun COMMAND [OPTION...]\n"
	     "Run an XDP program over many packets, in parallel.\n\n"
	     "Commands:");
	for (size_t i = 0; i < COMMAND_CNT; i++)
		printf("  %-8s  %s\n", commands[i].name, commands[i].summary);
	puts("\n`xdp-testrun COMMAND --help' tells the options of a command.\n\n"
	     "Exit codes: 0 all well, 1 outcomes differ, packets were lost or foreign frames\n"
	     "seen, 2 usage or input error, 3 not possible on this machine, 130 interrupted.");
	return cli_finish_stdout() ? CLI_IMPOSSIBLE : CLI_OK;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "xdp-testrun %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

/*
 * Whoever closed a standard stream would have the next file that is opened in
 * its stead, and the report written into a map or a capture. What stands in
 * fails as a closed one does.
 */
static void keep_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	keep_standard_fds();
	cli_log_init();
	argp_program_version_hook = print_version;
	argp_err_exit_status = CLI_USAGE;
	if (!word) {
		cli_error("no command given; see xdp-testrun --help");
		return CLI_USAGE;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-?") || !strcmp(word, "-h") ||
	    !strcmp(word, "help"))
		return print_help();
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		print_version(stdout, NULL);
		return cli_finish_stdout() ? CLI_IMPOSSIBLE : CLI_OK;
	}
	for (size_t i = 0; i < COMMAND_CNT; i++)
		if (!strcmp(word, commands[i].name))
			return run_command(&commands[i], argc - 1, argv + 1);
	cli_error("there is no command '%s'; see xdp-testrun --help", word);
	return CLI_USAGE;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the subcommands share. Results go to stdout, all else to stderr. */
#ifndef XTR_CLI_H
#define XTR_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <linux/types.h>

#include <xdptestrun.h>

/* exit codes */
enum {
	CLI_OK = 0,
	CLI_DIFFERS = 1, /* it ran, and not all is as it should be */
	CLI_USAGE = 2, /* the command line or what it names is wrong */
	CLI_IMPOSSIBLE = 3, /* not on this machine, or not as this user */
	CLI_INTERRUPTED = 130,
};

/* The subcommands; argv[0] is the name to say in messages. */
int cmd_run(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_clean(int argc, char **argv);

/* ---- messages (message.c) ---------------------------------------------- */

enum cli_verbosity {
	CLI_QUIET, /* errors */
	CLI_NORMAL, /* and warnings and notes */
	CLI_VERBOSE, /* and what the library and libbpf do */
};

void cli_log_init(void);
void cli_set_verbosity(enum cli_verbosity verbosity);

/*
 * Notes wait until it is clear that the run can start: a command that fails
 * says one line, and that says why.
 */
void cli_release_notes(void);

/*
 * Until the call with NULL errors go to @text, the last one stays: for what may
 * fail without the command failing.
 */
void cli_capture_errors(char *text, size_t size);

/* The same for the calling thread's errors alone. */
void cli_capture_own_errors(char *text, size_t size);

__attribute__((format(printf, 1, 2))) void cli_error(const char *fmt, ...);
__attribute__((format(printf, 1, 2))) void cli_warn(const char *fmt, ...);

/* ---- the command line (parse.c) ---------------------------------------- */

/* Parses with argp, but errors are one line. 0 or the code to exit with. */
int cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* For every parser's ARGP_KEY_INIT: argp adds no lines of its own to errors. */
void cli_argp_init(struct argp_state *state);

/* The options that all subcommands have; a child of each one's argp. */
extern const struct argp cli_common_argp;

/* Return 0 or EINVAL after a message; @option is named in it. */
int cli_parse_u32(const char *option, const char *text, __u32 min, __u32 max, __u32 *value);
int cli_parse_ifindex(const char *option, const char *text, __u32 *value);

/* @names ends with NULL; *@value becomes the index. */
int cli_parse_choice(const char *option, const char *text, const char *const *names, int *value);

/* ---- interrupts (sig.c) ------------------------------------------------ */

/* Not 0 after SIGINT or SIGTERM. A second one kills. */
const volatile int *cli_stop_flag(void);

/* ---- what several subcommands need (common.c) -------------------------- */

double cli_now(void); /* seconds, monotonic */
double cli_mpps(const struct xtr_result *result); /* million packets a second */

/* A full disk or a closed pipe shows here at the latest. 0 or -EIO after a message. */
int cli_finish_stdout(void);

/*
 * The code to exit with after xtr_run(). What is wrong with the command line or
 * the packets is the user's to put right; once all is open and loaded, most
 * else is the machine's.
 */
int cli_run_exit_code(int err);

#endif /* XTR_CLI_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Groups of options that several subcommands have: each a parser to be the
 * child of a subcommand's own, and what follows from it. The child's input is
 * the structure named beside it; functions return 0 or the code to exit with.
 */
#ifndef XTR_OPTIONS_H
#define XTR_OPTIONS_H

#include <argp.h>

#include <xdptestrun.h>

/* ---- the program: PROG.o and what is set in it ------------------------- */

struct setting;

struct program_args {
	const char *object;
	struct xtr_target_opts target;
	struct setting *settings; /* in the order given */
	size_t setting_cnt;
};

#define PROGRAM_ARGS_INIT                                         \
	{                                                         \
		.target = {.sz = sizeof(struct xtr_target_opts) } \
	}

extern const struct argp program_argp; /* struct program_args */

/* Opens the program once more; not loaded yet. */
int program_args__open(const struct program_args *args, struct xtr_target **target);

/* The name of the @n-th map that something is put into before the run; NULL: no more. */
const char *program_args__filled_map(const struct program_args *args, size_t n);
void program_args__free(struct program_args *args);

/* ---- the packets: --in or --gen ---------------------------------------- */

struct packet_args {
	const char *in;
	const char *gen;
};

extern const struct argp packet_argp; /* struct packet_args */

/* When all is parsed; @elsewhere: packets may come from another option, too. */
error_t packet_args__check(const struct packet_args *args, bool elsewhere);
int packet_args__open(const struct packet_args *args, struct xtr_source **source);

/* ---- how the packets reach the program, on any path -------------------- */

struct how_args {
	struct xtr_run_opts run;
	const char **redirects; /* ends with NULL */
	size_t redirect_cnt;
};

#define HOW_ARGS_INIT                                       \
	{                                                   \
		.run = {.sz = sizeof(struct xtr_run_opts) } \
	}

extern const struct argp how_argp; /* struct how_args */

void how_args__free(struct how_args *args);

/* ---- how the result is told, where there may be differences ------------ */

struct report_args {
	bool json;
	bool tap;
	const char *junit;
	__u32 show; /* packets */
	bool show_given;
};

#define REPORT_ARGS_INIT  \
	{                 \
		.show = 3 \
	}

extern const struct argp report_argp; /* struct report_args */

/* The code to exit with where an input could not be had. */
int input_exit_code(int err);

#endif /* XTR_OPTIONS_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Where a run's outcomes go: files, and what they are checked against. */
#ifndef XTR_OUTPUTS_H
#define XTR_OUTPUTS_H

#include <argp.h>

#include <xdptestrun.h>

#include "expect/expect.h"
#include "expect/golden.h"
#include "options.h"
#include "pcap_out.h"

struct output_args {
	const char *out;
	const char *record;
	const char *expect;
	struct report_args report;
};

#define OUTPUT_ARGS_INIT                   \
	{                                  \
		.report = REPORT_ARGS_INIT \
	}

extern const struct argp output_argp; /* struct output_args */

struct outputs {
	struct pcap_out *pcap;
	struct golden_out *golden;
	struct expect *expect;
	struct suite_out *suite;
};

/* All return 0 or the code to exit with, after a message. */

/* Before the packets: they may be in the file that tells what to expect. */
int outputs__open_expect(struct outputs *outputs, const struct output_args *args);

/* With program and packets there; sets in @run what it takes to get outcomes. */
int outputs__open(struct outputs *outputs, const struct output_args *args,
		  struct xtr_target *target, struct xtr_source *source, struct xtr_run_opts *run);

/* After a run that went to its end. */
int outputs__finish(struct outputs *outputs);

void outputs__close(struct outputs *outputs);

#endif /* XTR_OUTPUTS_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Golden files: pcapng with two interfaces, "in" with the packets as they were
 * before the run and "out" with what became of each, its verdict in epb_verdict.
 * The packets of one pair have the same epb_packetid. What pcapng has no place
 * for is a comment: "metadata 00112233", "sinks tx_ports:0 tx_ports:1" (both:
 * metadata first, a semicolon between), and what of the outcome is not known.
 */
#ifndef XTR_GOLDEN_H
#define XTR_GOLDEN_H

#include <xdptestrun.h>

#include "expectation.h"

/* ---- writing ----------------------------------------------------------- */

struct golden_out;

struct golden_out_opts {
	struct xtr_source *source; /* the packets that are run */
	__u32 max_len; /* of these, longer ones are left out */
	const char *program;
	const char *path;
	const char *const *redirects; /* the run's, ends with NULL; NULL: sinks are not known */
};

/* NULL after a message. */
struct golden_out *golden_out__open(const char *path, const struct golden_out_opts *opts);

/* An xtr_outcomes_fn for all outcomes, in order; @ctx is the file. */
int golden_out__write(void *ctx, const struct xtr_outcome *outcomes, size_t count);
int golden_out__commit(struct golden_out *out);
void golden_out__close(struct golden_out *out);

/* ---- reading ----------------------------------------------------------- */

/* The file's packets, to be run. The fd must outlive the source. NULL with errno. */
struct xtr_source *golden__source(int fd, const char *name);

struct golden_reader;

struct golden_reader *golden_reader__open(int fd, const char *name);

/*
 * The next pair; good until the next call. 1; 0 at the end; a negative errno
 * after a message.
 */
int golden_reader__next(struct golden_reader *reader, struct expectation *expectation);
void golden_reader__close(struct golden_reader *reader);

#endif /* XTR_GOLDEN_H */

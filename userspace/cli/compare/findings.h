/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Differences between paths, by kind and reason: how many, and the first ones in full. */
#ifndef XTR_FINDINGS_H
#define XTR_FINDINGS_H

#include <stdio.h>

#include <xdptestrun.h>

#include "json_out.h"
#include "lockstep.h"

enum diff_kind {
	DIFF_ORDER, /* outcomes of different packets */
	DIFF_LOST,
	DIFF_VERDICT,
	DIFF_LENGTH,
	DIFF_BYTES,
	DIFF_META,
	DIFF_SINKS, /* where a redirected packet arrived */
	DIFF_KINDS,
};

/* Why paths may differ; the first one that applies. */
enum cause {
	CAUSE_NONE, /* a difference that has no explanation */
	CAUSE_BARE,
	CAUSE_TAIL,
	CAUSE_META_IN,
	CAUSE_SINK,
	CAUSE_DEVICE,
	CAUSE_NETNS,
	CAUSE_CPU,
	CAUSE_TIME,
	CAUSE_RANDOM,
	CAUSE_SHARED,
	CAUSE_KFUNC,
	CAUSES,
};

/* What is known of a path and its program when two outcomes are compared. */
struct compared {
	const char *name;
	const char *mode; /* "bare", "spliced" */
	bool veth;
	__u32 traits;
	__u32 lanes;
	bool fresh_lanes; /* lanes share no map */
	const char *const *redirects; /* the sinks' names, ends with NULL; NULL: it has none */
	bool meta_in; /* packets come with metadata */
};

struct example {
	__u64 index;
	struct xtr_outcome a, b; /* with bytes of their own */
};

struct finding {
	__u64 count;
	struct example *examples;
	size_t example_cnt;
};

struct findings {
	size_t show; /* examples of each */
	__u64 packets; /* compared */
	__u64 differing; /* packets with a difference, known or not */
	__u64 unexplained; /* packets with one that is not known */
	__u64 unseen; /* packets of which a path did not tell the bytes */
	struct finding all[LOCKSTEP_MAX][DIFF_KINDS][CAUSES];
};

/* Compares one packet's outcomes on paths 0 to @count - 1, each with the first. */
int findings__add(struct findings *findings, const struct compared *paths, size_t count,
		  const struct xtr_outcome *const *outcomes, size_t at);

/* All that is known about path @path against the first one. */
void findings__print(FILE *file, const struct findings *findings, const struct compared *paths,
		     size_t path);
__u64 findings__count(const struct findings *findings, size_t path, bool known);
json_object *findings__json(const struct findings *findings, const struct compared *paths,
			    size_t count);
void findings__free(struct findings *findings);

#endif /* XTR_FINDINGS_H */

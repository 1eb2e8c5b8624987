/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Cases written by hand: JSON lines, an object with a packet and what should
 * become of it in each. docs/golden-files.md has the fields.
 */
#ifndef XTR_JSONL_H
#define XTR_JSONL_H

#include <stdio.h>

#include <xdptestrun.h>

#include "expectation.h"

struct jsonl_case {
	unsigned long line;
	struct expectation expectation;
	struct xtr_packet packet;
	void *bytes; /* what the others point to */
};

struct jsonl {
	struct jsonl_case *cases;
	size_t count;
};

/* @name is for messages. 0, or -EBADMSG, -ENOMEM, ... after a message. */
int jsonl__read(struct jsonl *jsonl, FILE *file, const char *name);
void jsonl__free(struct jsonl *jsonl);

#endif /* XTR_JSONL_H */

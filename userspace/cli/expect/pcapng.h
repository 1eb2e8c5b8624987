/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * pcapng files, as far as golden files need them: section header, interface
 * description and enhanced packet blocks, with the options that libpcap does
 * not hand over, above all epb_verdict. Other blocks and options are skipped.
 * (draft-ietf-opsawg-pcapng)
 */
#ifndef XTR_PCAPNG_H
#define XTR_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

#define PCAPNG_MAX_BLOCK (1 << 20) /* bytes of a block that is looked into */
#define PCAPNG_ETHERNET 1 /* LINKTYPE_ETHERNET */

/* Types of verdicts */
#define PCAPNG_VERDICT_TC 1
#define PCAPNG_VERDICT_XDP 2

/* What epb_flags says of the direction. */
#define PCAPNG_INBOUND 1
#define PCAPNG_OUTBOUND 2

struct pcapng_packet {
	__u32 interface;
	const char *if_name; /* "" where the file does not tell; reader only */
	__u16 link_type; /* reader only */
	__u64 ts_ns; /* since the epoch */
	const __u8 *data;
	__u32 len; /* bytes of data */
	__u32 orig_len; /* and before they were cut */
	__u32 flags; /* PCAPNG_INBOUND, ... */
	bool has_verdict;
	__u8 verdict_type;
	__u64 verdict;
	bool has_id; /* the same packet on several interfaces */
	__u64 id;
	const char *comment; /* NULL: none */
	__u32 comment_len;
};

/* ---- writing: 0, or a negative errno of the file ----------------------- */

int pcapng__write_section(FILE *file, const char *os, const char *application, const char *comment);
int pcapng__write_interface(FILE *file, const char *name, const char *description);

/* To an interface written before; they count from 0. */
int pcapng__write_packet(FILE *file, const struct pcapng_packet *packet);

/* ---- reading ----------------------------------------------------------- */

struct pcapng_reader;

/*
 * Readers of one @fd do not disturb each other; the fd stays the caller's. NULL
 * where there is no memory.
 */
struct pcapng_reader *pcapng_reader__open(int fd);

/*
 * The next packet; what it points to is good until the next call. 1; 0 at the
 * end of the file; -EBADMSG, or what read() said, with pcapng_reader__error().
 */
int pcapng_reader__next(struct pcapng_reader *reader, struct pcapng_packet *packet);

/* What was wrong, and where in the file. */
const char *pcapng_reader__error(const struct pcapng_reader *reader);
void pcapng_reader__close(struct pcapng_reader *reader);

#endif /* XTR_PCAPNG_H */

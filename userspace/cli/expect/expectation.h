/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_EXPECTATION_H
#define XTR_EXPECTATION_H

#include <stdbool.h>
#include <linux/types.h>

/* What should become of one packet; what it does not say may be anything. */
struct expectation {
	const char *name; /* NULL: it has none */
	__u32 in_len; /* bytes of the packet before the run */
	bool has_verdict;
	bool has_len;
	bool has_data;
	bool has_meta;
	bool has_sinks;
	__u32 verdict;
	__u32 len; /* bytes of the packet after the run */
	const __u8 *data; /* its bytes; @len of them, or fewer: the first ones */
	__u32 data_len;
	const __u8 *mask; /* @data_len bytes whose bits count; NULL: all */
	const __u8 *meta; /* its metadata */
	__u32 meta_len;
	const char *sinks; /* that it arrives at: their names, blanks between */
};

#endif /* XTR_EXPECTATION_H */

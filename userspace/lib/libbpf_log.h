/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_LIBBPF_LOG_H
#define XTR_LIBBPF_LOG_H

/* What libbpf said in one thread while it did something, boiled down. */
struct xtr_libbpf_log {
	char program[64]; /* whose verifier log it was */
	char verifier[512]; /* its last line that says something */
	char reason[512]; /* libbpf's own last warning that says something */
};

/* Sends libbpf's messages to the debug log; process-wide, done once. */
void xtr_libbpf_log__install(void);

/* Collects this thread's messages in @log until told to stop. */
void xtr_libbpf_log__start(struct xtr_libbpf_log *log);
void xtr_libbpf_log__stop(void);

/*
 * The last line of a verifier log that tells why, without a newline. Points
 * into @log; its length goes to @len.
 */
const char *xtr_verifier_reason(const char *log, size_t *len);

#endif /* XTR_LIBBPF_LOG_H */

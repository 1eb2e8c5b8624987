/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_LOG_H
#define XTR_LOG_H

#include <xdptestrun.h>

__attribute__((format(printf, 2, 3))) void xtr_log(enum xtr_log_level level, const char *fmt, ...);

/*
 * Says the calling thread's messages at debug level while on: for attempts that
 * may fail. Returns what it was.
 */
bool xtr_log__demote(bool on);

/*
 * Of the errors of all threads that share @said, the first is said as one and
 * the others at debug level; what it sets *@said to is seen by all. NULL ends
 * it for the calling thread.
 */
void xtr_log__share(int *said);

#define pr_err(fmt, ...) xtr_log(XTR_LOG_ERROR, fmt, ##__VA_ARGS__)
#define pr_warn(fmt, ...) xtr_log(XTR_LOG_WARN, fmt, ##__VA_ARGS__)
#define pr_info(fmt, ...) xtr_log(XTR_LOG_INFO, fmt, ##__VA_ARGS__)
#define pr_debug(fmt, ...) xtr_log(XTR_LOG_DEBUG, fmt, ##__VA_ARGS__)

#endif /* XTR_LOG_H */

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The one way in which the library speaks: a callback that the user can replace. */
#include <stdio.h>

#include "log.h"

static void log_to_stderr(enum xtr_log_level level, const char *fmt, va_list args)
{
	char line[1024];

	if (level > XTR_LOG_WARN)
		return;
	/* One write per line, so that lanes do not mix their words. */
	vsnprintf(line, sizeof(line), fmt, args);
	fprintf(stderr, "%s\n", line);
}

static __thread bool demoted;

bool xtr_log__demote(bool on)
{
	bool was = demoted;

	demoted = on;
	return was;
}

static __thread int *shared;

void xtr_log__share(int *said)
{
	shared = said;
}

static bool said_before(void)
{
	return shared && __atomic_exchange_n(shared, 1, __ATOMIC_ACQ_REL);
}

static xtr_log_fn log_fn = log_to_stderr;

xtr_log_fn xtr_set_log(xtr_log_fn fn)
{
	return __atomic_exchange_n(&log_fn, fn, __ATOMIC_ACQ_REL);
}

void xtr_log(enum xtr_log_level level, const char *fmt, ...)
{
	xtr_log_fn fn = __atomic_load_n(&log_fn, __ATOMIC_ACQUIRE);
	va_list args;

	if (!fn)
		return;
	if (demoted || (level == XTR_LOG_ERROR && said_before()))
		level = XTR_LOG_DEBUG;
	va_start(args, fmt);
	fn(level, fmt, args);
	va_end(args);
}

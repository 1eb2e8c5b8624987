// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * libbpf tells what went wrong in several lines and in passing. They all go to
 * the debug log; the one line that explains a failure is picked out here.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "libbpf_log.h"
#include "log.h"

static __thread struct xtr_libbpf_log *collecting;

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Statistics that follow the reason. */
static bool is_trailer(const char *line, size_t len)
{
	return !len || starts_with(line, "processed ") || starts_with(line, "verification time") ||
	       starts_with(line, "stack depth ") || starts_with(line, "-- END ");
}

const char *xtr_verifier_reason(const char *log, size_t *len)
{
	const char *reason = log, *end;

	*len = 0;
	for (const char *line = log; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (is_trailer(line, end - line))
			continue;
		reason = line;
		*len = end - line;
	}
	return reason;
}

/* "prog 'NAME': ..." */
static void take_program(struct xtr_libbpf_log *log, const char *text)
{
	if (sscanf(text, "prog '%63[^']'", log->program) != 1)
		log->program[0] = '\0';
}

static void collect_verifier(struct xtr_libbpf_log *log, const char *text, const char *begin)
{
	size_t len;
	const char *line = xtr_verifier_reason(strchrnul(begin, '\n'), &len);

	take_program(log, text);
	snprintf(log->verifier, sizeof(log->verifier), "%.*s", (int)len, line);
}

/* What libbpf adds on its way out repeats that it failed, not why. */
static bool is_echo(const char *text)
{
	return starts_with(text, "failed to load object") ||
	       starts_with(text, "failed to load BPF skeleton") ||
	       strstr(text, ": failed to load: ");
}

static void collect(struct xtr_libbpf_log *log, const char *text)
{
	const char *begin = strstr(text, "-- BEGIN PROG LOAD LOG --");

	if (begin) {
		collect_verifier(log, text, begin);
		return;
	}
	if (is_echo(text))
		return;
	if (strstr(text, "BPF program load failed"))
		take_program(log, text);
	snprintf(log->reason, sizeof(log->reason), "%.*s", (int)strcspn(text, "\n"), text);
}

static void debug_lines(char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		pr_debug("libbpf: %s", line);
}

__attribute__((format(printf, 2, 0))) static int print_fn(enum libbpf_print_level level,
							  const char *fmt, va_list args)
{
	static const char prefix[] = "libbpf: ";
	char *text, *start;

	if (vasprintf(&text, fmt, args) < 0)
		return 0;
	start = starts_with(text, prefix) ? text + sizeof(prefix) - 1 : text;
	if (collecting && level == LIBBPF_WARN)
		collect(collecting, start);
	debug_lines(start);
	free(text);
	return 0;
}

static void install(void)
{
	libbpf_set_print(print_fn);
}

void xtr_libbpf_log__install(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install);
}

void xtr_libbpf_log__start(struct xtr_libbpf_log *log)
{
	memset(log, 0, sizeof(*log));
	collecting = log;
}

void xtr_libbpf_log__stop(void)
{
	collecting = NULL;
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* All that goes to stderr: the library's log and the command's own messages. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum cli_verbosity verbosity = CLI_NORMAL;
static bool released;
static char *held; /* notes, one per line */
static char last[1024];

/* Gets errors that may not be any. */
struct capture {
	char *text;
	size_t size;
};

static struct capture all_threads;
static __thread struct capture this_thread;

static const char *prefix(enum xtr_log_level level)
{
	switch (level) {
	case XTR_LOG_ERROR:
		return "";
	case XTR_LOG_WARN:
		return "warning: ";
	case XTR_LOG_INFO:
		return "note: ";
	default:
		return "debug: ";
	}
}

static bool is_shown(enum xtr_log_level level)
{
	if (level == XTR_LOG_ERROR)
		return true;
	return verbosity >= (level == XTR_LOG_DEBUG ? CLI_VERBOSE : CLI_NORMAL);
}

static void hold(const char *line)
{
	size_t used = held ? strlen(held) : 0;
	char *more = realloc(held, used + strlen(line) + 2);

	if (!more)
		return;
	held = more;
	sprintf(held + used, "%s\n", line);
}

static bool is_held(const char *line)
{
	size_t len = strlen(line);

	for (const char *at = held; at && *at; at = strchr(at, '\n') + 1)
		if (!strncmp(at, line, len) && at[len] == '\n')
			return true;
	return false;
}

/* Lanes that fail for the same reason say the same; of debugging, each line counts. */
static bool is_repeated(enum xtr_log_level level, const char *line)
{
	if (level == XTR_LOG_DEBUG)
		return false;
	if (!strcmp(line, last) || is_held(line))
		return true;
	strcpy(last, line);
	return false;
}

static void message(enum xtr_log_level level, const char *fmt, va_list args)
{
	const struct capture *capture = this_thread.text ? &this_thread : &all_threads;
	char line[sizeof(last)];
	int len;

	pthread_mutex_lock(&lock);
	if (capture->text && level == XTR_LOG_ERROR) {
		vsnprintf(capture->text, capture->size, fmt, args);
		goto out;
	}
	if (!is_shown(level))
		goto out;
	len = snprintf(line, sizeof(line), "xdp-testrun: %s", prefix(level));
	vsnprintf(line + len, sizeof(line) - len, fmt, args);
	if (is_repeated(level, line))
		goto out;
	if (level != XTR_LOG_ERROR && !released && verbosity < CLI_VERBOSE)
		hold(line);
	else
		fprintf(stderr, "%s\n", line);
out:
	pthread_mutex_unlock(&lock);
}

void cli_log_init(void)
{
	xtr_set_log(message);
}

void cli_set_verbosity(enum cli_verbosity value)
{
	verbosity = value;
}

static void set_capture(struct capture *capture, char *text, size_t size)
{
	pthread_mutex_lock(&lock);
	*capture = (struct capture){ text, size };
	if (text)
		*text = '\0';
	pthread_mutex_unlock(&lock);
}

void cli_capture_errors(char *text, size_t size)
{
	set_capture(&all_threads, text, size);
}

void cli_capture_own_errors(char *text, size_t size)
{
	set_capture(&this_thread, text, size);
}

void cli_release_notes(void)
{
	pthread_mutex_lock(&lock);
	released = true;
	if (held)
		fputs(held, stderr);
	free(held);
	held = NULL;
	pthread_mutex_unlock(&lock);
}

void cli_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message(XTR_LOG_ERROR, fmt, args);
	va_end(args);
}

void cli_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message(XTR_LOG_WARN, fmt, args);
	va_end(args);
}

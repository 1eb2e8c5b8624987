// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Small things that several subcommands need. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli.h"

double cli_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

double cli_mpps(const struct xtr_result *result)
{
	return result->seconds > 0 ? result->observed / result->seconds / 1e6 : 0;
}

int cli_run_exit_code(int err)
{
	switch (-err) {
	case 0:
		return CLI_OK;
	case EINTR:
		return CLI_INTERRUPTED;
	case EINVAL:
	case EBADMSG:
	case ENODATA:
		return CLI_USAGE;
	default:
		return CLI_IMPOSSIBLE;
	}
}

int cli_finish_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	cli_error("cannot write the report: %s", strerror(errno));
	return -EIO;
}

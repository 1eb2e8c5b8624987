// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Ctrl-C ends a run in an orderly way, so that nothing stays behind. */
#include <signal.h>
#include <stddef.h>

#include "cli.h"

static volatile int stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

const volatile int *cli_stop_flag(void)
{
	/* Once each: who asks twice wants it at once. */
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return &stop;
}

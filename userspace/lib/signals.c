// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stddef.h>

#include "signals.h"

void xtr_signals__hold(sigset_t *was)
{
	static const int stay[] = {
		SIGINT, SIGTERM, SIGQUIT, SIGHUP,  SIGTSTP, SIGSEGV,
		SIGBUS, SIGFPE,	 SIGILL,  SIGABRT, SIGTRAP,
	};
	sigset_t set;
	size_t i;

	sigfillset(&set);
	for (i = 0; i < sizeof(stay) / sizeof(stay[0]); i++)
		sigdelset(&set, stay[i]);
	pthread_sigmask(SIG_BLOCK, &set, was);
}

void xtr_signals__release(const sigset_t *was)
{
	pthread_sigmask(SIG_SETMASK, was, NULL);
}

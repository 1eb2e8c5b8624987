/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What a test does to the network namespaces of a run's lanes. */
#ifndef XTR_TEST_LANE_NETNS_H
#define XTR_TEST_LANE_NETNS_H

#include <sys/types.h>

/* Which network namespace the calling thread is in; 0 if that cannot be told. */
ino_t this_netns(void);

/*
 * Calls @fn in the namespace of each of this process's lanes, one after the
 * other; for when they are set up (xtr_run_opts.ready). Returns 0 or what @fn
 * returned, and -EIO where nothing could be called.
 */
int in_lane_netns(int (*fn)(void *arg), void *arg);

/* The same with a shell script. */
int shell_in_lane_netns(const char *script);

#endif /* XTR_TEST_LANE_NETNS_H */

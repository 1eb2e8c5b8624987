/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the unit tests share; included once, by the test's only file. */
#ifndef XTR_UNIT_H
#define XTR_UNIT_H

#include <errno.h>
#include <net/if.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/if_packet.h>
#include <xdptestrun.h>

#ifndef XTR_BPF_DIR_DEFAULT
#define XTR_BPF_DIR_DEFAULT "build/bpf"
#endif

/* ---- what was said ----------------------------------------------------- */

static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;
static char said[8192]; /* everything from notes to errors, one per line */

static void unit_log(enum xtr_log_level level, const char *fmt, va_list args)
{
	size_t used;

	if (level == XTR_LOG_DEBUG)
		return;
	pthread_mutex_lock(&said_lock);
	used = strlen(said);
	vsnprintf(said + used, sizeof(said) - used, fmt, args);
	strncat(said, "\n", sizeof(said) - strlen(said) - 1);
	pthread_mutex_unlock(&said_lock);
}

static int setup(void **state)
{
	(void)state;
	said[0] = '\0';
	xtr_set_log(unit_log);
	return 0;
}

#define test(name) cmocka_unit_test_setup(name, setup)

#define assert_said(text)                                              \
	do {                                                           \
		if (!strstr(said, text))                               \
			fail_msg("\"%s\" is not in:\n%s", text, said); \
	} while (0)

#define assert_ok(err)                                                              \
	do {                                                                        \
		int __err = (err);                                                  \
		if (__err)                                                          \
			fail_msg("%s: %s; said: %s", #err, strerror(-__err), said); \
	} while (0)

/* ---- surroundings ------------------------------------------------------ */

static inline void need_root(void)
{
	if (geteuid())
		skip();
}

static inline void pause_ms(int ms)
{
	usleep(ms * 1000);
}

/* Which network namespace the calling thread is in. */
static inline ino_t this_netns(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/thread-self/ns/net", &st), 0);
	return st.st_ino;
}

/* Sends @count frames of zeros out of @ifname. */
static inline int inject_frames(const char *ifname, int count)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = if_nametoindex(ifname),
	};
	int sock = socket(AF_PACKET, SOCK_RAW, 0), err = 0;
	char frame[60] = {};

	while (count-- && !err)
		if (sendto(sock, frame, sizeof(frame), 0, (void *)&to, sizeof(to)) < 0)
			err = -errno;
	close(sock);
	return err;
}

static inline const char *bpf_path(const char *name)
{
	static char path[512];
	const char *dir = getenv("XTR_BPF_DIR");

	snprintf(path, sizeof(path), "%s/%s.bpf.o", dir ? dir : XTR_BPF_DIR_DEFAULT, name);
	return path;
}

static inline struct xtr_target *must_load(const char *object, const char *program)
{
	struct xtr_target_opts opts = { .sz = sizeof(opts), .program = program };
	struct xtr_target *target = xtr_target__open(bpf_path(object), &opts);

	if (!target)
		fail_msg("%s does not open: %s", object, said);
	if (xtr_target__load(target))
		fail_msg("%s does not load: %s", object, said);
	return target;
}

#endif /* XTR_UNIT_H */

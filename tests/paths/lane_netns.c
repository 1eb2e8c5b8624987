// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lane_netns.h"

struct visit {
	int (*fn)(void *arg);
	void *arg;
	int ns_fd;
	int err;
};

static void *visit(void *arg)
{
	struct visit *visit = arg;

	visit->err = setns(visit->ns_fd, CLONE_NEWNET) ? -EIO : visit->fn(visit->arg);
	return NULL;
}

static ino_t inode(int fd)
{
	struct stat st;

	return fd < 0 || fstat(fd, &st) ? 0 : st.st_ino;
}

static int open_netns(const char *tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/ns/net", tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A thread that is somewhere else is a lane. */
static int visit_task(const char *tid, ino_t here, struct visit at)
{
	pthread_t thread;
	ino_t there;

	at.ns_fd = open_netns(tid);
	there = inode(at.ns_fd);
	if (there && there != here) {
		at.err = -pthread_create(&thread, NULL, visit, &at);
		if (!at.err)
			pthread_join(thread, NULL);
	}
	if (at.ns_fd >= 0)
		close(at.ns_fd);
	return at.err;
}

ino_t this_netns(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) ? 0 : st.st_ino;
}

int in_lane_netns(int (*fn)(void *arg), void *arg)
{
	DIR *dir = opendir("/proc/self/task");
	ino_t here = this_netns();
	struct dirent *entry;
	int err = dir ? 0 : -EIO;

	while (dir && !err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			err = visit_task(entry->d_name, here,
					 (struct visit){ .fn = fn, .arg = arg });
	if (dir)
		closedir(dir);
	return err;
}

/* The shell inherits the thread's namespace. */
static int shell(void *script)
{
	return system(script) ? -EIO : 0;
}

int shell_in_lane_netns(const char *script)
{
	return in_lane_netns(shell, (void *)script);
}

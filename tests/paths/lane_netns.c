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

#define MAX_LANES 64

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

static int visit_netns(int ns_fd, int (*fn)(void *arg), void *arg)
{
	struct visit at = { .fn = fn, .arg = arg, .ns_fd = ns_fd };
	pthread_t thread;
	int err;

	err = -pthread_create(&thread, NULL, visit, &at);
	if (!err)
		pthread_join(thread, NULL);
	return err ? err : at.err;
}

/* Where threads are that are somewhere else: lanes. Returns how many. */
static int find_lanes(int *fds, int max)
{
	DIR *dir = opendir("/proc/self/task");
	ino_t here = this_netns(), there;
	struct dirent *entry;
	int count = 0;

	while (dir && count < max && (entry = readdir(dir))) {
		fds[count] = entry->d_name[0] == '.' ? -1 : open_netns(entry->d_name);
		there = inode(fds[count]);
		if (there && there != here)
			count++;
		else if (fds[count] >= 0)
			close(fds[count]);
	}
	if (dir)
		closedir(dir);
	return dir ? count : -EIO;
}

ino_t this_netns(void)
{
	struct stat st;

	return stat("/proc/thread-self/ns/net", &st) ? 0 : st.st_ino;
}

/* All are found first: a visitor that has ended may be listed as a thread for a while. */
int in_lane_netns(int (*fn)(void *arg), void *arg)
{
	int fds[MAX_LANES], count = find_lanes(fds, MAX_LANES), err = 0, i;

	if (count < 0)
		return count;
	if (count == MAX_LANES)
		err = -E2BIG;
	for (i = 0; i < count; i++) {
		if (!err)
			err = visit_netns(fds[i], fn, arg);
		close(fds[i]);
	}
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

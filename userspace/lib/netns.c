// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The scripts are part of the library, so that an installed one needs no path
 * to find them; they run in the calling thread's namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "caps.h"
#include "log.h"
#include "netns.h"

#define EMBED(symbol, file)                                                               \
	asm(".section .rodata\n" #symbol ": .incbin \"" XTR_NETNS_SCRIPTS "/" file "\"\n" \
	    ".byte 0\n.previous\n");                                                      \
	extern const char symbol[]

EMBED(lane_up_script, "lane-up");
EMBED(lanes_clean_script, "lanes-clean");

extern char **environ;

#define CARRIER_TRIES 30000 /* ms; many lanes on a busy machine take their time */

/* What a script says on stderr ends up in one line of ours. */
static void read_all(int fd, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, buf + used, size - used - 1)) > 0)
		used += n;
	while (used && buf[used - 1] == '\n')
		used--;
	buf[used] = '\0';
	for (; *buf; buf++)
		if (*buf == '\n')
			*buf = ';';
}

static int spawn(const char *script, const char *name, char *const args[], int stderr_fd,
		 pid_t *pid)
{
	char *argv[16] = { "sh", "-c", (char *)script, (char *)name };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int i, err;

	for (i = 0; i < 11 && args[i]; i++)
		argv[4 + i] = args[i];
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, stderr_fd, STDERR_FILENO);
	err = -posix_spawn(pid, "/bin/sh", &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return err;
}

static int run_script(const char *script, const char *name, char *const args[])
{
	char said[512];
	int fds[2], status = 0, err;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	err = spawn(script, name, args, fds[1], &pid);
	close(fds[1]);
	if (!err) {
		read_all(fds[0], said, sizeof(said));
		/* A caller that ignores SIGCHLD has no status: the carrier tells then. */
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			pr_err("netns-scripts/%s failed: %s", name, said);
			err = -EIO;
		}
	} else {
		pr_err("cannot run netns-scripts/%s: %s", name, strerror(-err));
	}
	close(fds[0]);
	return err;
}

/* For questions about devices of the thread's namespace. */
static int open_socket(void)
{
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (sock >= 0)
		return sock;
	sock = -errno;
	pr_err("cannot open a socket in the lane: %s", strerror(-sock));
	return sock;
}

/*
 * glibc's if_nametoindex() looks for an address family to open a socket of; with
 * no descriptor left its errno is that of the last file it looked for.
 */
int xtr_netns__ifindex(const char *ifname)
{
	struct ifreq req = {};
	int sock, err;

	sock = open_socket();
	if (sock < 0)
		return sock;
	strncpy(req.ifr_name, ifname, sizeof(req.ifr_name) - 1);
	err = ioctl(sock, SIOCGIFINDEX, &req) ? -errno : 0;
	close(sock);
	if (err)
		pr_err("the lane has no %s: %s", ifname, strerror(-err));
	return err ? err : req.ifr_ifindex;
}

static bool running(int sock, const char *ifname)
{
	struct ifreq req = {};

	strncpy(req.ifr_name, ifname, sizeof(req.ifr_name) - 1);
	return !ioctl(sock, SIOCGIFFLAGS, &req) && req.ifr_flags & IFF_RUNNING;
}

/* A frame sent before the carrier is up is lost, and its descriptor completes. */
static int await_carrier(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int sock, tries, err = -ETIMEDOUT;

	sock = open_socket();
	if (sock < 0)
		return sock;
	for (tries = 0; err && tries < CARRIER_TRIES; tries++) {
		if (running(sock, XTR_NETNS_INJECT) && running(sock, XTR_NETNS_TARGET))
			err = 0;
		else
			nanosleep(&pause, NULL);
	}
	close(sock);
	if (err)
		pr_err("the lane's veth pair has no carrier after %d s", CARRIER_TRIES / 1000);
	return err;
}

int xtr_netns__lane_up(__u32 sinks)
{
	char count[16], mtu[16], wide[16];
	char *args[] = { "--sinks", count, "--mtu", mtu, "--wide", wide, NULL };
	int err;

	if (xtr_caps__missing(xtr_caps_netns))
		return xtr_caps__explain("making a network namespace", xtr_caps_netns);
	if (unshare(CLONE_NEWNET)) {
		err = -errno;
		pr_err("cannot make a network namespace: %s", strerror(-err));
		return err;
	}
	snprintf(count, sizeof(count), "%u", sinks);
	snprintf(mtu, sizeof(mtu), "%d", XTR_NETNS_MTU);
	snprintf(wide, sizeof(wide), "%d", XTR_NETNS_WIDE_MTU);
	err = run_script(lane_up_script, "lane-up", args);
	return err ? err : await_carrier();
}

int xtr_netns__clean(bool all)
{
	char *args[] = { all ? "--all" : NULL, NULL };

	return run_script(lanes_clean_script, "lanes-clean", args);
}

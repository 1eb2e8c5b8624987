// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/if_link.h>

#include "caps.h"
#include "hold.h"
#include "log.h"

#define LOOPBACK_IFINDEX 1 /* the first device of each network namespace */

struct request {
	struct xtr_hold *hold;
	int prog_fd;
	int err;
};

/* A thread of its own, so that the caller stays in its namespace. */
static void *attach(void *arg)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_SKB_MODE);
	struct request *req = arg;
	struct xtr_hold *hold = req->hold;

	if (unshare(CLONE_NEWNET)) {
		req->err = -errno;
		return NULL;
	}
	/* A link does not keep the namespace alive, an open file does. */
	hold->ns_fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (hold->ns_fd < 0) {
		req->err = -errno;
		return NULL;
	}
	hold->link_fd = bpf_link_create(req->prog_fd, LOOPBACK_IFINDEX, BPF_XDP, &opts);
	if (hold->link_fd < 0)
		req->err = hold->link_fd;
	return NULL;
}

int xtr_hold__open(struct xtr_hold *hold, int prog_fd)
{
	struct request req = { .hold = hold, .prog_fd = prog_fd };
	pthread_t thread;
	int err;

	*hold = (struct xtr_hold)XTR_HOLD_NONE;
	err = -pthread_create(&thread, NULL, attach, &req);
	if (!err) {
		pthread_join(thread, NULL);
		err = req.err;
	}
	if (!err)
		return 0;
	if (err == -EPERM)
		xtr_caps__explain("holding the program in the dispatcher", xtr_caps_netns);
	else
		pr_err("cannot hold the program in the dispatcher: %s", strerror(-err));
	xtr_hold__close(hold);
	return err;
}

void xtr_hold__close(struct xtr_hold *hold)
{
	if (hold->link_fd >= 0)
		close(hold->link_fd);
	if (hold->ns_fd >= 0)
		close(hold->ns_fd);
	*hold = (struct xtr_hold)XTR_HOLD_NONE;
}

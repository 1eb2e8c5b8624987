// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Keeping a program in the dispatcher: attached where nothing comes by. */
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <bpf/bpf.h>

#include "hold.h"
#include "unit.h"

static struct bpf_link_info link_info(int fd)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info;
}

static __u32 prog_id(int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

static bool link_exists(__u32 id)
{
	int fd = bpf_link_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool prog_exists(__u32 id)
{
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* What ends in the background has two seconds for it. */
#define assert_soon(condition)                                      \
	do {                                                        \
		for (int __i = 0; !(condition) && __i < 200; __i++) \
			pause_ms(10);                               \
		assert_true(condition);                             \
	} while (0)

/* ---- a look into the namespace ----------------------------------------- */

struct look {
	int ns_fd;
	ino_t netns;
	int flags; /* of lo */
	int devices;
};

static void *look(void *arg)
{
	struct look *look = arg;
	struct ifreq req = { .ifr_name = "lo" };
	struct if_nameindex *names;
	int sock;

	if (setns(look->ns_fd, CLONE_NEWNET))
		return NULL;
	look->netns = this_netns();
	sock = socket(AF_INET, SOCK_DGRAM, 0);
	look->flags = ioctl(sock, SIOCGIFFLAGS, &req) ? -1 : req.ifr_flags;
	close(sock);
	names = if_nameindex();
	while (names && names[look->devices].if_index)
		look->devices++;
	if_freenameindex(names);
	return NULL;
}

static struct look look_into(int ns_fd)
{
	struct look at = { .ns_fd = ns_fd };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, look, &at), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	return at;
}

/* ---- tests ------------------------------------------------------------- */

static void attaches_aside(void **state)
{
	struct xtr_target *target;
	struct bpf_link_info info;
	struct xtr_hold hold;
	ino_t here = this_netns();
	struct look at;

	(void)state;
	need_root();
	target = must_load("xdp_pass", NULL);
	assert_ok(xtr_hold__open(&hold, xtr_target__fd(target)));
	info = link_info(hold.link_fd);
	assert_int_equal(info.type, BPF_LINK_TYPE_XDP);
	assert_int_equal(info.prog_id, prog_id(xtr_target__fd(target)));
	assert_int_equal(info.xdp.ifindex, 1);
	assert_int_equal(this_netns(), here);
	at = look_into(hold.ns_fd);
	assert_true(at.netns && at.netns != here);
	assert_true(at.flags & IFF_LOOPBACK);
	assert_false(at.flags & IFF_UP);
	assert_int_equal(at.devices, 1);
	xtr_hold__close(&hold);
	xtr_target__close(target);
}

static void leaves_nothing(void **state)
{
	struct xtr_target *target;
	struct xtr_hold hold;
	__u32 link, prog;
	int next_fd, fd;

	(void)state;
	need_root();
	next_fd = dup(0);
	close(next_fd);
	target = must_load("xdp_pass", NULL);
	prog = prog_id(xtr_target__fd(target));
	assert_ok(xtr_hold__open(&hold, xtr_target__fd(target)));
	link = link_info(hold.link_fd).id;
	xtr_hold__close(&hold);
	assert_int_equal(hold.link_fd, -1);
	assert_int_equal(hold.ns_fd, -1);
	assert_soon(!link_exists(link));
	assert_true(prog_exists(prog));
	xtr_target__close(target);
	assert_soon(!prog_exists(prog));
	fd = dup(0);
	assert_int_equal(fd, next_fd);
	close(fd);
	/* Once more is no harm. */
	xtr_hold__close(&hold);
}

/* The namespace lives as long as its file is open, and no longer. */
static void namespace_ends(void **state)
{
	struct xtr_target *target;
	struct xtr_hold hold;

	(void)state;
	need_root();
	target = must_load("xdp_pass", NULL);
	assert_ok(xtr_hold__open(&hold, xtr_target__fd(target)));
	pause_ms(50);
	assert_int_equal(link_info(hold.link_fd).xdp.ifindex, 1);
	close(hold.ns_fd);
	hold.ns_fd = -1;
	assert_soon(!link_info(hold.link_fd).xdp.ifindex);
	xtr_hold__close(&hold);
	xtr_target__close(target);
}

static void holds_many(void **state)
{
	struct xtr_hold holds[32];
	struct xtr_target *target;
	int i;

	(void)state;
	need_root();
	/* One program, and more holds than the dispatcher has slots for programs. */
	target = must_load("xdp_pass", NULL);
	for (i = 0; i < 32; i++)
		assert_ok(xtr_hold__open(&holds[i], xtr_target__fd(target)));
	for (i = 0; i < 32; i++)
		xtr_hold__close(&holds[i]);
	xtr_target__close(target);
}

static void says_why_not(void **state)
{
	struct xtr_hold hold;
	int fd;

	(void)state;
	need_root();
	assert_int_equal(xtr_hold__open(&hold, -1), -EBADF);
	assert_said("cannot hold the program");
	assert_int_equal(hold.link_fd, -1);
	assert_int_equal(hold.ns_fd, -1);
	fd = open("/dev/null", O_RDONLY);
	assert_int_equal(xtr_hold__open(&hold, fd), -EINVAL);
	assert_int_equal(hold.ns_fd, -1);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(attaches_aside), test(leaves_nothing), test(namespace_ends),
		test(holds_many),     test(says_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

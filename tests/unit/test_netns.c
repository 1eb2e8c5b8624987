// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The lanes' namespaces: alike, silent, and gone with their threads. */
#include <dirent.h>
#include <net/if.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <bpf/bpf.h>
#include <linux/if_link.h>

#include "netns.h"
#include "unit.h"

#define LANES 8

struct lane {
	__u32 sinks;
	int prog_fd; /* to be attached to the target's end; -1: none */
	int link_fd;
	int err;
	ino_t netns;
	unsigned int inject, target; /* interface indexes */
	int flags; /* of both ends: what they have in common */
	int mtu, wide_mtu; /* of the target's end, and of the other */
	int devices;
	char ipv6_off[2];
	pthread_t thread;
};

static int get_flags(int sock, const char *ifname)
{
	struct ifreq req = {};

	strncpy(req.ifr_name, ifname, sizeof(req.ifr_name) - 1);
	return ioctl(sock, SIOCGIFFLAGS, &req) ? 0 : req.ifr_flags;
}

static int get_mtu(int sock, const char *ifname)
{
	struct ifreq req = {};

	strncpy(req.ifr_name, ifname, sizeof(req.ifr_name) - 1);
	return ioctl(sock, SIOCGIFMTU, &req) ? -1 : req.ifr_mtu;
}

static void look(struct lane *lane)
{
	struct if_nameindex *names = if_nameindex();
	int sock = socket(AF_INET, SOCK_DGRAM, 0);
	FILE *file;

	lane->netns = this_netns();
	lane->inject = if_nametoindex(XTR_NETNS_INJECT);
	lane->target = if_nametoindex(XTR_NETNS_TARGET);
	lane->flags = get_flags(sock, XTR_NETNS_INJECT) & get_flags(sock, XTR_NETNS_TARGET);
	lane->mtu = get_mtu(sock, XTR_NETNS_TARGET);
	lane->wide_mtu = get_mtu(sock, XTR_NETNS_INJECT);
	close(sock);
	while (names && names[lane->devices].if_index)
		lane->devices++;
	if_freenameindex(names);
	/* /proc/sys shows what belongs to the thread that looks. */
	file = fopen("/proc/sys/net/ipv6/conf/" XTR_NETNS_TARGET "/disable_ipv6", "r");
	if (file) {
		lane->ipv6_off[0] = fgetc(file);
		fclose(file);
	} else {
		lane->ipv6_off[0] = '1'; /* a kernel without IPv6 */
	}
}

static void *go(void *arg)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	struct lane *lane = arg;

	lane->err = xtr_netns__lane_up(lane->sinks);
	if (lane->err)
		return NULL;
	look(lane);
	if (lane->prog_fd >= 0)
		lane->link_fd = bpf_link_create(lane->prog_fd, lane->target, BPF_XDP, &opts);
	return NULL;
}

static void start(struct lane *lane)
{
	lane->link_fd = -1;
	assert_int_equal(pthread_create(&lane->thread, NULL, go, lane), 0);
}

static void join(struct lane *lane)
{
	assert_int_equal(pthread_join(lane->thread, NULL), 0);
	assert_ok(lane->err);
}

static int named_namespaces(void)
{
	DIR *dir = opendir("/run/netns");
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static int own_devices(void)
{
	struct if_nameindex *names = if_nameindex();
	int count = 0;

	while (names && names[count].if_index)
		count++;
	if_freenameindex(names);
	return count;
}

/* ---- tests ------------------------------------------------------------- */

static void lanes_are_alike(void **state)
{
	struct lane lanes[LANES];
	ino_t here = this_netns();
	int devices = own_devices(), named = named_namespaces(), i, k;

	(void)state;
	need_root();
	for (i = 0; i < LANES; i++) {
		lanes[i] = (struct lane){ .prog_fd = -1 };
		start(&lanes[i]);
	}
	for (i = 0; i < LANES; i++)
		join(&lanes[i]);
	for (i = 0; i < LANES; i++) {
		assert_true(lanes[i].inject && lanes[i].target);
		assert_int_equal(lanes[i].inject, lanes[0].inject);
		assert_int_equal(lanes[i].target, lanes[0].target);
		assert_int_equal(lanes[i].mtu, XTR_NETNS_MTU);
		assert_int_equal(lanes[i].wide_mtu, XTR_NETNS_WIDE_MTU);
		assert_int_equal(lanes[i].devices, lanes[0].devices);
		for (k = 0; k < i; k++)
			assert_true(lanes[i].netns != lanes[k].netns);
		assert_true(lanes[i].netns != here);
	}
	assert_int_equal(this_netns(), here);
	assert_int_equal(own_devices(), devices);
	assert_int_equal(named_namespaces(), named);
}

static void lanes_are_silent(void **state)
{
	struct lane lane = { .prog_fd = -1 };

	(void)state;
	need_root();
	start(&lane);
	join(&lane);
	assert_string_equal(lane.ipv6_off, "1");
	assert_true(lane.flags & IFF_UP);
	assert_true(lane.flags & IFF_RUNNING);
	assert_true(lane.flags & IFF_NOARP);
}

static void sinks_are_pairs(void **state)
{
	struct lane without = { .prog_fd = -1 }, with = { .prog_fd = -1, .sinks = 3 };

	(void)state;
	need_root();
	start(&without);
	join(&without);
	start(&with);
	join(&with);
	assert_int_equal(with.devices, without.devices + 6);
	assert_int_equal(with.target, without.target);
}

/* A link keeps no namespace: with that its device goes, which the link tells. */
static void ends_with_its_thread(void **state)
{
	struct bpf_link_info info;
	struct xtr_target *target;
	struct lane lane = {};
	__u32 len = sizeof(info);
	int i;

	(void)state;
	need_root();
	target = must_load("xdp_drop", NULL);
	lane.prog_fd = xtr_target__fd(target);
	start(&lane);
	join(&lane);
	assert_true(lane.link_fd >= 0);
	for (i = 0; i < 300; i++) {
		memset(&info, 0, sizeof(info));
		assert_int_equal(bpf_obj_get_info_by_fd(lane.link_fd, &info, &len), 0);
		if (!info.xdp.ifindex)
			break;
		pause_ms(10);
	}
	assert_int_equal(info.xdp.ifindex, 0);
	close(lane.link_fd);
	xtr_target__close(target);
}

/* Then nobody is told how a child ended. */
static void works_without_sigchld(void **state)
{
	struct lane lane = { .prog_fd = -1 };
	void (*was)(int);

	(void)state;
	need_root();
	was = signal(SIGCHLD, SIG_IGN);
	start(&lane);
	join(&lane);
	signal(SIGCHLD, was);
	assert_true(lane.target);
}

static void says_why_not(void **state)
{
	char *path = strdup(getenv("PATH"));
	struct lane lane = { .prog_fd = -1 };

	(void)state;
	need_root();
	setenv("PATH", "/nowhere", 1);
	start(&lane);
	assert_int_equal(pthread_join(lane.thread, NULL), 0);
	setenv("PATH", path, 1);
	free(path);
	assert_int_equal(lane.err, -EIO);
	assert_said("netns-scripts/lane-up failed");
	assert_said("ip");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(lanes_are_alike),	    test(lanes_are_silent),	 test(sinks_are_pairs),
		test(ends_with_its_thread), test(works_without_sigchld), test(says_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

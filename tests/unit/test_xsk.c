// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* AF_XDP sockets: opened over and over on one device, no program of their own, copies. */
#include <net/if.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>

#include "netns.h"
#include "unit.h"
#include "veth_stats.h"
#include "xsk.h"

#define CYCLES 50
#define FRAMES 100

/* What is done in a lane's namespace, in a thread that ends with it. */
struct stay {
	void (*fn)(struct stay *stay);
	int prog_fd;
	int err;
	int cycles;
	__u32 own_id; /* of what is attached on purpose */
	__u32 id; /* of what is attached once there is a socket */
	__u32 bare_id; /* likewise, on a device where nothing was attached */
	__u64 dropped;
	__u32 received;
	bool zero_copy;
	int bind_err; /* of a socket that insists on it */
};

static void *go(void *arg)
{
	struct stay *stay = arg;

	stay->err = xtr_netns__lane_up(0);
	if (!stay->err)
		stay->fn(stay);
	return NULL;
}

static void run(struct stay *stay)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, go, stay), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_ok(stay->err);
}

/* ---- over and over ------------------------------------------------------- */

static void cycle(struct stay *stay)
{
	struct xtr_xsk xsk;

	for (; stay->cycles < CYCLES && !stay->err; stay->cycles++) {
		stay->err = xtr_xsk__open(&xsk, XTR_NETNS_TARGET, stay->cycles & 1);
		xtr_xsk__close(&xsk);
	}
}

/* The kernel takes a socket apart in the background and says EBUSY meanwhile. */
static void opens_over_and_over(void **state)
{
	struct stay stay = { .fn = cycle };

	(void)state;
	need_root();
	run(&stay);
	assert_int_equal(stay.cycles, CYCLES);
}

/* ---- the program ----------------------------------------------------------- */

static __u32 attached(const char *ifname)
{
	__u32 id = 0;

	assert_ok(bpf_xdp_query_id(if_nametoindex(ifname), 0, &id));
	return id;
}

static __u64 await_drops(struct xtr_veth_stats *stats)
{
	__u64 since[XTR_STATS], drops = 0;
	int tries;

	for (tries = 0; tries < 300 && drops < FRAMES; tries++) {
		if (xtr_veth_stats__read(stats, since))
			break;
		drops += since[XTR_STAT_DROPS];
		pause_ms(5);
	}
	return drops;
}

static void watch(struct stay *stay, struct xtr_xsk *xsk)
{
	struct xtr_veth_stats stats;
	__u32 idx;

	stay->err = xtr_veth_stats__open(&stats, XTR_NETNS_TARGET);
	if (!stay->err)
		stay->err = inject_frames(XTR_NETNS_INJECT, FRAMES);
	if (!stay->err)
		stay->dropped = await_drops(&stats);
	stay->received = xsk_ring_cons__peek(&xsk->rx, XTR_XSK_FRAMES, &idx);
	xtr_veth_stats__close(&stats);
}

static void beside_a_program(struct stay *stay)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	struct xtr_xsk xsk = {}, other = {};
	int link;

	link = bpf_link_create(stay->prog_fd, if_nametoindex(XTR_NETNS_TARGET), BPF_XDP, &opts);
	stay->own_id = attached(XTR_NETNS_TARGET);
	stay->err = xtr_xsk__open(&xsk, XTR_NETNS_TARGET, true);
	if (!stay->err)
		stay->err = xtr_xsk__open(&other, XTR_NETNS_INJECT, true);
	if (!stay->err) {
		stay->id = attached(XTR_NETNS_TARGET);
		stay->bare_id = attached(XTR_NETNS_INJECT);
		watch(stay, &xsk);
	}
	xtr_xsk__close(&other);
	xtr_xsk__close(&xsk);
	if (link >= 0)
		close(link);
}

/* The user's program stays, none comes where there was none, and what it drops is dropped. */
static void brings_no_program(void **state)
{
	struct stay stay = { .fn = beside_a_program };
	struct xtr_target *drop;

	(void)state;
	need_root();
	drop = must_load("xdp_drop", NULL);
	stay.prog_fd = xtr_target__fd(drop);
	run(&stay);
	xtr_target__close(drop);
	assert_int_not_equal(stay.own_id, 0);
	assert_int_equal(stay.id, stay.own_id);
	assert_int_equal(stay.bare_id, 0);
	assert_int_equal(stay.dropped, FRAMES);
	assert_int_equal(stay.received, 0);
}

/* ---- copies ---------------------------------------------------------------- */

#define UMEM_FRAMES 64

static int bind_without_copies(void)
{
	struct xsk_socket_config config = {
		.rx_size = UMEM_FRAMES,
		.tx_size = UMEM_FRAMES,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_ZEROCOPY,
	};
	struct xsk_ring_prod fill, tx;
	struct xsk_ring_cons completion;
	struct xsk_socket *socket = NULL;
	struct xsk_umem *umem = NULL;
	void *buffer;
	int err;

	buffer = aligned_alloc(XTR_XSK_FRAME_SIZE, UMEM_FRAMES * XTR_XSK_FRAME_SIZE);
	err = xsk_umem__create(&umem, buffer, UMEM_FRAMES * XTR_XSK_FRAME_SIZE, &fill, &completion,
			       NULL);
	if (!err)
		err = xsk_socket__create(&socket, XTR_NETNS_INJECT, 0, umem, NULL, &tx, &config);
	xsk_socket__delete(socket);
	xsk_umem__delete(umem);
	free(buffer);
	return err;
}

static void look_for_copies(struct stay *stay)
{
	struct xdp_options options = {};
	socklen_t len = sizeof(options);
	struct xtr_xsk xsk;

	stay->err = xtr_xsk__open(&xsk, XTR_NETNS_TARGET, false);
	if (!stay->err &&
	    getsockopt(xsk_socket__fd(xsk.socket), SOL_XDP, XDP_OPTIONS, &options, &len))
		stay->err = -errno;
	stay->zero_copy = options.flags & XDP_OPTIONS_ZEROCOPY;
	if (!stay->err)
		stay->bind_err = bind_without_copies();
	xtr_xsk__close(&xsk);
}

/* A veth has no zero-copy mode: asked for, it would be EOPNOTSUPP. */
static void copies_frames(void **state)
{
	struct stay stay = { .fn = look_for_copies };

	(void)state;
	need_root();
	run(&stay);
	assert_false(stay.zero_copy);
	assert_int_equal(stay.bind_err, -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(opens_over_and_over),
		test(brings_no_program),
		test(copies_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

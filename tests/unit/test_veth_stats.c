// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What a veth counts of its XDP program's verdicts. */
#include <net/if.h>
#include <bpf/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>

#include "netns.h"
#include "unit.h"
#include "veth_stats.h"

#define FRAMES 100

struct trial {
	const char *object;
	bool with_peer; /* an XDP program on the injecting end, too */
	__u64 since[XTR_STATS];
	__u64 after[XTR_STATS];
	int err;
};

static int attach(int prog_fd, const char *ifname)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);

	return bpf_link_create(prog_fd, if_nametoindex(ifname), BPF_XDP, &opts);
}

static int count_all(struct xtr_veth_stats *stats, __u64 since[XTR_STATS])
{
	__u64 more[XTR_STATS];
	int err, tries, i;

	memset(since, 0, XTR_STATS * sizeof(*since));
	for (tries = 0; tries < 300 && since[XTR_STAT_PACKETS] < FRAMES; tries++) {
		err = xtr_veth_stats__read(stats, more);
		if (err)
			return err;
		for (i = 0; i < XTR_STATS; i++)
			since[i] += more[i];
		pause_ms(5);
	}
	return 0;
}

static void *go(void *arg)
{
	struct trial *trial = arg;
	struct xtr_target *target = must_load(trial->object, NULL);
	int fd = xtr_target__fd(target), link = -1, peer = -1;
	struct xtr_veth_stats stats;

	trial->err = xtr_netns__lane_up(0);
	if (trial->err)
		goto out;
	link = attach(fd, XTR_NETNS_TARGET);
	if (trial->with_peer)
		peer = attach(fd, XTR_NETNS_INJECT);
	/* What was before is not counted. */
	trial->err = inject_frames(XTR_NETNS_INJECT, 10);
	pause_ms(50);
	if (!trial->err)
		trial->err = xtr_veth_stats__open(&stats, XTR_NETNS_TARGET);
	if (trial->err)
		goto out;
	trial->err = inject_frames(XTR_NETNS_INJECT, FRAMES);
	if (!trial->err)
		trial->err = count_all(&stats, trial->since);
	if (!trial->err)
		trial->err = xtr_veth_stats__read(&stats, trial->after);
	xtr_veth_stats__close(&stats);
	xtr_veth_stats__close(&stats);
out:
	close(link);
	close(peer);
	xtr_target__close(target);
	return NULL;
}

static void run(struct trial *trial)
{
	pthread_t thread;
	int i;

	assert_int_equal(pthread_create(&thread, NULL, go, trial), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_ok(trial->err);
	assert_int_equal(trial->since[XTR_STAT_PACKETS], FRAMES);
	for (i = 0; i < XTR_STATS; i++)
		assert_int_equal(trial->after[i], 0);
}

static void counts_drops(void **state)
{
	struct trial trial = { .object = "xdp_drop" };

	(void)state;
	need_root();
	run(&trial);
	assert_int_equal(trial.since[XTR_STAT_DROPS], FRAMES);
	assert_int_equal(trial.since[XTR_STAT_TX], 0);
}

static void counts_passes(void **state)
{
	struct trial trial = { .object = "xdp_pass" };

	(void)state;
	need_root();
	run(&trial);
	assert_int_equal(trial.since[XTR_STAT_DROPS], 0);
	assert_int_equal(trial.since[XTR_STAT_TX], 0);
	assert_int_equal(trial.since[XTR_STAT_REDIRECT], 0);
}

/* Without XDP on the other end there is nowhere to transmit to. */
static void counts_transmissions(void **state)
{
	struct trial trial = { .object = "xdp_tx" };

	(void)state;
	need_root();
	run(&trial);
	assert_int_equal(trial.since[XTR_STAT_TX] + trial.since[XTR_STAT_TX_ERRORS] +
					 trial.since[XTR_STAT_FAILED] >=
				 FRAMES,
			 true);
	assert_int_equal(trial.since[XTR_STAT_DROPS], 0);
}

static void knows_other_devices(void **state)
{
	struct xtr_veth_stats stats;
	int err;

	(void)state;
	assert_int_equal(xtr_veth_stats__open(&stats, "nosuchif0"), -ENODEV);
	xtr_veth_stats__close(&stats);
	assert_int_equal(stats.sock, -1);
	err = xtr_veth_stats__open(&stats, "lo");
	assert_true(err == -EOPNOTSUPP || err == -EPERM);
	xtr_veth_stats__close(&stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(counts_drops),
		test(counts_passes),
		test(counts_transmissions),
		test(knows_other_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf_timer: the first packet starts a timer, whose callback counts in fired
 * every millisecond, 10 times. PASS; ABORTED when the timer could not be set.
 */
#include <linux/errno.h>

#include "cases.h"

#define CLOCK_MONOTONIC 1
#define PERIOD_NS 1000000
#define SHOTS 10

struct slot {
	struct bpf_timer timer;
	__u32 started;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot);
} timers SEC(".maps");

__u64 fired;

static int expire(void *map __unused, __u32 *key __unused, struct slot *slot)
{
	if (__sync_fetch_and_add(&fired, 1) + 1 < SHOTS)
		bpf_timer_start(&slot->timer, PERIOD_NS, 0);
	return 0;
}

SEC("xdp")
int timer_start(struct xdp_md *ctx __unused)
{
	struct slot *slot;
	__u32 key = 0;
	long err;

	slot = bpf_map_lookup_elem(&timers, &key);
	if (!slot)
		return XDP_ABORTED;
	if (__sync_lock_test_and_set(&slot->started, 1))
		return XDP_PASS;
	err = bpf_timer_init(&slot->timer, &timers, CLOCK_MONOTONIC);
	if (err == -ENOMEM) {
		/* No lock is waited for here by newer kernels: the next packet tries again. */
		__sync_lock_test_and_set(&slot->started, 0);
		return XDP_PASS;
	}
	if (err || bpf_timer_set_callback(&slot->timer, expire) ||
	    bpf_timer_start(&slot->timer, PERIOD_NS, 0))
		return XDP_ABORTED;
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

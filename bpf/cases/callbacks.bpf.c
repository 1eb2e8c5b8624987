// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Helpers that call back: bpf_loop() and bpf_for_each_map_elem(). */
#include <linux/errno.h>
#include "cases.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, __u64);
} numbers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

struct sum {
	__u32 seed;
	__u32 value;
};

static int add_index(__u32 index, void *data)
{
	struct sum *sum = data;

	sum->value = sum->value * 31 + (index ^ sum->seed);
	return 0;
}

/* Argument: a __u32, replaced by a hash of it over 64 rounds. */
SEC("xdp")
int loop_hash(struct xdp_md *ctx)
{
	__u32 *arg = pkt_args(ctx, sizeof(*arg));
	struct sum sum = {};

	if (!arg)
		return XDP_PASS;
	sum.seed = *arg;
	if (bpf_loop(64, add_index, &sum, 0) != 64)
		return XDP_ABORTED;
	arg = pkt_args(ctx, sizeof(*arg));
	if (!arg)
		return XDP_ABORTED;
	*arg = sum.value;
	return XDP_TX;
}

static long add_element(void *map __unused, const void *key, void *value, void *data)
{
	struct sum *sum = data;

	sum->value += *(const __u32 *)key * 3 + *(__u64 *)value;
	return 0;
}

/* The sum over an array's keys (times 3) and values: 360 when it's untouched. */
SEC("xdp")
int for_each_array(struct xdp_md *ctx __unused)
{
	struct sum sum = {};

	if (bpf_for_each_map_elem(&numbers, add_element, &sum, 0) != 16)
		return XDP_ABORTED;
	return sum.value;
}

/* Remember the packet's length, then count the lengths seen so far. */
SEC("xdp")
int for_each_hash(struct xdp_md *ctx)
{
	__u32 len = ctx->data_end - ctx->data;
	struct sum sum = {};
	__u64 one = 1;
	int err; /* not long: before 6.4 map helpers leave the upper half clear */

	/* Replacing it would let a loop on another CPU meet the old and the new one. */
	err = bpf_map_update_elem(&seen, &len, &one, BPF_NOEXIST);
	if (err && err != -EEXIST)
		return XDP_ABORTED;
	return 100 + bpf_for_each_map_elem(&seen, add_element, &sum, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";

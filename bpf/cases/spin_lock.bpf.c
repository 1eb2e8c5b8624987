// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two counters under one lock, shared by all lanes: ABORTED when they differ. */
#include "cases.h"

struct pair {
	struct bpf_spin_lock lock;
	__u32 pad;
	__u64 first;
	__u64 second;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pair);
} pairs SEC(".maps");

SEC("xdp")
int locked_pair(struct xdp_md *ctx __unused)
{
	struct pair *pair;
	__u32 key = 0;
	bool equal;

	pair = bpf_map_lookup_elem(&pairs, &key);
	if (!pair)
		return XDP_ABORTED;
	bpf_spin_lock(&pair->lock);
	equal = pair->first == pair->second;
	pair->first++;
	pair->second++;
	bpf_spin_unlock(&pair->lock);
	return equal ? XDP_PASS : XDP_ABORTED;
}

char _license[] SEC("license") = "Dual BSD/GPL";

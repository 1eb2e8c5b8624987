// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An XDP program with a TC program beside it that shares its map. */
#include "cases.h"

#include <linux/pkt_cls.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} packets SEC(".maps");

static __always_inline void count(__u32 key)
{
	__u64 *value = bpf_map_lookup_elem(&packets, &key);

	if (value)
		__sync_fetch_and_add(value, 1);
}

SEC("tc")
int tc_count(struct __sk_buff *skb __unused)
{
	count(1);
	return TC_ACT_OK;
}

SEC("xdp")
int xdp_count(struct xdp_md *ctx __unused)
{
	count(0);
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

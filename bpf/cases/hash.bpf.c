// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters in hash maps that all lanes share, by flow (addresses and ports of
 * IPv4). PASS, DROP for packets that are too short for a flow, ABORTED when
 * the map is full.
 */
#include "cases.h"

struct flow {
	__u32 saddr;
	__u32 daddr;
	__u32 ports;
};

#define FLOW_OFF (sizeof(struct ethhdr) + offsetof(struct iphdr, saddr))

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct flow);
	__type(value, __u64);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct flow);
	__type(value, __u64);
} flows_lru SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_PERCPU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct flow);
	__type(value, __u64);
} flows_lru_percpu SEC(".maps");

/* Nobody's update is lost: a new flow starts at 0, and all add atomically. */
static __always_inline int count_flow(struct xdp_md *ctx, void *map)
{
	struct flow *in = pkt_at(ctx, FLOW_OFF, sizeof(*in));
	struct flow flow;
	__u64 *count;
	__u64 zero = 0;

	if (!in)
		return XDP_DROP;
	flow = *in;
	count = bpf_map_lookup_elem(map, &flow);
	if (!count) {
		bpf_map_update_elem(map, &flow, &zero, BPF_NOEXIST);
		count = bpf_map_lookup_elem(map, &flow);
		if (!count)
			return XDP_ABORTED;
	}
	__sync_fetch_and_add(count, 1);
	return XDP_PASS;
}

SEC("xdp")
int hash_count(struct xdp_md *ctx)
{
	return count_flow(ctx, &flows);
}

SEC("xdp")
int lru_count(struct xdp_md *ctx)
{
	return count_flow(ctx, &flows_lru);
}

SEC("xdp")
int lru_percpu_count(struct xdp_md *ctx)
{
	return count_flow(ctx, &flows_lru_percpu);
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Maps in maps, slots 0 and 1 filled by libbpf at load time. Argument: the slot
 * as a byte (its two low bits). TX when the slot holds a map, whose counter
 * then goes up; DROP when it is empty.
 */
#include "cases.h"

struct inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} inner0 SEC(".maps"), inner1 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, __u32);
	__array(values, struct inner);
} outer_array SEC(".maps") = {
	.values = { [0] = &inner0, [1] = &inner1 },
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, __u32);
	__array(values, struct inner);
} outer_hash SEC(".maps") = {
	.values = { [0] = &inner0, [1] = &inner1 },
};

static __always_inline int count(struct xdp_md *ctx, void *outer)
{
	__u8 *arg = pkt_args(ctx, sizeof(*arg));
	__u32 slot, key = 0;
	__u64 *value;
	void *inner;

	if (!arg)
		return XDP_PASS;
	slot = *arg & 3;
	inner = bpf_map_lookup_elem(outer, &slot);
	if (!inner)
		return XDP_DROP;
	value = bpf_map_lookup_elem(inner, &key);
	if (!value)
		return XDP_ABORTED;
	__sync_fetch_and_add(value, 1);
	return XDP_TX;
}

SEC("xdp")
int array_of_maps(struct xdp_md *ctx)
{
	return count(ctx, &outer_array);
}

SEC("xdp")
int hash_of_maps(struct xdp_md *ctx)
{
	return count(ctx, &outer_hash);
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A licence that isn't compatible with the GPL: whatever runs it must not call
 * helpers that are reserved to GPL programs. Counts and
 * swaps the MAC addresses.
 */
#include "cases.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} packets SEC(".maps");

SEC("xdp")
int non_gpl(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth));
	__u8 tmp[ETH_ALEN];
	__u32 key = 0;
	__u64 *count;

	if (!eth)
		return XDP_ABORTED;
	count = bpf_map_lookup_elem(&packets, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	__builtin_memcpy(tmp, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, tmp, ETH_ALEN);
	return XDP_TX;
}

char _license[] SEC("license") = "BSD-2-Clause";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A map that the program's own loader gives its size: loads only when someone
 * sets max_entries. Counts packets by length; ABORTED when the map is full.
 */
#include "cases.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 0);
	__type(key, __u32);
	__type(value, __u64);
} sized_by_loader SEC(".maps");

SEC("xdp")
int zero_max_entries(struct xdp_md *ctx)
{
	__u32 len = ctx->data_end - ctx->data;
	__u64 *value = bpf_map_lookup_elem(&sized_by_loader, &len);
	__u64 zero = 0;

	if (!value) {
		/* Another CPU may be first; then its element is there. */
		bpf_map_update_elem(&sized_by_loader, &len, &zero, BPF_NOEXIST);
		value = bpf_map_lookup_elem(&sized_by_loader, &len);
		if (!value)
			return XDP_ABORTED;
	}
	__sync_fetch_and_add(value, 1);
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

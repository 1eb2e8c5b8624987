// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A map that asks to be pinned by its name: each load would reuse the last
 * one's map, and leave it behind. A test must do neither.
 */
#include "cases.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} pinned_counter SEC(".maps");

/* PASS for the first packet, TX for the later ones. */
SEC("xdp")
int pin_by_name(struct xdp_md *ctx __unused)
{
	__u32 key = 0;
	__u64 *value = bpf_map_lookup_elem(&pinned_counter, &key);

	if (!value)
		return XDP_ABORTED;
	return __sync_fetch_and_add(value, 1) ? XDP_TX : XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

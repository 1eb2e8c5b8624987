// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A map as it was defined before BTF: libbpf 1.0 and later refuse the object. */
#include "cases.h"

struct bpf_map_def {
	unsigned int type;
	unsigned int key_size;
	unsigned int value_size;
	unsigned int max_entries;
	unsigned int map_flags;
};

struct bpf_map_def SEC("maps") packets = {
	.type = BPF_MAP_TYPE_ARRAY,
	.key_size = sizeof(__u32),
	.value_size = sizeof(__u64),
	.max_entries = 1,
};

SEC("xdp")
int legacy_maps(struct xdp_md *ctx __unused)
{
	__u32 key = 0;
	__u64 *value = bpf_map_lookup_elem(&packets, &key);

	if (value)
		__sync_fetch_and_add(value, 1);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Per-CPU maps and the CPU's number: what pinning a lane must get right. */
#include "cases.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} percpu_array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} percpu_hash SEC(".maps");

/* The CPU's number as the verdict. */
SEC("xdp")
int smp_id(struct xdp_md *ctx __unused)
{
	return bpf_get_smp_processor_id();
}

/* The CPU's number into the packet, as a __u32, and one more packet counted. */
SEC("xdp")
int percpu_count(struct xdp_md *ctx)
{
	__u32 *out = pkt_args(ctx, sizeof(*out));
	__u32 key = 0;
	__u64 *count;

	count = bpf_map_lookup_elem(&percpu_array, &key);
	if (!count)
		return XDP_ABORTED;
	*count += 1;
	if (!out)
		return XDP_PASS;
	*out = bpf_get_smp_processor_id();
	return XDP_TX;
}

/* How many packets this CPU has had, into the packet, without asking which CPU it is. */
SEC("xdp")
int percpu_sequence(struct xdp_md *ctx)
{
	__u32 *out = pkt_args(ctx, sizeof(*out));
	__u32 key = 0;
	__u64 *count;

	count = bpf_map_lookup_elem(&percpu_array, &key);
	if (!count)
		return XDP_ABORTED;
	if (out)
		*out = *count;
	*count += 1;
	return out ? XDP_TX : XDP_PASS;
}

/* Count by the packet's length. */
SEC("xdp")
int percpu_hash_count(struct xdp_md *ctx)
{
	__u32 len = ctx->data_end - ctx->data;
	__u64 one = 1;
	__u64 *count;

	count = bpf_map_lookup_elem(&percpu_hash, &len);
	if (count)
		*count += 1;
	else if (bpf_map_update_elem(&percpu_hash, &len, &one, BPF_ANY))
		return XDP_ABORTED;
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

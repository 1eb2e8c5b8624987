// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One record for each packet, in a BPF ring buffer and in a perf event array.
 * PASS; DROP when there was no room for it, counted in dropped.
 */
#include "cases.h"

struct record {
	__u32 len;
	__u8 head[ETH_HLEN];
	__u8 pad[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} records SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} events SEC(".maps");

__u64 dropped;

static __always_inline int fill(struct xdp_md *ctx, struct record *rec)
{
	void *eth = pkt_at(ctx, 0, ETH_HLEN);

	if (!eth)
		return -1;
	rec->len = ctx->data_end - ctx->data;
	__builtin_memcpy(rec->head, eth, ETH_HLEN);
	rec->pad[0] = 0;
	rec->pad[1] = 0;
	return 0;
}

static __always_inline int drop(void)
{
	__sync_fetch_and_add(&dropped, 1);
	return XDP_DROP;
}

SEC("xdp")
int ringbuf_reserve(struct xdp_md *ctx)
{
	struct record *rec;

	rec = bpf_ringbuf_reserve(&records, sizeof(*rec), 0);
	if (!rec)
		return drop();
	if (fill(ctx, rec)) {
		bpf_ringbuf_discard(rec, 0);
		return XDP_ABORTED;
	}
	bpf_ringbuf_submit(rec, 0);
	return XDP_PASS;
}

SEC("xdp")
int ringbuf_output(struct xdp_md *ctx)
{
	struct record rec;

	if (fill(ctx, &rec))
		return XDP_ABORTED;
	return bpf_ringbuf_output(&records, &rec, sizeof(rec), 0) ? drop() : XDP_PASS;
}

/* The record and the whole packet behind it. Without a reader: DROP. */
SEC("xdp")
int perf_event_output(struct xdp_md *ctx)
{
	struct record rec;
	__u64 flags;

	if (fill(ctx, &rec))
		return XDP_ABORTED;
	flags = BPF_F_CURRENT_CPU | (__u64)rec.len << 32;
	return bpf_perf_event_output(ctx, &events, flags, &rec, sizeof(rec)) ? drop() : XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

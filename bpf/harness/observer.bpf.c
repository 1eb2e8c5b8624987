// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The veth path. The observer runs around the spliced target, the capture
 * programs where frames come out again: at the injecting end (XDP_TX) and at
 * redirect sinks. All run on the lane's CPU, in softirq, so appends never race.
 */
#include "packet.bpf.h"

static __always_inline int append(struct xdp_md *ctx, __u32 verdict, __u16 port, __u32 in_len,
				  __u64 in_hash)
{
	struct xtr_record *rec;
	__u32 size;

	if (output_full()) {
		ctl.overflow++;
		return -1;
	}
	rec = record_at(ctl.out_head);
	rec->seq = 0;
	rec->verdict = verdict;
	rec->port = port;
	rec->in_len = in_len;
	rec->in_hash = in_hash;
	size = record_write(ctx, rec);
	/* Atomic for its order: user space may be reading on another CPU. */
	__sync_fetch_and_add(&ctl.out_head, size);
	return 0;
}

SEC("xdp")
int observe(struct xdp_md *ctx)
{
	__u32 in_len;
	__u64 in_hash;
	int verdict;

	if (is_template())
		return XDP_ABORTED;
	in_len = DATA_END(ctx) - DATA(ctx);
	in_hash = packet_hash(ctx, in_len);
	verdict = xtr_target(ctx);
	append(ctx, verdict, XTR_PORT_TARGET, in_len, in_hash);
	/* What goes up the stack may be answered, and answers look like output. */
	if (verdict == XDP_PASS)
		return deliver_pass ? XDP_PASS : XDP_DROP;
	/* The kernel warns once about other values; the record has it. */
	if (verdict < XDP_ABORTED || verdict > XDP_REDIRECT)
		return XDP_ABORTED;
	return verdict;
}

/* Which port a device is, by its index; a lane's namespace numbers them from 1. */
#define XTR_DEVICES 64
__u8 ports[XTR_DEVICES];

SEC("xdp")
int capture(struct xdp_md *ctx)
{
	__u32 len = DATA_END(ctx) - DATA(ctx);
	__u8 port = ports[ctx->ingress_ifindex & (XTR_DEVICES - 1)];

	append(ctx, XDP_PASS, port, len, packet_hash(ctx, len));
	return XDP_DROP;
}

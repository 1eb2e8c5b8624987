// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Live frames (BPF_F_TEST_XDP_LIVE_FRAMES) for the veth path: writes each slot
 * into a frame and redirects it into the lane's veth. The kernel gives every
 * frame its full length again; a frame without a slot is dropped. Metadata would
 * not get through a veth: it stays in the slot.
 */
#include "packet.bpf.h"

volatile __u32 inject_ifindex = 0;

SEC("xdp")
int inject(struct xdp_md *ctx)
{
	struct xtr_slot *slot;
	__u32 pos = ctl.in_pos;
	int have = DATA_END(ctx) - DATA(ctx);
	__u32 meta_len;
	int len;

	if (pos >= ctl.in_end)
		return XDP_DROP;
	slot = slot_at(pos);
	len = slot->len;
	if (have != len && bpf_xdp_adjust_tail(ctx, len - have)) {
		ctl.failed = slot->seq + 1;
		return XDP_DROP;
	}
	meta_len = slot->meta_len;
	if (meta_len > XTR_MAX_META || packet_write(ctx, slot->data + meta_len, len)) {
		ctl.failed = slot->seq + 1;
		return XDP_DROP;
	}
	ctl.in_pos = pos + slot->size;
	return bpf_redirect(inject_ifindex, 0);
}

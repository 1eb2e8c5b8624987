// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Changes in place. Run twice over the same buffer, they show whether a path
 * gives every run a fresh packet.
 */
#include "cases.h"

SEC("xdp")
int increment_first(struct xdp_md *ctx)
{
	__u8 *first = pkt_at(ctx, 0, 1);

	if (!first)
		return XDP_ABORTED;
	*first += 1;
	return XDP_TX;
}

/* Every byte of the packet, up to 1514. */
SEC("xdp")
int invert_all(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	__u8 *pos = (void *)(long)ctx->data;
	__u32 i;

	for (i = 0; i < 1514; i++) {
		if ((void *)(pos + i + 1) > end)
			break;
		pos[i] = ~pos[i];
	}
	return XDP_PASS;
}

/* A changed packet that is dropped: its bytes are an outcome all the same. */
SEC("xdp")
int zero_macs_drop(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth));

	if (!eth)
		return XDP_ABORTED;
	__builtin_memset(eth, 0, 2 * ETH_ALEN);
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";

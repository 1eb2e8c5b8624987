// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Send every packet back to where it came from. */
#include "parsing.h"

SEC("xdp")
int xdp_tx(struct xdp_md *ctx)
{
	struct cursor c = cursor_init(ctx);
	struct ethhdr *eth = cursor_take(&c, sizeof(*eth));

	if (!eth)
		return XDP_DROP;
	swap_macs(eth);
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

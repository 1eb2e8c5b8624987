// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The program to test is neither the first function of the object nor the
 * first XDP program: first_drop returns DROP, main_tx TX.
 */
#include "cases.h"

static __noinline int swap(struct xdp_md *ctx)
{
	struct ethhdr *eth = pkt_at(ctx, 0, sizeof(*eth));
	__u8 tmp;

	if (!eth)
		return XDP_ABORTED;
	tmp = eth->h_dest[0];
	eth->h_dest[0] = eth->h_source[0];
	eth->h_source[0] = tmp;
	return XDP_TX;
}

SEC("xdp")
int first_drop(struct xdp_md *ctx __unused)
{
	return XDP_DROP;
}

SEC("xdp")
int main_tx(struct xdp_md *ctx)
{
	return swap(ctx);
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the packet without looking where it ends: the verifier refuses it with
 * "invalid access to packet".
 */
#include "cases.h"

SEC("xdp")
int no_bounds_check(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;

	return eth->h_proto == bpf_htons(ETH_P_IP) ? XDP_TX : XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

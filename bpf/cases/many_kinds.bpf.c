// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One object with programs of several kinds, as projects have them: two that can
 * be run, and some that the kernel runs only from somewhere else.
 */
#include "cases.h"

#include <linux/pkt_cls.h>

SEC("xdp")
int kind_drop(struct xdp_md *ctx __unused)
{
	return XDP_DROP;
}

SEC("xdp")
int kind_tx(struct xdp_md *ctx __unused)
{
	return XDP_TX;
}

SEC("xdp/devmap")
int kind_devmap(struct xdp_md *ctx)
{
	return ctx->egress_ifindex ? XDP_PASS : XDP_DROP;
}

SEC("xdp/cpumap")
int kind_cpumap(struct xdp_md *ctx __unused)
{
	return XDP_PASS;
}

/* Stands for a function of another program once that is loaded. */
SEC("freplace/some_function")
int kind_freplace(struct xdp_md *ctx __unused)
{
	return XDP_PASS;
}

SEC("tc")
int kind_tc(struct __sk_buff *skb __unused)
{
	return TC_ACT_OK;
}

char _license[] SEC("license") = "Dual BSD/GPL";

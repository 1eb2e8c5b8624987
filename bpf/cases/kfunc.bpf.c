// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A kernel function of vmlinux: bpf_cast_to_kern_ctx(), there since 6.2, shows
 * the kernel's own struct xdp_buff. Puts the interface's index that the kernel
 * holds and the one of the context into the packet, as two __u32: TX when they
 * agree, DROP when not, ABORTED on a kernel without the function.
 */
#include "cases.h"

#include <bpf/bpf_core_read.h>

extern int LINUX_KERNEL_VERSION __kconfig;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct net_device {
	int ifindex;
};

struct xdp_rxq_info {
	struct net_device *dev;
};

struct xdp_buff {
	struct xdp_rxq_info *rxq;
};

#pragma clang attribute pop

void *bpf_cast_to_kern_ctx(void *ctx) __ksym __attribute__((weak));

SEC("xdp")
int kfunc_kern_ctx(struct xdp_md *ctx)
{
	__u32 *out = pkt_args(ctx, 2 * sizeof(*out));
	struct xdp_buff *xdp;

	if (!out)
		return XDP_PASS;
	/* Not by the function's address: libbpf before 1.2 can't take it. */
	if (LINUX_KERNEL_VERSION < KERNEL_VERSION(6, 2, 0))
		return XDP_ABORTED;
	xdp = bpf_cast_to_kern_ctx(ctx);
	out[0] = xdp->rxq->dev->ifindex;
	out[1] = ctx->ingress_ifindex;
	return out[0] == out[1] ? XDP_TX : XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Programs that run from a device map or a CPU map only: BPF_PROG_TEST_RUN
 * answers EINVAL, and they can't be attached to an interface.
 */
#include "cases.h"

SEC("xdp/devmap")
int devmap_prog(struct xdp_md *ctx)
{
	return ctx->egress_ifindex ? XDP_PASS : XDP_DROP;
}

SEC("xdp/cpumap")
int cpumap_prog(struct xdp_md *ctx __unused)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

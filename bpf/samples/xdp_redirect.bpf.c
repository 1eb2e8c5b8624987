// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Send every packet out of another interface. Two programs: xdp_redirect takes
 * the interface from read-only data, xdp_redirect_devmap from slot 0 of the
 * device map tx_port.
 */
#include "parsing.h"

/* 0 means the interface that the packet came in by. */
const volatile __u32 ifindex = 0;

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} tx_port SEC(".maps");

static __always_inline int bounce(struct xdp_md *ctx)
{
	struct cursor c = cursor_init(ctx);
	struct ethhdr *eth = cursor_take(&c, sizeof(*eth));

	if (!eth)
		return -1;
	swap_macs(eth);
	return 0;
}

SEC("xdp")
int xdp_redirect(struct xdp_md *ctx)
{
	if (bounce(ctx))
		return XDP_DROP;
	return bpf_redirect(ifindex ? ifindex : ctx->ingress_ifindex, 0);
}

SEC("xdp")
int xdp_redirect_devmap(struct xdp_md *ctx)
{
	if (bounce(ctx))
		return XDP_DROP;
	/* An empty slot passes the packet: the helper returns the low bits of
	 * the flags when it finds nothing, and without flags that is ABORTED.
	 */
	return bpf_redirect_map(&tx_port, 0, XDP_PASS);
}

char _license[] SEC("license") = "Dual BSD/GPL";

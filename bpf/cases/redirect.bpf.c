// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Redirects: to an interface, and through each kind of map. What a map helper
 * returns for an empty slot is in the low bits of its flags, ABORTED without.
 */
#include "cases.h"

/* 9999 exists nowhere: bpf_redirect() doesn't look. */
const volatile __u32 ifindex = 9999;
const volatile __u32 redirect_key = 0;

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} tx_ports SEC(".maps");

/* With room for a program's file descriptor beside the interface. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} tx_ports_hash SEC(".maps");

/* More entries than the kernel could have CPUs are refused. */
struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} xsks SEC(".maps");

SEC("xdp")
int redirect_ifindex(struct xdp_md *ctx __unused)
{
	return bpf_redirect(ifindex, 0);
}

/* Out where it came in. */
SEC("xdp")
int redirect_back(struct xdp_md *ctx)
{
	return bpf_redirect(ctx->ingress_ifindex, 0);
}

#define REDIRECT_MAP(name, map, flags)                              \
	SEC("xdp")                                                  \
	int name(struct xdp_md *ctx __unused)                       \
	{                                                           \
		return bpf_redirect_map(&map, redirect_key, flags); \
	}

REDIRECT_MAP(devmap_no_flags, tx_ports, 0)
REDIRECT_MAP(devmap_or_pass, tx_ports, XDP_PASS)
REDIRECT_MAP(devmap_or_tx, tx_ports, XDP_TX)
REDIRECT_MAP(devmap_broadcast, tx_ports, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS)
REDIRECT_MAP(devmap_hash_or_pass, tx_ports_hash, XDP_PASS)
REDIRECT_MAP(cpumap_no_flags, cpus, 0)
REDIRECT_MAP(cpumap_or_drop, cpus, XDP_DROP)

/* As AF_XDP programs do: the socket of the queue that the packet came by. */
SEC("xdp")
int xskmap_or_pass(struct xdp_md *ctx)
{
	return bpf_redirect_map(&xsks, ctx->rx_queue_index, XDP_PASS);
}

SEC("xdp")
int xskmap_or_drop(struct xdp_md *ctx)
{
	return bpf_redirect_map(&xsks, ctx->rx_queue_index, XDP_DROP);
}

/* A key for each length, of the one map or the other. */
SEC("xdp")
int redirect_by_length(struct xdp_md *ctx)
{
	__u32 len = ctx->data_end - ctx->data;

	if (len & 8)
		return bpf_redirect_map(&tx_ports, len & 7, XDP_DROP);
	return bpf_redirect_map(&xsks, len & 7, XDP_DROP);
}

char _license[] SEC("license") = "Dual BSD/GPL";

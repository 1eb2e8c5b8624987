/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef XTR_CASES_H
#define XTR_CASES_H

/* What the suite's target programs share. Programs that take arguments from
 * the packet find them at ARGS_OFF, where a UDP packet over IPv4 has its
 * payload; numbers are little-endian. A packet too short to hold them gets
 * XDP_PASS and stays as it is.
 */

#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define ARGS_OFF (sizeof(struct ethhdr) + sizeof(struct iphdr) + sizeof(struct udphdr))

#define __unused __attribute__((unused))

struct vlan_hdr {
	__be16 tci;
	__be16 proto;
};

static __always_inline void *pkt_at(struct xdp_md *ctx, __u32 off, __u32 len)
{
	void *end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;

	return data + off + len > end ? NULL : data + off;
}

static __always_inline void *pkt_args(struct xdp_md *ctx, __u32 len)
{
	return pkt_at(ctx, ARGS_OFF, len);
}

/* The kernel hands out new headroom as it finds it. Outputs are compared, so
 * whoever pushes must write every byte. len is at most 256.
 */
static __always_inline void fill_head(struct xdp_md *ctx, __u32 len, __u8 first)
{
	void *end = (void *)(long)ctx->data_end;
	__u8 *pos = (void *)(long)ctx->data;
	__u32 i;

	for (i = 0; i < 256; i++) {
		if (i >= len || (void *)(pos + i + 1) > end)
			break;
		pos[i] = first + i;
	}
}

static __always_inline __u16 csum_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

#endif /* XTR_CASES_H */

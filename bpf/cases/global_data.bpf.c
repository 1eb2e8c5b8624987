// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Global variables in .data, .rodata and .bss and in sections of their own. */
#include "cases.h"

const volatile __u32 xor_key = 0x5a5a5a5a;
volatile __u32 verdict = XDP_TX;
__u64 packets;
__u64 bytes;
__u32 history[256];

SEC(".rodata.table")
const volatile __u8 table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
SEC(".data.last") __u32 last_arg = 0xffffffff;

/* Argument: a __u32, xor'ed with the key from .rodata. The verdict comes from
 * .data; packets and bytes are counted in .bss.
 */
SEC("xdp")
int globals(struct xdp_md *ctx)
{
	__u32 *arg = pkt_args(ctx, sizeof(*arg));

	__sync_fetch_and_add(&packets, 1);
	__sync_fetch_and_add(&bytes, ctx->data_end - ctx->data);
	if (!arg)
		return XDP_PASS;
	__sync_fetch_and_add(&history[*arg & 255], 1);
	last_arg = *arg;
	*arg ^= xor_key;
	return verdict;
}

/* Argument: an index as a byte, replaced by what the table holds there. */
SEC("xdp")
int global_table(struct xdp_md *ctx)
{
	__u8 *arg = pkt_args(ctx, sizeof(*arg));

	if (!arg)
		return XDP_PASS;
	*arg = table[*arg & 15];
	return XDP_TX;
}

/* Each packet gets the number of those before it: what state that persists
 * between packets does to a test.
 */
SEC("xdp")
int global_sequence(struct xdp_md *ctx)
{
	__u32 *arg = pkt_args(ctx, sizeof(*arg));
	__u64 n = __sync_fetch_and_add(&packets, 1);

	if (!arg)
		return XDP_PASS;
	*arg = n;
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Programs of more than 1 000 and 4 000 instructions: an unrolled hash of the
 * argument, a __u32, which is replaced by the result.
 */
#include "cases.h"

#define ROUND(x)                         \
	do {                             \
		x ^= x << 13;            \
		x ^= x >> 17;            \
		x ^= x << 5;             \
		x = x * 0x9e3779b1 + 11; \
	} while (0)
#define ROUNDS4(x) \
	ROUND(x);  \
	ROUND(x);  \
	ROUND(x);  \
	ROUND(x)
#define ROUNDS16(x) \
	ROUNDS4(x); \
	ROUNDS4(x); \
	ROUNDS4(x); \
	ROUNDS4(x)
#define ROUNDS64(x)  \
	ROUNDS16(x); \
	ROUNDS16(x); \
	ROUNDS16(x); \
	ROUNDS16(x)
#define ROUNDS128(x) \
	ROUNDS64(x); \
	ROUNDS64(x)

SEC("xdp")
int large_1000(struct xdp_md *ctx)
{
	__u32 *arg = pkt_args(ctx, sizeof(*arg));
	__u32 x;

	if (!arg)
		return XDP_PASS;
	x = *arg;
	ROUNDS128(x);
	*arg = x;
	return XDP_TX;
}

SEC("xdp")
int large_4000(struct xdp_md *ctx)
{
	__u32 *arg = pkt_args(ctx, sizeof(*arg));
	__u32 x;

	if (!arg)
		return XDP_PASS;
	x = *arg;
	ROUNDS128(x);
	ROUNDS128(x);
	ROUNDS128(x);
	ROUNDS128(x);
	*arg = x;
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Programs that use so many bytes of stack and no more: the frame is filled
 * from the first byte of the argument and summed up again, and the sum goes
 * into the packet as a __u16. 512 is the kernel's limit for a chain of calls,
 * each call rounded up to 32 (on older kernels).
 */
#include "cases.h"

#define STACK_PROG(size)                                  \
	SEC("xdp")                                        \
	int stack_##size(struct xdp_md *ctx)              \
	{                                                 \
		__u8 *arg = pkt_args(ctx, sizeof(__u16)); \
		volatile __u8 frame[size];                \
		__u16 sum = 0;                            \
		__u8 seed;                                \
		int i;                                    \
                                                          \
		if (!arg)                                 \
			return XDP_PASS;                  \
		seed = *arg;                              \
		for (i = 0; i < (size); i++)              \
			frame[i] = seed + i;              \
		for (i = 0; i < (size); i++)              \
			sum += frame[i];                  \
		__builtin_memcpy(arg, &sum, sizeof(sum)); \
		return XDP_TX;                            \
	}

STACK_PROG(400)
STACK_PROG(448)
STACK_PROG(480)
STACK_PROG(488)
STACK_PROG(496)
STACK_PROG(504)

char _license[] SEC("license") = "Dual BSD/GPL";

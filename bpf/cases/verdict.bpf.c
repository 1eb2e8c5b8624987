// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every verdict there is, and two that there aren't. */
#include "cases.h"

#define CONST_VERDICT(name, verdict)          \
	SEC("xdp")                            \
	int name(struct xdp_md *ctx __unused) \
	{                                     \
		return verdict;               \
	}

CONST_VERDICT(verdict_aborted, XDP_ABORTED)
CONST_VERDICT(verdict_drop, XDP_DROP)
CONST_VERDICT(verdict_pass, XDP_PASS)
CONST_VERDICT(verdict_tx, XDP_TX)
CONST_VERDICT(verdict_redirect, XDP_REDIRECT)
CONST_VERDICT(verdict_5, 5)
CONST_VERDICT(verdict_1234567, 1234567)

SEC("xdp")
int verdict_from_packet(struct xdp_md *ctx)
{
	__u32 *verdict = pkt_args(ctx, sizeof(*verdict));

	return verdict ? *verdict : XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";

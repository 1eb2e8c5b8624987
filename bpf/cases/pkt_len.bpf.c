// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet's length as the verdict: of the linear part, and of all of it. */
#include "cases.h"

SEC("xdp")
int len_linear(struct xdp_md *ctx)
{
	return ctx->data_end - ctx->data;
}

SEC("xdp")
int len_buff(struct xdp_md *ctx)
{
	return bpf_xdp_get_buff_len(ctx);
}

char _license[] SEC("license") = "Dual BSD/GPL";

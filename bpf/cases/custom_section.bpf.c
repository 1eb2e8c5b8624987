// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A section name that libbpf doesn't know: someone must say that it's XDP. */
#include "cases.h"

SEC("my_xdp_filter")
int custom_section(struct xdp_md *ctx __unused)
{
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

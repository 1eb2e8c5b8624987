// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* No XDP program in it: nothing to test. */
#include "cases.h"

#include <linux/pkt_cls.h>

SEC("tc")
int tc_ok(struct __sk_buff *skb __unused)
{
	return TC_ACT_OK;
}

char _license[] SEC("license") = "Dual BSD/GPL";

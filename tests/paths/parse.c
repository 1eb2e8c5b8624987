// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stddef.h>

#include "parse.h"

int link_header(struct pkt *pkt, __u16 *proto)
{
	__u32 off = 14;
	int tags;

	if (!pkt_at(pkt, 0, 14))
		return -1;
	*proto = get16n(pkt_data(pkt) + 12);
	for (tags = 0; tags < 2 && (*proto == 0x8100 || *proto == 0x88a8); tags++) {
		if (!pkt_at(pkt, off, 4))
			return -1;
		*proto = get16n(pkt_data(pkt) + off + 2);
		off += 4;
	}
	return off;
}

__u32 ipv4_header(struct pkt *pkt, __u32 off)
{
	__u8 *ip = pkt_at(pkt, off, 20);
	__u32 len;

	if (!ip || ip[0] >> 4 != 4)
		return 0;
	len = (ip[0] & 15) * 4;
	return len >= 20 && pkt_at(pkt, off, len) ? len : 0;
}

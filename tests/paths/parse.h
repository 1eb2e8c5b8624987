/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What models of packet parsers share. */
#ifndef XTR_TEST_PARSE_H
#define XTR_TEST_PARSE_H

#include "model.h"

/*
 * Behind the Ethernet header and up to two VLAN tags: the offset, and in @proto
 * what lies there; -1 where the packet ends before.
 */
int link_header(struct pkt *pkt, __u16 *proto);

/* The length of the IPv4 header at @off, options included; 0 where there is no sound one. */
__u32 ipv4_header(struct pkt *pkt, __u32 off);

#endif /* XTR_TEST_PARSE_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Network namespaces of lanes, made by the scripts in netns-scripts/. */
#ifndef XTR_NETNS_H
#define XTR_NETNS_H

#include <stdbool.h>
#include <linux/types.h>

/* What lane-up makes. */
#define XTR_NETNS_INJECT "xtr0"
#define XTR_NETNS_TARGET "xtr1"
#define XTR_NETNS_SINK_IN "xtrs%u"
#define XTR_NETNS_SINK_OUT "xtrd%u"

/*
 * What lane-up is told to make the ends take: the target's, and those that receive
 * what it sends, which may have grown. XDP lets the other end of a veth have no
 * more than some 3500.
 */
#define XTR_NETNS_MTU 1500
#define XTR_NETNS_WIDE_MTU 3000

/* The longest frame: with an Ethernet header and a VLAN tag (is_skb_forwardable()). */
#define XTR_NETNS_MAX_IN (XTR_NETNS_MTU + 14 + 4)
#define XTR_NETNS_MAX_BACK (XTR_NETNS_WIDE_MTU + 14 + 4)

/*
 * Moves the calling thread into a namespace of its own and makes a lane there.
 * The namespace has no name: it ends with the thread, whatever ends that.
 */
int xtr_netns__lane_up(__u32 sinks);

/* if_nametoindex() for the lane's devices, whose error is to be trusted: the index or -errno. */
int xtr_netns__ifindex(const char *ifname);

/* Removes named namespaces whose owner is gone (@all: every one); prints their names. */
int xtr_netns__clean(bool all);

#endif /* XTR_NETNS_H */

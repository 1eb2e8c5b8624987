/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What a veth device counted of XDP frames (ethtool -S). */
#ifndef XTR_VETH_STATS_H
#define XTR_VETH_STATS_H

#include <linux/types.h>

enum xtr_veth_stat {
	XTR_STAT_PACKETS, /* frames taken from the ring */
	XTR_STAT_DROPS, /* dropped, aborted, or no verdict at all */
	XTR_STAT_TX,
	XTR_STAT_TX_ERRORS,
	XTR_STAT_REDIRECT,
	XTR_STAT_FAILED, /* could not be transmitted or redirected */
	XTR_STAT_XMIT, /* redirected to the device, and on their way to its other end */
	XTR_STATS,
};

struct xtr_veth_stats {
	int sock;
	char ifname[16];
	__u32 count; /* of the device's counters */
	__u32 where[XTR_STATS];
	__u64 last[XTR_STATS];
};

int xtr_veth_stats__open(struct xtr_veth_stats *stats, const char *ifname);

/* What was counted since the last call. */
int xtr_veth_stats__read(struct xtr_veth_stats *stats, __u64 since[XTR_STATS]);
void xtr_veth_stats__close(struct xtr_veth_stats *stats);

#endif /* XTR_VETH_STATS_H */

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Copies: a redirect to all entries of a devmap (BPF_F_BROADCAST) sends the frame
 * to each of several sinks. The first to arrive is the frame that is expected; here
 * is what becomes of the others.
 */
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "netns.h"
#include "veth.h"

int xtr_veth__watch_sink(struct xtr_veth *veth, __u32 sink)
{
	struct xtr_copies *copies = &veth->copies;
	char ifname[IFNAMSIZ];

	snprintf(ifname, sizeof(ifname), XTR_NETNS_SINK_IN, sink);
	return xtr_veth_stats__open(&copies->stats[copies->count++], ifname);
}

void xtr_veth__unwatch_sinks(struct xtr_veth *veth)
{
	while (veth->copies.count)
		xtr_veth_stats__close(&veth->copies.stats[--veth->copies.count]);
}

__u64 xtr_veth__copies_under_way(struct xtr_veth *veth)
{
	struct xtr_copies *copies = &veth->copies;
	__u64 since[XTR_STATS];
	__u32 i;

	if (copies->count < 2)
		return 0;
	for (i = 0; i < copies->count; i++)
		if (!xtr_veth_stats__read(&copies->stats[i], since))
			copies->sent += since[XTR_STAT_XMIT];
	return copies->sent > copies->arrived ? copies->sent - copies->arrived : 0;
}

__u64 xtr_veth__forget_copies(struct xtr_veth *veth)
{
	__u64 under_way = xtr_veth__copies_under_way(veth);

	veth->copies.arrived = veth->copies.sent;
	return under_way;
}

void xtr_veth__start_copies(struct xtr_veth *veth)
{
	struct xtr_copies *copies = &veth->copies;

	copies->landed_count = 0;
	memset(copies->next, 0, sizeof(copies->next));
}

void xtr_veth__landed(struct xtr_veth *veth, __u32 seq, const struct xtr_arrival *arrival)
{
	struct xtr_copies *copies = &veth->copies;
	struct xtr_landed *landed = &copies->landed[copies->landed_count];

	if (copies->count < 2)
		return;
	copies->landed_count++;
	landed->seq = seq;
	landed->sinks = xtr_veth__sink_bit(arrival);
}

/* Copies come in the order of the frames, mostly: the search goes on behind the last one. */
bool xtr_veth__is_copy(struct xtr_lane *lane, const struct xtr_arrival *arrival, __u32 *seq)
{
	struct xtr_copies *copies = &((struct xtr_veth *)lane->state)->copies;
	__u32 *next = &copies->next[arrival->port - XTR_PORT_SINK];
	__u32 bit = xtr_veth__sink_bit(arrival), tries;
	struct xtr_landed *landed;

	for (tries = 0; tries < copies->landed_count; tries++) {
		if (*next >= copies->landed_count)
			*next = 0;
		landed = &copies->landed[(*next)++];
		if (landed->sinks & bit || !xtr_veth__emitted(lane, landed->seq, arrival))
			continue;
		landed->sinks |= bit;
		*seq = landed->seq;
		return true;
	}
	return false;
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A bare target on veth: nothing of ours sees its verdict. So frames go one at
 * a time, and the device's counters tell what became of each. They know no
 * difference between XDP_DROP, XDP_ABORTED and values that are no verdict; and
 * bytes are only known of what was transmitted.
 */
#include <errno.h>

#include "log.h"
#include "veth.h"

static bool verdict_of(const __u64 since[XTR_STATS], __u32 *verdict)
{
	if (since[XTR_STAT_DROPS])
		*verdict = XDP_DROP;
	else if (since[XTR_STAT_TX] || since[XTR_STAT_TX_ERRORS])
		*verdict = XDP_TX;
	else if (since[XTR_STAT_REDIRECT])
		*verdict = XDP_REDIRECT;
	else if (since[XTR_STAT_FAILED])
		return false;
	else
		*verdict = XDP_PASS;
	return true;
}

/* Until the device has counted a frame, or will not. */
static int await_frame(struct xtr_veth *veth, __u64 since[XTR_STATS])
{
	bool patient = true;
	__u32 turns = 0;
	int err;

	for (;;) {
		err = xtr_veth_stats__read(&veth->stats, since);
		if (err)
			pr_err("cannot read the veth's counters");
		if (err || since[XTR_STAT_PACKETS])
			return err;
		if (veth->refused || !patient)
			return 0;
		patient = xtr_veth__wait(&turns);
	}
}

static void await_return(struct xtr_lane *lane, struct xtr_fifo *fifo)
{
	struct xtr_veth *veth = lane->state;
	bool patient = true;
	__u32 turns = 0;

	for (;;) {
		xtr_veth__drain(lane);
		if (!patient || (!xtr_fifo__count(fifo) && !xtr_veth__copies_under_way(veth)))
			break;
		patient = xtr_veth__wait(&turns);
	}
	xtr_veth__forget(lane, fifo);
}

static void observed(struct xtr_lane *lane, __u32 seq, const __u64 since[XTR_STATS])
{
	struct xtr_veth *veth = lane->state;
	__u32 verdict = 0, flags = XTR_OUTCOME_NO_DATA;

	lane->counts.foreign += since[XTR_STAT_PACKETS] - 1;
	lane->counts.refused += since[XTR_STAT_TX_ERRORS];
	lane->counts.nowhere += since[XTR_STAT_FAILED];
	if (!verdict_of(since, &verdict))
		flags |= XTR_OUTCOME_NO_VERDICT;
	veth->settled[seq] = true;
	veth->in_vain = 0;
	xtr_lane__observed(lane, seq, verdict, flags);
	if (since[XTR_STAT_TX_ERRORS]) {
		/* The device says so: it will not come. */
		lane->counts.unreturned++;
	} else if (verdict == XDP_TX) {
		xtr_fifo__push(&veth->returning, seq);
		await_return(lane, &veth->returning);
	} else if (verdict == XDP_REDIRECT && veth->sinks) {
		xtr_fifo__push(&veth->sinking, seq);
		await_return(lane, &veth->sinking);
	} else if (verdict == XDP_REDIRECT) {
		veth->redirected++;
	}
}

/* A device that refuses one frame after the other gets time to come round. */
static void not_seen(struct xtr_lane *lane, __u32 seq, __u32 *turns)
{
	struct xtr_veth *veth = lane->state;

	if (veth->in_vain >= XTR_VETH_TRIES || !xtr_veth__wait(turns)) {
		xtr_veth__waited_in_vain(veth);
		*turns = 0;
	}
	xtr_veth__missing(lane, seq);
}

static int run_one(struct xtr_lane *lane, __u32 *turns)
{
	struct xtr_veth *veth = lane->state;
	__u64 since[XTR_STATS];
	__u32 seq;
	int err;

	err = await_frame(veth, since);
	if (err)
		return err;
	seq = xtr_fifo__pop(&veth->flying);
	if (!since[XTR_STAT_PACKETS])
		not_seen(lane, seq, turns);
	else if (veth->settled[seq])
		lane->counts.foreign++;
	else
		observed(lane, seq, since);
	return 0;
}

int xtr_veth__run_bare(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	__u32 turns = 0;
	int sent, err;

	while ((sent = veth->injector->send(lane, 1)) > 0) {
		err = run_one(lane, &turns);
		if (err)
			return err;
		/* Records of this frame must find room; what is kept is delivered first. */
		if (veth->read - veth->harness.ctl->out_tail > XTR_OUT_SIZE / 2)
			break;
	}
	return sent < 0 ? sent : 0;
}

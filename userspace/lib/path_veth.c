// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The veth path: the target is attached natively to one end of a veth pair in
 * the lane's network namespace, frames are injected at the other end.
 *
 *   injector -> xtr0 ======= xtr1: observer, which calls the spliced target
 *               xtr0: capture <--- what the target transmits (XDP_TX)
 *              xtrd0: capture <--- xtrs0, what it redirects there
 *
 * Frames are matched to packets by length and hash, in the order in which they
 * were injected. A gap in the order is a frame that the device lost; what
 * matches nothing is foreign and never an outcome.
 */
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/if_link.h>

#include "caps.h"
#include "log.h"
#include "netns.h"
#include "path.h"
#include "run.h"
#include "veth.h"

static __u32 veth_max_len(const struct xtr_run *run)
{
	(void)run;
	return XTR_NETNS_MAX_IN;
}

/* What veth's driver means; it says so only in answers to netlink. */
static const char *refusal(int err)
{
	switch (err) {
	case -ERANGE:
		return "the MTU of its other end is too large for XDP";
	case -ENOSPC:
		return "it has fewer receive queues than its other end has to transmit";
	default:
		return strerror(-err);
	}
}

/* Natively or not at all: generic XDP is another thing to test. */
static int attach(struct xtr_veth *veth, int prog_fd, const char *ifname)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int ifindex = xtr_netns__ifindex(ifname), fd;

	if (ifindex < 0)
		return ifindex;
	fd = bpf_link_create(prog_fd, ifindex, BPF_XDP, &opts);
	if (fd == -EPERM)
		return xtr_caps__explain("attaching to a veth", xtr_caps_load);
	if (fd < 0) {
		pr_err("cannot attach natively to %s: %s", ifname, refusal(fd));
		return fd;
	}
	veth->links[veth->link_count++] = fd;
	return 0;
}

static int attach_capture(struct xtr_veth *veth, const char *ifname, __u8 port)
{
	__u8 *ports = veth->harness.skel->bss->ports;
	int ifindex = xtr_netns__ifindex(ifname);

	if (ifindex < 0)
		return ifindex;
	ports[ifindex % sizeof(veth->harness.skel->bss->ports)] = port;
	return attach(veth, bpf_program__fd(veth->harness.skel->progs.capture), ifname);
}

/* A bare target's verdicts are told from the counters; of others they explain losses. */
static int attach_target(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	bool bare = lane->run->mode == XTR_MODE_BARE, was;
	int err;

	was = xtr_log__demote(!bare);
	err = xtr_veth_stats__open(&veth->stats, XTR_NETNS_TARGET);
	xtr_log__demote(was);
	if (err && bare)
		return -EOPNOTSUPP;
	if (err)
		xtr_veth_stats__close(&veth->stats);
	return attach(veth, bare ? xtr_target__fd(lane->target) : veth->observer_fd,
		      XTR_NETNS_TARGET);
}

/*
 * Without XDP on the receiving end veth drops what a program transmits or
 * redirects there, so captures are not only for looking.
 */
static int attach_captures(struct xtr_veth *veth)
{
	char ifname[IFNAMSIZ];
	__u32 i;
	int err;

	err = attach_capture(veth, XTR_NETNS_INJECT, XTR_PORT_RETURN);
	for (i = 0; i < veth->sinks && !err; i++) {
		snprintf(ifname, sizeof(ifname), XTR_NETNS_SINK_OUT, i);
		err = attach_capture(veth, ifname, XTR_PORT_SINK + i);
	}
	return err;
}

static int veth_open(struct xtr_lane *lane)
{
	struct xtr_veth *veth = calloc(1, sizeof(*veth));
	int err;

	lane->state = veth;
	if (!veth)
		return -ENOMEM;
	veth->observer_fd = -1;
	veth->stats.sock = -1;
	veth->sinks = xtr_veth__count_sinks(lane->run);
	veth->injector =
		lane->run->opts.inject == XTR_INJECT_LIVE ? &xtr_inject_live : &xtr_inject_afxdp;
	err = xtr_netns__lane_up(veth->sinks);
	if (!err)
		err = xtr_veth__load(lane);
	if (!err)
		err = attach_captures(veth);
	if (!err)
		err = xtr_veth__connect_sinks(lane);
	if (!err)
		err = attach_target(lane);
	if (!err)
		err = veth->injector->open(lane);
	return err;
}

static void give_up(struct xtr_lane *lane, __u32 seq)
{
	struct xtr_veth *veth = lane->state;

	veth->settled[seq] = true;
	xtr_lane__lost(lane, seq);
}

void xtr_veth__missing(struct xtr_lane *lane, __u32 seq)
{
	struct xtr_veth *veth = lane->state;

	if (veth->settled[seq])
		return;
	if (veth->refused) {
		veth->refused--;
		xtr_fifo__push(&veth->again, seq);
	} else {
		give_up(lane, seq);
	}
}

static bool matches(const struct xtr_lane *lane, __u32 seq, const struct xtr_record *rec)
{
	const struct xtr_entry *entry = &lane->window->entries[seq];

	return entry->hash == rec->in_hash && entry->len == rec->in_len;
}

/* Finds whose frame this is; those before it in the order are missing then. */
static int match(struct xtr_lane *lane, const struct xtr_record *rec, __u32 *seq)
{
	struct xtr_veth *veth = lane->state;
	struct xtr_fifo *flying = &veth->flying;
	__u32 at;

	for (at = flying->head; at != flying->tail; at++) {
		*seq = xtr_fifo__at(flying, at);
		if (matches(lane, *seq, rec))
			break;
	}
	if (at == flying->tail)
		return -ENOENT;
	for (; flying->head != at; flying->head++)
		xtr_veth__missing(lane, xtr_fifo__at(flying, flying->head));
	flying->head++;
	return veth->settled[*seq] ? -EEXIST : 0;
}

/* What was expected of this FIFO and does not come. */
static void unseen(struct xtr_lane *lane, const struct xtr_fifo *fifo, __u64 count)
{
	struct xtr_veth *veth = lane->state;

	if (fifo == &veth->returning)
		lane->counts.unreturned += count;
	else
		lane->counts.undelivered += count;
}

void xtr_veth__forget(struct xtr_lane *lane, struct xtr_fifo *fifo)
{
	struct xtr_veth *veth = lane->state;
	__u64 count = 0, copies = 0;

	while (xtr_fifo__count(fifo))
		count += xtr_fifo__pop(fifo) != XTR_FIFO_HOLE;
	/* What was sent to a sink and is expected there is among the copies, too. */
	if (fifo == &veth->sinking)
		copies = xtr_veth__forget_copies(veth);
	unseen(lane, fifo, copies > count ? copies : count);
}

/*
 * Remembers what should arrive somewhere. What grew beyond what a veth takes
 * will not: waiting for it would cost a window all the turns there are.
 */
static void expect_arrival(struct xtr_lane *lane, __u32 seq, const struct xtr_record *rec)
{
	struct xtr_veth *veth = lane->state;
	struct xtr_fifo *fifo;

	if (rec->verdict == XDP_TX) {
		fifo = &veth->returning;
	} else if (rec->verdict != XDP_REDIRECT) {
		return;
	} else if (veth->sinks) {
		fifo = &veth->sinking;
	} else {
		veth->redirected++;
		return;
	}
	if (rec->len > XTR_NETNS_MAX_BACK)
		unseen(lane, fifo, 1);
	else
		xtr_fifo__push(fifo, seq);
}

static void at_target(struct xtr_lane *lane, const struct xtr_record *rec)
{
	struct xtr_veth *veth = lane->state;
	struct xtr_outcome *outcome;
	__u32 seq;

	if (match(lane, rec, &seq)) {
		lane->counts.foreign++;
		return;
	}
	veth->settled[seq] = true;
	veth->in_vain = 0;
	expect_arrival(lane, seq, rec);
	outcome = xtr_lane__observed(lane, seq, rec->verdict, 0);
	if (!outcome)
		return;
	outcome->len = rec->len;
	if (lane->run->opts.verdicts_only) {
		outcome->flags = XTR_OUTCOME_NO_DATA;
		return;
	}
	outcome->meta_len = rec->meta_len;
	outcome->meta = rec->data;
	outcome->data = rec->data + rec->meta_len;
}

bool xtr_veth__emitted(const struct xtr_lane *lane, __u32 seq, const struct xtr_arrival *arrival)
{
	const struct xtr_outcome *outcome = &lane->window->outcomes[seq];

	if (!lane->run->opts.outcomes || outcome->flags & XTR_OUTCOME_NO_DATA)
		return true;
	return outcome->len == arrival->len &&
	       xtr_hash(outcome->data, outcome->len) == arrival->hash;
}

static void mark_emitted(struct xtr_lane *lane, __u32 seq, const struct xtr_arrival *arrival)
{
	struct xtr_outcome *outcome = &lane->window->outcomes[seq];
	bool returned = arrival->port == XTR_PORT_RETURN;

	if (!returned)
		lane->counts.sinks[arrival->port - XTR_PORT_SINK]++;
	if (!lane->run->opts.outcomes)
		return;
	if (returned)
		outcome->flags |= XTR_OUTCOME_RETURNED;
	else
		outcome->sinks |= xtr_veth__sink_bit(arrival);
	/* Of a bare target's packet these are the only bytes there are. */
	if (lane->run->mode == XTR_MODE_BARE && arrival->data) {
		outcome->flags &= ~XTR_OUTCOME_NO_DATA;
		outcome->data = arrival->data;
		outcome->len = arrival->len;
		outcome->meta = arrival->meta;
		outcome->meta_len = arrival->meta_len;
	}
}

/*
 * What the target emits arrives in the order in which it did so, and a gap is a
 * loss. But there is no order between several sinks: what was passed over may
 * still come, until nothing comes for too long.
 */
static void take(struct xtr_lane *lane, struct xtr_fifo *fifo, __u32 at)
{
	struct xtr_veth *veth = lane->state;

	if (fifo == &veth->sinking && veth->sinks > 1) {
		xtr_fifo__take(fifo, at);
		return;
	}
	unseen(lane, fifo, at - fifo->head);
	fifo->head = at + 1;
}

/* Finds whose frame it is of those that are expected, and expects it no more. */
static bool was_expected(struct xtr_lane *lane, const struct xtr_arrival *arrival, __u32 *seq)
{
	struct xtr_veth *veth = lane->state;
	bool returned = arrival->port == XTR_PORT_RETURN;
	struct xtr_fifo *fifo = returned ? &veth->returning : &veth->sinking;
	__u32 at;

	for (at = fifo->head; at != fifo->tail; at++) {
		*seq = xtr_fifo__at(fifo, at);
		if (*seq != XTR_FIFO_HOLE && xtr_veth__emitted(lane, *seq, arrival))
			break;
	}
	if (at == fifo->tail)
		return false;
	take(lane, fifo, at);
	if (!returned)
		xtr_veth__landed(veth, *seq, arrival);
	return true;
}

void xtr_veth__arrived(struct xtr_lane *lane, const struct xtr_arrival *arrival)
{
	struct xtr_veth *veth = lane->state;
	bool returned = arrival->port == XTR_PORT_RETURN;
	__u32 seq;

	if (was_expected(lane, arrival, &seq) ||
	    (!returned && xtr_veth__is_copy(lane, arrival, &seq)))
		mark_emitted(lane, seq, arrival);
	else if (returned && veth->redirected)
		/* The target may redirect out where the frame came in, as XDP_TX would. */
		veth->redirected--;
	else
		lane->counts.foreign++;
}

static void captured(struct xtr_lane *lane, const struct xtr_record *rec)
{
	struct xtr_veth *veth = lane->state;
	struct xtr_arrival arrival = {
		.port = rec->port,
		.len = rec->in_len,
		.hash = rec->in_hash,
	};

	if (!lane->run->opts.verdicts_only) {
		arrival.meta = rec->data;
		arrival.meta_len = rec->meta_len;
		arrival.data = rec->data + rec->meta_len;
	}
	if (rec->port != XTR_PORT_RETURN)
		veth->copies.arrived++;
	xtr_veth__arrived(lane, &arrival);
}

__u32 xtr_veth__drain(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	const struct xtr_record *rec;
	__u32 count = 0;

	xtr_veth__look_at_sinks(veth);
	while ((rec = xtr_harness__record(&veth->harness, veth->read))) {
		if (rec->port == XTR_PORT_TARGET)
			at_target(lane, rec);
		else
			captured(lane, rec);
		veth->read += rec->size;
		count++;
	}
	return count + xtr_veth__drain_sinks(lane);
}

/*
 * How many frames may be under way: no more than the device's ring takes, and
 * none whose records might find no room. A frame makes one at the target and one
 * where it goes, or one at each sink.
 */
static __u32 budget(const struct xtr_veth *veth)
{
	__u64 used = veth->read - veth->harness.ctl->out_tail;
	__u32 records = 1 + (veth->copies.count ? veth->copies.count : 1);
	__u32 room = (XTR_OUT_SIZE - used) / (records * XTR_MAX_RECORD);
	__u32 limit = room < XTR_VETH_RING ? room : XTR_VETH_RING;
	__u32 flying = xtr_fifo__count(&veth->flying) + xtr_fifo__count(&veth->returning) +
		       xtr_fifo__count(&veth->sinking);

	return limit > flying ? limit - flying : 0;
}

#define YIELDS 32 /* turns that cost little, which is mostly enough */
#define NAPS 200 /* turns of a millisecond: ksoftirqd need not compete then */

bool xtr_veth__wait(__u32 *turns)
{
	static const struct timespec nap = { .tv_nsec = 1000000 };

	if (*turns < YIELDS)
		sched_yield();
	else
		nanosleep(&nap, NULL);
	return ++*turns < YIELDS + NAPS;
}

void xtr_veth__waited_in_vain(struct xtr_veth *veth)
{
	if (veth->in_vain < XTR_VETH_TRIES)
		veth->in_vain++;
	else
		veth->refused = 0;
}

/* Nothing came for too long: settle what is still expected. */
static void settle(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;

	xtr_veth__waited_in_vain(veth);
	while (xtr_fifo__count(&veth->flying))
		xtr_veth__missing(lane, xtr_fifo__pop(&veth->flying));
	xtr_veth__forget(lane, &veth->returning);
	xtr_veth__forget(lane, &veth->sinking);
	/* The device refused frames that did arrive: not ours to send again. */
	veth->refused = 0;
}

static void advance(struct xtr_lane *lane)
{
	struct xtr_window *window = lane->window;
	struct xtr_veth *veth = lane->state;

	while (window->done < window->count && veth->settled[window->done])
		window->done++;
}

static bool expecting(const struct xtr_veth *veth)
{
	return xtr_fifo__count(&veth->flying) || xtr_fifo__count(&veth->returning) ||
	       xtr_fifo__count(&veth->sinking);
}

static void start_window(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;

	veth->next = 0;
	memset(veth->settled, 0, sizeof(veth->settled));
}

static bool all_sent(const struct xtr_veth *veth, const struct xtr_window *window)
{
	return veth->next >= window->used && !xtr_fifo__count(&veth->again);
}

/* A slot that was never injected (a fault's doing) is lost. */
static void end_window(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	__u32 seq;

	for (seq = lane->window->done; seq < lane->window->count; seq++)
		if (!veth->settled[seq])
			give_up(lane, seq);
	lane->window->done = lane->window->count;
}

/* Until all is settled, or records must be released before more is sent. */
static int run_spliced(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	__u32 turns = 0;
	int sent;

	for (;;) {
		sent = veth->injector->send(lane, budget(veth));
		if (sent < 0)
			return sent;
		if (xtr_veth__drain(lane) || sent) {
			turns = 0;
			continue;
		}
		if (!expecting(veth) && !xtr_veth__copies_under_way(veth))
			return 0;
		if (xtr_veth__wait(&turns))
			continue;
		if (!xtr_veth__drain(lane))
			settle(lane);
		turns = 0;
	}
}

static int veth_run(struct xtr_lane *lane)
{
	struct xtr_window *window = lane->window;
	struct xtr_veth *veth = lane->state;
	int err;

	if (!window->done)
		start_window(lane);
	/* What these records said was delivered. */
	xtr_harness__release(&veth->harness, veth->read);
	xtr_veth__start_copies(veth);
	err = lane->run->mode == XTR_MODE_BARE ? xtr_veth__run_bare(lane) : run_spliced(lane);
	if (err)
		return err;
	if (all_sent(veth, window))
		end_window(lane);
	else
		advance(lane);
	return 0;
}

/* Of a bare target's frames each was looked at. */
static void count_losses(struct xtr_lane *lane)
{
	struct xtr_counts *counts = &lane->counts;
	struct xtr_veth *veth = lane->state;
	__u64 since[XTR_STATS], redirected = counts->verdicts[XDP_REDIRECT];

	if (lane->run->mode == XTR_MODE_BARE || veth->stats.sock < 0 ||
	    xtr_veth_stats__read(&veth->stats, since))
		return;
	counts->refused += since[XTR_STAT_TX_ERRORS];
	/* The counter has frames that no buffer was found for, too. */
	counts->nowhere +=
		since[XTR_STAT_FAILED] < redirected ? since[XTR_STAT_FAILED] : redirected;
}

static void veth_close(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;

	if (!veth)
		return;
	count_losses(lane);
	/* Detach before the socket goes: the other order has crashed kernels under load. */
	while (veth->link_count)
		close(veth->links[--veth->link_count]);
	veth->injector->close(lane);
	xtr_veth__disconnect_sinks(lane);
	xtr_veth_stats__close(&veth->stats);
	if (veth->observer_fd >= 0)
		close(veth->observer_fd);
	xtr_harness__close(&veth->harness);
	free(veth);
}

const struct xtr_path xtr_path_veth = {
	.name = "veth",
	.matches = true,
	.needs_pinning = true,
	.min_len = XTR_MIN_LEN,
	.max_len = veth_max_len,
	.probe = xtr_veth__probe,
	.open = veth_open,
	.run = veth_run,
	.close = veth_close,
};

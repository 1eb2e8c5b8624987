// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The veth path: the target is attached natively to one end of a veth pair in
 * the lane's network namespace, frames are injected at the other end.
 *
 *   injector -> xtr0 ======= xtr1: observer, which calls the spliced target
 *               xtr0: capture <--- what the target transmits (XDP_TX)
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
#include "splice.h"
#include "veth.h"

#define MAX_LEN 1518 /* MTU 1500, Ethernet header, a VLAN tag (is_skb_forwardable()) */
#define PATIENCE_NS 200000000LL /* nothing arrives for so long: nothing will */

static const char *const observer_progs[] = { "observe", NULL };

static const char *const *programs(const struct xtr_run *run)
{
	static const char *const afxdp[] = { "observe", "capture", NULL };
	static const char *const live[] = { "observe", "capture", "inject", NULL };

	return run->opts.inject == XTR_INJECT_LIVE ? live : afxdp;
}

static __u32 veth_max_len(const struct xtr_run *run)
{
	(void)run;
	return MAX_LEN;
}

static int veth_probe(struct xtr_run *run, bool quiet)
{
	struct xtr_harness_opts opts = {};
	struct xtr_harness harness;
	int fd, err;

	if (run->opts.bare) {
		pr_err("path veth needs the target spliced");
		return -EOPNOTSUPP;
	}
	err = xtr_harness__open(&harness, &opts, observer_progs);
	if (err)
		return err;
	fd = xtr_splice(harness.skel->progs.observe, run->target, quiet);
	xtr_harness__close(&harness);
	if (fd < 0)
		return fd;
	close(fd);
	run->mode = XTR_MODE_SPLICED;
	return 0;
}

/* Natively or not at all: generic XDP is another thing to test. */
static int attach(struct xtr_veth *veth, int prog_fd, const char *ifname)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int fd = bpf_link_create(prog_fd, if_nametoindex(ifname), BPF_XDP, &opts);

	if (fd == -EPERM)
		return xtr_caps__explain("attaching to a veth", xtr_caps_load);
	if (fd < 0) {
		pr_err("cannot attach natively to %s: %s", ifname, strerror(-fd));
		return fd;
	}
	veth->links[veth->link_count++] = fd;
	return 0;
}

static int load(struct xtr_lane *lane)
{
	const struct xtr_run *run = lane->run;
	struct xtr_veth *veth = lane->state;
	struct xtr_harness_opts opts = {
		.verdicts_only = run->opts.verdicts_only,
		.deliver_pass = run->opts.deliver_pass,
	};
	int err;

	err = xtr_harness__open(&veth->harness, &opts, programs(run));
	if (err)
		return err;
	lane->window->slots = veth->harness.input;
	veth->observer_fd = xtr_splice(veth->harness.skel->progs.observe, lane->target, false);
	return veth->observer_fd < 0 ? veth->observer_fd : 0;
}

static int veth_open(struct xtr_lane *lane)
{
	struct xtr_veth *veth = calloc(1, sizeof(*veth));
	int err;

	lane->state = veth;
	if (!veth)
		return -ENOMEM;
	veth->observer_fd = -1;
	veth->injector =
		lane->run->opts.inject == XTR_INJECT_LIVE ? &xtr_inject_live : &xtr_inject_afxdp;
	err = xtr_netns__lane_up(0);
	if (!err)
		err = load(lane);
	if (!err)
		err = attach(veth, veth->observer_fd, XTR_NETNS_TARGET);
	/* Without XDP on the injecting end veth drops what the target transmits. */
	if (!err)
		err = attach(veth, bpf_program__fd(veth->harness.skel->progs.capture),
			     XTR_NETNS_INJECT);
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

/* The frame for @seq was overtaken or never came. */
static void missing(struct xtr_lane *lane, __u32 seq)
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
		*seq = flying->seqs[at % (2 * XTR_CHUNK)];
		if (matches(lane, *seq, rec))
			break;
	}
	if (at == flying->tail)
		return -ENOENT;
	for (; flying->head != at; flying->head++)
		missing(lane, flying->seqs[flying->head % (2 * XTR_CHUNK)]);
	flying->head++;
	return veth->settled[*seq] ? -EEXIST : 0;
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
	if (rec->verdict == XDP_TX)
		xtr_fifo__push(&veth->returning, seq);
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

/* What the target transmits comes back in the order in which it did. */
static void came_back(struct xtr_lane *lane, const struct xtr_record *rec)
{
	struct xtr_veth *veth = lane->state;
	struct xtr_fifo *returning = &veth->returning;
	const struct xtr_outcome *outcome;
	__u32 at, seq;

	for (at = returning->head; at != returning->tail; at++) {
		seq = returning->seqs[at % (2 * XTR_CHUNK)];
		outcome = &lane->window->outcomes[seq];
		if (!lane->run->opts.outcomes || lane->run->opts.verdicts_only)
			break;
		if (outcome->len == rec->in_len &&
		    xtr_hash(outcome->data, outcome->len) == rec->in_hash)
			break;
	}
	if (at == returning->tail) {
		lane->counts.foreign++;
		return;
	}
	lane->counts.unreturned += at - returning->head;
	returning->head = at + 1;
	lane->window->outcomes[seq].flags |= XTR_OUTCOME_RETURNED;
}

/* Reads all records there are; returns how many. */
static __u32 drain(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	const struct xtr_record *rec;
	__u32 count = 0;

	while ((rec = xtr_harness__record(&veth->harness, veth->read))) {
		if (rec->port == XTR_PORT_TARGET)
			at_target(lane, rec);
		else
			came_back(lane, rec);
		veth->read += rec->size;
		count++;
	}
	return count;
}

/*
 * How many frames may be under way: no more than the device's ring takes, and
 * none whose records might find no room. A frame makes two at most.
 */
static __u32 budget(const struct xtr_veth *veth)
{
	__u64 used = veth->read - veth->harness.ctl->out_tail;
	__u32 room = (XTR_OUT_SIZE - used) / (2 * XTR_MAX_RECORD);
	__u32 limit = room < XTR_VETH_RING ? room : XTR_VETH_RING;
	__u32 flying = xtr_fifo__count(&veth->flying) + xtr_fifo__count(&veth->returning);

	return limit > flying ? limit - flying : 0;
}

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Nothing came for too long: settle what is still expected. */
static void settle(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	struct xtr_fifo *flying = &veth->flying, *returning = &veth->returning;

	for (; flying->head != flying->tail; flying->head++)
		missing(lane, flying->seqs[flying->head % (2 * XTR_CHUNK)]);
	lane->counts.unreturned += xtr_fifo__count(returning);
	returning->head = returning->tail;
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
	return xtr_fifo__count(&veth->flying) || xtr_fifo__count(&veth->returning);
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

static int veth_run(struct xtr_lane *lane)
{
	struct xtr_window *window = lane->window;
	struct xtr_veth *veth = lane->state;
	long long quiet_since = now_ns();
	int sent;

	if (!window->done)
		start_window(lane);
	/* What these records said was delivered. */
	xtr_harness__release(&veth->harness, veth->read);
	for (;;) {
		sent = veth->injector->send(lane, budget(veth));
		if (sent < 0)
			return sent;
		if (drain(lane) || sent) {
			quiet_since = 0;
		} else if (!expecting(veth)) {
			break;
		} else {
			if (!quiet_since)
				quiet_since = now_ns();
			if (now_ns() - quiet_since > PATIENCE_NS || xtr_run__stopped(lane->run))
				settle(lane);
			sched_yield();
		}
	}
	if (all_sent(veth, window))
		end_window(lane);
	else
		advance(lane);
	return 0;
}

static void veth_close(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;

	if (!veth)
		return;
	/* Detach before the socket goes: the other order has crashed kernels under load. */
	while (veth->link_count)
		close(veth->links[--veth->link_count]);
	veth->injector->close(lane);
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
	.probe = veth_probe,
	.open = veth_open,
	.run = veth_run,
	.close = veth_close,
};

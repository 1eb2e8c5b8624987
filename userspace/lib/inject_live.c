// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Injection by live frames: the injector program (bpf/harness/injector.bpf.c)
 * writes each slot into a frame that the kernel made and redirects it into the
 * veth. Runs in the lane's namespace, as what the kernel's run loop does with
 * other verdicts happens on that namespace's loopback.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "caps.h"
#include "hold.h"
#include "log.h"
#include "netns.h"
#include "veth.h"

/* Frames per flush: what the peer takes in one NAPI poll. */
#define BATCH 64

struct live {
	struct xtr_hold hold;
	int prog_fd;
	__u8 frame[XTR_MAX_LINEAR];
};

static int live_open(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	struct live *live = calloc(1, sizeof(*live));
	int ifindex;

	veth->injector_state = live;
	if (!live)
		return -ENOMEM;
	live->hold = (struct xtr_hold)XTR_HOLD_NONE;
	live->prog_fd = bpf_program__fd(veth->harness.skel->progs.inject);
	ifindex = xtr_netns__ifindex(XTR_NETNS_INJECT);
	if (ifindex < 0)
		return ifindex;
	veth->harness.skel->bss->inject_ifindex = ifindex;
	return lane->run->opts.no_hold ? 0 : xtr_hold__open(&live->hold, live->prog_fd);
}

/* How many slots from veth->next on, and the longest of them. */
static __u32 measure(const struct xtr_veth *veth, const struct xtr_window *window, __u32 budget,
		     __u32 *max_len)
{
	const struct xtr_slot *slot;
	__u32 pos, count = 0;

	*max_len = XTR_MIN_LEN;
	for (pos = veth->next; pos < window->used && count < budget; pos += slot->size) {
		slot = xtr_window__slot(window, pos);
		if (slot->len > *max_len)
			*max_len = slot->len;
		count++;
	}
	return count;
}

/* Which slots the injector took is seen at its cursor. */
static __u32 taken(struct xtr_veth *veth, const struct xtr_window *window, __u32 end)
{
	const struct xtr_slot *slot;
	__u32 count = 0;

	for (; veth->next < end; veth->next += slot->size) {
		slot = xtr_window__slot(window, veth->next);
		xtr_fifo__push(&veth->flying, slot->seq);
		count++;
	}
	return count;
}

static int live_send(struct xtr_lane *lane, __u32 budget)
{
	struct xtr_veth *veth = lane->state;
	struct live *live = veth->injector_state;
	struct xtr_ctl *ctl = veth->harness.ctl;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = live->frame,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
	__u32 max_len, count;
	int err;

	count = measure(veth, lane->window, budget, &max_len);
	if (!count)
		return 0;
	/*
	 * Longer than any of the packets, so that the injector shortens each
	 * frame: only then does the kernel set the length anew of one that comes
	 * back with another end than it had (xdp_test_run_batch()).
	 */
	opts.data_size_in = max_len + 1;
	opts.repeat = count;
	opts.batch_size = count < BATCH ? count : BATCH;
	ctl->in_pos = veth->next;
	ctl->in_end = lane->window->used;
	ctl->failed = 0;
	err = bpf_prog_test_run_opts(live->prog_fd, &opts);
	if (err && err != -EINTR) {
		pr_err("injecting live frames of %u bytes failed: %s", max_len, strerror(-err));
		return err == -EINVAL ? -EOPNOTSUPP : err;
	}
	return taken(veth, lane->window, ctl->in_pos);
}

static void live_close(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	struct live *live = veth->injector_state;

	if (!live)
		return;
	xtr_hold__close(&live->hold);
	free(live);
}

const struct xtr_injector xtr_inject_live = {
	.open = live_open,
	.send = live_send,
	.close = live_close,
};

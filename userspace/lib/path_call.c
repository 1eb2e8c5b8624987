// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The call path: one BPF_PROG_TEST_RUN per packet, with repeat 1. A larger
 * repeat would run the program on its own output: the kernel gives the packet
 * its bytes and length only once a call (bpf_test_run() in net/bpf/test_run.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "caps.h"
#include "log.h"
#include "path.h"

/*
 * data_size_out is in and out: room for the packet as it may have grown, or the
 * call fails with ENOSPC. In front it is headroom that is used up, at the end
 * less than a page: there ends a linear packet, and the last buffer of others.
 */
#define GROWTH (4096 + 256)

/* A packet takes its own length and GROWTH at most, and only what it needs. */
#define OUT_SIZE (XTR_CHUNK * GROWTH + 2 * XTR_IN_SIZE)

#define MAX_FRAGS_LEN 73152 /* 3520 linear bytes and 17 pages in frags */

struct call {
	__u8 *out;
	__u8 *slots;
	bool want_ctx; /* metadata can only be told from the packet with a context */
	struct bpf_test_run_opts opts;
	struct xdp_md ctx_in;
	struct xdp_md ctx_out;
};

static __u32 call_max_len(const struct xtr_run *run)
{
	return xtr_target__frags(run->target) ? MAX_FRAGS_LEN : XTR_MAX_LINEAR;
}

static int call_probe(struct xtr_run *run)
{
	run->mode = XTR_MODE_BARE;
	return 0;
}

/* A context costs an allocation and two copies per call: only where it tells something. */
static bool moves_meta(const struct xtr_target *target)
{
	return xtr_target__uses_helper(target, BPF_FUNC_xdp_adjust_meta) ||
	       xtr_target__calls_tail(target);
}

static int call_open(struct xtr_lane *lane)
{
	const struct xtr_run_opts *opts = &lane->run->opts;
	struct call *call = calloc(1, sizeof(*call));

	lane->state = call;
	if (!call)
		return -ENOMEM;
	call->slots = malloc(XTR_IN_SIZE + XTR_SLACK);
	call->out = malloc(OUT_SIZE);
	if (!call->slots || !call->out)
		return -ENOMEM;
	lane->window->slots = call->slots;
	call->want_ctx = moves_meta(lane->target) || opts->ingress_ifindex || opts->rx_queue_index;
	call->ctx_in.ingress_ifindex = opts->ingress_ifindex;
	call->ctx_in.rx_queue_index = opts->rx_queue_index;
	call->opts.sz = sizeof(call->opts);
	return 0;
}

static int test_run(struct xtr_lane *lane, const struct xtr_slot *slot, __u8 *out)
{
	struct call *call = lane->state;
	struct bpf_test_run_opts *opts = &call->opts;
	bool with_ctx = call->want_ctx || slot->meta_len;
	int err;

	opts->data_in = slot->data;
	opts->data_size_in = slot->meta_len + slot->len;
	opts->data_out = lane->run->opts.verdicts_only ? NULL : out;
	opts->data_size_out = opts->data_out ? slot->meta_len + slot->len + GROWTH : 0;
	opts->ctx_in = with_ctx ? &call->ctx_in : NULL;
	opts->ctx_size_in = with_ctx ? sizeof(call->ctx_in) : 0;
	opts->ctx_out = with_ctx ? &call->ctx_out : NULL;
	opts->ctx_size_out = with_ctx ? sizeof(call->ctx_out) : 0;
	if (with_ctx) {
		call->ctx_in.data = slot->meta_len;
		call->ctx_in.data_end = slot->meta_len + slot->len;
	}
	do {
		err = bpf_prog_test_run_opts(xtr_target__fd(lane->target), opts);
	} while (err == -EINTR);
	return err;
}

static int explain(const struct xtr_lane *lane, const struct xtr_slot *slot, int err)
{
	unsigned long long index = lane->window->entries[slot->seq].index;

	if (err == -EPERM)
		return xtr_caps__explain("running the program", xtr_caps_load);
	if (err == -EINVAL && slot->meta_len) {
		pr_err("packet %llu: the kernel refuses %u bytes of metadata before %u bytes: "
		       "it takes multiples of 4, up to 32 before Linux 6.3 and up to 216 since",
		       index, slot->meta_len, slot->len);
		return -EOPNOTSUPP;
	}
	if (!xtr_path__explain_ctx(&lane->run->opts, err))
		pr_err("packet %llu, %u bytes: BPF_PROG_TEST_RUN failed: %s", index, slot->len,
		       strerror(-err));
	return err;
}

static void record(struct xtr_lane *lane, const struct xtr_slot *slot, const __u8 *out)
{
	struct call *call = lane->state;
	struct xtr_outcome *outcome;

	outcome = xtr_lane__observed(lane, slot->seq, call->opts.retval, 0);
	if (!outcome)
		return;
	if (!call->opts.data_out) {
		outcome->flags = XTR_OUTCOME_NO_DATA;
		outcome->len = call->opts.data_size_out;
		return;
	}
	/* The bytes start at the metadata; the context says where the packet does. */
	outcome->meta_len = call->opts.ctx_out ? call->ctx_out.data : 0;
	outcome->meta = out;
	outcome->data = out + outcome->meta_len;
	outcome->len = call->opts.data_size_out - outcome->meta_len;
}

static int call_run(struct xtr_lane *lane)
{
	struct xtr_window *window = lane->window;
	struct call *call = lane->state;
	const struct xtr_slot *slot;
	__u8 *out = call->out;
	__u32 pos;
	int err;

	for (pos = 0; pos < window->used; pos += slot->size) {
		slot = xtr_window__slot(window, pos);
		err = test_run(lane, slot, out);
		if (err)
			return explain(lane, slot, err);
		if (!xtr_lane__in_order(lane, slot->seq))
			continue;
		record(lane, slot, out);
		out += XTR_ALIGN(call->opts.data_size_out);
	}
	xtr_lane__end_of_window(lane);
	return 0;
}

static void call_close(struct xtr_lane *lane)
{
	struct call *call = lane->state;

	if (!call)
		return;
	free(call->out);
	free(call->slots);
	free(call);
}

const struct xtr_path xtr_path_call = {
	.name = "call",
	.min_len = XTR_MIN_LEN,
	.max_len = call_max_len,
	.probe = call_probe,
	.open = call_open,
	.run = call_run,
	.close = call_close,
};

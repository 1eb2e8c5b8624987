// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The batch path: a window of packets per BPF_PROG_TEST_RUN. The target is
 * spliced into the feeder (bpf/harness/feeder.bpf.c), which takes the packets
 * from the lane's slots and appends what happened to its records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "caps.h"
#include "harness.h"
#include "hold.h"
#include "log.h"
#include "path.h"
#include "splice.h"

struct batch {
	struct xtr_kept kept;
	enum xtr_mode mode;
	bool verdicts_only;
	struct xtr_harness harness;
	struct xtr_hold hold;
	int prog_fd;
	struct xdp_md ctx_in;
	__u8 packet[XTR_MAX_LINEAR]; /* what a call starts with; the feeder replaces it */
};

static const char *feeder_name(enum xtr_mode mode)
{
	return mode == XTR_MODE_SPLICED_EACH ? "feed_each" : "feed_window";
}

static const struct bpf_program *feeder(const struct batch *batch)
{
	return batch->mode == XTR_MODE_SPLICED_EACH ? batch->harness.skel->progs.feed_each
						    : batch->harness.skel->progs.feed_window;
}

static int load(struct batch *batch, const struct xtr_target *target)
{
	struct xtr_harness_opts opts = { .verdicts_only = batch->verdicts_only };
	const char *const progs[] = { feeder_name(batch->mode), NULL };
	int err;

	err = xtr_harness__open(&batch->harness, &opts, progs);
	if (err)
		return err;
	batch->prog_fd = xtr_splice(feeder(batch), target);
	return batch->prog_fd < 0 ? batch->prog_fd : 0;
}

static void unload(struct xtr_kept *kept)
{
	struct batch *batch = (struct batch *)kept;

	xtr_hold__close(&batch->hold);
	if (batch->prog_fd >= 0)
		close(batch->prog_fd);
	xtr_harness__close(&batch->harness);
	free(batch);
}

static struct batch *batch_new(const struct xtr_run *run, enum xtr_mode mode)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return NULL;
	batch->kept.unload = unload;
	batch->mode = mode;
	batch->verdicts_only = run->opts.verdicts_only;
	batch->hold = (struct xtr_hold)XTR_HOLD_NONE;
	batch->prog_fd = -1;
	return batch;
}

static int try_splice(const struct xtr_run *run, enum xtr_mode mode)
{
	struct batch *batch = batch_new(run, mode);
	int err;

	if (!batch)
		return -ENOMEM;
	err = load(batch, run->target);
	if (err)
		unload(&batch->kept);
	else
		xtr_target__keep(run->target, &batch->kept);
	return err;
}

static int try_mode(struct xtr_run *run, enum xtr_mode mode)
{
	enum xtr_splice_site site =
		mode == XTR_MODE_SPLICED_EACH ? XTR_SITE_FEED_EACH : XTR_SITE_FEED_WINDOW;
	int err = 0;

	if (!xtr_target__fits(run->target, site))
		err = try_splice(run, mode);
	if (err)
		return err;
	xtr_target__set_fits(run->target, site);
	run->mode = mode;
	return 0;
}

static __u32 batch_max_len(const struct xtr_run *run)
{
	(void)run;
	return XTR_MAX_LINEAR;
}

static int batch_probe(struct xtr_run *run)
{
	int err = -EOPNOTSUPP;
	bool was;

	if (run->opts.bare) {
		pr_err("path batch needs the target spliced; a bare target: --path call");
		return -EOPNOTSUPP;
	}
	/* The kernel counts tail calls per run of the whole program: one packet each. */
	if (!xtr_target__calls_tail(run->target)) {
		was = xtr_log__demote(true);
		err = try_mode(run, XTR_MODE_SPLICED);
		xtr_log__demote(was);
	}
	return err ? try_mode(run, XTR_MODE_SPLICED_EACH) : 0;
}

/* What the probe kept, if it is what the run wants. */
static struct batch *take(struct xtr_lane *lane)
{
	struct batch *batch = (struct batch *)xtr_target__take(lane->target);

	if (!batch)
		return NULL;
	if (batch->kept.unload == unload && batch->mode == lane->run->mode &&
	    batch->verdicts_only == lane->run->opts.verdicts_only)
		return batch;
	batch->kept.unload(&batch->kept);
	return NULL;
}

static int batch_open(struct xtr_lane *lane)
{
	struct xtr_run *run = lane->run;
	struct batch *batch = take(lane);
	int err = 0;

	if (!batch) {
		batch = batch_new(run, run->mode);
		err = batch ? load(batch, lane->target) : -ENOMEM;
	}
	lane->state = batch;
	if (err)
		return err;
	/* feed_window runs once a call, which leaves the dispatcher alone. */
	if (run->mode == XTR_MODE_SPLICED_EACH && !run->opts.no_hold) {
		err = xtr_hold__open(&batch->hold, batch->prog_fd);
		if (err)
			return err;
	}
	lane->window->slots = batch->harness.input;
	batch->ctx_in.ingress_ifindex = run->opts.ingress_ifindex;
	batch->ctx_in.rx_queue_index = run->opts.rx_queue_index;
	return 0;
}

static int explain(const struct xtr_lane *lane, int err)
{
	if (err == -EPERM)
		return xtr_caps__explain("running the program", xtr_caps_load);
	if (!xtr_path__explain_ctx(&lane->run->opts, err))
		pr_err("BPF_PROG_TEST_RUN of a window failed: %s", strerror(-err));
	return err;
}

/* One call; how far it got is seen at the cursors, an EINTR included. */
static int test_run(struct xtr_lane *lane)
{
	struct batch *batch = lane->state;
	struct xtr_ctl *ctl = batch->harness.ctl;
	__u32 len = xtr_window__slot(lane->window, ctl->in_pos)->len;
	bool with_ctx = batch->ctx_in.ingress_ifindex || batch->ctx_in.rx_queue_index;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = batch->packet, .data_size_in = len,
		    .repeat = 1);
	int err;

	if (lane->run->mode == XTR_MODE_SPLICED_EACH)
		opts.repeat = lane->window->count - lane->window->done;
	if (with_ctx) {
		batch->ctx_in.data_end = len;
		opts.ctx_in = &batch->ctx_in;
		opts.ctx_size_in = sizeof(batch->ctx_in);
	}
	ctl->origin = 0;
	ctl->failed = 0;
	err = bpf_prog_test_run_opts(batch->prog_fd, &opts);
	if (err == -EINTR)
		err = 0;
	if (err)
		return explain(lane, err);
	if (ctl->failed) {
		pr_err("packet %llu, %u bytes of metadata: it cannot be put in place on this "
		       "kernel; --path call takes it or says why",
		       (unsigned long long)lane->window->entries[ctl->failed - 1].index,
		       xtr_window__slot(lane->window, ctl->in_pos)->meta_len);
		err = -EOPNOTSUPP;
	}
	return err;
}

static void drain(struct xtr_lane *lane)
{
	struct batch *batch = lane->state;
	struct xtr_harness *harness = &batch->harness;
	const struct xtr_record *rec;
	struct xtr_outcome *outcome;
	__u64 pos;

	for (pos = 0; (rec = xtr_harness__record(harness, pos)); pos += rec->size) {
		if (!xtr_lane__in_order(lane, rec->seq))
			continue;
		outcome = xtr_lane__observed(lane, rec->seq, rec->verdict, 0);
		if (!outcome)
			continue;
		outcome->len = rec->len;
		if (lane->run->opts.verdicts_only) {
			outcome->flags = XTR_OUTCOME_NO_DATA;
			continue;
		}
		outcome->meta_len = rec->meta_len;
		outcome->meta = rec->data;
		outcome->data = rec->data + rec->meta_len;
	}
}

static int batch_run(struct xtr_lane *lane)
{
	struct batch *batch = lane->state;
	struct xtr_ctl *ctl = batch->harness.ctl;
	int err;

	/* What earlier records said was delivered: start at the front, in the cache. */
	ctl->out_head = 0;
	ctl->out_tail = 0;
	if (!lane->window->done) {
		ctl->in_pos = 0;
		ctl->in_end = lane->window->used;
	}
	err = test_run(lane);
	if (err)
		return err;
	drain(lane);
	if (ctl->in_pos == ctl->in_end)
		xtr_lane__end_of_window(lane);
	return 0;
}

static void batch_close(struct xtr_lane *lane)
{
	struct batch *batch = lane->state;

	if (batch)
		unload(&batch->kept);
}

const struct xtr_path xtr_path_batch = {
	.name = "batch",
	.min_len = XTR_MIN_LEN,
	.max_len = batch_max_len,
	.probe = batch_probe,
	.open = batch_open,
	.run = batch_run,
	.close = batch_close,
};

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The veth path's programs: the harness and, if it can be, the target in the observer. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel.h"
#include "log.h"
#include "path.h"
#include "run.h"
#include "splice.h"
#include "target.h"
#include "veth.h"

/* A probe's is kept for the first lane that wants the same. */
struct loaded {
	struct xtr_kept kept;
	enum xtr_inject inject;
	struct xtr_harness_opts opts;
	struct xtr_harness harness;
	int observer_fd;
};

static const char *const *programs(enum xtr_inject inject, enum xtr_mode mode)
{
	static const char *const afxdp[] = { "capture", "observe", NULL };
	static const char *const live[] = { "capture", "inject", "observe", NULL };
	static const char *const bare_afxdp[] = { "capture", NULL };
	static const char *const bare_live[] = { "capture", "inject", NULL };
	bool is_live = inject == XTR_INJECT_LIVE;

	if (mode == XTR_MODE_BARE)
		return is_live ? bare_live : bare_afxdp;
	return is_live ? live : afxdp;
}

static void unload(struct xtr_kept *kept)
{
	struct loaded *loaded = (struct loaded *)kept;

	if (loaded->observer_fd >= 0)
		close(loaded->observer_fd);
	xtr_harness__close(&loaded->harness);
	free(loaded);
}

static struct loaded *loaded_new(const struct xtr_run *run)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	if (!loaded)
		return NULL;
	loaded->kept.unload = unload;
	loaded->inject = run->opts.inject;
	loaded->opts.verdicts_only = run->opts.verdicts_only;
	loaded->opts.deliver_pass = run->opts.deliver_pass;
	loaded->observer_fd = -1;
	return loaded;
}

static int load(struct loaded *loaded, const struct xtr_target *target, enum xtr_mode mode)
{
	int err;

	err = xtr_harness__open(&loaded->harness, &loaded->opts, programs(loaded->inject, mode));
	if (err || mode == XTR_MODE_BARE)
		return err;
	loaded->observer_fd = xtr_splice(loaded->harness.skel->progs.observe, target);
	return loaded->observer_fd < 0 ? loaded->observer_fd : 0;
}

static int try_splice(const struct xtr_run *run)
{
	struct loaded *loaded;
	int err;

	if (xtr_target__fits(run->target, XTR_SITE_OBSERVE))
		return 0;
	loaded = loaded_new(run);
	if (!loaded)
		return -ENOMEM;
	err = load(loaded, run->target, XTR_MODE_SPLICED);
	if (err) {
		unload(&loaded->kept);
		return err;
	}
	xtr_target__keep(run->target, &loaded->kept);
	xtr_target__set_fits(run->target, XTR_SITE_OBSERVE);
	return 0;
}

static int probe_injector(const struct xtr_run *run)
{
	if (run->opts.inject != XTR_INJECT_LIVE || xtr_kernel__has_live_frames())
		return 0;
	pr_err("this kernel refuses to inject live frames (EPERM): AF_XDP is the other injector");
	return -EOPNOTSUPP;
}

int xtr_veth__probe(struct xtr_run *run)
{
	int err = xtr_veth__count_sinks(run);
	bool was;

	if (err < 0)
		return err;
	err = probe_injector(run);
	if (err)
		return err;
	run->mode = XTR_MODE_BARE;
	if (run->opts.bare)
		return 0;
	was = xtr_log__demote(true);
	err = try_splice(run);
	xtr_log__demote(was);
	/* Said again at its level, if it is more than a refusal. */
	if (err && err != -EOPNOTSUPP)
		err = try_splice(run);
	if (!err)
		run->mode = XTR_MODE_SPLICED;
	if (err != -EOPNOTSUPP)
		return err;
	pr_warn("%s cannot be spliced (-v says why) and runs bare: one frame at a time, verdicts "
		"from the device's counters, which count XDP_ABORTED as XDP_DROP, and bytes only "
		"of what it transmits",
		xtr_target__name(run->target));
	return 0;
}

static bool suits(const struct loaded *loaded, const struct xtr_run *run)
{
	return loaded->kept.unload == unload && run->mode == XTR_MODE_SPLICED &&
	       loaded->inject == run->opts.inject &&
	       loaded->opts.verdicts_only == run->opts.verdicts_only &&
	       loaded->opts.deliver_pass == run->opts.deliver_pass;
}

static struct loaded *take(struct xtr_lane *lane)
{
	struct xtr_kept *kept = xtr_target__take(lane->target);

	if (!kept)
		return NULL;
	if (suits((struct loaded *)kept, lane->run))
		return (struct loaded *)kept;
	kept->unload(kept);
	return NULL;
}

int xtr_veth__load(struct xtr_lane *lane)
{
	struct loaded *loaded = take(lane);
	struct xtr_veth *veth = lane->state;
	int err = 0;

	if (!loaded) {
		loaded = loaded_new(lane->run);
		err = loaded ? load(loaded, lane->target, lane->run->mode) : -ENOMEM;
	}
	if (!loaded)
		return err;
	veth->harness = loaded->harness;
	veth->observer_fd = loaded->observer_fd;
	free(loaded);
	if (!err)
		lane->window->slots = veth->harness.input;
	return err;
}

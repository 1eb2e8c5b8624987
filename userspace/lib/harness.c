// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "caps.h"
#include "harness.h"
#include "libbpf_log.h"
#include "log.h"

static bool named(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

/* What was in the verifier's log last explains only what the verifier did. */
static void explain_load(const struct xtr_libbpf_log *log, int err)
{
	bool refused = err == -EACCES || err == -EINVAL || err == -E2BIG || err == -EPERM;
	const char *reason = refused && log->verifier[0] ? log->verifier : log->reason;

	pr_err("cannot load the harness programs: %s%s%s%s", strerror(-err), reason[0] ? " (" : "",
	       reason, reason[0] ? ")" : "");
}

int xtr_harness__open(struct xtr_harness *h, const struct xtr_harness_opts *opts,
		      const char *const *progs)
{
	struct xtr_libbpf_log log = {};
	struct bpf_program *prog;
	int err;

	xtr_libbpf_log__install();
	h->skel = harness__open();
	if (!h->skel) {
		err = -errno;
		pr_err("cannot open the harness programs: %s", strerror(-err));
		return err;
	}
	bpf_object__for_each_program(prog, h->skel->obj)
		bpf_program__set_autoload(prog, named(progs, bpf_program__name(prog)));
	h->skel->rodata->verdicts_only = opts->verdicts_only;
	h->skel->rodata->deliver_pass = opts->deliver_pass;

	xtr_libbpf_log__start(&log);
	err = harness__load(h->skel);
	xtr_libbpf_log__stop();
	if (err) {
		if (xtr_caps__missing(xtr_caps_splice))
			err = xtr_caps__explain("loading the harness programs", xtr_caps_splice);
		else
			explain_load(&log, err);
		/* The harness is nothing that the user gave. */
		if (err == -EINVAL)
			err = -EOPNOTSUPP;
		xtr_harness__close(h);
		return err;
	}
	h->ctl = &h->skel->bss->ctl;
	h->input = h->skel->bss->input;
	h->output = h->skel->bss->output;
	return 0;
}

void xtr_harness__close(struct xtr_harness *h)
{
	harness__destroy(h->skel);
	memset(h, 0, sizeof(*h));
}

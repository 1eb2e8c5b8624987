// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "caps.h"
#include "harness.h"
#include "kernel.h"
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

/*
 * libbpf writes a map's initial content into each map that it creates. For the
 * harness's memory that is two megabytes of zeroes, over what the kernel has just
 * cleared, and a third of the set-up. A map that is given to libbpf it leaves as it is.
 */
static int create_memory(const struct harness *skel)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	struct bpf_map *map = skel->maps.bss;
	int fd, err;

	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, bpf_map__name(map), sizeof(__u32),
			    bpf_map__value_size(map), 1, &opts);
	if (fd < 0)
		return fd;
	err = bpf_map__reuse_fd(map, fd);
	close(fd);
	return err;
}

/* Newer versions of libbpf map only what they filled; an older one undoes its mapping itself. */
static int map_memory(struct xtr_harness *h)
{
	void *memory = mmap(NULL, sizeof(*h->skel->bss), PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map__fd(h->skel->maps.bss), 0);

	if (memory == MAP_FAILED)
		return -errno;
	h->skel->bss = memory;
	h->mapped = true;
	return 0;
}

static int load(struct xtr_harness *h)
{
	int err;

	err = create_memory(h->skel);
	if (!err)
		err = harness__load(h->skel);
	return err ? err : map_memory(h);
}

int xtr_harness__open(struct xtr_harness *h, const struct xtr_harness_opts *opts,
		      const char *const *progs)
{
	struct xtr_libbpf_log log = {};
	struct bpf_program *prog;
	int err;

	memset(h, 0, sizeof(*h));
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
	h->skel->rodata->moves_meta = xtr_kernel__moves_meta();

	xtr_libbpf_log__start(&log);
	err = load(h);
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
	if (h->mapped)
		munmap(h->skel->bss, sizeof(*h->skel->bss));
	harness__destroy(h->skel);
	memset(h, 0, sizeof(*h));
}

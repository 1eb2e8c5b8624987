// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Sample programs that are part of the command: bench needs no file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bench.h"
#include "caps.h"
#include "libbpf_log.h"
#include "log.h"
#include "rodata.h"
#include "xdp_drop.skel.h"
#include "xdp_lb.skel.h"
#include "xdp_tx.skel.h"

static const struct embedded {
	const char *name; /* of the program, too */
	const void *(*bytes)(size_t *size);
} embedded[] = {
	[BENCH_LB] = { "xdp_lb", xdp_lb__elf_bytes },
	[BENCH_DROP] = { "xdp_drop", xdp_drop__elf_bytes },
	[BENCH_TX] = { "xdp_tx", xdp_tx__elf_bytes },
};

static int open_object(struct bench_target *t, const struct embedded *from)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = from->name);
	const void *bytes;
	size_t size;

	bytes = from->bytes(&size);
	t->obj = bpf_object__open_mem(bytes, size, &opts);
	return t->obj ? 0 : -errno;
}

static int load_object(struct bench_target *t, const struct embedded *from)
{
	int err = bpf_object__load(t->obj);

	if (err)
		return err;
	t->target = xtr_target__from_program(bpf_object__find_program_by_name(t->obj, from->name));
	return t->target ? 0 : -errno;
}

static void explain(const struct embedded *from, const struct xtr_libbpf_log *log, int err)
{
	if (err == -EPERM)
		xtr_caps__explain(from->name, xtr_caps_load);
	else
		pr_err("cannot load the built-in program %s: %s (%s)", from->name, strerror(-err),
		       log->verifier[0] ? log->verifier : log->reason);
}

int bench_target__open(struct bench_target *t, enum bench_program program, __u32 endpoints)
{
	const struct embedded *from = &embedded[program];
	struct xtr_libbpf_log log = {};
	char text[16];
	int err;

	memset(t, 0, sizeof(*t));
	snprintf(text, sizeof(text), "%u", endpoints);
	xtr_libbpf_log__install();
	xtr_libbpf_log__start(&log);
	err = open_object(t, from);
	if (!err && program == BENCH_LB)
		err = xtr_rodata__set(from->name, t->obj, "endpoints", text);
	if (!err)
		err = load_object(t, from);
	xtr_libbpf_log__stop();
	if (err)
		explain(from, &log, err);
	return err;
}

void bench_target__close(struct bench_target *t)
{
	xtr_target__close(t->target);
	bpf_object__close(t->obj);
	memset(t, 0, sizeof(*t));
}

int bench_target__load(const struct bench_target *t, __u64 *load, __u32 endpoints)
{
	int fd = bpf_object__find_map_fd_by_name(t->obj, "endpoint_load");
	int cpus = libbpf_num_possible_cpus(), err = 0;
	__u64 *values;

	if (fd < 0 || cpus < 0)
		return fd < 0 ? fd : cpus;
	values = calloc(cpus, sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (__u32 i = 0; !err && i < endpoints; i++) {
		err = bpf_map_lookup_elem(fd, &i, values);
		load[i] = 0;
		for (int cpu = 0; cpu < cpus; cpu++)
			load[i] += values[cpu];
	}
	free(values);
	return err;
}

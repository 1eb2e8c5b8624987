/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Small XDP programs to run: made of instructions here, so that no compiler is needed */
#ifndef XDP_PROG_H
#define XDP_PROG_H

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

/*
 * A program that returns the verdict; with a map (an array with values of 8
 * bytes) it holds a reference on the map too. A file descriptor or -errno.
 */
static inline int xdp_prog__load(enum xdp_action verdict, int map_fd)
{
	const struct bpf_insn insns[] = {
		/* r1 = map (two slots), or r1 = 0 */
		{
			.code = BPF_LD | BPF_DW | BPF_IMM,
			.dst_reg = BPF_REG_1,
			.src_reg = map_fd < 0 ? 0 : BPF_PSEUDO_MAP_FD,
			.imm = map_fd < 0 ? 0 : map_fd,
		},
		{},
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = verdict },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd;

	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "xdp_verdict", "Dual BSD/GPL", insns,
			   sizeof(insns) / sizeof(*insns), NULL);
	return fd < 0 ? -errno : fd;
}

/* One BPF_PROG_TEST_RUN of a frame of 64 bytes: 0 or -errno */
static inline int xdp_prog__run(int prog_fd, int repeat)
{
	unsigned char frame[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = repeat, );

	return bpf_prog_test_run_opts(prog_fd, &opts) ? -errno : 0;
}

#endif

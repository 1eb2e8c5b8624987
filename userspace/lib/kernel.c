// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <pthread.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "kernel.h"

#define MOV_IMM(reg, value)                                                           \
	{                                                                             \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (value) \
	}
#define CALL(helper)                                        \
	{                                                   \
		.code = BPF_JMP | BPF_CALL, .imm = (helper) \
	}
#define EXIT()                             \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}

static int load(const struct bpf_insn *insns, size_t count)
{
	return bpf_prog_load(BPF_PROG_TYPE_XDP, "xtr_try", "Dual BSD/GPL", insns, count, NULL);
}

static bool moves_meta;

static void try_meta(void)
{
	static const struct bpf_insn with[] = {
		MOV_IMM(BPF_REG_2, 0),
		CALL(BPF_FUNC_xdp_adjust_meta),
		MOV_IMM(BPF_REG_0, XDP_DROP),
		EXIT(),
	};
	int fd = load(with, sizeof(with) / sizeof(*with));

	/* The verifier's "cannot use helper" is EINVAL; anything else is another matter. */
	moves_meta = fd != -EINVAL;
	if (fd >= 0)
		close(fd);
}

bool xtr_kernel__moves_meta(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, try_meta);
	return moves_meta;
}

static bool live_frames = true;

static void try_live(void)
{
	static const struct bpf_insn drop[] = { MOV_IMM(BPF_REG_0, XDP_DROP), EXIT() };
	char frame[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = 1, .batch_size = 1, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
	int fd = load(drop, sizeof(drop) / sizeof(*drop));

	/* Why nothing can be loaded is told where the target is. */
	if (fd < 0)
		return;
	live_frames = bpf_prog_test_run_opts(fd, &opts) != -EPERM;
	close(fd);
}

bool xtr_kernel__has_live_frames(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, try_live);
	return live_frames;
}

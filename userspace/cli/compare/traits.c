// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "ctx_reads.h"
#include "target.h"
#include "traits.h"

#define MAX_MAPS 64 /* that a program can use, as of the kernel's MAX_USED_MAPS */

/* Not in the headers of older systems. */
#define KFUNC_CALL 2 /* BPF_PSEUDO_KFUNC_CALL */
#define RDONLY_PROG (1U << 7) /* BPF_F_RDONLY_PROG */

static const struct {
	__s32 id; /* by number: the header may be older than the program */
	__u32 trait;
} helpers[] = {
	{ 65, TRAIT_TAIL }, /* xdp_adjust_tail */
	{ 69, TRAIT_NETNS }, /* fib_lookup */
	{ 84, TRAIT_NETNS }, /* sk_lookup_tcp */
	{ 85, TRAIT_NETNS }, /* sk_lookup_udp */
	{ 99, TRAIT_NETNS }, /* skc_lookup_tcp */
	{ 163, TRAIT_NETNS }, /* check_mtu */
	{ 5, TRAIT_TIME }, /* ktime_get_ns */
	{ 118, TRAIT_TIME }, /* jiffies64 */
	{ 125, TRAIT_TIME }, /* ktime_get_boot_ns */
	{ 160, TRAIT_TIME }, /* ktime_get_coarse_ns */
	{ 169, TRAIT_TIME }, /* timer_init */
	{ 208, TRAIT_TIME }, /* ktime_get_tai_ns */
	{ 7, TRAIT_RANDOM }, /* get_prandom_u32 */
	{ 8, TRAIT_CPU }, /* get_smp_processor_id */
	{ 42, TRAIT_CPU }, /* get_numa_node_id */
	{ 153, TRAIT_CPU }, /* per_cpu_ptr */
	{ 154, TRAIT_CPU }, /* this_cpu_ptr */
	{ 195, TRAIT_CPU }, /* map_lookup_percpu_elem: of a CPU that it names */
	{ 51, TRAIT_REDIRECT }, /* redirect_map */
};

static __u32 traits_of_call(const struct bpf_insn *insn)
{
	if (insn->code != (BPF_JMP | BPF_CALL))
		return 0;
	if (insn->src_reg == KFUNC_CALL)
		return TRAIT_KFUNC;
	for (size_t i = 0; !insn->src_reg && i < sizeof(helpers) / sizeof(helpers[0]); i++)
		if (helpers[i].id == insn->imm)
			return helpers[i].trait;
	return 0;
}

static __u32 field(size_t offset)
{
	return 1U << (offset / 4);
}

static __u32 traits_of_code(const struct bpf_program *prog)
{
	const struct bpf_insn *insns = bpf_program__insns(prog);
	size_t count = bpf_program__insn_cnt(prog);
	__u32 fields = ctx_reads(insns, count), traits = 0;

	for (size_t i = 0; i < count; i++)
		traits |= traits_of_call(&insns[i]);
	if (fields & (field(offsetof(struct xdp_md, ingress_ifindex)) |
		      field(offsetof(struct xdp_md, rx_queue_index))))
		traits |= TRAIT_DEVICE;
	if (fields & field(offsetof(struct xdp_md, data_meta)))
		traits |= TRAIT_META;
	return traits;
}

static __u32 traits_of_info(const struct bpf_map_info *info)
{
	switch (info->type) {
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		return TRAIT_PERCPU | TRAIT_STATE;
	case BPF_MAP_TYPE_PROG_ARRAY:
	case BPF_MAP_TYPE_DEVMAP:
	case BPF_MAP_TYPE_DEVMAP_HASH:
	case BPF_MAP_TYPE_CPUMAP:
	case BPF_MAP_TYPE_XSKMAP:
		return 0;
	default:
		return info->map_flags & RDONLY_PROG ? 0 : TRAIT_STATE;
	}
}

static __u32 traits_of_map(int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : traits_of_info(&info);
}

static __u32 traits_of_maps(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 ids[MAX_MAPS], len = sizeof(info), traits = 0;

	info.nr_map_ids = MAX_MAPS;
	info.map_ids = (__u64)(unsigned long)ids;
	if (bpf_obj_get_info_by_fd(prog_fd, &info, &len))
		return 0;
	for (__u32 i = 0; i < info.nr_map_ids && i < MAX_MAPS; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		if (fd < 0)
			continue;
		traits |= traits_of_map(fd);
		close(fd);
	}
	return traits;
}

static __u32 traits_of_prog(const struct bpf_program *prog)
{
	return traits_of_code(prog) | traits_of_maps(bpf_program__fd(prog));
}

__u32 traits__of(const struct xtr_target *target)
{
	const struct bpf_object *object = xtr_target__object(target);
	__u32 traits = traits_of_prog(xtr_target__program(target));
	const struct bpf_program *prog;

	if (!object || !xtr_target__calls_tail(target))
		return traits;
	/* Whichever of the loaded ones it may call. */
	for (prog = bpf_object__next_program(object, NULL); prog;
	     prog = bpf_object__next_program(object, (struct bpf_program *)prog))
		if (bpf_program__fd(prog) >= 0)
			traits |= traits_of_prog(prog);
	return traits;
}

__u32 traits__of_map(const struct xtr_target *target, const char *name)
{
	int fd = xtr_target__map_fd(target, name);

	return fd < 0 ? 0 : traits_of_map(fd);
}

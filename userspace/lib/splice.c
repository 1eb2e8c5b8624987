// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Splicing: one program out of a harness program and the target.
 *
 * A harness program calls a stub, one of its subprograms. After libbpf has
 * loaded both objects their instructions are relocated (maps are file
 * descriptors, calls are relative), so the stub can be taken out and the target
 * appended in its stead: the harness then calls it as a static subprogram.
 *
 * The result needs BTF and a func_info for each subprogram: without, the kernel
 * refuses tail calls and callbacks. It starts from the target's own BTF, which
 * spin locks, timers and bpf_obj_new() refer to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "caps.h"
#include "libbpf_log.h"
#include "log.h"
#include "splice.h"
#include "verifier.h"

/* XTR_STUB and XTR_TEMPLATE in bpf/harness/packet.bpf.h */
#define STUB_VALUE 0x58545221
#define TEMPLATE_VALUE 0x58545222
#define LOG_SIZE (1 << 20)

struct spliced {
	struct bpf_insn *insns;
	size_t count;
	bool *starts; /* per instruction: a subprogram begins here */
	struct btf *btf;
	struct bpf_func_info *funcs;
	size_t func_count;
};

static bool sets(const struct bpf_insn *insn, __s32 value)
{
	return BPF_OP(insn->code) == BPF_MOV && BPF_SRC(insn->code) == BPF_K &&
	       (BPF_CLASS(insn->code) == BPF_ALU || BPF_CLASS(insn->code) == BPF_ALU64) &&
	       insn->imm == value;
}

static bool is_stub(const struct bpf_insn *insn)
{
	return sets(insn, STUB_VALUE) && insn->dst_reg == BPF_REG_0;
}

#define STUB_INSNS 2 /* r0 = value; exit */

static ssize_t find_stub(const struct bpf_insn *insns, size_t count)
{
	size_t i;

	for (i = 0; i + STUB_INSNS <= count; i++)
		if (is_stub(&insns[i]) && insns[i + 1].code == (BPF_JMP | BPF_EXIT))
			return i;
	return -ENOENT;
}

/* Does this instruction refer to a subprogram, by its distance? */
static bool refers(const struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL))
		return insn->src_reg == BPF_PSEUDO_CALL;
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC;
}

/*
 * Copies the harness without its stub; what referred to that refers to @target.
 * It is no template any more.
 */
static void copy_harness(struct bpf_insn *to, const struct bpf_insn *from, size_t count,
			 ssize_t stub, ssize_t target)
{
	ssize_t i, at, dest;

	for (i = 0, at = 0; i < (ssize_t)count; i++) {
		if (i == stub || i == stub + 1)
			continue;
		to[at] = from[i];
		if (sets(&from[i], TEMPLATE_VALUE))
			to[at].imm = 0;
		if (refers(&from[i])) {
			dest = i + from[i].imm + 1;
			if (dest == stub)
				dest = target;
			else if (dest > stub)
				dest -= STUB_INSNS;
			to[at].imm = dest - at - 1;
		}
		at++;
	}
}

static int join(struct spliced *s, const struct bpf_program *harness,
		const struct bpf_program *target)
{
	const struct bpf_insn *insns = bpf_program__insns(harness);
	size_t harness_count = bpf_program__insn_cnt(harness);
	size_t target_count = bpf_program__insn_cnt(target);
	ssize_t stub = find_stub(insns, harness_count);
	size_t start = harness_count - STUB_INSNS;

	if (stub < 0) {
		pr_err("harness program %s has no stub to splice the target into",
		       bpf_program__name(harness));
		return stub;
	}
	s->count = start + target_count;
	s->insns = calloc(s->count, sizeof(*s->insns));
	s->starts = calloc(s->count, sizeof(*s->starts));
	if (!s->insns || !s->starts)
		return -ENOMEM;
	copy_harness(s->insns, insns, harness_count, stub, start);
	memcpy(s->insns + start, bpf_program__insns(target), target_count * sizeof(*s->insns));
	return 0;
}

/*
 * func_info as the kernel gives it back lacks subprograms that it found dead,
 * so the starts come from the instructions that refer to them.
 */
static void find_starts(struct spliced *s)
{
	size_t i, to;

	s->starts[0] = true;
	for (i = 0; i < s->count; i++) {
		to = i + s->insns[i].imm + 1;
		if (refers(&s->insns[i]) && to < s->count)
			s->starts[to] = true;
	}
	for (i = 0; i < s->count; i++)
		s->func_count += s->starts[i];
}

static struct btf *target_btf(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (!bpf_obj_get_info_by_fd(prog_fd, &info, &len) && info.btf_id)
		return btf__load_from_kernel_by_id(info.btf_id);
	return btf__new_empty();
}

/* "int f(void *)" for all of them: for static functions the kernel looks at the code. */
static int describe_functions(struct spliced *s, int target_fd)
{
	int int_id, ptr_id, proto_id, func_id, err;
	struct bpf_func_info *func;
	char name[32];
	size_t i;

	s->btf = target_btf(target_fd);
	if (!s->btf)
		return -errno;
	s->funcs = calloc(s->func_count, sizeof(*s->funcs));
	if (!s->funcs)
		return -ENOMEM;

	int_id = btf__add_int(s->btf, "int", sizeof(int), BTF_INT_SIGNED);
	ptr_id = btf__add_ptr(s->btf, 0);
	proto_id = btf__add_func_proto(s->btf, int_id);
	err = btf__add_func_param(s->btf, "ctx", ptr_id);
	if (int_id < 0 || ptr_id < 0 || proto_id < 0 || err)
		return -ENOMEM;

	func = s->funcs;
	for (i = 0; i < s->count; i++) {
		if (!s->starts[i])
			continue;
		snprintf(name, sizeof(name), "xtr_%zu", i);
		func_id = btf__add_func(s->btf, name, BTF_FUNC_STATIC, proto_id);
		if (func_id < 0)
			return func_id;
		func->insn_off = i;
		func->type_id = func_id;
		func++;
	}
	return btf__load_into_kernel(s->btf);
}

static int load(const struct spliced *s, const struct xtr_target *target, char *log)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_XDP,
		    .prog_flags = xtr_target__frags(target) ? BPF_F_XDP_HAS_FRAGS : 0,
		    .prog_btf_fd = btf__fd(s->btf), .func_info = s->funcs,
		    .func_info_cnt = s->func_count, .func_info_rec_size = sizeof(*s->funcs),
		    .log_buf = log, .log_size = log ? LOG_SIZE : 0, .log_level = log ? 1 : 0);
	int fd;

	xtr_verifier__enter();
	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, xtr_target__name(target),
			   xtr_target__gpl_compatible(target) ? "Dual BSD/GPL" : "none", s->insns,
			   s->count, &opts);
	xtr_verifier__leave();
	return fd;
}

/* Loads once more for the verifier's words. */
static int explain_refusal(const struct spliced *s, const struct xtr_target *target,
			   const char *harness, int err)
{
	const char *reason;
	size_t len;
	char *log;
	int fd;

	if (xtr_caps__missing(xtr_caps_splice))
		return xtr_caps__explain("loading the spliced program", xtr_caps_splice);
	log = calloc(1, LOG_SIZE);
	if (!log)
		return -ENOMEM;
	fd = load(s, target, log);
	if (fd < 0) {
		reason = xtr_verifier_reason(log, &len);
		pr_err("%s cannot be spliced into %s: %.*s (%s)", xtr_target__name(target), harness,
		       (int)len, reason, strerror(-err));
		fd = -EOPNOTSUPP;
	}
	free(log);
	return fd;
}

int xtr_splice(const struct bpf_program *harness, const struct xtr_target *target)
{
	struct spliced s = {};
	int err;

	err = join(&s, harness, xtr_target__program(target));
	if (err)
		goto out;
	find_starts(&s);
	err = describe_functions(&s, xtr_target__fd(target));
	if (err) {
		if (xtr_caps__missing(xtr_caps_splice))
			err = xtr_caps__explain("making BTF for the spliced program",
						xtr_caps_splice);
		else
			pr_err("cannot make BTF for %s: %s", xtr_target__name(target),
			       strerror(-err));
		goto out;
	}
	err = load(&s, target, NULL);
	if (err < 0)
		err = explain_refusal(&s, target, bpf_program__name(harness), err);
out:
	btf__free(s.btf);
	free(s.funcs);
	free(s.starts);
	free(s.insns);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the harness programs share: the lane's memory, and moving a packet's
 * bytes between it and the ring.
 *
 * Short packets are copied with direct access in 8-byte steps, which costs a
 * third of the helpers; the rest of longer ones with one helper call.
 */
#ifndef XTR_PACKET_BPF_H
#define XTR_PACKET_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>

#include "ring.h"

#define XTR_BLOCK 64 /* bytes copied with one check */
#define XTR_DIRECT 512 /* bytes copied by direct access at most */

extern struct xtr_ctl ctl;
extern __u8 input[XTR_IN_SIZE + XTR_SLACK];
extern __u8 output[XTR_OUT_SIZE + XTR_SLACK];
extern const volatile bool verdicts_only;
extern const volatile bool deliver_pass;
extern const volatile bool moves_meta;

/*
 * Stands for the target until user space splices that in (lib/splice.c), which
 * knows it by the value. Weak, or clang would fold the constant into the callers.
 */
#define XTR_STUB 0x58545221
__attribute__((noinline, weak)) int xtr_target(struct xdp_md *ctx)
{
	return XTR_STUB;
}

/*
 * True in the harness as it is built, false where a target was spliced in: user
 * space replaces the constant. By itself a harness program is loaded only because
 * libbpf relocates it then; seeing the constant, the verifier has nothing to walk
 * through, which takes as long as the program with a target in it.
 */
#define XTR_TEMPLATE 0x58545222

static __always_inline bool is_template(void)
{
	__u64 value;

	asm volatile("%0 = %1" : "=r"(value) : "i"(XTR_TEMPLATE));
	return value;
}

#define DATA(ctx) ((void *)(long)(ctx)->data)
#define DATA_END(ctx) ((void *)(long)(ctx)->data_end)
#define DATA_META(ctx) ((void *)(long)(ctx)->data_meta)

/* Keeps the compiler from re-deriving a checked value from an unchecked one. */
#define bounded(x) asm volatile("" : "+r"(x))

/* The verifier lets a program subtract packet pointers, but not look at one. */
static __always_inline __u64 address(void *p)
{
	*(void *volatile *)&ctl.scratch = p;
	return *(volatile __u64 *)&ctl.scratch;
}

static __always_inline struct xtr_slot *slot_at(__u32 pos)
{
	return (void *)&input[pos & (XTR_IN_SIZE - 8)];
}

static __always_inline struct xtr_record *record_at(__u64 pos)
{
	return (void *)&output[pos & (XTR_OUT_SIZE - 8)];
}

static __always_inline bool output_full(void)
{
	return *(volatile __u64 *)&ctl.out_head - *(volatile __u64 *)&ctl.out_tail >
	       XTR_OUT_SIZE - XTR_MAX_RECORD;
}

/* One step of a copy between a packet at @p and memory at @m. */
static __always_inline void copy_word(bool to_packet, void *p, __u8 *m)
{
	if (to_packet)
		*(__u64 *)p = *(__u64 *)m;
	else
		*(__u64 *)m = *(__u64 *)p;
}

static __always_inline void copy_block(bool to_packet, void *p, __u8 *m)
{
#pragma unroll
	for (int i = 0; i < XTR_BLOCK; i += 8)
		copy_word(to_packet, p + i, m + i);
}

/* Less than a block: whole words, then the last 8 bytes, which may overlap. */
static __always_inline void copy_short(struct xdp_md *ctx, bool to_packet, __u8 *m, __u32 len)
{
	void *p = DATA(ctx), *end = DATA_END(ctx);
	__u32 last = len - 8;

#pragma unroll
	for (int i = 0; i < XTR_BLOCK - 8; i += 8) {
		if (p + i + 8 > end)
			break;
		copy_word(to_packet, p + i, m + i);
	}
	bounded(last);
	if (last > XTR_BLOCK)
		return;
	p = DATA(ctx) + last;
	if (p + 8 <= DATA_END(ctx))
		copy_word(to_packet, p, m + last);
}

/* Whole blocks up to XTR_DIRECT, then the last 64 bytes, which may overlap. */
static __always_inline void copy_blocks(struct xdp_md *ctx, bool to_packet, __u8 *m, __u32 len)
{
	void *p = DATA(ctx), *end = DATA_END(ctx);
	__u32 last = len - XTR_BLOCK;

#pragma unroll
	for (int i = 0; i < XTR_DIRECT; i += XTR_BLOCK) {
		if (p + i + XTR_BLOCK > end)
			break;
		copy_block(to_packet, p + i, m + i);
	}
	if (!(len & (XTR_BLOCK - 1)))
		return;
	bounded(last);
	if (last > XTR_DIRECT - XTR_BLOCK)
		return;
	p = DATA(ctx) + last;
	if (p + XTR_BLOCK <= DATA_END(ctx))
		copy_block(to_packet, p, m + last);
}

static __always_inline int packet_write(struct xdp_md *ctx, __u8 *from, __u32 len)
{
	/* Less one, for the verifier of 6.1 must see that the helper gets no 0. */
	__u32 rest = len - XTR_DIRECT - 1;

	if (len < XTR_BLOCK) {
		copy_short(ctx, true, from, len);
		return 0;
	}
	copy_blocks(ctx, true, from, len);
	bounded(rest);
	if (rest >= XTR_MAX_LINEAR)
		return 0;
	return bpf_xdp_store_bytes(ctx, XTR_DIRECT, from + XTR_DIRECT, rest + 1);
}

static __always_inline int packet_read(struct xdp_md *ctx, __u8 *to, __u32 len)
{
	__u32 rest = len - XTR_DIRECT - 1;

	if (len < XTR_BLOCK) {
		copy_short(ctx, false, to, len);
		return 0;
	}
	copy_blocks(ctx, false, to, len);
	bounded(rest);
	if (rest >= XTR_MAX_LINEAR + XTR_MAX_HEADROOM)
		return 0;
	return bpf_xdp_load_bytes(ctx, XTR_DIRECT, to + XTR_DIRECT, rest + 1);
}

/*
 * The metadata in front of the packet, which no helper moves. A function of its
 * own: each turn of the loop is a way out of it, and what comes behind must not
 * be verified for each.
 */
static __noinline __attribute__((unused)) int meta_read(struct xdp_md *ctx, __u8 *to)
{
	for (int i = 0; i < XTR_MAX_META; i += 4) {
		void *p = DATA_META(ctx) + i;

		if (p + 4 > DATA(ctx))
			break;
		*(__u32 *)(to + i) = *(__u32 *)p;
	}
	return 0;
}

/*
 * Appends what happened to a packet. Returns the record's size. The caller
 * moves @out_head, in the way that suits whoever reads it.
 */
static __always_inline __u32 record_write(struct xdp_md *ctx, struct xtr_record *rec)
{
	__u32 len = DATA_END(ctx) - DATA(ctx);
	__u32 meta_len = DATA(ctx) - DATA_META(ctx);
	__u32 size = sizeof(*rec);
	__u8 *to = rec->data;

	rec->len = len;
	rec->meta_len = 0;
	if (!verdicts_only) {
		meta_len &= XTR_MAX_META;
		bounded(meta_len);
		if (meta_len) {
			rec->meta_len = meta_len;
			meta_read(ctx, to);
			to += meta_len;
			size += meta_len;
		}
		packet_read(ctx, to, len);
		size += len;
	}
	rec->size = XTR_ALIGN(size);
	return XTR_ALIGN(size);
}

/* The twin of xtr_hash() in ring.h. */
static __always_inline __u64 packet_hash(struct xdp_md *ctx, __u32 len)
{
	void *p = DATA(ctx), *end = DATA_END(ctx);
	__u64 hash = XTR_HASH_SEED ^ len;
	__u32 last = len - 8;

	for (int i = 0; i < XTR_HASH_LEN; i += 8) {
		if (p + 8 > end)
			break;
		hash = xtr_hash_step(hash, *(__u64 *)p);
		p += 8;
	}
	bounded(last);
	if (last > XTR_MAX_LINEAR + XTR_MAX_HEADROOM)
		return hash;
	p = DATA(ctx) + last;
	if (p + 8 > end)
		return hash;
	return xtr_hash_step(hash, *(__u64 *)p);
}

#endif /* XTR_PACKET_BPF_H */

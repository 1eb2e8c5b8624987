/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A lane's shared memory: what the harness programs and user space agree on.
 *
 *   input   slots, packed: what is to be run. User space fills it and sets
 *           @in_end; the feeder and the injector take slots at @in_pos.
 *   output  records, packed, in a ring: what happened. Harness programs append
 *           at @out_head, user space releases by moving @out_tail.
 *
 * The cursors are the only truth. A program that cannot take a packet (no slot
 * left, output full) leaves the cursors and returns; user space looks at them
 * and calls again. That also covers a call that a signal cut short.
 *
 * Slots and records start at multiples of 8 bytes and never wrap: each area is
 * followed by slack in which the last one may end.
 */
#ifndef XTR_RING_H
#define XTR_RING_H

#include <linux/types.h>

#define XTR_ALIGN(n) (((n) + 7U) & ~7U)

#define XTR_MIN_LEN 14 /* ETH_HLEN: what the kernel takes at least */
#define XTR_MAX_LINEAR 3520 /* a page less headroom and skb_shared_info (test_run.c) */
#define XTR_MAX_HEADROOM 216 /* XDP_PACKET_HEADROOM less struct xdp_frame */
#define XTR_MAX_META 252 /* a multiple of 4 that fits skb_shared_info's 8 bits */

/*
 * A window is filled, run and drained in one core's cache. The output area is
 * larger only for packets that grow a lot, and for frames in flight on veth.
 */
#define XTR_IN_SIZE (1U << 17)
#define XTR_OUT_SIZE (1U << 21)
#define XTR_SLACK 8192U

/* One packet's input. */
struct xtr_slot {
	__u32 size; /* bytes to the next slot */
	__u32 seq; /* place in the window */
	__u32 len; /* bytes of packet, after the metadata */
	__u32 meta_len;
	__u8 data[]; /* metadata, then the packet at a multiple of 4 */
};

/* Where a record was made. */
#define XTR_PORT_TARGET 0 /* at the target */
#define XTR_PORT_RETURN 1 /* at the injecting end: the frame came back */
#define XTR_PORT_SINK 2 /* at redirect sink 0; the next is 3, ... */

/* What happened to one packet. */
struct xtr_record {
	__u32 size; /* bytes to the next record */
	__u32 seq; /* feeder: the slot's; on veth unused, frames are matched by hash */
	__u32 verdict;
	__u16 port;
	__u16 meta_len;
	__u32 in_len; /* the packet as it arrived */
	__u32 len; /* the packet as it left */
	__u64 in_hash; /* of the packet as it arrived; 0 from the feeder */
	__u8 data[]; /* metadata, then the packet; neither with verdicts_only */
};

#define XTR_MAX_RECORD \
	XTR_ALIGN(sizeof(struct xtr_record) + XTR_MAX_META + XTR_MAX_LINEAR + XTR_MAX_HEADROOM)

struct xtr_ctl {
	__u32 in_pos; /* bytes; the next slot to take */
	__u32 in_end; /* bytes; behind the last slot */
	__u64 out_head; /* bytes ever written */
	__u64 out_tail; /* bytes ever released */
	__u64 origin; /* where an untouched packet starts in this call; 0: not known yet */
	__u64 scratch; /* for turning a pointer into a number */
	__u64 overflow; /* veth: records that found no room */
	__u32 failed; /* 1 + seq of a packet that could not be restored; 0: none */
	__u32 pad;
};

/*
 * The hash that tells frames apart: 8-byte words in order, then the last 8
 * bytes again. It covers all of what a veth takes (MTU 1500). packet.bpf.h has
 * the program's twin of xtr_hash(), which must bound each access for the
 * verifier; the verifier walks each round, so the bound is a cost at load.
 */
#define XTR_HASH_LEN 1600
#define XTR_HASH_SEED 0x9e3779b97f4a7c15ULL
#define XTR_HASH_MUL 0xff51afd7ed558ccdULL

static inline __attribute__((always_inline)) __u64 xtr_hash_step(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * XTR_HASH_MUL;
	return hash ^ (hash >> 29);
}

#ifndef __bpf__
static inline __u64 xtr_hash(const void *packet, __u32 len)
{
	const char *p = packet;
	__u64 hash = XTR_HASH_SEED ^ len, word;
	__u32 i;

	if (len < sizeof(word))
		return hash;
	for (i = 0; i < XTR_HASH_LEN && i + sizeof(word) <= len; i += sizeof(word)) {
		__builtin_memcpy(&word, p + i, sizeof(word));
		hash = xtr_hash_step(hash, word);
	}
	__builtin_memcpy(&word, p + len - sizeof(word), sizeof(word));
	return xtr_hash_step(hash, word);
}
#endif

#endif /* XTR_RING_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A packet as an XDP program sees it, and what the kernel's helpers do to it:
 * written after net/core/filter.c, without the kernel.
 */
#ifndef XTR_TEST_MODEL_H
#define XTR_TEST_MODEL_H

#include <stdbool.h>
#include <linux/types.h>

#define PKT_HEADROOM 256 /* XDP_PACKET_HEADROOM */
#define PKT_FRAME 40 /* sizeof(struct xdp_frame): not for programs */
#define PKT_MAX 73152
#define PKT_LINEAR_END 3520 /* from where the packet started */
#define PKT_FRAG 4096 /* the rest comes in buffers of this size */

struct pkt {
	__u8 buf[PKT_HEADROOM + PKT_MAX + 4096];
	__u32 start; /* of data in buf */
	__u32 len;
	__u32 meta_len; /* before data */
	__u32 meta_max; /* what the kernel takes */
	bool deny_growth; /* as a path that has no tail room would */
	bool grew; /* the model asked for tail room */
	bool unknown;
};

static inline __u8 *pkt_data(struct pkt *p)
{
	return p->buf + p->start;
}

/* Like the helpers: 0, or -1 where they return an error. */
int pkt_adjust_head(struct pkt *p, int delta);
int pkt_adjust_tail(struct pkt *p, int delta);
int pkt_adjust_meta(struct pkt *p, int delta);

/* What the case programs have in common (bpf/cases/cases.h). */
#define ARGS_OFF 42
__u8 *pkt_at(struct pkt *p, __u32 off, __u32 len);
static inline __u8 *pkt_args(struct pkt *p, __u32 len)
{
	return pkt_at(p, ARGS_OFF, len);
}
void pkt_fill_head(struct pkt *p, __u32 len, __u8 first);

struct env;

/* The model of a program that sends back: MAC addresses swapped, XDP_TX. */
__u32 reflect(const struct env *env, struct pkt *pkt);

static inline __u16 get16(const void *at)
{
	__u16 v;

	__builtin_memcpy(&v, at, sizeof(v));
	return v;
}

static inline __u32 get32(const void *at)
{
	__u32 v;

	__builtin_memcpy(&v, at, sizeof(v));
	return v;
}

static inline void put16(void *at, __u16 v)
{
	__builtin_memcpy(at, &v, sizeof(v));
}

static inline void put32(void *at, __u32 v)
{
	__builtin_memcpy(at, &v, sizeof(v));
}

/* Network order. */
static inline __u16 get16n(const void *at)
{
	const __u8 *p = at;

	return p[0] << 8 | p[1];
}

static inline void put16n(void *at, __u16 v)
{
	__u8 *p = at;

	p[0] = v >> 8;
	p[1] = v;
}

/* The Internet checksum over @len bytes, to be put in network order; 0 over a right header. */
__u16 csum(const void *data, __u32 len, __u32 sum);

#endif /* XTR_TEST_MODEL_H */

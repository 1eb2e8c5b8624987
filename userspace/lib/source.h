/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Packet sources. A source is the packet set; a reader is one lane's cursor
 * over it. Every lane has a reader of its own, reads the whole set and keeps
 * the packets that belong to it: no lock, no shared state, and which lane gets
 * which packet depends on nothing but the set and the number of lanes.
 */
#ifndef XTR_SOURCE_H
#define XTR_SOURCE_H

#include <xdptestrun.h>

/* Without flow affinity lanes take runs of this many packets in turn. */
#define XTR_CHUNK 1024

struct xtr_share {
	__u32 lane; /* whose packets */
	__u32 lanes; /* of how many */
	enum xtr_affinity affinity;
	__u32 min_len; /* the lengths that the path takes; others are left out */
	__u32 max_len;
};

/* What a reader says about the packet that it wrote. */
struct xtr_packet_info {
	__u64 index; /* among the runnable packets of the set, from 0 */
	__u64 ts_ns;
	__u32 len; /* bytes, without metadata */
	__u32 meta_len;
};

struct xtr_reader;

struct xtr_source_ops {
	struct xtr_reader *(*open)(struct xtr_source *source, const struct xtr_share *share);
	int (*next)(struct xtr_reader *reader, struct xtr_packet_info *info, void *buf, size_t cap);
	void (*close)(struct xtr_reader *reader);
	void (*free)(struct xtr_source *source);
};

/* Embedded first in each kind of source and reader. */
struct xtr_source {
	const struct xtr_source_ops *ops;
	struct xtr_source_stats stats;
};

struct xtr_reader {
	struct xtr_source *source;
	const struct xtr_source_ops *ops;
	struct xtr_share share;
	struct xtr_source_stats stats; /* of the whole set, the same on every lane */
};

/* NULL with errno. */
struct xtr_reader *xtr_reader__open(struct xtr_source *source, const struct xtr_share *share);

/*
 * Writes the lane's next packet to @buf: metadata, then the packet, without a
 * gap. Returns 1; 0 at the end of the set; -ENOSPC where @cap is too small for
 * this packet, which stays the next one; another negative errno.
 */
static inline int xtr_reader__next(struct xtr_reader *reader, struct xtr_packet_info *info,
				   void *buf, size_t cap)
{
	return reader->ops->next(reader, info, buf, cap);
}

/* Hands the reader's statistics to the source (the last one closed counts). */
void xtr_reader__close(struct xtr_reader *reader);

/* Which lane a packet belongs to when flows stay together; symmetric in the
 * two ends of a flow, so that both directions meet on one lane.
 */
__u32 xtr_flow_hash(const void *packet, size_t len);

#endif /* XTR_SOURCE_H */

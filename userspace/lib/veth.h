/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the files of the veth path have in common. */
#ifndef XTR_VETH_H
#define XTR_VETH_H

#include "harness.h"
#include "lane.h"
#include "veth_stats.h"
#include "xsk.h"

/*
 * What the device's ring takes for sure: VETH_RING_SIZE (drivers/net/veth.c), less
 * the entries that are read already but given back 16 at a time
 * (__ptr_ring_discard_one()). With more, live frames and, before 6.6, AF_XDP frames
 * are dropped without a word.
 */
#define XTR_VETH_RING (256 - 16)
#define XTR_VETH_TRIES 25 /* waits in vain, of some 0.2 s, until the device counts as dead */

/* Window places in the order in which something is expected of them. */
#define XTR_FIFO_SIZE (2 * XTR_CHUNK) /* each packet, and again if it was sent again */
struct xtr_fifo {
	__u32 head;
	__u32 tail;
	__u32 seqs[XTR_FIFO_SIZE];
};

static inline void xtr_fifo__push(struct xtr_fifo *fifo, __u32 seq)
{
	fifo->seqs[fifo->tail++ % XTR_FIFO_SIZE] = seq;
}

static inline __u32 xtr_fifo__at(const struct xtr_fifo *fifo, __u32 at)
{
	return fifo->seqs[at % XTR_FIFO_SIZE];
}

static inline __u32 xtr_fifo__pop(struct xtr_fifo *fifo)
{
	return xtr_fifo__at(fifo, fifo->head++);
}

/* A place from which one was taken that is not the first. */
#define XTR_FIFO_HOLE (~0U)

static inline void xtr_fifo__take(struct xtr_fifo *fifo, __u32 at)
{
	fifo->seqs[at % XTR_FIFO_SIZE] = XTR_FIFO_HOLE;
	while (fifo->head != fifo->tail && xtr_fifo__at(fifo, fifo->head) == XTR_FIFO_HOLE)
		fifo->head++;
}

/* Holes included, but the first is none. */
static inline __u32 xtr_fifo__count(const struct xtr_fifo *fifo)
{
	return fifo->tail - fifo->head;
}

/* Gets frames onto the injecting end. */
struct xtr_injector {
	int (*open)(struct xtr_lane *lane);

	/*
	 * Injects up to @budget of the slots from veth->next on and pushes their
	 * places to veth->flying. Returns how many, or a negative errno.
	 */
	int (*send)(struct xtr_lane *lane, __u32 budget);
	void (*close)(struct xtr_lane *lane);
};

extern const struct xtr_injector xtr_inject_afxdp;
extern const struct xtr_injector xtr_inject_live;

/* Behind an xskmap entry. */
struct xtr_xsk_sink {
	struct xtr_xsk xsk;
	__u16 port;
	__u32 arrived; /* frames that were there when it was looked at, from @at on */
	__u32 at;
};

/*
 * A redirect to all entries of a devmap (BPF_F_BROADCAST) sends a copy of the frame
 * to each. How many that are only the kernel knows: the first to arrive is the
 * frame that is expected, and the device's counters tell of the others.
 */
struct xtr_copies {
	struct xtr_veth_stats stats[XTR_MAX_SINKS]; /* of the devmap sinks */
	__u32 count; /* of these; of one there are no copies */
	__u64 sent; /* to devmap sinks */
	__u64 arrived;
	struct xtr_landed {
		__u32 seq;
		__u32 sinks; /* where it arrived; bits as in struct xtr_outcome */
	} landed[XTR_CHUNK]; /* in the order of their first arrival */
	__u32 landed_count;
	__u32 next[XTR_MAX_SINKS]; /* of these, where to look for the sink's next copy */
};

struct xtr_veth {
	struct xtr_harness harness;
	const struct xtr_injector *injector;
	void *injector_state;
	int observer_fd; /* the spliced observer; -1: the target is bare */
	struct xtr_veth_stats stats; /* of the target's end; bare: the verdict is told from these */
	int links[2 + XTR_MAX_SINKS]; /* target, returns, sinks */
	__u32 link_count;
	__u32 sinks;
	struct xtr_xsk_sink xsk_sinks[XTR_MAX_SINKS];
	__u32 xsk_sink_count;
	struct xtr_copies copies;
	__u32 next; /* slot to inject next, in bytes */
	__u32 refused; /* frames the device refused, not yet found missing */
	__u32 in_vain; /* waits since a frame was seen at the target */
	__u64 redirected; /* to where nobody waits; perhaps out where they came in */
	__u64 read; /* records read so far */
	struct xtr_fifo flying; /* injected, not seen at the target */
	struct xtr_fifo again; /* found missing, to be injected again */
	struct xtr_fifo returning; /* transmitted by the target, not seen again */
	struct xtr_fifo sinking; /* redirected by the target, not seen again */
	__u8 settled[XTR_CHUNK]; /* seen or given up */
};

/* Whether the target can be spliced, else it runs bare (veth_load.c). */
int xtr_veth__probe(struct xtr_run *run);

/* Fills in harness and observer_fd, and tells the window where its slots are. */
int xtr_veth__load(struct xtr_lane *lane);

/*
 * Lets others have this CPU, on which the kernel handles the lane's frames: within
 * the system call that sends them or, when there are many, in ksoftirqd. False if
 * that was done so often that nothing will come any more. @turns counts and starts
 * at 0. It is no time: on a busy machine a turn takes as long as it takes until
 * others, ksoftirqd among them, have had theirs.
 */
bool xtr_veth__wait(__u32 *turns);

/* Nothing came for a whole wait: after too many, what is refused is not sent again. */
void xtr_veth__waited_in_vain(struct xtr_veth *veth);

/* The frame for @seq was overtaken or never came: again, or lost. */
void xtr_veth__missing(struct xtr_lane *lane, __u32 seq);

/* What is still in @fifo, the returning or the sinking, will not arrive any more. */
void xtr_veth__forget(struct xtr_lane *lane, struct xtr_fifo *fifo);

/* Reads all records there are; returns how many. */
__u32 xtr_veth__drain(struct xtr_lane *lane);

/* A bare target: runs the window one frame at a time (veth_bare.c). */
int xtr_veth__run_bare(struct xtr_lane *lane);

/* A frame that came out of the target somewhere. */
struct xtr_arrival {
	__u16 port; /* XTR_PORT_RETURN or a sink's */
	__u32 len;
	__u64 hash;
	const void *data; /* good until the window is delivered; NULL: not kept */
	const void *meta;
	__u32 meta_len;
};

static inline __u32 xtr_veth__sink_bit(const struct xtr_arrival *arrival)
{
	return 1U << (arrival->port - XTR_PORT_SINK);
}

void xtr_veth__arrived(struct xtr_lane *lane, const struct xtr_arrival *arrival);

/* Told by its bytes, where these were kept; else any packet's frame may be the one. */
bool xtr_veth__emitted(const struct xtr_lane *lane, __u32 seq, const struct xtr_arrival *arrival);

/* Fills the target's maps with the lane's sinks, as opts.redirects says (veth_sinks.c). */
int xtr_veth__connect_sinks(struct xtr_lane *lane);
void xtr_veth__disconnect_sinks(struct xtr_lane *lane);

/*
 * What has arrived at AF_XDP sinks: first a look, then all that was seen in it is
 * read. What the target said of a frame is in the records by the time of the look.
 * Returns how many frames.
 */
void xtr_veth__look_at_sinks(struct xtr_veth *veth);
__u32 xtr_veth__drain_sinks(struct xtr_lane *lane);

/* ---- copies: redirects to several devices (veth_copies.c) ---- */

/* A devmap sink of the lane, which there may be copies for. */
int xtr_veth__watch_sink(struct xtr_veth *veth, __u32 sink);
void xtr_veth__unwatch_sinks(struct xtr_veth *veth);

/* Whose copies may arrive: from the start of a turn, those whose frame landed in it. */
void xtr_veth__start_copies(struct xtr_veth *veth);
void xtr_veth__landed(struct xtr_veth *veth, __u32 seq, const struct xtr_arrival *arrival);
bool xtr_veth__is_copy(struct xtr_lane *lane, const struct xtr_arrival *arrival, __u32 *seq);

/* Copies that were sent and have not arrived; reads counters unless there can be none. */
__u64 xtr_veth__copies_under_way(struct xtr_veth *veth);

/* These will not arrive any more. Returns how many. */
__u64 xtr_veth__forget_copies(struct xtr_veth *veth);

/* How many sinks the options ask for; -EINVAL for more than there can be. */
int xtr_veth__count_sinks(const struct xtr_run *run);

#endif /* XTR_VETH_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* AF_XDP sockets in copy mode, the only one veth has: one for each umem, or several. */
#ifndef XTR_XSK_H
#define XTR_XSK_H

#include <stdbool.h>
#include <linux/types.h>
#include <xdp/xsk.h>

#define XTR_XSK_FRAMES 256 /* a small umem stays in the cache */
#define XTR_XSK_FRAME_SIZE XSK_UMEM__DEFAULT_FRAME_SIZE

struct xtr_xsk {
	void *buffer; /* NULL: the umem and its fill ring are another socket's */
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons completion;
	struct xsk_ring_prod tx;
	struct xsk_ring_cons rx;
};

/*
 * Binds to queue 0 of @ifname, for sending or for receiving, then with all frames
 * in the fill ring. No program is loaded: what is attached to the device is the
 * user's business.
 */
int xtr_xsk__open(struct xtr_xsk *xsk, const char *ifname, bool receive);

/*
 * One more that receives on the queue of @first: with the same frames, which go
 * back by the fill ring of @first, and a receive ring of its own. To be closed
 * before @first.
 */
int xtr_xsk__open_beside(struct xtr_xsk *xsk, struct xtr_xsk *first, const char *ifname);
void xtr_xsk__close(struct xtr_xsk *xsk);

#endif /* XTR_XSK_H */

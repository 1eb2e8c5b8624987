/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* An AF_XDP socket with a umem of its own, in copy mode, the only one veth has. */
#ifndef XTR_XSK_H
#define XTR_XSK_H

#include <stdbool.h>
#include <linux/types.h>
#include <xdp/xsk.h>

#define XTR_XSK_FRAMES 256 /* a small umem stays in the cache */
#define XTR_XSK_FRAME_SIZE XSK_UMEM__DEFAULT_FRAME_SIZE

struct xtr_xsk {
	void *buffer;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons completion;
	struct xsk_ring_prod tx;
	struct xsk_ring_cons rx;
};

/*
 * Binds to queue 0 of @ifname, for sending or for receiving. No program is
 * loaded: what is attached to the device is the user's business.
 */
int xtr_xsk__open(struct xtr_xsk *xsk, const char *ifname, bool receive);
void xtr_xsk__close(struct xtr_xsk *xsk);

#endif /* XTR_XSK_H */

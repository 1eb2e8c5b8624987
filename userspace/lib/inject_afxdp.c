// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Injection by AF_XDP TX; one socket serves the whole run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "log.h"
#include "netns.h"
#include "veth.h"
#include "xsk.h"

struct afxdp {
	struct xtr_xsk xsk;
	__u64 free[XTR_XSK_FRAMES]; /* addresses of frames that the kernel does not have */
	__u32 free_count;
};

static int afxdp_open(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	struct afxdp *afxdp = calloc(1, sizeof(*afxdp));
	__u32 i;

	veth->injector_state = afxdp;
	if (!afxdp)
		return -ENOMEM;
	for (i = 0; i < XTR_XSK_FRAMES; i++)
		afxdp->free[i] = (__u64)i * XTR_XSK_FRAME_SIZE;
	afxdp->free_count = XTR_XSK_FRAMES;
	return xtr_xsk__open(&afxdp->xsk, XTR_NETNS_INJECT, false);
}

static void reclaim(struct afxdp *afxdp)
{
	__u32 idx, n, i;

	n = xsk_ring_cons__peek(&afxdp->xsk.completion, XTR_XSK_FRAMES, &idx);
	for (i = 0; i < n; i++)
		afxdp->free[afxdp->free_count++] =
			*xsk_ring_cons__comp_addr(&afxdp->xsk.completion, idx + i);
	xsk_ring_cons__release(&afxdp->xsk.completion, n);
}

/* Missing ones first: they have waited longest. */
static struct xtr_slot *next_slot(struct xtr_veth *veth, struct xtr_window *window)
{
	struct xtr_slot *slot;
	__u32 seq;

	if (xtr_fifo__count(&veth->again)) {
		seq = xtr_fifo__pop(&veth->again);
		return xtr_window__slot(window, window->entries[seq].slot);
	}
	if (veth->next >= window->used)
		return NULL;
	slot = xtr_window__slot(window, veth->next);
	veth->next += slot->size;
	return slot;
}

static __u32 enqueue(struct xtr_veth *veth, struct xtr_window *window, struct afxdp *afxdp,
		     __u32 budget)
{
	struct xdp_desc *desc;
	struct xtr_slot *slot;
	__u32 idx = 0, sent, room;

	if (budget > afxdp->free_count)
		budget = afxdp->free_count;
	/* The kernel may not have taken all that came before. */
	room = xsk_prod_nb_free(&afxdp->xsk.tx, budget);
	if (budget > room)
		budget = room;
	for (sent = 0; sent < budget; sent++) {
		slot = next_slot(veth, window);
		if (!slot)
			break;
		xsk_ring_prod__reserve(&afxdp->xsk.tx, 1, &idx);
		desc = xsk_ring_prod__tx_desc(&afxdp->xsk.tx, idx);
		desc->addr = afxdp->free[--afxdp->free_count];
		desc->len = slot->len;
		desc->options = 0;
		memcpy((char *)afxdp->xsk.buffer + desc->addr, slot->data + slot->meta_len,
		       slot->len);
		xtr_fifo__push(&veth->flying, slot->seq);
	}
	xsk_ring_prod__submit(&afxdp->xsk.tx, sent);
	return sent;
}

/*
 * The kernel takes 32 descriptors a call and says EAGAIN for the rest; the same
 * for a full queue (with a qdisc) and, as ENOBUFS, for a full send buffer.
 * EBUSY is different: the device dropped the frame, though its descriptor
 * completes. Which one shows in what the target did not see.
 */
static int kick(struct xtr_lane *lane, struct afxdp *afxdp, __u32 sent)
{
	struct xtr_veth *veth = lane->state;
	__u32 calls, limit = 64 + 4 * sent;

	for (calls = 0; calls < limit; calls++) {
		if (sendto(xsk_socket__fd(afxdp->xsk.socket), NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
			return 0;
		switch (errno) {
		case EBUSY:
			veth->refused++;
			lane->counts.resent++;
			break;
		case EAGAIN:
		case ENOBUFS:
		case EINTR:
			break;
		default:
			pr_err("sending on %s failed: %s", XTR_NETNS_INJECT, strerror(errno));
			return -errno;
		}
		reclaim(afxdp);
	}
	/* Not all taken yet; the next round kicks again. */
	return 0;
}

static int afxdp_send(struct xtr_lane *lane, __u32 budget)
{
	struct xtr_veth *veth = lane->state;
	struct afxdp *afxdp = veth->injector_state;
	__u32 sent;
	int err;

	reclaim(afxdp);
	sent = enqueue(veth, lane->window, afxdp, budget);
	if (!sent && !xtr_fifo__count(&veth->flying))
		return 0;
	err = kick(lane, afxdp, sent);
	return err ? err : (int)sent;
}

static void afxdp_close(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	struct afxdp *afxdp = veth->injector_state;

	if (!afxdp)
		return;
	xtr_xsk__close(&afxdp->xsk);
	free(afxdp);
}

const struct xtr_injector xtr_inject_afxdp = {
	.open = afxdp_open,
	.send = afxdp_send,
	.close = afxdp_close,
};

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Injection by AF_XDP TX in copy mode, the only one that veth has. The umem is
 * small, so that it stays in the cache; one socket serves the whole run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <linux/if_xdp.h>
#include <xdp/xsk.h>

#include "caps.h"
#include "log.h"
#include "netns.h"
#include "veth.h"

#define FRAME_SIZE XSK_UMEM__DEFAULT_FRAME_SIZE
#define FRAMES XTR_VETH_RING
#define UMEM_SIZE (FRAMES * FRAME_SIZE)
#define CREATE_TRIES 100 /* a predecessor's teardown takes up to some 20 ms */

struct afxdp {
	void *buffer;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons completion;
	struct xsk_ring_prod tx;
	__u64 free[FRAMES]; /* addresses of frames that the kernel does not have */
	__u32 free_count;
};

static int create_umem(struct afxdp *xsk)
{
	struct xsk_umem_config config = {
		.fill_size = FRAMES,
		.comp_size = FRAMES,
		.frame_size = FRAME_SIZE,
	};

	xsk->buffer = mmap(NULL, UMEM_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (xsk->buffer == MAP_FAILED) {
		xsk->buffer = NULL;
		return -errno;
	}
	for (xsk->free_count = 0; xsk->free_count < FRAMES; xsk->free_count++)
		xsk->free[xsk->free_count] = (__u64)xsk->free_count * FRAME_SIZE;
	return xsk_umem__create(&xsk->umem, xsk->buffer, UMEM_SIZE, &xsk->fill, &xsk->completion,
				&config);
}

/*
 * The kernel takes a socket's end apart in the background: EBUSY means that the
 * last one on this device is not gone yet.
 */
static int create_socket(struct afxdp *xsk)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct xsk_socket_config config = {
		.tx_size = FRAMES,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_COPY,
	};
	int tries, err = -EBUSY;

	for (tries = 0; err == -EBUSY && tries < CREATE_TRIES; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		err = xsk_socket__create(&xsk->socket, XTR_NETNS_INJECT, 0, xsk->umem, NULL,
					 &xsk->tx, &config);
	}
	return err;
}

static int afxdp_open(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	struct afxdp *xsk = calloc(1, sizeof(*xsk));
	int err;

	veth->injector_state = xsk;
	if (!xsk)
		return -ENOMEM;
	err = create_umem(xsk);
	if (!err)
		err = create_socket(xsk);
	if (err == -EPERM)
		return xtr_caps__explain("opening an AF_XDP socket", xtr_caps_afxdp);
	if (err)
		pr_err("cannot open an AF_XDP socket: %s", strerror(-err));
	return err;
}

static void reclaim(struct afxdp *xsk)
{
	__u32 idx, n, i;

	n = xsk_ring_cons__peek(&xsk->completion, FRAMES, &idx);
	for (i = 0; i < n; i++)
		xsk->free[xsk->free_count++] = *xsk_ring_cons__comp_addr(&xsk->completion, idx + i);
	xsk_ring_cons__release(&xsk->completion, n);
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

static __u32 enqueue(struct xtr_veth *veth, struct xtr_window *window, struct afxdp *xsk,
		     __u32 budget)
{
	struct xdp_desc *desc;
	struct xtr_slot *slot;
	__u32 idx, sent;

	if (budget > xsk->free_count)
		budget = xsk->free_count;
	for (sent = 0; sent < budget; sent++) {
		slot = next_slot(veth, window);
		if (!slot || !xsk_ring_prod__reserve(&xsk->tx, 1, &idx))
			break;
		desc = xsk_ring_prod__tx_desc(&xsk->tx, idx);
		desc->addr = xsk->free[--xsk->free_count];
		desc->len = slot->len;
		desc->options = 0;
		memcpy((char *)xsk->buffer + desc->addr, slot->data + slot->meta_len, slot->len);
		xtr_fifo__push(&veth->flying, slot->seq);
	}
	xsk_ring_prod__submit(&xsk->tx, sent);
	return sent;
}

/*
 * The kernel takes 32 descriptors a call and says EAGAIN for the rest; the same
 * for a full queue (with a qdisc) and, as ENOBUFS, for a full send buffer.
 * EBUSY is different: the device dropped the frame, though its descriptor
 * completes. Which one shows in what the target did not see.
 */
static int kick(struct xtr_lane *lane, struct afxdp *xsk, __u32 sent)
{
	struct xtr_veth *veth = lane->state;
	__u32 calls, limit = 64 + 4 * sent;

	for (calls = 0; calls < limit; calls++) {
		if (sendto(xsk_socket__fd(xsk->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
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
		reclaim(xsk);
	}
	/* Not all taken yet; the next round kicks again. */
	return 0;
}

static int afxdp_send(struct xtr_lane *lane, __u32 budget)
{
	struct xtr_veth *veth = lane->state;
	struct afxdp *xsk = veth->injector_state;
	__u32 sent;
	int err;

	reclaim(xsk);
	sent = enqueue(veth, lane->window, xsk, budget);
	if (!sent && !xtr_fifo__count(&veth->flying))
		return 0;
	err = kick(lane, xsk, sent);
	return err ? err : (int)sent;
}

static void afxdp_close(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	struct afxdp *xsk = veth->injector_state;

	if (!xsk)
		return;
	if (xsk->socket)
		xsk_socket__delete(xsk->socket);
	if (xsk->umem)
		xsk_umem__delete(xsk->umem);
	if (xsk->buffer)
		munmap(xsk->buffer, UMEM_SIZE);
	free(xsk);
}

const struct xtr_injector xtr_inject_afxdp = {
	.open = afxdp_open,
	.send = afxdp_send,
	.close = afxdp_close,
};

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <linux/if_xdp.h>

#include "caps.h"
#include "log.h"
#include "xsk.h"

#define UMEM_SIZE (XTR_XSK_FRAMES * XTR_XSK_FRAME_SIZE)
#define CREATE_TRIES 100 /* a predecessor's teardown takes up to some 20 ms */

static int create_umem(struct xtr_xsk *xsk)
{
	struct xsk_umem_config config = {
		.fill_size = XTR_XSK_FRAMES,
		.comp_size = XTR_XSK_FRAMES,
		.frame_size = XTR_XSK_FRAME_SIZE,
	};

	xsk->buffer = mmap(NULL, UMEM_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (xsk->buffer == MAP_FAILED) {
		xsk->buffer = NULL;
		return -errno;
	}
	return xsk_umem__create(&xsk->umem, xsk->buffer, UMEM_SIZE, &xsk->fill, &xsk->completion,
				&config);
}

/*
 * The kernel takes a socket's end apart in the background: EBUSY means that the
 * last one on this device is not gone yet.
 */
static int create_socket(struct xtr_xsk *xsk, const char *ifname, bool receive)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct xsk_socket_config config = {
		.rx_size = XTR_XSK_FRAMES,
		.tx_size = XTR_XSK_FRAMES,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_COPY,
	};
	int tries, err = -EBUSY;

	for (tries = 0; err == -EBUSY && tries < CREATE_TRIES; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		err = xsk_socket__create(&xsk->socket, ifname, 0, xsk->umem,
					 receive ? &xsk->rx : NULL, receive ? NULL : &xsk->tx,
					 &config);
	}
	/* What if_nametoindex() makes of a want of descriptors: see xtr_netns__ifindex(). */
	return err == -ENOENT ? -EMFILE : err;
}

/* All frames at once: no more are under way than there are. */
static void fill(struct xtr_xsk *xsk)
{
	__u32 idx = 0, i;

	xsk_ring_prod__reserve(&xsk->fill, XTR_XSK_FRAMES, &idx);
	for (i = 0; i < XTR_XSK_FRAMES; i++)
		*xsk_ring_prod__fill_addr(&xsk->fill, idx + i) = (__u64)i * XTR_XSK_FRAME_SIZE;
	xsk_ring_prod__submit(&xsk->fill, XTR_XSK_FRAMES);
}

static int explain(int err)
{
	if (err == -EPERM)
		return xtr_caps__explain("opening an AF_XDP socket", xtr_caps_afxdp);
	if (err)
		pr_err("cannot open an AF_XDP socket: %s", strerror(-err));
	return err;
}

int xtr_xsk__open(struct xtr_xsk *xsk, const char *ifname, bool receive)
{
	int err;

	memset(xsk, 0, sizeof(*xsk));
	err = create_umem(xsk);
	if (!err)
		err = create_socket(xsk, ifname, receive);
	if (!err && receive)
		fill(xsk);
	return explain(err);
}

int xtr_xsk__open_beside(struct xtr_xsk *xsk, struct xtr_xsk *first, const char *ifname)
{
	int err;

	memset(xsk, 0, sizeof(*xsk));
	xsk->umem = first->umem;
	err = create_socket(xsk, ifname, true);
	return explain(err);
}

void xtr_xsk__close(struct xtr_xsk *xsk)
{
	if (xsk->socket)
		xsk_socket__delete(xsk->socket);
	if (xsk->buffer) {
		if (xsk->umem)
			xsk_umem__delete(xsk->umem);
		munmap(xsk->buffer, UMEM_SIZE);
	}
	memset(xsk, 0, sizeof(*xsk));
}

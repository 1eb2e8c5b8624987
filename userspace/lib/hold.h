/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_HOLD_H
#define XTR_HOLD_H

/*
 * Keeps a program in the kernel's XDP dispatcher. A BPF_PROG_TEST_RUN with
 * repeat > 1 (or of live frames) puts its program into the dispatcher and takes
 * it out again, each time patching kernel text and waiting for an RCU grace
 * period under one global mutex: some 20 ms a call. While the program is
 * attached to any device it is there already, and both steps only move a
 * count. The device is the loopback of a network namespace of its own, which
 * stays down, so nothing ever reaches the program that way.
 */
struct xtr_hold {
	int ns_fd;
	int link_fd;
};

#define XTR_HOLD_NONE                      \
	{                                  \
		.ns_fd = -1, .link_fd = -1 \
	}

int xtr_hold__open(struct xtr_hold *hold, int prog_fd);
void xtr_hold__close(struct xtr_hold *hold);

#endif /* XTR_HOLD_H */

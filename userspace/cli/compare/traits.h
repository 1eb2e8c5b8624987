/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What in a program can make its outcomes differ from path to path or from run to run. */
#ifndef XTR_TRAITS_H
#define XTR_TRAITS_H

#include <xdptestrun.h>

enum trait {
	TRAIT_TAIL = 1 << 0, /* moves the packet's end */
	TRAIT_DEVICE = 1 << 1, /* reads ingress_ifindex or rx_queue_index */
	TRAIT_NETNS = 1 << 2, /* looks up routes, sockets or MTUs */
	TRAIT_TIME = 1 << 3, /* reads a clock, or has timers */
	TRAIT_RANDOM = 1 << 4,
	TRAIT_CPU = 1 << 5, /* asks for its CPU, or looks at what is another CPU's */
	TRAIT_STATE = 1 << 6, /* has maps that it can write to */
	TRAIT_REDIRECT = 1 << 7, /* redirects by way of a map */
	TRAIT_KFUNC = 1 << 8, /* calls kernel functions */
	TRAIT_META = 1 << 9, /* reads metadata */
	TRAIT_PERCPU = 1 << 10, /* has per-CPU maps */
};

/* Of the loaded target, with what it may tail-call. */
__u32 traits__of(const struct xtr_target *target);

/* Of one map of it; 0 when there is none. */
__u32 traits__of_map(const struct xtr_target *target, const char *name);

#endif /* XTR_TRAITS_H */

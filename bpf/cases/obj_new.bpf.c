// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf_obj_new(): an object allocated and freed for each packet, its type taken
 * from the program's BTF. Argument: a __u32, which passes through the object
 * and comes out turned over. Needs Linux 6.2; XDP programs may call it since
 * later.
 */
#include "cases.h"

#include <bpf/bpf_core_read.h>

struct thing {
	__u64 stamp;
	__u32 value;
};

void *bpf_obj_new_impl(__u64 local_type_id, void *meta) __ksym;
void bpf_obj_drop_impl(void *kptr, void *meta) __ksym;

SEC("xdp")
int obj_new(struct xdp_md *ctx)
{
	__u32 *arg = pkt_args(ctx, sizeof(*arg));
	struct thing *thing;

	if (!arg)
		return XDP_PASS;
	thing = bpf_obj_new_impl(bpf_core_type_id_local(struct thing), NULL);
	if (!thing)
		return XDP_ABORTED;
	thing->value = *arg;
	*arg = ~thing->value;
	bpf_obj_drop_impl(thing, NULL);
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tail calls through a full and an empty program array, from the main program
 * and from a subprogram. libbpf fills the array at load time, so all programs
 * of this object must be loaded. Argument: the slot as a byte.
 */
#include "cases.h"

int tail_target_drop(struct xdp_md *ctx);
int tail_target_tx(struct xdp_md *ctx);
int tail_target_chain(struct xdp_md *ctx);
int tail_count(struct xdp_md *ctx);

#define SLOT_DROP 0
#define SLOT_TX 1
#define SLOT_CHAIN 2
#define SLOT_COUNT 3

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 8);
	__uint(key_size, sizeof(__u32));
	__array(values, int(void *));
} jump_full SEC(".maps") = {
	.values = {
		[SLOT_DROP] = (void *)&tail_target_drop,
		[SLOT_TX] = (void *)&tail_target_tx,
		[SLOT_CHAIN] = (void *)&tail_target_chain,
		[SLOT_COUNT] = (void *)&tail_count,
	},
};

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, __u32);
} jump_empty SEC(".maps");

SEC("xdp")
int tail_target_drop(struct xdp_md *ctx __unused)
{
	return XDP_DROP;
}

SEC("xdp")
int tail_target_tx(struct xdp_md *ctx)
{
	__u8 *first = pkt_at(ctx, 0, 1);

	if (first)
		*first = 0x77;
	return XDP_TX;
}

SEC("xdp")
int tail_target_chain(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &jump_full, SLOT_TX);
	return XDP_ABORTED;
}

/* Slots 0 to 2: DROP, TX, TX through a chain. 3: see tail_count. Beyond: the
 * call falls through, which gives ABORTED.
 */
SEC("xdp")
int tail_full(struct xdp_md *ctx)
{
	__u8 *slot = pkt_args(ctx, sizeof(*slot));

	if (!slot)
		return XDP_PASS;
	bpf_tail_call(ctx, &jump_full, *slot);
	return XDP_ABORTED;
}

SEC("xdp")
int tail_empty(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &jump_empty, 0);
	return XDP_ABORTED;
}

/* The compiler must not conclude that these return a constant: after a tail
 * call it's the called program that returns.
 */
static __noinline int jump(struct xdp_md *ctx, __u32 slot)
{
	int ret = XDP_ABORTED;

	barrier_var(ret);
	bpf_tail_call(ctx, &jump_full, slot);
	return ret;
}

static __noinline int jump_nowhere(struct xdp_md *ctx)
{
	int ret = XDP_PASS;

	barrier_var(ret);
	bpf_tail_call(ctx, &jump_empty, 0);
	return ret;
}

/* A tail call in a subprogram returns to the subprogram's caller: DROP becomes
 * DROP + 100, which proves that it came back.
 */
SEC("xdp")
int tail_subprog(struct xdp_md *ctx)
{
	__u8 *slot = pkt_args(ctx, sizeof(*slot));

	if (!slot)
		return XDP_PASS;
	return jump(ctx, *slot) + 100;
}

SEC("xdp")
int tail_subprog_empty(struct xdp_md *ctx)
{
	return jump_nowhere(ctx) + 100;
}

/* Call itself until the kernel's limit of 33 tail calls ends it. The packet's
 * first byte counts the runs, one more than the calls.
 */
SEC("xdp")
int tail_count(struct xdp_md *ctx)
{
	__u8 *first = pkt_at(ctx, 0, 1);

	if (!first)
		return XDP_ABORTED;
	*first += 1;
	bpf_tail_call(ctx, &jump_full, SLOT_COUNT);
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";

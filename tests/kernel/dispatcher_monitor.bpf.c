// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts what is done to the kernel's XDP dispatcher */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define MAX_ENTRIES 48 /* BPF_DISPATCHER_MAX */

/* Addresses of kernel symbols, filled in before load */
const volatile __u64 dispatcher; /* its mutex is its first member */
const volatile __u64 call_key;

__u64 locks;
__u64 updates;
__u64 entries[MAX_ENTRIES];
__u32 num_entries;

static bool prepared;

SEC("fentry/mutex_lock")
int count_lock(__u64 *ctx)
{
	if (ctx[0] == dispatcher)
		__sync_fetch_and_add(&locks, 1);
	return 0;
}

/* static_call_update(key, trampoline, function): each switch of the image */
SEC("fentry/__static_call_update")
int count_update(__u64 *ctx)
{
	if (ctx[0] != call_key)
		return 0;
	__sync_fetch_and_add(&updates, 1);
	/* The last entry goes without a new image */
	if (!prepared)
		num_entries = 0;
	prepared = false;
	return 0;
}

/* arch_prepare_bpf_dispatcher(image, buf, funcs, num_funcs) */
SEC("fentry/arch_prepare_bpf_dispatcher")
int copy_entries(__u64 *ctx)
{
	__u32 num = ctx[3];

	if (num > MAX_ENTRIES)
		num = MAX_ENTRIES;
	num_entries = num;
	prepared = true;
	bpf_probe_read_kernel(entries, num * sizeof(*entries), (void *)ctx[2]);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";

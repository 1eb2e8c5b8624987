// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A rate limiter: the verdict depends on the time. PASS while there are tokens,
 * DROP otherwise. Runs of such a program are not comparable.
 */
#include "cases.h"

const volatile __u64 tokens_per_sec = 1000;
const volatile __u64 burst = 10;

struct bucket {
	struct bpf_spin_lock lock;
	__u32 pad;
	__u64 tokens_ns;
	__u64 last_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bucket);
} buckets SEC(".maps");

SEC("xdp")
int token_bucket(struct xdp_md *ctx __unused)
{
	__u64 now = bpf_ktime_get_ns();
	__u64 price = 1000000000 / tokens_per_sec;
	struct bucket *bucket;
	int ret = XDP_DROP;
	__u32 key = 0;

	bucket = bpf_map_lookup_elem(&buckets, &key);
	if (!bucket)
		return XDP_ABORTED;

	bpf_spin_lock(&bucket->lock);
	if (now > bucket->last_ns) {
		bucket->tokens_ns += now - bucket->last_ns;
		bucket->last_ns = now;
	}
	if (bucket->tokens_ns > burst * price)
		bucket->tokens_ns = burst * price;
	if (bucket->tokens_ns >= price) {
		bucket->tokens_ns -= price;
		ret = XDP_PASS;
	}
	bpf_spin_unlock(&bucket->lock);
	return ret;
}

char _license[] SEC("license") = "Dual BSD/GPL";

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* State: maps that lanes share, per-CPU maps, global data, timers. */
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "case.h"
#include "globals.h"

static __u32 constant(const struct env *env, struct pkt *pkt)
{
	(void)pkt;
	return *(const __u32 *)env->tc->data;
}

static void expect_sum(struct env *env, const char *what, __u64 got, __u64 want)
{
	if (got != want)
		mistake(env, "%s: %llu, not %llu", what, (unsigned long long)got,
			(unsigned long long)want);
}

/* ---- CPUs ---------------------------------------------------------------------- */

/* In the lane's own thread, which is pinned. */
static void unordered(const struct env *env, struct xtr_run_opts *opts)
{
	(void)env;
	opts->ordered = false;
}

static const char *smp_id(struct env *env, const struct xtr_packet *in,
			  const struct xtr_outcome *out)
{
	(void)env;
	(void)in;
	return out->verdict == (__u32)sched_getcpu() ? NULL : "not the lane's CPU";
}

static const char *percpu_out(struct env *env, const struct xtr_packet *in,
			      const struct xtr_outcome *out)
{
	(void)env;
	(void)in;
	if (out->verdict != XDP_TX)
		return "not transmitted";
	return get32((const __u8 *)out->data + ARGS_OFF) == (__u32)sched_getcpu()
		       ? NULL
		       : "not the lane's CPU";
}

/* One lane stays on one CPU, and that has had all packets before. */
static const char *percpu_sequence(struct env *env, const struct xtr_packet *in,
				   const struct xtr_outcome *out)
{
	(void)in;
	if (out->verdict != XDP_TX)
		return "not transmitted";
	if (env->v->lanes > 1)
		return NULL;
	return get32((const __u8 *)out->data + ARGS_OFF) == out->index
		       ? NULL
		       : "not the number of packets before";
}

static bool percpu_sum(struct env *env, const struct xtr_result *result)
{
	__u32 key = 0;

	expect_sum(env, "packets counted", map_u64_all_cpus(env, "percpu_array", &key),
		   result->packets);
	return true;
}

static bool percpu_lengths(struct env *env, const struct xtr_result *result)
{
	__u64 counts[1519] = {}, sum = 0;
	__u32 len;
	size_t i;

	for (i = 0; i < env->view_count; i++)
		counts[env->set.packets[env->view[i]].len]++;
	for (len = 14; len < ARRAY_SIZE(counts); len++) {
		if (!counts[len])
			continue;
		sum += counts[len];
		expect_sum(env, "packets of a length", map_u64_all_cpus(env, "percpu_hash", &len),
			   counts[len]);
	}
	expect_sum(env, "packets", sum, result->packets);
	return true;
}

/* ---- hashes ---------------------------------------------------------------------- */

#define FLOWS 500
#define FLOWS_SPEC "udp,flows=500,size=64-256"

static void add_flows(struct env *env, const char *map, bool percpu,
		      const struct xtr_result *result)
{
	__u8 key[12], next[12], *last = NULL;
	__u64 sum = 0, flows = 0;
	int fd = map_fd(env, map);

	while (!bpf_map_get_next_key(fd, last, next)) {
		memcpy(key, next, sizeof(key));
		last = key;
		sum += percpu ? map_u64_all_cpus(env, map, key) : map_u64(env, map, key);
		flows++;
	}
	expect_sum(env, "packets of all flows", sum, result->packets);
	expect_sum(env, "flows", flows, result->packets < FLOWS ? result->packets : FLOWS);
}

static bool hash_flows(struct env *env, const struct xtr_result *result)
{
	add_flows(env, "flows", false, result);
	return true;
}

static bool lru_flows(struct env *env, const struct xtr_result *result)
{
	add_flows(env, "flows_lru", false, result);
	return true;
}

static bool lru_percpu_flows(struct env *env, const struct xtr_result *result)
{
	add_flows(env, "flows_lru_percpu", true, result);
	return true;
}

/* Flows that begin with a SYN or in the middle; each packet carries its verdict at the end. */
static void build_tcp(struct packet_set *set)
{
	__u32 i, flow, step;
	bool open[64] = {};
	__u8 *p;

	for (i = 0; i < 6000; i++) {
		flow = i * 7 % 64;
		step = i / 64 % 9;
		p = set_add_udp(set, 80, i);
		p[23] = 6;
		put16n(p + 24, 0);
		put16n(p + 24, csum(p + 14, 20, 0));
		put16n(p + 34, 2000 + flow);
		memset(p + 36, 0, 44);
		put16n(p + 36, 80);
		put32(p + 38, i);
		p[46] = 0x50;
		if (step == 2 && flow % 3) {
			p[47] = 2;
			open[flow] = true;
			p[79] = XDP_PASS;
		} else {
			p[47] = step == 7 ? 0x11 : step == 8 && flow % 2 ? 0x14 : 0x10;
			p[79] = open[flow] ? XDP_PASS : XDP_DROP;
			if (step == 7 || (step == 8 && flow % 2))
				open[flow] = false;
		}
	}
}

static __u32 conntrack(const struct env *env, struct pkt *pkt)
{
	(void)env;
	return pkt_data(pkt)[79];
}

static void by_flow(const struct env *env, struct xtr_run_opts *opts)
{
	(void)env;
	opts->affinity = XTR_AFFINITY_FLOW;
}

/* ---- ring buffer ------------------------------------------------------------------ */

struct record {
	__u32 len;
	__u8 head[14];
	__u8 pad[2];
};

static int on_record(void *ctx, void *data, size_t size)
{
	struct env *env = ctx;
	const struct record *rec = data;

	if (size == sizeof(*rec)) {
		env->counter[0]++;
		env->counter[1] += rec->len;
	}
	return 0;
}

static bool ringbuf(struct env *env, const struct xtr_result *result)
{
	struct ring_buffer *ring;
	__u64 bytes = 0;
	size_t i;

	for (i = 0; i < env->view_count; i++)
		bytes += env->set.packets[env->view[i]].len;
	env->counter[0] = env->counter[1] = 0;
	ring = ring_buffer__new(map_fd(env, "records"), on_record, env, NULL);
	if (!ring || ring_buffer__consume(ring) < 0) {
		mistake(env, "cannot read the ring buffer");
		return false;
	}
	ring_buffer__free(ring);
	expect_sum(env, "records", env->counter[0], result->packets);
	expect_sum(env, "bytes told by records", env->counter[1], bytes);
	expect_sum(env, "dropped records", global_u64(env, ".bss", "dropped"), 0);
	return true;
}

/* ---- timer, global data ------------------------------------------------------------ */

static bool timer_fired(struct env *env, const struct xtr_result *result)
{
	int tries;

	(void)result;
	for (tries = 0; tries < 300 && global_u64(env, ".bss", "fired") < 10; tries++)
		usleep(10000);
	expect_sum(env, "times that the timer fired", global_u64(env, ".bss", "fired"), 10);
	return true;
}

static __u32 globals(const struct env *env, struct pkt *pkt)
{
	__u8 *arg = pkt_args(pkt, 4);

	if (!arg)
		return XDP_PASS;
	put32(arg, get32(arg) ^ (env->tc->rodata[0] ? 0x12345678 : 0x5a5a5a5a));
	return XDP_TX;
}

static bool globals_counted(struct env *env, const struct xtr_result *result)
{
	__u64 bytes = 0;
	size_t i;

	for (i = 0; i < env->view_count; i++)
		bytes += env->set.packets[env->view[i]].len;
	expect_sum(env, "packets", global_u64(env, ".bss", "packets"), result->packets);
	expect_sum(env, "bytes", global_u64(env, ".bss", "bytes"), bytes);
	return true;
}

static __u32 table(const struct env *env, struct pkt *pkt)
{
	static const __u8 table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
	__u8 *arg = pkt_args(pkt, 1);

	(void)env;
	if (!arg)
		return XDP_PASS;
	*arg = table[*arg & 15];
	return XDP_TX;
}

/* Lanes take turns as they like, but no number is given twice: the sum tells. */
static const char *sequence(struct env *env, const struct xtr_packet *in,
			    const struct xtr_outcome *out)
{
	(void)in;
	__atomic_add_fetch(&env->counter[0], get32((const __u8 *)out->data + ARGS_OFF),
			   __ATOMIC_RELAXED);
	return out->verdict == XDP_TX ? NULL : "not transmitted";
}

static bool sequence_sum(struct env *env, const struct xtr_result *result)
{
	expect_sum(env, "sum of all numbers", env->counter[0],
		   result->packets * (result->packets - 1) / 2);
	return true;
}

static __u32 inner_map(const struct env *env, struct pkt *pkt)
{
	__u8 *arg = pkt_args(pkt, 1);

	(void)env;
	if (!arg)
		return XDP_PASS;
	return *arg & 2 ? XDP_DROP : XDP_TX;
}

static bool inner_counted(struct env *env, const struct xtr_result *result)
{
	__u32 key = 0;

	expect_sum(env, "packets in both inner maps",
		   map_u64(env, "inner0", &key) + map_u64(env, "inner1", &key),
		   result->verdicts[XDP_TX]);
	return true;
}

static bool pair_counted(struct env *env, const struct xtr_result *result)
{
	struct {
		__u32 lock;
		__u32 pad;
		__u64 first;
		__u64 second;
	} pair = {};
	__u32 key = 0;

	bpf_map_lookup_elem(map_fd(env, "pairs"), &key, &pair);
	expect_sum(env, "first of the pair", pair.first, result->packets);
	expect_sum(env, "second of the pair", pair.second, result->packets);
	return true;
}

static const char *any_pass_or_drop(struct env *env, const struct xtr_packet *in,
				    const struct xtr_outcome *out)
{
	(void)env;
	(void)in;
	return out->verdict == XDP_PASS || out->verdict == XDP_DROP ? NULL : "another verdict";
}

static const char *pass_then_tx(struct env *env, const struct xtr_packet *in,
				const struct xtr_outcome *out)
{
	(void)env;
	(void)in;
	return out->verdict == XDP_PASS || out->verdict == XDP_TX ? NULL : "another verdict";
}

static bool passed_one(struct env *env, const struct xtr_result *result)
{
	expect_sum(env, "first packets", result->verdicts[XDP_PASS], 1);
	if (!access("/sys/fs/bpf/pinned_counter", F_OK))
		mistake(env, "the map was pinned");
	return true;
}

#define NUMBER(n) (&(const __u32){ n })
#define BASE(label, obj, prog) .name = label, .object = "cases/" obj, .program = prog
#define UDP .spec = "udp,size=64-512", .count = 5000
#define MIX .spec = "mix,size=14-512", .count = 5000
#define ARGS_AT_RANDOM .spec = "random,size=14-512", .count = 10000

const struct test_case cases_maps[] = {
	{ BASE("smp_id", "percpu", "smp_id"), UDP, .verify = smp_id, .opts = unordered,
	  .flags = CASE_STATE },
	{ BASE("percpu_count", "percpu", "percpu_count"), UDP, .verify = percpu_out,
	  .check = percpu_sum, .opts = unordered, .flags = CASE_STATE },
	{ BASE("percpu_sequence", "percpu", "percpu_sequence"), UDP, .verify = percpu_sequence,
	  .check = percpu_sum, .flags = CASE_STATE },
	{ BASE("percpu_hash", "percpu", "percpu_hash_count"), .spec = "random,size=14-600",
	  .count = 20000, .model = constant, .data = NUMBER(XDP_PASS), .check = percpu_lengths },
	{ BASE("hash_count", "hash", "hash_count"), .spec = FLOWS_SPEC, .count = 20000,
	  .model = constant, .data = NUMBER(XDP_PASS), .check = hash_flows },
	{ BASE("lru_count", "hash", "lru_count"), .spec = FLOWS_SPEC, .count = 20000,
	  .model = constant, .data = NUMBER(XDP_PASS), .check = lru_flows },
	{ BASE("lru_percpu_count", "hash", "lru_percpu_count"), .spec = FLOWS_SPEC, .count = 20000,
	  .model = constant, .data = NUMBER(XDP_PASS), .check = lru_percpu_flows },
	{ BASE("tcp_conntrack", "stateful", "tcp_conntrack"), .build = build_tcp,
	  .model = conntrack, .opts = by_flow, .flags = CASE_WIDE },
	{ BASE("ringbuf_reserve", "ringbuf", "ringbuf_reserve"), MIX, .model = constant,
	  .data = NUMBER(XDP_PASS), .check = ringbuf },
	{ BASE("ringbuf_output", "ringbuf", "ringbuf_output"), MIX, .model = constant,
	  .data = NUMBER(XDP_PASS), .check = ringbuf },
	{ BASE("perf_event_output", "ringbuf", "perf_event_output"), MIX, .model = constant,
	  .data = NUMBER(XDP_DROP) },
	{ BASE("timer", "timer", "timer_start"), MIX, .model = constant, .data = NUMBER(XDP_PASS),
	  .check = timer_fired },
	{ BASE("globals", "global_data", "globals"), ARGS_AT_RANDOM, .model = globals,
	  .check = globals_counted },
	{ BASE("globals-rodata", "global_data", "globals"), ARGS_AT_RANDOM, .model = globals,
	  .rodata = { "xor_key", "0x12345678" } },
	{ BASE("global_table", "global_data", "global_table"), ARGS_AT_RANDOM, .model = table },
	{ BASE("global_sequence", "global_data", "global_sequence"), UDP, .verify = sequence,
	  .check = sequence_sum, .flags = CASE_STATE },
	{ BASE("array_of_maps", "map_in_map", "array_of_maps"), ARGS_AT_RANDOM, .model = inner_map,
	  .check = inner_counted },
	{ BASE("hash_of_maps", "map_in_map", "hash_of_maps"), ARGS_AT_RANDOM, .model = inner_map,
	  .check = inner_counted },
	{ BASE("spin_lock", "spin_lock", "locked_pair"), .spec = "mix", .count = 20000,
	  .model = constant, .data = NUMBER(XDP_PASS), .check = pair_counted },
	/* The verdict depends on the time. */
	{ BASE("token_bucket", "token_bucket", "token_bucket"), MIX, .verify = any_pass_or_drop,
	  .flags = CASE_STATE },
	{ BASE("pin_by_name", "pin_by_name", "pin_by_name"), MIX, .verify = pass_then_tx,
	  .check = passed_one, .flags = CASE_STATE },
};
CASES(maps);

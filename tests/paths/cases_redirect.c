// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What redirects return, for empty and filled maps, and what the context and
 * the routes say. Where redirected frames arrive: cases of the veth path.
 */
#include <errno.h>
#include <sched.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/if_link.h>

#include "case.h"
#include "lane_netns.h"

static __u32 constant(const struct env *env, struct pkt *pkt)
{
	(void)pkt;
	return *(const __u32 *)env->tc->data;
}

static __u32 swap_and_redirect(const struct env *env, struct pkt *pkt)
{
	__u8 tmp[6], *p = pkt_data(pkt);

	memcpy(tmp, p, 6);
	memcpy(p, p + 6, 6);
	memcpy(p + 6, tmp, 6);
	return constant(env, pkt);
}

/* The loopback is an interface that takes no frames: REDIRECT, and gone on veth. */
static int fill_devmap(struct env *env)
{
	__u32 key = 0, ifindex = 1;

	return bpf_map_update_elem(map_fd(env, "tx_ports"), &key, &ifindex, 0) ? -errno : 0;
}

static int fill_tx_port(struct env *env)
{
	__u32 key = 0, ifindex = 1;

	return bpf_map_update_elem(map_fd(env, "tx_port"), &key, &ifindex, 0) ? -errno : 0;
}

static int fill_devmap_hash(struct env *env)
{
	struct bpf_devmap_val val = { .ifindex = 1 };
	__u32 key = 0;

	return bpf_map_update_elem(map_fd(env, "tx_ports_hash"), &key, &val, 0) ? -errno : 0;
}

static int fill_cpumap(struct env *env)
{
	struct bpf_cpumap_val val = { .qsize = 192 };
	__u32 key = 0;

	return bpf_map_update_elem(map_fd(env, "cpus"), &key, &val, 0) ? -errno : 0;
}

/* Where frames arrive: behind the devmap entries, in each lane's own namespace. */
static const char *const one_sink[] = { "tx_ports:0", NULL };
static const char *const xsk_sink[] = { "xsks:0", NULL };
static const char *const hash_sinks[] = { "tx_ports_hash:7", "tx_ports_hash:0", NULL };

static void to_one_sink(const struct env *env, struct xtr_run_opts *opts)
{
	(void)env;
	opts->redirects = one_sink;
	opts->fresh = XTR_FRESH_LANE;
}

static void to_xsk_sink(const struct env *env, struct xtr_run_opts *opts)
{
	(void)env;
	opts->redirects = xsk_sink;
	opts->fresh = XTR_FRESH_LANE;
}

/* The target looks at key 0, which the second sink is behind. */
static void to_hash_sinks(const struct env *env, struct xtr_run_opts *opts)
{
	(void)env;
	opts->redirects = hash_sinks;
	opts->fresh = XTR_FRESH_LANE;
}

static const char *arrived(const struct xtr_outcome *out, __u32 sink)
{
	if (out->verdict != XDP_REDIRECT)
		return "not redirected";
	if (!out->sinks)
		return "redirected and did not arrive";
	return out->sinks == 1U << sink ? NULL : "arrived at another sink";
}

static const char *at_first_sink(struct env *env, const struct xtr_packet *in,
				 const struct xtr_outcome *out)
{
	(void)env;
	(void)in;
	return arrived(out, 0);
}

static const char *at_second_sink(struct env *env, const struct xtr_packet *in,
				  const struct xtr_outcome *out)
{
	(void)env;
	(void)in;
	return arrived(out, 1);
}

/* Several sinks, between which there is no order, by the packet's length: .data lists them. */
static void to_many_sinks(const struct env *env, struct xtr_run_opts *opts)
{
	opts->redirects = env->tc->data;
	opts->fresh = XTR_FRESH_LANE;
}

/* -1: there is none. */
static int sink_by_length(const struct env *env, __u32 len)
{
	const char *const *sinks = env->tc->data;
	char entry[32];
	int i;

	snprintf(entry, sizeof(entry), "%s:%u", len & 8 ? "tx_ports" : "xsks", len & 7);
	for (i = 0; sinks[i]; i++)
		if (!strcmp(sinks[i], entry))
			return i;
	return -1;
}

static __u32 redirect_by_length(const struct env *env, struct pkt *pkt)
{
	return sink_by_length(env, pkt->len) < 0 ? XDP_DROP : XDP_REDIRECT;
}

static const char *at_sink_by_length(struct env *env, const struct xtr_packet *in,
				     const struct xtr_outcome *out)
{
	int sink = sink_by_length(env, in->len);

	return sink < 0 ? NULL : arrived(out, sink);
}

static __u32 redirected(const struct env *env, struct pkt *pkt)
{
	(void)env;
	(void)pkt;
	return XDP_REDIRECT;
}

/* A copy of each packet in each sink. */
static const char *at_all_sinks(struct env *env, const struct xtr_packet *in,
				const struct xtr_outcome *out)
{
	const char *const *sinks = env->tc->data;
	__u32 count = 0;

	(void)in;
	while (sinks[count])
		count++;
	return out->sinks == (1U << count) - 1 ? NULL : "did not arrive in all sinks";
}

#define SINKS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define BY_LENGTH(label, ...)                                                                   \
	{                                                                                       \
		.name = label, .object = "cases/redirect", .program = "redirect_by_length",     \
		.model = redirect_by_length, .spec = "mix,size=14-1514", .count = 10000,        \
		.data = SINKS(__VA_ARGS__), .opts = to_many_sinks, .verify = at_sink_by_length, \
		.flags = CASE_VETH_ONLY, .reason = "test runs carry no redirect out"            \
	}

#define BROADCAST(label, packets, ...)                                                           \
	{                                                                                        \
		.name = label, .object = "cases/redirect", .program = "devmap_broadcast",        \
		.model = redirected, .spec = packets, .count = 3000, .data = SINKS(__VA_ARGS__), \
		.opts = to_many_sinks, .verify = at_all_sinks, .flags = CASE_VETH_ONLY,          \
		.reason = "test runs carry no redirect out"                                      \
	}

#define NUMBER(n) (&(const __u32){ n })
#define REDIRECT(label, prog, verdict, ...)                                                    \
	{                                                                                      \
		.name = label, .object = "cases/redirect", .program = prog, .model = constant, \
		.spec = "mix,size=14-512", .count = 3000, .data = NUMBER(verdict), __VA_ARGS__ \
	}
#define SAMPLE(label, prog, verdict, ...)                                               \
	{                                                                               \
		.name = label, .object = "xdp_redirect", .program = prog,               \
		.model = swap_and_redirect, .spec = "mix,size=14-1514", .count = 10000, \
		.data = NUMBER(verdict), __VA_ARGS__                                    \
	}

const struct test_case cases_redirect[] = {
	REDIRECT("redirect_ifindex", "redirect_ifindex", XDP_REDIRECT),
	REDIRECT("redirect_back", "redirect_back", XDP_REDIRECT),
	REDIRECT("devmap_no_flags", "devmap_no_flags", XDP_ABORTED),
	REDIRECT("devmap_or_pass", "devmap_or_pass", XDP_PASS),
	REDIRECT("devmap_or_tx", "devmap_or_tx", XDP_TX),
	REDIRECT("devmap_broadcast", "devmap_broadcast", XDP_REDIRECT),
	REDIRECT("devmap_hash_or_pass", "devmap_hash_or_pass", XDP_PASS),
	REDIRECT("cpumap_no_flags", "cpumap_no_flags", XDP_ABORTED),
	REDIRECT("cpumap_or_drop", "cpumap_or_drop", XDP_DROP),
	REDIRECT("xskmap_or_pass", "xskmap_or_pass", XDP_PASS),
	REDIRECT("xskmap_or_drop", "xskmap_or_drop", XDP_DROP),
	REDIRECT("devmap_no_flags-filled", "devmap_no_flags", XDP_REDIRECT, .setup = fill_devmap),
	REDIRECT("devmap_or_pass-filled", "devmap_or_pass", XDP_REDIRECT, .setup = fill_devmap),
	REDIRECT("devmap_broadcast-filled", "devmap_broadcast", XDP_REDIRECT, .setup = fill_devmap),
	REDIRECT("devmap_hash-filled", "devmap_hash_or_pass", XDP_REDIRECT,
		 .setup = fill_devmap_hash),
	REDIRECT("cpumap_no_flags-filled", "cpumap_no_flags", XDP_REDIRECT, .setup = fill_cpumap),
	REDIRECT("cpumap_or_drop-filled", "cpumap_or_drop", XDP_REDIRECT, .setup = fill_cpumap),
	REDIRECT("sink-devmap", "devmap_no_flags", XDP_REDIRECT, .opts = to_one_sink,
		 .verify = at_first_sink, .flags = CASE_VETH_ONLY,
		 .reason = "test runs carry no redirect out"),
	REDIRECT("sink-broadcast", "devmap_broadcast", XDP_REDIRECT, .opts = to_one_sink,
		 .verify = at_first_sink, .flags = CASE_VETH_ONLY,
		 .reason = "test runs carry no redirect out"),
	BROADCAST("sink-broadcast-two", "mix,size=14-1514", "tx_ports:9", "tx_ports:0"),
	BROADCAST("sink-broadcast-five", "mix,size=14-1514", "tx_ports:0", "tx_ports:1",
		  "tx_ports:2", "tx_ports:3", "tx_ports:63"),
	BROADCAST("sink-broadcast-alike", "arp,flows=1,size=42", "tx_ports:1", "tx_ports:2",
		  "tx_ports:3"),
	REDIRECT("sink-devmap-hash", "devmap_hash_or_pass", XDP_REDIRECT, .opts = to_hash_sinks,
		 .verify = at_second_sink, .flags = CASE_VETH_ONLY,
		 .reason = "test runs carry no redirect out"),
	REDIRECT("sink-xskmap", "xskmap_or_drop", XDP_REDIRECT, .opts = to_xsk_sink,
		 .verify = at_first_sink, .flags = CASE_VETH_ONLY,
		 .reason = "test runs carry no redirect out"),
	BY_LENGTH("sink-xskmap-keys", "xsks:0", "xsks:5", "xsks:7"),
	BY_LENGTH("sink-xskmap-all-keys", "xsks:0", "xsks:1", "xsks:2", "xsks:3", "xsks:4",
		  "xsks:5", "xsks:6", "xsks:7"),
	BY_LENGTH("sink-devmap-keys", "tx_ports:0", "tx_ports:5", "tx_ports:7"),
	BY_LENGTH("sink-both-maps", "tx_ports:1", "xsks:6", "tx_ports:2", "xsks:0"),
	SAMPLE("sample-redirect", "xdp_redirect", XDP_REDIRECT),
	SAMPLE("sample-redirect-devmap", "xdp_redirect_devmap", XDP_PASS),
	SAMPLE("sample-redirect-devmap-filled", "xdp_redirect_devmap", XDP_REDIRECT,
	       .setup = fill_tx_port),
};
CASES(redirect);

/* ---- context and routes ------------------------------------------------------------ */

/* Routes and neighbours; what is routed comes in at the interface @in. */
#define ROUTES(in)                                                                         \
	"ip link add out0 type veth peer name out1 && "                                    \
	"ip addr add 198.18.255.254/16 dev " in " && ip addr add 10.9.0.1/24 dev out0 && " \
	"ip link set out0 address 02:00:00:00:02:00 up && ip link set out1 up && "         \
	"ip route add 198.19.0.0/17 via 10.9.0.2 dev out0 && "                             \
	"ip route add blackhole 198.19.128.0/18 && "                                       \
	"ip route add prohibit 198.19.192.0/19 && "                                        \
	"ip neigh add 10.9.0.2 lladdr 02:00:00:00:09:02 dev out0 nud permanent && "        \
	"echo 1 > /proc/sys/net/ipv4/conf/" in "/forwarding"

/* A namespace with a veth pair, for test runs that name their interface. Once per process. */
static int prepared_netns(void)
{
	static const char script[] =
		"ip link set lo up && ip link add in0 type veth peer name in1 && "
		"ip link set in0 address 02:00:00:00:01:00 up && ip link set in1 up && " ROUTES(
			"in0");
	static int state;

	if (!state) {
		state = -1;
		if (!unshare(CLONE_NEWNET) && !system(script))
			state = 1;
	}
	return state > 0 ? 0 : -EIO;
}

static int route_lanes(void *ctx)
{
	(void)ctx;
	return shell_in_lane_netns(ROUTES("xtr1"));
}

static int in0_link = -1;

/* The kernel takes an interface only when it has receive queues for XDP. */
static int use_in0(struct env *env)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);

	if (on_veth(env->v))
		return 0;
	if (in0_link >= 0)
		close(in0_link);
	in0_link = -1;
	if (prepared_netns())
		return -EIO;
	in0_link =
		bpf_link_create(xtr_target__fd(env->target), if_nametoindex("in0"), BPF_XDP, &opts);
	return in0_link < 0 ? in0_link : 0;
}

static void from_in0(const struct env *env, struct xtr_run_opts *opts)
{
	if (!on_veth(env->v))
		opts->ingress_ifindex = if_nametoindex("in0");
}

/* The same routes, wherever the program looks. */
static void routed(const struct env *env, struct xtr_run_opts *opts)
{
	from_in0(env, opts);
	if (on_veth(env->v))
		opts->ready = route_lanes;
}

/* The packet as it was, but for what the context said. */
static const char *ctx_to_packet(struct env *env, const struct xtr_packet *in,
				 const struct xtr_outcome *out)
{
	const __u8 *data = out->data, *was = in->data;
	__u32 ifindex = get32(data + ARGS_OFF);

	if (out->verdict != XDP_TX || out->len != in->len || out->meta_len)
		return "not transmitted as it was";
	if (memcmp(data, was, ARGS_OFF) ||
	    memcmp(data + ARGS_OFF + 8, was + ARGS_OFF + 8, in->len - ARGS_OFF - 8))
		return "changed elsewhere";
	if (get32(data + ARGS_OFF + 4))
		return "not queue 0";
	if (on_veth(env->v))
		return ifindex == 2 || ifindex == 3 ? NULL : "not the lane's veth";
	if (env->tc->opts)
		return ifindex == if_nametoindex("in0") ? NULL : "not the interface asked for";
	return ifindex == 1 ? NULL : "not the loopback";
}

static const char *ctx_ifindex(struct env *env, const struct xtr_packet *in,
			       const struct xtr_outcome *out)
{
	(void)in;
	if (on_veth(env->v))
		return out->verdict == 2 || out->verdict == 3 ? NULL : "not the lane's veth";
	return out->verdict == 1 ? NULL : "not the loopback";
}

/* A set of destinations that the routes above tell apart, and hosts next door. */
static void build_routed(struct packet_set *set)
{
	static const __u8 dst[][4] = { { 198, 19, 1, 1 },   { 198, 19, 127, 9 },
				       { 198, 19, 130, 1 }, { 198, 19, 200, 1 },
				       { 203, 0, 113, 1 },  { 10, 9, 0, 77 },
				       { 10, 9, 0, 1 } };
	__u32 i;
	__u8 *p;

	for (i = 0; i < 2000; i++) {
		p = set_add_udp(set, 60 + i % 700, i);
		memcpy(p + 30, dst[i % ARRAY_SIZE(dst)], 4);
		if (i % 13 == 0)
			p[22] = 1;
		put16n(p + 24, 0);
		put16n(p + 24, csum(p + 14, 20, 0));
	}
}

static __u32 fib_forward(const struct env *env, struct pkt *pkt)
{
	static const __u8 macs[] = { 2, 0, 0, 0, 9, 2, 2, 0, 0, 0, 2, 0 };
	__u8 *p = pkt_data(pkt), *dst = p + 30;
	__u32 sum;

	(void)env;
	if (p[22] <= 1)
		return XDP_PASS;
	if (dst[0] != 198 || dst[1] != 19)
		return XDP_PASS;
	if (dst[2] >= 128)
		return XDP_DROP;
	sum = get16n(p + 24) + 0x0100;
	put16n(p + 24, sum + (sum >= 0xffff));
	p[22]--;
	memcpy(p, macs, sizeof(macs));
	return XDP_REDIRECT;
}

static const char *fib_nothing(struct env *env, const struct xtr_packet *in,
			       const struct xtr_outcome *out)
{
	(void)env;
	(void)in;
	return out->verdict == 100 + BPF_FIB_LKUP_RET_NOT_FWDED ||
			       out->verdict == 100 + BPF_FIB_LKUP_RET_FWD_DISABLED
		       ? NULL
		       : "a route where there is none";
}

#define UDP .spec = "udp,size=64-512", .count = 3000

const struct test_case cases_context[] = {
	{ .name = "ctx_to_packet",
	  .object = "cases/ctx_fields",
	  .program = "ctx_to_packet",
	  UDP,
	  .verify = ctx_to_packet,
	  .flags = CASE_STATE },
	{ .name = "ctx_ifindex",
	  .object = "cases/ctx_fields",
	  .program = "ctx_ifindex",
	  UDP,
	  .verify = ctx_ifindex,
	  .flags = CASE_STATE },
	{ .name = "ctx_queue",
	  .object = "cases/ctx_fields",
	  .program = "ctx_queue",
	  UDP,
	  .model = constant,
	  .data = NUMBER(0) },
	{ .name = "ctx-chosen",
	  .object = "cases/ctx_fields",
	  .program = "ctx_to_packet",
	  UDP,
	  .setup = use_in0,
	  .opts = from_in0,
	  .verify = ctx_to_packet,
	  .flags = CASE_STATE | CASE_TEST_RUN_ONLY,
	  .reason = "a lane's veth is the interface on this path" },
	{ .name = "fib_forward",
	  .object = "cases/fib_lookup",
	  .program = "fib_forward",
	  .build = build_routed,
	  .setup = use_in0,
	  .opts = routed,
	  .model = fib_forward },
	{ .name = "fib_result",
	  .object = "cases/fib_lookup",
	  .program = "fib_result",
	  .build = build_routed,
	  .verify = fib_nothing,
	  .flags = CASE_STATE | CASE_VETH_ONLY,
	  .reason = "what the caller's namespace routes is not the test's business" },
};
CASES(context);

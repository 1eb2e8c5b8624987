// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Lanes' devices: what is attached, and runs that must add up where they behave badly. */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_link.h>

#include "case.h"
#include "lane_netns.h"
#include "tally.h"

/* ---- a device that is down ---------------------------------------------------- */

/* Comes up only after something went its way, however long that is coming. */
#define TAKE_DOWN "ip link set xtr1 down; "
#define UP_ONCE_NOT(condition)                                                       \
	"(i=0; while [ $((i += 1)) -lt 300 ] && " condition "; do sleep 0.1; done; " \
	"sleep 0.2; ip link set xtr1 up) > /dev/null 2>&1 &"

#define NOTHING_DROPPED "awk '/xtr0:/ && !$13 { none = 1 } END { exit !none }' /proc/net/dev"

static int take_down(void *ctx)
{
	(void)ctx;
	return shell_in_lane_netns(TAKE_DOWN UP_ONCE_NOT(NOTHING_DROPPED));
}

/*
 * Redirected frames that are lost are counted nowhere. That the injector's
 * program ran, which down() lets the kernel count, says that there are some.
 */
#define RUNS                                         \
	"$(cat /proc/$PPID/fdinfo/* 2> /dev/null | " \
	"awk '/^run_cnt:/ { n += $2 } END { print n + 0 }')"

static int take_down_live(void *ctx)
{
	(void)ctx;
	return shell_in_lane_netns("was=" RUNS "; " TAKE_DOWN UP_ONCE_NOT("[ " RUNS " = $was ]"));
}

/*
 * The target's end is down when the first frames are sent. Their descriptors
 * complete; that the device dropped them, only EBUSY tells. They go again until
 * they arrive. Live frames have no second try: they are lost, and said to be.
 */
static enum test_status down(struct env *env)
{
	struct tally tally = {
		.spec = "udp,size=64",
		.packets = env->v->bare ? 500 : 20000,
		.verdict = XDP_DROP,
		.may_lose = env->v->inject == XTR_INJECT_LIVE,
		.ready = env->v->inject == XTR_INJECT_LIVE ? take_down_live : take_down,
	};
	enum test_status status;
	int stats;

	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats < 0) {
		mistake(env, "bpf_enable_stats() failed: %s", strerror(-stats));
		return TEST_FAIL;
	}
	status = run_tally(env, &tally);
	close(stats);
	if (status)
		return status;
	if (env->v->inject == XTR_INJECT_AFXDP && !tally.result.resent)
		mistake(env, "nothing was sent again");
	if (env->v->inject == XTR_INJECT_LIVE && !tally.lost)
		mistake(env, "nothing was lost on a device that is down");
	return env->mistakes ? TEST_FAIL : TEST_PASS;
}

/* It stays down: all is lost and told so, and the run comes to an end. */
static int take_down_for_good(void *ctx)
{
	(void)ctx;
	return shell_in_lane_netns("ip link set xtr1 down");
}

static enum test_status dead(struct env *env)
{
	struct tally tally = {
		.spec = "udp,size=64",
		.packets = env->v->bare ? 20 : 500,
		.verdict = XDP_DROP,
		.may_lose = true,
		.ready = take_down_for_good,
	};
	enum test_status status;

	status = run_tally(env, &tally);
	if (status)
		return status;
	if (tally.result.observed)
		mistake(env, "%llu packets were seen on a device that is down",
			(unsigned long long)tally.result.observed);
	return env->mistakes ? TEST_FAIL : TEST_PASS;
}

/* ---- a device that is slow ---------------------------------------------------- */

static int make_threaded(void *ctx)
{
	(void)ctx;
	return shell_in_lane_netns("unshare -m sh -c 'mount -t sysfs none /sys && "
				   "echo 1 > /sys/class/net/xtr1/threaded'");
}

/*
 * With NAPI in a thread of its own frames pile up in the veth's ring, and what
 * finds it full is dropped. No injector may have more under way than fits.
 */
static enum test_status threaded(struct env *env)
{
	struct tally tally = {
		.spec = "udp,size=64",
		.packets = 20000,
		.verdict = *(const __u32 *)env->tc->data,
		.ready = make_threaded,
	};

	if (env->v->bare)
		return skip(env, "a thread of the device's changes counters while they are read");
	return run_tally(env, &tally);
}

/* ---- a receiving end without XDP ---------------------------------------------- */

static __u32 attached_program(const char *ifname)
{
	__u32 id = 0;

	return bpf_xdp_query_id(if_nametoindex(ifname), XDP_FLAGS_DRV_MODE, &id) ? 0 : id;
}

/* A lane's programs are its own, and so is the link of one that is attached there. */
static bool detach_if(__u32 link, __u32 program)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_link_get_fd_by_id(link);
	bool done;

	if (fd < 0)
		return false;
	done = !bpf_obj_get_info_by_fd(fd, &info, &len) && info.type == BPF_LINK_TYPE_XDP &&
	       info.prog_id == program && info.xdp.ifindex == if_nametoindex("xtr0") &&
	       !bpf_link_detach(fd);
	close(fd);
	return done;
}

static int detach_capture(void *arg)
{
	__u32 program = attached_program("xtr0"), link = 0;

	(void)arg;
	while (program && !bpf_link_get_next_id(link, &link))
		if (detach_if(link, program))
			return 0;
	return -ENOENT;
}

static int uncover(void *ctx)
{
	return in_lane_netns(detach_capture, ctx);
}

static bool said_why;

static void overhear(enum xtr_log_level level, const char *fmt, va_list args)
{
	char line[512];

	vsnprintf(line, sizeof(line), fmt, args);
	if (level == XTR_LOG_WARN && strstr(line, "no XDP program is attached there"))
		said_why = true;
}

/* What the target transmits is dropped then; the verdicts are there, and a reason. */
static enum test_status uncovered(struct env *env)
{
	struct tally tally = {
		.spec = "udp,size=64",
		.packets = 300,
		.verdict = XDP_TX,
		.may_not_return = true,
		.ready = uncover,
	};
	enum test_status status;
	xtr_log_fn was;

	said_why = false;
	was = xtr_set_log(overhear);
	status = run_tally(env, &tally);
	xtr_set_log(was);
	if (status)
		return status;
	if (tally.returned)
		mistake(env, "%llu frames came back", (unsigned long long)tally.returned);
	if (!said_why)
		mistake(env, "nothing says why no frame came back");
	return env->mistakes ? TEST_FAIL : TEST_PASS;
}

/* ---- where lanes are, and what is attached there -------------------------------- */

#define MAX_LANES 8

static struct place {
	ino_t netns;
	unsigned int ifindex;
	bool native; /* both ends, the target's and that of the capture */
} places[MAX_LANES];
static __u32 place_count;

static bool is_native(const char *ifname)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, opts);

	return !bpf_xdp_query(if_nametoindex(ifname), 0, &opts) &&
	       opts.attach_mode == XDP_ATTACHED_DRV && opts.drv_prog_id;
}

static int look_around(void *ctx)
{
	(void)ctx;
	if (place_count == MAX_LANES)
		return -E2BIG;
	places[place_count++] = (struct place){
		.netns = this_netns(),
		.ifindex = if_nametoindex("xtr1"),
		.native = is_native("xtr0") && is_native("xtr1"),
	};
	return 0;
}

static int look_at_lanes(void *ctx)
{
	return in_lane_netns(look_around, ctx);
}

/* A run whose lanes are looked at once they are set up. */
static enum test_status look(struct env *env)
{
	struct tally tally = {
		.spec = "udp,size=64",
		.packets = 1000 * env->v->lanes,
		.verdict = XDP_DROP,
		.ready = look_at_lanes,
	};
	enum test_status status;

	place_count = 0;
	status = run_tally(env, &tally);
	if (!status && place_count != env->v->lanes) {
		mistake(env, "%u lanes of %u have a namespace of their own", place_count,
			env->v->lanes);
		status = TEST_FAIL;
	}
	return status;
}

/* Never generic, which is a fallback that would go unnoticed. */
static enum test_status native(struct env *env)
{
	enum test_status status = look(env);
	__u32 i;

	if (status)
		return status;
	for (i = 0; i < place_count; i++)
		if (!places[i].native)
			mistake(env, "not attached natively to both ends");
	return env->mistakes ? TEST_FAIL : TEST_PASS;
}

/*
 * Lanes share no namespace, though their devices have the same number in each,
 * and the caller is where it was.
 */
static enum test_status apart(struct env *env)
{
	ino_t here = this_netns();
	enum test_status status = look(env);
	__u32 i, k;

	if (status)
		return status;
	for (i = 0; i < place_count; i++) {
		for (k = 0; k < i; k++)
			if (places[i].netns == places[k].netns)
				mistake(env, "two lanes in one namespace");
		if (places[i].netns == here || !places[i].netns)
			mistake(env, "a lane in the caller's namespace");
		if (!places[i].ifindex || places[i].ifindex != places[0].ifindex)
			mistake(env, "interface %u, not %u as in the first lane", places[i].ifindex,
				places[0].ifindex);
	}
	if (this_netns() != here)
		mistake(env, "the caller is in another namespace");
	return env->mistakes ? TEST_FAIL : TEST_PASS;
}

#define DEVICE(label, prog, on, result)                                    \
	{                                                                  \
		.name = label, .object = prog, .program = prog, .run = on, \
		.data = &(const __u32){ result }, .flags = CASE_VETH_ONLY, \
		.reason = "a test run has no device"                       \
	}

const struct test_case cases_device[] = {
	DEVICE("device-down", "xdp_drop", down, XDP_DROP),
	DEVICE("device-dead", "xdp_drop", dead, XDP_DROP),
	DEVICE("device-threaded", "xdp_drop", threaded, XDP_DROP),
	DEVICE("device-threaded-tx", "xdp_tx", threaded, XDP_TX),
	DEVICE("device-uncovered", "xdp_tx", uncovered, XDP_TX),
	DEVICE("device-native", "xdp_drop", native, XDP_DROP),
	DEVICE("device-apart", "xdp_drop", apart, XDP_DROP),
};
CASES(device);

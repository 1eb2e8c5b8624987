// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* One test: make the packets, run them, compare each outcome with what is known of it. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "case.h"
#include "kernel.h"
#include "netns.h"
#include "source.h"

#define SHOWN_MISTAKES 8
#define BARE_PACKETS 500 /* a bare target on veth takes one at a time */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void mistake(struct env *env, const char *fmt, ...)
{
	va_list args;

	pthread_mutex_lock(&lock);
	if (!env->hush && env->mistakes < SHOWN_MISTAKES) {
		va_start(args, fmt);
		vprintf(fmt, args);
		va_end(args);
		putchar('\n');
	}
	env->mistakes++;
	pthread_mutex_unlock(&lock);
}

enum test_status skip(struct env *env, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(env->reason, sizeof(env->reason), fmt, args);
	va_end(args);
	return TEST_SKIP;
}

__u32 scaled(const struct env *env, __u32 count)
{
	double n = env->scale < 1 ? count * env->scale : count;

	return n < 64 ? (count < 64 ? count : 64) : (__u32)n;
}

/* ---- packets ------------------------------------------------------------------ */

__u8 *set_add(struct packet_set *set, const void *data, __u32 len, const void *meta, __u32 meta_len)
{
	struct xtr_packet *packet;
	__u8 *at;

	while (set->used + len + meta_len >= set->cap) {
		set->cap = set->cap ? 2 * set->cap : 1 << 20;
		set->bytes = realloc(set->bytes, set->cap);
	}
	if (set->count == set->room) {
		set->room = set->room ? 2 * set->room : 1024;
		set->packets = realloc(set->packets, set->room * sizeof(*set->packets));
	}
	if (!set->bytes || !set->packets)
		abort();
	at = set->bytes + set->used;
	if (meta)
		memcpy(at, meta, meta_len);
	else
		memset(at, 0, meta_len);
	if (data)
		memcpy(at + meta_len, data, len);
	else
		memset(at + meta_len, 0, len);
	packet = &set->packets[set->count++];
	*packet = (struct xtr_packet){ .len = len, .meta_len = meta_len };
	set->used += len + meta_len;
	return at + meta_len;
}

__u8 *set_add_udp(struct packet_set *set, __u32 len, __u8 fill)
{
	__u8 *p = set_add(set, NULL, len, NULL, 0);
	static const __u8 macs[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0 };
	__u32 i;

	memcpy(p, macs, sizeof(macs));
	p[14] = 0x45;
	put16n(p + 16, len - 14);
	put16n(p + 18, set->count);
	p[22] = 64;
	p[23] = 17;
	memcpy(p + 26, (const __u8[]){ 198, 18, 0, 1, 198, 19, 0, 1 }, 8);
	put16n(p + 24, csum(p + 14, 20, 0));
	put16n(p + 34, 1024 + set->count % 60000);
	put16n(p + 36, 9);
	put16n(p + 38, len - 34);
	for (i = 42; i < len; i++)
		p[i] = fill++;
	return p;
}

/* The block of bytes stands still now. */
static void set_seal(struct packet_set *set)
{
	__u8 *at = set->bytes;
	size_t i;

	for (i = 0; i < set->count; i++) {
		struct xtr_packet *p = &set->packets[i];

		p->meta = p->meta_len ? at : NULL;
		p->data = at + p->meta_len;
		p->ts_ns = i;
		at += p->meta_len + p->len;
	}
}

static struct xtr_source *open_gen(const struct env *env)
{
	char spec[256];

	snprintf(spec, sizeof(spec), "%s,count=%u,seed=%u", env->tc->spec,
		 scaled(env, env->tc->count), 7 + env->round);
	return xtr_source__open_gen(spec);
}

static bool generate(struct env *env)
{
	static __u8 buf[PKT_MAX + 4096];
	struct xtr_share share = { .lanes = 1, .min_len = 14, .max_len = PKT_MAX };
	struct xtr_source *source = open_gen(env);
	struct xtr_packet_info info;
	struct xtr_reader *reader;
	int err = 0;

	reader = source ? xtr_reader__open(source, &share) : NULL;
	if (!reader) {
		printf("cannot generate \"%s\"\n", env->tc->spec);
		xtr_source__close(source);
		return false;
	}
	while ((err = xtr_reader__next(reader, &info, buf, sizeof(buf))) > 0)
		set_add(&env->set, buf + info.meta_len, info.len, buf, info.meta_len);
	xtr_reader__close(reader);
	xtr_source__close(source);
	return !err;
}

static void drop_reference(struct env *env)
{
	free(env->ref);
	env->ref = NULL;
	env->ref_used = 0;
	env->ref_tried = false;
}

static bool make_set(struct env *env)
{
	if (env->set_round == env->round + 1)
		return true;
	drop_reference(env);
	env->set.count = 0;
	env->set.used = 0;
	if (env->tc->build)
		env->tc->build(&env->set);
	else if (!generate(env))
		return false;
	set_seal(&env->set);
	env->set_round = env->round + 1;
	return true;
}

/* The longest packet that the documents promise for a path. */
static __u32 path_max_len(const struct env *env)
{
	if (on_veth(env->v))
		return XTR_NETNS_MAX_IN;
	if (on_call(env->v) && env->tc->flags & CASE_FRAGS)
		return PKT_MAX;
	return PKT_LINEAR_END;
}

/* How many packets from the front of the set the variant is given. */
static size_t packet_count(const struct env *env)
{
	if (env->v->bare && env->set.count > BARE_PACKETS)
		return BARE_PACKETS;
	return env->set.count;
}

/* Which packets of the set this path runs, and so what an outcome's index means. */
static void make_view(struct env *env)
{
	__u32 max_len = path_max_len(env);
	size_t i;

	free(env->view);
	free(env->seen);
	env->view = calloc(env->set.count + 1, sizeof(*env->view));
	env->seen = calloc(env->set.count + 1, 1);
	if (!env->view || !env->seen)
		abort();
	env->view_count = 0;
	for (i = 0; i < packet_count(env); i++)
		if (env->set.packets[i].len >= 14 && env->set.packets[i].len <= max_len)
			env->view[env->view_count++] = i;
}

/* ---- target ------------------------------------------------------------------- */

static bool may_refuse(const struct env *env)
{
	return !env->tc->surely_since || env->kernel < env->tc->surely_since;
}

/* Whatever the program: a helper that this kernel was built or patched without. */
static bool lacks_helper(void)
{
	return !xtr_kernel__moves_meta() &&
	       strstr(last_log(), "cannot use helper bpf_xdp_adjust_meta");
}

enum test_status open_target(struct env *env)
{
	const struct test_case *tc = env->tc;
	struct xtr_target_opts opts = { .sz = sizeof(opts), .program = tc->program };
	const char *dir = getenv("XTR_BPF_DIR");
	char path[4096];
	size_t i;
	int err;

	snprintf(path, sizeof(path), "%s/%s.bpf.o", dir ? dir : XTR_BPF_DIR_DEFAULT, tc->object);
	env->target = xtr_target__open(path, &opts);
	if (!env->target) {
		printf("cannot open %s\n", path);
		return TEST_FAIL;
	}
	for (i = 0; i + 1 < ARRAY_SIZE(tc->rodata) && tc->rodata[i]; i += 2) {
		err = xtr_target__set_rodata(env->target, tc->rodata[i], tc->rodata[i + 1]);
		if (err) {
			printf("cannot set %s: %s\n", tc->rodata[i], strerror(-err));
			return TEST_FAIL;
		}
	}
	err = xtr_target__load(env->target);
	if (err && lacks_helper()) {
		env->refused = true;
		return skip(env, "%s", last_log());
	}
	if (err && tc->flags & CASE_MAY_NOT_LOAD && may_refuse(env))
		return skip(env, "%s", tc->reason ? tc->reason : last_log());
	if (!err && tc->setup)
		err = tc->setup(env);
	if (err) {
		printf("cannot load %s: %s\n", path, strerror(-err));
		return TEST_FAIL;
	}
	return TEST_PASS;
}

void close_target(struct env *env)
{
	xtr_target__close(env->target);
	env->target = NULL;
}

int map_fd(struct env *env, const char *name)
{
	int fd = xtr_target__map_fd(env->target, name);

	if (fd < 0)
		mistake(env, "there is no map %s", name);
	return fd;
}

__u64 map_u64(struct env *env, const char *name, const void *key)
{
	__u64 value = 0;

	if (bpf_map_lookup_elem(map_fd(env, name), key, &value))
		return 0;
	return value;
}

__u64 map_u64_all_cpus(struct env *env, const char *name, const void *key)
{
	int cpus = libbpf_num_possible_cpus(), i;
	__u64 *values = calloc(cpus, sizeof(*values)), sum = 0;

	if (values && !bpf_map_lookup_elem(map_fd(env, name), key, values))
		for (i = 0; i < cpus; i++)
			sum += values[i];
	free(values);
	return sum;
}

/* ---- outcomes ----------------------------------------------------------------- */

static void hex(char *to, size_t room, const __u8 *data, __u32 len, __u32 at)
{
	__u32 i, from = at & ~7U;
	int n;

	n = snprintf(to, room, "@%u", from);
	for (i = from; i < from + 16 && i < len; i++)
		n += snprintf(to + n, room - n, "%s%02x", i & 3 ? "" : " ", data[i]);
}

static void show_difference(struct env *env, const struct xtr_outcome *out, const char *whom,
			    __u32 verdict, __u32 len, __u32 meta_len, const __u8 *data)
{
	char ours[64], theirs[64];
	const __u8 *bytes = out->data;
	__u32 at = 0;

	if (out->verdict != verdict || out->len != len || out->meta_len != meta_len) {
		mistake(env,
			"packet %llu, %u bytes: verdict %u, %u bytes, metadata %u; %s says verdict "
			"%u, %u bytes, metadata %u",
			(unsigned long long)out->index, out->in_len, out->verdict, out->len,
			out->meta_len, whom, verdict, len, meta_len);
		return;
	}
	if (out->flags & XTR_OUTCOME_NO_DATA) {
		mistake(env, "packet %llu, %u bytes: flags %#x, %s says verdict %u",
			(unsigned long long)out->index, out->in_len, out->flags, whom, verdict);
		return;
	}
	while (at < len && bytes[at] == data[at])
		at++;
	if (at == len) {
		mistake(env, "packet %llu, %u bytes: metadata differs from what %s says",
			(unsigned long long)out->index, out->in_len, whom);
		return;
	}
	hex(ours, sizeof(ours), bytes, len, at);
	hex(theirs, sizeof(theirs), data, len, at);
	mistake(env, "packet %llu, %u bytes: byte %u: %s; %s says %s",
		(unsigned long long)out->index, out->in_len, at, ours, whom, theirs);
}

/* May this run be bare on veth? Then outcomes tell less. */
static bool may_be_bare(const struct env *env)
{
	return on_veth(env->v) && (env->v->bare || env->tc->flags & CASE_MAY_REFUSE);
}

/* The counters of a device take what is not DROP, PASS, TX or REDIRECT for DROP. */
static bool same_bare(const struct xtr_outcome *out, __u32 verdict, __u32 len, __u32 meta_len,
		      const __u8 *data, const __u8 *meta)
{
	if (verdict == XDP_ABORTED || verdict > XDP_REDIRECT)
		verdict = XDP_DROP;
	if (out->flags & XTR_OUTCOME_NO_VERDICT)
		return verdict == XDP_REDIRECT;
	if (out->verdict != verdict)
		return false;
	if (out->flags & XTR_OUTCOME_NO_DATA)
		return true;
	return out->len == len && out->meta_len == meta_len && !memcmp(out->data, data, len) &&
	       (!meta_len || !memcmp(out->meta, meta, meta_len));
}

static bool same(const struct env *env, const struct xtr_outcome *out, __u32 verdict, __u32 len,
		 __u32 meta_len, const __u8 *data, const __u8 *meta)
{
	if (may_be_bare(env) && (env->v->bare || out->flags & XTR_OUTCOME_NO_DATA))
		return same_bare(out, verdict, len, meta_len, data, meta);
	return out->verdict == verdict && out->len == len && out->meta_len == meta_len &&
	       !memcmp(out->data, data, len) && (!meta_len || !memcmp(out->meta, meta, meta_len));
}

static __u32 apply_model(struct env *env, const struct xtr_packet *in, struct pkt *pkt, bool deny)
{
	pkt->start = PKT_HEADROOM;
	pkt->len = in->len;
	pkt->meta_len = in->meta_len;
	pkt->meta_max = env->kernel >= KVER(6, 3) ? 252 : 32;
	pkt->deny_growth = deny;
	pkt->grew = false;
	pkt->unknown = false;
	memcpy(pkt_data(pkt), in->data, in->len);
	if (in->meta_len)
		memcpy(pkt_data(pkt) - in->meta_len, in->meta, in->meta_len);
	return env->tc->model(env, pkt);
}

/* Returns whether the outcome is one that is documented to differ from call's. */
static bool compare_model(struct env *env, const struct xtr_packet *in,
			  const struct xtr_outcome *out)
{
	static __thread struct pkt own;
	struct pkt *pkt = &own;
	__u32 verdict;
	bool diverged;

	if (!env->tc->model)
		return false;
	verdict = apply_model(env, in, pkt, false);
	if (pkt->unknown || same(env, out, verdict, pkt->len, pkt->meta_len, pkt_data(pkt),
				 pkt_data(pkt) - pkt->meta_len))
		return false;
	diverged = pkt->grew && on_veth(env->v) && env->tc->flags & CASE_TAIL_GROWTH;
	if (diverged)
		verdict = apply_model(env, in, pkt, true);
	if (!diverged || !same(env, out, verdict, pkt->len, pkt->meta_len, pkt_data(pkt),
			       pkt_data(pkt) - pkt->meta_len)) {
		show_difference(env, out, "the model", verdict, pkt->len, pkt->meta_len,
				pkt_data(pkt));
		return true;
	}
	__atomic_add_fetch(&env->diverged, 1, __ATOMIC_RELAXED);
	return true;
}

static void compare_reference(struct env *env, __u32 place, const struct xtr_outcome *out)
{
	const struct reference *ref = &env->ref[place];
	const __u8 *bytes = env->ref_bytes + ref->at;

	if (!same(env, out, ref->verdict, ref->len, ref->meta_len, bytes + ref->meta_len, bytes))
		show_difference(env, out, "call", ref->verdict, ref->len, ref->meta_len,
				bytes + ref->meta_len);
}

static void collect(struct env *env, __u32 place, const struct xtr_outcome *out)
{
	struct reference *ref = &env->ref[place];

	while (env->ref_used + out->len + out->meta_len > env->ref_room) {
		env->ref_room = env->ref_room ? 2 * env->ref_room : 1 << 20;
		env->ref_bytes = realloc(env->ref_bytes, env->ref_room);
		if (!env->ref_bytes)
			abort();
	}
	ref->at = env->ref_used;
	ref->verdict = out->verdict;
	ref->len = out->len;
	ref->meta_len = out->meta_len;
	if (out->meta_len)
		memcpy(env->ref_bytes + ref->at, out->meta, out->meta_len);
	memcpy(env->ref_bytes + ref->at + out->meta_len, out->data, out->len);
	env->ref_used += out->len + out->meta_len;
}

/* What a target transmits on veth comes back, if the receiving end takes so much. */
static void check_return(struct env *env, const struct xtr_outcome *out)
{
	bool returned = out->flags & XTR_OUTCOME_RETURNED;

	if (returned && out->len > XTR_NETNS_MAX_BACK)
		mistake(env, "packet %llu, %u bytes: came back, which no veth would let it",
			(unsigned long long)out->index, out->len);
	if (!on_veth(env->v) || out->verdict != XDP_TX || returned)
		return;
	if (out->len <= XTR_NETNS_MAX_BACK && !(env->tc->flags & CASE_UNRETURNED))
		mistake(env, "packet %llu, %u bytes: transmitted and did not come back",
			(unsigned long long)out->index, out->len);
}

static void one_outcome(struct env *env, const struct xtr_outcome *out)
{
	const struct xtr_packet *in;
	const char *wrong;
	__u32 place;

	if (out->index >= env->view_count) {
		mistake(env, "an outcome for packet %llu of %zu", (unsigned long long)out->index,
			env->view_count);
		return;
	}
	if (__atomic_fetch_add(&env->seen[out->index], 1, __ATOMIC_RELAXED)) {
		mistake(env, "packet %llu: a second outcome", (unsigned long long)out->index);
		return;
	}
	if (out->flags & XTR_OUTCOME_LOST)
		return;
	place = env->view[out->index];
	in = &env->set.packets[place];
	if (out->in_len != in->len) {
		mistake(env, "packet %llu: said to have had %u bytes, had %u",
			(unsigned long long)out->index, out->in_len, in->len);
		return;
	}
	if (out->flags & (XTR_OUTCOME_NO_VERDICT | XTR_OUTCOME_NO_DATA) && !may_be_bare(env)) {
		mistake(env, "packet %llu: flags %#x", (unsigned long long)out->index, out->flags);
		return;
	}
	if (out->flags & XTR_OUTCOME_NO_VERDICT)
		__atomic_add_fetch(&env->no_verdict, 1, __ATOMIC_RELAXED);
	check_return(env, out);
	wrong = NULL;
	if (env->tc->verify && !(out->flags & XTR_OUTCOME_NO_DATA))
		wrong = env->tc->verify(env, in, out);
	if (wrong)
		mistake(env, "packet %llu, %u bytes: verdict %u, %u bytes, metadata %u: %s",
			(unsigned long long)out->index, out->in_len, out->verdict, out->len,
			out->meta_len, wrong);
	if (!compare_model(env, in, out) && env->ref && !env->collect)
		compare_reference(env, place, out);
	if (env->collect)
		collect(env, place, out);
}

/* From the lanes' threads; an array is in order, the arrays are where that was asked for. */
static int on_outcomes(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	struct env *env = ctx;
	size_t i;

	for (i = 0; i < count; i++) {
		if (i && outcomes[i].index <= outcomes[i - 1].index)
			mistake(env, "packet %llu comes after packet %llu",
				(unsigned long long)outcomes[i].index,
				(unsigned long long)outcomes[i - 1].index);
		one_outcome(env, &outcomes[i]);
	}
	if (env->ordered) {
		if (outcomes[0].index != env->last_index)
			mistake(env, "packet %llu where %llu is due",
				(unsigned long long)outcomes[0].index,
				(unsigned long long)env->last_index);
		env->last_index = outcomes[count - 1].index + 1;
	}
	return 0;
}

/* ---- a run -------------------------------------------------------------------- */

void variant_opts(const struct env *env, struct xtr_run_opts *opts)
{
	*opts = (struct xtr_run_opts){
		.sz = sizeof(*opts),
		.path = env->v->path,
		.lanes = env->v->lanes,
		.inject = env->v->inject,
		.bare = env->v->bare,
		.ordered = env->v->lanes == 2,
	};
}

static struct xtr_source *open_source(struct env *env)
{
	if (env->tc->spec && !env->v->bare)
		return open_gen(env);
	return xtr_source__from_packets(env->set.packets, packet_count(env));
}

/* What the path leaves out is counted by the source. */
static void check_left_out(struct env *env, const struct xtr_source *source)
{
	struct xtr_source_stats stats = { .sz = sizeof(stats) };
	__u64 under = 0, over = 0;
	size_t i;

	for (i = 0; i < packet_count(env); i++) {
		under += env->set.packets[i].len < 14;
		over += env->set.packets[i].len > path_max_len(env);
	}
	xtr_source__stats(source, &stats);
	if (stats.packets != env->view_count || stats.undersized != under ||
	    stats.oversized != over)
		mistake(env,
			"source: %llu packets, %llu undersized, %llu oversized; not %zu, %llu, "
			"%llu",
			(unsigned long long)stats.packets, (unsigned long long)stats.undersized,
			(unsigned long long)stats.oversized, env->view_count,
			(unsigned long long)under, (unsigned long long)over);
}

/* Nothing falls back to bare unasked but what splicing may refuse. */
static void check_mode(struct env *env, const struct xtr_result *result)
{
	bool bare = !strcmp(result->mode, "bare");

	if (on_call(env->v) ? !bare
			    : bare != env->v->bare &&
				      !(env->tc->flags & CASE_MAY_REFUSE && may_refuse(env)))
		mistake(env, "the target ran %s", result->mode);
}

static void check_accounts(struct env *env, const struct xtr_result *result)
{
	__u64 told = 0, sum = 0;
	size_t i;

	for (i = 0; i < env->view_count; i++)
		told += env->seen[i] != 0;
	for (i = 0; i < XTR_VERDICTS; i++)
		sum += result->verdicts[i];
	if (result->packets != env->view_count)
		mistake(env, "%llu packets injected of %zu", (unsigned long long)result->packets,
			env->view_count);
	if (told != env->view_count)
		mistake(env, "outcomes for %llu packets of %zu", (unsigned long long)told,
			env->view_count);
	if (result->packets != result->observed + result->lost)
		mistake(env, "%llu packets are not %llu observed and %llu lost",
			(unsigned long long)result->packets, (unsigned long long)result->observed,
			(unsigned long long)result->lost);
	if (sum + env->no_verdict != result->observed)
		mistake(env, "%llu verdicts for %llu observed packets, %llu without",
			(unsigned long long)sum, (unsigned long long)result->observed,
			(unsigned long long)env->no_verdict);
	if (result->lost || result->foreign)
		mistake(env, "%llu packets lost, %llu foreign", (unsigned long long)result->lost,
			(unsigned long long)result->foreign);
}

enum test_status run_once(struct env *env, enum xtr_fault fault, struct xtr_result *result)
{
	enum test_status status = open_target(env);
	struct xtr_source *source = NULL;
	struct xtr_run_opts opts;
	int err;

	*result = (struct xtr_result){ .sz = sizeof(*result) };
	if (status)
		goto out;
	status = TEST_FAIL;
	source = open_source(env);
	if (!source)
		goto out;
	variant_opts(env, &opts);
	opts.outcomes = on_outcomes;
	opts.ctx = env;
	if (env->tc->opts)
		env->tc->opts(env, &opts);
	env->ordered = opts.ordered || env->v->lanes == 1;
	make_view(env);
	env->last_index = 0;
	env->no_verdict = 0;
	memset(env->counter, 0, sizeof(env->counter));
	if (env->collect) {
		drop_reference(env);
		env->ref = calloc(env->set.count + 1, sizeof(*env->ref));
		if (!env->ref)
			abort();
	}
	xtr_fault__set(fault);
	err = xtr_run(env->target, source, &opts, result);
	xtr_fault__set(XTR_FAULT_NONE);
	if (err == -EOPNOTSUPP && env->tc->flags & CASE_MAY_REFUSE && may_refuse(env)) {
		status = skip(env, "%s", last_log());
		goto out;
	}
	if (err) {
		mistake(env, "xtr_run() failed: %s", strerror(-err));
		goto out;
	}
	check_mode(env, result);
	check_accounts(env, result);
	check_left_out(env, source);
	if (!fault && env->tc->check && !env->tc->check(env, result))
		env->mistakes++;
	status = env->mistakes ? TEST_FAIL : TEST_PASS;
out:
	xtr_source__close(source);
	close_target(env);
	return status;
}

static bool wants_reference(const struct env *env)
{
	return !(env->tc->flags & (CASE_STATE | CASE_VETH_ONLY));
}

/* What the call path says, once per set of packets; a test of its own, too. */
static bool make_reference(struct env *env)
{
	static const struct variant call = { .label = "call", .path = "call", .lanes = 1 };
	const struct variant *v = env->v;
	struct xtr_result result;
	enum test_status status;

	if (env->ref || !wants_reference(env))
		return true;
	if (env->ref_tried)
		return false;
	env->v = &call;
	env->collect = true;
	status = run_once(env, XTR_FAULT_NONE, &result);
	env->collect = false;
	env->v = v;
	if (status != TEST_PASS) {
		drop_reference(env);
		env->ref_tried = true;
		printf("the call path's run, which others are compared with, failed\n");
	}
	return status == TEST_PASS;
}

/* Whatever the case: what a kernel may be built or patched without. */
static enum test_status skip_on_this_kernel(struct env *env)
{
	if (env->v->inject == XTR_INJECT_LIVE && !xtr_kernel__has_live_frames())
		return skip(env, "this kernel refuses live frames");
	if (env->tc->flags & CASE_META_IN && !on_call(env->v) && !xtr_kernel__moves_meta())
		return skip(env, "this kernel has no bpf_xdp_adjust_meta()");
	return TEST_PASS;
}

static enum test_status skip_variant(struct env *env)
{
	const struct test_case *tc = env->tc;

	if (skip_on_this_kernel(env))
		return TEST_SKIP;
	if (tc->min_kernel > env->kernel)
		return skip(env, "needs Linux %u.%u", tc->min_kernel >> 16,
			    tc->min_kernel >> 8 & 255);
	if (tc->flags & CASE_META_IN && on_veth(env->v))
		return skip(env, "metadata cannot be sent over a veth");
	if ((tc->flags & CASE_CALL_ONLY && !on_call(env->v)) ||
	    (tc->flags & CASE_TEST_RUN_ONLY && on_veth(env->v)) ||
	    (tc->flags & CASE_VETH_ONLY && !on_veth(env->v)) ||
	    (tc->flags & CASE_ONE_LANE && env->v->lanes > 1))
		return skip(env, "%s", tc->reason);
	return TEST_PASS;
}

/* Runs the case's packets, as often as the scale says. */
enum test_status run_table(struct env *env)
{
	__u32 rounds = env->scale > 1 && env->tc->spec ? (__u32)(env->scale + 0.5) : 1;
	enum test_status status = TEST_PASS;
	struct xtr_result result;

	for (env->round = 0; env->round < rounds && !status; env->round++) {
		if (!make_set(env))
			return TEST_FAIL;
		/* A refusal to load tells itself in the run. */
		if (!make_reference(env) && !(env->tc->flags & CASE_MAY_NOT_LOAD) && !env->refused)
			return TEST_FAIL;
		status = run_once(env, XTR_FAULT_NONE, &result);
	}
	env->round--;
	if (status == TEST_PASS && env->diverged)
		snprintf(env->reason, sizeof(env->reason),
			 "%llu packets differ as documented: no room to grow the tail",
			 (unsigned long long)env->diverged);
	if (status == TEST_FAIL)
		printf("%llu mistakes\n", (unsigned long long)env->mistakes);
	return status;
}

enum test_status run_case(struct env *env)
{
	enum test_status status = skip_variant(env);

	if (status)
		return status;
	env->mistakes = 0;
	env->diverged = 0;
	return env->tc->run ? env->tc->run(env) : run_table(env);
}

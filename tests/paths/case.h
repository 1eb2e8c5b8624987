/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The shared suite: what a case is. One list of cases, each run on every
 * variant (path, injector, number of lanes). What must come out is known in up
 * to three ways: a model in C of the target (independent of any path), what the
 * call path said about the same packet, and checks of the case's own.
 */
#ifndef XTR_TEST_CASE_H
#define XTR_TEST_CASE_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/bpf.h>
#include <linux/types.h>

#include <xdptestrun.h>

#include "fault.h"
#include "model.h"
#include "ring.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* How packets reach the target. */
struct variant {
	const char *label; /* the middle part of a test's name */
	const char *path;
	enum xtr_inject inject;
	bool bare;
	__u32 lanes;
};

static inline bool on_veth(const struct variant *v)
{
	return v->path[0] == 'v';
}

static inline bool on_call(const struct variant *v)
{
	return v->path[0] == 'c';
}

/* The packets of a case, in memory, the bytes in one block. */
struct packet_set {
	struct xtr_packet *packets; /* data and meta are set by set_seal() */
	size_t count;
	size_t room;
	__u8 *bytes; /* of each packet: metadata, then data */
	size_t used;
	size_t cap;
};

/* Appends a packet; NULL @data gives zeroes. Returns the place of its bytes until the next call. */
__u8 *set_add(struct packet_set *set, const void *data, __u32 len, const void *meta,
	      __u32 meta_len);

/* A valid Ethernet, IPv4 and UDP frame of @len (>= 42) bytes; the payload counts up from @fill. */
__u8 *set_add_udp(struct packet_set *set, __u32 len, __u8 fill);

struct env;

/* Differences between paths that are documented, and what they mean for a case. */
#define CASE_TAIL_GROWTH (1 << 0) /* veth may refuse to grow a tail */
#define CASE_META_IN (1 << 1) /* veth cannot bring metadata in */
#define CASE_STATE (1 << 2) /* outcomes depend on other packets: not compared with call */
#define CASE_MAY_REFUSE (1 << 3) /* splice may refuse this target; the log says why */
#define CASE_MAY_NOT_LOAD (1 << 4) /* this kernel may refuse the program */
#define CASE_CALL_ONLY (1 << 5) /* see @reason */
#define CASE_TEST_RUN_ONLY (1 << 6) /* see @reason */
#define CASE_VETH_ONLY (1 << 7) /* see @reason */
#define CASE_FRAGS (1 << 8) /* SEC("xdp.frags") */
#define CASE_ALONE (1 << 9) /* not beside other cases */
#define CASE_ONE_LANE (1 << 10) /* see @reason */
#define CASE_WIDE (1 << 12) /* lanes matter: with all numbers of lanes also in brief */
#define CASE_UNRETURNED (1 << 11) /* some are too long for veth, and take their bulk along */

struct test_case {
	const char *name;
	const char *object; /* below the object directory, without .bpf.o */
	const char *program;
	const char *rodata[8]; /* name, value, name, value, ... */
	const char *spec; /* packets: a generator's specification without count and seed */
	void (*build)(struct packet_set *set); /* or made by hand */
	__u32 count; /* of generated packets at scale 1 */
	__u32 flags;
	const char *reason;
	unsigned int min_kernel; /* KVER() that it needs */
	unsigned int surely_since; /* from then on nothing may refuse it; 0: for ever */

	/* Overrides of the run's options. */
	void (*opts)(const struct env *env, struct xtr_run_opts *opts);

	/* Puts things into maps, after the load. Returns 0 or a negative errno. */
	int (*setup)(struct env *env);

	/*
	 * What the target does to @pkt: changes it and returns the verdict.
	 * pkt->unknown is set where the model has no opinion.
	 */
	__u32 (*model)(const struct env *env, struct pkt *pkt);

	/* Looks at one outcome, in any lane's thread. Returns what is wrong or NULL. */
	const char *(*verify)(struct env *env, const struct xtr_packet *in,
			      const struct xtr_outcome *out);

	/* Looks at maps and counts after the run. Returns false after saying what is wrong. */
	bool (*check)(struct env *env, const struct xtr_result *result);

	/* Instead of all that. */
	enum test_status (*run)(struct env *env);

	const void *data; /* the case's own */
};

#define KVER(a, b) (((a) << 16) + ((b) << 8))

enum test_status {
	TEST_PASS,
	TEST_FAIL,
	TEST_SKIP,
};

/* What happened to one packet on the call path. */
struct reference {
	__u64 at; /* in env->ref_bytes */
	__u32 verdict;
	__u32 len;
	__u32 meta_len;
};

struct env {
	const struct test_case *tc;
	const struct variant *v;
	double scale;
	unsigned int kernel;
	__u32 round; /* from 0; a scale above 1 means more rounds, with other seeds */

	struct packet_set set;
	__u64 set_round; /* 1 + the round that the set was made for */
	struct reference *ref; /* of the set, by place in the set; NULL: none yet */
	__u8 *ref_bytes;
	size_t ref_used;
	size_t ref_room;
	bool ref_tried;
	bool refused; /* this kernel has not what the program calls */

	/* One run. */
	struct xtr_target *target;
	__u32 *view; /* places in the set of the packets that the path takes */
	size_t view_count;
	__u8 *seen; /* times that each of the view was told */
	__u64 last_index;
	bool ordered; /* outcomes of all lanes in input order */
	bool collect; /* into the reference */
	__u64 no_verdict; /* outcomes that tell none */
	bool hush; /* count mistakes, print none */
	__u64 mistakes;
	__u64 diverged; /* packets that differ as documented */
	__u64 counter[4]; /* the case's own */
	char reason[256];
};

/* Says why a test fails; counts; prints the first ones. */
__attribute__((format(printf, 2, 3))) void mistake(struct env *env, const char *fmt, ...);

/* Sets the reason and returns TEST_SKIP. */
__attribute__((format(printf, 2, 3))) enum test_status skip(struct env *env, const char *fmt, ...);

/* compare.c: opens and loads the case's target into env->target. */
enum test_status open_target(struct env *env);
void close_target(struct env *env);

/* compare.c: the whole life of a table-driven test. */
enum test_status run_case(struct env *env);

/* compare.c: the same without the look at whether the variant suits; for cases with a run(). */
enum test_status run_table(struct env *env);

/* compare.c: one run over the case's packets with @fault armed; no verdict on it. */
enum test_status run_once(struct env *env, enum xtr_fault fault, struct xtr_result *result);

/* compare.c: options of the variant, for cases that call xtr_run() themselves. */
void variant_opts(const struct env *env, struct xtr_run_opts *opts);

__u32 scaled(const struct env *env, __u32 count);

/* The lines that the library logged last, for reasons. */
const char *last_log(void);

/* Map helpers. */
int map_fd(struct env *env, const char *name);
__u64 map_u64(struct env *env, const char *name, const void *key);
__u64 map_u64_all_cpus(struct env *env, const char *name, const void *key);

#define GROUP(name)                                   \
	extern const struct test_case cases_##name[]; \
	extern const size_t cases_##name##_count
GROUP(verdicts);
GROUP(sizes);
GROUP(moves);
GROUP(rewrite);
GROUP(control);
GROUP(maps);
GROUP(redirect);
GROUP(context);
GROUP(samples);
GROUP(faults);
GROUP(accounting);
GROUP(device);

#define CASES(name) const size_t cases_##name##_count = ARRAY_SIZE(cases_##name)

#endif /* XTR_TEST_CASE_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * xdp-testrun bench, in parts: the experiment (bench_lb.c), what single calls
 * cost (bench_calls.c), the table (bench_table.c), JSON (bench_json.c), a plot
 * (bench_plot.c), advice (bench_advice.c). bench.c has the command line and the order of events.
 */
#ifndef XTR_BENCH_H
#define XTR_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include <xdptestrun.h>

#define BENCH_MAX_THREADS 64
#define BENCH_MAX_ENDPOINTS 128
#define BENCH_SIZES 3 /* 32, 64 and 128 endpoints */
#define BENCH_REASON 512

/* The report's figures: seconds for a million calls, alone and three at once. */
#define BENCH_REPORT_ALONE 22.0
#define BENCH_REPORT_TOGETHER 55.0

/* ---- ways for packets to reach the program (bench_way.c) --------------- */

enum bench_way {
	BENCH_CALL,
	BENCH_BATCH,
	BENCH_VETH_AFXDP,
	BENCH_VETH_LIVE,
	BENCH_WAYS,
};

struct bench_way_info {
	const char *label; /* in tables */
	const char *option; /* in --paths */
	const char *path; /* as the library calls it */
	const char *inject; /* NULL: does not apply */
};

extern const struct bench_way_info bench_ways[BENCH_WAYS];

struct bench_args {
	__u32 packets; /* of each run; 0 with @scaling: what each way does in some ms */
	__u32 threads;
	bool ways[BENCH_WAYS];
	bool no_hold;
	bool scaling;
	bool quick;
	const char *json; /* files to write; may be NULL */
	const char *plot;
};

/* Sets what @way stands for, and what the command line says. */
void bench_way__set(enum bench_way way, const struct bench_args *args, struct xtr_run_opts *opts);

/* ---- programs, inside the command (bench_target.c) ---------------------- */

enum bench_program {
	BENCH_LB,
	BENCH_DROP,
	BENCH_TX,
};

struct bench_target {
	struct bpf_object *obj;
	struct xtr_target *target;
};

/* Loads it; @endpoints is for BENCH_LB. Safe to close after a failure. */
int bench_target__open(struct bench_target *t, enum bench_program program, __u32 endpoints);
void bench_target__close(struct bench_target *t);

/* How many packets each endpoint got. */
int bench_target__load(const struct bench_target *t, __u64 *load, __u32 endpoints);

/* ---- threads that start together (bench_team.c) ------------------------- */

struct bench_meet;

/* A member's turn to wait for the others; returns 0. */
int bench_meet__wait(void *meet);

typedef void (*bench_member_fn)(void *ctx, __u32 id, struct bench_meet *meet);

/*
 * Runs @fn in @cnt threads with signals blocked, which would cut test runs
 * short. Those that return without bench_meet__wait() hold up nobody. @pin:
 * each on its CPU, round the CPUs there are.
 */
int bench_team(__u32 cnt, bool pin, bench_member_fn fn, void *ctx);

/* CPUs that this process may use. */
__u32 bench_cpus(void);

/* One line on a terminal, replaced by the next; NULL clears it. */
__attribute__((format(printf, 1, 2))) void bench_progress(const char *fmt, ...);

/* ---- the experiment (bench_lb.c) ---------------------------------------- */

enum bench_state {
	BENCH_NOT_RUN,
	BENCH_GOOD,
	BENCH_WRONG, /* ran, but its figures mean nothing: @reason */
	BENCH_IMPOSSIBLE, /* here: @reason */
};

struct bench_row {
	enum bench_way way;
	__u32 endpoints;
	bool concurrent;
	enum bench_state state;
	int err;
	char reason[BENCH_REASON];
	struct xtr_result result;
	__u64 load[BENCH_MAX_ENDPOINTS];
	__u32 runs; /* of which @result is the median */
	double cov; /* a fraction */
	double slowdown; /* concurrent: against the same alone; 0: unknown */
};

/* One way's rows. */
struct bench_group {
	bool wanted;
	struct bench_row alone[BENCH_SIZES];
	struct bench_row *together; /* args->threads of them */
};

extern const __u32 bench_endpoints[BENCH_SIZES];

/* ---- what single calls cost (bench_calls.c) ----------------------------- */

/* BPF_PROG_TEST_RUN with repeat 2, which makes the kernel update its dispatcher. */
struct bench_dispatcher {
	__u32 threads;
	bool hold;
	__u64 calls;
	double call_seconds; /* mean duration of a call */
	int err;
	char reason[BENCH_REASON];
};

#define BENCH_DISPATCHER_ROWS 4
#define BENCH_EXTRAPOLATED 1000000U /* calls, as many as the report made */

struct bench_floor {
	double empty_ns; /* an iteration of an empty program under a large repeat */
	double batch_ns; /* a packet through batch to an empty program; 0: unknown */
};

/* The time of an iteration of the empty program @fd, which should be held. */
int bench_time_empty(int fd, __u32 repeat, double *ns);

/* Sorts @values; @cnt is odd. */
double bench_median(double *values, size_t cnt);

/* ---- all together -------------------------------------------------------- */

struct bench {
	struct bench_args args;
	const volatile int *stop;
	struct out_file *json; /* may be NULL, as @plot */
	struct out_file *plot;
	__u32 cpus;
	struct bench_group groups[BENCH_WAYS];
	struct bench_dispatcher dispatcher[BENCH_DISPATCHER_ROWS];
	struct bench_floor floor;
	char recommendation[1024];
};

void bench_lb__run(struct bench *b);
void bench_calls__run(struct bench *b);
void bench_advice__write(struct bench *b);
void bench_table__print(const struct bench *b);
int bench_json__write(const struct bench *b);

/* An object that says where it was measured; and writing it to b->json. */
struct json_object *bench_json__new(const struct bench *b);
int bench_json__finish(const struct bench *b, struct json_object *obj);

int bench_plot__check(const char *file); /* before it is needed; 0 or EINVAL */
int bench_plot__write(const struct bench *b);

/* The mean rate of a way's good rows with one run at a time, million packets/s; or 0. */
double bench_group__mpps(const struct bench_group *group);

/* 1 and more: what so many busy threads on so few CPUs cannot do without. */
double bench_least_slowdown(const struct bench *b);

#endif /* XTR_BENCH_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libxdptestrun - run an XDP program over many packets, in parallel.
 *
 * Conventions are libbpf's: functions return 0 or a negative errno, functions
 * that return a pointer return NULL and set errno. Structures whose first
 * field is @sz are filled in by the caller, who sets @sz to their size, so that
 * they can grow without breaking the ABI. A failed call has explained itself
 * in one line through the log callback.
 */
#ifndef XDPTESTRUN_H
#define XDPTESTRUN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XTR_API __attribute__((visibility("default")))

struct bpf_program;
struct xtr_target;
struct xtr_source;

/* ---- log --------------------------------------------------------------- */

enum xtr_log_level {
	XTR_LOG_ERROR,
	XTR_LOG_WARN,
	XTR_LOG_INFO,
	XTR_LOG_DEBUG,
};

/* Gets one line without a trailing newline. Called from any lane's thread. */
typedef void (*xtr_log_fn)(enum xtr_log_level level, const char *fmt, va_list args);

/**
 * @brief Replaces the log callback; the default writes errors and warnings to stderr.
 * @param fn the new callback, NULL for silence
 * @return the previous callback
 */
XTR_API xtr_log_fn xtr_set_log(xtr_log_fn fn);

/** @return "MAJOR.MINOR.PATCH", a constant string */
XTR_API const char *xtr_version(void);

/* ---- target: the XDP program under test -------------------------------- */

struct xtr_target_opts {
	size_t sz;
	const char *program; /* function name; NULL: the object's only XDP program */
	const char *section; /* or its section name */
	size_t : 0;
};
#define xtr_target_opts__last_field section

/**
 * @brief Opens an object file and picks the program to test; nothing is loaded yet.
 * @param path a BPF object file
 * @param opts may be NULL
 * @return a target for xtr_target__close(), or NULL with errno:
 *   ENOENT no such file, ENOEXEC not a BPF object, ENOMSG no XDP program in it
 *   (or none of that name), E2BIG several programs and none was named,
 *   EOPNOTSUPP a program that cannot be run by itself (devmap, cpumap)
 */
XTR_API struct xtr_target *xtr_target__open(const char *path, const struct xtr_target_opts *opts);

/**
 * @brief Uses a program that the caller opened and loaded with libbpf.
 * @param prog stays the caller's and must outlive the target
 */
XTR_API struct xtr_target *xtr_target__from_program(struct bpf_program *prog);

/**
 * @brief Sets a `const volatile` variable of the program; before the load.
 * @param name the variable's name
 * @param value a number, decimal or hexadecimal after 0x; of a bool also true or false
 * @return 0, -ENOENT no such variable, -ERANGE it does not fit, -EBUSY loaded already
 */
XTR_API int xtr_target__set_rodata(struct xtr_target *target, const char *name, const char *value);

/**
 * @brief Fills a map right after the load with what `bpftool map dump -j` printed.
 * @param map the map's name; also an inner or per-CPU map
 * @param json_path the file; read by this call, written to the map by the load
 */
XTR_API int xtr_target__set_map(struct xtr_target *target, const char *map, const char *json_path);

/**
 * @brief Lets the program use a pinned map instead of one of its own; before the load.
 */
XTR_API int xtr_target__reuse_map(struct xtr_target *target, const char *map,
				  const char *pinned_path);

/**
 * @brief Loads the program and fills its maps. xtr_run() does it where it was not done.
 * @return 0, -EPERM missing privileges, or what the verifier said (explained in the log)
 */
XTR_API int xtr_target__load(struct xtr_target *target);

/** @return the file descriptor of a map of the loaded target, or -ENOENT; not for close() */
XTR_API int xtr_target__map_fd(const struct xtr_target *target, const char *map);

/** @return the file descriptor of the loaded program; not for close() */
XTR_API int xtr_target__fd(const struct xtr_target *target);

/** @return the program's function name */
XTR_API const char *xtr_target__name(const struct xtr_target *target);

XTR_API void xtr_target__close(struct xtr_target *target);

/* ---- source: a packet set, read as a stream ---------------------------- */

/* One packet of a set that is handed over in memory; the bytes stay the caller's. */
struct xtr_packet {
	const void *data; /* from the Ethernet header on */
	__u32 len; /* bytes */
	__u32 meta_len; /* bytes of metadata; a multiple of 4 */
	const void *meta; /* what ctx->data_meta shows; not on the veth path */
	__u64 ts_ns; /* time stamp, ns since the epoch */
};

/* What a source met besides runnable packets. */
struct xtr_source_stats {
	size_t sz;
	__u64 packets; /* runnable packets, read to the end of the set */
	__u64 truncated; /* captured shorter than they were; run as captured */
	__u64 undersized; /* left out: shorter than the path takes */
	__u64 oversized; /* left out: longer than the path takes */
	__u64 first_truncated; /* number of the first such frame, from 1; 0: none */
	__u64 first_undersized;
	__u64 first_oversized;
	size_t : 0;
};
#define xtr_source_stats__last_field first_oversized

/**
 * @brief Opens a pcap or pcapng file with Ethernet frames; "-" is standard input.
 * @return a source, or NULL with errno: ENOENT, EPROTOTYPE not Ethernet,
 *   EBADMSG not a capture file, ENODATA no packet in it
 */
XTR_API struct xtr_source *xtr_source__open_pcap(const char *path);

/**
 * @brief A generator; packet i is a function of the seed and i alone.
 * @param spec e.g. "udp,count=100000,seed=7,size=64"; docs/generator.md
 * @return a source, or NULL with errno EINVAL
 */
XTR_API struct xtr_source *xtr_source__open_gen(const char *spec);

/** @brief Packets in memory; the array and its bytes must outlive the source. */
XTR_API struct xtr_source *xtr_source__from_packets(const struct xtr_packet *packets, size_t count);

/** @brief What the last run that used the source met. */
XTR_API int xtr_source__stats(const struct xtr_source *source, struct xtr_source_stats *stats);

XTR_API void xtr_source__close(struct xtr_source *source);

/* ---- run --------------------------------------------------------------- */

#define XTR_VERDICTS 6 /* XDP_ABORTED .. XDP_REDIRECT, then every other value */

enum xtr_inject {
	XTR_INJECT_AFXDP, /* AF_XDP TX, one descriptor a frame */
	XTR_INJECT_LIVE, /* BPF_F_TEST_XDP_LIVE_FRAMES, redirected into the veth */
};

enum xtr_affinity {
	XTR_AFFINITY_NONE, /* lanes take runs of packets in turn */
	XTR_AFFINITY_FLOW, /* a flow (5-tuple) stays on one lane, in order */
};

enum xtr_fresh {
	XTR_FRESH_RUN, /* lanes share the program's maps */
	XTR_FRESH_LANE, /* each lane has its own */
};

/* outcome flags */
#define XTR_OUTCOME_LOST (1 << 0) /* injected, never seen; the rest is void */
#define XTR_OUTCOME_NO_VERDICT (1 << 1) /* a bare target on veth: only what came out is known */
#define XTR_OUTCOME_NO_DATA (1 << 2) /* verdicts only, or bytes that could not be read */
#define XTR_OUTCOME_RETURNED (1 << 3) /* veth: the frame came back from the target (XDP_TX) */

#define XTR_MAX_SINKS 16 /* redirect sinks of a run */

/* What happened to one packet. Pointers are good until the callback returns. */
struct xtr_outcome {
	__u64 index; /* place in the packet set, from 0 */
	__u64 ts_ns; /* the input's time stamp */
	__u32 verdict; /* as returned, whatever its value */
	__u32 flags; /* XTR_OUTCOME_* */
	__u32 in_len; /* bytes */
	__u32 len; /* bytes of @data */
	const void *data; /* the packet after the run, whatever the verdict */
	const void *meta; /* metadata after the run */
	__u32 meta_len; /* bytes of @meta */
	/*
	 * veth: bit N is set if the frame arrived at redirect sink N, the N-th of
	 * xtr_run_opts.redirects from 0. Several are for BPF_F_BROADCAST. Frames for
	 * several sinks are told apart by their bytes, so it takes a run that records
	 * them; without, what is set may be another frame's.
	 */
	__u32 sinks;
};

/* Gets outcomes in arrays, each array in input order, from the lanes' threads
 * (with @ordered: one call at a time, all in input order). Not 0 ends the run
 * with that value.
 */
typedef int (*xtr_outcomes_fn)(void *ctx, const struct xtr_outcome *outcomes, size_t count);

/* Called in the caller's thread when all lanes are set up; the clock starts when
 * it returns. So runs of several threads can start together. Not 0 ends the run
 * with that value.
 */
typedef int (*xtr_ready_fn)(void *ctx);

struct xtr_run_opts {
	size_t sz;
	const char *path; /* "auto" (default), "call", "batch", "veth" */
	__u32 lanes; /* worker threads; 0: 1 */
	enum xtr_inject inject; /* veth path */
	enum xtr_affinity affinity;
	enum xtr_fresh fresh;
	bool ordered; /* outcomes in input order over all lanes */
	bool verdicts_only; /* do not record bytes */
	bool bare; /* never splice */
	bool no_hold; /* let each repeated run update the dispatcher */
	bool deliver_pass; /* veth: what the target passes goes up the stack */
	__u32 ingress_ifindex; /* call, batch: what ctx shows; 0: the kernel's default */
	__u32 rx_queue_index;
	__u32 max_len; /* leave out longer packets; 0: what the path takes */
	xtr_outcomes_fn outcomes; /* may be NULL */
	void *ctx; /* for @outcomes */
	const volatile int *stop; /* the run ends soon after it is not 0; may be NULL */
	const char *const *redirects; /* veth: "MAP:KEY" per sink veth, NULL-terminated */
	bool no_pin; /* call, batch: let the scheduler place the lanes */
	xtr_ready_fn ready; /* may be NULL */
	void *ready_ctx; /* for @ready */
	size_t : 0;
};
#define xtr_run_opts__last_field ready_ctx

struct xtr_result {
	size_t sz;
	const char *path; /* the path that was taken; a constant string */
	const char *mode; /* "spliced" or "bare"; a constant string */
	__u32 lanes;
	__u64 packets; /* injected, each counted once */
	__u64 observed; /* of these, seen at the target */
	__u64 lost; /* packets - observed */
	__u64 foreign; /* veth: frames seen that were not injected */
	__u64 resent; /* veth: frames that the device refused and that went again */
	__u64 verdicts[XTR_VERDICTS];
	double seconds; /* all lanes ready to last lane done */
	double setup_seconds; /* before that */
	bool interrupted; /* ended by @stop */
	__u64 sinks[XTR_MAX_SINKS]; /* veth: frames that arrived at each redirect sink */
	size_t : 0;
};
#define xtr_result__last_field sinks

/**
 * @brief Runs the target over the packet set.
 * @param opts may be NULL
 * @param result filled in also when the run was interrupted
 * @return 0; -EINTR after @stop; -EOPNOTSUPP this path cannot run this target or
 *   these packets here (the log says why); another negative errno
 */
XTR_API int xtr_run(struct xtr_target *target, struct xtr_source *source,
		    const struct xtr_run_opts *opts, struct xtr_result *result);

/* What a path makes of a target. */
struct xtr_path_info {
	size_t sz;
	const char *path; /* the path that would be taken; a constant string */
	const char *mode; /* "spliced" or "bare"; a constant string */
	__u32 max_len; /* the longest packet it takes, whatever the options say */
	size_t : 0;
};
#define xtr_path_info__last_field max_len

/**
 * @brief Asks whether a run with these options is possible; loads the target for that.
 * @param opts may be NULL
 * @return 0; -EOPNOTSUPP this path cannot run this target here (the log says why);
 *   another negative errno
 */
XTR_API int xtr_probe(struct xtr_target *target, const struct xtr_run_opts *opts,
		      struct xtr_path_info *info);

/** @return "XDP_PASS" and so on; "INVALID" for values that are no XDP verdict */
XTR_API const char *xtr_verdict_name(__u32 verdict);

/** @return the path's name, NULL after the last one; to walk all paths */
XTR_API const char *xtr_path_name(unsigned int i);

#ifdef __cplusplus
}
#endif

#endif /* XDPTESTRUN_H */

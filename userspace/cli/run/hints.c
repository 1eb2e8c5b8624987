// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Programs do nothing of interest with empty maps: each packet takes the early
 * exit, and figures and verdicts look fine. Frames that are left out are easily
 * overlooked, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "cli.h"
#include "hints.h"

#define MAX_MAPS 64 /* that a program can use, as of the kernel's MAX_USED_MAPS */
#define MAX_SCANNED 1024 /* entries of an array */

/* Maps that the program's user is expected to fill. Caches (LRU), counters (arrays
 * per CPU) and the like are the program's own; sockets (XSKMAP) come with a path.
 */
static bool is_users(const struct bpf_map_info *info)
{
	/* The compiler's: .rodata, .data, .bss */
	if (strchr(info->name, '.'))
		return false;
	switch (info->type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LPM_TRIE:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
	case BPF_MAP_TYPE_DEVMAP_HASH:
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
	case BPF_MAP_TYPE_PROG_ARRAY:
	case BPF_MAP_TYPE_DEVMAP:
	case BPF_MAP_TYPE_CPUMAP:
		return true;
	default:
		return false;
	}
}

static bool is_zero(const char *value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (value[i])
			return false;
	return true;
}

/* A slot of an array is empty where it can't be read or holds zeros. */
static bool is_empty_array(int fd, const struct bpf_map_info *info)
{
	char *value = calloc(1, info->value_size + 8);
	bool empty = true;

	for (__u32 i = 0; value && empty && i < info->max_entries && i < MAX_SCANNED; i++)
		empty = bpf_map_lookup_elem(fd, &i, value) || is_zero(value, info->value_size);
	free(value);
	return empty;
}

static bool is_empty(int fd, const struct bpf_map_info *info)
{
	char *key;
	bool empty;

	switch (info->type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LPM_TRIE:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
	case BPF_MAP_TYPE_DEVMAP_HASH:
		key = calloc(1, info->key_size);
		empty = key && bpf_map_get_next_key(fd, NULL, key);
		free(key);
		return empty;
	default:
		return is_empty_array(fd, info);
	}
}

static void look_at_map(struct empty_maps *maps, int fd)
{
	size_t used = strlen(maps->names), room = sizeof(maps->names) - used;
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len) || !is_users(&info) || !is_empty(fd, &info))
		return;
	snprintf(maps->names + used, room, "%s%s", used ? ", " : "", info.name);
}

void empty_maps__read(struct empty_maps *maps, int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 ids[MAX_MAPS], len = sizeof(info);

	maps->names[0] = '\0';
	info.nr_map_ids = MAX_MAPS;
	info.map_ids = (__u64)(unsigned long)ids;
	if (bpf_obj_get_info_by_fd(prog_fd, &info, &len))
		return;
	for (__u32 i = 0; i < info.nr_map_ids && i < MAX_MAPS; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		if (fd < 0)
			continue;
		look_at_map(maps, fd);
		close(fd);
	}
}

/* The verdict that all packets got, or -1. */
static int only_verdict(const struct xtr_result *result)
{
	for (int v = 0; v < XTR_VERDICTS; v++)
		if (result->packets && result->verdicts[v] == result->packets)
			return v;
	return -1;
}

static void hint_empty_maps(const struct xtr_result *result, const struct empty_maps *maps)
{
	int verdict = only_verdict(result);

	/* XDP_ABORTED is 0, XDP_PASS 2: what programs return that find nothing. */
	if ((verdict == 0 || verdict == 2) && maps->names[0])
		cli_warn("all packets gave %s and maps are empty: %s; a run that means something "
			 "may need their contents (--map NAME=FILE)",
			 xtr_verdict_name(verdict), maps->names);
}

static void hint_left_out(__u64 count, __u64 first, const char *why)
{
	if (count)
		cli_warn("%llu packet%s left out (the first is number %llu): %s",
			 (unsigned long long)count, count == 1 ? "" : "s",
			 (unsigned long long)first, why);
}

const char *hints__too_long(const char *path)
{
	if (!strcmp(path, "veth"))
		return "longer than 1518 bytes, which path veth takes at most (its MTU is 1500), "
		       "or than --max-len";
	if (!strcmp(path, "batch"))
		return "longer than 3520 bytes, which path batch takes at most, or than --max-len; "
		       "--path call runs longer ones of a program in section \"xdp.frags\"";
	return "longer than 3520 bytes, which a program gets at most that is not in section "
	       "\"xdp.frags\" (73152 if it is), or than --max-len";
}

static void no_effect(const char *option, const char *where)
{
	cli_warn("%s has no effect on this path, only on %s", option, where);
}

void hints__no_effect(const struct xtr_result *result, const struct xtr_run_opts *opts,
		      const char *gen)
{
	if (strcmp(result->path, "veth")) {
		if (opts->redirects)
			no_effect("--redirect", "veth");
		if (opts->deliver_pass)
			no_effect("--deliver-pass", "veth");
		if (opts->inject == XTR_INJECT_LIVE)
			no_effect("--inject", "veth");
		return;
	}
	if (opts->ingress_ifindex)
		no_effect("--ifindex", "call and batch");
	if (opts->rx_queue_index)
		no_effect("--queue", "call and batch");
	if (gen && strstr(gen, "meta="))
		cli_warn("the packets' metadata was left out: path veth cannot bring it in");
}

void hints__print(const struct xtr_result *result, const struct xtr_source_stats *stats,
		  const struct empty_maps *maps)
{
	hint_empty_maps(result, maps);
	hint_left_out(stats->undersized, stats->first_undersized,
		      "shorter than an Ethernet header");
	hint_left_out(stats->oversized, stats->first_oversized, hints__too_long(result->path));
	if (stats->truncated)
		cli_warn("%llu packet%s ran as captured, shorter than on the wire (the first is "
			 "number %llu): the capture's snap length was too small",
			 (unsigned long long)stats->truncated, stats->truncated == 1 ? "" : "s",
			 (unsigned long long)stats->first_truncated);
}

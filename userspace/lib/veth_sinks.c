// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Redirect sinks: veth pairs in the lane's namespace for what the target
 * redirects through a devmap. "MAP:KEY" of the options' i-th string gets the
 * i-th sink's device.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "log.h"
#include "netns.h"
#include "veth.h"

int xtr_veth__count_sinks(const struct xtr_run *run)
{
	const char *const *redirects = run->opts.redirects;
	int count = 0;

	while (redirects && redirects[count])
		count++;
	if (count > XTR_VETH_SINKS) {
		pr_err("%d redirect sinks are more than the %d that a lane may have", count,
		       XTR_VETH_SINKS);
		return -EINVAL;
	}
	/* A devmap entry is a device of one namespace, and each lane has its own. */
	if (count && run->lanes > 1 && run->opts.fresh != XTR_FRESH_LANE) {
		pr_err("redirect sinks on %u lanes need maps of each lane's own: --fresh lane",
		       run->lanes);
		return -EINVAL;
	}
	return count;
}

static int split(const char *redirect, char *map, size_t size, __u32 *key)
{
	const char *colon = strrchr(redirect, ':');
	unsigned long number;
	char *end;

	if (!colon || colon == redirect || !colon[1] || (size_t)(colon - redirect) >= size)
		goto bad;
	memcpy(map, redirect, colon - redirect);
	map[colon - redirect] = '\0';
	number = strtoul(colon + 1, &end, 0);
	if (*end || colon[1] == '-' || number > 0xffffffffUL)
		goto bad;
	*key = number;
	return 0;
bad:
	pr_err("redirect sink \"%s\" is not MAP:KEY with a number for the key", redirect);
	return -EINVAL;
}

static int check_map(int fd, const char *map, struct bpf_map_info *info)
{
	__u32 len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	if (bpf_obj_get_info_by_fd(fd, info, &len))
		return -errno;
	if (info->type != BPF_MAP_TYPE_DEVMAP && info->type != BPF_MAP_TYPE_DEVMAP_HASH) {
		pr_err("map %s is no devmap: only a devmap can lead to a sink", map);
		return -EINVAL;
	}
	return 0;
}

static int connect_sink(struct xtr_lane *lane, const char *redirect, __u32 sink)
{
	struct bpf_devmap_val value = {};
	char map[64], ifname[IFNAMSIZ];
	struct bpf_map_info info;
	__u32 key;
	int fd, err;

	err = split(redirect, map, sizeof(map), &key);
	if (err)
		return err;
	fd = xtr_target__map_fd(lane->target, map);
	if (fd < 0) {
		pr_err("the program has no map %s", map);
		return -EINVAL;
	}
	err = check_map(fd, map, &info);
	if (err)
		return err;
	snprintf(ifname, sizeof(ifname), XTR_NETNS_SINK_IN, sink);
	value.ifindex = if_nametoindex(ifname);
	/* The kernel reads as much as the map's values are wide: 4 bytes or 8. */
	err = bpf_map_update_elem(fd, &key, &value, BPF_ANY);
	if (err)
		pr_err("cannot put sink %u into %s at key %u: %s", sink, map, key, strerror(-err));
	return err;
}

int xtr_veth__connect_sinks(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	__u32 i;
	int err = 0;

	for (i = 0; i < veth->sinks && !err; i++)
		err = connect_sink(lane, lane->run->opts.redirects[i], i);
	return err;
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Redirect sinks: where what the target redirects arrives. "MAP:KEY" of the
 * options' i-th string gets the i-th sink: a veth pair of the lane behind a
 * devmap entry, an AF_XDP socket on the target's own device behind an xskmap
 * entry. An xskmap entry delivers only what came in by its socket's queue, and the
 * device has one; so all these sockets are on that queue and share a umem.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "log.h"
#include "netns.h"
#include "number.h"
#include "veth.h"

/* A map's entry, as "MAP:KEY" names it. */
struct entry {
	char map[64];
	__u32 key;
};

static int parse(const char *redirect, struct entry *entry)
{
	const char *colon = strrchr(redirect, ':');
	__u64 number;

	if (!colon || colon == redirect || !colon[1] ||
	    (size_t)(colon - redirect) >= sizeof(entry->map))
		goto bad;
	if (!xtr_number__parse(colon + 1, &number) || number > ~0U)
		goto bad;
	memcpy(entry->map, redirect, colon - redirect);
	entry->map[colon - redirect] = '\0';
	entry->key = number;
	return 0;
bad:
	pr_err("redirect sink \"%s\" is not MAP:KEY with a number for the key", redirect);
	return -EINVAL;
}

/* A second sink would take the first one's place in the map, and that get nothing. */
static int check_entries(const char *const *redirects, int count)
{
	struct entry entries[XTR_MAX_SINKS];
	int i, j;

	for (i = 0; i < count; i++) {
		if (parse(redirects[i], &entries[i]))
			return -EINVAL;
		for (j = 0; j < i; j++) {
			if (entries[i].key != entries[j].key ||
			    strcmp(entries[i].map, entries[j].map))
				continue;
			pr_err("%s:%u has two redirect sinks: one takes all there is",
			       entries[i].map, entries[i].key);
			return -EINVAL;
		}
	}
	return 0;
}

int xtr_veth__count_sinks(const struct xtr_run *run)
{
	const char *const *redirects = run->opts.redirects;
	int count = 0;

	while (redirects && redirects[count])
		count++;
	if (count > XTR_MAX_SINKS) {
		pr_err("%d redirect sinks are more than the %d that a lane may have", count,
		       XTR_MAX_SINKS);
		return -EINVAL;
	}
	/* A devmap entry is a device of one namespace, and each lane has its own. */
	if (count && run->lanes > 1 && run->opts.fresh != XTR_FRESH_LANE) {
		pr_err("redirect sinks on %u lanes need maps of each lane's own: --fresh lane",
		       run->lanes);
		return -EINVAL;
	}
	if (check_entries(redirects, count))
		return -EINVAL;
	return count;
}

static int map_type(int fd, enum bpf_map_type *type)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	*type = info.type;
	return 0;
}

static int put(int fd, const struct entry *entry, __u32 sink, const void *value)
{
	int err = bpf_map_update_elem(fd, &entry->key, value, BPF_ANY);

	if (err == -E2BIG) {
		pr_err("cannot put sink %u into %s at key %u: the map has no such key, or no room",
		       sink, entry->map, entry->key);
		return -EINVAL;
	}
	if (err)
		pr_err("cannot put sink %u into %s at key %u: %s", sink, entry->map, entry->key,
		       strerror(-err));
	return err;
}

static int put_device(struct xtr_veth *veth, int fd, const struct entry *entry, __u32 sink)
{
	struct bpf_devmap_val value = {};
	char ifname[IFNAMSIZ];
	int ifindex, err;

	snprintf(ifname, sizeof(ifname), XTR_NETNS_SINK_IN, sink);
	ifindex = xtr_netns__ifindex(ifname);
	if (ifindex < 0)
		return ifindex;
	value.ifindex = ifindex;
	/* The kernel reads as much as the map's values are wide: 4 bytes or 8. */
	err = put(fd, entry, sink, &value);
	return err ? err : xtr_veth__watch_sink(veth, sink);
}

static int put_socket(struct xtr_veth *veth, int fd, const struct entry *entry, __u32 sink)
{
	struct xtr_xsk_sink *xsk_sink = &veth->xsk_sinks[veth->xsk_sink_count];
	struct xtr_xsk *xsk = &xsk_sink->xsk, *first = &veth->xsk_sinks[0].xsk;
	int xsk_fd, err;

	xsk_sink->port = XTR_PORT_SINK + sink;
	err = veth->xsk_sink_count++ ? xtr_xsk__open_beside(xsk, first, XTR_NETNS_TARGET)
				     : xtr_xsk__open(xsk, XTR_NETNS_TARGET, true);
	if (err)
		return err;
	xsk_fd = xsk_socket__fd(xsk->socket);
	return put(fd, entry, sink, &xsk_fd);
}

static int connect_sink(struct xtr_lane *lane, const char *redirect, __u32 sink)
{
	enum bpf_map_type type = BPF_MAP_TYPE_UNSPEC;
	struct entry entry;
	int fd, err;

	err = parse(redirect, &entry);
	if (err)
		return err;
	fd = xtr_target__map_fd(lane->target, entry.map);
	if (fd < 0) {
		pr_err("the program has no map %s", entry.map);
		return -EINVAL;
	}
	err = map_type(fd, &type);
	if (err)
		return err;
	if (type == BPF_MAP_TYPE_DEVMAP || type == BPF_MAP_TYPE_DEVMAP_HASH)
		return put_device(lane->state, fd, &entry, sink);
	if (type == BPF_MAP_TYPE_XSKMAP)
		return put_socket(lane->state, fd, &entry, sink);
	pr_err("map %s is no devmap and no xskmap: it cannot lead to a sink", entry.map);
	return -EINVAL;
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

void xtr_veth__disconnect_sinks(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;

	while (veth->xsk_sink_count)
		xtr_xsk__close(&veth->xsk_sinks[--veth->xsk_sink_count].xsk);
	xtr_veth__unwatch_sinks(veth);
}

/* The frame goes back to the kernel at once, so its bytes are not kept. */
static void received(struct xtr_lane *lane, __u16 port, const struct xdp_desc *desc)
{
	struct xtr_veth *veth = lane->state;
	struct xtr_xsk *first = &veth->xsk_sinks[0].xsk;
	struct xtr_arrival arrival = {
		.port = port,
		.len = desc->len,
		.hash = xtr_hash(xsk_umem__get_data(first->buffer, desc->addr), desc->len),
	};
	__u32 idx;

	xtr_veth__arrived(lane, &arrival);
	if (xsk_ring_prod__reserve(&first->fill, 1, &idx)) {
		*xsk_ring_prod__fill_addr(&first->fill, idx) = xsk_umem__extract_addr(desc->addr);
		xsk_ring_prod__submit(&first->fill, 1);
	}
}

void xtr_veth__look_at_sinks(struct xtr_veth *veth)
{
	__u32 i;

	for (i = 0; i < veth->xsk_sink_count; i++) {
		struct xtr_xsk_sink *sink = &veth->xsk_sinks[i];

		sink->arrived = xsk_ring_cons__peek(&sink->xsk.rx, XTR_XSK_FRAMES, &sink->at);
	}
}

static void drain_sink(struct xtr_lane *lane, struct xtr_xsk_sink *sink)
{
	__u32 i;

	for (i = 0; i < sink->arrived; i++)
		received(lane, sink->port, xsk_ring_cons__rx_desc(&sink->xsk.rx, sink->at + i));
	xsk_ring_cons__release(&sink->xsk.rx, sink->arrived);
}

__u32 xtr_veth__drain_sinks(struct xtr_lane *lane)
{
	struct xtr_veth *veth = lane->state;
	__u32 count = 0, i;

	for (i = 0; i < veth->xsk_sink_count; i++) {
		drain_sink(lane, &veth->xsk_sinks[i]);
		count += veth->xsk_sinks[i].arrived;
	}
	return count;
}

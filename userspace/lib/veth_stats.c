// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "log.h"
#include "veth_stats.h"

#define MAX_STATS 128 /* a veth with one queue has some 20 */

static const char *const names[XTR_STATS] = {
	[XTR_STAT_PACKETS] = "rx_queue_0_xdp_packets",
	[XTR_STAT_DROPS] = "rx_queue_0_xdp_drops",
	[XTR_STAT_TX] = "rx_queue_0_xdp_tx",
	[XTR_STAT_TX_ERRORS] = "rx_queue_0_xdp_tx_errors",
	[XTR_STAT_REDIRECT] = "rx_queue_0_xdp_redirect",
	[XTR_STAT_FAILED] = "rx_queue_0_drops",
	[XTR_STAT_XMIT] = "tx_queue_0_xdp_xmit",
};

static int ethtool(struct xtr_veth_stats *stats, void *data)
{
	struct ifreq req = { .ifr_data = data };

	memcpy(req.ifr_name, stats->ifname, sizeof(req.ifr_name));
	return ioctl(stats->sock, SIOCETHTOOL, &req) ? -errno : 0;
}

static int find(const struct ethtool_gstrings *strings, const char *name)
{
	__u32 i;

	for (i = 0; i < strings->len; i++)
		if (!strncmp((const char *)strings->data + i * ETH_GSTRING_LEN, name,
			     ETH_GSTRING_LEN))
			return i;
	return -ENOENT;
}

/* The kernel wants to be asked for as many as there are. */
static int count(struct xtr_veth_stats *stats)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = ethtool(stats, &info);

	if (err)
		return err;
	if (info.n_stats > MAX_STATS)
		return -E2BIG;
	stats->count = info.n_stats;
	return 0;
}

static int locate(struct xtr_veth_stats *stats)
{
	struct ethtool_gstrings *strings;
	int i, at, err;

	err = count(stats);
	if (err)
		return err;
	strings = calloc(1, sizeof(*strings) + MAX_STATS * ETH_GSTRING_LEN);
	if (!strings)
		return -ENOMEM;
	strings->cmd = ETHTOOL_GSTRINGS;
	strings->string_set = ETH_SS_STATS;
	strings->len = stats->count;
	err = ethtool(stats, strings);
	for (i = 0; !err && i < XTR_STATS; i++) {
		at = find(strings, names[i]);
		if (at < 0) {
			pr_err("this kernel's veth does not count %s", names[i]);
			err = -EOPNOTSUPP;
		} else {
			stats->where[i] = at;
		}
	}
	free(strings);
	return err;
}

static int explain(const char *ifname, int err)
{
	if (err && err != -EOPNOTSUPP) /* locate() said it */
		pr_err("cannot read the counters of %s: %s", ifname, strerror(-err));
	return err;
}

int xtr_veth_stats__open(struct xtr_veth_stats *stats, const char *ifname)
{
	__u64 since[XTR_STATS];
	int err;

	memset(stats, 0, sizeof(*stats));
	strncpy(stats->ifname, ifname, sizeof(stats->ifname) - 1);
	stats->sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (stats->sock < 0)
		return explain(ifname, -errno);
	err = locate(stats);
	if (!err)
		err = xtr_veth_stats__read(stats, since);
	return explain(ifname, err);
}

int xtr_veth_stats__read(struct xtr_veth_stats *stats, __u64 since[XTR_STATS])
{
	char buf[sizeof(struct ethtool_stats) + MAX_STATS * sizeof(__u64)]
		__attribute__((aligned(8)));
	struct ethtool_stats *counted = (void *)buf;
	__u64 value;
	int i, err;

	counted->cmd = ETHTOOL_GSTATS;
	counted->n_stats = stats->count;
	err = ethtool(stats, counted);
	if (err)
		return err;
	for (i = 0; i < XTR_STATS; i++) {
		value = counted->data[stats->where[i]];
		since[i] = value - stats->last[i];
		stats->last[i] = value;
	}
	return 0;
}

void xtr_veth_stats__close(struct xtr_veth_stats *stats)
{
	if (stats->sock >= 0)
		close(stats->sock);
	stats->sock = -1;
}

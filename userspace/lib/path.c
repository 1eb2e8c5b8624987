// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "log.h"
#include "path.h"

static const struct xtr_path *const paths[] = {
	&xtr_path_call,
	&xtr_path_batch,
	&xtr_path_veth,
};

#define PATH_COUNT (sizeof(paths) / sizeof(paths[0]))

const struct xtr_path *xtr_path__find(const char *name)
{
	for (size_t i = 0; i < PATH_COUNT; i++)
		if (!strcmp(paths[i]->name, name))
			return paths[i];
	return NULL;
}

const char *xtr_path_name(unsigned int i)
{
	return i < PATH_COUNT ? paths[i]->name : NULL;
}

bool xtr_path__explain_ctx(const struct xtr_run_opts *opts, int err)
{
	if (!opts->ingress_ifindex && !opts->rx_queue_index)
		return false;
	if (err == -ENODEV)
		pr_err("there is no interface %u in this network namespace", opts->ingress_ifindex);
	else if (err == -EINVAL && !opts->ingress_ifindex)
		pr_err("the kernel refuses queue %u without an interface: name one that has it",
		       opts->rx_queue_index);
	else if (err == -EINVAL)
		pr_err("the kernel refuses queue %u of interface %u: the interface has fewer "
		       "queues, or no XDP receive queues at all (lo has none, a veth has)",
		       opts->rx_queue_index, opts->ingress_ifindex);
	else
		return false;
	return true;
}

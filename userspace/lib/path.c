// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <string.h>

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

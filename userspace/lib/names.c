// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "names.h"

void xtr_names__add(struct xtr_names *names, const char *name)
{
	static const char more[] = ", ...";
	size_t len = strlen(names->text);

	names->cnt++;
	/* The end mark is the last thing that fits; nothing follows it. */
	if (len + strlen(name) + 2 + sizeof(more) <= sizeof(names->text))
		sprintf(names->text + len, "%s%s", len ? ", " : "", name);
	else if (len < strlen(more) || strcmp(names->text + len - strlen(more), more))
		strcat(names->text, more);
}

const char *xtr_names__text(const struct xtr_names *names)
{
	return names->cnt ? names->text : "none";
}

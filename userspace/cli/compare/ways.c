// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "options.h"
#include "ways.h"

static const struct way known[] = {
	{ "call", "call", XTR_INJECT_AFXDP, 850 },
	{ "batch", "batch", XTR_INJECT_AFXDP, 30 },
	{ "veth-afxdp", "veth", XTR_INJECT_AFXDP, 1400 },
	{ "veth-live", "veth", XTR_INJECT_LIVE, 330 },
};

#define KNOWN_CNT (sizeof(known) / sizeof(known[0]))

void ways__all(struct ways *ways)
{
	for (ways->count = 0; ways->count < KNOWN_CNT; ways->count++)
		ways->way[ways->count] = &known[ways->count];
}

static error_t add(struct ways *ways, const struct way *way)
{
	for (size_t i = 0; i < ways->count; i++)
		if (ways->way[i] == way) {
			cli_error("--paths names %s twice", way->name);
			return EINVAL;
		}
	ways->way[ways->count++] = way;
	return 0;
}

/* One of them, or the path "veth" for both ways to inject. */
static error_t parse_name(struct ways *ways, const char *name)
{
	const char *names[KNOWN_CNT + 2] = {};
	error_t err;
	int value = 0;

	for (size_t i = 0; i < KNOWN_CNT; i++)
		names[i] = known[i].name;
	names[KNOWN_CNT] = "veth";
	err = cli_parse_choice("--paths", name, names, &value);
	if (!err && value < (int)KNOWN_CNT)
		return add(ways, &known[value]);
	for (size_t i = 0; i < KNOWN_CNT && !err; i++)
		if (!strcmp(known[i].path, "veth"))
			err = add(ways, &known[i]);
	return err;
}

error_t ways__parse(struct ways *ways, char *list)
{
	char *save = NULL, *name;
	error_t err;

	ways->count = 0;
	for (name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		err = parse_name(ways, name);
		if (err)
			return err;
	}
	if (ways->count >= 2)
		return 0;
	cli_error("--paths takes two or more, with commas between them");
	return EINVAL;
}

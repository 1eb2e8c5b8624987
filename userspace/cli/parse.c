// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Strict parsing of what is on the command line. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "number.h"

/* argp would add "Try `--help'..." to what getopt said. */
void cli_argp_init(struct argp_state *state)
{
	static FILE *null;

	if (!null)
		null = fopen("/dev/null", "w");
	if (null)
		state->err_stream = null;
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		cli_argp_init(state);
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case 'v':
		cli_set_verbosity(CLI_VERBOSE);
		return 0;
	case 'q':
		cli_set_verbosity(CLI_QUIET);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option common_options[] = {
	{ "verbose", 'v', NULL, 0, "say what is done, with libbpf's and the verifier's logs", 10 },
	{ "quiet", 'q', NULL, 0, "no warnings and notes, errors only", 10 },
	{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, 10 },
	{},
};

const struct argp cli_common_argp = { .options = common_options, .parser = parse_common };

int cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	return argp_parse(argp, argc, argv, 0, NULL, input) ? CLI_USAGE : CLI_OK;
}

int cli_parse_u32(const char *option, const char *text, __u32 min, __u32 max, __u32 *value)
{
	__u64 number;

	if (!xtr_number__parse(text, &number) || number < min || number > max) {
		cli_error("%s takes a number from %u to %u, not '%s'", option, min, max, text);
		return EINVAL;
	}
	*value = number;
	return 0;
}

int cli_parse_ifindex(const char *option, const char *text, __u32 *value)
{
	char name[IFNAMSIZ];

	*value = if_nametoindex(text);
	if (*value)
		return 0;
	if (isdigit((unsigned char)*text)) {
		if (cli_parse_u32(option, text, 1, INT_MAX, value))
			return EINVAL;
		if (if_indextoname(*value, name))
			return 0;
	}
	cli_error("%s: there is no interface '%s'", option, text);
	return EINVAL;
}

int cli_parse_choice(const char *option, const char *text, const char *const *names, int *value)
{
	char list[256] = "";
	size_t len = 0;

	for (int i = 0; names[i]; i++) {
		if (!strcmp(text, names[i])) {
			*value = i;
			return 0;
		}
		len += snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "", names[i]);
	}
	cli_error("%s takes one of %s, not '%s'", option, list, text);
	return EINVAL;
}

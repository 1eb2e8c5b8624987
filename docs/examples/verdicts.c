// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Runs an XDP program over generated packets, prints what happened to the first
 * few of them and how many packets got which verdict. See docs/library.md.
 *
 *   cc verdicts.c $(pkg-config --cflags --libs xdptestrun) -o verdicts
 *   sudo ./verdicts PROG.o [SPEC [LANES]]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xdptestrun.h>

#define SHOWN 3

/*
 * Outcomes come in arrays, in input order since the run asks for that. The
 * pointers in them are good until this function returns.
 */
static int show(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	uint64_t *grown = ctx;

	for (size_t i = 0; i < count; i++) {
		const struct xtr_outcome *o = &outcomes[i];

		if (o->flags & XTR_OUTCOME_LOST)
			continue;
		if (o->index < SHOWN)
			printf("packet %" PRIu64 ": %s, %u bytes in, %u bytes out\n",
			       (uint64_t)o->index, xtr_verdict_name(o->verdict), o->in_len, o->len);
		if (o->len > o->in_len)
			++*grown;
	}
	return 0; /* anything else ends the run */
}

static void print_result(const struct xtr_result *result, uint64_t grown)
{
	printf("path %s, %s, %u lanes\n", result->path, result->mode, result->lanes);
	for (unsigned int v = 0; v < XTR_VERDICTS; v++)
		if (result->verdicts[v])
			printf("%s: %" PRIu64 "\n", xtr_verdict_name(v),
			       (uint64_t)result->verdicts[v]);
	printf("%" PRIu64 " packets, %" PRIu64 " lost, %" PRIu64 " grown\n",
	       (uint64_t)result->packets, (uint64_t)result->lost, grown);
}

int main(int argc, char **argv)
{
	struct xtr_result result = { .sz = sizeof(result) };
	struct xtr_run_opts opts = { .sz = sizeof(opts) };
	struct xtr_target *target = NULL;
	struct xtr_source *source = NULL;
	uint64_t grown = 0;
	int err = -EINVAL;

	if (argc < 2 || argc > 4) {
		fprintf(stderr, "usage: verdicts PROG.o [SPEC [LANES]]\n");
		return 2;
	}
	/* Calls that fail have said why: the default log callback writes to stderr. */
	target = xtr_target__open(argv[1], NULL);
	if (!target)
		goto out;
	source = xtr_source__open_gen(argc > 2 ? argv[2] : "udp,count=10000");
	if (!source)
		goto out;

	opts.path = "auto";
	opts.lanes = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	opts.ordered = true;
	opts.outcomes = show;
	opts.ctx = &grown;
	err = xtr_run(target, source, &opts, &result);
	if (!err)
		print_result(&result, grown);
out:
	xtr_source__close(source);
	xtr_target__close(target);
	return err ? 1 : result.lost != 0;
}

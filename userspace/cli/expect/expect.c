// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "expect.h"
#include "golden.h"
#include "hexdiff.h"
#include "jsonl.h"
#include "outcome.h"
#include "ring.h"
#include "seekable.h"
#include "sinks.h"

typedef unsigned long long ull;

/* A mismatch that is kept to be shown. */
struct mismatch {
	char *text;
	json_object *json;
};

struct expect {
	struct xtr_seekable file;
	const char *path; /* for messages */
	bool is_golden;
	struct jsonl jsonl;
	struct xtr_packet *packets; /* of the JSON lines */
	struct golden_reader *golden;
	size_t next; /* JSON line */
	struct expect_opts opts;
	__u64 number; /* packets of the file so far */
	__u64 met;
	__u64 failed;
	__u64 left_out; /* not runnable: too long for the path */
	__u64 unknown; /* of which the path did not tell all */
	__u64 beyond; /* outcomes that the file does not have */
	struct mismatch *mismatches;
	size_t mismatch_cnt;
};

/* ---- the file ---------------------------------------------------------- */

/* What the file begins with tells its kind: 0, or -EBADMSG after a message. */
static int tell_kind(struct expect *expect)
{
	static const __u8 magic[4] = { 0x0a, 0x0d, 0x0d, 0x0a };
	char front[512];
	ssize_t len = pread(expect->file.fd, front, sizeof(front), 0);

	expect->is_golden = len >= (ssize_t)sizeof(magic) && !memcmp(front, magic, sizeof(magic));
	if (expect->is_golden || len <= 0 || !memchr(front, '\0', len))
		return 0;
	cli_error("%s: neither a golden file, as --record writes it, nor JSON lines", expect->path);
	return -EBADMSG;
}

static int read_jsonl(struct expect *expect)
{
	FILE *file;
	int err;

	file = fdopen(dup(expect->file.fd), "r");
	if (!file)
		return -errno;
	err = jsonl__read(&expect->jsonl, file, expect->path);
	fclose(file);
	return err;
}

struct expect *expect__open(const char *path)
{
	struct expect *expect = calloc(1, sizeof(*expect));
	int err;

	if (!expect)
		return NULL;
	err = xtr_seekable__open(&expect->file, path, "expected outcomes",
				 "golden file or JSON lines");
	expect->path = strcmp(path, "-") ? path : "standard input";
	if (!err)
		err = tell_kind(expect);
	if (!err && !expect->is_golden)
		err = read_jsonl(expect);
	if (!err)
		return expect;
	expect__close(expect);
	return NULL;
}

static struct xtr_source *jsonl_source(struct expect *expect)
{
	const struct jsonl *jsonl = &expect->jsonl;

	expect->packets = calloc(jsonl->count, sizeof(*expect->packets));
	if (!expect->packets)
		return NULL;
	for (size_t i = 0; i < jsonl->count; i++)
		expect->packets[i] = jsonl->cases[i].packet;
	return xtr_source__from_packets(expect->packets, jsonl->count);
}

struct xtr_source *expect__source(struct expect *expect)
{
	return expect->is_golden ? golden__source(expect->file.fd, expect->path)
				 : jsonl_source(expect);
}

/* 1; 0 at the end; a negative errno. */
static int next_of_file(struct expect *expect, struct expectation *expectation)
{
	if (expect->is_golden)
		return golden_reader__next(expect->golden, expectation);
	if (expect->next == expect->jsonl.count)
		return 0;
	*expectation = expect->jsonl.cases[expect->next++].expectation;
	return 1;
}

struct title {
	char text[256];
};

static struct title title_of(const struct expect *expect, const struct expectation *expectation)
{
	struct title title;
	size_t len;

	len = snprintf(title.text, sizeof(title.text), "packet %llu", (ull)expect->number);
	if (expectation && expectation->name)
		snprintf(title.text + len, sizeof(title.text) - len, " (%s)", expectation->name);
	return title;
}

/* The next one that was run: the source leaves out what the path does not take. */
static int next_expectation(struct expect *expect, struct expectation *expectation)
{
	int err;

	for (;;) {
		err = next_of_file(expect, expectation);
		if (err <= 0)
			return err;
		expect->number++;
		if (expectation->in_len >= XTR_MIN_LEN &&
		    expectation->in_len <= expect->opts.max_len)
			return 1;
		expect->left_out++;
		suite_out__skip(expect->opts.suite, title_of(expect, expectation).text,
				"not runnable on this path: too long or too short");
	}
}

/* ---- one packet -------------------------------------------------------- */

static bool same_data(const struct expectation *expectation, const struct xtr_outcome *outcome)
{
	const __u8 *data = outcome->data;

	if (outcome->len < expectation->data_len)
		return false;
	if (!expectation->mask)
		return !memcmp(expectation->data, data, expectation->data_len);
	for (__u32 i = 0; i < expectation->data_len; i++)
		if ((expectation->data[i] ^ data[i]) & expectation->mask[i])
			return false;
	return true;
}

static bool same_meta(const struct expectation *expectation, const struct xtr_outcome *outcome)
{
	return expectation->meta_len == outcome->meta_len &&
	       (!outcome->meta_len || !memcmp(expectation->meta, outcome->meta, outcome->meta_len));
}

static bool same_sinks(const struct expect *expect, const struct expectation *expectation,
		       const struct xtr_outcome *outcome)
{
	__u32 sinks;

	return sinks__parse(expectation->sinks, expect->opts.redirects, &sinks) &&
	       sinks == outcome->sinks;
}

/* NULL, or what is not as expected. */
static const char *mismatch_of(const struct expect *expect, const struct expectation *expectation,
			       const struct xtr_outcome *outcome)
{
	if (outcome->flags & XTR_OUTCOME_LOST)
		return "it was lost";
	if (!(outcome->flags & XTR_OUTCOME_NO_VERDICT) && expectation->has_verdict &&
	    expectation->verdict != outcome->verdict)
		return "another verdict";
	if (expectation->has_sinks && expect->opts.redirects &&
	    !same_sinks(expect, expectation, outcome))
		return "other sinks";
	if (outcome->flags & XTR_OUTCOME_NO_DATA)
		return NULL;
	if (expectation->has_len && expectation->len != outcome->len)
		return "another length";
	if (expectation->has_data && !same_data(expectation, outcome))
		return "other bytes";
	if (expectation->has_meta && !same_meta(expectation, outcome))
		return "other metadata";
	return NULL;
}

static void print_expected(FILE *file, const struct expectation *expectation)
{
	fprintf(file, "      expected  %-12s ",
		expectation->has_verdict ? verdict_text(expectation->verdict).text : "any verdict");
	if (expectation->has_len)
		fprintf(file, "%5u bytes", expectation->len);
	if (expectation->has_meta && expectation->meta_len)
		fprintf(file, ", and %u of metadata", expectation->meta_len);
	if (expectation->has_sinks)
		fprintf(file, ", to %s", *expectation->sinks ? expectation->sinks : "no sink");
	fprintf(file, "\n      came      ");
}

static void print_hexdiffs(FILE *file, const struct expectation *expectation,
			   const struct xtr_outcome *outcome)
{
	struct hexdiff_side expected = { "expected", expectation->data, expectation->data_len };
	struct hexdiff_side came = { "came", outcome->data, outcome->len };

	if (expectation->has_data) {
		/* A packet of which only the front is told: only that counts. */
		if (expectation->data_len < expectation->len && came.len > expected.len)
			came.len = expected.len;
		hexdiff__print(file, &expected, &came, expectation->mask);
	}
	if (!expectation->has_meta)
		return;
	expected = (struct hexdiff_side){ "expected metadata", expectation->meta,
					  expectation->meta_len };
	came = (struct hexdiff_side){ "came", outcome->meta, outcome->meta_len };
	hexdiff__print(file, &expected, &came, NULL);
}

static char *text_of(const struct expect *expect, const char *title,
		     const struct expectation *expectation, const struct xtr_outcome *outcome,
		     const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fprintf(file, "    %s, %u bytes: %s\n", title, outcome->in_len, what);
	print_expected(file, expectation);
	outcome__print(file, outcome, expect->opts.redirects);
	fputc('\n', file);
	if (outcome__has_bytes(outcome))
		print_hexdiffs(file, expectation, outcome);
	fclose(file);
	return text;
}

static json_object *json_of(const struct expect *expect, const struct expectation *expectation,
			    const struct xtr_outcome *outcome, const char *what)
{
	json_object *obj = json_object_new_object(), *expected = json_object_new_object();

	json__add_count(obj, "packet", expect->number);
	if (expectation->name)
		json__add_string(obj, "name", expectation->name);
	json__add_string(obj, "mismatch", what);
	if (expectation->has_verdict)
		json__add_string(expected, "verdict", verdict_text(expectation->verdict).text);
	if (expectation->has_len)
		json__add_count(expected, "length", expectation->len);
	if (expectation->has_data)
		json_object_object_add(expected, "bytes",
				       json__hex(expectation->data, expectation->data_len));
	if (expectation->mask)
		json_object_object_add(expected, "mask",
				       json__hex(expectation->mask, expectation->data_len));
	if (expectation->has_meta && expectation->meta_len)
		json_object_object_add(expected, "meta",
				       json__hex(expectation->meta, expectation->meta_len));
	if (expectation->has_sinks)
		json_object_object_add(expected, "sinks", sinks__names_json(expectation->sinks));
	json_object_object_add(obj, "expected", expected);
	json_object_object_add(obj, "came", outcome__json(outcome, expect->opts.redirects));
	return obj;
}

static int keep(struct expect *expect, const struct mismatch *mismatch)
{
	struct mismatch *more;

	more = reallocarray(expect->mismatches, expect->mismatch_cnt + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	expect->mismatches = more;
	more[expect->mismatch_cnt++] = *mismatch;
	return 0;
}

static int fail(struct expect *expect, const struct expectation *expectation,
		const struct xtr_outcome *outcome, const char *what)
{
	struct title title = title_of(expect, expectation);
	bool shown = expect->mismatch_cnt < expect->opts.show;
	struct mismatch mismatch = {};
	int err = 0;

	expect->failed++;
	if (!shown && !expect->opts.suite)
		return 0;
	mismatch.text = text_of(expect, title.text, expectation, outcome, what);
	suite_out__fail(expect->opts.suite, title.text, mismatch.text);
	if (shown) {
		mismatch.json = json_of(expect, expectation, outcome, what);
		err = keep(expect, &mismatch);
	} else {
		free(mismatch.text);
	}
	return err;
}

static bool is_partly_known(const struct expect *expect, const struct expectation *expectation,
			    const struct xtr_outcome *outcome)
{
	return outcome->flags & (XTR_OUTCOME_NO_DATA | XTR_OUTCOME_NO_VERDICT) ||
	       (expectation->has_sinks && !expect->opts.redirects);
}

static int check(struct expect *expect, const struct xtr_outcome *outcome)
{
	struct expectation expectation;
	const char *what;
	int err;

	err = next_expectation(expect, &expectation);
	if (err < 0)
		return err;
	if (!err) {
		expect->beyond++;
		return 0;
	}
	if (expectation.in_len != outcome->in_len)
		what = "the packets are not those of the file: another length before the run";
	else
		what = mismatch_of(expect, &expectation, outcome);
	if (what)
		return fail(expect, &expectation, outcome, what);
	expect->met++;
	expect->unknown += is_partly_known(expect, &expectation, outcome);
	suite_out__pass(expect->opts.suite, title_of(expect, &expectation).text, NULL);
	return 0;
}

/* ---- the run ----------------------------------------------------------- */

int expect__start(struct expect *expect, const struct expect_opts *opts)
{
	expect->opts = *opts;
	if (!expect->is_golden)
		return 0;
	expect->golden = golden_reader__open(expect->file.fd, expect->path);
	return expect->golden ? 0 : -ENOMEM;
}

int expect__check(void *ctx, const struct xtr_outcome *outcomes, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = check(ctx, &outcomes[i]);
	return err;
}

int expect__finish(struct expect *expect)
{
	struct expectation expectation;
	int err;

	while ((err = next_expectation(expect, &expectation)) > 0) {
		expect->failed++;
		suite_out__fail(expect->opts.suite, title_of(expect, &expectation).text,
				"it is in the file and was not run\n");
	}
	if (expect->beyond)
		suite_out__fail(expect->opts.suite, "number of packets",
				"more packets were run than the file has\n");
	return err;
}

bool expect__met(const struct expect *expect)
{
	return !expect->failed && !expect->beyond;
}

void expect__print(FILE *file, const struct expect *expect)
{
	ull all = expect->met + expect->failed;

	fputc('\n', file);
	for (size_t i = 0; i < expect->mismatch_cnt; i++)
		fputs(expect->mismatches[i].text ? expect->mismatches[i].text : "", file);
	if (expect->failed > expect->mismatch_cnt)
		fprintf(file, "    (%llu more not shown)\n",
			(ull)(expect->failed - expect->mismatch_cnt));
	if (expect->failed)
		fprintf(file, "not as in %s: %llu of %llu packets\n", expect->path,
			(ull)expect->failed, all);
	else
		fprintf(file, "as in %s: %llu packets\n", expect->path, all);
	if (expect->beyond)
		fprintf(file, "%llu more packets were run than the file has\n",
			(ull)expect->beyond);
	if (expect->left_out)
		fprintf(file, "not runnable on this path: %llu packets, too long or too short\n",
			(ull)expect->left_out);
	if (expect->unknown)
		fprintf(file, "of %llu packets the path did not tell all\n", (ull)expect->unknown);
}

json_object *expect__json(const struct expect *expect)
{
	json_object *obj = json_object_new_object(), *mismatches = json_object_new_array();

	json__add_string(obj, "file", expect->path);
	json__add_count(obj, "met", expect->met);
	json__add_count(obj, "failed", expect->failed);
	json__add_count(obj, "beyond", expect->beyond);
	json__add_count(obj, "not_runnable", expect->left_out);
	json__add_count(obj, "not_told", expect->unknown);
	for (size_t i = 0; i < expect->mismatch_cnt; i++)
		json_object_array_add(mismatches, json_object_get(expect->mismatches[i].json));
	json_object_object_add(obj, "mismatches", mismatches);
	return obj;
}

void expect__close(struct expect *expect)
{
	if (!expect)
		return;
	for (size_t i = 0; i < expect->mismatch_cnt; i++) {
		free(expect->mismatches[i].text);
		json_object_put(expect->mismatches[i].json);
	}
	free(expect->mismatches);
	golden_reader__close(expect->golden);
	jsonl__free(&expect->jsonl);
	free(expect->packets);
	xtr_seekable__close(&expect->file);
	free(expect);
}

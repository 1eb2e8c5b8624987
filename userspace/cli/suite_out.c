// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out_file.h"
#include "suite_out.h"

/* JUnit tells its totals first, so the cases wait in an unnamed file. */
struct suite_out {
	const char *name;
	struct out_file *junit;
	FILE *cases;
	bool tap;
	unsigned long long count, failed, skipped;
};

static int open_junit(struct suite_out *out, const char *path)
{
	out->junit = out_file__open(path);
	if (!out->junit)
		return -EIO;
	out->cases = tmpfile();
	return out->cases ? 0 : out_file__failed(out->junit, errno);
}

struct suite_out *suite_out__open(const char *name, bool tap, const char *junit)
{
	struct suite_out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->name = name;
	out->tap = tap;
	if (junit && open_junit(out, junit)) {
		suite_out__close(out);
		return NULL;
	}
	if (tap)
		puts("TAP version 13");
	return out;
}

static void tap_case(bool ok, unsigned long long number, const char *name, const char *skip)
{
	printf("%s %llu - ", ok ? "ok" : "not ok", number);
	/* A # would begin a directive. */
	for (; *name; name++)
		printf("%s%c", *name == '#' ? "\\" : "", *name == '\n' ? ' ' : *name);
	printf("%s%s\n", skip ? " # SKIP " : "", skip ? skip : "");
}

static void tap_text(const char *text)
{
	while (text && *text) {
		size_t len = strcspn(text, "\n");

		printf("# %.*s\n", (int)len, text);
		text += len + !!text[len];
	}
}

static void xml_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		unsigned char c = *text;

		switch (c) {
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		default:
			/* XML has no way to write most control characters. */
			fputc(c < ' ' && c != '\n' && c != '\t' ? '?' : c, file);
		}
	}
}

static void xml_element(FILE *file, const char *element, const char *message, const char *text)
{
	fprintf(file, "><%s", element);
	if (message) {
		fputs(" message=\"", file);
		xml_text(file, message);
		fputc('"', file);
	}
	fputc('>', file);
	xml_text(file, text ? text : "");
	fprintf(file, "</%s></testcase>\n", element);
}

static void xml_name(struct suite_out *out, const char *name)
{
	fputs("<testcase classname=\"", out->cases);
	xml_text(out->cases, out->name);
	fputs("\" name=\"", out->cases);
	xml_text(out->cases, name);
	fputc('"', out->cases);
}

void suite_out__pass(struct suite_out *out, const char *name, const char *text)
{
	if (!out)
		return;
	out->count++;
	if (out->tap) {
		tap_case(true, out->count, name, NULL);
		tap_text(text);
	}
	if (!out->cases)
		return;
	xml_name(out, name);
	if (text)
		xml_element(out->cases, "system-out", NULL, text);
	else
		fputs("/>\n", out->cases);
}

void suite_out__fail(struct suite_out *out, const char *name, const char *text)
{
	if (!out)
		return;
	out->count++;
	out->failed++;
	if (out->tap) {
		tap_case(false, out->count, name, NULL);
		tap_text(text);
	}
	if (!out->cases)
		return;
	xml_name(out, name);
	xml_element(out->cases, "failure", "not as expected", text);
}

void suite_out__skip(struct suite_out *out, const char *name, const char *why)
{
	if (!out)
		return;
	out->count++;
	out->skipped++;
	if (out->tap)
		tap_case(true, out->count, name, why);
	if (!out->cases)
		return;
	xml_name(out, name);
	xml_element(out->cases, "skipped", why, NULL);
}

static int finish_junit(struct suite_out *out)
{
	FILE *file = out_file__stream(out->junit);
	char buf[4096];
	size_t n;

	fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"");
	xml_text(file, out->name);
	fprintf(file, "\" tests=\"%llu\" failures=\"%llu\" skipped=\"%llu\">\n", out->count,
		out->failed, out->skipped);
	rewind(out->cases);
	while ((n = fread(buf, 1, sizeof(buf), out->cases)))
		fwrite(buf, 1, n, file);
	fputs("</testsuite>\n", file);
	if (ferror(out->cases))
		return out_file__failed(out->junit, EIO);
	return out_file__commit(out->junit);
}

int suite_out__finish(struct suite_out *out)
{
	if (!out)
		return 0;
	if (out->tap)
		printf("1..%llu\n", out->count);
	return out->junit ? finish_junit(out) : 0;
}

void suite_out__bail_out(struct suite_out *out, const char *why)
{
	if (out && out->tap)
		printf("Bail out! %s\n", why);
}

void suite_out__close(struct suite_out *out)
{
	if (!out)
		return;
	if (out->cases)
		fclose(out->cases);
	out_file__close(out->junit);
	free(out);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "sinks.h"

struct verdict_text verdict_text(__u32 verdict)
{
	const char *name = xtr_verdict_name(verdict);
	struct verdict_text text;

	if (verdict < XTR_VERDICTS - 1)
		snprintf(text.text, sizeof(text.text), "%s", name);
	else
		snprintf(text.text, sizeof(text.text), "%s(%u)", name, verdict);
	return text;
}

int outcome__copy(struct xtr_outcome *to, const struct xtr_outcome *from)
{
	bool has = outcome__has_bytes(from);
	__u32 meta_len = has ? from->meta_len : 0, len = has ? from->len : 0;
	__u8 *bytes = malloc(meta_len + len + 1);

	if (!bytes)
		return -ENOMEM;
	if (meta_len)
		memcpy(bytes, from->meta, meta_len);
	if (len)
		memcpy(bytes + meta_len, from->data, len);
	*to = *from;
	to->meta = bytes;
	to->meta_len = meta_len;
	to->data = bytes + meta_len;
	return 0;
}

void outcome__free(struct xtr_outcome *outcome)
{
	free((void *)outcome->meta);
}

static void print_bytes(FILE *file, const struct xtr_outcome *outcome)
{
	if (!outcome__has_bytes(outcome)) {
		fputs("bytes not known", file);
		return;
	}
	fprintf(file, "%5u bytes", outcome->len);
	if (outcome->meta_len)
		fprintf(file, ", and %u of metadata", outcome->meta_len);
}

static void print_sinks(FILE *file, const struct xtr_outcome *outcome, const char *const *redirects)
{
	char *names = malloc(sinks__size(redirects));

	if (!names)
		return;
	sinks__print(names, redirects, outcome->sinks);
	fprintf(file, ", to %s", *names ? names : "no sink");
	free(names);
}

void outcome__print(FILE *file, const struct xtr_outcome *outcome, const char *const *redirects)
{
	bool no_verdict = outcome->flags & XTR_OUTCOME_NO_VERDICT;

	if (outcome->flags & XTR_OUTCOME_LOST) {
		fputs("lost", file);
		return;
	}
	fprintf(file, "%-12s ", no_verdict ? "no verdict" : verdict_text(outcome->verdict).text);
	print_bytes(file, outcome);
	if (outcome__has_sinks(outcome, redirects))
		print_sinks(file, outcome, redirects);
}

json_object *json__hex(const void *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const __u8 *bytes = data;
	char *text = malloc(2 * len + 1);
	json_object *obj;

	if (!text)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	obj = json_object_new_string_len(text, 2 * len);
	free(text);
	return obj;
}

json_object *outcome__json(const struct xtr_outcome *outcome, const char *const *redirects)
{
	json_object *obj = json_object_new_object();

	if (outcome->flags & XTR_OUTCOME_LOST) {
		json_object_object_add(obj, "lost", json_object_new_boolean(true));
		return obj;
	}
	if (!(outcome->flags & XTR_OUTCOME_NO_VERDICT))
		json__add_string(obj, "verdict", verdict_text(outcome->verdict).text);
	if (outcome__has_sinks(outcome, redirects))
		json_object_object_add(obj, "sinks", sinks__json(redirects, outcome->sinks));
	if (!outcome__has_bytes(outcome))
		return obj;
	json__add_count(obj, "length", outcome->len);
	json_object_object_add(obj, "bytes", json__hex(outcome->data, outcome->len));
	if (outcome->meta_len)
		json_object_object_add(obj, "meta", json__hex(outcome->meta, outcome->meta_len));
	return obj;
}

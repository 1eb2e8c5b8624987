// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cli.h"
#include "jsonl.h"
#include "packet_text.h"

#define MIN_PACKET 14 /* an Ethernet header: what the kernel takes at least */
#define MAX_META 252

/* Where in the file we are. */
struct place {
	const char *file;
	unsigned long line;
};

/* A case in the making: room for its bytes, which are then packed. */
struct draft {
	__u8 packet[PACKET_TEXT_MAX];
	__u8 bytes[PACKET_TEXT_MAX];
	__u8 mask[PACKET_TEXT_MAX];
	__u8 meta[MAX_META];
	__u8 meta_in[MAX_META];
	long packet_len, bytes_len, mask_len, meta_len, meta_in_len; /* -1: none */
	const char *name;
	char *sinks; /* NULL: none */
	bool has_verdict, has_length;
	__u32 verdict, length;
};

__attribute__((format(printf, 3, 4))) static int bad(const struct place *place, const char *field,
						     const char *fmt, ...)
{
	char why[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	cli_error("%s:%lu: %s%s%s", place->file, place->line, field ? field : "", field ? ": " : "",
		  why);
	return -EBADMSG;
}

static int text_of(const struct place *place, const char *field, json_object *value,
		   const char **text)
{
	if (!json_object_is_type(value, json_type_string))
		return bad(place, field, "takes a string");
	*text = json_object_get_string(value);
	if (strlen(*text) != (size_t)json_object_get_string_len(value))
		return bad(place, field, "has a zero character");
	return 0;
}

typedef long (*bytes_fn)(const char *text, __u8 *buf, size_t cap, struct packet_text_error *error);

static int bytes_of(const struct place *place, const char *field, json_object *value,
		    bytes_fn parse, __u8 *buf, size_t cap, long *len)
{
	struct packet_text_error error = {};
	const char *text;

	if (text_of(place, field, value, &text))
		return -EBADMSG;
	*len = parse(text, buf, cap, &error);
	return *len < 0 ? bad(place, field, "character %zu: %s", error.at, error.why) : 0;
}

static int number_of(const struct place *place, const char *field, json_object *value,
		     __u32 *number)
{
	__s64 wide = json_object_get_int64(value);

	if (!json_object_is_type(value, json_type_int) || wide < 0 || wide > (__s64)~0U)
		return bad(place, field, "takes a number from 0 to %u", ~0U);
	*number = wide;
	return 0;
}

static int verdict_of(const struct place *place, json_object *value, __u32 *verdict)
{
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return number_of(place, "verdict", value, verdict);
	if (text_of(place, "verdict", value, &text))
		return -EBADMSG;
	for (*verdict = 0; *verdict < XTR_VERDICTS - 1; ++*verdict)
		if (!strcmp(xtr_verdict_name(*verdict), text))
			return 0;
	return bad(place, "verdict",
		   "'%s' is none: XDP_ABORTED, XDP_DROP, XDP_PASS, XDP_TX, "
		   "XDP_REDIRECT or a number",
		   text);
}

/* An array of names becomes one string, with blanks between them. */
static int sinks_of(const struct place *place, json_object *value, char **sinks)
{
	const char *text;
	size_t size;
	FILE *file;
	int err = 0;

	if (!json_object_is_type(value, json_type_array))
		return bad(place, "sinks", "takes an array of strings, as --redirect has them");
	free(*sinks);
	file = open_memstream(sinks, &size);
	if (!file)
		return -ENOMEM;
	for (size_t i = 0; !err && i < json_object_array_length(value); i++) {
		err = text_of(place, "sinks", json_object_array_get_idx(value, i), &text);
		if (!err && (!*text || strchr(text, ' ')))
			err = bad(place, "sinks", "'%s' is not MAP:KEY", text);
		if (!err)
			fprintf(file, "%s%s", i ? " " : "", text);
	}
	fclose(file);
	return err;
}

static int parse_field(const struct place *place, const char *key, json_object *value,
		       struct draft *draft)
{
	if (!strcmp(key, "packet"))
		return bytes_of(place, key, value, packet_text__parse, draft->packet,
				sizeof(draft->packet), &draft->packet_len);
	if (!strcmp(key, "bytes"))
		return bytes_of(place, key, value, packet_text__parse, draft->bytes,
				sizeof(draft->bytes), &draft->bytes_len);
	if (!strcmp(key, "mask"))
		return bytes_of(place, key, value, packet_text__hex, draft->mask,
				sizeof(draft->mask), &draft->mask_len);
	if (!strcmp(key, "meta"))
		return bytes_of(place, key, value, packet_text__hex, draft->meta,
				sizeof(draft->meta), &draft->meta_len);
	if (!strcmp(key, "meta_in"))
		return bytes_of(place, key, value, packet_text__hex, draft->meta_in,
				sizeof(draft->meta_in), &draft->meta_in_len);
	if (!strcmp(key, "name"))
		return text_of(place, key, value, &draft->name);
	if (!strcmp(key, "sinks"))
		return sinks_of(place, value, &draft->sinks);
	if (!strcmp(key, "verdict")) {
		draft->has_verdict = true;
		return verdict_of(place, value, &draft->verdict);
	}
	if (!strcmp(key, "length")) {
		draft->has_length = true;
		return number_of(place, key, value, &draft->length);
	}
	return bad(place, key,
		   "there is no such field; there are packet, name, verdict, bytes, "
		   "mask, length, meta, meta_in, sinks");
}

static int check_draft(const struct place *place, const struct draft *draft)
{
	if (draft->packet_len < 0)
		return bad(place, "packet", "is missing");
	if (draft->packet_len < MIN_PACKET)
		return bad(place, "packet", "%ld bytes; the kernel runs none shorter than %d",
			   draft->packet_len, MIN_PACKET);
	if (draft->mask_len >= 0 && draft->mask_len != draft->bytes_len)
		return bad(place, "mask", "%ld bytes for %ld in 'bytes'", draft->mask_len,
			   draft->bytes_len < 0 ? 0 : draft->bytes_len);
	if (draft->has_length && draft->bytes_len > (long)draft->length)
		return bad(place, "length", "%u, but 'bytes' has %ld", draft->length,
			   draft->bytes_len);
	if (draft->meta_in_len > 0 && draft->meta_in_len % 4)
		return bad(place, "meta_in", "%ld bytes; metadata comes in fours",
			   draft->meta_in_len);
	if (!draft->has_verdict && draft->bytes_len < 0 && !draft->has_length &&
	    draft->meta_len < 0 && !draft->sinks)
		return bad(place, NULL,
			   "nothing is expected: no verdict, bytes, length, meta or sinks");
	return 0;
}

static void *pack(__u8 **at, const void *bytes, long len)
{
	void *to = *at;

	if (len < 0)
		return NULL;
	memcpy(to, bytes, len);
	*at += len;
	return to;
}

static size_t size_of(long len)
{
	return len < 0 ? 0 : len;
}

static size_t string_size(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static int keep_draft(struct jsonl_case *to, const struct draft *draft)
{
	size_t name_size = string_size(draft->name), sinks_size = string_size(draft->sinks);
	struct expectation *expectation = &to->expectation;
	__u8 *at;

	to->bytes = at = malloc(size_of(draft->packet_len) + size_of(draft->bytes_len) +
				size_of(draft->mask_len) + size_of(draft->meta_len) +
				size_of(draft->meta_in_len) + name_size + sinks_size + 1);
	if (!at)
		return -ENOMEM;
	to->packet = (struct xtr_packet){
		.data = pack(&at, draft->packet, draft->packet_len),
		.len = draft->packet_len,
		.meta = pack(&at, draft->meta_in, draft->meta_in_len),
		.meta_len = size_of(draft->meta_in_len),
	};
	*expectation = (struct expectation){
		.in_len = draft->packet_len,
		.has_verdict = draft->has_verdict,
		.verdict = draft->verdict,
		.has_len = draft->has_length || draft->bytes_len >= 0,
		.len = draft->has_length ? draft->length : size_of(draft->bytes_len),
		.has_data = draft->bytes_len >= 0,
		.data = pack(&at, draft->bytes, draft->bytes_len),
		.data_len = size_of(draft->bytes_len),
		.mask = pack(&at, draft->mask, draft->mask_len),
		.has_meta = draft->meta_len >= 0,
		.meta = pack(&at, draft->meta, draft->meta_len),
		.meta_len = size_of(draft->meta_len),
		.has_sinks = draft->sinks,
	};
	expectation->name = pack(&at, draft->name, (long)name_size - !name_size);
	expectation->sinks = pack(&at, draft->sinks, (long)sinks_size - !sinks_size);
	return 0;
}

static int add_case(struct jsonl *jsonl, const struct place *place, const struct draft *draft)
{
	struct jsonl_case *more;
	int err;

	more = reallocarray(jsonl->cases, jsonl->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	jsonl->cases = more;
	more[jsonl->count] = (struct jsonl_case){ .line = place->line };
	err = keep_draft(&more[jsonl->count], draft);
	if (!err)
		jsonl->count++;
	return err;
}

/* The line's object; what is behind it may be blanks only. */
static int parse_json(const struct place *place, const char *line, size_t len, json_object **obj)
{
	struct json_tokener *tokener = json_tokener_new();
	enum json_tokener_error err;
	size_t end;

	if (!tokener)
		return -ENOMEM;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*obj = json_tokener_parse_ex(tokener, line, len + 1);
	err = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (err == json_tokener_success && json_object_is_type(*obj, json_type_object)) {
		end += strspn(line + end, " \t\r\n");
		if (end >= len)
			return 0;
		err = json_tokener_error_parse_unexpected;
	}
	json_object_put(*obj);
	*obj = NULL;
	if (err == json_tokener_success)
		return bad(place, NULL, "one object in braces per line, please");
	if (end > len)
		end = len;
	cli_error("%s:%lu:%zu: %s", place->file, place->line, end + 1,
		  err == json_tokener_continue ? "the line ends in the middle of the object"
					       : json_tokener_error_desc(err));
	return -EBADMSG;
}

static int parse_line(struct jsonl *jsonl, const struct place *place, const char *line, size_t len,
		      struct draft *draft)
{
	struct json_object_iterator it, end;
	json_object *obj;
	int err;

	if (strlen(line) != len)
		return bad(place, NULL, "a zero byte");
	err = parse_json(place, line, len, &obj);
	if (err)
		return err;
	draft->packet_len = draft->bytes_len = draft->mask_len = -1;
	draft->meta_len = draft->meta_in_len = -1;
	draft->has_verdict = draft->has_length = false;
	draft->name = NULL;
	draft->sinks = NULL;
	it = json_object_iter_begin(obj);
	end = json_object_iter_end(obj);
	for (; !err && !json_object_iter_equal(&it, &end); json_object_iter_next(&it))
		err = parse_field(place, json_object_iter_peek_name(&it),
				  json_object_iter_peek_value(&it), draft);
	if (!err)
		err = check_draft(place, draft);
	if (!err)
		err = add_case(jsonl, place, draft);
	free(draft->sinks);
	json_object_put(obj);
	return err;
}

static bool is_empty(const char *line)
{
	line += strspn(line, " \t\r\n");
	return !*line || *line == '#';
}

int jsonl__read(struct jsonl *jsonl, FILE *file, const char *name)
{
	struct place place = { .file = name };
	struct draft *draft = malloc(sizeof(*draft));
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = draft ? 0 : -ENOMEM;

	*jsonl = (struct jsonl){};
	while (!err && (len = getline(&line, &size, file)) >= 0) {
		place.line++;
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			line[--len] = '\0';
		if (strlen(line) == (size_t)len && is_empty(line))
			continue;
		err = parse_line(jsonl, &place, line, len, draft);
	}
	if (!err && ferror(file)) {
		err = -EIO;
		cli_error("%s: cannot read it: %s", name, strerror(errno));
	}
	if (!err && !jsonl->count) {
		err = -EBADMSG;
		cli_error("%s: the file has no cases", name);
	}
	if (err == -ENOMEM)
		cli_error("%s: out of memory", name);
	free(line);
	free(draft);
	if (err)
		jsonl__free(jsonl);
	return err;
}

void jsonl__free(struct jsonl *jsonl)
{
	for (size_t i = 0; i < jsonl->count; i++)
		free(jsonl->cases[i].bytes);
	free(jsonl->cases);
	*jsonl = (struct jsonl){};
}

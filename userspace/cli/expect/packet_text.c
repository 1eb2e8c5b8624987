// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "packet_text.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_LAYERS 16
#define MAX_VALUE 64 /* characters */

enum kind {
	END, /* of the fields */
	NUMBER,
	MAC,
	IPV4,
	IPV6,
	TCP_FLAGS,
};

struct field {
	const char *name;
	enum kind kind;
	__u8 off; /* bytes into the header */
	__u8 size; /* bytes */
	__u8 shift; /* numbers: bits to the left of the lowest one */
	__u32 max; /* numbers: the largest; 0: what @size holds */
};

enum layer_id {
	ETH,
	VLAN,
	QINQ,
	IP,
	IP6,
	UDP,
	TCP,
	ICMP,
	RAW,
	ZERO,
};

/* What is filled in unless it was given: the first fields of a layer. */
enum auto_field {
	AUTO_TYPE, /* what comes next */
	AUTO_LEN,
	AUTO_CSUM,
	AUTO_FIELDS,
};

static const struct layer_def {
	const char *name;
	__u8 size;
	__u16 ether_type; /* what the layer before calls it, 0: nothing */
	__u8 protocol; /* likewise, in IP */
	struct field autos[AUTO_FIELDS];
	struct field fields[8];
	__u8 bytes[40]; /* to begin with */
} layers[] = {
	[ETH] = {
		"eth", 14, 0, 0,
		.autos[AUTO_TYPE] = { "type", NUMBER, 12, 2, 0, 0 },
		.fields = { { "dst", MAC, 0, 6, 0, 0 }, { "src", MAC, 6, 6, 0, 0 } },
		.bytes = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5 },
	},
	[VLAN] = {
		"vlan", 4, 0x8100, 0,
		.autos[AUTO_TYPE] = { "type", NUMBER, 2, 2, 0, 0 },
		.fields = { { "id", NUMBER, 0, 2, 0, 4095 }, { "prio", NUMBER, 0, 2, 13, 7 } },
		.bytes = { 0, 1, 0x88, 0xb5 },
	},
	[QINQ] = {
		"qinq", 4, 0x88a8, 0,
		.autos[AUTO_TYPE] = { "type", NUMBER, 2, 2, 0, 0 },
		.fields = { { "id", NUMBER, 0, 2, 0, 4095 }, { "prio", NUMBER, 0, 2, 13, 7 } },
		.bytes = { 0, 1, 0x88, 0xb5 },
	},
	[IP] = {
		"ip", 20, 0x0800, 4,
		.autos = {
			[AUTO_TYPE] = { "proto", NUMBER, 9, 1, 0, 0 },
			[AUTO_LEN] = { "len", NUMBER, 2, 2, 0, 0 },
			[AUTO_CSUM] = { "csum", NUMBER, 10, 2, 0, 0 },
		},
		.fields = { { "src", IPV4, 12, 4, 0, 0 }, { "dst", IPV4, 16, 4, 0, 0 },
			    { "ttl", NUMBER, 8, 1, 0, 0 }, { "tos", NUMBER, 1, 1, 0, 0 },
			    { "id", NUMBER, 4, 2, 0, 0 }, { "frag", NUMBER, 6, 2, 0, 0 } },
		.bytes = { 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 253, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 },
	},
	[IP6] = {
		"ip6", 40, 0x86dd, 41,
		.autos = {
			[AUTO_TYPE] = { "next", NUMBER, 6, 1, 0, 0 },
			[AUTO_LEN] = { "len", NUMBER, 4, 2, 0, 0 },
		},
		.fields = { { "src", IPV6, 8, 16, 0, 0 }, { "dst", IPV6, 24, 16, 0, 0 },
			    { "hop", NUMBER, 7, 1, 0, 0 },
			    { "flow", NUMBER, 0, 4, 0, 0xfffff } },
		.bytes = { 0x60, 0, 0, 0, 0, 0, 253, 64, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			   0, 1, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 },
	},
	[UDP] = {
		"udp", 8, 0, 17,
		.autos = {
			[AUTO_LEN] = { "len", NUMBER, 4, 2, 0, 0 },
			[AUTO_CSUM] = { "csum", NUMBER, 6, 2, 0, 0 },
		},
		.fields = { { "sport", NUMBER, 0, 2, 0, 0 }, { "dport", NUMBER, 2, 2, 0, 0 } },
		.bytes = { 0x03, 0xe8, 0x07, 0xd0 },
	},
	[TCP] = {
		"tcp", 20, 0, 6,
		.autos[AUTO_CSUM] = { "csum", NUMBER, 16, 2, 0, 0 },
		.fields = { { "sport", NUMBER, 0, 2, 0, 0 }, { "dport", NUMBER, 2, 2, 0, 0 },
			    { "seq", NUMBER, 4, 4, 0, 0 }, { "ack", NUMBER, 8, 4, 0, 0 },
			    { "flags", TCP_FLAGS, 13, 1, 0, 0 },
			    { "window", NUMBER, 14, 2, 0, 0 } },
		.bytes = { 0x03, 0xe8, 0x07, 0xd0, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x02, 0xff, 0xff },
	},
	[ICMP] = {
		"icmp", 8, 0, 1,
		.autos[AUTO_CSUM] = { "csum", NUMBER, 2, 2, 0, 0 },
		.fields = { { "type", NUMBER, 0, 1, 0, 0 }, { "code", NUMBER, 1, 1, 0, 0 },
			    { "id", NUMBER, 4, 2, 0, 0 }, { "seq", NUMBER, 6, 2, 0, 0 } },
		.bytes = { 8 },
	},
	[RAW] = { .name = "raw" },
	[ZERO] = { .name = "zero" },
};

struct layer {
	enum layer_id id;
	size_t off;
	bool given[AUTO_FIELDS];
};

struct parser {
	const char *text;
	const char *at;
	__u8 *buf;
	size_t cap;
	size_t len;
	struct layer layers[MAX_LAYERS];
	size_t layer_cnt;
	struct packet_text_error *error;
};

__attribute__((format(printf, 2, 3))) static int bad(struct parser *parser, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(parser->error->why, sizeof(parser->error->why), fmt, args);
	va_end(args);
	parser->error->at = parser->at - parser->text + 1;
	return -1;
}

/* ---- values ------------------------------------------------------------ */

static void put_number(__u8 *header, const struct field *field, __u64 value)
{
	__u64 mask = field->max ? field->max : (1ULL << (8 * field->size)) - 1, old = 0;

	for (int i = 0; i < field->size; i++)
		old = old << 8 | header[field->off + i];
	old = (old & ~(mask << field->shift)) | value << field->shift;
	for (int i = field->size; i--; old >>= 8)
		header[field->off + i] = old;
}

static int parse_number(struct parser *parser, const char *text, __u8 *header,
			const struct field *field)
{
	unsigned long long max;
	__u64 value;

	max = field->max ? field->max : (1ULL << (8 * field->size)) - 1;
	if (!xtr_number__parse(text, &value) || value > max)
		return bad(parser, "%s takes a number up to %llu, not '%s'", field->name, max,
			   text);
	put_number(header, field, value);
	return 0;
}

static int parse_mac(struct parser *parser, const char *text, __u8 *to)
{
	int end = 0;

	if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &to[0], &to[1], &to[2], &to[3],
		   &to[4], &to[5], &end) == 6 &&
	    !text[end])
		return 0;
	return bad(parser, "'%s' is no MAC address", text);
}

static int parse_tcp_flags(struct parser *parser, const char *text, __u8 *to)
{
	static const char letters[] = "FSRPAUEC";
	const char *letter;

	for (*to = 0; *text; text++) {
		letter = strchr(letters, toupper((unsigned char)*text));
		if (!letter)
			return bad(parser, "flags takes letters of %s, not '%c'", letters, *text);
		*to |= 1 << (letter - letters);
	}
	return 0;
}

static int parse_value(struct parser *parser, const char *text, __u8 *header,
		       const struct field *field)
{
	__u8 *to = header + field->off;

	switch (field->kind) {
	case MAC:
		return parse_mac(parser, text, to);
	case IPV4:
		return inet_pton(AF_INET, text, to) == 1
			       ? 0
			       : bad(parser, "'%s' is no IPv4 address", text);
	case IPV6:
		return inet_pton(AF_INET6, text, to) == 1
			       ? 0
			       : bad(parser, "'%s' is no IPv6 address", text);
	case TCP_FLAGS:
		return parse_tcp_flags(parser, text, to);
	default:
		return parse_number(parser, text, header, field);
	}
}

/* ---- layers ------------------------------------------------------------ */

static const struct field *find_field(const struct layer_def *def, const char *name, int *which)
{
	for (*which = 0; *which < AUTO_FIELDS; ++*which)
		if (def->autos[*which].kind && !strcmp(def->autos[*which].name, name))
			return &def->autos[*which];
	for (size_t i = 0; i < ARRAY_SIZE(def->fields) && def->fields[i].kind; i++)
		if (!strcmp(def->fields[i].name, name))
			return &def->fields[i];
	return NULL;
}

/* Copies up to one of @ends, which has to be there. */
static int take_word(struct parser *parser, char *word, const char *ends)
{
	size_t len = strcspn(parser->at, ends);

	if (!parser->at[len])
		return bad(parser, "one of '%s' is missing", ends);
	if (!len || len >= MAX_VALUE)
		return bad(parser, "a word of %zu characters", len);
	memcpy(word, parser->at, len);
	word[len] = '\0';
	return 0;
}

static int parse_setting(struct parser *parser, struct layer *layer, __u8 *header)
{
	const struct layer_def *def = &layers[layer->id];
	char name[MAX_VALUE], value[MAX_VALUE];
	const struct field *field;
	int which;

	if (take_word(parser, name, "=,)"))
		return -1;
	field = find_field(def, name, &which);
	if (!field)
		return bad(parser, "%s has no '%s'", def->name, name);
	parser->at += strlen(name);
	if (*parser->at != '=')
		return bad(parser, "%s needs a value: %s=...", name, name);
	parser->at++;
	if (take_word(parser, value, ",)"))
		return -1;
	if (parse_value(parser, value, header, field))
		return -1;
	if (which < AUTO_FIELDS)
		layer->given[which] = true;
	parser->at += strlen(value);
	return 0;
}

static int parse_settings(struct parser *parser, struct layer *layer, __u8 *header)
{
	if (*parser->at != '(')
		return 0;
	do {
		parser->at++;
		if (*parser->at == ')')
			break;
		if (parse_setting(parser, layer, header))
			return -1;
	} while (*parser->at == ',');
	if (*parser->at != ')')
		return bad(parser, "')' is missing");
	parser->at++;
	return 0;
}

static __u8 *reserve(struct parser *parser, size_t len)
{
	__u8 *at = parser->buf + parser->len;

	if (len > parser->cap - parser->len) {
		bad(parser, "the packet is longer than %zu bytes", parser->cap);
		return NULL;
	}
	parser->len += len;
	return at;
}

/* What stands between the parentheses of raw() and zero(). */
static int take_argument(struct parser *parser, const char **arg, size_t *len)
{
	if (*parser->at != '(')
		return bad(parser, "'(' is missing");
	parser->at++;
	*arg = parser->at;
	*len = strcspn(parser->at, ")");
	if (!parser->at[*len])
		return bad(parser, "')' is missing");
	return 0;
}

static int parse_raw(struct parser *parser)
{
	const char *arg;
	size_t len;
	char *copy;
	long got;

	if (take_argument(parser, &arg, &len))
		return -1;
	copy = strndup(arg, len);
	if (!copy)
		return bad(parser, "out of memory");
	got = packet_text__hex(copy, parser->buf + parser->len, parser->cap - parser->len,
			       parser->error);
	free(copy);
	if (got < 0) {
		parser->error->at += arg - parser->text;
		return -1;
	}
	parser->len += got;
	parser->at += len + 1;
	return 0;
}

static int parse_zero(struct parser *parser)
{
	const char *arg;
	__u64 count;
	size_t len;
	char *end;
	__u8 *to;

	if (take_argument(parser, &arg, &len))
		return -1;
	if (!xtr_number__read(arg, &end, &count) || *end != ')')
		return bad(parser, "zero takes a number of bytes");
	to = reserve(parser, count);
	if (!to)
		return -1;
	memset(to, 0, count);
	parser->at += len + 1;
	return 0;
}

static int parse_layer(struct parser *parser)
{
	size_t len = strspn(parser->at, "abcdefghijklmnopqrstuvwxyz0123456789");
	struct layer *layer = &parser->layers[parser->layer_cnt];
	__u8 *header;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layers); i++)
		if (strlen(layers[i].name) == len && !memcmp(layers[i].name, parser->at, len))
			break;
	if (i == ARRAY_SIZE(layers))
		return bad(parser, "there is no layer '%.*s'", (int)len, parser->at);
	if (parser->layer_cnt++ == MAX_LAYERS)
		return bad(parser, "more than %d layers", MAX_LAYERS);
	*layer = (struct layer){ .id = i, .off = parser->len };
	parser->at += len;
	if (i == RAW)
		return parse_raw(parser);
	if (i == ZERO)
		return parse_zero(parser);
	header = reserve(parser, layers[i].size);
	if (!header)
		return -1;
	memcpy(header, layers[i].bytes, layers[i].size);
	return parse_settings(parser, layer, header);
}

/* ---- what depends on other layers -------------------------------------- */

static __u32 add_up(const __u8 *bytes, size_t len, __u32 sum)
{
	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? bytes[i] : bytes[i] << 8;
	return sum;
}

static __u16 fold(__u32 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* With the addresses of the IP layer around it; long packets can't overflow 32 bits. */
static __u32 pseudo_header(const struct parser *parser, const struct layer *around, size_t len,
			   __u8 protocol)
{
	const __u8 *ip = parser->buf + around->off;

	if (around->id == IP)
		return add_up(ip + 12, 8, protocol + len);
	return add_up(ip + 8, 32, protocol + (len & 0xffff) + (len >> 16));
}

static void set_auto(struct parser *parser, const struct layer *layer, enum auto_field which,
		     __u32 value)
{
	const struct field *field = &layers[layer->id].autos[which];

	if (!field->kind || layer->given[which])
		return;
	put_number(parser->buf + layer->off, field, value & ((1ULL << (8 * field->size)) - 1));
}

static void set_type(struct parser *parser, const struct layer *layer, const struct layer *next)
{
	bool is_ip = layer->id == IP || layer->id == IP6;
	__u32 type = is_ip ? layers[next->id].protocol : layers[next->id].ether_type;

	if (type)
		set_auto(parser, layer, AUTO_TYPE, type);
}

static void set_csum(struct parser *parser, const struct layer *layer, const struct layer *around)
{
	const struct layer_def *def = &layers[layer->id];
	size_t len = layer->id == IP ? 20 : parser->len - layer->off;
	__u32 sum = 0;

	if (!def->autos[AUTO_CSUM].kind || layer->given[AUTO_CSUM])
		return;
	if (layer->id == UDP || layer->id == TCP) {
		if (!around || (around->id != IP && around->id != IP6))
			return;
		sum = pseudo_header(parser, around, len, def->protocol);
	}
	sum = fold(add_up(parser->buf + layer->off, len, sum));
	/* With UDP 0 would mean that there is none. */
	set_auto(parser, layer, AUTO_CSUM, !sum && layer->id == UDP ? 0xffff : sum);
}

/* From the last layer to the first: checksums are over what is inside. */
static void complete(struct parser *parser)
{
	for (size_t i = parser->layer_cnt; i--;) {
		const struct layer *layer = &parser->layers[i];
		size_t len = parser->len - layer->off;

		if (i + 1 < parser->layer_cnt)
			set_type(parser, layer, layer + 1);
		set_auto(parser, layer, AUTO_LEN, layer->id == IP6 ? len - 40 : len);
		set_csum(parser, layer, i ? layer - 1 : NULL);
	}
}

/* ---- both ways --------------------------------------------------------- */

static int nibble(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	c = tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

long packet_text__hex(const char *text, __u8 *buf, size_t cap, struct packet_text_error *error)
{
	struct parser parser = { .text = text, .at = text, .error = error };
	size_t len = 0;

	for (; *parser.at; parser.at++) {
		if (isblank((unsigned char)*parser.at))
			continue;
		if (nibble(*parser.at) < 0)
			return bad(&parser, "'%c' is no hexadecimal digit", *parser.at);
		if (nibble(parser.at[1]) < 0)
			return bad(&parser, "a byte of one digit");
		if (len == cap)
			return bad(&parser, "longer than %zu bytes", cap);
		buf[len++] = nibble(parser.at[0]) << 4 | nibble(parser.at[1]);
		parser.at++;
	}
	return len;
}

long packet_text__parse(const char *text, __u8 *buf, size_t cap, struct packet_text_error *error)
{
	struct parser parser = { .text = text, .at = text, .buf = buf, .cap = cap, .error = error };

	/* Every layer's name has a letter that is no hexadecimal digit. */
	if (!text[strspn(text, "0123456789abcdefABCDEF \t")])
		return packet_text__hex(text, buf, cap, error);
	for (;;) {
		if (parse_layer(&parser))
			return -1;
		if (!*parser.at)
			break;
		if (*parser.at != '/')
			return bad(&parser, "'/' is missing");
		parser.at++;
	}
	complete(&parser);
	return parser.len;
}

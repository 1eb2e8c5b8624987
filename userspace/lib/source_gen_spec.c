// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Reads a generator specification such as "udp,count=100000,seed=7,size=64". */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strsep */
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>

#include "log.h"
#include "number.h"
#include "source_gen.h"

#define NSEC_PER_SEC 1000000000ULL
/* Wider prefixes would leave too few bits of a flow's number for the ports. */
#define MAX_VARYING_BITS 24

static const struct {
	const char *name;
	__u32 headers;
	bool ipv6;
} protos[GEN_PROTOS] = {
	[GEN_UDP] = { "udp", 14 + 20 + 8, false },
	[GEN_TCP] = { "tcp", 14 + 20 + 20, false },
	[GEN_UDP6] = { "udp6", 14 + 40 + 8, true },
	[GEN_TCP6] = { "tcp6", 14 + 40 + 20, true },
	[GEN_ICMP] = { "icmp", 14 + 20 + 8, false },
	[GEN_ICMP6] = { "icmp6", 14 + 40 + 8, true },
	[GEN_ARP] = { "arp", 14 + 28, false },
	[GEN_RANDOM] = { "random", 14, false },
	[GEN_MIX] = { "mix", 14, false },
};

const char *gen_proto_name(enum gen_proto proto)
{
	return protos[proto].name;
}

bool gen_is_ipv6(enum gen_proto proto)
{
	return protos[proto].ipv6;
}

__u32 gen_header_size(enum gen_proto proto)
{
	return protos[proto].headers;
}

/* ---- values ------------------------------------------------------------ */

/* k, M or G; 0 for anything else. */
static __u64 suffix_factor(const char *suffix)
{
	if (!*suffix)
		return 1;
	if (suffix[1])
		return 0;
	switch (*suffix) {
	case 'k':
	case 'K':
		return 1000;
	case 'm':
	case 'M':
		return 1000 * 1000;
	case 'g':
	case 'G':
		return 1000 * 1000 * 1000;
	default:
		return 0;
	}
}

/* A number from @min to @max and nothing after it but a suffix. */
static bool parse_number(const char *text, __u64 min, __u64 max, __u64 *number)
{
	__u64 value, factor;
	char *end;

	if (!xtr_number__read(text, &end, &value))
		return false;
	factor = suffix_factor(end);
	if (!factor || (*end && (text[1] == 'x' || text[1] == 'X')) || value > UINT64_MAX / factor)
		return false;
	value *= factor;
	if (value < min || value > max)
		return false;
	*number = value;
	return true;
}

static bool parse_u32(const char *text, __u32 min, __u32 max, __u32 *number)
{
	__u64 value;

	if (!parse_number(text, min, max, &value))
		return false;
	*number = value;
	return true;
}

/* Two numbers with one of @separators between them. */
static bool parse_pair(const char *text, const char *separators, __u32 min, __u32 max, __u32 *first,
		       __u32 *second)
{
	size_t len = strcspn(text, separators);
	char head[32];

	if (!text[len] || len >= sizeof(head))
		return false;
	memcpy(head, text, len);
	head[len] = 0;
	return parse_u32(head, min, max, first) && parse_u32(text + len + 1, min, max, second);
}

static bool parse_count(struct gen_spec *spec, const char *value)
{
	return parse_number(value, 1, GEN_MAX_COUNT, &spec->count);
}

static bool parse_seed(struct gen_spec *spec, const char *value)
{
	return parse_number(value, 0, UINT64_MAX, &spec->seed);
}

static bool parse_flows(struct gen_spec *spec, const char *value)
{
	return parse_number(value, 1, GEN_MAX_COUNT, &spec->flows);
}

static bool parse_size(struct gen_spec *spec, const char *value)
{
	if (parse_u32(value, GEN_MIN_SIZE, GEN_MAX_SIZE, &spec->min_size)) {
		spec->max_size = spec->min_size;
		return true;
	}
	return parse_pair(value, "-", GEN_MIN_SIZE, GEN_MAX_SIZE, &spec->min_size,
			  &spec->max_size) &&
	       spec->min_size <= spec->max_size;
}

static bool parse_meta(struct gen_spec *spec, const char *value)
{
	return parse_u32(value, 0, GEN_MAX_META, &spec->meta) && spec->meta % 4 == 0;
}

static bool parse_vlan(struct gen_spec *spec, const char *value)
{
	__u32 id;

	if (!parse_u32(value, 0, 4095, &id))
		return false;
	spec->vlan[0] = id;
	spec->tags = 1;
	return true;
}

static bool parse_qinq(struct gen_spec *spec, const char *value)
{
	__u32 outer, inner;

	if (!parse_pair(value, ":+", 0, 4095, &outer, &inner))
		return false;
	spec->vlan[0] = outer;
	spec->vlan[1] = inner;
	spec->tags = 2;
	return true;
}

static void clear_host_bits(__u8 *addr, __u32 host_bits)
{
	int i;

	for (i = 15; i >= 0 && host_bits; i--) {
		__u32 bits = host_bits < 8 ? host_bits : 8;

		addr[i] &= 0xff << bits;
		host_bits -= bits;
	}
}

/* ADDRESS or ADDRESS/PREFIX, IPv4 or IPv6, into @ranges by family. */
static bool parse_range(struct gen_range *ranges, const char *value)
{
	size_t len = strcspn(value, "/");
	char addr[INET6_ADDRSTRLEN];
	struct gen_range *range;
	__u32 width, prefix;

	if (len >= sizeof(addr))
		return false;
	memcpy(addr, value, len);
	addr[len] = 0;
	width = strchr(addr, ':') ? 128 : 32;
	range = &ranges[width == 128];
	if (inet_pton(width == 128 ? AF_INET6 : AF_INET, addr, range->addr + 16 - width / 8) != 1)
		return false;
	prefix = width;
	if (value[len] && !parse_u32(value + len + 1, 0, width, &prefix))
		return false;
	/* Host bits vary as far as they can, those above them are 0. */
	clear_host_bits(range->addr, width - prefix);
	range->bits = width - prefix < MAX_VARYING_BITS ? width - prefix : MAX_VARYING_BITS;
	range->given = true;
	return true;
}

static bool parse_src(struct gen_spec *spec, const char *value)
{
	return parse_range(spec->src, value);
}

static bool parse_dst(struct gen_spec *spec, const char *value)
{
	return parse_range(spec->dst, value);
}

static bool parse_port(int *port, const char *value)
{
	__u32 number;

	if (!parse_u32(value, 0, 65535, &number))
		return false;
	*port = number;
	return true;
}

static bool parse_sport(struct gen_spec *spec, const char *value)
{
	return parse_port(&spec->sport, value);
}

static bool parse_dport(struct gen_spec *spec, const char *value)
{
	return parse_port(&spec->dport, value);
}

static bool parse_gap(struct gen_spec *spec, const char *value)
{
	return parse_number(value, 0, 3600 * NSEC_PER_SEC, &spec->gap_ns);
}

static bool parse_pps(struct gen_spec *spec, const char *value)
{
	__u64 pps;

	if (!parse_number(value, 1, NSEC_PER_SEC, &pps))
		return false;
	spec->gap_ns = NSEC_PER_SEC / pps;
	return true;
}

/* ---- keys -------------------------------------------------------------- */

enum key {
	KEY_COUNT,
	KEY_SEED,
	KEY_FLOWS,
	KEY_SIZE,
	KEY_META,
	KEY_VLAN,
	KEY_QINQ,
	KEY_SRC,
	KEY_DST,
	KEY_SPORT,
	KEY_DPORT,
	KEY_GAP,
	KEY_PPS,
	KEYS,
};

static const struct {
	const char *name;
	bool (*parse)(struct gen_spec *spec, const char *value);
	const char *accepts;
} keys[KEYS] = {
	[KEY_COUNT] = { "count", parse_count,
			"a number of packets from 1 to 2^40, also as 10k, 5M, 1G" },
	[KEY_SEED] = { "seed", parse_seed, "a number from 0 to 2^64-1" },
	[KEY_FLOWS] = { "flows", parse_flows,
			"a number of flows from 1 to 2^40, also as 10k, 5M, 1G" },
	[KEY_SIZE] = { "size", parse_size,
		       "bytes of a frame from 14 to 73152, one number or MIN-MAX" },
	[KEY_META] = { "meta", parse_meta, "bytes of metadata, a multiple of 4 from 0 to 252" },
	[KEY_VLAN] = { "vlan", parse_vlan, "a VLAN ID from 0 to 4095" },
	[KEY_QINQ] = { "qinq", parse_qinq, "two VLAN IDs from 0 to 4095, OUTER:INNER" },
	[KEY_SRC] = { "src", parse_src, "an IPv4 or IPv6 address or prefix such as 198.18.0.0/16" },
	[KEY_DST] = { "dst", parse_dst, "an IPv4 or IPv6 address or prefix such as 198.19.0.1" },
	[KEY_SPORT] = { "sport", parse_sport, "a port from 0 to 65535" },
	[KEY_DPORT] = { "dport", parse_dport, "a port from 0 to 65535" },
	[KEY_GAP] = { "gap", parse_gap, "nanoseconds between time stamps, from 0 to 3600G" },
	[KEY_PPS] = { "pps", parse_pps, "packets per second of the time stamps, from 1 to 1G" },
};

#define KEY(key) (1U << (key))

#define KEY_NAMES "count, seed, flows, size, meta, vlan, qinq, src, dst, sport, dport, gap, pps"
#define PROTO_NAMES "udp, tcp, udp6, tcp6, icmp, icmp6, arp, random, mix"

static int parse_key(struct gen_spec *spec, char *item, __u32 *seen, const char *text)
{
	char *value = strchr(item, '=');
	enum key key;

	if (value)
		*value++ = 0;
	for (key = 0; key < KEYS; key++)
		if (!strcmp(item, keys[key].name))
			break;
	if (key == KEYS) {
		pr_err("cannot use generator '%s': there is no option '%s'; options are %s", text,
		       item, KEY_NAMES);
		return -EINVAL;
	}
	if (*seen & KEY(key)) {
		pr_err("cannot use generator '%s': %s is given twice; give it once", text, item);
		return -EINVAL;
	}
	*seen |= KEY(key);
	if (!value || !keys[key].parse(spec, value)) {
		pr_err("cannot use generator '%s': %s=%s; %s takes %s", text, item,
		       value ? value : "", item, keys[key].accepts);
		return -EINVAL;
	}
	return 0;
}

static int parse_proto(struct gen_spec *spec, const char *word, const char *text)
{
	int proto;

	for (proto = 0; proto < GEN_PROTOS; proto++) {
		if (!strcmp(word, protos[proto].name)) {
			spec->proto = proto;
			return 0;
		}
	}
	pr_err("cannot use generator '%s': it starts with '%s'; start with one of %s", text, word,
	       PROTO_NAMES);
	return -EINVAL;
}

/* ---- what goes with what ----------------------------------------------- */

/* Options that a protocol has no place for. */
static __u32 refused_keys(const struct gen_spec *spec)
{
	const __u32 ports = KEY(KEY_SPORT) | KEY(KEY_DPORT);

	switch (spec->proto) {
	case GEN_RANDOM:
		return ports | KEY(KEY_SRC) | KEY(KEY_DST) | KEY(KEY_FLOWS) | KEY(KEY_VLAN) |
		       KEY(KEY_QINQ);
	case GEN_ICMP:
	case GEN_ICMP6:
	case GEN_ARP:
		return ports;
	default:
		return 0;
	}
}

static int check_keys(const struct gen_spec *spec, __u32 seen, const char *text)
{
	static const __u32 pairs[] = { KEY(KEY_VLAN) | KEY(KEY_QINQ), KEY(KEY_GAP) | KEY(KEY_PPS) };
	__u32 refused = seen & refused_keys(spec);
	enum key key;
	size_t i;

	for (key = 0; key < KEYS; key++) {
		if (refused & KEY(key)) {
			pr_err("cannot use generator '%s': %s packets have no %s; leave it out",
			       text, gen_proto_name(spec->proto), keys[key].name);
			return -EINVAL;
		}
	}
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if ((seen & pairs[i]) == pairs[i]) {
			pr_err("cannot use generator '%s': %s exclude each other; leave one out",
			       text, i ? "gap and pps" : "vlan and qinq");
			return -EINVAL;
		}
	}
	return 0;
}

static int check_family(const struct gen_spec *spec, const char *text)
{
	int other = !gen_is_ipv6(spec->proto);

	if (spec->proto == GEN_MIX || (!spec->src[other].given && !spec->dst[other].given))
		return 0;
	pr_err("cannot use generator '%s': %s packets have no IPv%d address; give src and dst as "
	       "IPv%d",
	       text, gen_proto_name(spec->proto), other ? 6 : 4, other ? 4 : 6);
	return -EINVAL;
}

static void default_size(struct gen_spec *spec)
{
	__u32 numbered = gen_header_size(spec->proto) + 4 * spec->tags + 8;

	if (spec->proto >= GEN_SHAPES) {
		/* Hostile input comes in all sizes, shorter than its headers too. */
		spec->min_size = GEN_MIN_SIZE;
		spec->max_size = 512;
		return;
	}
	spec->min_size = numbered > 64 ? numbered : 64;
	spec->max_size = spec->min_size;
}

static int check_size(struct gen_spec *spec, const char *text)
{
	__u32 headers = gen_header_size(spec->proto) + 4 * spec->tags;

	if (!spec->max_size)
		default_size(spec);
	/* A mix cuts what does not fit. */
	if (spec->proto == GEN_MIX || spec->min_size >= headers)
		return 0;
	pr_err("cannot use generator '%s': size=%u is less than the headers of %s%s; give size=%u "
	       "or more",
	       text, spec->min_size, gen_proto_name(spec->proto),
	       spec->tags ? " with its VLAN tags" : "", headers);
	return -EINVAL;
}

/* 200 years of time stamps, so that they fit whatever base they start from. */
static int check_time(const struct gen_spec *spec, const char *text)
{
	__u64 limit = 200ULL * 365 * 86400 * NSEC_PER_SEC;

	if (!spec->gap_ns || spec->count <= limit / spec->gap_ns)
		return 0;
	pr_err("cannot use generator '%s': %llu packets each %llu ns apart take more than 200 "
	       "years; lower count or gap",
	       text, (unsigned long long)spec->count, (unsigned long long)spec->gap_ns);
	return -EINVAL;
}

static void set_default_range(struct gen_range *range, const char *addr, __u8 bits)
{
	if (range->given)
		return;
	inet_pton(strchr(addr, ':') ? AF_INET6 : AF_INET, addr,
		  range->addr + (strchr(addr, ':') ? 0 : 12));
	range->bits = bits;
}

/* The ranges set aside for benchmarks (RFC 2544) and documentation (RFC 3849);
 * one part for each direction, so that no flow is another's way back.
 */
static void default_ranges(struct gen_spec *spec)
{
	set_default_range(&spec->src[0], "198.18.0.0", 16);
	set_default_range(&spec->dst[0], "198.19.0.0", 16);
	set_default_range(&spec->src[1], "2001:db8:0:1::", 16);
	set_default_range(&spec->dst[1], "2001:db8:0:2::", 16);
}

static int parse_items(struct gen_spec *spec, char *copy, const char *text)
{
	__u32 seen = 0;
	char *item;
	int err;

	err = parse_proto(spec, strsep(&copy, ","), text);
	while (!err && (item = strsep(&copy, ",")))
		err = parse_key(spec, item, &seen, text);
	if (!err)
		err = check_keys(spec, seen, text);
	if (!err)
		err = check_family(spec, text);
	if (!err)
		err = check_size(spec, text);
	if (!err)
		err = check_time(spec, text);
	return err;
}

int gen_spec__parse(struct gen_spec *spec, const char *text)
{
	char *copy = strdup(text);
	int err;

	if (!copy)
		return -ENOMEM;
	memset(spec, 0, sizeof(*spec));
	spec->count = 100000;
	spec->seed = 1;
	spec->gap_ns = 1000;
	spec->sport = -1;
	spec->dport = -1;
	err = parse_items(spec, copy, text);
	default_ranges(spec);
	free(copy);
	return err;
}

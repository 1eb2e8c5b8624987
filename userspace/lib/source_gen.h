/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The generator's specification, as text and as numbers: docs/generator.md. */
#ifndef XTR_SOURCE_GEN_H
#define XTR_SOURCE_GEN_H

#include <stdbool.h>
#include <linux/types.h>

#define GEN_MIN_SIZE 14 /* an Ethernet header */
#define GEN_MAX_SIZE 73152 /* what the kernel's test run takes */
#define GEN_MAX_COUNT (1ULL << 40)
#define GEN_MAX_META 252

enum gen_proto {
	GEN_UDP,
	GEN_TCP,
	GEN_UDP6,
	GEN_TCP6,
	GEN_ICMP,
	GEN_ICMP6,
	GEN_ARP,
	GEN_SHAPES, /* those above have headers of their own */
	GEN_RANDOM = GEN_SHAPES,
	GEN_MIX,
	GEN_PROTOS,
};

/* An address whose lowest bits vary from flow to flow. */
struct gen_range {
	bool given;
	__u8 addr[16]; /* IPv4: the last four */
	__u8 bits; /* how many vary */
};

struct gen_spec {
	enum gen_proto proto;
	__u64 count;
	__u64 seed;
	__u64 flows; /* 0: as many as there are packets and addresses */
	__u32 min_size;
	__u32 max_size;
	__u32 meta;
	__u32 tags;
	__u16 vlan[2];
	struct gen_range src[2], dst[2]; /* IPv4, IPv6 */
	int sport, dport; /* negative: they vary */
	__u64 gap_ns;
};

/* Fills @spec in from @text; 0, -EINVAL after one line that says why, -ENOMEM. */
int gen_spec__parse(struct gen_spec *spec, const char *text);

const char *gen_proto_name(enum gen_proto proto);
bool gen_is_ipv6(enum gen_proto proto);

/* Bytes of headers, without VLAN tags. */
__u32 gen_header_size(enum gen_proto proto);

#endif /* XTR_SOURCE_GEN_H */

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Packets written by hand: "eth/ip(dst=10.0.0.1)/udp(dport=53)/raw(abcd)", or
 * the bytes in hexadecimal. docs/golden-files.md describes the notation.
 */
#ifndef XTR_PACKET_TEXT_H
#define XTR_PACKET_TEXT_H

#include <stddef.h>
#include <linux/types.h>

#define PACKET_TEXT_MAX 73152 /* bytes of a packet */

struct packet_text_error {
	size_t at; /* character, from 1 */
	char why[128];
};

/* Bytes in hexadecimal, with blanks between them. Returns the length or -1. */
long packet_text__hex(const char *text, __u8 *buf, size_t cap, struct packet_text_error *error);

/* Either way to write a packet. Returns the length or -1. */
long packet_text__parse(const char *text, __u8 *buf, size_t cap, struct packet_text_error *error);

#endif /* XTR_PACKET_TEXT_H */

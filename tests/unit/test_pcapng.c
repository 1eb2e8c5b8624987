// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* pcapng: what is written is read again, others' files are read, hostile ones are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "expect/pcapng.h"

static uint8_t file_bytes[1 << 16];

/* ---- files ------------------------------------------------------------- */

static int fd_of(const void *bytes, size_t len)
{
	FILE *file = tmpfile();
	int fd;

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fflush(file), 0);
	fd = dup(fileno(file));
	fclose(file);
	assert_true(fd >= 0);
	return fd;
}

/* A file as --record writes it; returns its length in file_bytes. */
static size_t sample(void)
{
	static const uint8_t data[] = { 1, 2, 3, 4, 5 };
	struct pcapng_packet packet = {
		.ts_ns = 1767225600123456789ULL,
		.data = data,
		.len = sizeof(data),
		.orig_len = sizeof(data),
		.flags = PCAPNG_INBOUND,
		.has_id = true,
		.id = 7,
		.comment = "metadata 00",
		.comment_len = 11,
	};
	FILE *file = fmemopen(file_bytes, sizeof(file_bytes), "w");
	size_t len;

	assert_int_equal(pcapng__write_section(file, "Linux", "test", "a comment"), 0);
	assert_int_equal(pcapng__write_interface(file, "in", "before"), 0);
	assert_int_equal(pcapng__write_interface(file, "out", NULL), 0);
	assert_int_equal(pcapng__write_packet(file, &packet), 0);
	packet.interface = 1;
	packet.flags = PCAPNG_OUTBOUND;
	packet.has_verdict = true;
	packet.verdict_type = PCAPNG_VERDICT_XDP;
	packet.verdict = 3;
	packet.comment = NULL;
	packet.len = 0;
	assert_int_equal(pcapng__write_packet(file, &packet), 0);
	len = ftell(file);
	fclose(file);
	return len;
}

/* Reads up to the end or an error; returns what next() said last. */
static int read_all(const void *bytes, size_t len, unsigned int *packets, char *error, size_t size)
{
	int fd = fd_of(bytes, len), err;
	struct pcapng_reader *reader = pcapng_reader__open(fd);
	volatile uint32_t sum = 0;
	struct pcapng_packet packet;

	assert_non_null(reader);
	*packets = 0;
	while ((err = pcapng_reader__next(reader, &packet)) > 0) {
		++*packets;
		/* All that is handed over must be there: for the sanitizer to see. */
		for (uint32_t i = 0; i < packet.len; i++)
			sum += packet.data[i];
		for (uint32_t i = 0; i < packet.comment_len; i++)
			sum += packet.comment[i];
		sum += strlen(packet.if_name);
	}
	snprintf(error, size, "%s", pcapng_reader__error(reader));
	pcapng_reader__close(reader);
	close(fd);
	return err;
}

static void assert_refused(const void *bytes, size_t len, const char *why)
{
	unsigned int packets;
	char error[256];

	assert_int_equal(read_all(bytes, len, &packets, error, sizeof(error)), -EBADMSG);
	if (!strstr(error, why))
		fail_msg("said '%s', not '%s'", error, why);
}

/* ---- blocks by hand, in either byte order ------------------------------ */

static bool big;
static uint8_t hand[4096];
static size_t hand_len;

static void put16(uint16_t v)
{
	v = big ? __builtin_bswap16(v) : v;
	memcpy(hand + hand_len, &v, 2);
	hand_len += 2;
}

static void put32(uint32_t v)
{
	v = big ? __builtin_bswap32(v) : v;
	memcpy(hand + hand_len, &v, 4);
	hand_len += 4;
}

static size_t begin_block(uint32_t type)
{
	size_t at = hand_len;

	put32(type);
	put32(0);
	return at;
}

static void end_block(size_t at)
{
	uint32_t len = hand_len - at + 4;
	size_t end = hand_len;

	hand_len = at + 4;
	put32(len);
	hand_len = end;
	put32(len);
}

static void put_section(void)
{
	size_t at = begin_block(0x0a0d0d0a);

	put32(0x1a2b3c4d);
	put16(1);
	put16(0);
	put32(~0U);
	put32(~0U);
	end_block(at);
}

static void put_interface(int resolution)
{
	size_t at = begin_block(1);

	put16(1);
	put16(0);
	put32(0);
	put16(2);
	put16(3);
	memcpy(hand + hand_len, "eth\0", 4);
	hand_len += 4;
	if (resolution >= 0) {
		put16(9);
		put16(1);
		memset(hand + hand_len, 0, 4);
		hand[hand_len] = resolution;
		hand_len += 4;
	}
	end_block(at);
}

static void put_packet(uint32_t interface, uint64_t ts)
{
	size_t at = begin_block(6);

	put32(interface);
	put32(ts >> 32);
	put32(ts);
	put32(2);
	put32(60);
	memcpy(hand + hand_len, "ab\0\0", 4);
	hand_len += 4;
	put16(7); /* verdict */
	put16(9);
	memset(hand + hand_len, 0, 12);
	hand[hand_len] = 2;
	hand[hand_len + (big ? 8 : 1)] = 4;
	hand_len += 12;
	put16(0);
	put16(0);
	end_block(at);
}

static void put_unknown(void)
{
	size_t at = begin_block(0xbad);

	for (int i = 0; i < 10; i++)
		put32(i);
	end_block(at);
}

/* ---- tests ------------------------------------------------------------- */

static void test_round_trip(void **state)
{
	size_t len = sample();
	int fd = fd_of(file_bytes, len);
	struct pcapng_reader *reader = pcapng_reader__open(fd);
	struct pcapng_packet packet;

	(void)state;
	assert_int_equal(pcapng_reader__next(reader, &packet), 1);
	assert_string_equal(packet.if_name, "in");
	assert_int_equal(packet.link_type, PCAPNG_ETHERNET);
	assert_int_equal(packet.ts_ns, 1767225600123456789ULL);
	assert_int_equal(packet.len, 5);
	assert_memory_equal(packet.data, "\1\2\3\4\5", 5);
	assert_int_equal(packet.flags, PCAPNG_INBOUND);
	assert_true(packet.has_id);
	assert_int_equal(packet.id, 7);
	assert_false(packet.has_verdict);
	assert_int_equal(packet.comment_len, 11);
	assert_memory_equal(packet.comment, "metadata 00", 11);
	assert_int_equal(pcapng_reader__next(reader, &packet), 1);
	assert_string_equal(packet.if_name, "out");
	assert_true(packet.has_verdict);
	assert_int_equal(packet.verdict_type, PCAPNG_VERDICT_XDP);
	assert_int_equal(packet.verdict, 3);
	assert_null(packet.comment);
	assert_int_equal(packet.len, 0);
	assert_int_equal(packet.orig_len, 5);
	assert_int_equal(pcapng_reader__next(reader, &packet), 0);
	assert_int_equal(pcapng_reader__next(reader, &packet), 0);
	pcapng_reader__close(reader);
	close(fd);
}

static void read_hand(uint64_t ts_ns)
{
	int fd = fd_of(hand, hand_len);
	struct pcapng_reader *reader = pcapng_reader__open(fd);
	struct pcapng_packet packet;

	if (pcapng_reader__next(reader, &packet) != 1)
		fail_msg("%s", pcapng_reader__error(reader));
	assert_string_equal(packet.if_name, "eth");
	assert_int_equal(packet.ts_ns, ts_ns);
	assert_int_equal(packet.len, 2);
	assert_int_equal(packet.orig_len, 60);
	assert_int_equal(packet.verdict, 4);
	assert_int_equal(pcapng_reader__next(reader, &packet), 0);
	pcapng_reader__close(reader);
	close(fd);
}

/* Both byte orders, and blocks that nobody knows. */
static void test_byte_orders(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		big = i;
		hand_len = 0;
		put_section();
		put_unknown();
		put_interface(9);
		put_unknown();
		put_packet(0, 1234567890123ULL);
		put_unknown();
		read_hand(1234567890123ULL);
	}
	big = false;
}

static void test_resolutions(void **state)
{
	static const struct {
		int resolution;
		uint64_t ts, ns;
	} cases[] = {
		{ -1, 5, 5000 },      { 6, 5, 5000 },
		{ 3, 5, 5000000 },    { 9, 5, 5 },
		{ 12, 5999, 5 },      { 127, 5, 0 },
		{ 0, 2, 2000000000 }, { 0x80 | 1, 3, 1500000000 },
		{ 0x80 | 127, 3, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hand_len = 0;
		put_section();
		put_interface(cases[i].resolution);
		put_packet(0, cases[i].ts);
		read_hand(cases[i].ns);
	}
}

/* A second section begins anew: another byte order, its own interfaces. */
static void test_sections(void **state)
{
	unsigned int packets;
	char error[256];

	(void)state;
	hand_len = 0;
	put_section();
	put_interface(9);
	put_packet(0, 1);
	big = true;
	put_section();
	put_interface(9);
	put_packet(0, 1);
	assert_int_equal(read_all(hand, hand_len, &packets, error, sizeof(error)), 0);
	assert_int_equal(packets, 2);
	put_section();
	put_packet(0, 1);
	assert_refused(hand, hand_len, "interface 0, which the section does not describe");
	big = false;
}

static void test_refused(void **state)
{
	size_t len = sample();
	uint32_t value;

	(void)state;
	assert_refused("garbage that is long enough", 27, "not a pcapng file");
	assert_refused(file_bytes, 20, "the file ends in the middle of it");
	assert_refused(file_bytes, len - 1, "the file ends in the middle of it");
	/* The section's length, at its front and end. */
	value = 0xfffffff0;
	memcpy(file_bytes + 4, &value, 4);
	assert_refused(file_bytes, len, "more than any packet needs");
	value = 13;
	memcpy(file_bytes + 4, &value, 4);
	assert_refused(file_bytes, len, "a length of 13 bytes");
	sample();
	memcpy(&value, file_bytes + 4, 4);
	file_bytes[value - 4] ^= 4;
	assert_refused(file_bytes, len, "at its front and");
	sample();
	file_bytes[8] ^= 1;
	assert_refused(file_bytes, len, "not a pcapng file");
	sample();
	file_bytes[12] = 2;
	assert_refused(file_bytes, len, "version 2");
}

static void test_bad_options(void **state)
{
	(void)state;
	hand_len = 0;
	put_section();
	put_interface(9);
	put_packet(0, 1);
	/* The verdict's length: behind it are 12 bytes, the end of options and of the block. */
	hand[hand_len - 22 + 0] = 200;
	assert_refused(hand, hand_len, "longer than the block");
	hand[hand_len - 22 + 0] = 5;
	assert_refused(hand, hand_len, "a verdict of 5 bytes");
	hand[hand_len - 22 + 0] = 0;
	assert_refused(hand, hand_len, "a verdict without a type");
}

/* Captured length beyond the block. */
static void test_bad_caplen(void **state)
{
	size_t at;

	(void)state;
	hand_len = 0;
	put_section();
	put_interface(9);
	at = hand_len;
	put_packet(0, 1);
	memset(hand + at + 20, 0xff, 4);
	assert_refused(hand, hand_len, "in a block of");
	memset(hand + at + 20, 0, 4);
	hand[at + 20] = 200;
	assert_refused(hand, hand_len, "in a block of");
}

/* A shorter captured length than there is: bytes are not taken for the end of options. */
static void test_bytes_as_options(void **state)
{
	size_t at;

	(void)state;
	hand_len = 0;
	put_section();
	put_interface(9);
	at = hand_len;
	put_packet(0, 1);
	memset(hand + at + 20, 0, 4); /* the length */
	memset(hand + at + 28, 0, 4); /* its first bytes */
	assert_refused(hand, hand_len, "after the last option");
}

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Bytes change, parts go missing or come twice: an error in words or packets, no crash. */
static void test_mutations(void **state)
{
	static const uint8_t values[] = { 0, 1, 4, 0x7f, 0x80, 0xff };
	static uint8_t good[4096], mutated[8192];
	uint64_t seed = 1;
	size_t good_len;

	(void)state;
	good_len = sample();
	memcpy(good, file_bytes, good_len);
	for (int round = 0; round < 4000; round++) {
		size_t len = good_len, at, part;
		unsigned int packets;
		char error[256];
		int err;

		memcpy(mutated, good, len);
		for (uint32_t i = next_random(&seed) % 4; i < 5; i++)
			mutated[next_random(&seed) % len] =
				next_random(&seed) % 2 ? next_random(&seed)
						       : values[next_random(&seed) % 6];
		at = next_random(&seed) % len;
		part = next_random(&seed) % (len - at);
		if (round % 3 == 1) {
			len = at;
		} else if (round % 3 == 2) {
			memmove(mutated + at + part, mutated + at, len - at);
			len += part;
		}
		err = read_all(mutated, len, &packets, error, sizeof(error));
		assert_true(err == 0 || err == -EBADMSG);
		if (err)
			assert_true(*error != '\0' && !strchr(error, '\n'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_byte_orders),
		cmocka_unit_test(test_resolutions), cmocka_unit_test(test_sections),
		cmocka_unit_test(test_refused),	    cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_bad_caplen),  cmocka_unit_test(test_bytes_as_options),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests_name("pcapng", tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The notation of packets: what it gives, and what it says of mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "expect/packet_text.h"

static __u8 buf[PACKET_TEXT_MAX];
static struct packet_text_error error;

static long parse(const char *text)
{
	memset(buf, 0xee, 2048);
	return packet_text__parse(text, buf, sizeof(buf), &error);
}

static void assert_bytes(const char *text, const char *hex)
{
	__u8 want[512];
	long len = packet_text__hex(hex, want, sizeof(want), &error), got;

	assert_true(len >= 0);
	got = parse(text);
	if (got < 0)
		fail_msg("%s: character %zu: %s", text, error.at, error.why);
	assert_int_equal(got, len);
	assert_memory_equal(buf, want, len);
}

static void assert_bad(const char *text, size_t at, const char *why)
{
	assert_int_equal(parse(text), -1);
	if (error.at != at || !strstr(error.why, why))
		fail_msg("%s: character %zu: %s", text, error.at, error.why);
}

/* ---- tests ------------------------------------------------------------- */

static void test_hex(void **state)
{
	(void)state;
	assert_bytes("00 ff\tAb", "00ffab");
	assert_bytes("", "");
	assert_bad("abc", 3, "one digit");
	assert_int_equal(packet_text__hex("0g", buf, 4, &error), -1);
	assert_int_equal(error.at, 1);
	assert_int_equal(packet_text__hex("0102030405", buf, 4, &error), -1);
	assert_string_equal(error.why, "longer than 4 bytes");
}

static void test_layers(void **state)
{
	(void)state;
	assert_bytes("eth", "020000000002 020000000001 88b5");
	assert_bytes("eth(dst=ff:ff:ff:ff:ff:ff,src=0:1:2:3:4:a,type=0x806)/raw(00 01)",
		     "ffffffffffff 00010203040a 0806 0001");
	assert_bytes("eth/vlan(id=100,prio=5)/zero(2)",
		     "020000000002 020000000001 8100 a064 88b5 0000");
	assert_bytes("eth/qinq(id=2)/vlan(id=3)/ip",
		     "020000000002 020000000001 88a8 0002 8100 0003 0800"
		     "45000014 00000000 40fd 65eb 0a000001 0a000002");
	assert_bytes("eth/ip(dst=10.0.0.1)/udp(dport=53)/raw(abcd)",
		     "020000000002 020000000001 0800 4500001e 00000000 4011 66ce 0a000001 0a000001"
		     "03e8 0035 000a 3bee abcd");
	assert_bytes("eth/ip6/tcp(flags=SA,seq=0x01020304)",
		     "020000000002 020000000001 86dd 60000000 0014 06 40"
		     "fd000000000000000000000000000001 fd000000000000000000000000000002"
		     "03e8 07d0 01020304 00000000 5012 ffff a610 0000");
	assert_bytes("eth/ip/icmp(id=1)/raw(ff)",
		     "020000000002 020000000001 0800 4500001d 00000000 4001 66de 0a000001 0a000002"
		     "0800 f8fd 0001 0000 ff");
}

static __u16 sum_of(const __u8 *bytes, size_t len, __u32 sum)
{
	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? bytes[i] : bytes[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Over a right header with its checksum in it the sum is all ones. */
static void test_checksums(void **state)
{
	long len;

	(void)state;
	len = parse("eth/ip/ip(src=1.2.3.4)/udp/raw(010203)");
	assert_int_equal(buf[14 + 9], 4);
	assert_int_equal(sum_of(buf + 14, 20, 0), 0xffff);
	assert_int_equal(sum_of(buf + 34, 20, 0), 0xffff);
	assert_int_equal(sum_of(buf + 54, len - 54, sum_of(buf + 46, 8, 17 + len - 54)), 0xffff);
	len = parse("eth/ip6/udp/zero(1000)");
	assert_int_equal(sum_of(buf + 54, len - 54, sum_of(buf + 22, 32, 17 + len - 54)), 0xffff);
}

/* What is given stays, be it wrong. */
static void test_overrides(void **state)
{
	(void)state;
	parse("eth(type=0x1234)/ip(len=5,csum=0xdead,proto=99)/udp(len=1,csum=0)");
	assert_memory_equal(buf + 12, "\x12\x34", 2);
	assert_memory_equal(buf + 16, "\0\5", 2);
	assert_memory_equal(buf + 24, "\xde\xad", 2);
	assert_int_equal(buf[23], 99);
	assert_memory_equal(buf + 38, "\0\1\0\0", 4);
}

static void test_mistakes(void **state)
{
	(void)state;
	assert_bad("eth/xyz", 5, "no layer 'xyz'");
	assert_bad("eth/", 5, "no layer ''");
	assert_bad("eth ip", 4, "'/' is missing");
	assert_bad("eth/ip(foo=1)", 8, "ip has no 'foo'");
	assert_bad("eth/ip(ttl)", 11, "needs a value");
	assert_bad("eth/ip(ttl=256)", 12, "up to 255, not '256'");
	assert_bad("eth/ip(ttl=-1)", 12, "up to 255");
	assert_bad("eth/ip(ttl=1", 12, "is missing");
	assert_bad("eth/ip(src=10.0.0)", 12, "no IPv4 address");
	assert_bad("eth/ip6(src=10.0.0.1)", 13, "no IPv6 address");
	assert_bad("eth(dst=1:2:3)", 9, "no MAC address");
	assert_bad("eth/ip/tcp(flags=SX)", 18, "not 'X'");
	assert_bad("eth/vlan(id=4096)", 13, "up to 4095");
	assert_bad("eth/raw(0g)", 9, "one digit");
	assert_bad("eth/raw(00 xy)", 12, "no hexadecimal digit");
	assert_bad("eth/raw", 8, "'(' is missing");
	assert_bad("eth/zero(x)", 10, "a number of bytes");
	assert_bad("eth/zero(100000)", 10, "longer than");
	assert_bad("eth/raw(00", 9, "')' is missing");
	assert_bad("eth/eth/eth/eth/eth/eth/eth/eth/eth/eth/eth/eth/eth/eth/eth/eth/eth", 65,
		   "more than 16 layers");
}

/* Any text gives a packet or a reason. */
static void test_mutations(void **state)
{
	static const char good[] =
		"eth(dst=1:2:3:4:5:6)/vlan(id=7)/ip(src=1.2.3.4)/udp/raw(00)/zero(9)";
	static const char letters[] = "/()=,.:0f x\x80\n%";
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[sizeof(good)];
		long len;

		memcpy(text, good, sizeof(good));
		for (int i = 0; i < 1 + round % 4; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			text[(seed >> 33) % (sizeof(good) - 1)] =
				letters[(seed >> 50) % sizeof(letters)];
		}
		error = (struct packet_text_error){};
		len = packet_text__parse(text, buf, 256, &error);
		assert_true(len <= 256);
		if (len < 0)
			assert_true(error.at && *error.why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hex),	  cmocka_unit_test(test_layers),
		cmocka_unit_test(test_checksums), cmocka_unit_test(test_overrides),
		cmocka_unit_test(test_mistakes),  cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests_name("packet_text", tests, NULL, NULL);
}

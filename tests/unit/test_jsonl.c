// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Cases in JSON lines: their fields, and what is said of mistakes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cli.h"
#include "expect/jsonl.h"

#define P "\"packet\": \"eth/raw(00)\", "

static struct jsonl cases;
static char said[1024];

static int read_bytes(const char *text, size_t len)
{
	FILE *file = tmpfile();
	int err;

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	rewind(file);
	cli_capture_errors(said, sizeof(said));
	err = jsonl__read(&cases, file, "file");
	cli_capture_errors(NULL, 0);
	fclose(file);
	return err;
}

static void must_read(const char *text)
{
	if (read_bytes(text, strlen(text)))
		fail_msg("%s", said);
}

static void assert_bad(const char *text, const char *why)
{
	assert_int_equal(read_bytes(text, strlen(text)), -EBADMSG);
	if (strcmp(said, why))
		fail_msg("said '%s'", said);
}

/* ---- tests ------------------------------------------------------------- */

static void test_fields(void **state)
{
	const struct expectation *e;

	(void)state;
	must_read("# a comment\n"
		  "\n"
		  "{" P "\"name\": \"first\", \"verdict\": \"XDP_TX\", \"bytes\": \"00 01\", "
		  "\"mask\": \"ff0f\", \"length\": 20, \"meta\": \"0102\", \"meta_in\": "
		  "\"01020304\"}\r\n"
		  "  {" P "\"verdict\": 77}\n"
		  "{" P "\"sinks\": [\"tx:1\", \"xsks:0\"]}\n"
		  "{" P "\"sinks\": []}");
	assert_int_equal(cases.count, 4);
	assert_int_equal(cases.cases[0].line, 3);
	assert_int_equal(cases.cases[0].packet.len, 15);
	assert_int_equal(cases.cases[0].packet.meta_len, 4);
	assert_memory_equal(cases.cases[0].packet.meta, "\1\2\3\4", 4);
	e = &cases.cases[0].expectation;
	assert_string_equal(e->name, "first");
	assert_true(e->has_verdict && e->has_len && e->has_data && e->has_meta);
	assert_int_equal(e->verdict, 3);
	assert_int_equal(e->in_len, 15);
	assert_int_equal(e->len, 20);
	assert_int_equal(e->data_len, 2);
	assert_memory_equal(e->data, "\0\1", 2);
	assert_memory_equal(e->mask, "\xff\x0f", 2);
	assert_int_equal(e->meta_len, 2);
	e = &cases.cases[1].expectation;
	assert_null(e->name);
	assert_int_equal(e->verdict, 77);
	assert_false(e->has_len || e->has_data || e->has_meta || e->has_sinks);
	assert_string_equal(cases.cases[2].expectation.sinks, "tx:1 xsks:0");
	assert_true(cases.cases[3].expectation.has_sinks);
	assert_string_equal(cases.cases[3].expectation.sinks, "");
	jsonl__free(&cases);
}

/* Bytes alone say the length, too; no bytes at all are bytes. */
static void test_bytes_are_a_length(void **state)
{
	(void)state;
	must_read("{" P "\"bytes\": \"eth\"}\n{" P "\"meta\": \"\"}\n");
	assert_true(cases.cases[0].expectation.has_len);
	assert_int_equal(cases.cases[0].expectation.len, 14);
	assert_null(cases.cases[0].expectation.mask);
	assert_true(cases.cases[1].expectation.has_meta);
	assert_int_equal(cases.cases[1].expectation.meta_len, 0);
	jsonl__free(&cases);
}

static void test_mistakes(void **state)
{
	(void)state;
	assert_bad("", "file: the file has no cases");
	assert_bad("{\"name\": \"\xe4\", \"packet\": \"eth\", \"length\": 14}",
		   "file:1:12: invalid utf-8 string");
	assert_bad("\n{\"verdict\": 1}", "file:2: packet: is missing");
	assert_bad("{" P "\"verdict\": \"XDP_PAS\"}",
		   "file:1: verdict: 'XDP_PAS' is none: XDP_ABORTED, XDP_DROP, XDP_PASS, XDP_TX, "
		   "XDP_REDIRECT or a number");
	assert_bad("{" P "\"verdict\": -1}",
		   "file:1: verdict: takes a number from 0 to 4294967295");
	assert_bad("{" P "\"verdict\": 1.5}",
		   "file:1: verdict: takes a number from 0 to 4294967295");
	assert_bad("{" P "\"vrdict\": 1}",
		   "file:1: vrdict: there is no such field; there are packet, name, verdict, "
		   "bytes, mask, length, meta, meta_in, sinks");
	assert_bad("{\"packet\": \"eth/ip(ttl=999)\", \"verdict\": 1}",
		   "file:1: packet: character 12: ttl takes a number up to 255, not '999'");
	assert_bad("{\"packet\": 5, \"verdict\": 1}", "file:1: packet: takes a string");
	assert_bad("{\"packet\": \"0011\", \"verdict\": 1}",
		   "file:1: packet: 2 bytes; the kernel runs none shorter than 14");
	assert_bad("{" P "\"bytes\": \"0011\", \"mask\": \"ff\"}",
		   "file:1: mask: 1 bytes for 2 in 'bytes'");
	assert_bad("{" P "\"sinks\": \"tx:1\"}",
		   "file:1: sinks: takes an array of strings, as --redirect has them");
	assert_bad("{" P "\"sinks\": [1]}", "file:1: sinks: takes a string");
	assert_bad("{" P "\"sinks\": [\"tx:1 tx:2\"]}",
		   "file:1: sinks: 'tx:1 tx:2' is not MAP:KEY");
	assert_bad("{" P "\"mask\": \"ff\"}", "file:1: mask: 1 bytes for 0 in 'bytes'");
	assert_bad("{" P "\"bytes\": \"0011\", \"length\": 1}",
		   "file:1: length: 1, but 'bytes' has 2");
	assert_bad("{" P "\"meta_in\": \"00\", \"verdict\": 1}",
		   "file:1: meta_in: 1 bytes; metadata comes in fours");
	assert_bad("{" P "\"name\": \"x\"}",
		   "file:1: nothing is expected: no verdict, bytes, length, meta or sinks");
	assert_bad("{" P "\"name\": \"a\\u0000b\", \"verdict\": 1}",
		   "file:1: name: has a zero character");
	assert_bad("[1]", "file:1: one object in braces per line, please");
}

/* Broken JSON is told with the place. */
static void test_broken_json(void **state)
{
	(void)state;
	assert_int_equal(read_bytes("{} x\n", 5), -EBADMSG);
	assert_ptr_equal(strstr(said, "file:1:4: "), said);
	assert_int_equal(read_bytes("{\"a\": }\n", 8), -EBADMSG);
	assert_ptr_equal(strstr(said, "file:1:7: "), said);
	assert_int_equal(read_bytes("\n{\"a\"\n", 6), -EBADMSG);
	assert_ptr_equal(strstr(said, "file:2:5: "), said);
	assert_int_equal(read_bytes(" \0{}\n", 5), -EBADMSG);
	assert_string_equal(said, "file:1: a zero byte");
}

static void test_mutations(void **state)
{
	static const char good[] = "{" P "\"verdict\": \"XDP_TX\", \"bytes\": \"00 01\", \"mask\": "
				   "\"ff0f\", \"length\": 20, \"meta\": \"0102\"}\n";
	static const char letters[] = "{}[]\":,\\ 0fe-\n\x80u";
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 5000; round++) {
		char text[sizeof(good)];
		int err;

		memcpy(text, good, sizeof(good));
		for (int i = 0; i < 1 + round % 4; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			text[(seed >> 33) % (sizeof(good) - 1)] =
				letters[(seed >> 50) % sizeof(letters)];
		}
		err = read_bytes(text, sizeof(good) - 1);
		assert_true(!err || err == -EBADMSG);
		assert_true(!err == !*said);
		jsonl__free(&cases);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	  cmocka_unit_test(test_bytes_are_a_length),
		cmocka_unit_test(test_mistakes),  cmocka_unit_test(test_broken_json),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests_name("jsonl", tests, NULL, NULL);
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Which path gets which CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare/placement.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* As compare has them: call, batch, veth-afxdp, veth-live. */
static const unsigned int all_four[] = { 850, 30, 1400, 330 };

static cpu_set_t cpus_below(int count)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	while (count--)
		CPU_SET(count, &set);
	return set;
}

/* The only CPU of a set. */
static int cpu_of(const cpu_set_t *set)
{
	int cpu = 0;

	assert_int_equal(CPU_COUNT(set), 1);
	while (!CPU_ISSET(cpu, set))
		cpu++;
	return cpu;
}

static void slowest_has_a_cpu(void **state)
{
	cpu_set_t allowed = cpus_below(2);
	struct placement placement;
	int slowest;

	(void)state;
	placement__spread(&placement, &allowed, all_four, COUNT(all_four));
	slowest = cpu_of(&placement.paths[2]);
	assert_int_not_equal(cpu_of(&placement.paths[0]), slowest);
	assert_int_not_equal(cpu_of(&placement.paths[1]), slowest);
	assert_int_not_equal(cpu_of(&placement.paths[3]), slowest);
}

/* The order in which paths were named plays no role. */
static void order_does_not_matter(void **state)
{
	static const unsigned int costs[] = { 330, 1400, 850 };
	cpu_set_t allowed = cpus_below(2);
	struct placement placement;

	(void)state;
	placement__spread(&placement, &allowed, costs, COUNT(costs));
	assert_int_equal(cpu_of(&placement.paths[0]), cpu_of(&placement.paths[2]));
	assert_int_not_equal(cpu_of(&placement.paths[0]), cpu_of(&placement.paths[1]));
}

static void each_has_its_own(void **state)
{
	static const int sizes[] = { 4, 5, 6, 7, 8, 64, CPU_SETSIZE };
	struct placement placement;
	cpu_set_t used;

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		cpu_set_t allowed = cpus_below(sizes[i]);

		placement__spread(&placement, &allowed, all_four, COUNT(all_four));
		CPU_ZERO(&used);
		for (size_t j = 0; j < COUNT(all_four); j++)
			CPU_SET(cpu_of(&placement.paths[j]), &used);
		assert_int_equal(CPU_COUNT(&used), COUNT(all_four));
	}
}

/* CPUs 2n and 2n + 1 are often one core. */
static void neighbours_are_left_alone(void **state)
{
	cpu_set_t allowed = cpus_below(8);
	struct placement placement;

	(void)state;
	placement__spread(&placement, &allowed, all_four, COUNT(all_four));
	for (size_t i = 0; i < COUNT(all_four); i++)
		assert_int_equal(cpu_of(&placement.paths[i]) % 2, 0);
}

static void only_what_is_allowed(void **state)
{
	struct placement placement;
	cpu_set_t allowed;

	(void)state;
	CPU_ZERO(&allowed);
	CPU_SET(3, &allowed);
	CPU_SET(17, &allowed);
	placement__spread(&placement, &allowed, all_four, COUNT(all_four));
	for (size_t i = 0; i < COUNT(all_four); i++)
		assert_true(CPU_ISSET(cpu_of(&placement.paths[i]), &allowed));
}

static void there_is_one_cpu(void **state)
{
	struct placement placement;
	cpu_set_t allowed;

	(void)state;
	CPU_ZERO(&allowed);
	CPU_SET(5, &allowed);
	placement__spread(&placement, &allowed, all_four, COUNT(all_four));
	for (size_t i = 0; i < COUNT(all_four); i++)
		assert_int_equal(cpu_of(&placement.paths[i]), 5);
}

static void all_on_one(void **state)
{
	cpu_set_t allowed = cpus_below(4);
	struct placement placement;

	(void)state;
	placement__one_cpu(&placement, &allowed, COUNT(all_four));
	for (size_t i = 0; i < COUNT(all_four); i++)
		assert_int_equal(cpu_of(&placement.paths[i]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowest_has_a_cpu),	cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(each_has_its_own),	cmocka_unit_test(neighbours_are_left_alone),
		cmocka_unit_test(only_what_is_allowed), cmocka_unit_test(there_is_one_cpu),
		cmocka_unit_test(all_on_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Print maglev.h: the load balancer's consistent hashing tables, one for each
 * number of endpoints, computed at build time as in "Maglev: A Fast and
 * Reliable Software Network Load Balancer" (NSDI 2016), section 3.4.
 *
 * Each endpoint walks the table in an order of its own (a start and a stride,
 * both from a hash of its name) and in turn takes the first slot that is still
 * free. The table's size is a prime, so any stride visits every slot, and the
 * shares differ by one slot at most.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE_SIZE 65537
#define FREE_SLOT (-1)
#define SLOTS_PER_LINE 24

static const unsigned int counts[] = { 32, 64, 128 };

#define NR_TABLES (sizeof(counts) / sizeof(counts[0]))
#define MAX_ENDPOINTS 128

/* The finalizer of splitmix64: each output bit depends on each input bit. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static void populate(int *table, unsigned int endpoints)
{
	uint32_t next[MAX_ENDPOINTS], stride[MAX_ENDPOINTS];
	unsigned int i, filled = 0;

	for (i = 0; i < TABLE_SIZE; i++)
		table[i] = FREE_SLOT;
	for (i = 0; i < endpoints; i++) {
		next[i] = mix(i) % TABLE_SIZE;
		stride[i] = mix(mix(i)) % (TABLE_SIZE - 1) + 1;
	}

	for (i = 0; filled < TABLE_SIZE; i = (i + 1) % endpoints) {
		while (table[next[i]] != FREE_SLOT)
			next[i] = (next[i] + stride[i]) % TABLE_SIZE;
		table[next[i]] = i;
		filled++;
	}
}

static void print_table(const int *table, unsigned int endpoints)
{
	unsigned int i;

	printf("\t{ /* %u endpoints */", endpoints);
	for (i = 0; i < TABLE_SIZE; i++)
		printf("%s%d,", i % SLOTS_PER_LINE ? "" : "\n\t\t", table[i]);
	printf("\n\t},\n");
}

int main(void)
{
	static int table[TABLE_SIZE];
	unsigned int i;

	printf("/* Made by maglev.c at build time: edit that, not this. */\n"
	       "#define MAGLEV_TABLE_SIZE %u\n"
	       "#define MAGLEV_NR_TABLES %zu\n\n"
	       "MAGLEV_SECTION const __u8 maglev_tables[MAGLEV_NR_TABLES][MAGLEV_TABLE_SIZE] = {\n",
	       TABLE_SIZE, NR_TABLES);
	for (i = 0; i < NR_TABLES; i++) {
		populate(table, counts[i]);
		print_table(table, counts[i]);
	}
	printf("};\n");
	if (fflush(stdout) || ferror(stdout)) {
		perror("maglev: write");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdbool.h>

#include "placement.h"

/* CPUs to choose from, no more than there can be paths. */
struct pool {
	int cpus[LOCKSTEP_MAX];
	unsigned long load[LOCKSTEP_MAX];
	size_t count;
};

static int nth_cpu(const cpu_set_t *allowed, size_t n)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, allowed) && !n--)
			break;
	return cpu;
}

/* From all over the machine: neighbours are often two threads of one core. */
static void fill_pool(struct pool *pool, const cpu_set_t *allowed, size_t wanted)
{
	size_t there = CPU_COUNT(allowed), i;

	pool->count = there < wanted ? there : wanted;
	for (i = 0; i < pool->count; i++) {
		pool->cpus[i] = nth_cpu(allowed, i * there / pool->count);
		pool->load[i] = 0;
	}
}

static size_t idlest(const struct pool *pool)
{
	size_t best = 0;

	for (size_t i = 1; i < pool->count; i++)
		if (pool->load[i] < pool->load[best])
			best = i;
	return best;
}

/* The slowest path that has no CPU yet. */
static size_t next_path(const unsigned int *costs, const bool *placed, size_t count)
{
	size_t next = count;

	for (size_t i = 0; i < count; i++)
		if (!placed[i] && (next == count || costs[i] > costs[next]))
			next = i;
	return next;
}

static void put(struct placement *placement, size_t path, int cpu)
{
	CPU_ZERO(&placement->paths[path]);
	CPU_SET(cpu, &placement->paths[path]);
}

void placement__spread(struct placement *placement, const cpu_set_t *allowed,
		       const unsigned int *costs, size_t count)
{
	bool placed[LOCKSTEP_MAX] = {};
	struct pool pool;

	fill_pool(&pool, allowed, count);
	for (size_t i = 0; i < count; i++) {
		size_t path = next_path(costs, placed, count), at = idlest(&pool);

		put(placement, path, pool.cpus[at]);
		pool.load[at] += costs[path];
		placed[path] = true;
	}
}

void placement__one_cpu(struct placement *placement, const cpu_set_t *allowed, size_t count)
{
	int cpu = nth_cpu(allowed, 0);

	for (size_t i = 0; i < count; i++)
		put(placement, i, cpu);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_TEST_RUNNER_H
#define XTR_TEST_RUNNER_H

#include <stdbool.h>

struct runner_opts {
	const char *const *globs; /* names to run; NULL-terminated, empty: all */
	const char *json; /* file for the results, or NULL */
	const char *lanes; /* numbers of lanes to run, with commas; NULL: all */
	double scale;
	int timeout; /* seconds for one test */
	int jobs; /* cases that run side by side */
	bool brief; /* leave out numbers of lanes that are unlikely to tell anything new */
	bool list;
	bool verbose; /* show what passing tests print */
};

/* Returns the number of failed tests. */
int run_all(const struct runner_opts *opts);

#endif /* XTR_TEST_RUNNER_H */

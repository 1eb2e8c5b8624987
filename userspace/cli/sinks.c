// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <string.h>

#include "sinks.h"

size_t sinks__size(const char *const *redirects)
{
	size_t size = 1;

	for (; redirects && *redirects; redirects++)
		size += strlen(*redirects) + 1;
	return size;
}

void sinks__print(char *buf, const char *const *redirects, __u32 sinks)
{
	char *at = buf;

	for (*at = '\0'; sinks && redirects && *redirects; redirects++, sinks >>= 1) {
		if (!(sinks & 1))
			continue;
		if (at != buf)
			*at++ = ' ';
		at = stpcpy(at, *redirects);
	}
}

static bool find(const char *name, size_t len, const char *const *redirects, __u32 *sinks)
{
	for (__u32 i = 0; redirects && redirects[i]; i++) {
		if (strlen(redirects[i]) == len && !memcmp(redirects[i], name, len)) {
			*sinks |= 1U << i;
			return true;
		}
	}
	return false;
}

bool sinks__parse(const char *names, const char *const *redirects, __u32 *sinks)
{
	size_t len;

	*sinks = 0;
	for (names += strspn(names, " "); *names; names += strspn(names, " ")) {
		len = strcspn(names, " ");
		if (!find(names, len, redirects, sinks))
			return false;
		names += len;
	}
	return true;
}

json_object *sinks__names_json(const char *names)
{
	json_object *array = json_object_new_array();
	int len;

	for (names += strspn(names, " "); *names; names += strspn(names, " ")) {
		len = strcspn(names, " ");
		json_object_array_add(array, json_object_new_string_len(names, len));
		names += len;
	}
	return array;
}

json_object *sinks__json(const char *const *redirects, __u32 sinks)
{
	json_object *array = json_object_new_array();

	for (; redirects && *redirects; redirects++, sinks >>= 1)
		if (sinks & 1)
			json_object_array_add(array, json_object_new_string(*redirects));
	return array;
}

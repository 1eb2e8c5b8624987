// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <stdio.h>

#include "json_out.h"

void json__add_count(json_object *obj, const char *key, __u64 count)
{
	json_object_object_add(obj, key, json_object_new_uint64(count));
}

void json__add_string(json_object *obj, const char *key, const char *text)
{
	json_object_object_add(obj, key, json_object_new_string(text));
}

/* json-c would print all 17 digits. */
json_object *json__number(double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6f", number);
	return json_object_new_double_s(number, text);
}

void json__add_number(json_object *obj, const char *key, double number)
{
	json_object_object_add(obj, key, json__number(number));
}

json_object *json__verdicts(const struct xtr_result *result)
{
	json_object *obj = json_object_new_object();

	for (int v = 0; v < XTR_VERDICTS; v++)
		if (result->verdicts[v])
			json__add_count(obj, xtr_verdict_name(v), result->verdicts[v]);
	return obj;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef XTR_JSON_OUT_H
#define XTR_JSON_OUT_H

#include <json-c/json.h>

#include <xdptestrun.h>

json_object *json__number(double number);

void json__add_count(json_object *obj, const char *key, __u64 count);
void json__add_string(json_object *obj, const char *key, const char *text);
void json__add_number(json_object *obj, const char *key, double number);

/* {"XDP_PASS": n, ...}, those that occurred */
json_object *json__verdicts(const struct xtr_result *result);

#endif /* XTR_JSON_OUT_H */

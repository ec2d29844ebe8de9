/* JSON values from strings of any bytes, any numbers, and arrays. */
#ifndef ASSAY_CONFORMANCE_UTIL_JSON_TEXT_H
#define ASSAY_CONFORMANCE_UTIL_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>

/* A JSON string; bytes that are not UTF-8 become U+FFFD.  NULL text: null. */
json_t *json_text(const char *text);
/* null where x is no finite number, which JSON cannot say. */
json_t *json_number(double x);
/* An array of count integers. */
json_t *json_ints(const int *values, size_t count);
/* An array of what `element` makes of each index; NULL without memory. */
json_t *json_list(size_t count, json_t *element(const void *of, size_t index), const void *of);
/* The value, if it has all that belongs into it; else it is freed, and NULL is returned. */
json_t *json_whole(json_t *value, bool ok);

#endif

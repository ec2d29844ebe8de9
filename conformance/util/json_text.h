/* JSON values from strings of any bytes, and from arrays. */
#ifndef ASSAY_CONFORMANCE_UTIL_JSON_TEXT_H
#define ASSAY_CONFORMANCE_UTIL_JSON_TEXT_H

#include <jansson.h>

/* A JSON string; bytes that are not UTF-8 become U+FFFD.  NULL text: null. */
json_t *json_text(const char *text);
/* An array of count integers. */
json_t *json_ints(const int *values, size_t count);

#endif

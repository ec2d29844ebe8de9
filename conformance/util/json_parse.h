/* JSON text that anyone may have written.  jansson parses it in this process: it goes at most 2048
 * levels deep, and this function bounds the memory of the values, which for text such as [{},{},...
 * is 70 times that of the text. */
#ifndef ASSAY_CONFORMANCE_UTIL_JSON_PARSE_H
#define ASSAY_CONFORMANCE_UTIL_JSON_PARSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* json_loadb, but NULL when the values need more than PARSER_JSON_VALUES_MIB and
 * PARSER_JSON_VALUES_FACTOR bytes for each byte of the text; the error then says so. */
json_t *json_parse(const char *text, size_t bytes, size_t flags, json_error_t *error);

/* jansson leaves out of a value what it has no memory for, and nobody looks at each of its results:
 * from the first call on, the second one says whether that has happened. */
void json_watch_memory(void);
bool json_memory_failed(void);

#endif

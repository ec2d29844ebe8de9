/* Text of any bytes in an HTML page. */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_HTML_TEXT_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_HTML_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes text so that a browser shows it and takes none of it as markup: in an element, or in an
 * attribute between quotes.  Control characters and bytes that are not UTF-8 become U+FFFD, those
 * that turn the direction of text are named.  NULL writes nothing. */
void html_text(FILE *out, const char *text);

/* Writes 1234567 as "1,234,567". */
void html_count(FILE *out, uint64_t count);

/* Writes a value as JSON that may stand in a script element: in ASCII, without < > &.  Returns
 * false when out of memory. */
bool html_json(FILE *out, const json_t *value);

/* Writes the source of a script or style as Content-Security-Policy names it: 'sha256-...'. */
void html_policy_hash(FILE *out, const char *bytes, size_t count);

#endif

/* Arrays of structs as columns of JSON: what the HTML pages read, since a page of a hundred
 * thousand results has to open at once.
 *
 * A column is left out where all of its values are none: texts, counts and flags of 0, numbers
 * that are not known.  Texts are indices into
 * `strings`, from 1; 0 is none.  Numbers that JSON lacks are null (NaN) or "inf". */
#ifndef ASSAY_CONFORMANCE_REPORT_FORMS_HTML_COLUMNS_H
#define ASSAY_CONFORMANCE_REPORT_FORMS_HTML_COLUMNS_H

#include "conformance/suite/judge/result.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct html_strings {
    json_t *list, *index;
    bool failed; /* out of memory */
};
bool html_strings_open(struct html_strings *s);
void html_strings_close(struct html_strings *s);

/* The type of a member that becomes a column. */
enum html_kind {
    HTML_TEXT,   /* const char *: an index */
    HTML_NUMBER, /* double */
    HTML_EXACT,  /* double, with all digits of a float */
    HTML_SIZE,   /* size_t */
    HTML_U64,
    HTML_U32,
    HTML_INT,
    HTML_CHAR, /* as a code */
    HTML_BOOL, /* 1 or 0 */
    HTML_STATUS
};
struct html_column {
    const char *name;
    enum html_kind kind;
    size_t offset;
};
/* A member as the column of its name. */
#define HTML_MEMBER(type, member, kind)                                                            \
    {                                                                                              \
#member, HTML_##kind, offsetof(struct type, member)                                        \
    }

/* An object with the columns (a list that ends with a name of NULL) of an array of structs. */
json_t *html_columns(struct html_strings *s, const struct html_column *columns, const void *array,
                     size_t count, size_t stride);
json_t *html_number(double v, bool exact);
/* Of json_list: the name of a status. */
json_t *html_status(const void *none, size_t status);

#endif

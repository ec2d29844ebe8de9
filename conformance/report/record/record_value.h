/* Values of JSON that is not trusted, into the fields of a record. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_VALUE_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_VALUE_H

#include "conformance/report/record/record_fields.h"

/* Where a value stands, for messages: "FILE: cases[17].worst.ratio". */
struct record_place {
    const char *path;    /* of the file */
    const char *section; /* "cases"; NULL: the root */
    size_t index;        /* in the section; SIZE_MAX: it is an object */
    const char *part;    /* "worst"; NULL: none */
};

struct record_reader {
    struct record *record;
    struct record_place place;
    struct diag *diag;
};

/* "FILE: place.key: expected WHAT, found VALUE".  value NULL: the key is missing. */
enum status record_unexpected(const struct record_reader *reader, const char *key,
                              const char *expected, json_t *value);
/* Reads the fields of an object into the struct at base. */
enum status record_read_fields(const struct record_reader *reader, json_t *object,
                               const struct record_fields *fields, void *base);
/* A whole number from 0 to max. */
enum status record_read_count(const struct record_reader *reader, json_t *object, const char *key,
                              uint64_t max, size_t *out);
/* A string, copied to the record's arena. */
enum status record_read_text(const struct record_reader *reader, json_t *object, const char *key,
                             const char **out);
/* An array or object; *out is NULL when the key is missing, which is a failure where `needed`. */
enum status record_read_array(const struct record_reader *reader, json_t *object, const char *key,
                              bool needed, json_t **out);
enum status record_read_object(const struct record_reader *reader, json_t *object, const char *key,
                               bool needed, json_t **out);

#endif

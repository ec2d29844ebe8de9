/* A report that is being read: what the parts of the reader share. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_READING_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_READING_H

#include "conformance/report/record/record_slices.h"
#include "conformance/report/record/record_value.h"

#include <stdbool.h>
#include <stddef.h>

struct record_reading {
    struct record_reader at;
    json_t *root;
    struct record_slices slices; /* of "cases"; none: the root has them */
    json_t *names;               /* of the cases so far: indices by name */
    size_t room;                 /* for cases */
    bool seeded;                 /* the seed is known */
};

enum status record_no_memory(const struct record_reading *x);
/* Notes which element is read next; it has to be an object. */
enum status record_enter(struct record_reading *x, const char *section, size_t index,
                         json_t *object);
void record_leave(struct record_reading *x);

/* Reads subject and case of an element of "cases", "missing" or "minimal". */
enum status record_read_pair(struct record_reading *x, json_t *o, size_t *subject,
                             size_t *test_case);
/* Reads "cases" and "missing", once the subjects are known. */
enum status record_read_cases(struct record_reading *x);

#endif

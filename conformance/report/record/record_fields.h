/* The keys of a JSON report, and the fields of a record that they stand for: what reader and writer
 * share.  conformance/report/report.schema.json describes the same keys for others. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_FIELDS_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_FIELDS_H

#include "conformance/report/record/record.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The type of a field, and how JSON has it. */
enum record_kind {
    RECORD_TEXT,   /* const char *; NULL: null */
    RECORD_WORDS,  /* const char *; NULL: "" */
    RECORD_REAL,   /* double; null where it is not finite */
    RECORD_U64,    /* uint64_t */
    RECORD_SIZE,   /* size_t; SIZE_MAX: null */
    RECORD_U32,    /* uint32_t */
    RECORD_INT,    /* int, int32_t: at least 0 */
    RECORD_BOOL,   /* bool */
    RECORD_STATUS, /* enum case_status, by name */
    RECORD_HABITS, /* uint32_t of bits 1 << HABIT_x, as an array of names */
    RECORD_FRAME   /* char, 'A' or 'B'; 0: null */
};

enum record_presence {
    RECORD_ALWAYS,  /* a report that lacks it is none */
    RECORD_LATER,   /* as above, but version 0.1.0 did not write it */
    RECORD_WHEN_SET /* written where it is not NULL, 0, NaN or false */
};

struct record_field {
    const char *key;
    enum record_kind kind;
    enum record_presence presence;
    size_t offset;
};

struct record_fields {
    const struct record_field *items;
    size_t count;
};

/* An object with these fields of the struct at base; NULL when out of memory. */
json_t *record_fields_json(const struct record_fields *fields, const void *base);

extern const struct record_fields record_run_fields;     /* of struct record_run */
extern const struct record_fields record_device_fields;  /* of struct record_device */
extern const struct record_fields record_subject_fields; /* of struct record_subject */
extern const struct record_fields record_case_fields;    /* of struct record_case */
extern const struct record_fields record_result_fields;  /* of struct record_result: always */
extern const struct record_fields record_failure_fields; /* of struct record_result: with a set */
extern const struct record_fields record_worst_fields;   /* of struct record_result: "worst" */
extern const struct record_fields record_repeats_fields; /* of struct record_result: "repeats" */
extern const struct record_fields record_profile_fields; /* of struct record_result: "profile" */
extern const struct record_fields record_model_fields;   /* of struct record_model */
extern const struct record_fields record_figure_fields;  /* of struct record_model: compared */
extern const struct record_fields record_minimal_fields; /* of struct record_minimal */
extern const struct record_fields record_mutant_fields;  /* of struct record_mutant */

#endif

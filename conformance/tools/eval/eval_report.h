/* What an evaluation found, whatever it was of: a table of metrics, one of classes, one of images.
 * Prints text, JSON and CSV. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_REPORT_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_REPORT_H

#include "conformance/tools/eval/eval_run.h"
#include "conformance/util/interval.h"
#include "reference/base/arena.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Values lie in [0, 1]; NaN: not defined. */
struct eval_metric {
    const char *name; /* as the field's tool prints it: "Top-1 Accuracy:" */
    const char *key;  /* in JSON: "top_1" */
    double value[EVAL_SIDES];
    bool has_interval; /* of the subject's less the reference's */
    struct interval interval;
};
struct eval_class {
    const char *name;
    double value[EVAL_SIDES];
};

enum { EVAL_METRICS_MAX = 16, EVAL_NOTES_MAX = 16 };

struct eval_report {
    struct arena arena;
    const char *task;
    const struct eval_model *model;               /* NULL: detections of files were compared */
    const char *model_name, *subject, *reference; /* labels; reference NULL: there is none */
    const char *signature;                        /* that was asked for; NULL: none */
    struct eval_outcome outcome;
    const struct eval_images *images;
    size_t image_count;        /* where images is NULL */
    const char *preprocessing; /* NULL without a model */

    struct eval_metric metrics[EVAL_METRICS_MAX]; /* the first one is held to max_drop */
    size_t metric_count;
    const char *interval_method;
    const char *class_metric; /* "AP"; NULL: there are no classes */
    struct eval_class *classes;
    size_t class_count;
    /* Images on which both sides have the same best class, and pairs of right and wrong, of a
     * classifier. */
    bool has_pairs;
    uint64_t same;
    struct interval_pairs pairs;
    const char *notes[EVAL_NOTES_MAX]; /* what was left out of the files */
    size_t note_count;
    char hint[200];  /* what the files seem to need; empty: nothing */
    double max_drop; /* of the first metric; NaN: not limited */
    uint64_t seed;
    json_t *rows; /* of each image an object, for --results; NULL: none */
};

/* Formats a note. */
void eval_report_note(struct eval_report *r, const char *format, ...) PRINTF_LIKE(2, 3);
struct eval_metric *eval_report_metric(struct eval_report *r, const char *name, const char *key,
                                       double subject, double reference);
/* A drop beyond max_drop, an image that a side failed on, or no image at all. */
bool eval_report_failed(const struct eval_report *r);
/* Why it failed; empty where it did not. */
void eval_report_why(const struct eval_report *r, char *text, size_t bytes);

void eval_report_text(FILE *f, const struct eval_report *r);
void eval_report_json(FILE *f, const struct eval_report *r);
/* The rows of images, as CSV where the path ends in .csv, else as JSON. */
enum status eval_report_rows(const struct eval_report *r, const char *path, struct diag *diag);
void eval_report_close(struct eval_report *r);

/* An object of a row: image, state and reason; for the tasks. */
json_t *eval_row(const struct eval_image *image);

#endif

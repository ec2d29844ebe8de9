/* A model with a subject, ready to run: for `assay inspect`, `run`, `bench` and `endurance`. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_SESSION_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_SESSION_H

#include "conformance/suite/subject/subject.h"
#include "reference/base/diag.h"
#include "reference/format/file.h"
#include "reference/format/model.h"
#include "reference/runtime/interpreter.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When the steps of session_open and session_start ended: clock_ms; 0: not yet. */
struct session_times {
    double begin, loaded, verified, read; /* of session_open: the file, its bytes, the model */
    double started, prepared, delegated, allocated; /* of session_start */
};

struct session {
    struct session_times times;
    struct file_model file;
    struct model model;
    struct subject subject;
    TfLiteDelegate *delegate; /* NULL for the reference */
    struct interpreter *in;   /* NULL until session_start */
    bool shapes_only;         /* nothing is to be run: ops that are not known are no failure */
    const struct interpreter_stand_in *stand_in; /* of the interpreter */
    bool quiet;      /* the standard warning of delegates is not shown */
    int num_threads; /* recommended to kernels; 0: their own choice */
    /* Called before the delegate sees the graph, to give inputs other shapes; NULL: never. */
    enum status (*resize)(struct interpreter *in, const void *user, struct diag *diag);
    const void *resize_user;
};

/* Reads and verifies the model file. */
enum status session_open(struct session *s, const char *path, struct diag *diag);
/* Loads the library of a subject (see subject_init) and creates its delegate. */
enum status session_subject(struct session *s, const char *delegate,
                            const struct string_list *options, struct diag *diag);
/* Prepares the graph, hands it to the delegate and allocates. */
enum status session_start(struct session *s, struct diag *diag);
/* Takes any half-opened session. */
void session_close(struct session *s);

/* How many nodes the delegate took. */
size_t session_taken(const struct session *s);
/* The device's name; empty where the library lacks assay_gpu_get_stats. */
void session_device(const struct session *s, char *text, size_t bytes);
/* {"path", "options", "device"}. */
json_t *session_json(const struct session *s);

#endif

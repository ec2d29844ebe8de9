/* What is known of a model's nodes: whether each can be run, and whether the delegate took it. */
#ifndef ASSAY_CONFORMANCE_INSPECT_INSPECTION_H
#define ASSAY_CONFORMANCE_INSPECT_INSPECTION_H

#include "conformance/subject/session.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum node_state {
    NODE_UNDECIDED, /* no delegate was asked */
    NODE_TAKEN,
    NODE_LEFT /* to the reference */
};

struct node_note {
    bool known; /* the reference has the op */
    enum node_state state;
    int partition; /* -1: none */
    bool refused;  /* the library says why */
    struct assay_gpu_refusal refusal;
};

struct inspection {
    const char *path;
    bool plan; /* print it, too; set between open and print */
    struct session session;
    struct node_note *notes; /* of subgraph 0's operators */
    size_t count;
    /* Why no delegate was asked, or why the graph does not run; empty when one was. */
    char why_not[sizeof((struct diag *)0)->text];
};

/* Reads the model, and asks the delegate.  required: no usable delegate is a failure, else it is
 * noted.  A graph that cannot be run is noted. */
enum status inspection_open(struct inspection *n, const char *path, const char *delegate,
                            const struct string_list *options, bool required, struct diag *diag);
void inspection_close(struct inspection *n);

/* The op's name: "CONV_2D", a custom op's own name, or "operator 300". */
void inspection_op(const struct inspection *n, size_t node, char *text, size_t bytes);
int32_t inspection_version(const struct inspection *n, size_t node);
/* "constant", "input", "output", "variable" or "activation". */
const char *inspection_kind(const struct inspection *n, size_t tensor);
/* Of the constant, or of the shape; 0 when it is not known. */
size_t inspection_bytes(const struct inspection *n, size_t tensor);

/* A field of an operator's options as text: SAME and RELU6 for codes that have names. */
void inspection_option(const struct options *o, size_t field, char *text, size_t bytes);

/* ---- inspection_plan.c ---- */
/* The library tells what it will do. */
bool inspection_has_plan(const struct inspection *n);
void inspection_print_plan(FILE *f, const struct inspection *n);
/* null when there is no plan. */
json_t *inspection_json_plan(const struct inspection *n);

/* ---- inspection_text.c, inspection_json.c ---- */
void inspection_print_text(FILE *f, const struct inspection *n);
void inspection_print_json(FILE *f, const struct inspection *n);

#endif

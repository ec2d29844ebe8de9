/* A model with what the reference and a delegate say of each of its nodes. */
#ifndef ASSAY_CONFORMANCE_TOOLS_INSPECT_INSPECTION_H
#define ASSAY_CONFORMANCE_TOOLS_INSPECT_INSPECTION_H

#include "conformance/suite/io/model_use.h"
#include "conformance/suite/subject/session.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum node_state {
    NODE_UNDECIDED, /* no delegate ran here, or it was not offered the node: see reason */
    NODE_TAKEN,
    NODE_LEFT /* left to the reference */
};

struct node_note {
    bool known; /* the reference has the op */
    /* Why the reference cannot run the node, or NULL; then its outputs have the shapes of the file.
     */
    const char *reason;
    enum node_state state;
    int partition; /* -1 when in none */
    bool refused;  /* refusal is set */
    struct assay_gpu_refusal refusal;
};

/* Bits: a tensor may be both. */
enum inspection_end { INSPECTION_INPUT = 1, INSPECTION_OUTPUT = 2 };

struct inspection {
    const char *path;
    const struct model_use *use; /* for the report; may be NULL; set between open and print */
    bool plan;                   /* whether the plan is printed too; set between open and print */
    struct session session;
    struct node_note *notes; /* of subgraph 0's operators */
    unsigned char *ends;     /* of its tensors: enum inspection_end */
    size_t count;
    /* Why the delegate could not be opened, or the graph not be prepared; empty otherwise. */
    char why_not[sizeof((struct diag *)0)->text];
};

/* Reads the model, opens the delegate (see subject_init) and prepares the graph with it.  Without a
 * usable delegate it fails when required is set, and otherwise sets why_not.  For a graph that
 * cannot be prepared it sets why_not. */
enum status inspection_open(struct inspection *n, const char *path, const char *delegate,
                            const struct string_list *options, bool required, struct diag *diag);
void inspection_close(struct inspection *n);

/* The op's name: "CONV_2D", a custom op's own name, or "operator 300". */
void inspection_op(const struct inspection *n, size_t node, char *text, size_t bytes);
int32_t inspection_version(const struct inspection *n, size_t node);
/* "constant", "input", "output", "variable" or "activation". */
const char *inspection_kind(const struct inspection *n, size_t tensor);
/* Bytes of the constant's data, or of the shape; 0 when not known. */
size_t inspection_bytes(const struct inspection *n, size_t tensor);

/* A field of an operator's options as text; codes with names as names, such as SAME or RELU6. */
void inspection_option(const struct options *o, size_t field, char *text, size_t bytes);

/* Prints a name with its control characters replaced, so that a line stays a line. */
void inspection_print_name(FILE *f, const char *name);

/* ---- inspection_plan.c ---- */
/* False: out of memory. */
bool inspection_print_plan(FILE *f, const struct inspection *n);
/* null when there is no plan. */
json_t *inspection_json_plan(const struct inspection *n);

/* ---- inspection_placement.c ---- */
/* Nothing, and null, for a library that does not export it. */
void inspection_print_placement(FILE *f, const struct inspection *n);
json_t *inspection_json_placement(const struct inspection *n);

/* ---- inspection_reasons.c ---- */
/* Called before the session starts. */
void inspection_keep_reasons(const struct inspection *n);
/* Nothing, and null, for a library that does not export them.  False: out of memory. */
bool inspection_print_reasons(FILE *f, const struct inspection *n);
json_t *inspection_json_reasons(const struct inspection *n);

/* ---- inspection_text.c, inspection_json.c ---- */
bool inspection_print_text(FILE *f, const struct inspection *n);
void inspection_print_json(FILE *f, const struct inspection *n);

#endif

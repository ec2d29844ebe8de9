/* Bodies: the subgraphs that WHILE, IF and CALL_ONCE run.  Each is an interpreter of its own
 * without delegates, opened with the primary one and owned by it; all nodes that call a subgraph
 * share it. No body may call itself, not even by way of others. */
#ifndef ASSAY_REFERENCE_RUNTIME_BODY_H
#define ASSAY_REFERENCE_RUNTIME_BODY_H

#include "reference/base/diag.h"
#include "reference/runtime/state.h"

#include <stddef.h>
#include <stdint.h>

enum { BODY_DEPTH_MAX = 64 };

/* A list of tensors of an interpreter, to copy from or to. */
struct body_values {
    struct interpreter *in;
    TfLiteTensor *const *tensors;
    size_t count;
};

/* The body of subgraph `index`, opened for a node of caller. */
enum status body_open(struct interpreter *caller, const struct node *node, int32_t index,
                      struct interpreter **body, struct diag *diag);

/* Gives the body's inputs the shapes of these tensors, and prepares it. */
enum status body_prepare(struct interpreter *body, const struct body_values *inputs,
                         struct diag *diag);
/* Also allocates it, and copies the values. */
enum status body_set_inputs(struct interpreter *body, const struct body_values *inputs,
                            struct diag *diag);
enum status body_run(struct interpreter *body, struct diag *diag);
/* Copies results to outputs, which take their shapes where they are dynamic. */
enum status body_get_outputs(const struct body_values *results, struct interpreter *in,
                             struct node *node, struct diag *diag);

/* The body's inputs and outputs as lists, valid as long as the body. */
struct body_values body_inputs(struct interpreter *body);
struct body_values body_outputs(struct interpreter *body);

#endif

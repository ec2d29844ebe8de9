/* Shapes of all tensors, before memory is planned: prepares the nodes of the plan in their order.
 */
#ifndef ASSAY_REFERENCE_RUNTIME_PREPARE_H
#define ASSAY_REFERENCE_RUNTIME_PREPARE_H

#include "reference/base/diag.h"
#include "reference/kernels/op.h"
#include "reference/runtime/state.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a tensor of this type and shape; false when they do not fit a size_t. */
bool tensor_bytes(TfLiteType type, const int *dims, size_t rank, size_t *bytes);
bool tensor_same_dims(const TfLiteIntArray *a, const TfLiteIntArray *b);
/* Gives a tensor a new shape, checked; frees the old one.  Takes ownership of dims, also on
 * failure. */
enum status tensor_set_dims(struct interpreter *in, int tensor, TfLiteIntArray *dims,
                            struct diag *diag);

/* What an op sees of a node. */
struct ref_call node_call(struct interpreter *in, struct node *node);
/* The op's eval, of a node that was prepared. */
enum status node_eval(const struct node *node, struct ref_call *call, struct diag *diag);

/* Prepares a node of the model: outputs get their shapes, or become dynamic. */
enum status prepare_reference(struct interpreter *in, struct node *node, struct diag *diag);
/* Prepares all nodes of the plan. */
enum status prepare_plan(struct interpreter *in, struct diag *diag);
/* Prepares a late node in invoke. */
enum status prepare_late(struct interpreter *in, struct node *node, struct diag *diag);
/* Memory of the caller is large enough for the tensors that have it. */
enum status prepare_check_custom(const struct interpreter *in, struct diag *diag);
/* Prepares and allocates, whether or not it was done before.  Delegates are left as they are. */
enum status prepare_and_allocate(struct interpreter *in, struct diag *diag);

/* ---- build.c ---- */

/* Tensors and nodes of an interpreter, made from subgraph 0 of its model and checked. */

/* STATUS_UNSUPPORTED with op, version and node for an op that is not known; STATUS_INVALID for a
 * model that breaks a rule; STATUS_NO_MEMORY.  What was built is closed with the interpreter. */
enum status build_graph(struct interpreter *in, struct diag *diag);

/* ---- invoke.c: runs the execution plan, or one node of the model ---- */

/* The work of interpreter_invoke and interpreter_eval_node. */
enum status invoke_plan(struct interpreter *in, struct diag *diag);
enum status invoke_node(struct interpreter *in, int node, struct ref_detail *detail,
                        struct diag *diag);

#endif

/* The reference interpreter: runs a subgraph of a model, the first one unless options say another,
 * with the scalar kernels, and is the host of the delegate ABI.  The C API
 * (tensorflow/lite/c/c_api.h) is a thin layer over this header; the suite uses it directly, for
 * what the C API does not have: guard words, poison, single nodes.
 *
 * Order of use: open, apply delegates, (resize inputs,) allocate, write inputs, invoke, read.
 * A delegate applied before allocate sees prepared nodes: shapes are known, constants have data. */
#ifndef ASSAY_REFERENCE_RUNTIME_INTERPRETER_H
#define ASSAY_REFERENCE_RUNTIME_INTERPRETER_H

#include "reference/base/diag.h"
#include "reference/format/model.h"
#include "reference/kernels/op.h"
#include "reference/runtime/options.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interpreter;

/* Checks that every op of the graph is known (STATUS_UNSUPPORTED: op, version, node) and prepares
 * all nodes.  A node that cannot be prepared is not a failure yet, since the inputs may be resized:
 * allocate, or the first delegate that cannot resize, reports it.  The model is borrowed and must
 * outlive the interpreter.  options may be NULL.  On failure *out is NULL. */
enum status interpreter_open(struct interpreter **out, const struct model *model,
                             const struct interpreter_options *options, struct diag *diag);
void interpreter_close(struct interpreter *in);

/* Lets a delegate replace nodes.  It is kept, not owned, and applied again after a resize.  On
 * failure the plan of the model is restored: all delegates are removed, also those applied before.
 * *code (may be NULL) is then kTfLiteDelegateError, or kTfLiteApplicationError with the graph
 * unchanged when the graph has dynamic tensors and the delegate takes none, or kTfLiteError when it
 * cannot be prepared. */
enum status interpreter_apply_delegate(struct interpreter *in, TfLiteDelegate *delegate,
                                       TfLiteStatus *code, struct diag *diag);
/* The same, but where the delegate takes no dynamic tensors, which is no fault, it is left out with
 * a warning. */
enum status interpreter_offer_delegate(struct interpreter *in, TfLiteDelegate *delegate,
                                       struct diag *diag);

/* Gives a graph input new dims.  If a delegate that cannot resize was applied, all delegates are
 * undone here and applied again by allocate. */
enum status interpreter_resize_input(struct interpreter *in, int tensor, const int32_t *dims,
                                     int rank, struct diag *diag);
enum status interpreter_allocate(struct interpreter *in, struct diag *diag);
enum status interpreter_invoke(struct interpreter *in, struct diag *diag);
/* From any thread: a running invoke stops before its next node, kTfLiteCancelled. */
enum status interpreter_cancel(struct interpreter *in);
/* Variable tensors, of all subgraphs: zero, int8 their zero point. */
enum status interpreter_reset_variables(struct interpreter *in);
/* The same, and resource variables have no value, and CALL_ONCE runs again: as after open. */
enum status interpreter_reset_state(struct interpreter *in);

/* Copies a tensor that a delegate left on its device to host memory; a tensor that is not stale is
 * left alone. */
enum status interpreter_make_readable(struct interpreter *in, int tensor, struct diag *diag);
void interpreter_allow_buffer_handles(struct interpreter *in, bool allow);
enum status interpreter_set_buffer_handle(struct interpreter *in, int tensor, int handle,
                                          TfLiteDelegate *delegate, struct diag *diag);
/* Memory of the caller for one tensor: at least its size; 64-byte aligned unless skip_align. */
enum status interpreter_set_custom(struct interpreter *in, int tensor, void *data, size_t bytes,
                                   bool skip_align, struct diag *diag);

/* ---- queries ---- */
const struct model *interpreter_model(const struct interpreter *in);
size_t interpreter_tensor_count(const struct interpreter *in);
TfLiteTensor *interpreter_tensor(struct interpreter *in, int index); /* NULL: out of range */
/* Tensor indices. */
const int *interpreter_inputs(const struct interpreter *in, size_t *count);
const int *interpreter_outputs(const struct interpreter *in, size_t *count);
const int *interpreter_variables(const struct interpreter *in, size_t *count);

/* Nodes of the model, in the file's order.  op is the node's row; node its ABI view. */
size_t interpreter_node_count(const struct interpreter *in);
const struct ref_op *interpreter_node_op(const struct interpreter *in, int node);
/* Whether the reference runs the op in its version, without kernels of the user. */
bool interpreter_has_op(const struct model_opcode *opcode);
/* Why the reference cannot run the node, where the option stand_in lets it be; else NULL. */
const char *interpreter_node_reason(const struct interpreter *in, int node);
/* "CONV_2D", or the name of a custom op; "?" when there is no such node. */
const char *interpreter_node_name(const struct interpreter *in, int node);
const TfLiteNode *interpreter_node(const struct interpreter *in, int node);
int32_t interpreter_node_version(const struct interpreter *in, int node);
/* Which delegate kernel runs the node: 0, 1, ...; -1: the reference kernel. */
int interpreter_node_partition(const struct interpreter *in, int node);
int interpreter_partition_count(const struct interpreter *in);

/* Bytes of the activation arena, guard zones included. */
size_t interpreter_arena_bytes(const struct interpreter *in);

/* ---- for the suite ---- */

/* Runs one node with the reference kernel on what its input tensors hold now, writing its outputs
 * and the detail (one for each output, arrays of the output's element count).  Needs preserve_all.
 */
enum status interpreter_eval_node(struct interpreter *in, int node, struct ref_detail *detail,
                                  struct diag *diag);

/* What guard zones hold at first: a float of such bytes is NaN, in f32 and f16. */
enum { INTERPRETER_GUARD_BYTE = 0xff };
/* Fills every guard zone with another byte.  A result that this changes depends on memory outside
 * of a tensor. */
void interpreter_set_guards(struct interpreter *in, unsigned char byte);
/* STATUS_MISMATCH, with tensor and byte in diag, when a guard zone was written to. */
enum status interpreter_check_guards(const struct interpreter *in, struct diag *diag);

#endif

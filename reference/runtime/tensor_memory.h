/* Memory of the interpreter's tensors.
 *
 * Activations share one block, placed by lifetimes (arena_offsets.c).  Variables, outputs of folded
 * nodes and tensors whose shape is known in invoke only have blocks of their own.  With guard
 * zones, or when all is to be preserved, tensors of the arena do not share memory: a zone is
 * meaningful only while no other tensor's data may lie over it.
 *
 *     | guard | data, 64-byte aligned | guard |     the zone behind begins right after the data */
#ifndef ASSAY_REFERENCE_RUNTIME_TENSOR_MEMORY_H
#define ASSAY_REFERENCE_RUNTIME_TENSOR_MEMORY_H

#include "reference/base/diag.h"
#include "reference/base/spans.h"
#include "reference/base/status.h"
#include "reference/runtime/state.h"

#include <stddef.h>

/* Plans and allocates what the execution plan needs; sets tensor->data. */
enum status tensor_memory_allocate(struct interpreter *in, struct diag *diag);
/* A block for one tensor alone, of at least tensor->bytes; tensor->data is set.  Kept when it is
 * large enough. */
enum status tensor_memory_own(struct interpreter *in, int tensor, struct diag *diag);
void tensor_memory_release(struct interpreter *in, int tensor);
/* Before invoke: fills with poison_word what invoke has to overwrite. */
void tensor_memory_poison(struct interpreter *in);
void tensor_memory_poison_one(struct interpreter *in, int tensor);
/* Zeros, or the zero point of an int8 tensor. */
void tensor_memory_reset_variable(TfLiteTensor *t);
/* Writes in->guard_byte to every guard zone. */
void tensor_memory_fill_guards(struct interpreter *in);
/* STATUS_MISMATCH, with tensor and byte in diag, when a guard zone was written to. */
enum status tensor_memory_check_guards(const struct interpreter *in, struct diag *diag);
void tensor_memory_close(struct interpreter *in);

/* ---- arena_offsets.c ---- */

/* Offsets of tensors in the activation arena, from their lifetimes.  Plain data. */

/* Gives every tensor an offset such that tensors alive in one step do not overlap.  *total is the
 * size of the arena, *bound the largest sum of tensors alive in one step.  STATUS_NO_MEMORY when a
 * size does not fit a size_t, or there is no memory to plan in. */
enum status arena_assign_offsets(struct span *spans, size_t count, size_t *total, size_t *bound);

#endif

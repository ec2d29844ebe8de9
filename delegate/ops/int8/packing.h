/* What the integer kernels share on the host: packed constants of bytes, and functions of one byte
 * as tables. */
#ifndef ASSAY_DELEGATE_OPS_INT8_PACKING_H
#define ASSAY_DELEGATE_OPS_INT8_PACKING_H

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/plan/planner.h"

#include <stdbool.h>
#include <stdint.h>

/* The integer that a byte is. */
static inline int32_t bytes_value(TfLiteType type, int byte)
{
    return type == kTfLiteInt8 && byte > INT8_MAX ? byte - 256 : byte;
}

/* Tensor has one scale: constants may come with one a channel, which only weights have a meaning
 * for. */
bool check_one_scale(struct check *c, int tensor);

/* The output has a scale of 1/256, give or take a share of it, and the least zero point: the kernel
 * has no other. */
bool check_unit_output(struct check *c, double tolerance);

/* What each byte becomes, by its 8 bits. */
struct byte_table {
    uint8_t to[256];
};

/* A constant 8-bit tensor packed as the device has its kind: rows of slices, a word each (padded
 * lanes hold the poison when it is on, else 0).  table: what becomes of its bytes; NULL: nothing.
 */
enum status bytes_pack_tensor(struct planner *p, int tensor, const struct byte_table *table,
                              struct packed *packed);

/* dst = table[src], plan tensors of bytes; in place where that is allowed. */
enum status bytes_plan_table(struct planner *p, const struct graph_node *n,
                             const struct byte_table *table, int src, int dst);

#endif

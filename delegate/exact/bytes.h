/* What the integer kernels share on the host: packed constants of bytes, and functions of one byte
 * as tables. */
#ifndef ASSAY_DELEGATE_EXACT_BYTES_H
#define ASSAY_DELEGATE_EXACT_BYTES_H

#include "delegate/gpu_op.h"

#include <stdint.h>

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

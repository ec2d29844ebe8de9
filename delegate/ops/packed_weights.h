/* Constant weights [rows, K] of 8, 4 or 2 bits, without zero points, that stay packed on the
 * device, and their scales: for packed_weights.glsl.
 *
 * A row is chunks of 16 bytes, the last filled up with zeros.  4 rows, one for each lane of a slice
 * of outputs, times `columns` such slices are a group:
 *
 *     weights  [groups][chunks][4 lanes][columns] of 16 bytes: w + 2^(bits-1), the first lowest
 *     sides    biases [groups][columns] vec4, then scales: [groups][columns] vec4, or of blocks
 *              [groups][row_scales][columns] 4 halves
 *
 * What a group has beyond the last row is 0. */
#ifndef ASSAY_DELEGATE_OPS_PACKED_WEIGHTS_H
#define ASSAY_DELEGATE_OPS_PACKED_WEIGHTS_H

#include "delegate/graph/gpu_op.h"
#include "delegate/plan/planner.h"

#include <stdbool.h>
#include <stdint.h>

struct packed_weights {
    struct packed weights, sides;
    uint32_t bits, columns, chunks;
    uint32_t scales_at; /* in sides, in units of 8 bytes */
    uint32_t block;     /* weights of a scale; K: all of a row */
    uint32_t row_scales;
    bool has_blocks;
};

/* Columns of a group at most: a line of the cache, 128 bytes.  The table of an embedding has as
 * many, so that the last product of a large model shares it. */
enum { PACKED_COLUMNS_MAX = 8 };

/* The tensor, or the constant that it is the DEQUANTIZE of, is packed so.  -1: no; else the
 * constant. */
int packed_weights_of(const struct graph *g, int tensor);
/* So many rows of the constant, which packed_weights_of gave, and their sides fit a storage buffer
 * each. */
bool packed_weights_fit(const struct graph *g, const struct device_limits *limits, int weights,
                        uint32_t rows);
/* The rows of a constant matrix of 4 or 2 bits are packed: bytes of one, and how many lie together.
 * Others stay as they are in *table: weights of 8 bits may become floats for some nodes. */
void packed_weights_table(const struct graph *g, const struct gpu_options *options, int tensor,
                          struct gpu_table *table);
/* bias: a constant of as many elements as the weights have rows; -1: none. */
enum status packed_weights_pack(struct planner *p, int weights, int bias, uint32_t columns,
                                struct packed_weights *packed);

#endif

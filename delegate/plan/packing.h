/* Constant weights, transposed for the shaders.  A plan collects what is to be packed, then packs
 * all of it in several threads: weights are most of what a start reads and writes. */
#ifndef ASSAY_DELEGATE_PLAN_PACKING_H
#define ASSAY_DELEGATE_PLAN_PACKING_H

#include "delegate/plan/planner.h"

#include <stdint.h>

/* Weights [outputs, taps..., inputs], packed as [taps][depth][slices of outputs] vec4 of 4 outputs;
 * depth is inputs, or more, then zero from there on. */
struct packing_shape {
    uint32_t outputs, taps, inputs, depth;
};

/* Reserves room for the constant tensor in the storage type.  packing_finish writes it. */
enum status packing_weights(struct planner *p, int tensor, const struct packing_shape *shape,
                            struct packed *packed);
/* The same in f16 as tiles of the matrix units, [outputs / tile][taps * depth / tile], both rounded
 * up.  A tile has its elements, [sum][output], in the order of the device, or, without fragments,
 * by columns. What pads is 0. */
uint64_t packing_tiled_vec4s(const struct packing_shape *shape, const struct device_matrix *m);
enum status packing_tiled(struct planner *p, int tensor, const struct packing_shape *shape,
                          const struct device_matrix *m, struct packed *packed);
/* Weights [outputs, inputs] of 8, 4 or 2 bits, as chunks of 16 bytes: [groups][chunks][4 lanes]
 * [columns], where output o is lane o % 4 of column o / 4 % columns of its group.  An integer w is
 * w + 2^(bits-1); what pads is w = 0.  The same data in the same shape are packed once. */
struct packing_chunks_shape {
    uint32_t outputs, inputs, bits, chunks, columns;
};
enum status packing_chunks(struct planner *p, int tensor, const struct packing_chunks_shape *shape,
                           struct packed *packed);
/* Writes all weights of the plan, while its graph is there. */
void packing_finish(struct planner *p);

#endif

/* Packed constants of bytes, lookup tables over one byte (TensorFlow Lite: LUT), and checks that
 * many 8-bit ops make. */
#ifndef ASSAY_DELEGATE_OPS_INT8_PACKING_H
#define ASSAY_DELEGATE_OPS_INT8_PACKING_H

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/plan/planner.h"

#include <stdbool.h>
#include <stdint.h>

/* The shader `name` for integers of t: of 8 bits, or of 16. */
#define INTEGER_SHADER(t, name) ((t)->type == kTfLiteInt16 ? name ".i16" : name)

/* The integer of a byte of type i8 or u8. */
static inline int32_t bytes_value(TfLiteType type, int byte)
{
    return type == kTfLiteInt8 && byte > INT8_MAX ? byte - 256 : byte;
}

/* The tensor is quantized per tensor: a constant may have a scale for each channel, which has a
 * meaning for weights only. */
bool check_per_tensor(struct check *c, int tensor);

/* The output has this scale within a relative tolerance, and this zero point, which the CPU kernels
 * of some ops require. */
bool check_output_steps(struct check *c, double scale, double tolerance, int32_t zero_point);
/* The output has a scale of 1/256 within a relative tolerance, and the least integer of its type as
 * zero point, i16 1/32768 and 0, which the CPU kernels of LOGISTIC and SOFTMAX require. */
bool check_unit_output(struct check *c, double tolerance);

/* A lookup table: the result of a function of one byte for each pattern of 8 bits. */
struct byte_table {
    uint8_t to[256];
};

/* Packs a constant 8-bit tensor as rows of slices, a word each, as plan tensors are; padded lanes
 * hold the poison when it is on, else 0.  table: applied to each byte; NULL: none. */
enum status bytes_pack_tensor(struct planner *p, int tensor, const struct byte_table *table,
                              struct packed *packed);

/* dst = table[src], plan tensors of bytes; in place where that is allowed. */
enum status bytes_plan_table(struct planner *p, const struct graph_node *n,
                             const struct byte_table *table, int src, int dst);

/* The result, of so many bits, of a function of one integer of input 0. */
typedef uint32_t table_function(const struct graph *g, const struct graph_node *n, int32_t q,
                                uint32_t bits);
/* Output 0 = f(input 0), an input of 8 bits or i16, by a table of all 2^8 or 2^16 results. */
enum status table_plan(struct planner *p, const struct graph_node *n, table_function *f);

#endif

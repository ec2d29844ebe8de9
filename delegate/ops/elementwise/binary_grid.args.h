/* What the arguments of binary.comp and binary_int8.comp have in common. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_GRID_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_BINARY_GRID_ARGS_H

#include "delegate/shaders/args.h"

#define BINARY_SPEC_OP          3 /* BINARY_ADD, ..., of those that the shader has */
#define BINARY_SPEC_BROADCAST_A 4 /* a has one channel, the result more */
#define BINARY_SPEC_BROADCAST_B 5

#define BINARY_ADD                0
#define BINARY_MUL                1
#define BINARY_SUB                2
#define BINARY_MAXIMUM            3
#define BINARY_MINIMUM            4
#define BINARY_PRELU              5 /* a >= 0 ? a : a * b */
#define BINARY_DIV                6
#define BINARY_SQUARED_DIFFERENCE 7
#define BINARY_FLOOR_DIV          8
#define BINARY_FLOOR_MOD          9
#define BINARY_POW                10
#define BINARY_ATAN2              11

/* Dims of the result but the channels. */
#define BINARY_OUTER 5

/* How rows of the result find theirs of the operands: sizes of the dims, outermost first, and the
 * stride of each operand in slices (0: broadcast). */
struct binary_grid {
    uint count, slices;
    uint size[BINARY_OUTER], stride_a[BINARY_OUTER], stride_b[BINARY_OUTER];
};
ARGS_SIZE(binary_grid, 68)

#endif

/* What elementwise.glsl computes. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_OP_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_OP_ARGS_H

#include "delegate/shaders/args.h"

#define ELEMENTWISE_TANH        0
#define ELEMENTWISE_GELU        1
#define ELEMENTWISE_GELU_TANH   2 /* GELU with approximate */
#define ELEMENTWISE_ELU         3
#define ELEMENTWISE_LEAKY_RELU  4
#define ELEMENTWISE_RELU_N1     5
#define ELEMENTWISE_RELU_01     6
#define ELEMENTWISE_ABS         7
#define ELEMENTWISE_NEG         8
#define ELEMENTWISE_SQRT        9
#define ELEMENTWISE_RSQRT       10
#define ELEMENTWISE_SQUARE      11
#define ELEMENTWISE_LOG         12
#define ELEMENTWISE_LOG_STEPS   13 /* LOG in float view: finite for what is not positive */
#define ELEMENTWISE_SIN         14
#define ELEMENTWISE_COS         15
#define ELEMENTWISE_FLOOR       16
#define ELEMENTWISE_CEIL        17
#define ELEMENTWISE_ROUND       18
#define ELEMENTWISE_SIGN        19
#define ELEMENTWISE_LOGICAL_NOT 20

#endif

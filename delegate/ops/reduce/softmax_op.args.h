/* What softmax.glsl computes of a row. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_OP_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_SOFTMAX_OP_ARGS_H

#include "delegate/shaders/args.h"

#define SOFTMAX_POWERS 0 /* SOFTMAX */
#define SOFTMAX_LOG    1 /* LOG_SOFTMAX */
#define SOFTMAX_NORM   2 /* L2_NORMALIZATION */

#endif

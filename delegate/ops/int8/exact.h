/* Quantized nodes in integers, bit for bit as the CPU's reference kernels: rows of gpu_op point
 * here.  Shaders are *_int8.comp; what 8-bit tensors look like: plan.h. */
#ifndef ASSAY_DELEGATE_OPS_INT8_EXACT_H
#define ASSAY_DELEGATE_OPS_INT8_EXACT_H

#include "delegate/graph/gpu_op.h"

extern const struct gpu_exact exact_binary;
extern const struct gpu_exact exact_concatenation;
extern const struct gpu_exact exact_conv_2d;
extern const struct gpu_exact exact_depthwise_conv_2d;
extern const struct gpu_exact exact_dequantize;
extern const struct gpu_exact exact_fully_connected;
extern const struct gpu_exact exact_lstm;
extern const struct gpu_exact exact_mean;
extern const struct gpu_exact exact_moves;
extern const struct gpu_exact exact_pool;
extern const struct gpu_exact exact_quantize;
extern const struct gpu_exact exact_resize;
extern const struct gpu_exact exact_softmax;
extern const struct gpu_exact exact_transpose_conv;
extern const struct gpu_exact exact_unary;

#endif

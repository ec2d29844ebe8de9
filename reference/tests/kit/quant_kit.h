/* Quantized tensors by hand, on top of op_harness.h. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_QUANT_KIT_H
#define ASSAY_REFERENCE_TESTS_KIT_QUANT_KIT_H

#include "reference/tests/kit/op_harness.h"

void quant_begin(struct op_test *t, int32_t code, TfLiteType out_type);
/* A scale and a zero point for each of count channels of a dimension. */
void quant_channels(TfLiteTensor *t, int count, const float *scales, const int *zeros,
                    int dimension);
TfLiteTensor *quant_set(TfLiteTensor *t, double scale, int zero);
TfLiteAffineQuantization *quant_of(TfLiteTensor *t);
/* The output, of an integer type, equals the values; i8 and u8 are written as ints. */
void quant_gives(const struct op_test *t, size_t count, const int *values);
/* A tensor's usual refusals: each parameter made wrong once and put back. */
void quant_refuses_scales(struct op_test *t, TfLiteTensor *tensor, const char *words);

#define BYTES(...)  ((const int8_t[]){ __VA_ARGS__ })
#define UBYTES(...) ((const uint8_t[]){ __VA_ARGS__ })
#define VALUES(...)                                                                                \
    sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int), ((const int[]){ __VA_ARGS__ })

#endif

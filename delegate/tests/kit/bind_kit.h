/* A small model for tests of assay_gpu_bind_buffer_to_tensor, and expected refusals. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_BIND_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_BIND_KIT_H

#include "delegate/tests/kit/buffer_kit.h"

#include <math.h>

enum { ROWS = 12, CHANNELS = 3, X = 0, Y, HIDDEN };
enum { DENSE = ROWS * CHANNELS * 4, SLICES = ROWS * 16 };

/* y = RELU(x) + x; the result of RELU lies inside the partition. */
void bind_make_model(struct model *m);
/* Input values, and a check of the outputs for them. */
void bind_fill(float out[ROWS * CHANNELS], int seed);
void bind_expect(const float *y, int seed);
/* Binding fails with a message that has both words. */
void bind_expect_refused(TfLiteDelegate *d, const struct assay_gpu_buffer *given, const char *one,
                         const char *two);

#endif

/* Functions of i16 by the runtime's tables, with linear interpolation between two entries.  An
 * entry is moved by half of what the interpolation is off in the middle of the interval behind it.
 * Meaning: tflite/kernels/internal/common.h (LUTPopulate, LUTLookup), integer_ops/logistic.h and
 * integer_ops/tanh.h */
#ifndef ASSAY_REFERENCE_KERNELS_TABLE16_H
#define ASSAY_REFERENCE_KERNELS_TABLE16_H

#include <stdint.h>

enum { TABLE16 = 513 }; /* entries, 128 integers apart */

/* The table of f over [low, high] in Q0.15, in double. */
void table16_fill(double (*f)(double), double low, double high, int16_t table[TABLE16]);
/* The table of f over all integers of a scale, in steps of scale_y, in f32; `most` is the largest
 * result. */
void table16_fill_scaled(float (*f)(float x, float most), float scale, float scale_y,
                         int16_t table[TABLE16]);
int32_t table16_look_up(const int16_t table[TABLE16], int32_t x);

/* LOGISTIC and TANH: x, in units of the scale, is brought to 1/12288 by a multiplier and a shift to
 * the right; the table is of the sigmoid.  Results are in units of 2^-15. */
struct sigmoid16 {
    int32_t multiplier;
    int shift;
};
struct sigmoid16 sigmoid16_of(double scale);
int32_t sigmoid16_logistic(struct sigmoid16 s, int32_t x);
int32_t sigmoid16_tanh(struct sigmoid16 s, int32_t x);

#endif

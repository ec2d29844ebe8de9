/* Sums of products in all types.  The loops of the convolutions and of FULLY_CONNECTED accumulate
 * in double; this module prepares their operands and requantizes or stores their sums.
 *
 *     f32              x, w and bias as they are
 *     f32, weights i8  (dynamic range) the weights are dequantized first; the runtime quantizes x
 *                      as well, and is coarser
 *     i16, weights i8  bias i64, and the sum has 64 bits; or bias i32, and 32 bits
 *     i8, u8           x and w less their zero points, bias i32: the sum is an exact integer, which
 *                      is requantized as in the runtime
 *
 * Weights i4 and i2 are those of i8, in fewer bits. */
#ifndef ASSAY_REFERENCE_KERNELS_DOT_H
#define ASSAY_REFERENCE_KERNELS_DOT_H

#include "reference/kernels/quantized.h"

/* Whether the input that is the bias may be missing: be index -1, or not be among the inputs. */
enum ref_dot_bias { REF_DOT_BIAS_OPTIONAL, REF_DOT_BIAS_NOT_ABSENT, REF_DOT_BIAS_REQUIRED };

/* Indices of the inputs of a call, and the dimension of the weights that is the output channel. */
struct ref_dot_inputs {
    int x, w, bias, channel;
    /* Requantizes in double, not in fixed point, and checks the scale of an i8 bias, too, where the
     * weights have one scale. */
    bool fully_connected;
    uint32_t symmetric_bias; /* the types of x (an OR of REF_TYPE) where a bias has zero point 0 */
    enum ref_dot_bias missing_bias;
    bool wide_bias; /* the bias of i16 is i64, not i32 */
    /* The op sums in blocks (dot_block.h), which take 8-bit operands as integers. */
    bool blocks;
    /* The op takes weights [U,K] channel by channel (ref_dot_row), which may be quantized in blocks
     * of a channel where x is f32. */
    bool rows;
    bool packed; /* weights may be i4 and i2 */
};

/* The types of x, weights and output are a combination listed above. */
enum status ref_dot_check_types(const struct ref_call *call, struct diag *diag,
                                const struct ref_dot_inputs *in, int x_min_rank, int x_max_rank,
                                int w_rank);
/* The bias has its type and an element for each output channel; scales and zero points are usable.
 * Shapes are checked before. */
enum status ref_dot_check_scales(const struct ref_call *call, struct diag *diag,
                                 const struct ref_dot_inputs *in, TfLiteFusedActivation act);

struct ref_dot_channel;
struct ref_dot {
    /* NULL where the integers below are there: 8 bits, blocks, and no detail asked for; w, too,
     * where the op takes rows. */
    const float *x, *w;
    const int16_t *x_integers, *w_integers; /* less the zero points */
    const double *bias;                     /* NULL: none */
    /* Private to dot.c. */
    TfLiteFusedActivation act;
    struct fixed_range range;
    int32_t zero;                     /* the output's zero point */
    struct ref_dot_channel *channels; /* NULL: floats */
    bool in_double, wide;
    struct ref_scales scales; /* of the weights, where they are integers */
    void *owned[3];
};

/* Prepares the operands of a call that passed the checks.  Close it, also after a failure. */
enum status ref_dot_open(struct ref_dot *d, const struct ref_call *call, struct diag *diag,
                         const struct ref_dot_inputs *in, TfLiteFusedActivation act);
void ref_dot_close(struct ref_dot *d);

/* The weights of an output channel, of an op with `rows`; valid until the next call. */
const float *ref_dot_row(const struct ref_call *call, const struct ref_dot *d,
                         const struct ref_dot_inputs *in, size_t channel);

/* Stores a sum of products and the bias of an output channel as element i of output 0. */
void ref_dot_store(struct ref_call *call, const struct ref_dot *d, size_t i, size_t channel,
                   double sum, double magnitude, double terms);

#endif

/* Sums of products in all types: the loops of the convolutions and of FULLY_CONNECTED add up in
 * double; here is what they add up, and what is made of a sum.
 *
 *     f32              x, w, bias as they are
 *     f32, weights i8  ("dynamic range") the product with the dequantized weights; what the runtime
 *                      computes is coarser, as it quantizes x
 *     i8, u8           x and w less their zero points, bias i32: the sum is an exact integer, and
 * is requantized in fixed point as the runtime does
 */
#ifndef ASSAY_REFERENCE_KERNELS_DOT_H
#define ASSAY_REFERENCE_KERNELS_DOT_H

#include "reference/kernels/quantized.h"

/* Which inputs of a call they are, and the dimension of the weights that is the output channel. */
struct ref_dot_inputs {
    int x, w, bias, channel;
    /* It brings its sums to the output's scale in double, not in fixed point, and looks at the
     * scale of an i8 bias, too, where the weights have one scale. */
    bool fully_connected;
};

/* The types of x, weights and output fit each other. */
enum status ref_dot_check_types(const struct ref_call *call, struct diag *diag,
                                const struct ref_dot_inputs *in, int x_min_rank, int x_max_rank,
                                int w_rank);
/* The bias has its type and an element for each output channel; scales and zero points are usable.
 * Shapes are checked before. */
enum status ref_dot_check_scales(const struct ref_call *call, struct diag *diag,
                                 const struct ref_dot_inputs *in, TfLiteFusedActivation act);

struct ref_dot_channel;
struct ref_dot {
    const float *x, *w;
    const double *bias; /* NULL: none */
    /* The rest is this module's. */
    TfLiteFusedActivation act;
    struct fixed_range range;
    struct ref_dot_channel *channels; /* NULL: floats */
    bool in_double;
    void *owned[3];
};

/* What prepare has checked is taken as it is.  Close it, also when it fails. */
enum status ref_dot_open(struct ref_dot *d, const struct ref_call *call, struct diag *diag,
                         const struct ref_dot_inputs *in, TfLiteFusedActivation act);
void ref_dot_close(struct ref_dot *d);

/* Stores a sum of products and the bias of an output channel as element i of output 0. */
void ref_dot_store(struct ref_call *call, const struct ref_dot *d, size_t i, size_t channel,
                   double sum, double magnitude, double terms);

#endif

/* Sums of products of several output channels side by side, for the convolutions.
 *
 * Floats: neighbouring lanes are added at the same time, each in the order of its own terms, so the
 * sums have the bits of a loop over one channel after the other.
 * Integers of 8 bits: sums are exact, in whatever order. */
#ifndef ASSAY_REFERENCE_KERNELS_DOT_BLOCK_H
#define ASSAY_REFERENCE_KERNELS_DOT_BLOCK_H

#include "reference/kernels/dot.h"

enum { REF_DOT_LANES = 8 };

struct ref_dot_block {
    const struct ref_dot *d;
    size_t first, count; /* output channels; lanes from count on hold anything */
    size_t terms;        /* weights of one channel */
    double *w;           /* [terms][REF_DOT_LANES]; NULL: integers */
    double sum[REF_DOT_LANES], magnitude[REF_DOT_LANES];
    bool detailed; /* the caller wants magnitudes */
};

/* Blocks of the channels of d, whose weights are [channel][terms].  Close it, also after a failure.
 */
enum status ref_dot_block_open(struct ref_dot_block *b, const struct ref_dot *d,
                               const struct ref_call *call, struct diag *diag, size_t terms);
void ref_dot_block_close(struct ref_dot_block *b);
/* Takes the channels from first on, up to REF_DOT_LANES of them and none from end on. */
void ref_dot_block_load(struct ref_dot_block *b, size_t first, size_t end);

/* Begins the sums of one place with the biases. */
void ref_dot_block_begin(struct ref_dot_block *b);
/* Adds the products of the weights from term on and the count values of the input from x on. */
void ref_dot_block_add(struct ref_dot_block *b, size_t term, size_t x, size_t count);
/* Stores the sums as elements i, i + 1, .. of output 0; terms is the number of products and bias
 * that each has. */
void ref_dot_block_store(struct ref_call *call, const struct ref_dot_block *b, size_t i,
                         double terms);

#endif

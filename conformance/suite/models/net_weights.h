/* Constants of a topology: seeded weights and biases in the types that the model has.
 *
 * Weights are drawn after He: with fan_in products in a sum, variance gain^2 / fan_in keeps the
 * mean square of what passes through a ReLU when gain^2 is 2. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_WEIGHTS_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_WEIGHTS_H

#include "conformance/suite/models/net.h"

/* The inputs of a layer: its activation, weights [dims], a bias for each of channels. */
struct zoo_weights {
    const char *name;
    size_t rank;
    int32_t dims[4];
    int32_t dimension; /* of the weights, along which lie the channels */
    bool one_scale;    /* for all channels, in i8 too */
    bool no_bias;
    size_t as_large_as; /* elements that decide about 8 bits in dynamic range; 0: its own */
    double deviation;
    double bias_mean;
    int inputs[3];
    bool scaled; /* set: the weights are in 8 bits */
};

/* Sets inputs[1] and [2] from inputs[0]. */
void zoo_weights(struct zoo_net *net, struct zoo_weights *w);
/* A matrix [rows, width], or of one row a vector [width] in f32, that the signatures of a model
 * share: drawn and stored row by row, in the model's type. */
struct zoo_matrix {
    int32_t rows, width;
    double mean, deviation;
    /* Set: the constant and the scales of its blocks in the first subgraph that uses it; what does
     * now, and how many subgraphs there are then. */
    int tensor, scales, used;
    size_t home, uses;
};
/* The tensor in the subgraph that is built; of f16 weights the output of a DEQUANTIZE. */
int zoo_matrix(struct zoo_net *net, const char *name, struct zoo_matrix *m);

/* data NULL: sizes only. */
int zoo_constant(struct zoo_net *net, int32_t type, const char *name, size_t rank,
                 const int32_t *dims, const void *data, size_t bytes);
/* A constant that activations are added to or multiplied with, above 0. */
int zoo_scalar(struct zoo_net *net, const char *name, double value);
/* Values that are given, one scale from their range; real: floats in 8-bit models too. */
int zoo_given(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims,
              const double *values, size_t count, bool real);
/* Values that training would find, drawn; they count as parameters. */
int zoo_drawn(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims, double mean,
              double deviation);
int zoo_zeros(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims);
/* A shape, or axes. */
int zoo_shape(struct zoo_net *net, const char *name, size_t rank, const int32_t *dims,
              const int32_t *values, size_t count);

#endif

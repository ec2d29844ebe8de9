/* Nodes of tensors of any rank, and signatures.  The names of a node's constants begin with that of
 * its result, which has the given dims. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_NODES_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_NODES_H

#include "conformance/suite/models/net.h"

/* Rank and sizes of a tensor. */
struct zoo_dims {
    size_t rank;
    int32_t of[4];
};

int zoo_node(struct zoo_net *net, const char *name, int32_t code, int32_t version,
             struct options *o, size_t count, const int *inputs, struct zoo_dims dims);
int zoo_unary(struct zoo_net *net, const char *name, int32_t code, int in, struct zoo_dims dims);
/* table: of the op's options. */
int zoo_binary(struct zoo_net *net, const char *name, int32_t code, uint8_t table, int a, int b,
               struct zoo_dims dims);
int zoo_times(struct zoo_net *net, const char *name, int a, int b, struct zoo_dims dims);
int zoo_plus(struct zoo_net *net, const char *name, int a, int b, struct zoo_dims dims);
/* Of the last dimension, which stays as 1; dims: of the input. */
int zoo_mean_of_row(struct zoo_net *net, const char *name, int in, struct zoo_dims dims);
int zoo_reshaped(struct zoo_net *net, const char *name, int in, struct zoo_dims dims);
/* Exchanges axes 1 and 2 of four. */
int zoo_exchanged(struct zoo_net *net, const char *name, int in, struct zoo_dims dims);
int zoo_to_float(struct zoo_net *net, const char *name, int in, struct zoo_dims dims);
/* A product of matrices; transposed: b's rows are the columns of the product. */
int zoo_product(struct zoo_net *net, const char *name, int a, int b, bool transposed,
                struct zoo_dims dims);

/* Integers that are activations: [..] of i32. */
int zoo_integers(struct zoo_net *net, const char *name, int32_t code, struct options *o,
                 size_t count, const int *inputs, struct zoo_dims dims);
/* A constant list of integers. */
int zoo_numbers(struct zoo_net *net, const char *name, size_t count, const int32_t *values);
/* A constant in f32, whatever type weights have; a scalar has rank 0. */
int zoo_reals(struct zoo_net *net, const char *name, struct zoo_dims dims, const double *values);
int zoo_real(struct zoo_net *net, const char *name, double value);

/* Where caches [1, slots, heads, width] are written: [0, the first of positions, 0, 0]. */
int zoo_cache_start(struct zoo_net *net, int positions);

/* ---- signatures ---- */

enum { ZOO_NAMES = 48 };

/* Inputs and outputs of a subgraph, by name. */
struct zoo_signature {
    size_t input_count, output_count;
    int inputs[ZOO_NAMES], outputs[ZOO_NAMES];
    char input_names[ZOO_NAMES][32], output_names[ZOO_NAMES][32];
};

/* Makes the next input, and returns its tensor. */
int zoo_signature_input(struct zoo_net *net, struct zoo_signature *s, int32_t type,
                        const char *name, struct zoo_dims dims);
void zoo_signature_output(struct zoo_signature *s, const char *name, int tensor);
/* kv_cache_<kind>_<layer>, an input, with a slice at start, which is the output of that name. */
int zoo_cache(struct zoo_net *net, struct zoo_signature *s, char kind, int layer, int slice,
              int start, struct zoo_dims dims);
/* The subgraph that is built has the signature under this key. */
void zoo_signature_end(struct zoo_net *net, const struct zoo_signature *s, const char *key);

#endif

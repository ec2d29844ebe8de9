/* Layers of transformers, with one head and normalization behind each sum. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_TRANSFORMER_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_TRANSFORMER_H

#include "conformance/suite/models/net.h"

/* An activation [batch, count, width]. */
struct zoo_tokens {
    int index;
    int32_t count, width;
};

/* FULLY_CONNECTED of each token. */
struct zoo_tokens zoo_dense(struct zoo_net *net, const char *name, struct zoo_tokens in,
                            int32_t units, bool biased, double gain);
/* A learnt token in front of the others. */
struct zoo_tokens zoo_class_token(struct zoo_net *net, const char *name, struct zoo_tokens in);
/* A learnt value for each place and element. */
struct zoo_tokens zoo_add_constant(struct zoo_net *net, const char *name, struct zoo_tokens in);
/* The sum with what attention gives, normalized. */
struct zoo_tokens zoo_attention(struct zoo_net *net, const char *name, struct zoo_tokens in);
/* The sum with a perceptron of one hidden layer with GELU, normalized. */
struct zoo_tokens zoo_perceptron(struct zoo_net *net, const char *name, struct zoo_tokens in,
                                 int32_t hidden);
/* [batch, width] */
int zoo_first_token(struct zoo_net *net, const char *name, struct zoo_tokens in);

#endif

/* Layers of transformers: of one head and in 8 bits, too, as the keyword transformer has them; of
 * several heads, with weights alone quantized, as BERT, ViT and Whisper have them. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_TRANSFORMER_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_TRANSFORMER_H

#include "conformance/suite/models/net_nodes.h"
#include "conformance/suite/models/net_weights.h"

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
int zoo_token_at(struct zoo_net *net, const char *name, struct zoo_tokens in, int32_t place);

/* ---- of any rank: dims are those of the result ---- */

/* Rows of a table [.., width] by ids, i32 of as many elements: [batch, tokens, width]. */
int zoo_embedded(struct zoo_net *net, const char *name, int ids, struct zoo_matrix *table,
                 struct zoo_dims dims);
/* FULLY_CONNECTED of each row; bias -1: none. */
int zoo_linear(struct zoo_net *net, const char *name, int in, struct zoo_matrix *weights, int bias,
               struct zoo_dims dims);
/* The same with weights [.., width] and a bias of its own. */
int zoo_linear_drawn(struct zoo_net *net, const char *name, int in, int32_t width, bool biased,
                     struct zoo_dims dims);
/* approximate: by TANH. */
int zoo_gelu(struct zoo_net *net, const char *name, int in, bool approximate, struct zoo_dims dims);

struct zoo_heads {
    int32_t batch, tokens, slots;
    int32_t heads, groups, width; /* groups: heads of keys and values, which queries share */
};

/* Scaled dot product attention of q [batch, tokens, heads, width] to k and v [batch, slots, groups,
 * width], before which mask is added to the logits [batch, heads, tokens, slots]; -1: none.
 * Returns [batch, tokens, heads * width]. */
int zoo_attend(struct zoo_net *net, const char *name, const struct zoo_heads *h, int q, int k,
               int v, int mask);

/* ---- layers of rows [batch, tokens, width] ---- */

struct zoo_layer {
    int32_t tokens, width, heads, hidden;
    bool norm_first;  /* in front of attention and perceptron; else behind their sums */
    bool plain_keys;  /* without a bias */
    bool approximate; /* GELU by TANH */
    double epsilon;
};

int zoo_layer_norm_drawn(struct zoo_net *net, const char *name, int in, const struct zoo_layer *l);
/* Of count rows: [batch, count, heads, width / heads]. */
int zoo_projected(struct zoo_net *net, const char *name, int in, const struct zoo_layer *l,
                  int32_t count, bool biased);
/* Attention of what was projected, or of the rows `in` to `slots` rows of memory; and a matrix. */
int zoo_attention_out(struct zoo_net *net, const char *name, const struct zoo_layer *l, int q,
                      int k, int v, int32_t slots, int mask);
int zoo_attention_to(struct zoo_net *net, const char *name, int in, int memory, int32_t slots,
                     int mask, const struct zoo_layer *l);
/* With the normalization and the sum. */
int zoo_feed_forward(struct zoo_net *net, const char *name, int in, const struct zoo_layer *l);
/* Layers of attention to themselves and of that, layer_<i>. */
int zoo_layers(struct zoo_net *net, int count, int in, int mask, const struct zoo_layer *l);

#endif

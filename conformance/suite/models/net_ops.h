/* Layers without weights.  The names of a layer's tensors begin with `name`. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_NET_OPS_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_NET_OPS_H

#include "conformance/suite/models/net.h"

/* Averages over height and width: AVERAGE_POOL_2D, which leaves [batch, 1, 1, c]. */
struct zoo_tensor zoo_global_average_pool(struct zoo_net *net, const char *name,
                                          struct zoo_tensor in);
/* The same as a MEAN, which leaves [batch, c]; returns the tensor's index. */
int zoo_mean(struct zoo_net *net, const char *name, struct zoo_tensor in);
struct zoo_tensor zoo_max_pool(struct zoo_net *net, const char *name, struct zoo_tensor in,
                               int32_t kernel, int32_t stride, enum zoo_padding padding);
/* Zeros around the image. */
struct zoo_tensor zoo_pad(struct zoo_net *net, const char *name, struct zoo_tensor in,
                          int32_t before, int32_t after);
struct zoo_tensor zoo_hard_swish(struct zoo_net *net, const char *name, struct zoo_tensor in);
struct zoo_tensor zoo_add(struct zoo_net *net, const char *name, struct zoo_tensor a,
                          struct zoo_tensor b, enum zoo_activation activation);
/* b: of a's shape, or [batch, 1, 1, c]. */
struct zoo_tensor zoo_mul(struct zoo_net *net, const char *name, struct zoo_tensor a,
                          struct zoo_tensor b);
/* relu6(x + 3) / 6 */
struct zoo_tensor zoo_hard_sigmoid(struct zoo_net *net, const char *name, struct zoo_tensor in);
struct zoo_tensor zoo_resize_bilinear(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                      int32_t height, int32_t width);
/* Of channels. */
struct zoo_tensor zoo_concatenate(struct zoo_net *net, const char *name, size_t count,
                                  const struct zoo_tensor *in);
/* Of [batch, rows, c] along the rows; returns the tensor's index. */
int zoo_concatenate_rows(struct zoo_net *net, const char *name, size_t count, const int *in,
                         int32_t rows, int32_t c);
/* dims without the batch. */
int zoo_reshape(struct zoo_net *net, const char *name, int in, size_t rank, const int32_t *dims);
/* Reshapes [batch, 1, 1, c] to [batch, c], and returns the tensor's index. */
int zoo_flatten(struct zoo_net *net, const char *name, struct zoo_tensor in);
int zoo_softmax(struct zoo_net *net, const char *name, int in, int32_t count);
/* LOGISTIC of [batch, dims...]. */
int zoo_scores(struct zoo_net *net, const char *name, int in, size_t rank, const int32_t *dims);

#endif

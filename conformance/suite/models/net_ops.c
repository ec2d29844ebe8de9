/* Layers without weights. */
#include "conformance/suite/models/net_ops.h"

#include "conformance/suite/models/net_weights.h"

#include <assert.h>

static void set_pool(struct options *o, int32_t height, int32_t width, int32_t stride,
                     enum zoo_padding padding)
{
    options_init(o, OPTIONS_Pool2DOptions);
    options_set_int(o, "padding", padding);
    options_set_int(o, "stride_w", stride);
    options_set_int(o, "stride_h", stride);
    options_set_int(o, "filter_width", width);
    options_set_int(o, "filter_height", height);
}

struct zoo_tensor zoo_global_average_pool(struct zoo_net *net, const char *name,
                                          struct zoo_tensor in)
{
    struct zoo_tensor out =
        zoo_image(net, name, (struct zoo_tensor){ 0, 1, 1, in.c }, ZOO_SCALE_SAME, in.index);
    struct options o;

    set_pool(&o, in.h, in.w, 1, ZOO_VALID);
    builder_op(&net->builder, BUILTIN_AVERAGE_POOL_2D, zoo_version(net, 2), &o, 1, &in.index, 1,
               &out.index);
    return out;
}

int zoo_mean(struct zoo_net *net, const char *name, struct zoo_tensor in)
{
    int inputs[2] = { in.index, zoo_shape(net, zoo_label(name, "axes").text, 1, (int32_t[]){ 2 },
                                          (int32_t[]){ 1, 2 }, 2) };
    const int out =
        zoo_activation(net, name, 2, (int32_t[]){ zoo_batch(net), in.c }, ZOO_SCALE_MEASURED, -1);
    struct options o;

    options_init(&o, OPTIONS_ReducerOptions);
    builder_op(&net->builder, BUILTIN_MEAN, zoo_version(net, 2), &o, 2, inputs, 1, &out);
    return out;
}

struct zoo_tensor zoo_max_pool(struct zoo_net *net, const char *name, struct zoo_tensor in,
                               int32_t kernel, int32_t stride, enum zoo_padding padding)
{
    struct zoo_tensor out = { 0, zoo_extent(in.h, kernel, stride, padding),
                              zoo_extent(in.w, kernel, stride, padding), in.c };
    struct options o;

    out = zoo_image(net, name, out, ZOO_SCALE_SAME, in.index);
    set_pool(&o, kernel, kernel, stride, padding);
    builder_op(&net->builder, BUILTIN_MAX_POOL_2D, zoo_version(net, 2), &o, 1, &in.index, 1,
               &out.index);
    return out;
}

struct zoo_tensor zoo_pad(struct zoo_net *net, const char *name, struct zoo_tensor in,
                          int32_t before, int32_t after)
{
    const int32_t pads[] = { 0, 0, before, after, before, after, 0, 0 };
    const int inputs[2] = { in.index, zoo_shape(net, zoo_label(name, "paddings").text, 2,
                                                (int32_t[]){ 4, 2 }, pads, 8) };
    const struct zoo_tensor shape = { 0, in.h + before + after, in.w + before + after, in.c };
    const struct zoo_tensor out = zoo_image(net, name, shape, ZOO_SCALE_SAME, in.index);
    struct options o;

    options_init(&o, OPTIONS_PadOptions);
    builder_op(&net->builder, BUILTIN_PAD, zoo_version(net, 2), &o, 2, inputs, 1, &out.index);
    return out;
}

struct zoo_tensor zoo_hard_swish(struct zoo_net *net, const char *name, struct zoo_tensor in)
{
    const struct zoo_tensor out = zoo_image(net, name, in, ZOO_SCALE_MEASURED, -1);

    builder_op(&net->builder, BUILTIN_HARD_SWISH, 1, NULL, 1, &in.index, 1, &out.index);
    return out;
}

struct zoo_tensor zoo_add(struct zoo_net *net, const char *name, struct zoo_tensor a,
                          struct zoo_tensor b, enum zoo_activation activation)
{
    const struct zoo_tensor out = zoo_image(net, name, a, ZOO_SCALE_MEASURED, -1);
    struct options o;

    options_init(&o, OPTIONS_AddOptions);
    options_set_int(&o, "fused_activation_function", activation);
    builder_op(&net->builder, BUILTIN_ADD, zoo_version(net, 2), &o, 2, (int[]){ a.index, b.index },
               1, &out.index);
    return out;
}

struct zoo_tensor zoo_mul(struct zoo_net *net, const char *name, struct zoo_tensor a,
                          struct zoo_tensor b)
{
    const struct zoo_tensor out = zoo_image(net, name, a, ZOO_SCALE_MEASURED, -1);
    struct options o;

    options_init(&o, OPTIONS_MulOptions);
    builder_op(&net->builder, BUILTIN_MUL, zoo_version(net, 2), &o, 2, (int[]){ a.index, b.index },
               1, &out.index);
    return out;
}

struct zoo_tensor zoo_hard_sigmoid(struct zoo_net *net, const char *name, struct zoo_tensor in)
{
    const struct zoo_tensor three = { zoo_scalar(net, zoo_label(name, "three").text, 3), 1, 1, 1 };
    const struct zoo_tensor sixth = { zoo_scalar(net, zoo_label(name, "sixth").text, 1.0 / 6), 1, 1,
                                      1 };

    in = zoo_add(net, zoo_label(name, "add").text, in, three, ZOO_RELU6);
    return zoo_mul(net, name, in, sixth);
}

struct zoo_tensor zoo_resize_bilinear(struct zoo_net *net, const char *name, struct zoo_tensor in,
                                      int32_t height, int32_t width)
{
    const int inputs[2] = { in.index,
                            zoo_shape(net, zoo_label(name, "size").text, 1, (int32_t[]){ 2 },
                                      (int32_t[]){ height, width }, 2) };
    const struct zoo_tensor out = zoo_image(
        net, name, (struct zoo_tensor){ 0, height, width, in.c }, ZOO_SCALE_SAME, in.index);
    struct options o;

    options_init(&o, OPTIONS_ResizeBilinearOptions);
    options_set_int(&o, "align_corners", 1);
    builder_op(&net->builder, BUILTIN_RESIZE_BILINEAR, zoo_version(net, 2), &o, 2, inputs, 1,
               &out.index);
    return out;
}

static void concatenate(struct zoo_net *net, size_t count, const int *in, int32_t axis, int out)
{
    struct options o;

    for (size_t i = 0; i < count; i++)
        zoo_tie(net, in[i], out);
    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", axis);
    builder_op(&net->builder, BUILTIN_CONCATENATION, zoo_version(net, 2), &o, count, in, 1, &out);
}

struct zoo_tensor zoo_concatenate(struct zoo_net *net, const char *name, size_t count,
                                  const struct zoo_tensor *in)
{
    struct zoo_tensor out = { 0, in[0].h, in[0].w, 0 };
    int indices[16];

    assert(count <= sizeof indices / sizeof indices[0]);
    for (size_t i = 0; i < count; i++) {
        indices[i] = in[i].index;
        out.c += in[i].c;
    }
    out = zoo_image(net, name, out, ZOO_SCALE_MEASURED, -1);
    concatenate(net, count, indices, 3, out.index);
    return out;
}

int zoo_concatenate_rows(struct zoo_net *net, const char *name, size_t count, const int *in,
                         int32_t rows, int32_t c)
{
    const int out = zoo_activation(net, name, 3, (int32_t[]){ zoo_batch(net), rows, c },
                                   ZOO_SCALE_MEASURED, -1);

    concatenate(net, count, in, 1, out);
    return out;
}

int zoo_reshape(struct zoo_net *net, const char *name, int in, size_t rank, const int32_t *dims)
{
    int32_t all[8] = { zoo_batch(net) };
    struct options o;
    int inputs[2] = { in, -1 }, out;

    assert(rank + 1 <= sizeof all / sizeof all[0]);
    for (size_t i = 0; i < rank; i++)
        all[i + 1] = dims[i];
    inputs[1] = zoo_shape(net, zoo_label(name, "shape").text, 1, (int32_t[]){ (int32_t)rank + 1 },
                          all, rank + 1);
    out = zoo_activation(net, name, rank + 1, all, ZOO_SCALE_SAME, in);
    options_init(&o, OPTIONS_ReshapeOptions);
    options_set_ints(&o, "new_shape", all, rank + 1);
    builder_op(&net->builder, BUILTIN_RESHAPE, 1, &o, 2, inputs, 1, &out);
    return out;
}

int zoo_flatten(struct zoo_net *net, const char *name, struct zoo_tensor in)
{
    return zoo_reshape(net, name, in.index, 1, &in.c);
}

int zoo_softmax(struct zoo_net *net, const char *name, int in, int32_t count)
{
    const int out = zoo_activation(net, name, 2, (int32_t[]){ zoo_batch(net), count },
                                   ZOO_SCALE_PROBABILITY, -1);
    struct options o;

    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", 1);
    builder_op(&net->builder, BUILTIN_SOFTMAX, zoo_version(net, 2), &o, 1, &in, 1, &out);
    return out;
}

int zoo_scores(struct zoo_net *net, const char *name, int in, size_t rank, const int32_t *dims)
{
    int32_t all[8] = { zoo_batch(net) };
    int out;

    assert(rank + 1 <= sizeof all / sizeof all[0]);
    for (size_t i = 0; i < rank; i++)
        all[i + 1] = dims[i];
    out = zoo_activation(net, name, rank + 1, all, ZOO_SCALE_PROBABILITY, -1);
    builder_op(&net->builder, BUILTIN_LOGISTIC, zoo_version(net, 2), NULL, 1, &in, 1, &out);
    return out;
}

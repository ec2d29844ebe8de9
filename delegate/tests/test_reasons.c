/* Why rewrites are not applied and faster kernels are not used: a row for each reason.  The devices
 * need not be here. */
#include "delegate/tests/kit/plan_look.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* ---- models ---- */

typedef void build(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                   struct kit_tensor out[3]);

static const struct kit_conv three = { .kernel = 3, .same = true };
static const struct kit_conv pointwise = { .same = true, .channels = 8 };
static const struct kit_conv depthwise = { .kernel = 3, .same = true, .depthwise = true };

static struct kit_tensor add(struct builder *b, struct kit_tensor x, struct kit_tensor y)
{
    return kit_binary(b, BUILTIN_ADD, x, y.index, kTfLiteActNone);
}

static struct kit_tensor relu(struct builder *b, struct kit_tensor x)
{
    return kit_unary(b, BUILTIN_RELU, x);
}

#define BUILD(name, ...)                                                                           \
    static void name(struct builder *b, struct kit_tensor x, struct kit_tensor z,                  \
                     struct kit_tensor out[3])                                                     \
    {                                                                                              \
        (void)x;                                                                                   \
        (void)z;                                                                                   \
        __VA_ARGS__;                                                                               \
    }

BUILD(add_relu, out[0] = relu(b, add(b, x, z)))
BUILD(relu_of_input, out[0] = relu(b, x))
BUILD(sum_is_shown, out[1] = add(b, x, z); out[0] = relu(b, out[1]))
BUILD(sum_is_read_twice, out[0] = add(b, x, z); out[0] = add(b, relu(b, out[0]), out[0]))
BUILD(leaky_relu, out[0] = relu(b, kit_unary(b, BUILTIN_LEAKY_RELU, x)))
BUILD(n1_relu, out[0] = relu(b, kit_binary(b, BUILTIN_ADD, x, z.index, kTfLiteActReluN1To1)))
BUILD(hard_swish, out[0] = kit_unary(b, BUILTIN_HARD_SWISH, kit_conv_2d(b, x, three)))
BUILD(swish_of_input, out[0] = kit_unary(b, BUILTIN_HARD_SWISH, x))
BUILD(swish_of_abs, out[0] = kit_unary(b, BUILTIN_HARD_SWISH, kit_unary(b, BUILTIN_ABS, x)))
BUILD(swish_and_relu, out[1] = kit_conv_2d(b, x, three);
      out[0] = kit_unary(b, BUILTIN_HARD_SWISH, out[1]))
BUILD(residual, out[0] = add(b, kit_conv_2d(b, x, three), z))
BUILD(residual_of_shown, out[1] = relu(b, z); out[0] = add(b, kit_conv_2d(b, x, three), out[1]))
BUILD(residual_of_constant, out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, x, three),
                                                kit_integers(b, 4, x.dims, 3), kTfLiteActNone))
BUILD(residual_of_later, out[0] = kit_conv_2d(b, x, three);
      out[0] = add(b, out[0], kit_unary(b, BUILTIN_ABS, z)))
BUILD(residual_twice, struct kit_tensor y = kit_conv_2d(b, x, three); y = add(b, y, z);
      out[0] = add(b, kit_conv_2d(b, x, three), y); out[1] = y)
BUILD(residual_read_later, struct kit_tensor y = kit_unary(b, BUILTIN_ABS, z);
      out[0] = add(b, kit_conv_2d(b, x, three), y); out[1] = kit_unary(b, BUILTIN_EXP, y))
BUILD(residual_activation,
      out[0] = add(b,
                   kit_conv_2d(b, x,
                               (struct kit_conv){
                                   .kernel = 3, .same = true, .activation = kTfLiteActRelu }),
                   z))
BUILD(pad_conv, out[0] = kit_conv_2d(b, kit_pad(b, x, (const int32_t[]){ 0, 0, 1, 1, 1, 1, 0, 0 }),
                                     (struct kit_conv){ .kernel = 3 }))
BUILD(pad_conv_same,
      out[0] = kit_conv_2d(b, kit_pad(b, x, (const int32_t[]){ 0, 0, 1, 1, 1, 1, 0, 0 }), three))
BUILD(pad_channels,
      out[0] = kit_conv_2d(b, kit_pad(b, x, (const int32_t[]){ 0, 0, 1, 1, 1, 1, 1, 0 }),
                           (struct kit_conv){ .kernel = 3 }))
BUILD(pad_relu, out[0] = relu(b, kit_pad(b, x, (const int32_t[]){ 0, 0, 1, 1, 1, 1, 0, 0 })))
BUILD(pad_shown, out[1] = kit_pad(b, x, (const int32_t[]){ 0, 0, 1, 1, 1, 1, 0, 0 });
      out[0] = kit_conv_2d(b, out[1], (struct kit_conv){ .kernel = 3 }))
BUILD(pad_twice, struct kit_tensor p = kit_pad(b, x, (const int32_t[]){ 0, 0, 1, 1, 1, 1, 0, 0 });
      out[0] = kit_conv_2d(b, p, (struct kit_conv){ .kernel = 3 });
      out[1] = kit_conv_2d(b, p, (struct kit_conv){ .kernel = 3 }))
BUILD(reshapes, out[0] = kit_reshape(b, kit_reshape(b, x, KIT_DIMS(1, 6 * 6 * 8)), KIT_DIMS(36, 8)))
BUILD(same_reshape, out[0] = kit_reshape(b, x, x.rank, x.dims))
BUILD(unused_abs, out[0] = relu(b, x); (void)kit_unary(b, BUILTIN_ABS, x))
BUILD(pair, out[0] = kit_conv_2d(b, kit_conv_2d(b, x, pointwise), depthwise))
BUILD(pair_shown, out[1] = kit_conv_2d(b, x, pointwise); out[0] = kit_conv_2d(b, out[1], depthwise))
BUILD(pair_read_twice, struct kit_tensor y = kit_conv_2d(b, x, pointwise);
      out[0] = kit_conv_2d(b, y, depthwise); out[1] = kit_unary(b, BUILTIN_ABS, y))
BUILD(pair_apart, struct kit_tensor y = kit_conv_2d(b, x, pointwise);
      out[1] = kit_unary(b, BUILTIN_ABS, z); out[0] = kit_conv_2d(b, y, depthwise))
BUILD(pair_multiplied,
      out[0] = kit_conv_2d(b, kit_conv_2d(b, x, pointwise),
                           (struct kit_conv){
                               .kernel = 3, .same = true, .depthwise = true, .channels = 16 }))
BUILD(pair_dilated,
      out[0] = kit_conv_2d(b, kit_conv_2d(b, x, pointwise),
                           (struct kit_conv){
                               .kernel = 3, .same = true, .depthwise = true, .dilation = 2 }))
BUILD(pair_of_16_taps,
      out[0] = kit_conv_2d(b, kit_conv_2d(b, x, pointwise),
                           (struct kit_conv){ .kernel = 4, .same = true, .depthwise = true }))
BUILD(window_of_64,
      out[0] = kit_conv_2d(b, x, (struct kit_conv){ .kernel = 8, .same = true, .depthwise = true }))
BUILD(conv, out[0] = kit_conv_2d(b, x, three))
BUILD(transposed, out[0] = kit_transpose_conv(b, x,
                                              (struct kit_transposed){ 3, 3, 2, 2, .channels = 8,
                                                                       .same = true }))
BUILD(transposed_by_6,
      out[0] = kit_transpose_conv(b, kit_conv_2d(b, x, (struct kit_conv){ .kernel = 6 }),
                                  (struct kit_transposed){ 3, 3, 6, 6, .channels = 8,
                                                           .same = true }))
BUILD(groups_of_16, out[0] = kit_conv_2d(b, x, (struct kit_conv){ .channels = 32, .groups = 2 }))
BUILD(groups_of_18, out[0] = kit_conv_2d(b, x, (struct kit_conv){ .channels = 36, .groups = 2 }))
BUILD(groups_of_4, out[0] = kit_conv_2d(b, x, (struct kit_conv){ .channels = 8, .groups = 2 }))
BUILD(one_pixel, out[0] = kit_conv_2d(b, x, (struct kit_conv){ .kernel = 6 }))

static struct kit_tensor times(struct builder *b, struct kit_tensor x)
{
    return kit_binary(b, BUILTIN_MUL, x, kit_filled(b, 0, NULL, 2), kTfLiteActNone);
}

static struct kit_tensor plus(struct builder *b, struct kit_tensor x, int rank, const int32_t *dims)
{
    return kit_binary(b, BUILTIN_ADD, x, kit_integers(b, rank, dims, 3), kTfLiteActNone);
}

BUILD(chain_of_ops, out[0] = kit_unary(b, BUILTIN_ABS, times(b, x)))
BUILD(chain_of_inputs, out[1] = kit_unary(b, BUILTIN_ABS, z);
      out[0] = add(b, kit_binary(b, BUILTIN_MUL, x, z.index, kTfLiteActNone), out[1]))
BUILD(chain_read_twice, const struct kit_tensor t = times(b, x);
      out[0] = kit_unary(b, BUILTIN_ABS, t); out[1] = kit_unary(b, BUILTIN_NEG, t))
BUILD(chain_shown, out[1] = times(b, x); out[0] = kit_unary(b, BUILTIN_ABS, out[1]))
BUILD(chain_broadcast, struct kit_tensor y = kit_tensor(b, "s", KIT_DIMS(1, 1, 1, 8));
      struct options o; options_init(&o, OPTIONS_ReducerOptions);
      options_set_int(&o, "keep_dims", 1);
      builder_op(b, BUILTIN_SUM, 1, &o, 2,
                 (int[]){ x.index, kit_ints(b, KIT_DIMS(2), (const int32_t[]){ 1, 2 }) }, 1,
                 &y.index);
      y = kit_unary(b, BUILTIN_ABS, y); out[0] = kit_binary(b, BUILTIN_ADD, z, y.index, 0))
BUILD(chain_of_nine, out[0] = times(b, x);
      for (int i = 0; i < 8; i++) out[0] = kit_unary(b, BUILTIN_ABS, out[0]))
BUILD(chain_overwritten, const struct kit_tensor u = add(b, z, x);
      const struct kit_tensor t = kit_binary(b, BUILTIN_MUL, x, u.index, kTfLiteActNone);
      out[1] = add(b, kit_conv_2d(b, x, three), u); out[0] = kit_unary(b, BUILTIN_NEG, t))
BUILD(chain_many_ways, out[0] = plus(b, x, KIT_DIMS(1, 6, 1, 1));
      out[0] = plus(b, out[0], KIT_DIMS(1, 1, 6, 1));
      out[0] = plus(b, out[0], KIT_DIMS(1, 6, 1, 8));
      out[0] = plus(b, out[0], KIT_DIMS(1, 1, 6, 8)); out[0] = plus(b, out[0], KIT_DIMS(8));
      out[0] = plus(b, out[0], KIT_DIMS(1, 1, 1, 1)))

static struct kit_tensor dense(struct builder *b, struct kit_tensor x, int rows, int depth,
                               int units)
{
    const struct kit_tensor y = kit_tensor(b, "f", KIT_DIMS(rows, units));
    const int weights = kit_integers(b, KIT_DIMS(units, depth), 3);
    struct options o;

    options_init(&o, OPTIONS_FullyConnectedOptions);
    builder_op(b, BUILTIN_FULLY_CONNECTED, 1, &o, 3, (int[]){ x.index, weights, -1 }, 1, &y.index);
    return y;
}
BUILD(residual_of_view,
      const struct kit_tensor y = kit_reshape(b, dense(b, x, 36, 8, 8), z.rank, z.dims);
      out[0] = add(b, kit_conv_2d(b, z, three), y))
BUILD(dense_of_36, out[0] = dense(b, x, 36, 8, 4))
BUILD(dense_of_1, out[0] = dense(b, x, 1, 36 * 8, 4))
BUILD(large_conv,
      out[0] = kit_conv_2d(b, x, (struct kit_conv){ .kernel = 3, .channels = 400, .same = true }))
BUILD(large_dense, out[0] = dense(b, x, 1, 36 * 8, 400))

static struct kit_tensor softmax(struct builder *b, struct kit_tensor x)
{
    const struct kit_tensor y = kit_tensor(b, "s", x.rank, x.dims);
    struct options o;

    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", 1);
    builder_op(b, BUILTIN_SOFTMAX, 1, &o, 1, &x.index, 1, &y.index);
    return y;
}
BUILD(softmax_of_input, out[0] = softmax(b, x))
BUILD(classifier, out[0] = softmax(b, dense(b, x, 1, 36 * 8, 400)))
BUILD(logits_shown, out[1] = dense(b, x, 1, 36 * 8, 400); out[0] = softmax(b, out[1]))
BUILD(logits_read_twice, struct kit_tensor y = dense(b, x, 1, 36 * 8, 400); out[0] = softmax(b, y);
      out[1] = kit_unary(b, BUILTIN_ABS, y))
BUILD(classified_twice, out[0] = softmax(b, softmax(b, dense(b, x, 1, 36 * 8, 400))))
BUILD(logits_split, struct kit_tensor y = dense(b, x, 1, 36 * 8, 400);
      out[0] = softmax(b, kit_reshape(b, y, KIT_DIMS(2, 200))))
BUILD(logits_and_residual, const struct kit_tensor r = kit_reshape(b, z, KIT_DIMS(1, 1, 1, 36 * 8));
      const struct kit_tensor in = kit_reshape(b, x, KIT_DIMS(1, 1, 1, 36 * 8));
      const struct kit_tensor other = kit_unary(b, BUILTIN_ABS, r);
      out[0] = softmax(b, add(b, kit_conv_2d(b, in, (struct kit_conv){ .channels = 0 }), other)))

/* The weights are made of the second input. */
static void logits_computed(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                            struct kit_tensor out[3])
{
    const struct kit_tensor in = kit_reshape(b, x, KIT_DIMS(3, 1, 1, 96));
    const struct kit_tensor w = kit_reshape(b, z, KIT_DIMS(3, 1, 1, 96));
    const struct kit_tensor y = kit_tensor(b, "y", KIT_DIMS(3, 1, 1, 3));
    const int32_t units = 3;
    struct options o;

    options_init(&o, OPTIONS_Conv2DOptions);
    options_set_int(&o, "stride_h", 1);
    options_set_int(&o, "stride_w", 1);
    options_set_int(&o, "dilation_h_factor", 1);
    options_set_int(&o, "dilation_w_factor", 1);
    builder_op(b, BUILTIN_CONV_2D, 1, &o, 3,
               (int[]){ in.index, w.index, kit_integers(b, 1, &units, 4) }, 1, &y.index);
    out[0] = softmax(b, y);
}

static struct kit_tensor pool(struct builder *b, struct kit_tensor x, int size, int activation)
{
    const struct kit_tensor y =
        kit_tensor(b, "a", KIT_DIMS(1, x.dims[1] / size, x.dims[2] / size, x.dims[3]));
    struct options o;

    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "padding", 1);
    options_set_int(&o, "stride_h", size);
    options_set_int(&o, "stride_w", size);
    options_set_int(&o, "filter_height", size);
    options_set_int(&o, "filter_width", size);
    options_set_int(&o, "fused_activation_function", activation);
    builder_op(b, BUILTIN_AVERAGE_POOL_2D, 1, &o, 1, &x.index, 1, &y.index);
    return y;
}
BUILD(pool_all, out[0] = pool(b, x, 6, kTfLiteActNone))
BUILD(pool_all_relu, out[0] = pool(b, x, 6, kTfLiteActRelu))
BUILD(pool_twice, out[0] = pool(b, pool(b, x, 2, kTfLiteActNone), 3, kTfLiteActNone))
BUILD(pad_average, out[0] = pool(b, kit_pad(b, x, (const int32_t[]){ 0, 0, 1, 1, 1, 1, 0, 0 }), 2,
                                 kTfLiteActNone))

/* ---- devices ---- */

static void with_units(struct device_limits *l)
{
    l->device_class = DEVICE_NVIDIA;
    l->max_shared_memory_bytes = 49152;
    l->matrix = (struct device_matrix){ .kind = MATRIX_NV, .tile = 16, .subgroup_size = 32 };
}

static void with_small_memory(struct device_limits *l)
{
    with_units(l);
    l->max_shared_memory_bytes = 1024;
}

static void with_few_invocations(struct device_limits *l)
{
    with_units(l);
    l->matrix.subgroup_size = 128;
    l->max_workgroup_invocations = 128;
}

static void with_few_groups(struct device_limits *l)
{
    with_units(l);
    l->max_workgroup_count[1] = l->max_workgroup_count[2] = 2;
}

static void with_other_matrices(struct device_limits *l)
{
    with_units(l);
    l->matrix.tile = 32;
}

static void unmeasured(struct device_limits *l)
{
    l->device_class = DEVICE_OTHER;
}

static void software(struct device_limits *l)
{
    l->device_class = DEVICE_SOFTWARE;
}

static void nvidia(struct device_limits *l)
{
    l->device_class = DEVICE_NVIDIA;
}

/* As large as the weights of `classifier`. */
static void with_small_buffers(struct device_limits *l)
{
    nvidia(l);
    l->max_storage_buffer_range = 400 * 36 * 8 * 4;
}

/* Less than the sums of `classifier` and those of its SOFTMAX take. */
static void with_little_memory(struct device_limits *l)
{
    nvidia(l);
    l->max_shared_memory_bytes = 3071;
}

/* ---- rows ---- */

enum { FP32, FP16 };
struct row {
    build *build;
    void (*device)(struct device_limits *);
    const char *option, *value; /* NULL: none */
    enum reason_kind kind;
    int id;
    const char *text; /* "": there is no reason, since it is done */
    int precision;
};
#define T(build, name, text)                                                                       \
    {                                                                                              \
        build, NULL, NULL, NULL, REASON_TRANSFORM, TRANSFORM_##name, text, FP32                    \
    }
#define OFF(build, name)                                                                           \
    {                                                                                              \
        build, NULL, "no_transform", #name, REASON_TRANSFORM, TRANSFORM_##name,                    \
            "option no_transform=" #name, FP32                                                     \
    }
#define K(build, name, device, precision, text)                                                    \
    {                                                                                              \
        build, device, NULL, NULL, REASON_KERNEL, KERNEL_##name, text, precision                   \
    }
#define K_OFF(build, name, device, precision)                                                      \
    {                                                                                              \
        build, device, "no_kernel", #name, REASON_KERNEL, KERNEL_##name,                           \
            "option no_kernel=" #name, precision                                                   \
    }

static const struct row rows[] = {
    T(add_relu, activation, ""),
    OFF(add_relu, activation),
    T(relu_of_input, activation, "no node of the partition computes its input"),
    T(sum_is_shown, activation, "the result of ADD 0 is an output of the partition"),
    T(sum_is_read_twice, activation, "the result of ADD 0 is read 2 times"),
    T(leaky_relu, activation, "LEAKY_RELU 0 has no fused activation"),
    T(n1_relu, activation, "ADD 0 has another activation already"),
    T(hard_swish, function, ""),
    OFF(hard_swish, function),
    T(swish_of_input, function, "no node of the partition computes its input"),
    T(swish_of_abs, function, "ABS 0 takes no activation, or has one"),
    T(swish_and_relu, function, "the result of CONV_2D 0 is read elsewhere, too"),
    T(residual, residual, ""),
    OFF(residual, residual),
    T(residual_of_shown, residual, "CONV_2D 1: the other operand is an output of the partition"),
    T(residual_of_constant, residual, "CONV_2D 0: the other operand is a constant, or state"),
    T(residual_of_later, residual, "CONV_2D 0: the other operand is computed after it"),
    T(residual_of_view, residual, "the other operand has no memory of its own"),
    T(residual_twice, residual, "CONV_2D 2: the other operand is an output of the partition"),
    T(residual_read_later, residual, "the other operand is read by a later node, or by a view"),
    T(residual_activation, residual, "CONV_2D 0: it has an activation, or groups"),
    T(pad_conv, pad, ""),
    OFF(pad_conv, pad),
    T(pad_conv_same, pad, "CONV_2D 1 has padding of its own"),
    T(pad_channels, pad, "it does not pad H and W of an image alone"),
    T(pad_relu, pad, "RELU 1 takes no padding"),
    T(pad_average, pad, "AVERAGE_POOL_2D 1 takes no padding"),
    T(pad_shown, pad, "its result is an output of the partition"),
    T(pad_twice, pad, "its result is read 2 times"),
    OFF(reshapes, identity),
    T(same_reshape, identity, "its input and its result are inputs or outputs of the partition"),
    OFF(unused_abs, unused),
    T(pool_all, mean, ""),
    OFF(pool_all, mean),
    T(pool_all_relu, mean, "it has a fused activation"),
    T(pool_twice, mean, "an image of 9 pixels, fewer than 16"),
    T(large_dense, product, ""),
    OFF(large_dense, product),
    T(dense_of_36, product, "36 rows, more than 3"),
    T(dense_of_1, product, "1152 products, fewer than 65536"),
    K(conv, matrix, with_units, FP16, ""),
    K(conv, matrix, with_units, FP32, "precision=fp32: it computes in f16"),
    K(conv, matrix, NULL, FP16, "the device has no matrix units that were tested"),
    K_OFF(conv, matrix, with_units, FP16),
    K(one_pixel, matrix, with_units, FP16, "1 rows of an image, fewer than 4"),
    K(conv, matrix, with_small_memory, FP16, "no tile of it fits the device: 1024 bytes of shared"),
    K(conv, gemm, nvidia, FP32, ""),
    K_OFF(conv, gemm, nvidia, FP32),
    K(conv, gemm, software, FP32, "class software: not measured"),
    K(conv, gemm, nvidia, FP16, "precision=fp16: a convolution is faster without it"),
    K(one_pixel, gemm, nvidia, FP32, "fewer than 4 rows, or no tile of it fits the device"),
    K(transposed, gemm, nvidia, FP32, ""),
    K(transposed, gemm, nvidia, FP16, ""),
    K_OFF(transposed, gemm, nvidia, FP32),
    K(transposed, gemm, software, FP16, "class software: not measured"),
    K(transposed_by_6, gemm, nvidia, FP16, "fewer than 4 rows, or no tile of it fits the device"),
    K(groups_of_16, gemm, nvidia, FP16, ""),
    K_OFF(groups_of_16, gemm, nvidia, FP32),
    K(groups_of_18, gemm, nvidia, FP32, "its groups are not of a multiple of 4 channels"),
    K(groups_of_4, gemm, nvidia, FP32, "groups of fewer than 16 output channels"),
    K(dense_of_36, gemm, nvidia, FP32, "32 weights, fewer than 65536"),
    K(large_dense, matvec, nvidia, FP32, ""),
    K_OFF(large_dense, matvec, nvidia, FP32),
    K(large_dense, matvec, software, FP32, "class software: not measured"),
    K(one_pixel, matvec, nvidia, FP32, "its window is no single pixel"),
    K(classifier, tail, nvidia, FP32, ""),
    K(classifier, tail, nvidia, FP16, ""),
    K_OFF(classifier, tail, nvidia, FP32),
    K(classifier, tail, software, FP32, "no matvec computes its input"),
    K(softmax_of_input, tail, nvidia, FP32, "no matvec computes its input"),
    K(logits_shown, tail, nvidia, FP32, "its input is an output of the partition"),
    K(logits_read_twice, tail, nvidia, FP32, "its input is read 2 times"),
    K(classified_twice, tail, nvidia, FP32, "it reads another SOFTMAX"),
    K(logits_split, tail, nvidia, FP32, "2 rows of 200 channels of a product of 1"),
    K(logits_and_residual, tail, nvidia, FP32, "a residual is added to the product"),
    K(logits_computed, tail, nvidia, FP32, "the weights of the product are computed"),
    K(classifier, tail, with_small_buffers, FP32,
      "the weights of the product fill a storage buffer"),
    K(classifier, tail, with_little_memory, FP32, "3072 bytes of shared memory, of 3071"),
    K(pair, pointwise_depthwise, with_units, FP16, ""),
    K(pair, pointwise_depthwise, with_units, FP32, "precision=fp32: it computes in f16"),
    K(pair, pointwise_depthwise, NULL, FP16, "the device has no matrix units that were tested"),
    K_OFF(pair, pointwise_depthwise, with_units, FP16),
    { pair, with_units, "no_kernel", "matrix", REASON_KERNEL, KERNEL_pointwise_depthwise,
      "option no_kernel=matrix", FP16 },
    K(pair_shown, pointwise_depthwise, with_units, FP16,
      "the result of CONV_2D 0 is an output of the partition"),
    K(pair_read_twice, pointwise_depthwise, with_units, FP16,
      "the result of CONV_2D 0 is read 2 times"),
    K(pair_apart, pointwise_depthwise, with_units, FP16, "CONV_2D 0 is not the node before it"),
    K(pair_multiplied, pointwise_depthwise, with_units, FP16, "several results of each channel"),
    K(pair_dilated, pointwise_depthwise, with_units, FP16, "the depthwise convolution is dilated"),
    K(pair_of_16_taps, pointwise_depthwise, with_units, FP16,
      "a window of 4 x 4, more than 9 taps"),
    K(pair, pointwise_depthwise, with_small_memory, FP16,
      "4608 bytes of shared memory, more than 1024"),
    K(pair, pointwise_depthwise, with_few_invocations, FP16,
      "256 invocations of a workgroup, more than 128"),
    K(pair, pointwise_depthwise, with_few_groups, FP16,
      "its grid exceeds the limits of the device"),
    K(pair, pointwise_depthwise, with_other_matrices, FP16, "matrices of 32 by subgroups of 32"),
    K(pair, depthwise, nvidia, FP32, ""),
    K(pair, depthwise, unmeasured, FP32, "class other: not measured"),
    K(pair, depthwise, software, FP32, "72 slices of outputs: from 2048 on it is faster"),
    K_OFF(pair, depthwise, nvidia, FP32),
    K(pair_multiplied, depthwise, nvidia, FP32, "2 results of each channel"),
    K(window_of_64, depthwise, nvidia, FP32, "a window of 8 x 8, more than 49 taps"),
    K(pair, depthwise, with_few_groups, FP32, "its workgroups exceed the limits of the device"),
    K(conv, rows, NULL, FP32, ""),
    K_OFF(conv, rows, NULL, FP32),
    K(conv, half_rows, NULL, FP16, ""),
    K(conv, half_rows, NULL, FP32, "precision=fp32"),
    K_OFF(conv, half_rows, NULL, FP16),
    K(pair_apart, groups, NULL, FP32, ""),
    T(chain_of_ops, chain, ""),
    T(chain_of_inputs, chain, "inputs, or 2 that are computed"),
    T(chain_read_twice, chain, "the result of MUL 0 is read 2 times"),
    T(chain_shown, chain, "the result of MUL 0 is an output of the partition"),
    T(chain_broadcast, chain, "ABS 1: its result is broadcast"),
    T(chain_of_nine, chain, "it is a chain of 8 ops"),
    T(chain_overwritten, chain, "MUL 1: an operand is overwritten later, or state"),
    T(chain_many_ways, chain, "operands are broadcast in too many ways"),
    OFF(chain_of_ops, chain),
    K(conv, groups, NULL, FP32, "each step depends on the one before it"),
    K_OFF(pair_apart, groups, NULL, FP32),
    K(conv, frozen, nvidia, FP32, ""),
    K(conv, frozen, software, FP32, "class software: not measured"),
    K_OFF(conv, frozen, nvidia, FP32),
    K(conv, prefetch, nvidia, FP32, "bytes of constants, fewer than 41943040"),
    K(conv, prefetch, software, FP32, "class software: not measured"),
    K_OFF(conv, prefetch, nvidia, FP32),
    K(conv, thawed, software, FP32, ""),
    K(large_conv, thawed, software, FP32, "multiply-adds, more than 1048576"),
    K(conv, thawed, nvidia, FP32, "class NVIDIA: not measured"),
    K_OFF(conv, thawed, software, FP32),
    K(large_dense, small_outputs, NULL, FP32, ""),
    K(pad_shown, small_outputs, NULL, FP32,
      "an output is larger than 16384 bytes, padded, or not of"),
    K_OFF(large_dense, small_outputs, NULL, FP32),
};

static void check_row(const struct row *r, size_t index)
{
    const struct transform_case c = { .build = r->build, .dims = { 1, 6, 6, 8 } };
    const char *const pairs[] = { "precision", r->precision == FP16 ? "fp16" : "fp32", r->option,
                                  r->value, NULL };
    struct plan_look l = { .pairs = pairs, .device = r->device };
    const char *found;
    struct model m;

    transform_model(&c, &m);
    l.m = &m;
    gpu_look(&m, plan_look_at, &l);
    found = plan_look_reason(&l.plan, r->kind, r->id, r->text);
    if (r->text[0] && (!found || !strstr(found, r->text)))
        fail_msg("row %zu: expected \"%s\", found \"%s\"", index, r->text, found ? found : "none");
    if (!r->text[0] && found)
        fail_msg("row %zu: expected no reason, found \"%s\"", index, found);
    plan_close(&l.plan);
    model_close(&m);
}

TEST(each_reason)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i], i);
}

/* ---- all of them ---- */

/* A rewrite or a kernel without a row tells nothing, or is not tested.  What `fold` does not
 * compute is refused, and the refusal says why; test_reasons_int8.c, test_matrix_int8.c and
 * test_half_sums.c have the rest. */
TEST(none_is_missing)
{
    bool transforms[TRANSFORM_COUNT] = { [TRANSFORM_fold] = true, [TRANSFORM_rounding] = true };
    bool kernels[KERNEL_COUNT] = { [KERNEL_gemm_int8] = true,
                                   [KERNEL_matrix_int8] = true,
                                   [KERNEL_depthwise_int8] = true,
                                   [KERNEL_half_sums] = true };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].text[0])
            (rows[i].kind == REASON_KERNEL ? kernels : transforms)[rows[i].id] = true;
    for (int i = 0; i < TRANSFORM_COUNT; i++)
        if (!transforms[i])
            fail_msg("no reason of rewrite %s is tested", transform_name((enum transform_id)i));
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (!kernels[i])
            fail_msg("no reason of kernel %s is tested", options_kernel_name((enum kernel_id)i));
}

/* The plan is the same whether someone asks or not, and nothing is kept when nobody does. */
TEST(asking_changes_nothing)
{
    static build *const builds[] = { add_relu, residual_of_later, pad_twice, pair_apart,
                                     pool_twice };
    static const char *const pairs[] = { "no_transform", "pad", NULL };

    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        const struct transform_case c = { .build = builds[i], .dims = { 1, 6, 6, 8 } };
        struct plan_look asked = { .pairs = pairs }, silent = { .pairs = pairs, .silent = true };
        struct model m;

        transform_model(&c, &m);
        asked.m = silent.m = &m;
        gpu_look(&m, plan_look_at, &asked);
        gpu_look(&m, plan_look_at, &silent);
        assert_true(asked.plan.reasons.count > 0);
        assert_int_equal(silent.plan.reasons.count, 0);
        assert_int_equal(silent.plan.reasons.arena.bytes, 0);
        assert_memory_equal(asked.plan.applied, silent.plan.applied, sizeof silent.plan.applied);
        assert_int_equal(asked.plan.step_count, silent.plan.step_count);
        for (int s = 0; s < silent.plan.step_count; s++) {
            assert_string_equal(asked.plan.steps[s]->shader, silent.plan.steps[s]->shader);
            assert_memory_equal(asked.plan.steps[s]->groups, silent.plan.steps[s]->groups,
                                sizeof silent.plan.steps[s]->groups);
        }
        plan_close(&asked.plan);
        plan_close(&silent.plan);
        model_close(&m);
    }
}

/* Hundreds of reasons, and memory that runs out at each of them. */
TEST(lists_grow)
{
    struct reasons r = { .count = 0 };
    const struct reason_of of = { &r, { .kind = REASON_KERNEL, .id = 1, .node = 7, .op = "ADD" } };
    const struct reason_of nobody = { .reasons = NULL };

    assert_false(reasons_add(&nobody, "%d", 1));
    for (int i = 0; i < 500; i++)
        assert_false(reasons_add(&of, "reason %d", i));
    assert_int_equal(r.count, 500);
    assert_string_equal(r.list[0].text, "reason 0");
    assert_string_equal(r.list[499].text, "reason 499");
    assert_string_equal(r.list[499].op, "ADD");
    assert_int_equal(r.list[499].node, 7);
    reasons_clear(&r);
    assert_int_equal(r.count, 0);
    reasons_close(&r);
    mem_fail_after(0);
    reasons_add(&of, "lost");
    mem_fail_after(-1);
    assert_true(r.incomplete);
    assert_int_equal(r.count, 0);
    reasons_close(&r);
    assert_false(r.incomplete);
}

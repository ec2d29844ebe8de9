/* Why rewrites are not applied and faster kernels are not used: a row for each reason.  The devices
 * need not be here. */
#include "delegate/tests/kit/plan_look.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* ---- models ---- */

/* clang-format off */
#define WEIGHTS(w, channels) " f32[" w "]=~3(-2..2) f32[" channels "]=~4(-2..2)"
#define CONV(x, y) "CONV_2D {stride_w=1 stride_h=1} " x WEIGHTS("8,3,3,8", "8") " -> " y "; "
#define VALID(x, w, channels, y)                                                                   \
    "CONV_2D {padding=VALID stride_w=1 stride_h=1} " x WEIGHTS(w, channels) " -> " y "; "
#define POINTWISE "CONV_2D {stride_w=1 stride_h=1} x" WEIGHTS("8,1,1,8", "8") " -> t; "
#define DEPTHWISE(x, multiplier, dilation, w, channels)                                            \
    "DEPTHWISE_CONV_2D {stride_w=1 stride_h=1 depth_multiplier=" multiplier                        \
    " dilation_w_factor=" dilation " dilation_h_factor=" dilation "} " x                           \
    WEIGHTS(w, channels) " -> y; "
#define DENSE(w, y) "FULLY_CONNECTED {} x f32[" w "]=~3(-2..2) - -> " y "; "
#define PAD "PAD x i32[4,2]=0,0,1,1,1,1,0,0 -> p; "
#define AVERAGE(size, activation, x, y)                                                            \
    "AVERAGE_POOL_2D {padding=VALID stride_w=" size " stride_h=" size " filter_width=" size        \
    " filter_height=" size " fused_activation_function=" activation "} " x " -> " y "; "

static const char add_relu[] = "ADD {} x z -> t; RELU t -> y";
static const char relu_of_input[] = "RELU x -> y";
static const char sum_is_shown[] = "ADD {} x z -> t; RELU t -> y; outputs y t";
static const char sum_is_read_twice[] = "ADD {} x z -> t; RELU t -> u; ADD {} u t -> y";
static const char leaky_relu[] = "LEAKY_RELU x -> t; RELU t -> y";
static const char n1_relu[] = "ADD {fused_activation_function=RELU_N1_TO_1} x z -> t; RELU t -> y";
static const char hard_swish[] = CONV("x", "t") "HARD_SWISH t -> y";
static const char swish_of_input[] = "HARD_SWISH x -> y";
static const char swish_of_abs[] = "ABS x -> t; HARD_SWISH t -> y";
static const char swish_and_relu[] = CONV("x", "t") "HARD_SWISH t -> y; outputs y t";
static const char residual[] = CONV("x", "t") "ADD {} t z -> y";
static const char residual_of_shown[] =
    "RELU z -> u; " CONV("x", "t") "ADD {} t u -> y; outputs y u";
static const char residual_of_constant[] = CONV("x", "t") "ADD {} t f32[1,6,6,8]=~3(-2..2) -> y";
static const char residual_of_later[] = CONV("x", "t") "ABS z -> u; ADD {} t u -> y";
static const char residual_twice[] =
    CONV("x", "t") "ADD {} t z -> u; " CONV("x", "v") "ADD {} v u -> y; outputs y u";
static const char residual_read_later[] =
    "ABS z -> u; " CONV("x", "t") "ADD {} t u -> y; EXP u -> v";
static const char residual_activation[] =
    "CONV_2D {stride_w=1 stride_h=1 fused_activation_function=RELU} x" WEIGHTS("8,3,3,8", "8")
    " -> t; ADD {} t z -> y";
static const char pad_conv[] = PAD VALID("p", "8,3,3,8", "8", "y");
static const char pad_conv_same[] = PAD CONV("p", "y");
static const char pad_channels[] =
    "PAD x i32[4,2]=0,0,1,1,1,1,1,0 -> p; " VALID("p", "9,3,3,9", "9", "y");
static const char pad_relu[] = PAD "RELU p -> y";
static const char pad_shown[] = PAD VALID("p", "8,3,3,8", "8", "y") "outputs y p";
static const char pad_twice[] = PAD VALID("p", "8,3,3,8", "8", "y") VALID("p", "8,3,3,8", "8", "u");
static const char reshapes[] = "RESHAPE {} x i32[2]=1,288 -> t; RESHAPE {} t i32[2]=36,8 -> y";
static const char same_reshape[] = "RESHAPE {} x i32[4]=1,6,6,8 -> y";
static const char unused_abs[] = "RELU x -> y; ABS x -> t; outputs y";
static const char pair[] = POINTWISE DEPTHWISE("t", "1", "1", "1,3,3,8", "8");
static const char pair_shown[] = POINTWISE DEPTHWISE("t", "1", "1", "1,3,3,8", "8") "outputs y t";
static const char pair_read_twice[] =
    POINTWISE DEPTHWISE("t", "1", "1", "1,3,3,8", "8") "ABS t -> u";
static const char pair_apart[] =
    POINTWISE "ABS z -> u; " DEPTHWISE("t", "1", "1", "1,3,3,8", "8") "outputs y u";
static const char pair_multiplied[] = POINTWISE DEPTHWISE("t", "2", "1", "1,3,3,16", "16");
static const char pair_dilated[] = POINTWISE DEPTHWISE("t", "1", "2", "1,3,3,8", "8");
static const char pair_of_16_taps[] = POINTWISE DEPTHWISE("t", "1", "1", "1,4,4,8", "8");
static const char window_of_64[] = DEPTHWISE("x", "1", "1", "1,8,8,8", "8");
static const char conv[] = CONV("x", "y");
static const char transposed[] =
    "TRANSPOSE_CONV:4 {stride_w=2 stride_h=2} i32[4]=1,11,11,8 f32[8,3,3,8]=~3(-2..2) x "
    "f32[8]=~4(-2..2) -> y";
static const char transposed_by_6[] =
    VALID("x", "8,6,6,8", "8", "t")
    "TRANSPOSE_CONV:4 {stride_w=6 stride_h=6} i32[4]=1,1,1,8 f32[8,3,3,8]=~3(-2..2) t "
    "f32[8]=~4(-2..2) -> y";
static const char groups_of_16[] = VALID("x", "32,1,1,4", "32", "y");
static const char groups_of_18[] = VALID("x", "36,1,1,4", "36", "y");
static const char groups_of_4[] = VALID("x", "8,1,1,4", "8", "y");
static const char one_pixel[] = VALID("x", "8,6,6,8", "8", "y");
static const char chain_of_ops[] = "MUL {} x f32[]=2 -> t; ABS t -> y";
static const char chain_of_inputs[] = "ABS z -> u; MUL {} x z -> t; ADD {} t u -> y; outputs y u";
static const char chain_read_twice[] = "MUL {} x f32[]=2 -> t; ABS t -> y; NEG t -> u";
static const char chain_shown[] = "MUL {} x f32[]=2 -> t; ABS t -> y; outputs y t";
static const char chain_broadcast[] =
    "SUM {keep_dims=true} x i32[2]=1,2 -> s; ABS s -> t; ADD {} z t -> y";
static const char chain_of_nine[] =
    "MUL {} x f32[]=2 -> a; ABS a -> b; ABS b -> c; ABS c -> d; ABS d -> e; ABS e -> f; "
    "ABS f -> g; ABS g -> h; ABS h -> y";
static const char chain_overwritten[] =
    "ADD {} z x -> u; MUL {} x u -> t; " CONV("x", "c") "ADD {} c u -> v; NEG t -> y; outputs y v";
static const char chain_many_ways[] =
    "ADD {} x f32[1,6,1,1]=~3 -> a; ADD {} a f32[1,1,6,1]=~3 -> b; "
    "ADD {} b f32[1,6,1,8]=~3 -> c; ADD {} c f32[1,1,6,8]=~3 -> d; ADD {} d f32[8]=~3 -> e; "
    "ADD {} e f32[1,1,1,1]=~3 -> y";
#define STEPS "i8[1,6,6,8]q(0.5,3)"
static const char square_of_bytes[] =
    "QUANTIZE x -> q:" STEPS "; DEQUANTIZE q -> f:f32; SQUARE f -> s; QUANTIZE s -> y:" STEPS;
static const char square_of_floats[] =
    "QUANTIZE z -> q:" STEPS "; DEQUANTIZE q -> f:f32; ADD {} f x -> s; QUANTIZE s -> y:" STEPS;
static const char square_is_shown[] =
    "QUANTIZE x -> q:" STEPS "; DEQUANTIZE q -> f:f32; SQUARE f -> s; QUANTIZE s -> y:" STEPS
    "; outputs y s";
static const char reshaped_bytes[] =
    "RESHAPE {} x i32[2]=36,8 -> r:f32[36,8]; QUANTIZE r -> y:i8[36,8]q(0.5,3)";
static const char reshaped_and_read[] =
    "RESHAPE {} x i32[2]=36,8 -> r:f32[36,8]; QUANTIZE r -> y:i8[36,8]q(0.5,3); ABS r -> u";
static const char residual_of_view[] =
    DENSE("8,8", "f") "RESHAPE {} f i32[4]=1,6,6,8 -> r; " CONV("z", "c") "ADD {} c r -> y";
static const char dense_of_36[] = DENSE("4,8", "y");
static const char dense_of_1[] = DENSE("4,288", "y");
static const char large_conv[] =
    "CONV_2D {stride_w=1 stride_h=1} x" WEIGHTS("400,3,3,8", "400") " -> y";
static const char large_dense[] = DENSE("400,288", "y");
#define NORM                                                                                       \
    "MUL {} x x -> q; MEAN {keep_dims=true} q i32[1]=3 -> m; ADD {} m f32[]=0.5 -> e; "            \
    "RSQRT e -> r; MUL {} x r -> s; MUL {} s f32[8]=~1 -> y"
static const char norm[] = NORM, norm_read[] = NORM "; ABS r -> a";
#define ROPE                                                                                       \
    "SLICE z i32[4]=0,0,0,0 i32[4]=1,6,1,4 -> c0; ABS c0 -> c; ABS c -> d; "                       \
    "SLICE x i32[4]=0,0,0,0 i32[4]=1,6,6,4 -> a; SLICE x i32[4]=0,0,0,4 i32[4]=1,6,6,4 -> b; "     \
    "MUL {} a c -> ac; MUL {} b d -> bd; MUL {} b c -> bc; MUL {} a d -> ad; "                     \
    "SUB {} ac bd -> s; ADD {} bc ad -> t; CONCATENATION {axis=3} s t -> y"
static const char rope[] = ROPE, rope_read[] = ROPE "; ABS a -> a2";
#define ATTENTION(q, k)                                                                            \
    "BATCH_MATMUL {adj_y=true} " q " " k " -> l; SOFTMAX {beta=1} l -> p; "                        \
    "BATCH_MATMUL {} p " k " -> y"
static const char attention[] = ATTENTION("x", "z");
static const char attention_read[] = ATTENTION("x", "z") "; ABS p -> a";
static const char attention_of_constant[] =
    "BATCH_MATMUL {adj_y=true} x f32[6,8]=~1 -> l; SOFTMAX {beta=1} l -> p; "
    "BATCH_MATMUL {} p z -> y";
static const char attention_of_slots[] = "TILE z i32[4]=1,1,400,1 -> k; " ATTENTION("x", "k");
static const char attention_of_images[] = "CONCATENATION {axis=0} x x x -> q; " ATTENTION("q", "z");
static const char attention_of_rows[] = "TILE x i32[4]=1,1,2,1 -> q; " ATTENTION("q", "z");
#define PACKED(units, bias)                                                                        \
    "FULLY_CONNECTED {} x i8[" units ",288]=~1(-8..7)q(0.5,0) " bias " -> y"
static const char packed[] = PACKED("400", "f32[400]=~2");
static const char packed_narrow[] = PACKED("4", "f32[4]=~2");
static const char packed_of_36[] =
    "FULLY_CONNECTED {} x i8[400,8]=~1(-8..7)q(0.5,0) f32[400]=~2 -> y";
static const char depth_of_8[] = "BATCH_MATMUL {} x f32[1,6,8,5]=~1 -> y";
static const char depth_of_48[] =
    "RESHAPE {} x i32[3]=1,6,48 -> r:f32[1,6,48]; BATCH_MATMUL {} r f32[1,48,5]=~1 -> y";
static const char softmax_of_input[] = "SOFTMAX {beta=1} x -> y";
static const char classifier[] = DENSE("400,288", "f") "SOFTMAX {beta=1} f -> y";
static const char logits_shown[] = DENSE("400,288", "f") "SOFTMAX {beta=1} f -> y; outputs y f";
static const char logits_read_twice[] = DENSE("400,288", "f") "SOFTMAX {beta=1} f -> y; ABS f -> u";
static const char classified_twice[] =
    DENSE("400,288", "f") "SOFTMAX {beta=1} f -> s; SOFTMAX {beta=1} s -> y";
static const char logits_split[] =
    DENSE("400,288", "f") "RESHAPE {} f i32[2]=2,200 -> r; SOFTMAX {beta=1} r -> y";
static const char logits_and_residual[] =
    "RESHAPE {} z i32[4]=1,1,1,288 -> r; RESHAPE {} x i32[4]=1,1,1,288 -> i; ABS r -> u; "
    VALID("i", "288,1,1,288", "288", "c") "ADD {} c u -> s; SOFTMAX {beta=1} s -> y";
static const char logits_computed[] =
    "RESHAPE {} x i32[4]=3,1,1,96 -> i; RESHAPE {} z i32[4]=3,1,1,96 -> w; "
    "CONV_2D {stride_w=1 stride_h=1} i w f32[3]=~4 -> c; SOFTMAX {beta=1} c -> y";
static const char pool_all[] = AVERAGE("6", "NONE", "x", "y");
static const char pool_all_relu[] = AVERAGE("6", "RELU", "x", "y");
static const char pool_twice[] = AVERAGE("2", "NONE", "x", "a") AVERAGE("3", "NONE", "a", "y");
static const char pad_average[] = PAD AVERAGE("2", "NONE", "p", "y");
/* clang-format on */

/* ---- devices ---- */

#define DEVICE(name_, ...)                                                                         \
    static void name_(struct device_limits *l)                                                     \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    struct device_limits

DEVICE(with_units, l->device_class = DEVICE_NVIDIA; l->max_shared_memory_bytes = 49152;
       l->matrix = (struct device_matrix){ .kind = MATRIX_NV, .tile = 16, .subgroup_size = 32 });
DEVICE(with_small_memory, with_units(l); l->max_shared_memory_bytes = 1024);
DEVICE(with_few_invocations, with_units(l); l->matrix.subgroup_size = 128;
       l->max_workgroup_invocations = 128);
DEVICE(with_few_groups, with_units(l); l->max_workgroup_count[1] = l->max_workgroup_count[2] = 2);
DEVICE(with_other_matrices, with_units(l); l->matrix.tile = 32);
DEVICE(unmeasured, l->device_class = DEVICE_OTHER);
DEVICE(software, l->device_class = DEVICE_SOFTWARE);
DEVICE(nvidia, l->device_class = DEVICE_NVIDIA);

/* As large as the weights of `classifier`. */
DEVICE(with_small_buffers, nvidia(l); l->max_storage_buffer_range = 400 * 36 * 8 * 4);

/* Less than the sums of `classifier` and those of its SOFTMAX take. */
DEVICE(with_little_memory, nvidia(l); l->max_shared_memory_bytes = 3071);

/* ---- rows ---- */

enum { FP32, FP16 };
struct row {
    const char *nodes; /* they read x and z, f32 [1,6,6,8] */
    void (*device)(struct device_limits *);
    const char *option, *value; /* NULL: none */
    enum reason_kind kind;
    int id;
    const char *text; /* "": there is no reason, since it is done */
    int precision;
};
#define T(nodes, name, text)                                                                       \
    {                                                                                              \
        nodes, NULL, NULL, NULL, REASON_TRANSFORM, TRANSFORM_##name, text, FP32                    \
    }
#define OFF(nodes, name)                                                                           \
    {                                                                                              \
        nodes, NULL, "no_transform", #name, REASON_TRANSFORM, TRANSFORM_##name,                    \
            "option no_transform=" #name, FP32                                                     \
    }
#define K(nodes, name, device, precision, text)                                                    \
    {                                                                                              \
        nodes, device, NULL, NULL, REASON_KERNEL, KERNEL_##name, text, precision                   \
    }
#define K_OFF(nodes, name, device, precision)                                                      \
    {                                                                                              \
        nodes, device, "no_kernel", #name, REASON_KERNEL, KERNEL_##name,                           \
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
    T(norm, norm, ""),
    OFF(norm, norm),
    T(norm_read, norm, "the result of RSQRT 3 is read elsewhere, too"),
    T(rope, rope, ""),
    OFF(rope, rope),
    T(rope_read, rope, "the result of SLICE 3 is read elsewhere, too"),
    T(attention, attention, ""),
    OFF(attention, attention),
    T(attention_read, attention, "the result of SOFTMAX 1 is read elsewhere, too"),
    T(attention_of_constant, attention, "an input is overwritten later, a constant, or state"),
    T(attention_of_slots, attention,
      "36 rows of an image, more than 0 for keys and values of 38400 elements"),
    { attention_of_slots, nvidia, NULL, NULL, REASON_TRANSFORM, TRANSFORM_attention, "", FP32 },
    { attention_of_images, software, NULL, NULL, REASON_TRANSFORM, TRANSFORM_attention, "", FP32 },
    { attention_of_rows, software, NULL, NULL, REASON_TRANSFORM, TRANSFORM_attention,
      "72 rows of an image, more than 64 for keys and values of 96 elements", FP32 },
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
    K(depth_of_48, matmul_shares, nvidia, FP32, ""),
    K(depth_of_48, matmul_shares, software, FP32,
      "class software: slower, as measured on lavapipe"),
    K(depth_of_8, matmul_shares, nvidia, FP32, "a depth of 8, less than 16"),
    K_OFF(depth_of_48, matmul_shares, nvidia, FP32),
    K(attention, attention_parts, nvidia, FP32, ""),
    K(attention, attention_parts, software, FP32, "class software: not measured"),
    K_OFF(attention, attention_parts, nvidia, FP32),
    K(large_dense, matvec, nvidia, FP32, ""),
    K_OFF(large_dense, matvec, nvidia, FP32),
    K(large_dense, matvec, software, FP32, "class software: not measured"),
    K(one_pixel, matvec, nvidia, FP32, "its window is no single pixel"),
    K(packed, packed, nvidia, FP32, ""),
    K(packed, packed, nvidia, FP16, ""),
    K_OFF(packed, packed, nvidia, FP32),
    K(packed_of_36, packed, nvidia, FP32, "8-bit weights for 36 rows, more than 3"),
    K(packed_narrow, packed, nvidia, FP32, "1152 8-bit weights, fewer than 65536"),
    K(packed, packed_shares, nvidia, FP32, ""),
    K(packed, packed_shares, software, FP32, "class software: not measured"),
    K_OFF(packed, packed_shares, nvidia, FP32),
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
    T(square_of_bytes, byte_chain, ""),
    OFF(square_of_bytes, byte_chain),
    T(square_of_floats, byte_chain, "not all operands of ADD 2 are dequantized"),
    T(square_is_shown, byte_chain, "the result of SQUARE 2 is an output of the partition"),
    T(reshaped_bytes, requantize, ""),
    OFF(reshaped_bytes, requantize),
    T(reshaped_and_read, requantize, "the result of RESHAPE 0 is read 2 times"),
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
    const struct transform_case c = { .text = r->nodes, .dims = { 1, 6, 6, 8 } };
    const char *const pairs[] = { "precision", r->precision == FP16 ? "fp16" : "fp32", r->option,
                                  r->value, NULL };
    struct plan_look l = { .pairs = pairs, .device = r->device };
    const char *found;

    MODEL_BY(m, transform_model(&c, &m));
    l.m = &m;
    gpu_look(&m, plan_look_at, &l);
    found = plan_look_reason(&l.plan, r->kind, r->id, r->text);
    if (r->text[0] && (!found || !strstr(found, r->text)))
        fail_msg("row %zu: expected \"%s\", found \"%s\"", index, r->text, found ? found : "none");
    if (!r->text[0] && found)
        fail_msg("row %zu: expected no reason, found \"%s\"", index, found);
    plan_close(&l.plan);
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
    static const char *const texts[] = { add_relu, residual_of_later, pad_twice, pair_apart,
                                         pool_twice };
    static const char *const pairs[] = { "no_transform", "pad", NULL };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct transform_case c = { .text = texts[i], .dims = { 1, 6, 6, 8 } };
        struct plan_look asked = { .pairs = pairs }, silent = { .pairs = pairs, .silent = true };

        MODEL_BY(m, transform_model(&c, &m));
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

/* TRANSPOSE_CONV: strides that leave gaps or overlap, both paddings, channels around slices, with
 * and without bias. */
#include "conformance/maker.h"
#include "conformance/suite.h"

enum { VALID = 1 }; /* file code of padding; 0: SAME */

struct row {
    struct op_case base;
    struct shape in;  /* N H W C */
    struct shape out; /* N H W C */
    struct {
        int32_t h, w;
    } kernel, stride; /* stride 0: 1 */
    int padding, activation;
    bool bias, runtime_weights;
};

static const struct suite_member members[] = {
    { "transpose_conv",
      BUILTIN_TRANSPOSE_CONV,
      1,
      TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16),
      SETS_ALL,
      { .kind = BOUND_DOT } },
};

#define INPUT(c)                                                                                   \
    {                                                                                              \
        ROW("in" #c, "input channels in slices of four"),                                          \
            .in = DIMS(1, 2, 3, c), .out = DIMS(1, 4, 6, 5), .kernel = { 3, 3 }, .stride = {       \
                2,                                                                                 \
                2                                                                                  \
            }                                                                                      \
    }
#define OUTPUT(c)                                                                                  \
    {                                                                                              \
        ROW("out" #c, "output channels in slices of four", .version = 3),                          \
            .in = DIMS(1, 2, 3, 5), .out = DIMS(1, 4, 6, c), .kernel = { 3, 3 },                   \
            .stride = { 2, 2 }, .bias = true                                                       \
    }

static const struct row rows[] = {
    CHANNEL_LIST(INPUT),
    CHANNEL_LIST(OUTPUT),
    { ROW("same3_s2", "doubles an image, as decoders do"), .in = DIMS(1, 3, 4, 5),
      .out = DIMS(1, 6, 8, 6), .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("same3_s2_odd", "SAME to an odd size"), .in = DIMS(1, 3, 4, 5), .out = DIMS(1, 5, 7, 3),
      .kernel = { 3, 3 }, .stride = { 2, 2 } },
    { ROW("valid3_s2", "VALID: windows overlap by one"), .in = DIMS(1, 3, 4, 3),
      .out = DIMS(1, 7, 9, 7), .kernel = { 3, 3 }, .stride = { 2, 2 }, .padding = VALID },
    { ROW("valid2_s3", "stride over the window: gaps of bias alone", .version = 3),
      .in = DIMS(1, 3, 3, 4), .out = DIMS(1, 9, 8, 5), .kernel = { 2, 2 }, .stride = { 3, 3 },
      .padding = VALID, .bias = true },
    { ROW("k2_s2", "every output has one tap"), .in = DIMS(1, 4, 3, 9), .out = DIMS(1, 8, 6, 4),
      .kernel = { 2, 2 }, .stride = { 2, 2 } },
    { ROW("k4_s2", "even window"), .in = DIMS(1, 3, 3, 8), .out = DIMS(1, 6, 6, 8),
      .kernel = { 4, 4 }, .stride = { 2, 2 } },
    { ROW("s1", "no stride: a convolution with the filter turned"), .in = DIMS(1, 4, 5, 6),
      .out = DIMS(1, 4, 5, 5), .kernel = { 3, 3 } },
    { ROW("bias", "a bias for each channel", .version = 3), .in = DIMS(2, 3, 3, 5),
      .out = DIMS(2, 6, 6, 7), .kernel = { 3, 3 }, .stride = { 2, 2 }, .bias = true },
    { ROW("relu6", "fused RELU6", .version = 4, .scale = 4), .in = DIMS(1, 3, 3, 5),
      .out = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 }, .bias = true,
      .activation = 3 },
    { ROW("stride1x3", "strides that differ"), .in = DIMS(1, 4, 3, 5), .out = DIMS(1, 4, 9, 5),
      .kernel = { 3, 4 }, .stride = { 1, 3 } },
    { ROW("runtime_weights", "weights are an input of the graph", .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(1, 3, 3, 5), .out = DIMS(1, 6, 6, 6), .kernel = { 3, 3 }, .stride = { 2, 2 },
      .runtime_weights = true },
};

static int32_t or_one(int32_t n)
{
    return n > 0 ? n : 1;
}

static void build(struct maker *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int32_t channels = r->out.d[3], sh = or_one(r->stride.h), sw = or_one(r->stride.w);
    const struct shape weights = DIMS(channels, r->kernel.h, r->kernel.w, r->in.d[3]);
    const struct shape vector = DIMS(4), bias = DIMS(channels);
    /* How many taps one output has at most. */
    const int32_t taps = ((r->kernel.h + sh - 1) / sh) * ((r->kernel.w + sw - 1) / sw);
    const double terms = (double)taps * r->in.d[3] + 1;
    const struct fill fill_x = { .terms = terms, .factors = 2, .pair = PAIR_EQUAL, .axis = 3 };
    const struct fill fill_w = {
        .terms = terms, .factors = 2, .pair = PAIR_OPPOSITE, .axis = 3, .plain = true
    };
    const struct fill fill_b = { .terms = terms, .factors = 2, .plain = true };
    struct options options;
    int in[4];

    options_init(&options, OPTIONS_TransposeConvOptions);
    options_set_int(&options, "padding", r->padding);
    options_set_int(&options, "stride_w", sw);
    options_set_int(&options, "stride_h", sh);
    options_set_int(&options, "fused_activation_function", r->activation);
    in[0] = maker_ints(m, "output_shape", &vector, r->out.d);
    in[1] = r->runtime_weights ? maker_input(m, "weights", &weights, &fill_w)
                               : maker_constant(m, "weights", &weights, &fill_w);
    in[2] = maker_input(m, "x", &r->in, &fill_x);
    if (r->bias)
        in[3] = maker_constant(m, "bias", &bias, &fill_b);
    maker_judged(m, &options, r->bias ? 4 : 3, in, maker_output(m, "y", &r->out));
}

SUITE(transpose_conv, members, rows, build);

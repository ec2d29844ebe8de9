/* QUANTIZE, and DEQUANTIZE of 8-bit integers and of f16.
 *
 * An 8-bit case is the op alone, on an input of the graph.  QUANTIZE reads f32, the same type with
 * another scale, or the other 8-bit type: the name of the case decides, unless the row says so.
 *
 * DEQUANTIZE of f16 reads constants of every shape, which go to one or more of ADD, MUL, CONV_2D or
 * FULLY_CONNECTED, and f16 inputs of the graph.  A graph of a constant alone would have no input,
 * so the values of a constant are judged by the bound of the op that reads them; the case checks
 * that DEQUANTIZE itself is taken and adds no error. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/quant_axes.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <math.h>

enum reader {
    READ_ADD,     /* x + c */
    READ_ADD_A,   /* c + x */
    READ_MUL,     /* x * c */
    READ_TWICE,   /* (x + c) and (x * c): one DEQUANTIZE, two readers */
    READ_BOTH,    /* (x + c) * d: two DEQUANTIZEs */
    READ_CONV,    /* CONV_2D: c is its 1x1 weights */
    READ_CONV_B,  /* CONV_2D: c is its bias, the weights are f32 */
    READ_FC,      /* FULLY_CONNECTED: c is its weights */
    READ_FC_B,    /* FULLY_CONNECTED: c is its bias, the weights are f32 */
    READ_NOTHING, /* x is an f16 input, DEQUANTIZE(x) the output of the graph */
    READ_RELU     /* x is an f16 input, RELU(DEQUANTIZE(x)) the output */
};

/* What QUANTIZE reads. */
enum source { FROM_ANY, FROM_FLOATS, FROM_SAME, FROM_OTHER };
/* The data set of the random stream that chooses it. */
enum { SOURCE_SET = 6 };

struct row {
    struct op_case base;
    struct shape in, constant; /* a constant of rank 0 is a scalar, unless `in` has rank 0, too */
    enum reader reader;
    enum source source;
    bool by_channel; /* f32 to or from integers of a scale and a zero point for each channel */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const bool from_floats = call->in[0].kind == RANDOM_WIDE;

    if (!m->c->quantized)
        return false;
    if (call->member->code == BUILTIN_DEQUANTIZE) {
        call->out.kind = RANDOM_WIDE;
        call->out.value = graph_add_dequantize(m, call->in[0].value);
    } else {
        if (from_floats)
            call->out.peak = fmin(call->out.peak, 4); /* what QUANTIZE clamps to */
        call->out.value = graph_add_quantize(m, call->in[0].value);
    }
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("dequantize", DEQUANTIZE, 3), .types = TYPE_BIT(CASE_F16) | TYPES_BYTES,
      .sets = SETS_MOVE | SET_BIT(SET_SPREAD), .bound = { .kind = BOUND_BITS },
      .bound_integers = { .kind = BOUND_ROUNDED, .ulps = 1 },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("quantize", QUANTIZE, 1), .types = TYPES_BYTES, .sets = SETS_MOVE,
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1 }, .range = case_range_drawn,
      .random = { .operands = RANDOM_ONE,
                  .kinds = 1u << RANDOM_VALUES | 1u << RANDOM_WIDE,
                  .add = add_random } },
};

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"), .in = DIMS(1, 2, 3, c), .constant = DIMS(c)     \
    }

/* The runtime casts infinity to i32, which C++ does not define: the result is the lowest number,
 * which is right below zero only. */
static const float infinities[] = { -INFINITY, 1, -2, -0.0F, 0.5F, 1e-40F };

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    { ROW("scalar", "rank 0"), .in = DIMS(1, 3, 3, 5), .constant = SCALAR },
    { ROW("one", "one element"), .in = DIMS(1, 3, 3, 5), .constant = DIMS(1) },
    { ROW("linear4d", "a value for each channel, rank 4"), .in = DIMS(2, 3, 2, 7),
      .constant = DIMS(1, 1, 1, 7) },
    { ROW("full", "the shape of the image"), .in = DIMS(1, 3, 3, 5), .constant = DIMS(1, 3, 3, 5) },
    { ROW("pixel", "a value for each pixel"), .in = DIMS(1, 3, 4, 5),
      .constant = DIMS(1, 3, 4, 1) },
    { ROW("grow", "larger than the other operand"), .in = DIMS(1, 1, 1, 5),
      .constant = DIMS(1, 3, 2, 5) },
    { ROW("left", "on the left of its reader"), .in = DIMS(1, 3, 3, 6), .constant = DIMS(6),
      .reader = READ_ADD_A },
    { ROW("rank1", "a vector", .gap = GAP_RANK), .in = DIMS(9), .constant = DIMS(9) },
    { ROW("rank2", "a matrix", .gap = GAP_RANK), .in = DIMS(3, 5), .constant = DIMS(3, 5) },
    { ROW("rank3", "rank 3", .gap = GAP_RANK), .in = DIMS(2, 3, 5), .constant = DIMS(2, 3, 5) },
    { ROW("rank5", "rank 5", .gap = GAP_RANK), .in = DIMS(2, 1, 3, 2, 5),
      .constant = DIMS(2, 1, 3, 2, 5) },
    { ROW("batch3", "an image for all of a batch", .gap = GAP_BATCH), .in = DIMS(3, 2, 2, 5),
      .constant = DIMS(2, 2, 5) },
    { ROW("batch7", "an odd batch", .gap = GAP_BATCH), .in = DIMS(7, 1, 2, 3),
      .constant = DIMS(3) },
    { ROW("n65", "one element more than a workgroup of 64 has invocations"), .in = DIMS(1, 65),
      .constant = DIMS(1, 65) },
    { ROW("n257", "an odd number of f16 values: the last 32-bit word is half full"),
      .in = DIMS(1, 257), .constant = DIMS(1, 257) },
    { ROW("prime", "prime extents: no workgroup size divides them"), .in = DIMS(1, 7, 11, 13),
      .constant = DIMS(7, 11, 13) },
    { ROW("mul", "the constant is the factor of a MUL"), .in = DIMS(1, 3, 3, 5),
      .constant = DIMS(5), .reader = READ_MUL },
    { ROW("mul_scalar", "the constant is a factor of rank 0"), .in = DIMS(1, 3, 3, 5),
      .constant = SCALAR, .reader = READ_MUL },
    { ROW("shared", "one constant, two readers"), .in = DIMS(1, 3, 3, 5), .constant = DIMS(5),
      .reader = READ_TWICE },
    { ROW("two", "two ops in a row, each with a constant of its own"), .in = DIMS(1, 3, 3, 5),
      .constant = DIMS(5), .reader = READ_BOTH },
    { ROW("conv_weights", "weights alone are f16"), .in = DIMS(1, 3, 3, 5),
      .constant = DIMS(6, 1, 1, 5), .reader = READ_CONV },
    { ROW("conv_weights_3x3", "larger weights"), .in = DIMS(1, 4, 4, 3),
      .constant = DIMS(5, 3, 3, 3), .reader = READ_CONV },
    { ROW("conv_bias", "the bias alone is f16"), .in = DIMS(1, 3, 3, 5), .constant = DIMS(6),
      .reader = READ_CONV_B },
    { ROW("fc_weights", "weights alone are f16"), .in = DIMS(2, 7), .constant = DIMS(5, 7),
      .reader = READ_FC },
    { ROW("fc_bias", "the bias alone is f16"), .in = DIMS(2, 7), .constant = DIMS(5),
      .reader = READ_FC_B },
    { ROW("small", "denormal f16 values, which are normal numbers in f32", .scale = 1e-5,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 6), .constant = DIMS(6) },
    { ROW("half_max", "near the largest f16", .gap = GAP_HALF_RANGE, .scale = 1000, .offset = 6e4,
          .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5), .constant = DIMS(5) },
    { ROW("input_c5", "an f16 input"), .in = DIMS(1, 3, 3, 5), .reader = READ_NOTHING },
    { ROW("input_c4", "an f16 input in whole slices"), .in = DIMS(1, 3, 3, 4),
      .reader = READ_NOTHING },
    { ROW("input_rank1", "an f16 vector of odd length"), .in = DIMS(13), .reader = READ_NOTHING },
    { ROW("input_small", "f16 denormals at run time", .scale = 1e-5, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 3, 5), .reader = READ_NOTHING },
    { ROW("input_relu", "an f16 input with an op behind it"), .in = DIMS(1, 3, 3, 5),
      .reader = READ_RELU },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 2, 2, 6), .constant = DIMS(6) },
    { ROW("every_byte", "every byte", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.0371 }),
      .in = DIMS(1, 4, 16, 4), .source = FROM_ANY },
    { ROW("every_byte_coarse", "every byte, a scale over 1", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 1.7 }),
      .in = DIMS(1, 4, 16, 4), .source = FROM_ANY },
    { ROW("every_byte_low", "every byte, none below 0", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.02, .zero = ZERO_LOW }),
      .in = DIMS(1, 4, 16, 4), .source = FROM_ANY },
    { ROW("every_byte_high", "every byte, none above 0", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.02, .zero = ZERO_HIGH }),
      .in = DIMS(1, 4, 16, 4), .source = FROM_ANY },
    { ROW("same_finer", "to a finer scale", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.1, .out = 0.0123 }, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("same_coarser", "to a coarser scale", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.0123, .out = 0.1 }, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("same_half", "to twice the scale: ties", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.25, .out = 0.5 }, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("same_near", "to nearly the same scale", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.12, .out = 0.14 }, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("same_shift", "another zero point alone", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.1, .out = 0.1 }, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("same_nothing", "factors below 2^-32", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 1e-10, .out = 3 }, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("same_left", "a factor of 40", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 4, .out = 0.1 }, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("other_flip", "i8 to u8 of the same scale: only the zero point moves, by 128",
          .types = TYPES_BYTES, .every_byte = 1, .quant = { .in = 0.0371, .out = 0.0371 },
          .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_OTHER },
    { ROW("other_finer", "i8 and u8, a finer scale", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.1, .out = 0.0123 }, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_OTHER },
    { ROW("other_coarser", "i8 and u8, a coarser scale", .types = TYPES_BYTES, .every_byte = 1,
          .quant = { .in = 0.0123, .out = 0.1 }, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_OTHER },
    { ROW("floats_low", "the least zero point", .types = TYPES_BYTES,
          .quant = { .zero_out = ZERO_LOW }, .only = "quantize"),
      .in = DIMS(1, 5, 7, 6), .source = FROM_FLOATS },
    { ROW("floats_high", "the largest zero point", .types = TYPES_BYTES,
          .quant = { .zero_out = ZERO_HIGH }, .only = "quantize"),
      .in = DIMS(1, 5, 7, 6), .source = FROM_FLOATS },
    { ROW("floats_ties", "a scale of 1 and whole numbers: no quotient is a tie",
          .types = TYPES_BYTES, .quant = { .out = 1 }, .only = "quantize"),
      .in = DIMS(1, 5, 7, 6), .source = FROM_FLOATS },
    { ROW("floats_halves", "a scale of 2: every other integer is a tie", .types = TYPES_BYTES,
          .quant = { .out = 2 }, .only = "quantize"),
      .in = DIMS(1, 5, 7, 6), .source = FROM_FLOATS },
    { ROW("floats_saturated", "most values are beyond the range, and saturate",
          .types = TYPES_BYTES, .quant = { .out_times = 0.1 }, .only = "quantize"),
      .in = DIMS(1, 5, 7, 6), .source = FROM_FLOATS },
    { ROW("floats_third", "a scale that makes every quotient inexact", .types = TYPES_BYTES,
          .quant = { .out = 0.0313 }, .only = "quantize"),
      .in = DIMS(1, 17, 13, 11), .source = FROM_FLOATS },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(1, 2, 2, 6), .constant = DIMS(6) },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("quotient_rounded",
          "the quotient of the scales makes another factor in f32 than in double",
          .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_ROUNDED, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("quotient_rounded_b",
          "the quotient of the scales makes another factor in f32 than in double",
          .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_ROUNDED_B, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("quotient_left", "the quotient of the scales makes another factor in f32 than in double",
          .types = TYPES_BYTES, .every_byte = 1, QUANT_QUOTIENT_LEFT, .only = "quantize"),
      .in = DIMS(1, 4, 16, 4), .source = FROM_SAME },
    { ROW("floats_near_ties_7", "quotients that are ties in f32, not in double or by a reciprocal",
          .types = TYPES_BYTES, .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .out = 0.285714298, .zero_out = ZERO_MIDDLE }, .only = "quantize"),
      .in = DIMS(1, 5, 7, 6), .source = FROM_FLOATS },
    { ROW("floats_near_ties_13", "quotients that are ties in f32, not in double or by a reciprocal",
          .types = TYPES_BYTES, .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .out = 0.15384616, .zero_out = ZERO_MIDDLE }, .only = "quantize"),
      .in = DIMS(1, 5, 7, 6), .source = FROM_FLOATS },
    { ROW("floats_near_ties_51", "quotients that are ties in f32, not in double or by a reciprocal",
          .types = TYPES_BYTES, .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .out = 0.0392156877, .zero_out = ZERO_MIDDLE }, .only = "quantize"),
      .in = DIMS(1, 5, 7, 6), .source = FROM_FLOATS },
    /* A dimension of 0. */
    { ROW("empty_batch", "no image at all", .types = TYPE_BIT(CASE_I8), EMPTY_TENSOR),
      .in = DIMS(0, 3, 2, 5), .source = FROM_ANY },
    { ROW("input_empty", "no image at all, of f16", .types = TYPE_BIT(CASE_F16), EMPTY_TENSOR,
          .only = "dequantize"),
      .in = DIMS(0, 3, 2, 5), .reader = READ_NOTHING },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD),
      .in = DIMS(66001, 1), .source = FROM_SAME },
    { ROW("channels66001", "66,001 channels", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD),
      .in = DIMS(1, 66001), .source = FROM_FLOATS },
    { ROW("floats66001", "66,001 places", .types = TYPES_BYTES, .period = SHORT_PERIOD,
          .only = "quantize"),
      .in = DIMS(66001, 1), .source = FROM_FLOATS },
    { ROW("floats_infinite", "-infinity, -0 and denormals among numbers", .types = TYPES_BYTES,
          LANES_ONE_SET, .byte_sets = LANES_RANDOM, .specials = true,
          .quant = { .out = 0.1, .zero_out = ZERO_MIDDLE }, .only = "quantize", VALUES(infinities)),
      .in = DIMS(1, 3, 4, 5), .source = FROM_FLOATS },
    { ROW("by_channel", "a scale and a zero point for each channel", .types = TYPES_BYTES,
          .refused_by = "quant.scale", .quant = { .in = 0.02, .zero = ZERO_MIDDLE }),
      .in = DIMS(1, 3, 4, 5), .source = FROM_FLOATS, .by_channel = true },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("bytes_rank3", "rank 3", REAL(TYPE_BIT(CASE_I8))), .in = DIMS(2, 3, 5),
      .source = FROM_SAME },
};

/* DEQUANTIZE of half, which is the operator that the case is about. */
static int widen(struct case_builder *m, int half, const struct shape *shape, int out)
{
    const struct options options = { .tag = OPTIONS_DequantizeOptions };

    if (out < 0)
        out = case_tensor(m, "wide", shape);
    case_judged_op(m, &options, 1, &half, out);
    return out;
}

static void elementwise(struct case_builder *m, int32_t code, uint8_t tag, int a, int b, int out)
{
    struct options options;

    options_init(&options, tag);
    case_op(m, code, 1, &options, 2, (const int[]){ a, b }, out);
}

static void add(struct case_builder *m, int a, int b, int out)
{
    elementwise(m, BUILTIN_ADD, OPTIONS_AddOptions, a, b, out);
}

static void mul(struct case_builder *m, int a, int b, int out)
{
    elementwise(m, BUILTIN_MUL, OPTIONS_MulOptions, a, b, out);
}

static void build_input(struct case_builder *m, const struct row *r, const struct fill *fill)
{
    const int x = case_input_f16(m, "x", &r->in, fill);

    if (r->reader == READ_NOTHING) {
        widen(m, x, &r->in, case_output(m, "y", &r->in));
    } else {
        const int wide = widen(m, x, &r->in, -1);
        case_op(m, BUILTIN_RELU, 1, NULL, 1, &wide, case_output(m, "y", &r->in));
    }
}

/* weights and bias of CONV_2D or FULLY_CONNECTED, one of them behind DEQUANTIZE. */
static void build_dot(struct case_builder *m, const struct row *r)
{
    const bool conv = r->reader == READ_CONV || r->reader == READ_CONV_B;
    const bool bias_is_half = r->reader == READ_CONV_B || r->reader == READ_FC_B;
    const int32_t units = r->constant.d[0], depth = r->in.d[r->in.rank - 1];
    struct shape weights = r->constant, bias = DIMS(units), out = r->in;
    struct fill fill = { .factors = 2 };
    struct options options;
    int in[3], half;

    if (bias_is_half && conv)
        weights = (struct shape)DIMS(units, 1, 1, depth);
    else if (bias_is_half)
        weights = (struct shape)DIMS(units, depth);
    fill.terms = (double)shape_elements(&weights) / units + 1;
    out.d[out.rank - 1] = units;
    in[0] = case_input(m, "x", &r->in, &fill);
    if (bias_is_half) {
        in[1] = case_constant_f32(m, "weights", &weights, &fill);
        half = case_constant_f16(m, "bias", &bias, &fill);
        in[2] = widen(m, half, &bias, -1);
    } else {
        half = case_constant_f16(m, "weights", &weights, &fill);
        in[1] = widen(m, half, &weights, -1);
        in[2] = case_constant_f32(m, "bias", &bias, &fill);
    }
    options_init(&options, conv ? OPTIONS_Conv2DOptions : OPTIONS_FullyConnectedOptions);
    if (conv) {
        options_set_int(&options, "stride_w", 1);
        options_set_int(&options, "stride_h", 1);
    }
    case_op(m, conv ? BUILTIN_CONV_2D : BUILTIN_FULLY_CONNECTED, 1, &options, 3, in,
            case_output(m, "y", &out));
}

static enum source source_of(const struct case_builder *m, const struct row *r)
{
    struct random_stream s;

    random_init(&s, 0, m->c->name, SOURCE_SET, 0, 0);
    return r->source != FROM_ANY ? r->source : (enum source)(1 + random_below(&s, 3));
}

static void build_bytes(struct case_builder *m, const struct row *r, const struct fill *fill)
{
    const struct options dequantize = { .tag = OPTIONS_DequantizeOptions };
    const struct options quantize = { .tag = OPTIONS_QuantizeOptions };
    const bool to_u8 = m->c->type == TENSOR_UINT8;
    int x = -1;

    if (m->c->code == BUILTIN_DEQUANTIZE) {
        x = case_input(m, "x", &r->in, fill);
        if (r->by_channel)
            case_set_channels(m, x, r->in.rank - 1, r->in.d[r->in.rank - 1]);
        case_judged_op(m, &dequantize, 1, &x, case_output_f32(m, "y", &r->in));
        return;
    }
    switch (source_of(m, r)) {
    case FROM_FLOATS: x = case_input_f32(m, "x", &r->in, fill); break;
    case FROM_OTHER: /* u8 and i8 with like scales are 128 apart */
        x = case_input_scaled(m, "x", &r->in, to_u8 ? TENSOR_INT8 : TENSOR_UINT8,
                              r->base.quant.in != 0 ? r->base.quant.in : 0.0371, to_u8 ? -17 : 111);
        break;
    default: x = case_input(m, "x", &r->in, fill); break;
    }
    if (r->by_channel) {
        const int y =
            case_output_scaled(m, "y", &r->in, m->c->type, r->base.quant.in, to_u8 ? 111 : -17);

        case_set_channels(m, y, r->in.rank - 1, r->in.d[r->in.rank - 1]);
        case_judged_op(m, &quantize, 1, &x, y);
    } else if (r->base.quant.out != 0 && r->source == FROM_OTHER)
        case_judged_op(
            m, &quantize, 1, &x,
            case_output_scaled(m, "y", &r->in, m->c->type, r->base.quant.out, to_u8 ? 111 : -17));
    else
        case_judged_op(m, &quantize, 1, &x, case_output(m, "y", &r->in));
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape out =
        shape_elements(&r->constant) > shape_elements(&r->in) ? r->constant : r->in;
    const struct fill fill = { .terms = 2, .factors = 2 };
    int x, c, d, sum;

    if (m->c->quantized) {
        build_bytes(m, r, &fill);
        return;
    }
    switch (r->reader) {
    case READ_NOTHING:
    case READ_RELU: build_input(m, r, &fill); return;
    case READ_CONV:
    case READ_CONV_B:
    case READ_FC:
    case READ_FC_B: build_dot(m, r); return;
    default: break;
    }
    x = case_input(m, "x", &r->in, &fill);
    c = widen(m, case_constant_f16(m, "c", &r->constant, &fill), &r->constant, -1);
    switch (r->reader) {
    case READ_ADD_A: add(m, c, x, case_output(m, "y", &out)); break;
    case READ_MUL: mul(m, x, c, case_output(m, "y", &out)); break;
    case READ_TWICE:
        add(m, x, c, case_output(m, "sum", &out));
        mul(m, x, c, case_output(m, "product", &out));
        break;
    case READ_BOTH:
        d = case_constant_f16(m, "d", &r->constant, &fill);
        d = case_dequantize(m, "d_wide", d, &r->constant);
        sum = case_output(m, "sum", &out);
        add(m, x, c, sum);
        mul(m, sum, d, case_output(m, "y", &out));
        break;
    default: add(m, x, c, case_output(m, "y", &out)); break;
    }
}

SUITE(dequantize, members, rows, build);

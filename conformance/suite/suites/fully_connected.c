/* FULLY_CONNECTED: units and depths around slices, inputs of every rank flattened across padded
 * lanes, batches, with and without bias, fused activations. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/quant_axes.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

enum {
    NO_BIAS = 1,
    ABSENT_BIAS = 2,
    KEEP_DIMS = 4,
    RUNTIME_WEIGHTS = 8,
    RUNTIME_BIAS = 16,
    SPARSE = 32,       /* weights are stored element by element, without those that are 0 */
    SPARSE_BLOCKS = 64 /* ... in blocks of four inputs */
};

struct row {
    struct op_case base;
    struct shape in;
    int32_t units, depth; /* depth 0: the last dimension of in */
    int activation;
    unsigned flags;
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const bool keep = random_choice(call, 1, 2);
    int activation;

    if (x.shape.rank < 2)
        return false;
    random_set_dot_peak(call);
    activation = random_activation(call, 2);
    call->out.value = graph_add_fully_connected(m, x, random_channels(call, 0), keep, activation);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("fully_connected", FULLY_CONNECTED, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPES_QUANTIZED, .sets = SETS_ALL,
      .bound = { .kind = BOUND_DOT }, .range = case_range_dot,
      .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("k" #c "_u" #c, "depth and units in slices of four"), .in = DIMS(2, c), .units = c     \
    }
#define UNITS(k, u)                                                                                \
    {                                                                                              \
        ROW("k" #k "_u" #u, "depth and units that do not fill a slice"), .in = DIMS(1, k),         \
                                                                         .units = u                \
    }

/* A product of the size for which a tile of the matrix units is (test_matrix knows which). */
#define TILES(h, w, k, u)                                                                          \
    {                                                                                              \
        ROW("tiles_" #h "_" #w "_k" #k "_u" #u,                                                    \
            "rows, depth and units end within a tile of matrix units", LARGE_OF(61),               \
            .version = 5),                                                                         \
            .in = DIMS(1, h, w, k), .units = u, .flags = KEEP_DIMS                                 \
    }

/* One quantity on either side of a tile's edge. */
#define EDGE(what, n, why) ROW("edge_" what #n, why " at the edge of a likely tile", LARGE_OF(61))
#define EDGE_UNITS(n)                                                                              \
    {                                                                                              \
        EDGE("u", n, "units"), .in = DIMS(2, 5), .units = n                                        \
    }
#define EDGE_DEPTH(n)                                                                              \
    {                                                                                              \
        EDGE("k", n, "depth"), .in = DIMS(2, n), .units = 6                                        \
    }
#define EDGE_ROWS(n)                                                                               \
    {                                                                                              \
        EDGE("r", n, "rows"), .in = DIMS(n, 5), .units = 6                                         \
    }
/* Rows of 65,536 weights and more. */
#define FEW "few rows of many weights, as a vector", LARGE_OF(61)

static const struct row rows[] = {
    CHANNEL_LIST(CHANNELS),
    UNITS(1, 10),
    UNITS(10, 1),
    UNITS(3, 64),
    UNITS(64, 3),
    UNITS(65, 65),
    UNITS(257, 5),
    UNITS(5, 257),
    UNITS(127, 129),
    { ROW("classifier", "a thousand classes and one"), .in = DIMS(1, 64), .units = 1001 },
    { ROW("k1001", "the depth has one lane in its last slice"), .in = DIMS(1, 1001), .units = 10 },
    { ROW("k4099", "a long sum, a prime"), .in = DIMS(1, 4099), .units = 5 },
    { ROW("batch1", "one row"), .in = DIMS(1, 12), .units = 8 },
    { ROW("batch3", "a batch of more than one row", .gap = GAP_BATCH), .in = DIMS(3, 10),
      .units = 6 },
    { ROW("batch7", "an odd batch, depth and units that do not fill a slice", .gap = GAP_BATCH),
      .in = DIMS(7, 9), .units = 5 },
    { ROW("batch65", "one row more than a workgroup of 64", .gap = GAP_BATCH), .in = DIMS(65, 6),
      .units = 3 },
    { ROW("batch257", "one row more than a workgroup of 256", .gap = GAP_BATCH), .in = DIMS(257, 3),
      .units = 2 },
    { ROW("rank1", "a vector gives one row", .gap = GAP_RANK), .in = DIMS(13), .units = 7 },
    { ROW("rank3", "[B, T, C] gives B*T rows", .gap = GAP_RANK), .in = DIMS(2, 3, 7), .units = 5 },
    { ROW("rank4_1x1", "a pooled image"), .in = DIMS(1, 1, 1, 9), .units = 5 },
    { ROW("rank4_flat_c5", "an image is flattened: padded lanes between the pixels"),
      .in = DIMS(2, 3, 3, 5), .units = 6, .depth = 45 },
    { ROW("rank4_flat_c1", "one channel: three of four lanes between the data are padding"),
      .in = DIMS(1, 4, 5, 1), .units = 3, .depth = 20 },
    { ROW("rank4_flat_c8", "whole slices are flattened"), .in = DIMS(2, 2, 3, 8), .units = 5,
      .depth = 48 },
    { ROW("rank4_rows", "an image as rows of pixels"), .in = DIMS(2, 2, 3, 6), .units = 5 },
    { ROW("rank4_halves", "an image gives two rows"), .in = DIMS(1, 2, 3, 5), .units = 4,
      .depth = 15 },
    { ROW("rank4_across", "the depth is no multiple of the channels: rows end inside a pixel"),
      .in = DIMS(1, 2, 3, 5), .units = 4, .depth = 6 },
    { ROW("rank5", "five dimensions", .gap = GAP_RANK), .in = DIMS(2, 1, 2, 3, 5), .units = 4 },
    { ROW("keep_rank2", "dimensions are kept", .gap = GAP_RANK, .version = 5), .in = DIMS(3, 7),
      .units = 5, .flags = KEEP_DIMS },
    { ROW("keep_rank3", "rank 3 stays rank 3", .gap = GAP_RANK, .version = 5), .in = DIMS(2, 3, 7),
      .units = 5, .flags = KEEP_DIMS },
    { ROW("keep_rank4", "rank 4 stays rank 4: as a pointwise convolution", .version = 5),
      .in = DIMS(2, 2, 3, 6), .units = 9, .flags = KEEP_DIMS },
    { ROW("no_bias", "two inputs", .version = 6), .in = DIMS(2, 9), .units = 5, .flags = NO_BIAS },
    { ROW("absent_bias", "an absent bias: input 2 is -1", .version = 6), .in = DIMS(2, 9),
      .units = 5, .flags = ABSENT_BIAS },
    { ROW("no_bias_relu", "no bias, fused RELU", .version = 6), .in = DIMS(2, 9), .units = 6,
      .activation = 1, .flags = NO_BIAS },
    { ROW("relu", "fused RELU"), .in = DIMS(2, 9), .units = 11, .activation = 1 },
    { ROW("relu_n1", "fused RELU_N1_TO_1"), .in = DIMS(2, 9), .units = 11, .activation = 2 },
    { ROW("relu6", "fused RELU6"), .in = DIMS(2, 9), .units = 11, .activation = 3 },
    { ROW("half_overflow", "results around the largest f16", .gap = GAP_HALF_RANGE, .scale = 20000,
          .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(2, 9), .units = 7 },
    { ROW("runtime_weights", "weights are an input of the graph", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(2, 9), .units = 5, .flags = RUNTIME_WEIGHTS },
    { ROW("runtime_bias", "the bias is an input of the graph", .gap = GAP_RUNTIME,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(2, 9), .units = 5, .flags = RUNTIME_BIAS },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(2, 6), .units = 4 },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .in = DIMS(2, 6), .units = 4 },
    TILES(57, 55, 37, 250),
    TILES(71, 81, 17, 131),
    TILES(15, 13, 99, 330),
    TILES(14, 13, 514, 259),
    TILES(15, 13, 515, 130),
    TILES(14, 13, 1037, 61),
    TILES(5, 7, 35, 61),
    /* 70,001 products of bytes at their ends are more than the 32-bit sum of LiteRT holds: in S6
     * its answer is no result, and neither is the reference's. */
    { ROW("sum70001", "70,001 products: more than a counter of 16 bits holds", .gap = GAP_HALF_SUM,
          .byte_sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 70001), .units = 3 },
    { ROW("sum70000_ones", "70,000 products that add up", .scale = 0.1, .offset = 0.3,
          .gap = GAP_HALF_SUM, .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE)),
      .in = DIMS(2, 7, 100, 100), .units = 2, .depth = 70000 },
    { ROW("half_partial", "sums that pass the largest f16 on their way", .offset = 300,
          .overflow = true, .sets = SET_BIT(SET_RANDOM), .gap = GAP_HALF_RANGE),
      .in = DIMS(2, 8192), .units = 3 },
    /* 8 bits: extremes, ties, scales that f32 and double round apart. */
    { ROW("ends_1025", "sums of products at the ends of both ranges: beyond 24 bits",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS), .quant = { .out_times = 30 }),
      .in = DIMS(4, 1025), .units = 7 },
    { ROW("ends_70001", "sums of products at the ends of both ranges: beyond 30 bits",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS), .quant = { .out_times = 200 }),
      .in = DIMS(4, 70001), .units = 2 },
    { ROW("ends_64", "pairs of products at the ends of both ranges",
          .types = TYPES_BYTES | TYPE_BIT(CASE_I8PC),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS)),
      .in = DIMS(5, 64), .units = 9 },
    { ROW("near_32_bits", "sums times the factor reach 31 bits before they saturate",
          .types = TYPES_BYTES, .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS),
          .quant = { .in = 0.05, .in2 = 0.02, .out = 3.3e-5 }),
      .in = DIMS(4, 1024), .units = 6 },
    { ROW("low_corner", "bytes near 0 that mean small numbers: as signed bytes all are near -128",
          .types = TYPE_BIT(CASE_U8), .version = 6, .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .in = 0.5, .in2 = 0.5, .out = 0.25, .zero = ZERO_LOW, .zero_out = ZERO_LOW }),
      .in = DIMS(5, 64), .units = 9, .flags = NO_BIAS },
    { ROW("far_left", "a factor of 300: small sums become large results", .types = TYPES_BYTES,
          .version = 6, .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .in = 1.5, .in2 = 0.02, .out = 0.0001 }),
      .in = DIMS(5, 2), .units = 6, .flags = NO_BIAS },
    { ROW("left_30", "a factor of 30: small sums fill the range", .types = TYPES_BYTES,
          .version = 6, .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .in = 1.5, .in2 = 0.02, .out = 0.001 }),
      .in = DIMS(5, 2), .units = 6, .flags = NO_BIAS },
    { ROW("halves", "a factor of 1/2: every other sum is a tie", .types = TYPES_BYTES, .version = 6,
          .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .in = 0.5, .in2 = 0.5, .out = 0.5, .zero_out = ZERO_MIDDLE }),
      .in = DIMS(7, 3), .units = 9, .flags = NO_BIAS },
    { ROW("ties", "a factor of 2^-6, and products of any size", .types = TYPES_BYTES, .version = 6,
          .quant = { .in = 0.5, .in2 = 0.03125, .out = 1, .zero_out = ZERO_MIDDLE }),
      .in = DIMS(8, 1), .units = 65, .flags = NO_BIAS },
    { ROW("product_rounded",
          "the product of the scales is a power of two in f32, and less in double",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED),
      .in = DIMS(8, 1), .units = 128 },
    { ROW("product_rounded_b",
          "the product of the scales is a power of two in f32, and less in double",
          .types = TYPES_BYTES, QUANT_PRODUCT_ROUNDED_B),
      .in = DIMS(8, 1), .units = 128 },
    { ROW("six_tie", "6 is a tie of the result's steps in f32, and below one in double",
          .types = TYPES_BYTES, QUANT_SIX_TIE),
      .in = DIMS(3, 9), .units = 6, .activation = 3 },
    { ROW("one_tie", "1 and -1 are ties of the result's steps in f32, and below one in double",
          .types = TYPE_BIT(CASE_I8), QUANT_ONE_TIE),
      .in = DIMS(3, 9), .units = 6, .activation = 2 },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { ROW("rows65537", "more rows than 65,535", LARGE), .in = DIMS(65537, 3), .units = 8 },
    { ROW("units70001", "more units than 65,535", LARGE), .in = DIMS(1, 3), .units = 70001 },
    { ROW("units66000_rows2", "results beyond 65,536, of two rows", LARGE), .in = DIMS(2, 1),
      .units = 66000 },
    { ROW("full_mantissas", "operands that f16 rounds", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .full_mantissas = true),
      .in = DIMS(5, 101), .units = 37 },
    { ROW("full_mantissas_one", "one row of operands that f16 rounds", .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_POSITIVE), .full_mantissas = true),
      .in = DIMS(1, 257), .units = 65 },
    /* A dimension of 0. */
    { ROW("empty_batch", "no row at all", EMPTY), .in = DIMS(0, 7), .units = 5 },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_sum", LANES_SUM), .in = DIMS(30, 5), .units = 6 },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DIMS(36, 5), .units = 6 },
    { ROW("lanes_ends", LANES_END(TYPES_QUANTIZED & ~TYPE_BIT(CASE_DYNAMIC))), .in = DIMS(12, 5),
      .units = 6 },
    { ROW("lanes_ends_weights", LANES_END(TYPES_QUANTIZED & ~TYPE_BIT(CASE_DYNAMIC)),
          .values_of = 1),
      .in = DIMS(3, 5), .units = 12 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("rows66001", "66,001 rows", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD),
      .in = DIMS(66001, 2), .units = 1 },
    { ROW("units66001", "66,001 units", .types = TYPE_BIT(CASE_I8), .period = SHORT_PERIOD),
      .in = DIMS(1, 2), .units = 66001 },
    /* Sums at the ends of both ranges that pass 16, 24 and 30 bits (test_sizes.c). */
    { ROW("sum17", SUM_END(TYPES_BYTES | TYPE_BIT(CASE_I8PC), 8)), .in = DIMS(2, 3), .units = 3 },
    { ROW("sum25", SUM_END(TYPES_BYTES | TYPE_BIT(CASE_I8PC), 60)), .in = DIMS(2, 521),
      .units = 3 },
    { ROW("sum31", SUM_END(TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I8PC), 600)), .in = DIMS(1, 66201),
      .units = 2 },
    { ROW("sum31", SUM_END(TYPE_BIT(CASE_U8), 600)), .in = DIMS(1, 33001), .units = 2 },
    { ROW("bias_ends", BIAS_ENDS), .in = DIMS(3, 5), .units = 12 },
    { ROW("tenths", "a factor of 3/10: products of 53 bits round up to a half",
          .types = TYPES_BYTES, .version = 6, .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .in = 1, .in2 = 3, .out = 10, .zero = ZERO_MIDDLE, .zero_out = ZERO_MIDDLE }),
      .in = DIMS(9, 5), .units = 17, .flags = NO_BIAS },
    TILE_LIST(EDGE_UNITS),
    TILE_LIST(EDGE_DEPTH),
    TILE_LIST(EDGE_ROWS),
    { ROW("few1_k1027_u67", FEW), .in = DIMS(1, 1027), .units = 67 },
    { ROW("few2_k131_u502", FEW), .in = DIMS(2, 131), .units = 502, .activation = 1 },
    { ROW("few3_k300_u219", FEW), .in = DIMS(3, 300), .units = 219, .activation = 3 },
    { ROW("few3_k4100_u17", FEW), .in = DIMS(3, 4100), .units = 17, .flags = NO_BIAS },
    { ROW("few1_k65_u1010", FEW), .in = DIMS(1, 65), .units = 1010 },
    { ROW("split_r5_k2051_u33", "a deep sum of few results", LARGE_OF(61)), .in = DIMS(5, 2051),
      .units = 33 },
    { ROW("split_r9_k4099_u17", "a deep sum of few results", LARGE_OF(61)), .in = DIMS(9, 4099),
      .units = 17, .activation = 1 },
    /* 3 / 6 is half of the last of 53 bits below 1/2. */
    { ROW("sixths", "a factor of 1/6: products that are ties of 53 bits below a half",
          .types = TYPES_BYTES, .version = 6, .byte_sets = SET_BIT(SET_INTEGERS),
          .quant = { .in = 1, .in2 = 1, .out = 6, .zero = ZERO_MIDDLE, .zero_out = ZERO_MIDDLE }),
      .in = DIMS(9, 5), .units = 17, .flags = NO_BIAS },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("absent_bias_bytes", "an absent bias", REAL(TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_DYNAMIC)),
          .version = 6),
      .in = DIMS(2, 9), .units = 5, .flags = ABSENT_BIAS },
    { ROW("keep_absent_bias", "rank 3 kept, an absent bias", REAL(TYPE_BIT(CASE_F32)),
          .version = 6),
      .in = DIMS(2, 3, 5), .units = 6, .flags = KEEP_DIMS | ABSENT_BIAS },
    { ROW("relu_dynamic", "fused RELU", REAL(TYPE_BIT(CASE_DYNAMIC))), .in = DIMS(2, 9), .units = 5,
      .activation = 1 },
    { ROW("k64_u66001", "a vocabulary: 66,001 units of many terms",
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 64), .units = 66001 },
    { ROW("sparse", "weights element by element", .types = TYPE_BIT(CASE_F32), .version = 8),
      .in = DIMS(3, 16), .units = 6, .flags = SPARSE },
    { ROW("sparse_block4", "weights in blocks of four inputs", .types = TYPE_BIT(CASE_F32),
          .version = 8),
      .in = DIMS(2, 20), .units = 5, .flags = SPARSE_BLOCKS },
    { ROW("computed_deep", "weights of 300 inputs and 270 units that are an input",
          .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(2, 300), .units = 270, .flags = RUNTIME_WEIGHTS },
    { ROW("k257_n1", "so many 8-bit weights that a GPU keeps them packed",
          .types = TYPE_BIT(CASE_DYNAMIC), .sets = SET_BIT(SET_RANDOM), .one_frame = true),
      .in = DIMS(1, 257), .units = 257 },
    { ROW("k257_n3", "the same for three rows", .types = TYPE_BIT(CASE_DYNAMIC),
          .sets = SET_BIT(SET_RANDOM), .one_frame = true),
      .in = DIMS(3, 257), .units = 257 },
    { ROW("computed_u66001", "weights and a bias of 66,001 units that are inputs", LARGE_F32),
      .in = DIMS(1, 2), .units = 66001, .flags = RUNTIME_WEIGHTS | RUNTIME_BIAS },
    { ROW("computed_k66001", "weights of 66,001 inputs that are an input", LARGE_F32),
      .in = DIMS(1, 66001), .units = 2, .flags = RUNTIME_WEIGHTS },
};

static const struct sparse_form by_element = {
    .level_count = 2, .levels = { { .dimension = 0 }, { .dimension = 1, .compressed = 1 } }
};
static const struct sparse_form by_block = { .level_count = 3,
                                             .levels = { { .dimension = 0 },
                                                         { .dimension = 1, .compressed = 1 },
                                                         { .dimension = 1, .block = 4 } } };

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int32_t depth = r->depth > 0 ? r->depth : r->in.d[r->in.rank - 1];
    const int32_t batch = (int32_t)shape_elements(&r->in) / depth;
    const struct shape weights = DIMS(r->units, depth), bias = DIMS(r->units);
    const double terms = (double)depth + 1;
    const struct fill fill_x = {
        .terms = terms, .factors = 2, .pair = PAIR_EQUAL, .axis = 1, .as = DIMS(batch, depth)
    };
    const struct fill fill_w = fill_weights(terms, 1, 0);
    const struct fill fill_b = fill_bias(terms);
    struct shape out = DIMS(batch, r->units);
    struct options options;
    int in[3];

    if (r->flags & KEEP_DIMS) {
        out = r->in;
        out.d[out.rank - 1] = r->units;
    }
    in[0] = case_input(m, "x", &r->in, &fill_x);
    in[1] = case_operand(m, r->flags & RUNTIME_WEIGHTS, "weights", &weights, &fill_w);
    if (r->flags & (SPARSE | SPARSE_BLOCKS))
        case_sparse(m, in[1], r->flags & SPARSE ? &by_element : &by_block,
                    r->flags & SPARSE ? 1 : 4, 6);
    if (r->flags & (NO_BIAS | ABSENT_BIAS))
        in[2] = -1;
    else
        in[2] = case_operand(m, r->flags & RUNTIME_BIAS, "bias", &bias, &fill_b);
    options_init(&options, OPTIONS_FullyConnectedOptions);
    options_set_int(&options, "fused_activation_function", r->activation);
    options_set_int(&options, "keep_num_dims", (r->flags & KEEP_DIMS) != 0);
    case_judged_op(m, &options, r->flags & NO_BIAS ? 2 : 3, in, case_output(m, "y", &out));
}

/* ---- sweep: any two circumstances together ---- */

static const struct pairwise_level units[] = {
    { "u1", 1, 0 }, { "u2", 2, 0 }, { "u4", 4, 0 },   { "u5", 5, 0 },
    { "u7", 7, 0 }, { "u8", 8, 0 }, { "u33", 33, 0 },
};
enum form { MATRIX, TIMES, PIXELS, FIVE, FLAT };
static const struct pairwise_level forms[] = {
    { "r2", MATRIX, 0 }, { "r2keep", MATRIX, KEEP_DIMS }, /* [n, k] */
    { "r3", TIMES, 0 },  { "r3keep", TIMES, KEEP_DIMS },  /* [n, 2, k] */
    { "r4", PIXELS, 0 }, { "r4keep", PIXELS, KEEP_DIMS }, /* [n, 1, 3, k] */
    { "r5", FIVE, 0 },                                    /* [n, 1, 2, 1, k] */
    { "flat", FLAT, 0 },                                  /* [n, 1, k, 3], 3 k products */
};
static const struct pairwise_level biases[] = {
    { "", 0, 0 }, { "nb", NO_BIAS, 0 }, { "ab", ABSENT_BIAS, 0 }, { "rb", RUNTIME_BIAS, 0 }
};
static const struct pairwise_level weights_from[] = { { "", 0, 0 }, { "rw", RUNTIME_WEIGHTS, 0 } };
enum { DEPTH, UNIT, BATCH, FORM, ACTIVATION, BIAS, WEIGHTS };
static const struct pairwise_axis axes[] = {
    AXIS_CHANNELS,
    PAIRWISE_AXIS(units),
    AXIS_BATCHES,
    PAIRWISE_AXIS(forms),
    AXIS_ACTIVATIONS,
    PAIRWISE_AXIS(biases),
    PAIRWISE_AXIS(weights_from),
};

static struct row swept_row(const struct pairwise_row *p)
{
    const uint32_t more_types = p->index % 4 == 0 ? TYPE_BIT(CASE_F16) : SWEPT_TYPES(p->index);
    const struct pairwise_level *const *const level = p->level;
    const int32_t n = level[BATCH]->x, k = level[DEPTH]->x;
    struct row r = {
        .base = { .name = p->name, .why = "pairwise: depth, units, batch, rank, bias, weights" },
        .units = level[UNIT]->x,
        .activation = level[ACTIVATION]->x,
        .flags = (unsigned)(level[FORM]->y | level[BIAS]->x | level[WEIGHTS]->x),
    };

    r.base.types =
        TYPE_BIT(CASE_F32) | (r.flags & (RUNTIME_WEIGHTS | RUNTIME_BIAS) ? 0 : more_types);
    r.base.version = r.flags & (NO_BIAS | ABSENT_BIAS) ? 6 : r.flags & KEEP_DIMS ? 5 : 1;
    switch ((enum form)level[FORM]->x) {
    case MATRIX: r.in = (struct shape)DIMS(n, k); break;
    case TIMES: r.in = (struct shape)DIMS(n, 2, k); break;
    case PIXELS: r.in = (struct shape)DIMS(n, 1, 3, k); break;
    case FIVE: r.in = (struct shape)DIMS(n, 1, 2, 1, k); break;
    case FLAT:
        r.in = (struct shape)DIMS(n, 1, k, 3);
        r.depth = 3 * k;
        break;
    }
    return r;
}

/* ---- sweep: scales and zero points ---- */

/* Rows alternate: i8 and u8 with one scale, i8 with a scale for each channel. */
static struct row quantized_row(const struct pairwise_row *p)
{
    static const struct row shapes[] = {
        { .in = DIMS(1, 5), .units = 33 },  { .in = DIMS(2, 8), .units = 5 },
        { .in = DIMS(3, 67), .units = 9 },  { .in = DIMS(1, 1), .units = 17 },
        { .in = DIMS(2, 130), .units = 6 },
    };
    struct row r = shapes[p->index % (sizeof shapes / sizeof shapes[0])];

    r.base = quant_product_case(p);
    r.activation = quant_product_activation(p);
    return r;
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes), SWEEP_PART(quantized_row, quant_product_axes))
SUITE_SWEPT(fully_connected, members, rows, build, sweep);

/* DENSIFY: constants stored element by element and in blocks, in every order and kind of index.
 *
 * The dense elements go beside an input by CONCATENATION, which keeps their bits, or are the
 * weights of a CONV_2D; those of f16 go through a DEQUANTIZE, as models with sparse weights have
 * it. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"

struct row {
    struct op_case base;
    struct shape shape;
    struct sparse_form form;
    unsigned keep; /* so many of 16 runs of elements are not 0 */
    size_t run;    /* 0: 1 */
    bool weights;  /* of a CONV_2D */
};

static const struct suite_member members[] = {
    { SUITE_OP("densify", DENSIFY, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPE_BIT(CASE_I8), .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS } },
};

#define DENSE(d)                                                                                   \
    {                                                                                              \
        .dimension = (d)                                                                           \
    }
#define I32(d)                                                                                     \
    {                                                                                              \
        .dimension = (d), .compressed = 1                                                          \
    }
#define U16(d)                                                                                     \
    {                                                                                              \
        .dimension = (d), .compressed = 2                                                          \
    }
#define U8(d)                                                                                      \
    {                                                                                              \
        .dimension = (d), .compressed = 3                                                          \
    }
#define BLOCK(d, n)                                                                                \
    {                                                                                              \
        .dimension = (d), .block = (n)                                                             \
    }
#define LEVELS(...)                                                                                \
    .form = { .level_count = sizeof((const struct sparse_form_level[]){ __VA_ARGS__ }) /           \
                             sizeof(struct sparse_form_level),                                     \
              .levels = { __VA_ARGS__ } }
/* CONCATENATION takes integers as they are where both have one scale. */
#define ONE_SCALE .quant = { .in = 0.031, .in2 = 0.031, .zero = ZERO_MIDDLE }
#define ALL_TYPES .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPE_BIT(CASE_I8)
#define F32_ALONE .types = TYPE_BIT(CASE_F32)

static const struct row rows[] = {
    { ROW("rows", "element by element: rows dense, columns compressed", ALL_TYPES, ONE_SCALE),
      .shape = DIMS(6, 16), LEVELS(DENSE(0), I32(1)), .keep = 5 },
    { ROW("rows_u16", "indices of u16", F32_ALONE), .shape = DIMS(6, 16), LEVELS(DENSE(0), U16(1)),
      .keep = 5 },
    { ROW("rows_u8", "indices of u8", F32_ALONE), .shape = DIMS(6, 16), LEVELS(DENSE(0), U8(1)),
      .keep = 5 },
    { ROW("rows_u8_300", "segments of u16, as 300 columns need", F32_ALONE), .shape = DIMS(2, 300),
      LEVELS(DENSE(0), U16(1)), .keep = 2 },
    { ROW("block4", "blocks of four, as XNNPACK has them", ALL_TYPES, ONE_SCALE),
      .shape = DIMS(6, 16), LEVELS(DENSE(0), I32(1), BLOCK(1, 4)), .keep = 6, .run = 4 },
    { ROW("block16", "blocks of 16 in 8 bits", .types = TYPE_BIT(CASE_I8), ONE_SCALE),
      .shape = DIMS(5, 32), LEVELS(DENSE(0), I32(1), BLOCK(1, 16)), .keep = 8, .run = 16 },
    { ROW("block4x4", "blocks of four by four", ALL_TYPES, ONE_SCALE), .shape = DIMS(8, 12),
      LEVELS(DENSE(0), U8(1), BLOCK(0, 4), BLOCK(1, 4)), .keep = 3, .run = 4 },
    { ROW("block_turned", "the columns of a block first", F32_ALONE), .shape = DIMS(8, 12),
      LEVELS(DENSE(0), I32(1), BLOCK(1, 4), BLOCK(0, 2)), .keep = 3, .run = 4 },
    { ROW("columns", "columns dense, rows compressed", F32_ALONE), .shape = DIMS(6, 9),
      LEVELS(DENSE(1), I32(0)), .keep = 5 },
    { ROW("columns_block", "columns compressed in blocks of rows", F32_ALONE), .shape = DIMS(6, 9),
      LEVELS(DENSE(1), I32(0), BLOCK(0, 3)), .keep = 5 },
    { ROW("both", "rows that are empty are left out, too", F32_ALONE), .shape = DIMS(9, 7),
      LEVELS(I32(0), U8(1)), .keep = 4, .run = 7 },
    { ROW("rank1", "a vector", F32_ALONE, ONE_SCALE), .shape = DIMS(17), LEVELS(I32(0)),
      .keep = 6 },
    { ROW("rank3", "a compressed dimension on either side of a dense one", F32_ALONE),
      .shape = DIMS(4, 3, 5), LEVELS(I32(0), DENSE(1), I32(2)), .keep = 4 },
    { ROW("rank4", "the compressed dimension is the last of four", ALL_TYPES, ONE_SCALE),
      .shape = DIMS(4, 1, 1, 8), LEVELS(DENSE(0), DENSE(1), DENSE(2), I32(3)), .keep = 6 },
    { ROW("rank4_turned", "four dimensions from the last to the first", F32_ALONE),
      .shape = DIMS(3, 2, 4, 5), LEVELS(DENSE(3), I32(2), DENSE(1), I32(0)), .keep = 4 },
    { ROW("rank5", "five dimensions", F32_ALONE), .shape = DIMS(2, 3, 2, 2, 5),
      LEVELS(DENSE(0), I32(1), DENSE(2), DENSE(3), I32(4)), .keep = 5 },
    { ROW("dense", "no level is compressed", F32_ALONE), .shape = DIMS(3, 5),
      LEVELS(DENSE(0), DENSE(1)), .keep = 8 },
    { ROW("full", "no element is 0", F32_ALONE), .shape = DIMS(3, 5), LEVELS(DENSE(0), I32(1)),
      .keep = 16 },
    { ROW("zero", "no value is stored", F32_ALONE), .shape = DIMS(3, 5), LEVELS(DENSE(0), I32(1)),
      .keep = 0 },
    { ROW("conv", "weights of a CONV_2D", ALL_TYPES), .shape = DIMS(6, 1, 1, 8),
      LEVELS(DENSE(0), DENSE(1), DENSE(2), I32(3)), .keep = 6, .weights = true },
    { ROW("conv_3x3", "larger weights, in blocks of channels", F32_ALONE),
      .shape = DIMS(4, 3, 3, 8), LEVELS(DENSE(0), DENSE(1), DENSE(2), I32(3), BLOCK(3, 4)),
      .keep = 6, .run = 4, .weights = true },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("columns66001", "indices and segments beyond 16 bits", LARGE_F32),
      .shape = DIMS(2, 66001), LEVELS(DENSE(0), I32(1)), .keep = 15, .run = 1009 },
};

static int add_dense(struct case_builder *m, const struct fill *fill)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct options options = { .tag = OPTIONS_DensifyOptions };
    const bool half = m->c->type == TENSOR_FLOAT16;
    const int c =
        half ? case_constant_f16(m, "c", &r->shape, fill) : case_constant(m, "c", &r->shape, fill);
    const int dense = half ? case_tensor_of(m, "dense", &r->shape, TENSOR_FLOAT16)
                           : case_tensor(m, "dense", &r->shape);

    case_sparse(m, c, &r->form, r->run ? r->run : 1, r->keep);
    case_judged_op(m, &options, 1, &c, dense);
    return half ? case_dequantize(m, "wide", dense, &r->shape) : dense;
}

static void build_conv(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int32_t units = r->shape.d[0], depth = r->shape.d[3];
    const double terms = (double)shape_elements(&r->shape) / units + 1;
    const struct shape image = DIMS(1, 4, 5, depth), out = DIMS(1, 4, 5, units), bias = DIMS(units);
    const struct fill values = { .terms = terms, .factors = 2 }, add = fill_bias(terms);
    const struct fill weights = fill_weights(terms, 3, 0);
    struct options options;
    int in[3];

    options_init(&options, OPTIONS_Conv2DOptions);
    options_set_int(&options, "stride_w", 1);
    options_set_int(&options, "stride_h", 1);
    in[0] = case_input(m, "x", &image, &values);
    in[1] = add_dense(m, &weights);
    in[2] = m->c->quantized ? case_constant(m, "bias", &bias, &add)
                            : case_constant_f32(m, "bias", &bias, &add);
    case_op(m, BUILTIN_CONV_2D, m->c->quantized ? 3 : 1, &options, 3, in,
            case_output(m, "y", &out));
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    struct shape out = r->shape;
    struct options options;
    int in[2];

    if (r->weights) {
        build_conv(m);
        return;
    }
    out.d[0] *= 2;
    options_init(&options, OPTIONS_ConcatenationOptions);
    in[0] = case_input(m, "x", &r->shape, &any);
    in[1] = add_dense(m, &any);
    case_op(m, BUILTIN_CONCATENATION, m->c->quantized ? 2 : 1, &options, 2, in,
            case_output(m, "y", &out));
}

SUITE(densify, members, rows, build);

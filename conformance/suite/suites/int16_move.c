/* i16 as other ops than those of int16.c have it: QUANTIZE and DEQUANTIZE, and what moves elements.
 */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/suite.h"

#define SCALE 0.00025 /* +-8.19 */

struct row {
    struct op_case base;
    struct shape in, out;
    int32_t from; /* of QUANTIZE: enum tensor_type; DEQUANTIZE: of the input */
    int32_t to;
    double scale_x, scale_y;
    int32_t axis, numbers[8];
    void (*build)(struct case_builder *m, const struct row *r);
};

static int input(struct case_builder *m, const char *name, const struct row *r)
{
    return case_input_scaled(m, name, &r->in, TENSOR_INT16, SCALE, 0);
}

static int output(struct case_builder *m, const struct row *r)
{
    return case_output_scaled(m, "y", &r->out, TENSOR_INT16, SCALE, 0);
}

static void build_quantize(struct case_builder *m, const struct row *r)
{
    const struct options options = { .tag = OPTIONS_QuantizeOptions };
    const struct fill any = { .terms = 1, .factors = 1 };
    const int x = r->from == TENSOR_FLOAT32
                      ? case_input_f32(m, "x", &r->in, &any)
                      : case_input_scaled(m, "x", &r->in, r->from, r->scale_x, 0);

    case_judged_op(m, &options, 1, &x,
                   case_output_scaled(m, "y", &r->out, r->to, r->scale_y, r->numbers[0]));
}

static void build_dequantize(struct case_builder *m, const struct row *r)
{
    const struct options options = { .tag = OPTIONS_DequantizeOptions };
    const int x = case_input_scaled(m, "x", &r->in, TENSOR_INT16, r->scale_x, 0);

    case_judged_op(m, &options, 1, &x, case_output_f32(m, "y", &r->out));
}

static void build_reshape(struct case_builder *m, const struct row *r)
{
    const int x = input(m, "x", r);
    struct options options;

    options_init(&options, OPTIONS_ReshapeOptions);
    options_set_ints(&options, "new_shape", r->out.d, (size_t)r->out.rank);
    case_judged_op(m, &options, 1, &x, output(m, r));
}

static void build_slice(struct case_builder *m, const struct row *r)
{
    const struct options options = { .tag = OPTIONS_SliceOptions };
    const struct shape vector = DIMS(r->in.rank);
    int in[3];

    in[0] = input(m, "x", r);
    in[1] = case_constant_i32(m, "begin", &vector, r->numbers);
    in[2] = case_constant_i32(m, "size", &vector, r->out.d);
    case_judged_op(m, &options, 3, in, output(m, r));
}

static void build_transpose(struct case_builder *m, const struct row *r)
{
    const struct options options = { .tag = OPTIONS_TransposeOptions };
    const struct shape vector = DIMS(r->in.rank);
    int in[2];

    in[0] = input(m, "x", r);
    in[1] = case_constant_i32(m, "perm", &vector, r->numbers);
    case_judged_op(m, &options, 2, in, output(m, r));
}

static void build_pack(struct case_builder *m, const struct row *r)
{
    struct options options;
    int in[2];

    in[0] = input(m, "x0", r);
    in[1] = input(m, "x1", r);
    options_init(&options, OPTIONS_PackOptions);
    options_set_int(&options, "values_count", 2);
    options_set_int(&options, "axis", r->axis);
    case_judged_op(m, &options, 2, in, output(m, r));
}

/* SPLIT and UNPACK into two. */
static void build_parts(struct case_builder *m, const struct row *r)
{
    const bool split = m->c->code == BUILTIN_SPLIT;
    const struct shape scalar = SCALAR;
    struct options options;
    int in[2], out[2];

    options_init(&options, split ? OPTIONS_SplitOptions : OPTIONS_UnpackOptions);
    if (split) {
        options_set_int(&options, "num_splits", 2);
        in[0] = case_constant_i32(m, "axis", &scalar, &r->axis);
    } else {
        options_set_int(&options, "num", 2);
        options_set_int(&options, "axis", r->axis);
    }
    in[split] = input(m, "x", r);
    out[0] = case_output_scaled(m, "y0", &r->out, TENSOR_INT16, SCALE, 0);
    out[1] = case_output_scaled(m, "y1", &r->out, TENSOR_INT16, SCALE, 0);
    case_judged_op_outputs(m, &options, split ? 2 : 1, in, 2, out);
}

/* SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND. */
static void build_batch(struct case_builder *m, const struct row *r)
{
    const bool back = m->c->code == BUILTIN_BATCH_TO_SPACE_ND;
    const struct options options = { .tag = back ? OPTIONS_BatchToSpaceNDOptions
                                                 : OPTIONS_SpaceToBatchNDOptions };
    const struct shape vector = DIMS(2), table = DIMS(2, 2);
    int in[3];

    in[0] = input(m, "x", r);
    in[1] = case_constant_i32(m, "block_shape", &vector, r->numbers);
    in[2] = case_constant_i32(m, back ? "crops" : "paddings", &table, r->numbers + 2);
    case_judged_op(m, &options, 3, in, output(m, r));
}

/* GATHER and GATHER_ND by constant indices. */
static void build_gather(struct case_builder *m, const struct row *r)
{
    const bool nd = m->c->code == BUILTIN_GATHER_ND;
    const struct shape indices =
        nd ? (struct shape)DIMS(r->out.d[0], 1) : (struct shape)DIMS(r->out.d[r->axis]);
    struct options options;
    int in[2];

    options_init(&options, nd ? OPTIONS_GatherNdOptions : OPTIONS_GatherOptions);
    if (!nd)
        options_set_int(&options, "axis", r->axis);
    in[0] = input(m, "x", r);
    in[1] = case_constant_i32(m, "indices", &indices, r->numbers);
    case_judged_op(m, &options, 2, in, output(m, r));
}

static void build_mirror_pad(struct case_builder *m, const struct row *r)
{
    const struct shape table = DIMS(r->in.rank, 2);
    struct options options;
    int in[2];

    options_init(&options, OPTIONS_MirrorPadOptions);
    options_set_int(&options, "mode", r->axis);
    in[0] = input(m, "x", r);
    in[1] = case_constant_i32(m, "paddings", &table, r->numbers);
    case_judged_op(m, &options, 2, in, output(m, r));
}

/* The update has a row and a channel less than the operand, which it covers up to its ends. */
static void build_update(struct case_builder *m, const struct row *r)
{
    const struct options options = { .tag = OPTIONS_DynamicUpdateSliceOptions };
    const struct shape vector = DIMS(r->in.rank);
    struct shape update = r->in;
    int in[3];

    update.d[0]--;
    update.d[update.rank - 1]--;
    in[0] = input(m, "operand", r);
    in[1] = case_input_scaled(m, "update", &update, TENSOR_INT16, SCALE, 0);
    in[2] = case_constant_i32(m, "start", &vector, r->numbers);
    case_judged_op(m, &options, 3, in, output(m, r));
}

#define I16       .types = TYPE_BIT(CASE_I16), .sets = SET_BIT(SET_RANDOM), .floats = true
#define AS(op, v) .only = op, .version = v, I16

static const struct row rows[] = {
    { ROW("floats", "f32 to i16, some beyond its range", AS("quantize", 2)), .in = DIMS(4, 67),
      .out = DIMS(4, 67), .from = TENSOR_FLOAT32, .to = TENSOR_INT16, .scale_y = 0.00003,
      .build = build_quantize },
    { ROW("coarse", "f32 to few steps of i16", AS("quantize", 2)), .in = DIMS(3, 5),
      .out = DIMS(3, 5), .from = TENSOR_FLOAT32, .to = TENSOR_INT16, .scale_y = 0.01,
      .build = build_quantize },
    { ROW("finer", "i16 to smaller steps", AS("quantize", 2)), .in = DIMS(3, 37),
      .out = DIMS(3, 37), .from = TENSOR_INT16, .to = TENSOR_INT16, .scale_x = SCALE,
      .scale_y = 0.0001, .build = build_quantize },
    { ROW("coarser", "i16 to larger steps", AS("quantize", 2)), .in = DIMS(3, 37),
      .out = DIMS(3, 37), .from = TENSOR_INT16, .to = TENSOR_INT16, .scale_x = SCALE,
      .scale_y = 0.0007, .build = build_quantize },
    { ROW("to_i8", "i16 to i8 with a zero point", AS("quantize", 2)), .in = DIMS(3, 37),
      .out = DIMS(3, 37), .from = TENSOR_INT16, .to = TENSOR_INT8, .scale_x = SCALE,
      .scale_y = 0.063, .numbers = { -5 }, .build = build_quantize },
    { ROW("fine", "a small scale", AS("dequantize", 3)), .in = DIMS(3, 37), .out = DIMS(3, 37),
      .scale_x = SCALE, .build = build_dequantize },
    { ROW("large", "a scale above 1", AS("dequantize", 3)), .in = DIMS(2, 5), .out = DIMS(2, 5),
      .scale_x = 3.3, .build = build_dequantize },
    { ROW("rows", "rows of other channels", AS("reshape", 1)), .in = DIMS(2, 3, 5),
      .out = DIMS(5, 6), .build = build_reshape },
    { ROW("inside", "channels across two slices", AS("slice", 4)), .in = DIMS(2, 3, 9),
      .out = DIMS(1, 2, 5), .numbers = { 1, 0, 3 }, .build = build_slice },
    { ROW("turned", "channels become rows", AS("transpose", 5)), .in = DIMS(2, 3, 5),
      .out = DIMS(5, 2, 3), .numbers = { 2, 0, 1 }, .build = build_transpose },
    { ROW("two", "a new dimension before the channels", AS("pack", 3)), .in = DIMS(3, 5),
      .out = DIMS(3, 2, 5), .axis = 1, .build = build_pack },
    { ROW("lanes", "channels of two tensors in turn", AS("pack", 3)), .in = DIMS(3, 5),
      .out = DIMS(3, 5, 2), .axis = 2, .build = build_pack },
    { ROW("two", "two rows", AS("unpack", 4)), .in = DIMS(2, 3, 5), .out = DIMS(3, 5),
      .build = build_parts },
    { ROW("halves", "channels in two halves", AS("split", 4)), .in = DIMS(3, 10), .out = DIMS(3, 5),
      .axis = 1, .build = build_parts },
    { ROW("padded", "blocks of 2x2, rows and columns around", AS("space_to_batch_nd", 4)),
      .in = DIMS(1, 3, 4, 5), .out = DIMS(4, 2, 3, 5), .numbers = { 2, 2, 1, 0, 1, 1 },
      .build = build_batch },
    { ROW("cropped", "blocks of 2x2, a column less", AS("batch_to_space_nd", 4)),
      .in = DIMS(4, 2, 2, 5), .out = DIMS(1, 4, 3, 5), .numbers = { 2, 2, 0, 0, 0, 1 },
      .build = build_batch },
    { ROW("rows", "rows in another order, one twice", AS("gather", 4)), .in = DIMS(4, 5),
      .out = DIMS(5, 5), .numbers = { 3, 0, 2, 2, 1 }, .build = build_gather },
    { ROW("channels", "channels of other slices", AS("gather", 4)), .in = DIMS(2, 9),
      .out = DIMS(2, 5), .axis = 1, .numbers = { 8, 1, 0, 4, 4 }, .build = build_gather },
    { ROW("rows", "rows in another order", AS("gather_nd", 3)), .in = DIMS(4, 5), .out = DIMS(3, 5),
      .numbers = { 3, 0, 2 }, .build = build_gather },
    { ROW("reflect", "rows and channels around", AS("mirror_pad", 3)), .in = DIMS(3, 5),
      .out = DIMS(6, 8), .numbers = { 1, 2, 2, 1 }, .build = build_mirror_pad },
    { ROW("symmetric", "the ends are repeated", AS("mirror_pad", 3)), .in = DIMS(2, 3, 5),
      .out = DIMS(2, 6, 9), .axis = 1, .numbers = { 0, 0, 1, 2, 4, 0 }, .build = build_mirror_pad },
    { ROW("inside", "channels across two slices", AS("dynamic_update_slice", 4)),
      .in = DIMS(3, 2, 9), .out = DIMS(3, 2, 9), .numbers = { 7, -2, 1 }, .build = build_update },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;

    r->build(m, r);
}

#define MEMBER(name, code_)                                                                        \
    {                                                                                              \
        .op = name, .code = BUILTIN_##code_, .version = 1, .types = TYPE_BIT(CASE_I16),            \
        .sets = SET_BIT(SET_RANDOM), .bound = {                                                    \
            .kind = BOUND_BITS                                                                     \
        }                                                                                          \
    }

static const struct suite_member members[] = {
    MEMBER("quantize", QUANTIZE),
    MEMBER("dequantize", DEQUANTIZE),
    MEMBER("reshape", RESHAPE),
    MEMBER("slice", SLICE),
    MEMBER("transpose", TRANSPOSE),
    MEMBER("pack", PACK),
    MEMBER("unpack", UNPACK),
    MEMBER("split", SPLIT),
    MEMBER("space_to_batch_nd", SPACE_TO_BATCH_ND),
    MEMBER("batch_to_space_nd", BATCH_TO_SPACE_ND),
    MEMBER("gather", GATHER),
    MEMBER("gather_nd", GATHER_ND),
    MEMBER("mirror_pad", MIRROR_PAD),
    { SUITE_OP("dynamic_update_slice", DYNAMIC_UPDATE_SLICE, 1), .types = TYPE_BIT(CASE_I16),
      .sets = SET_BIT(SET_RANDOM), .bound = { .kind = BOUND_BITS }, .named_alone = true },
};

SUITE(int16_move, members, rows, build);

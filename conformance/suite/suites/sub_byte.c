/* Weights of 4 and 2 bits, as quantizers write them: with f32 activations (w4, w2), static (a8w4
 * and the like), and alone, behind DEQUANTIZE (w4, w2, u4).  One scale, one for each channel, or
 * f16 scales of blocks of a row.  Rows of x are of all kinds in turn (fill_rows), so that designs
 * of dynamic range tell themselves apart; integers have the whole range, and rows end within a
 * byte. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/sub_byte_build.h"

enum {
    TYPES_HYBRID = TYPE_BIT(CASE_W4) | TYPE_BIT(CASE_W2),
    TYPES_ALONE = TYPES_HYBRID | TYPE_BIT(CASE_U4)
};

/* The rule by which our delegate leaves such weights of static nodes, and of DEPTHWISE_CONV_2D, to
 * the CPU. */
#define REFUSED_BY "tensor.type"

/* One set of data; of rows of a sweep three in four in frame A alone, as they are about places. */
#define SUB_BYTE(op_, types_) .only = (op_), .types = (types_), .sets = SET_BIT(SET_RANDOM)
static void finish_row(struct row *r, const struct pairwise_row *p, const char *op, uint32_t types)
{
    r->base.name = p->name;
    r->base.only = op;
    r->base.types = types;
    r->base.sets = SET_BIT(SET_RANDOM);
    r->base.one_frame = p->index % 4 != 0;
    r->first = (int)(p->index % 3);
}

static const struct pairwise_level units[] = {
    { "u1", 1, 0 }, { "u2", 2, 0 },   { "u3", 3, 0 },   { "u4", 4, 0 },   { "u5", 5, 0 },
    { "u8", 8, 0 }, { "u16", 16, 0 }, { "u17", 17, 0 }, { "u33", 33, 0 },
};
/* Odd depths, and depths of a rest of 1, 2 and 3 by 4, round the 32 that kernels step by. */
static const struct pairwise_level depths[] = {
    { "k1", 1, 0 },   { "k2", 2, 0 },   { "k3", 3, 0 },   { "k5", 5, 0 },     { "k8", 8, 0 },
    { "k31", 31, 0 }, { "k32", 32, 0 }, { "k33", 33, 0 }, { "k34", 34, 0 },   { "k36", 36, 0 },
    { "k64", 64, 0 }, { "k67", 67, 0 }, { "k96", 96, 0 }, { "k131", 131, 0 },
};
/* Blocks of 32 and more, as quantizers write them, and others, of which rows end within a byte. */
static const struct pairwise_level blocks[] = {
    { "b32_k32", 32, 32 },     { "b32_k64", 64, 32 },     { "b32_k160", 160, 32 },
    { "b64_k64", 64, 64 },     { "b64_k128", 128, 64 },   { "b128_k128", 128, 128 },
    { "b128_k256", 256, 128 }, { "b256_k256", 256, 256 }, { "b16_k48", 48, 16 },
    { "b4_k12", 12, 4 },       { "b5_k15", 15, 5 },       { "b7_k7", 7, 7 },
    { "b2_k6", 6, 2 },         { "b1_k5", 5, 1 },
};
static const struct pairwise_level scales[] = { { "t", 0, 0 }, { "c", CHANNELS, 0 } };
static const struct pairwise_level biases[] = { { "", 0, 0 },
                                                { "nb", NO_BIAS, 0 },
                                                { "ab", ABSENT_BIAS, 0 } };
enum { ROWS, TIMES, ROWS_KEPT, TIMES_KEPT };
static const struct pairwise_level forms[] = {
    { "", ROWS, 0 }, { "r3", TIMES, 0 }, { "keep", ROWS_KEPT, 0 }, { "r3keep", TIMES_KEPT, 0 }
};
static const struct pairwise_level ranges[] = { { "", 0, 0 }, { "sr", SYMMETRIC, 0 } };
static const struct pairwise_level inputs[] = { { "", 0, 0 }, { "aq", ASYMMETRIC_INPUTS, 0 } };
static const struct pairwise_level smallest[] = { { "", 0, 0 }, { "dn", DENORMAL, 0 } };
static const struct pairwise_level batches[] = {
    { "x1", 1, 0 }, { "x2", 2, 0 }, { "x5", 5, 0 }, { "x7", 7, 0 }
};

/* The axes that FULLY_CONNECTED has with either kind of scales. */
enum { DEPTH, UNIT, BATCH, ACTIVATION, BIAS, FORM, RANGE, MORE, SCALE };
#define COMMON_AXES                                                                                \
    PAIRWISE_AXIS(units), PAIRWISE_AXIS(batches), AXIS_ACTIVATIONS, PAIRWISE_AXIS(biases),         \
        PAIRWISE_AXIS(forms), PAIRWISE_AXIS(ranges)
static const struct pairwise_axis affine_axes[] = { PAIRWISE_AXIS(depths), COMMON_AXES,
                                                    PAIRWISE_AXIS(inputs), PAIRWISE_AXIS(scales) };
static const struct pairwise_axis block_axes[] = { PAIRWISE_AXIS(blocks), COMMON_AXES,
                                                   PAIRWISE_AXIS(smallest) };

static struct row fully_connected_row(const struct pairwise_row *p, uint32_t types)
{
    const struct pairwise_level *const *const level = p->level;
    const int32_t k = level[DEPTH]->x, n = level[BATCH]->x, form = level[FORM]->x;
    const unsigned keep = form == ROWS_KEPT || form == TIMES_KEPT ? KEEP_DIMS : 0;
    struct row r = { .w = DIMS(level[UNIT]->x, k),
                     .units = level[UNIT]->x,
                     .block = level[DEPTH]->y,
                     .activation = level[ACTIVATION]->x };

    r.in =
        form == ROWS || form == ROWS_KEPT ? (struct shape)DIMS(n, k) : (struct shape)DIMS(n, 2, k);
    r.flags = (unsigned)(level[BIAS]->x | level[RANGE]->x | level[MORE]->x) | keep;
    if (p->axis_count > SCALE)
        r.flags |= (unsigned)level[SCALE]->x;
    finish_row(&r, p, "fully_connected", types);
    r.base.why = "pairwise: depth, units, batch, rank, bias, activation, scales, range";
    r.base.version = r.flags & (NO_BIAS | ABSENT_BIAS) ? 6 : keep ? 5 : 1;
    return r;
}

static struct row hybrid_row(const struct pairwise_row *p)
{
    return fully_connected_row(p, TYPES_HYBRID);
}

/* ---- static FULLY_CONNECTED ---- */

static const struct pairwise_level static_depths[] = { { "k1", 1, 0 },   { "k4", 4, 0 },
                                                       { "k7", 7, 0 },   { "k34", 34, 0 },
                                                       { "k64", 64, 0 }, { "k129", 129, 0 } };
static const struct pairwise_level static_units[] = {
    { "u1", 1, 0 }, { "u3", 3, 0 }, { "u4", 4, 0 }, { "u9", 9, 0 }, { "u33", 33, 0 }
};
static const struct pairwise_level bias_types[] = { { "", 0, 0 }, { "b32", BIAS_32, 0 } };
static const struct pairwise_axis static_axes[] = {
    PAIRWISE_AXIS(static_depths), PAIRWISE_AXIS(static_units),
    PAIRWISE_AXIS(batches),       AXIS_ACTIVATIONS,
    PAIRWISE_AXIS(biases),        PAIRWISE_AXIS(forms),
    PAIRWISE_AXIS(ranges),        PAIRWISE_AXIS(bias_types),
    PAIRWISE_AXIS(scales)
};

static uint32_t static_types(const struct pairwise_row *p)
{
    static const uint32_t pairs[] = { TYPE_BIT(CASE_A8W4) | TYPE_BIT(CASE_A16W4),
                                      TYPE_BIT(CASE_A8W2) | TYPE_BIT(CASE_A16W2) };

    return pairs[p->index % 2];
}

static struct row static_row(const struct pairwise_row *p)
{
    struct row r = fully_connected_row(p, static_types(p));

    r.base.version = r.flags & BIAS_32 ? 11 : 6;
    r.base.refused_by = REFUSED_BY;
    return r;
}

/* ---- convolutions ---- */

enum {
    KERNEL,
    CHANNEL,
    FEATURES,
    STRIDE,
    PADDING,
    CONV_BATCH,
    CONV_ACTIVATION,
    CONV_RANGE,
    CONV_SCALE,
    CONV_BIAS /* which DEPTHWISE_CONV_2D alone may lack */
};
static const struct pairwise_level kernels[] = { { "k1", 1, 1 }, { "k3", 3, 3 }, { "k2x3", 2, 3 } };
static const struct pairwise_level channels[] = {
    { "c1", 1, 0 }, { "c3", 3, 0 }, { "c4", 4, 0 }, { "c9", 9, 0 }
};
static const struct pairwise_level features[] = { { "o1", 1, 0 }, { "o5", 5, 0 }, { "o8", 8, 0 } };
static const struct pairwise_level multipliers[] = { { "", 1, 0 }, { "m2", 2, 0 }, { "m3", 3, 0 } };
static const struct pairwise_level strides[] = { { "", 1, 1 }, { "s2", 2, 1 }, { "d2", 1, 2 } };
static const struct pairwise_level images[] = { { "n1", 1, 0 }, { "n2", 2, 0 }, { "n3", 3, 0 } };
static const struct pairwise_level missing[] = { { "", 0, 0 }, { "nb", NO_BIAS, 0 } };
static const struct pairwise_axis conv_axes[] = { PAIRWISE_AXIS(kernels),  PAIRWISE_AXIS(channels),
                                                  PAIRWISE_AXIS(features), PAIRWISE_AXIS(strides),
                                                  AXIS_PADDINGS,           PAIRWISE_AXIS(images),
                                                  AXIS_ACTIVATIONS,        PAIRWISE_AXIS(ranges),
                                                  PAIRWISE_AXIS(scales) };
static const struct pairwise_axis depthwise_axes[] = {
    PAIRWISE_AXIS(kernels), PAIRWISE_AXIS(channels), PAIRWISE_AXIS(multipliers),
    PAIRWISE_AXIS(strides), AXIS_PADDINGS,           PAIRWISE_AXIS(images),
    AXIS_ACTIVATIONS,       PAIRWISE_AXIS(ranges),   PAIRWISE_AXIS(scales),
    PAIRWISE_AXIS(missing)
};

static struct row window_row(const struct pairwise_row *p, const char *op, uint32_t types,
                             bool depthwise)
{
    const struct pairwise_level *const *const level = p->level;
    const int32_t h = level[KERNEL]->x, w = level[KERNEL]->y, c = level[CHANNEL]->x;
    struct row r = { .in = DIMS(level[CONV_BATCH]->x, 5, 4, c),
                     .units = depthwise ? c * level[FEATURES]->x : level[FEATURES]->x,
                     .activation = level[CONV_ACTIVATION]->x,
                     .padding = level[PADDING]->x,
                     .stride = level[STRIDE]->x,
                     .dilation = level[STRIDE]->y };

    if (r.padding && r.dilation > 1) /* VALID: larger than what the kernel reaches */
        r.in.d[1] = r.in.d[2] = 6;
    r.w = depthwise ? (struct shape)DIMS(1, h, w, r.units) : (struct shape)DIMS(r.units, h, w, c);
    r.flags = (unsigned)(level[CONV_RANGE]->x | level[CONV_SCALE]->x);
    if (p->axis_count > CONV_BIAS)
        r.flags |= (unsigned)level[CONV_BIAS]->x;
    finish_row(&r, p, op, types);
    r.base.why = "pairwise: kernel, channels, stride, padding, batch, bias, activation, scales";
    return r;
}

static struct row conv_row(const struct pairwise_row *p)
{
    struct row r = window_row(p, "conv_2d", TYPES_HYBRID, false);

    r.base.version = r.flags & CHANNELS ? 5 : 2;
    return r;
}

static struct row static_conv_row(const struct pairwise_row *p)
{
    struct row r = window_row(p, "conv_2d", TYPE_BIT(CASE_A8W4) | TYPE_BIT(CASE_A16W4), false);

    r.base.version = 7;
    r.base.refused_by = REFUSED_BY;
    return r;
}

static struct row depthwise_row(const struct pairwise_row *p)
{
    struct row r = window_row(p, "depthwise_conv_2d",
                              TYPE_BIT(CASE_W4) | TYPE_BIT(CASE_A8W4) | TYPE_BIT(CASE_A16W4), true);

    r.base.version = 7;
    r.base.refused_by = REFUSED_BY;
    return r;
}

/* ---- rows of tables, constants ---- */

enum { TABLE_FORM, TABLE_ROWS, IDS, TABLE_SCALE };
static const struct pairwise_level tables[] = {
    { "k1", 1, 0 },        { "k2", 2, 0 },      { "k3", 3, 0 },      { "k5", 5, 0 },
    { "k8", 8, 0 },        { "k33", 33, 0 },    { "k34", 34, 0 },    { "b32_k64", 64, 32 },
    { "b64_k64", 64, 64 }, { "b8_k24", 24, 8 }, { "b5_k15", 15, 5 }, { "b2_k6", 6, 2 },
};
static const struct pairwise_level table_rows[] = { { "r1", 1, 0 },
                                                    { "r6", 6, 0 },
                                                    { "r33", 33, 0 } };
static const struct pairwise_level ids[] = { { "n1", 1, 0 }, { "n5", 5, 0 }, { "n9", 9, 0 } };
static const struct pairwise_axis table_axes[] = { PAIRWISE_AXIS(tables), PAIRWISE_AXIS(table_rows),
                                                   PAIRWISE_AXIS(ids), PAIRWISE_AXIS(scales) };

static struct row table_row(const struct pairwise_row *p)
{
    struct row r = { .w = DIMS(p->level[TABLE_ROWS]->x, p->level[TABLE_FORM]->x),
                     .units = p->level[IDS]->x,
                     .block = p->level[TABLE_FORM]->y };

    r.flags = r.block ? 0 : (unsigned)p->level[TABLE_SCALE]->x;
    finish_row(&r, p, "embedding_lookup", TYPES_HYBRID);
    r.base.why = "pairwise: length of rows, rows, ids, scales";
    r.base.version = 1;
    return r;
}

enum { READER, CONSTANT_SCALE, ZERO };
static const struct pairwise_level readers[] = {
    { "fc_k1", 0, 0 },   { "fc_k21", 1, 0 }, { "fc_k64", 2, 0 }, { "conv_k1", 3, 0 },
    { "conv_k3", 4, 0 }, { "add_c5", 5, 0 }, { "add_r3", 6, 0 },
};
static const struct pairwise_level zeros[] = { { "", 0, 0 }, { "zp", ZERO_POINTS, 0 } };
static const struct pairwise_axis alone_axes[] = { PAIRWISE_AXIS(readers), PAIRWISE_AXIS(scales),
                                                   PAIRWISE_AXIS(zeros) };

static struct row alone_row(const struct pairwise_row *p)
{
    static const struct row shapes[] = {
        { .in = DIMS(2, 1), .w = DIMS(7, 1), .units = 7 },
        { .in = DIMS(3, 21), .w = DIMS(5, 21), .units = 5 },
        { .in = DIMS(1, 64), .w = DIMS(9, 64), .units = 9 },
        { .in = DIMS(2, 3, 4, 5), .w = DIMS(6, 1, 1, 5), .units = 6 },
        { .in = DIMS(1, 4, 5, 3), .w = DIMS(5, 3, 3, 3), .units = 5 },
        { .in = DIMS(1, 3, 3, 5), .w = DIMS(5) },
        { .in = DIMS(2, 3, 7), .w = DIMS(2, 3, 7) },
    };
    struct row r = shapes[p->level[READER]->x];

    r.flags = (unsigned)(p->level[CONSTANT_SCALE]->x | p->level[ZERO]->x);
    finish_row(&r, p, "dequantize", TYPES_ALONE);
    r.base.why = "pairwise: reader, scales, zero points";
    r.base.version = 8;
    return r;
}

#define VERSION(v, what, op, type)                                                                 \
    ROW("v" #v, "the version that added " what, SUB_BYTE(op, TYPE_BIT(type)), .version = v)

/* Values that no sweep has. */
static const struct row rows[] = {
    { ROW("batch1_spike", "one row with a spike", SUB_BYTE("fully_connected", TYPES_HYBRID)),
      .in = DIMS(1, 96), .w = DIMS(8, 96), .units = 8, .flags = CHANNELS, .first = ROW_SPIKE },
    { ROW("batch1_zeros", "one row of zeros", SUB_BYTE("fully_connected", TYPES_HYBRID)),
      .in = DIMS(1, 96), .w = DIMS(8, 96), .units = 8, .flags = CHANNELS, .first = ROW_ZERO },
    { ROW("block_zeros", "a row of zeros, and blocks", SUB_BYTE("fully_connected", TYPES_HYBRID)),
      .in = DIMS(1, 64), .w = DIMS(6, 64), .units = 6, .block = 32, .first = ROW_ZERO },
    { ROW("block_denormal", "f16 denormals as scales", SUB_BYTE("fully_connected", TYPES_HYBRID)),
      .in = DIMS(4, 64), .w = DIMS(6, 64), .units = 6, .block = 32, .flags = DENORMAL | NO_BIAS,
      .base.version = 6 },
    { ROW("version_i4", "the version of a scale for each channel",
          SUB_BYTE("fully_connected", TYPE_BIT(CASE_W4)), .version = 12),
      .in = DIMS(3, 40), .w = DIMS(5, 40), .units = 5, .flags = CHANNELS },
    { ROW("version_i2", "the first version of i2 weights",
          SUB_BYTE("fully_connected", TYPE_BIT(CASE_W2)), .version = 14),
      .in = DIMS(3, 40), .w = DIMS(5, 40), .units = 5, .flags = CHANNELS },
    { ROW("version_i4", "the first version of i4 tables",
          SUB_BYTE("embedding_lookup", TYPE_BIT(CASE_W4)), .version = 4),
      .w = DIMS(5, 8), .units = 3, .flags = CHANNELS },
    { ROW("tanh", "fused TANH, which kernels forget", SUB_BYTE("fully_connected", TYPES_HYBRID),
          .refused_by = "params.activation"),
      .in = DIMS(4, 40), .w = DIMS(5, 40), .units = 5, .activation = 4, .flags = CHANNELS },
    { ROW("block_tanh", "fused TANH, which kernels forget",
          SUB_BYTE("fully_connected", TYPES_HYBRID), .refused_by = "params.activation"),
      .in = DIMS(4, 64), .w = DIMS(5, 64), .units = 5, .block = 32, .activation = 4 },
    /* What the version ledger asks for: the versions that added these weights. */
    { VERSION(10, "i4 weights", "fully_connected", CASE_W4), .in = DIMS(3, 34), .w = DIMS(6, 34),
      .units = 6 },
    { VERSION(14, "i2 weights", "fully_connected", CASE_W2), .in = DIMS(3, 34), .w = DIMS(6, 34),
      .units = 6 },
    { VERSION(7, "i4 weights", "conv_2d", CASE_W4), .in = DIMS(2, 4, 3, 3), .w = DIMS(6, 2, 2, 3),
      .units = 6, .stride = 1, .dilation = 1, .flags = CHANNELS },
    { VERSION(4, "i4 tables", "embedding_lookup", CASE_W4), .w = DIMS(6, 10), .units = 4,
      .flags = CHANNELS },
    { VERSION(5, "i2 tables", "embedding_lookup", CASE_W2), .w = DIMS(6, 10), .units = 4,
      .flags = CHANNELS },
    { ROW("table66001", "the last of 66,001 rows", SUB_BYTE("embedding_lookup", TYPE_BIT(CASE_W4)),
          .one_frame = true),
      .w = DIMS(66001, 2), .units = 5 },
    { ROW("ids66001", "66,001 ids", SUB_BYTE("embedding_lookup", TYPE_BIT(CASE_W4)),
          .one_frame = true),
      .w = DIMS(7, 2), .units = 66001 },
    { VERSION(6, "i4", "dequantize", CASE_W4), .in = DIMS(2, 9), .w = DIMS(4, 9), .units = 4 },
    { VERSION(7, "i2", "dequantize", CASE_W2), .in = DIMS(2, 9), .w = DIMS(4, 9), .units = 4 },
    { VERSION(8, "u4", "dequantize", CASE_U4), .in = DIMS(2, 9), .w = DIMS(4, 9), .units = 4,
      .flags = ZERO_POINTS },
    { ROW("fc_last_axis", "a scale for each input of a product",
          SUB_BYTE("dequantize", TYPE_BIT(CASE_W4)), .version = 6),
      .in = DIMS(2, 9), .w = DIMS(4, 9), .units = 4, .flags = CHANNELS | LAST_AXIS },
    { ROW("units1031", "more than 1,024 rows, a scale for each",
          SUB_BYTE("fully_connected", TYPE_BIT(CASE_W4)), .one_frame = true),
      .in = DIMS(2, 8), .w = DIMS(1031, 8), .units = 1031, .flags = CHANNELS },
    /* More chunks of a row than invocations take at once, more groups of outputs than two, and
     * tables that are no matrix. */
    { ROW("deep2081", "2,081 inputs", SUB_BYTE("fully_connected", TYPES_HYBRID), .one_frame = true),
      .in = DIMS(5, 2081), .w = DIMS(5, 2081), .units = 5, .flags = CHANNELS },
    { ROW("block_deep2080", "2,080 inputs in blocks", SUB_BYTE("fully_connected", TYPES_HYBRID),
          .one_frame = true),
      .in = DIMS(1, 2080), .w = DIMS(6, 2080), .units = 6, .block = 32 },
    { ROW("block_units101", "101 outputs, and blocks that end within a chunk",
          SUB_BYTE("fully_connected", TYPES_HYBRID), .one_frame = true),
      .in = DIMS(3, 48), .w = DIMS(101, 48), .units = 101, .block = 16 },
    { ROW("matrices", "rows of two dimensions", SUB_BYTE("embedding_lookup", TYPES_HYBRID)),
      .w = DIMS(6, 3, 5), .units = 4, .flags = CHANNELS },
    /* Tensor 0 is a constant. */
    { ROW("bias_first", "the bias is the first tensor of the file",
          SUB_BYTE("fully_connected", TYPE_BIT(CASE_W4))),
      .in = DIMS(3, 40), .w = DIMS(5, 40), .units = 5, .flags = CHANNELS | CONSTANTS_FIRST },
    { ROW("block_first", "the weights are the first tensor of the file",
          SUB_BYTE("fully_connected", TYPE_BIT(CASE_W4)), .version = 6),
      .in = DIMS(3, 64), .w = DIMS(5, 64), .units = 5, .block = 32,
      .flags = NO_BIAS | CONSTANTS_FIRST },
    { ROW("first", "the table is the first tensor of the file",
          SUB_BYTE("embedding_lookup", TYPE_BIT(CASE_W4))),
      .w = DIMS(6, 10), .units = 4, .flags = CHANNELS | CONSTANTS_FIRST },
    { ROW("tied", "the table is also the weights of a product",
          SUB_BYTE("embedding_lookup", TYPE_BIT(CASE_W4))),
      .w = DIMS(41, 64), .units = 3, .block = 32, .flags = TIED },
    { ROW("tied_rows", "likewise, with a scale for each row",
          SUB_BYTE("embedding_lookup", TYPE_BIT(CASE_W4))),
      .w = DIMS(9, 40), .units = 5, .flags = CHANNELS | TIED },
};

SUITE_SWEEP(sweep, SWEEP_PART(hybrid_row, affine_axes), SWEEP_PART(hybrid_row, block_axes),
            SWEEP_PART(static_row, static_axes), SWEEP_PART(conv_row, conv_axes),
            SWEEP_PART(static_conv_row, conv_axes), SWEEP_PART(depthwise_row, depthwise_axes),
            SWEEP_PART(table_row, table_axes), SWEEP_PART(alone_row, alone_axes))

#define MEMBER(name, code_, kind_)                                                                 \
    {                                                                                              \
        .op = name, .code = BUILTIN_##code_, .version = 1, .sets = SET_BIT(SET_RANDOM), .bound = { \
            .kind = kind_                                                                          \
        }                                                                                          \
    }
/* Their bounds are those of the ops' own suites. */
static const struct suite_member members[] = {
    MEMBER("fully_connected", FULLY_CONNECTED, BOUND_DOT),
    MEMBER("conv_2d", CONV_2D, BOUND_DOT),
    MEMBER("depthwise_conv_2d", DEPTHWISE_CONV_2D, BOUND_DOT),
    MEMBER("embedding_lookup", EMBEDDING_LOOKUP, BOUND_ROUNDED),
    MEMBER("dequantize", DEQUANTIZE, BOUND_ROUNDED),
};

SUITE_OF(sub_byte, members, rows, sub_byte_build, sweep, true);

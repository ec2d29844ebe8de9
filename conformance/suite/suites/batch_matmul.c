/* BATCH_MATMUL: rows, depths and columns around slices, either operand swapped, batches of ranks 2
 * to 5 that broadcast, constant operands, sums that do not fit f16. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_range.h"
#include "conformance/suite/cases/quant_axes.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

#include <math.h>

enum { ADJ_X = 1, ADJ_Y = 2, CONSTANT_X = 4, CONSTANT_Y = 8 };

struct row {
    struct op_case base;
    struct shape x, y;
    unsigned flags;
};

/* A matrix of constants behind the last dimension. */
static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;

    if (x.shape.rank < 2 || x.shape.rank > 5)
        return false;
    random_set_dot_peak(call);
    call->out.value =
        graph_add_batch_matmul(m, x, random_channels(call, 0), random_choice(call, 1, 2));
    return true;
}

static struct case_interval range_products(struct case_node *n)
{
    const struct case_scale *const x = n->in[0], *const y = n->in[1];
    const double xx = x->sd * x->sd + x->mean * x->mean, yy = y->sd * y->sd + y->mean * y->mean;
    const double both = x->mean * y->mean, terms = y->terms;
    const double width = 3.2 * sqrt(terms * (xx * yy - both * both));

    return (struct case_interval){ terms * both - width, terms * both + width };
}

static const struct suite_member members[] = {
    { SUITE_OP("batch_matmul", BATCH_MATMUL, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8),
      .sets = SETS_ALL, .bound = { .kind = BOUND_DOT }, .range = range_products,
      .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("k" #c "_n" #c, "depth and columns in slices of four"), .x = DIMS(2, 3, c),            \
                                                                    .y = DIMS(2, c, c)             \
    }
#define PRODUCT(name, why, a, b, flag)                                                             \
    {                                                                                              \
        ROW(name, why), .x = a, .y = b, .flags = flag                                              \
    }

static const struct row rows[] = {
    CHANNELS(1),
    CHANNELS(3),
    CHANNELS(4),
    CHANNELS(5),
    CHANNELS(8),
    CHANNELS(17),
    PRODUCT("rank2", "one product of matrices", DIMS(5, 7), DIMS(7, 6), 0),
    PRODUCT("rank2_row", "one row", DIMS(1, 9), DIMS(9, 5), 0),
    PRODUCT("rank2_column", "one column", DIMS(6, 9), DIMS(9, 1), 0),
    PRODUCT("rank4", "attention: heads of a batch", DIMS(2, 3, 5, 8), DIMS(2, 3, 8, 5), 0),
    PRODUCT("rank5", "five dimensions", DIMS(2, 1, 2, 3, 4), DIMS(2, 1, 2, 4, 5), 0),
    PRODUCT("adj_x", "x is stored as columns", DIMS(2, 7, 5), DIMS(2, 7, 6), ADJ_X),
    PRODUCT("adj_y", "y is stored as columns: scores of attention", DIMS(2, 5, 7), DIMS(2, 6, 7),
            ADJ_Y),
    PRODUCT("adj_both", "both are stored as columns", DIMS(2, 7, 5), DIMS(2, 6, 7), ADJ_X | ADJ_Y),
    PRODUCT("adj_x_slices", "whole slices, x as columns", DIMS(2, 8, 4), DIMS(2, 8, 4), ADJ_X),
    PRODUCT("adj_y_slices", "whole slices, y as columns", DIMS(2, 4, 8), DIMS(2, 4, 8), ADJ_Y),
    PRODUCT("stretch_x", "one x for all of the batch", DIMS(1, 3, 5), DIMS(4, 5, 6), 0),
    PRODUCT("stretch_y", "one y for all of the batch", DIMS(4, 3, 5), DIMS(1, 5, 6), 0),
    PRODUCT("rank2_rank3", "a matrix and a batch", DIMS(3, 5), DIMS(4, 5, 6), 0),
    PRODUCT("rank3_rank2", "a batch and a matrix", DIMS(4, 3, 5), DIMS(5, 6), 0),
    PRODUCT("stretch_both", "each stretched along another dimension", DIMS(2, 1, 3, 5),
            DIMS(3, 5, 2), 0),
    PRODUCT("stretch_middle", "the middle of three dimensions", DIMS(2, 1, 2, 3, 4),
            DIMS(2, 3, 1, 4, 5), 0),
    PRODUCT("constant_y", "a constant right side", DIMS(2, 3, 9), DIMS(9, 5), CONSTANT_Y),
    PRODUCT("constant_y_batch", "a constant for each of the batch", DIMS(2, 3, 6), DIMS(2, 6, 5),
            CONSTANT_Y),
    PRODUCT("constant_y_adj", "a constant right side, stored as columns", DIMS(2, 3, 9), DIMS(5, 9),
            CONSTANT_Y | ADJ_Y),
    PRODUCT("constant_x", "a constant left side", DIMS(4, 7), DIMS(3, 7, 5), CONSTANT_X),
    PRODUCT("constant_x_adj", "a constant left side, stored as columns", DIMS(7, 4), DIMS(3, 7, 5),
            CONSTANT_X | ADJ_X),
    PRODUCT("m17", "rows that fill no tile", DIMS(1, 17, 5), DIMS(1, 5, 3), 0),
    PRODUCT("heads", "8 heads of 16 channels, 20 tokens", DIMS(1, 8, 20, 16), DIMS(1, 8, 20, 16),
            ADJ_Y),
    { ROW("k1025", "a long sum", .floats = true), .x = DIMS(2, 1025), .y = DIMS(1025, 3) },
    { ROW("half_partial", "sums that pass the largest f16 on their way",
          .types = TYPE_BIT(CASE_F32), .offset = 300, .overflow = true,
          .sets = SET_BIT(SET_RANDOM)),
      .x = DIMS(2, 4099), .y = DIMS(4099, 3), .flags = CONSTANT_Y },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .x = DIMS(2, 3, 6), .y = DIMS(2, 6, 4) },
    { ROW("ends", "products at the ends of both ranges", .types = TYPE_BIT(CASE_I8),
          .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS)),
      .x = DIMS(2, 4, 300), .y = DIMS(2, 300, 5) },
    { ROW("product_rounded", "the product of the scales is rounded in f32",
          .types = TYPE_BIT(CASE_I8), .quant = { .in = 0.1, .in2 = 0.3, .out = 0.7 }),
      .x = DIMS(2, 9, 16), .y = DIMS(2, 16, 9) },
    { ROW("empty_batch", "no product at all", EMPTY), .x = DIMS(0, 3, 5), .y = DIMS(1, 5, 4) },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_sum_x", LANES_SUM), .x = DIMS(5, 6, 5), .y = DIMS(5, 5, 6) },
    { ROW("lanes_sum_y", LANES_SUM, .values_of = 1), .x = DIMS(5, 4, 5), .y = DIMS(5, 5, 6) },
    { ROW("lanes_denormal", LANES_DENORMAL), .x = DIMS(6, 6, 5), .y = DIMS(6, 5, 6) },
    { ROW("lanes_ends", LANES_END(TYPES_BYTES)), .x = DIMS(2, 6, 5), .y = DIMS(2, 5, 6) },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("matrices66001", "66,001 matrices", LARGE_IN(SIZED)), .x = DIMS(66001, 1, 2),
      .y = DIMS(66001, 2, 1) },
    { ROW("matrices66001_one", "66,001 matrices by one", LARGE_F32), .x = DIMS(66001, 1, 2),
      .y = DIMS(2, 1), .flags = CONSTANT_Y },
    { ROW("rows66001", "66,001 rows", LARGE_IN(SIZED)), .x = DIMS(66001, 2), .y = DIMS(2, 2) },
    { ROW("k66001", "a depth of 66,001", LARGE_IN(SIZED)), .x = DIMS(2, 66001),
      .y = DIMS(66001, 2) },
    { ROW("columns66001", "66,001 columns", LARGE_IN(SIZED)), .x = DIMS(2, 2),
      .y = DIMS(2, 66001) },
    /* Sums at the ends of both ranges that pass 16, 24 and 30 bits (test_sizes.c). */
    { ROW("sum17", SUM_END(TYPE_BIT(CASE_I8), 8)), .x = DIMS(2, 2, 2), .y = DIMS(2, 2, 3) },
    { ROW("sum25", SUM_END(TYPE_BIT(CASE_I8), 60)), .x = DIMS(2, 260), .y = DIMS(260, 3) },
    { ROW("sum31", SUM_END(TYPE_BIT(CASE_I8), 600)), .x = DIMS(2, 33001), .y = DIMS(33001, 2) },
    { ROW("scores_bytes", "scores of attention", .types = TYPE_BIT(CASE_I8)), .x = DIMS(2, 3, 5, 7),
      .y = DIMS(2, 3, 6, 7), .flags = ADJ_Y },
    { ROW("both_bytes", "both are stored as columns", .types = TYPE_BIT(CASE_I8)),
      .x = DIMS(3, 7, 5), .y = DIMS(1, 6, 7), .flags = ADJ_X | ADJ_Y },
    { ROW("lanes_sum_x_adj", LANES_SUM), .x = DIMS(5, 6, 5), .y = DIMS(5, 6, 3), .flags = ADJ_X },
    { ROW("lanes_sum_y_deep", LANES_SUM, .values_of = 1), .x = DIMS(5, 4, 6), .y = DIMS(5, 6, 5) },
    /* Scales that f32 and double round apart. */
    { ROW("product_rounded_a", "the product of the scales is a power of two in f32, not in double",
          .types = TYPE_BIT(CASE_I8), QUANT_PRODUCT_ROUNDED),
      .x = DIMS(2, 17, 4), .y = DIMS(2, 4, 19) },
    { ROW("product_rounded_b", "the product of the scales is a power of two in f32, not in double",
          .types = TYPE_BIT(CASE_I8), QUANT_PRODUCT_ROUNDED_B),
      .x = DIMS(2, 17, 4), .y = DIMS(2, 4, 19) },
    { ROW("quotient_rounded", "the factor of sums is 11/1024 in f32, not in double",
          .types = TYPE_BIT(CASE_I8),
          .quant = { .in = 0.698453069 / 64,
                     .in2 = 1,
                     .out = 1.01593173,
                     .zero = ZERO_MIDDLE,
                     .zero_out = ZERO_MIDDLE }),
      .x = DIMS(8, 33, 2), .y = DIMS(8, 2, 33) },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("rank2_constant_x", "a constant matrix on the left", REAL(TYPE_BIT(CASE_F32))),
      .x = DIMS(3, 5), .y = DIMS(5, 6), .flags = CONSTANT_X },
    { ROW("rows66001_n2", "two matrices of 66,001 rows", LARGE_IN(SIZED)), .x = DIMS(2, 66001, 1),
      .y = DIMS(2, 1, 1) },
    { ROW("columns66001_n2", "two matrices of 66,001 columns", LARGE_IN(SIZED)), .x = DIMS(2, 1, 1),
      .y = DIMS(2, 1, 66001) },
    { ROW("matrices_2x3", "matrices of two dimensions, whose inner ones are broadcast",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8), .sets = SET_BIT(SET_RANDOM)),
      .x = DIMS(2, 1, 3, 5), .y = DIMS(2, 3, 5, 9) },
    { ROW("matrices_3x2", "matrices of two dimensions, whose outer ones are broadcast",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8), .sets = SET_BIT(SET_RANDOM)),
      .x = DIMS(3, 2, 2, 5), .y = DIMS(1, 2, 5, 6) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const bool adj_x = r->flags & ADJ_X, adj_y = r->flags & ADJ_Y;
    const int32_t terms = r->x.d[r->x.rank - (adj_x ? 2 : 1)];
    struct shape out = { .rank = r->x.rank > r->y.rank ? r->x.rank : r->y.rank };
    struct fill fill_x = { .terms = terms, .factors = 2, .pair = PAIR_EQUAL };
    struct fill fill_y = { .terms = terms, .factors = 2, .pair = PAIR_OPPOSITE, .unscaled = true };
    struct options options;
    int in[2];

    fill_x.axis = r->x.rank - (adj_x ? 2 : 1);
    fill_y.axis = r->y.rank - (adj_y ? 1 : 2);
    for (int i = 1; i <= out.rank - 2; i++) { /* the i-th dimension before the last two */
        const int32_t a = i + 2 <= r->x.rank ? r->x.d[r->x.rank - 2 - i] : 1;
        const int32_t b = i + 2 <= r->y.rank ? r->y.d[r->y.rank - 2 - i] : 1;

        out.d[out.rank - 2 - i] = a == 1 ? b : a;
    }
    out.d[out.rank - 2] = r->x.d[r->x.rank - (adj_x ? 1 : 2)];
    out.d[out.rank - 1] = r->y.d[r->y.rank - (adj_y ? 2 : 1)];
    in[0] = case_operand(m, !(r->flags & CONSTANT_X), "x", &r->x, &fill_x);
    in[1] = case_operand(m, !(r->flags & CONSTANT_Y), "y", &r->y, &fill_y);
    if (m->c->quantized && case_scale_of(m, in[1]))
        case_scale_of(m, in[1])->terms = terms;
    options_init(&options, OPTIONS_BatchMatMulOptions);
    options_set_int(&options, "adj_x", adj_x);
    options_set_int(&options, "adj_y", adj_y);
    case_judged_op(m, &options, 2, in, case_output(m, "z", &out));
}

SUITE(batch_matmul, members, rows, build);

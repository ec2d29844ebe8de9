/* DYNAMIC_UPDATE_SLICE: a part of a tensor is overwritten, at a place that is computed, as caches
 * of keys and values are; places beyond the ends. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape in, update;
    int32_t start[SHAPE_RANK_MAX];
    bool constant; /* the start is a constant of the model; else an input */
    bool longs;    /* it is i64 */
    bool far;      /* and each place is 2^40 times as far */
    bool cache;    /* the update is a constant */
};

static const struct suite_member members[] = {
    { SUITE_OP("dynamic_update_slice", DYNAMIC_UPDATE_SLICE, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS } },
};

#define START(...) .start = { __VA_ARGS__ }

static const struct row rows[] = {
    { ROW("token", "the keys of a token in a cache"), .in = DIMS(1, 9, 2, 8),
      .update = DIMS(1, 1, 2, 8), START(0, 3, 0, 0) },
    { ROW("prefill", "the keys of several tokens"), .in = DIMS(1, 9, 2, 8),
      .update = DIMS(1, 4, 2, 8), START(0, 2, 0, 0) },
    { ROW("transposed", "a column of a cache of values, [B, K, H, S]"), .in = DIMS(1, 2, 5, 9),
      .update = DIMS(1, 2, 5, 1), START(0, 0, 0, 6) },
    { ROW("lanes", "channels across two slices"), .in = DIMS(2, 3, 11), .update = DIMS(1, 2, 6),
      START(1, 1, 3) },
    { ROW("constant", "a start of the model", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      .in = DIMS(3, 7), .update = DIMS(2, 4), START(1, 2), .constant = true },
    { ROW("constant_update", "a constant is written"), .in = DIMS(4, 6), .update = DIMS(1, 6),
      START(2, 0), .cache = true },
    { ROW("clamped_high", "a start beyond the end"), .in = DIMS(5, 7), .update = DIMS(2, 3),
      START(4, 6) },
    { ROW("clamped_low", "a start before the beginning"), .in = DIMS(5, 7), .update = DIMS(2, 3),
      START(-1, -3) },
    { ROW("clamped_ends", "the ends of i32"), .in = DIMS(5, 3, 7), .update = DIMS(2, 1, 3),
      START(INT32_MAX, INT32_MIN, INT32_MAX - 1) },
    { ROW("full", "all is overwritten, whatever the start is"), .in = DIMS(3, 5),
      .update = DIMS(3, 5), START(1, -2) },
    { ROW("rank1", "a vector"), .in = DIMS(13), .update = DIMS(5), START(6) },
    { ROW("rank5", "five dimensions"), .in = DIMS(2, 2, 3, 2, 5), .update = DIMS(1, 2, 2, 1, 3),
      START(1, 0, 1, 1, 2) },
    { ROW("rank8", "eight dimensions", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      .in = DIMS(2, 1, 2, 1, 2, 2, 1, 3), .update = DIMS(1, 1, 2, 1, 1, 2, 1, 2),
      START(1, 0, 0, 0, 1, 0, 0, 1) },
    { ROW("longs", "a start of i64", .version = 2, .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      .in = DIMS(5, 7), .update = DIMS(2, 3), START(2, 3), .longs = true },
    { ROW("longs_constant", "a start of i64 of the model", .version = 2,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(5, 7), .update = DIMS(2, 3), START(3, 1), .longs = true, .constant = true },
    { ROW("longs_far", "starts beyond 32 bits, of which the low ones are 0", .version = 2,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(5, 9), .update = DIMS(2, 3), START(2, -2), .longs = true, .far = true },
    { ROW("v", "every version of the op means the same", .each_version = true), .in = DIMS(4, 6),
      .update = DIMS(2, 3), START(1, 2) },
    { ROW("n257", "more places than a workgroup has invocations"), .in = DIMS(1, 300, 3),
      .update = DIMS(1, 257, 2), START(0, 40, 1) },
    { ROW("nothing", "an update without elements", EMPTY), .in = DIMS(3, 5), .update = DIMS(0, 5),
      START(1, 0) },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL), .in = DIMS(48, 5), .update = DIMS(6, 3), START(4, 1) },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 1, 1, 1),
      .update = DIMS(2, 1, 1, 1), START(65999, 0, 0, 0) },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66001, 1, 1),
      .update = DIMS(1, 2, 1, 1), START(0, 65998, 0, 0) },
    { ROW("width66001", "a width of 66,001", LARGE_F32), .in = DIMS(1, 1, 66001, 1),
      .update = DIMS(1, 1, 2, 1), START(0, 0, 65998, 0) },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(1, 1, 1, 66001),
      .update = DIMS(1, 1, 1, 3), START(0, 0, 0, 65997) },
    { ROW("longs_far_constant", "starts of the model beyond 32 bits", .version = 2,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(5, 9), .update = DIMS(2, 3), START(2, -2), .longs = true, .far = true,
      .constant = true },
};

/* Frame B begins at the neighbour of an odd place, or of an even one. */
static int add_start(struct case_builder *m, const struct row *r)
{
    const struct shape vector = DIMS(r->in.rank);
    int32_t values[2][SHAPE_RANK_MAX];
    int64_t far[SHAPE_RANK_MAX];
    int tensor;

    for (int d = 0; d < r->in.rank; d++) {
        values[0][d] = r->start[d];
        values[1][d] = r->start[d] ^ 1;
        far[d] = r->far ? r->start[d] * (INT64_C(1) << 40) : 0;
    }
    if (r->constant && r->far)
        return builder_constant(&m->builder, TENSOR_INT64, "start", 1, vector.d, far,
                                (size_t)r->in.rank * sizeof far[0]);
    if (r->constant)
        return (r->longs ? case_constant_i64 : case_constant_i32)(m, "start", &vector, r->start);
    tensor = case_input_values(m, "start", &vector, r->longs ? TENSOR_INT64 : TENSOR_INT32,
                               values[0], values[1]);
    for (unsigned frame = 0; frame < 2 && r->far && m->status == STATUS_OK; frame++) {
        int64_t *const data = m->out->inputs[m->out->input_count - 1].data[frame];

        for (int d = 0; d < r->in.rank; d++)
            data[d] *= INT64_C(1) << 40;
    }
    return tensor;
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct options options = { .tag = OPTIONS_DynamicUpdateSliceOptions };
    const struct fill any = { .terms = 1, .factors = 1 };
    int in[3];

    in[0] = case_input(m, "operand", &r->in, &any);
    in[1] = case_operand(m, !r->cache, "update", &r->update, &any);
    in[2] = add_start(m, r);
    case_judged_op(m, &options, 3, in, case_output(m, "y", &r->in));
}

SUITE_UNDRAWN(dynamic_update_slice, members, rows, build);

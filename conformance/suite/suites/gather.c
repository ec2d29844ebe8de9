/* GATHER and GATHER_ND: every axis, indices of any rank, constant and computed, tuples. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

enum { INDICES_MAX = 66001 };

struct row {
    struct op_case base;
    struct shape in, indices; /* GATHER_ND: the last dimension of the indices is a tuple */
    int32_t axis, batch;      /* GATHER */
    bool computed;            /* the indices are an input of the graph */
    bool longs;               /* they are int64 */
    bool table;               /* x is a constant */
};

static const struct suite_member members[] = {
    { SUITE_OP("gather", GATHER, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPES_WHOLE,
      .bool_version = 3, .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS } },
    { SUITE_OP("gather_nd", GATHER_ND, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPES_WHOLE,
      .bool_version = 5, .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS } },
};

#define AXIS  .only = "gather"
#define TUPLE .only = "gather_nd"

static const struct row rows[] = {
    { ROW("rows", "rows of a tensor, by constant indices", AXIS), .in = DIMS(9, 8),
      .indices = DIMS(5) },
    { ROW("rows_computed", "indices that are computed", AXIS), .in = DIMS(9, 8), .indices = DIMS(5),
      .computed = true },
    { ROW("rows_c5", "rows that do not fill their last slice", AXIS), .in = DIMS(7, 5),
      .indices = DIMS(9), .computed = true },
    { ROW("tokens", "[B, T] indices", AXIS), .in = DIMS(11, 6), .indices = DIMS(2, 5),
      .computed = true },
    { ROW("scalar", "one index, without a dimension", AXIS), .in = DIMS(5, 7), .indices = SCALAR },
    { ROW("scalar_computed", "one computed index", AXIS), .in = DIMS(5, 7), .indices = SCALAR,
      .computed = true },
    { ROW("channels", "the channels", AXIS), .in = DIMS(1, 2, 3, 7), .indices = DIMS(5),
      .axis = 3 },
    { ROW("channels_computed", "the channels, by computed indices", AXIS), .in = DIMS(1, 2, 3, 7),
      .indices = DIMS(6), .axis = -1, .computed = true },
    { ROW("columns", "the columns of an image", AXIS), .in = DIMS(2, 3, 5, 4), .indices = DIMS(4),
      .axis = 2 },
    { ROW("lines", "the lines of an image, computed", AXIS), .in = DIMS(2, 5, 3, 6),
      .indices = DIMS(3), .axis = 1, .computed = true },
    { ROW("middle2", "two dimensions of indices in the middle", AXIS), .in = DIMS(2, 5, 3),
      .indices = DIMS(2, 3), .axis = 1, .computed = true },
    { ROW("rank1", "of a vector", AXIS), .in = DIMS(13), .indices = DIMS(6), .computed = true },
    { ROW("rank1_scalar", "of a vector one element", AXIS), .in = DIMS(13), .indices = SCALAR,
      .computed = true },
    { ROW("rank5", "five dimensions", AXIS), .in = DIMS(2, 3, 2, 2, 5), .indices = DIMS(4),
      .axis = 3 },
    { ROW("batch1", "a batch of indices", AXIS, .version = 5), .in = DIMS(3, 5, 4),
      .indices = DIMS(3, 2), .axis = 1, .batch = 1, .computed = true },
    { ROW("batch1_far", "a batch of indices, an axis behind the next", AXIS, .version = 5),
      .in = DIMS(2, 3, 5, 6), .indices = DIMS(2, 4), .axis = 2, .batch = 1, .computed = true },
    { ROW("batch2", "two batch dimensions", AXIS, .version = 5), .in = DIMS(2, 3, 5),
      .indices = DIMS(2, 3, 2), .axis = 2, .batch = 2, .computed = true },
    { ROW("longs", "indices of i64", AXIS), .in = DIMS(6, 5), .indices = DIMS(4), .longs = true },
    { ROW("wide", "rows of many slices", AXIS), .in = DIMS(5, 67), .indices = DIMS(7),
      .computed = true },
    { ROW("v", "every version of the op means the same", AXIS, .each_version = true),
      .in = DIMS(5, 6), .indices = DIMS(3, 1) },
    { ROW("nd_v", "every version of the op means the same", TUPLE, .each_version = true),
      .in = DIMS(5, 6), .indices = DIMS(3, 1) },
    { ROW("points", "elements by pairs of indices", TUPLE), .in = DIMS(5, 7),
      .indices = DIMS(6, 2) },
    { ROW("points_computed", "elements by pairs of computed indices", TUPLE), .in = DIMS(5, 7),
      .indices = DIMS(6, 2), .computed = true },
    { ROW("pixels", "pixels, as pose networks read offsets", TUPLE), .in = DIMS(6, 5, 3, 4),
      .indices = DIMS(7, 3), .computed = true },
    { ROW("pixels_c5", "pixels of five channels", TUPLE), .in = DIMS(4, 5, 5),
      .indices = DIMS(7, 2), .computed = true },
    { ROW("nd_rows", "tuples of one index", TUPLE), .in = DIMS(7, 6), .indices = DIMS(5, 1),
      .computed = true },
    { ROW("nd_images", "whole images", TUPLE), .in = DIMS(4, 2, 3, 5), .indices = DIMS(3, 1) },
    { ROW("nd_batch", "indices in a batch", TUPLE), .in = DIMS(4, 5, 3), .indices = DIMS(2, 3, 2),
      .computed = true },
    { ROW("nd_full", "one element by a full tuple", TUPLE), .in = DIMS(3, 4, 5, 6),
      .indices = DIMS(5, 4), .computed = true },
    { ROW("nd_one", "one tuple alone", TUPLE), .in = DIMS(3, 4, 5), .indices = DIMS(2),
      .computed = true },
    { ROW("nd_scalar", "one tuple to a scalar", TUPLE), .in = DIMS(3, 4, 5), .indices = DIMS(3),
      .computed = true },
    { ROW("nd_vector", "of a vector", TUPLE), .in = DIMS(17), .indices = DIMS(9, 1),
      .computed = true },
    { ROW("nd_rank5", "five dimensions, tuples of three", TUPLE), .in = DIMS(2, 3, 2, 2, 5),
      .indices = DIMS(4, 3) },
    { ROW("nd_tuple5", "tuples of five", TUPLE), .in = DIMS(2, 3, 2, 2, 5), .indices = DIMS(4, 5),
      .computed = true },
    { ROW("nd_longs", "indices of i64", TUPLE), .in = DIMS(6, 5), .indices = DIMS(4, 2),
      .longs = true },
    { ROW("nd_wide", "rows of many slices", TUPLE), .in = DIMS(3, 2, 35), .indices = DIMS(5, 2),
      .computed = true },
    { ROW("nd_slices", "rows of whole slices", TUPLE), .in = DIMS(3, 2, 8), .indices = DIMS(5, 2),
      .computed = true },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL, .only = "gather"), .in = DIMS(48, 5), .indices = DIMS(60),
      .computed = true },
    { ROW("lanes_special", LANES_SPECIAL, .only = "gather_nd"), .in = DIMS(48, 5),
      .indices = DIMS(60, 1), .computed = true },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("table66001", "a table of 66,001 rows", LARGE_IN(SIZED), AXIS), .in = DIMS(66001, 2),
      .indices = DIMS(300), .computed = true },
    { ROW("indices66001", "66,001 indices", LARGE_IN(SIZED), AXIS), .in = DIMS(300, 2),
      .indices = DIMS(66001), .computed = true },
    { ROW("outer66001", "the columns of 66,001 rows", LARGE_F32, AXIS), .in = DIMS(66001, 3),
      .indices = DIMS(2), .axis = 1 },
    { ROW("inner66001", "rows of 66,001 elements", LARGE_IN(SIZED), AXIS), .in = DIMS(3, 66001),
      .indices = DIMS(2) },
    { ROW("table66001", "a table of 66,001 rows", LARGE_IN(SIZED), TUPLE), .in = DIMS(66001, 2),
      .indices = DIMS(300, 1), .computed = true },
    { ROW("indices66001", "66,001 tuples", LARGE_IN(SIZED), TUPLE), .in = DIMS(5, 60, 2),
      .indices = DIMS(66001, 2), .computed = true },
    { ROW("outer66001", "elements of 66,001 rows", LARGE_F32, TUPLE), .in = DIMS(66001, 2),
      .indices = DIMS(300, 2), .computed = true },
    { ROW("inner66001", "rows of 66,001 elements", LARGE_IN(SIZED), TUPLE), .in = DIMS(3, 66001),
      .indices = DIMS(2, 1) },
    { ROW("constant_table", "an embedding: a constant table, indices that are computed", AXIS),
      .in = DIMS(9, 8), .indices = DIMS(1, 5), .computed = true, .table = true },
    { ROW("constant_table_c5", "a constant table whose rows do not fill a slice", AXIS,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(7, 5), .indices = DIMS(9), .computed = true, .table = true },
    { ROW("nd_constant_table", "a constant table, tuples that are computed", TUPLE,
          .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(9, 8), .indices = DIMS(5, 1), .computed = true, .table = true },
    { ROW("batch1_back", "batch_dims that counts from the end", AXIS, .version = 5),
      .in = DIMS(3, 5, 2, 4), .indices = DIMS(3, 2), .axis = 1, .batch = -1, .computed = true },
    { ROW("table66001_constant", "constant indices beyond 16 bits", LARGE_F32, AXIS),
      .in = DIMS(66001, 2), .indices = DIMS(30) },
    { ROW("table66001_constant", "constant tuples beyond 16 bits", LARGE_F32, TUPLE),
      .in = DIMS(66001, 2), .indices = DIMS(30, 1) },
    { ROW("constant_table_whole", "a constant table of elements without a scale", AXIS,
          .types = TYPES_WHOLE),
      .in = DIMS(7, 6), .indices = DIMS(2, 3), .computed = true, .table = true },
    { ROW("constant_table_channels", "channels of a constant, by computed indices", AXIS,
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      .in = DIMS(2, 3, 9), .indices = DIMS(6), .axis = 2, .computed = true, .table = true },
    { ROW("nd_constant_points", "elements of a constant, by computed pairs", TUPLE,
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPES_WHOLE),
      .in = DIMS(5, 7), .indices = DIMS(6, 2), .computed = true, .table = true },
    { ROW("constant_table66001", "a constant table of 66,001 rows", LARGE_F32, AXIS),
      .in = DIMS(66001, 2), .indices = DIMS(300), .computed = true, .table = true },
    { ROW("longs_computed", "indices of i64 that are computed", AXIS,
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32)),
      .in = DIMS(6, 5), .indices = DIMS(2, 3), .computed = true, .longs = true },
    { ROW("longs_table", "an embedding by tokens of i64", AXIS, .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(9, 8), .indices = DIMS(1, 5), .computed = true, .longs = true, .table = true },
    { ROW("nd_longs_computed", "tuples of i64 that are computed", TUPLE,
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      .in = DIMS(6, 5), .indices = DIMS(4, 2), .computed = true, .longs = true },
    { ROW("longs66001", "66,001 indices of i64 that are computed", LARGE_F32, AXIS),
      .in = DIMS(300, 2), .indices = DIMS(66001), .computed = true, .longs = true },
    { ROW("longs_rows5", "five rows of i64 that fill no slice", LARGE_F32, AXIS),
      .in = DIMS(300, 2), .indices = DIMS(5, 1030), .computed = true, .longs = true },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("sizes", "sizes of a shape", REAL(TYPE_BIT(CASE_I32)), .only = "gather"), .in = DIMS(4),
      .indices = DIMS(2) },
    /* Places in a row past 1,024 and 4,096. */
    { ROW("places4099", "elements of long rows", LARGE_IN(SIZED), AXIS), .in = DIMS(3, 4099),
      .indices = DIMS(300), .axis = 1, .computed = true },
    { ROW("places4099", "elements of long rows", LARGE_IN(SIZED), TUPLE), .in = DIMS(3, 4099),
      .indices = DIMS(300, 2), .computed = true },
};

/* The dimension of x that index i of the indices is in. */
static int dimension_of(const struct row *r, bool nd, size_t i)
{
    if (nd)
        return (int)(i % (size_t)r->indices.d[r->indices.rank - 1]);
    return r->axis < 0 ? r->axis + r->in.rank : r->axis;
}

/* Any indices that lie within x; frame B has others.  In large rows every other tuple is among the
 * last 64, and all repeat. */
static void draw_indices(const struct case_builder *m, bool nd, unsigned frame, int32_t *out)
{
    const struct row *const r = (const struct row *)m->c->row;
    const size_t tuple = nd ? (size_t)r->indices.d[r->indices.rank - 1] : 1;
    const size_t period = r->base.period * tuple;
    struct random_stream s;

    random_init(&s, m->request->seed, m->c->name, (uint64_t)m->request->set, 1000, frame);
    for (size_t i = 0; i < shape_elements(&r->indices); i++) {
        const int32_t extent = r->in.d[dimension_of(r, nd, i)];

        if (period > 0 && i >= period)
            out[i] = out[i - period];
        else if (period > 0 && i / tuple % 2 == 1)
            out[i] = extent - 1 - (int32_t)random_below(&s, extent < 64 ? (uint64_t)extent : 64);
        else
            out[i] = (int32_t)random_below(&s, (uint64_t)extent);
    }
}

static int add_indices(struct case_builder *m, bool nd)
{
    const struct row *const r = (const struct row *)m->c->row;
    static int32_t indices[2][INDICES_MAX];
    int tensor;

    if (!r->computed || r->longs) {
        for (unsigned frame = 0; frame < 2; frame++)
            draw_indices(m, nd, frame, indices[frame]);
        if (r->computed)
            return case_input_values(m, "indices", &r->indices, TENSOR_INT64, indices[0],
                                     indices[1]);
        return (r->longs ? case_constant_i64 : case_constant_i32)(m, "indices", &r->indices,
                                                                  indices[0]);
    }
    tensor = case_input_i32(m, "indices", &r->indices, 1, 0);
    for (unsigned frame = 0; frame < 2 && m->status == STATUS_OK; frame++)
        draw_indices(m, nd, frame, m->out->inputs[m->out->input_count - 1].data[frame]);
    return tensor;
}

static void append(struct shape *out, const struct shape *s, int first, int last)
{
    for (int d = first; d < last; d++)
        out->d[out->rank++] = s->d[d];
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const bool nd = m->c->code == BUILTIN_GATHER_ND;
    const struct fill any = { .terms = 1, .factors = 1 };
    const int axis = r->axis < 0 ? r->axis + r->in.rank : r->axis;
    struct shape out = SCALAR;
    struct options options;
    int in[2];

    append(&out, nd ? &r->indices : &r->in, 0, nd ? r->indices.rank - 1 : axis);
    if (!nd)
        append(&out, &r->indices, r->batch < 0 ? r->batch + r->indices.rank : r->batch,
               r->indices.rank);
    append(&out, &r->in, nd ? r->indices.d[r->indices.rank - 1] : axis + 1, r->in.rank);
    options_init(&options, nd ? OPTIONS_GatherNdOptions : OPTIONS_GatherOptions);
    if (!nd) {
        options_set_int(&options, "axis", r->axis);
        options_set_int(&options, "batch_dims", r->batch);
    }
    in[0] = case_operand(m, !r->table, "x", &r->in, &any);
    in[1] = add_indices(m, nd);
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

SUITE(gather, members, rows, build);

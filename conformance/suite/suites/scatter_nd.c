/* SCATTER_ND, which the delegate leaves to the host: places of every depth, updates of one place.
 */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape places; /* of the indices, without the last dimension */
    int32_t depth;       /* of a place */
    struct shape out;
    int32_t indices[16]; /* the first `count`, over and over */
    int32_t count;
};

static const struct suite_member members[] = {
    { SUITE_OP("scatter_nd", SCATTER_ND, 1), .types = TYPE_BIT(CASE_F32) | TYPES_WHOLE,
      .sets = SETS_MOVE, .bound = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 1 } },
};

#define PLACES(...)                                                                                \
    .indices = { __VA_ARGS__ }, .count = (int32_t)(sizeof((int32_t[]){ __VA_ARGS__ }) / 4)

static const struct row rows[] = {
    { ROW("vector", "elements of a vector"), .places = DIMS(3), .depth = 1, .out = DIMS(8),
      PLACES(4, 0, 7) },
    { ROW("one", "one element"), .places = DIMS(1), .depth = 1, .out = DIMS(5), PLACES(3) },
    { ROW("all", "every element, in another order"), .places = DIMS(5), .depth = 1, .out = DIMS(5),
      PLACES(3, 0, 4, 2, 1) },
    { ROW("twice", "two updates of one place"), .places = DIMS(4), .depth = 1, .out = DIMS(6),
      PLACES(1, 5, 1, 0) },
    { ROW("same", "all updates of one place"), .places = DIMS(9), .depth = 1, .out = DIMS(3),
      PLACES(2) },
    { ROW("cycle", "many updates of few places"), .places = DIMS(60), .depth = 1, .out = DIMS(4),
      PLACES(1, 3, 0) },
    { ROW("rows", "rows of a matrix"), .places = DIMS(2), .depth = 1, .out = DIMS(4, 3),
      PLACES(2, 0) },
    { ROW("rows_twice", "a row of a matrix twice"), .places = DIMS(3), .depth = 1,
      .out = DIMS(4, 3), PLACES(2, 0, 2) },
    { ROW("elements", "elements of a matrix"), .places = DIMS(3), .depth = 2, .out = DIMS(3, 4),
      PLACES(0, 3, 2, 1, 1, 0) },
    { ROW("elements_twice", "elements of a matrix, one twice"), .places = DIMS(4), .depth = 2,
      .out = DIMS(3, 4), PLACES(0, 3, 2, 1, 0, 3, 2, 2) },
    { ROW("planes", "planes of rank 3"), .places = DIMS(2), .depth = 1, .out = DIMS(3, 2, 2),
      PLACES(2, 1) },
    { ROW("rows3", "rows of rank 3"), .places = DIMS(2), .depth = 2, .out = DIMS(3, 2, 5),
      PLACES(2, 1, 0, 0) },
    { ROW("rank4", "pixels of an image"), .places = DIMS(3), .depth = 3, .out = DIMS(1, 4, 4, 3),
      PLACES(0, 1, 2, 0, 3, 3, 0, 0, 0) },
    { ROW("rank5", "five dimensions"), .places = DIMS(2), .depth = 4, .out = DIMS(2, 2, 3, 2, 2),
      PLACES(1, 0, 2, 1, 0, 1, 1, 0) },
    { ROW("grid", "places in two dimensions"), .places = DIMS(2, 3), .depth = 1, .out = DIMS(7),
      PLACES(6, 0, 3, 1, 2, 5) },
    { ROW("grid_rows", "places of rows in two dimensions"), .places = DIMS(2, 2), .depth = 1,
      .out = DIMS(5, 2), PLACES(4, 0, 3, 4) },
    { ROW("grid_elements", "places of elements in two dimensions"), .places = DIMS(2, 2),
      .depth = 2, .out = DIMS(3, 3), PLACES(0, 0, 2, 2, 1, 0, 2, 1) },
    { ROW("corners", "the first and the last element"), .places = DIMS(2), .depth = 3,
      .out = DIMS(3, 4, 5), PLACES(0, 0, 0, 2, 3, 4) },
    { ROW("wide", "a row of a wide matrix"), .places = DIMS(1), .depth = 1, .out = DIMS(3, 257),
      PLACES(1) },
    { ROW("v", "the version of the op", .each_version = true), .places = DIMS(2), .depth = 1,
      .out = DIMS(4), PLACES(3, 1) },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL), .places = DIMS(16), .depth = 1, .out = DIMS(17, 5),
      PLACES(3, 0, 4, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6) },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("outer66001", "a matrix of 66,001 rows", LARGE_F32), .places = DIMS(3), .depth = 2,
      .out = DIMS(66001, 2), PLACES(0, 1, 66000, 0, 464, 1) },
    { ROW("axis66001", "a vector of 66,001", LARGE_F32), .places = DIMS(3), .depth = 1,
      .out = DIMS(66001), PLACES(66000, 464, 0) },
    { ROW("inner66001", "rows of 66,001 elements", LARGE_F32), .places = DIMS(2), .depth = 1,
      .out = DIMS(3, 66001), PLACES(2, 0) },
};

enum { INDICES = 128 };

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape rank = DIMS(r->out.rank);
    struct shape places = r->places, updates = r->places;
    int32_t indices[INDICES];
    struct options options;
    int in[3];

    places.d[places.rank++] = r->depth;
    for (int d = r->depth; d < r->out.rank; d++)
        updates.d[updates.rank++] = r->out.d[d];
    for (size_t i = 0; i < shape_elements(&places) && i < INDICES; i++)
        indices[i] = r->indices[i % (size_t)r->count];
    options_init(&options, OPTIONS_ScatterNdOptions);
    in[0] = case_constant_i32(m, "indices", &places, indices);
    in[1] = case_input(m, "updates", &updates, &any);
    in[2] = case_constant_i32(m, "shape", &rank, r->out.d);
    case_judged_op(m, &options, 3, in, case_output(m, "y", &r->out));
}

SUITE(scatter_nd, members, rows, build);

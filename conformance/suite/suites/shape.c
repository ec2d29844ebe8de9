/* SHAPE: shapes of every rank. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"

struct row {
    struct op_case base;
    struct shape in;
};

static const struct suite_member members[] = {
    { SUITE_OP("shape", SHAPE, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE,
      .sets = SET_BIT(SET_RANDOM), .bound = { .kind = BOUND_BITS } },
};

enum { EVERY = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE };
static const struct row rows[] = {
    { ROW("image", "an image", .types = EVERY), .in = DIMS(1, 3, 4, 5) },
    { ROW("vector", "a vector"), .in = DIMS(7) },
    { ROW("matrix", "a matrix"), .in = DIMS(3, 9) },
    { ROW("one", "one element"), .in = DIMS(1) },
    { ROW("rank3", "rank 3", .types = EVERY), .in = DIMS(2, 3, 4) },
    { ROW("rank5", "rank 5"), .in = DIMS(2, 1, 3, 2, 4) },
    { ROW("rank6", "rank 6"), .in = DIMS(1, 2, 1, 3, 2, 4) },
    { ROW("rank8", "rank 8"), .in = DIMS(1, 2, 1, 3, 1, 2, 1, 4) },
    { ROW("empty", "a dimension of 0", EMPTY), .in = DIMS(2, 0, 3) },
    { ROW("v", "the version of the op", .each_version = true), .in = DIMS(2, 5) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = DIMS(r->in.rank);
    struct options options;
    const int x = case_input(m, "x", &r->in, &any);

    options_init(&options, OPTIONS_ShapeOptions);
    options_set_int(&options, "out_type", TENSOR_INT32);
    case_judged_op(m, &options, 1, &x, case_output_i32(m, "y", &vector));
}

SUITE(shape, members, rows, build);

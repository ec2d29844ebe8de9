/* BROADCAST_ARGS, which the delegate leaves to the host: shapes of equal and of different ranks. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"

struct row {
    struct op_case base;
    struct shape a, b; /* of a tensor, and the values of a constant */
    bool swapped;      /* the constant comes first */
};

static const struct suite_member members[] = {
    { SUITE_OP("broadcast_args", BROADCAST_ARGS, 1), .types = TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM), .bound = { .kind = BOUND_BITS } },
};

#define I32(name, why) ROW(name, why, .types = TYPE_BIT(CASE_I32))

static const struct row rows[] = {
    { I32("equal", "one shape twice"), .a = DIMS(2, 3), .b = DIMS(2, 3) },
    { I32("first", "the first is stretched"), .a = DIMS(1, 1), .b = DIMS(4, 5) },
    { I32("second", "the second is stretched"), .a = DIMS(4, 5), .b = DIMS(1, 5) },
    { I32("both", "each is stretched along one dimension"), .a = DIMS(1, 7), .b = DIMS(6, 1) },
    { I32("shorter", "the first has fewer dimensions"), .a = DIMS(3), .b = DIMS(2, 4, 3) },
    { I32("longer", "the first has more dimensions"), .a = DIMS(2, 4, 1), .b = DIMS(3) },
    { I32("one", "one dimension each"), .a = DIMS(1), .b = DIMS(9) },
    { I32("vectors", "one dimension each, equal"), .a = DIMS(5), .b = DIMS(5) },
    { I32("ones", "nothing but 1"), .a = DIMS(1, 1, 1), .b = DIMS(1, 1) },
    { I32("zero", "1 becomes 0"), .a = DIMS(2, 1), .b = DIMS(2, 0) },
    { I32("rank4", "an image, and its channels"), .a = DIMS(1, 8, 8, 16), .b = DIMS(16) },
    { I32("rank5", "five dimensions"), .a = DIMS(2, 1, 4, 1, 6), .b = DIMS(1, 3, 1, 5, 1) },
    { I32("rank6", "six dimensions"), .a = DIMS(2, 1, 4, 1, 6, 7), .b = DIMS(5, 6, 1) },
    { I32("rank8", "eight dimensions"), .a = DIMS(1, 2, 1, 3, 1, 4, 1, 5), .b = DIMS(6, 1, 1, 1) },
    { I32("swapped", "the constant comes first"), .a = DIMS(1, 3), .b = DIMS(2, 1),
      .swapped = true },
    { I32("swapped_longer", "the constant comes first, and is longer"), .a = DIMS(1, 3),
      .b = DIMS(4, 2, 1), .swapped = true },
    { I32("large", "sizes of 31 bits"), .a = DIMS(1, 3), .b = DIMS(2147483647, 65536, 1) },
    { I32("rank3", "three dimensions"), .a = DIMS(2, 1, 4), .b = DIMS(1, 3, 1) },
    { I32("rank7", "seven dimensions"), .a = DIMS(1, 1, 2, 1, 1, 3, 1),
      .b = DIMS(4, 1, 5, 6, 1, 7) },
    { I32("one_image", "one element, and an image"), .a = DIMS(1), .b = DIMS(1, 4, 4, 3) },
    { I32("batch", "a batch, and one of it"), .a = DIMS(5, 3, 2), .b = DIMS(1, 3, 2) },
    { I32("column", "a row, and a column"), .a = DIMS(1, 6), .b = DIMS(4, 1) },
    { I32("swapped_equal", "the constant comes first, and is the same"), .a = DIMS(4, 3),
      .b = DIMS(4, 3), .swapped = true },
    { I32("swapped_shorter", "the constant comes first, and is shorter"), .a = DIMS(2, 4, 3),
      .b = DIMS(4, 1), .swapped = true },
    { ROW("v", "the version of the op", .each_version = true), .a = DIMS(2, 1), .b = DIMS(3) },
};

/* One shape is that of an input, as a SHAPE gives it, since drawn sizes would seldom broadcast. */
static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape rank_a = DIMS(r->a.rank), rank_b = DIMS(r->b.rank);
    const struct shape rank = DIMS(r->a.rank > r->b.rank ? r->a.rank : r->b.rank);
    const int x = case_input_i32(m, "x", &r->a, 0, 0);
    struct options options;
    int in[2];

    in[r->swapped] = case_tensor_i32(m, "a", &rank_a);
    in[!r->swapped] = case_constant_i32(m, "b", &rank_b, r->b.d);
    options_init(&options, OPTIONS_ShapeOptions);
    options_set_int(&options, "out_type", TENSOR_INT32);
    case_op(m, BUILTIN_SHAPE, 1, &options, 1, &x, in[r->swapped]);
    case_judged_op(m, NULL, 2, in, case_output_i32(m, "y", &rank));
}

SUITE(broadcast_args, members, rows, build);

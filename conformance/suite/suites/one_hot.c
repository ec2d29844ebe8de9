/* ONE_HOT: every axis, indices within and without, depths around slices of four. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"

struct row {
    struct op_case base;
    struct shape in; /* of the indices */
    int32_t depth, axis;
};

static const struct suite_member members[] = {
    { SUITE_OP("one_hot", ONE_HOT, 1), .types = TYPE_BIT(CASE_F32) | TYPES_WHOLE,
      .sets = SET_BIT(SET_RANDOM), .bound = { .kind = BOUND_BITS } },
};

#define DEPTH(n)                                                                                   \
    {                                                                                              \
        ROW("depth" #n, "depths in slices of four"), .in = DIMS(5), .depth = n, .axis = -1         \
    }

static const struct row rows[] = {
    DEPTH(1),
    DEPTH(2),
    DEPTH(3),
    DEPTH(4),
    DEPTH(5),
    DEPTH(8),
    DEPTH(13),
    DEPTH(67),
    { ROW("scalar", "one index"), .in = SCALAR, .depth = 6, .axis = -1 },
    { ROW("scalar_0", "one index, axis 0"), .in = SCALAR, .depth = 6, .axis = 0 },
    { ROW("first", "the axis comes first"), .in = DIMS(3, 5), .depth = 4, .axis = 0 },
    { ROW("middle", "the axis is in the middle"), .in = DIMS(3, 5), .depth = 6, .axis = 1 },
    { ROW("last", "the axis is the last, by its number"), .in = DIMS(3, 5), .depth = 7, .axis = 2 },
    { ROW("image", "a map of classes, as segmentation ends"), .in = DIMS(1, 4, 6), .depth = 5,
      .axis = -1 },
    { ROW("image_first", "classes before the map"), .in = DIMS(2, 3, 4), .depth = 5, .axis = 1 },
    { ROW("rank4", "four dimensions"), .in = DIMS(2, 2, 3, 5), .depth = 3, .axis = 2 },
    { ROW("tokens", "a batch of tokens"), .in = DIMS(2, 7), .depth = 31, .axis = -1 },
    { ROW("v", "the version of the op", .each_version = true), .in = DIMS(3, 2), .depth = 5,
      .axis = -1 },
    { ROW("wide", "more indices than a workgroup has invocations"), .in = DIMS(257), .depth = 3,
      .axis = 0 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("indices66001", "66,001 indices", LARGE_ANY), .in = DIMS(66001), .depth = 2, .axis = -1 },
    { ROW("depth66001", "a depth of 66,001", LARGE_ANY), .in = DIMS(3), .depth = 66001,
      .axis = -1 },
    { ROW("inner66001", "66,001 indices behind the axis", LARGE_ANY), .in = DIMS(66001), .depth = 2,
      .axis = 0 },
};

/* Truth values are true and false; drawn ones might be the same. */
static int constant_value(struct case_builder *m, const char *name, bool on)
{
    const struct shape scalar = SCALAR;
    const struct fill any = { .terms = 1, .factors = 1 };
    const uint8_t truth = on;

    if (m->c->type != TENSOR_BOOL)
        return case_constant(m, name, &scalar, &any);
    if (m->status != STATUS_OK)
        return -1;
    return builder_constant(&m->builder, TENSOR_BOOL, name, 0, NULL, &truth, sizeof truth);
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int axis = r->axis < 0 ? r->in.rank : r->axis;
    const struct shape scalar = SCALAR;
    struct shape out = { .rank = r->in.rank + 1 };
    struct options options;
    int in[4];

    for (int d = 0; d < out.rank; d++)
        out.d[d] = d == axis ? r->depth : r->in.d[d - (d > axis)];
    options_init(&options, OPTIONS_OneHotOptions);
    options_set_int(&options, "axis", r->axis);
    /* A third of the indices are below 0 or beyond the depth, which is no error. */
    in[0] = case_input_i32(m, "indices", &r->in, r->depth - 1 + (r->depth == 1), r->depth / 2);
    in[1] = case_constant_i32(m, "depth", &scalar, &r->depth);
    in[2] = constant_value(m, "on_value", true);
    in[3] = constant_value(m, "off_value", false);
    case_judged_op(m, &options, 4, in, case_output(m, "y", &out));
}

SUITE(one_hot, members, rows, build);

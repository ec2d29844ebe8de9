/* FILL, ZEROS_LIKE and RANGE, which the delegate leaves to the host: shapes of every rank, ranges
 * in both directions. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape out;          /* RANGE: of one element; its results are counted from the rest */
    float start, limit, delta; /* RANGE of f32 */
    int32_t from, to, step;    /* of i32 */
};

static const struct suite_member members[] = {
    { SUITE_OP("fill", FILL, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE,
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS } },
    { SUITE_OP("zeros_like", ZEROS_LIKE, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM), .bound = { .kind = BOUND_BITS } },
    /* Each element is the one before plus delta, whose roundings add up. */
    { SUITE_OP("range", RANGE, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32),
      .sets = SET_BIT(SET_RANDOM), .bound = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 1 } },
};

#define SHAPED "fill zeros_like"
#define BOTH   .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32)
#define STEPS(name, why, from_, to_, step_)                                                        \
    {                                                                                              \
        ROW(name, why, .only = "range", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32)),         \
            .start = (from_), .limit = (to_), .delta = (step_), .from = (from_), .to = (to_),      \
            .step = (step_)                                                                        \
    }
#define FLOATS(name, why, start_, limit_, delta_)                                                  \
    {                                                                                              \
        ROW(name, why, .only = "range", .types = TYPE_BIT(CASE_F32)),                              \
            .start = (start_), .limit = (limit_), .delta = (delta_)                                \
    }

static const struct row rows[] = {
    { ROW("scalar", "rank 0, by dims of no elements", .only = "fill", EMPTY_TENSOR),
      .out = SCALAR },
    { ROW("scalar", "rank 0", .only = "zeros_like"), .out = SCALAR },
    { ROW("vector", "a vector", .only = SHAPED), .out = DIMS(7) },
    { ROW("one", "one element", .only = SHAPED), .out = DIMS(1) },
    { ROW("matrix", "a matrix", .only = SHAPED), .out = DIMS(3, 5) },
    { ROW("rank3", "rank 3", .only = SHAPED), .out = DIMS(2, 3, 4) },
    { ROW("image", "an image", .only = SHAPED), .out = DIMS(1, 4, 5, 3) },
    { ROW("rank5", "rank 5", .only = SHAPED), .out = DIMS(2, 1, 3, 2, 2) },
    { ROW("rank6", "rank 6", .only = SHAPED), .out = DIMS(1, 2, 1, 3, 2, 2) },
    { ROW("rank8", "rank 8", .only = SHAPED), .out = DIMS(1, 2, 1, 2, 1, 3, 1, 2) },
    { ROW("empty", "a dimension of 0", .only = SHAPED, EMPTY_TENSOR), .out = DIMS(2, 0, 3) },
    { ROW("c4", "a whole slice", .only = "zeros_like", BOTH), .out = DIMS(2, 4) },
    { ROW("c5", "a slice and a lane", .only = "zeros_like", BOTH), .out = DIMS(2, 5) },
    { ROW("tall", "a column", .only = "zeros_like", BOTH), .out = DIMS(19, 1) },
    { ROW("wide", "more elements than a workgroup has invocations", .only = "zeros_like", BOTH),
      .out = DIMS(257) },
    { ROW("rank7", "rank 7", .only = "zeros_like", BOTH), .out = DIMS(1, 2, 1, 3, 1, 2, 2) },
    { ROW("batch", "a batch of images", .only = "zeros_like", BOTH), .out = DIMS(3, 2, 2, 3) },
    { ROW("channels", "channels alone", .only = "zeros_like", BOTH), .out = DIMS(1, 1, 1, 9) },
    STEPS("up", "steps of 1", 0, 5, 1),
    STEPS("down", "steps of -1", 5, 0, -1),
    STEPS("two", "steps of 2, to an odd limit", 0, 9, 2),
    STEPS("two_even", "steps of 2, to an even limit", 0, 10, 2),
    STEPS("back", "steps of -3, past 0", 7, -9, -3),
    STEPS("negative", "below 0", -9, -2, 4),
    STEPS("one_step", "a step that is longer than the way", 3, 4, 100),
    STEPS("one_element", "a way of one step", 3, 4, 1),
    STEPS("two_down", "two elements, downward", -3, -5, -1),
    STEPS("far", "numbers that f16 lacks", 4097, 4103, 2),
    STEPS("long", "more elements than a workgroup has invocations", -100, 300, 1),
    FLOATS("tenth", "a step that no float holds", 0, 1, 0.1f),
    FLOATS("third", "a step that no float holds, downward", 2, -2, -1 / 3.f),
    FLOATS("quarter", "an exact step that meets the limit", 1, 0, -0.25f),
    FLOATS("fraction", "a start between integers", 0.5f, 6.25f, 1.5f),
    FLOATS("large", "beyond f16", 1e5f, 1.5e6f, 1e5f),
    { ROW("v", "every version of the op means the same", .only = SHAPED, .each_version = true),
      .out = DIMS(2, 3) },
    { ROW("v", "the version of the op", .only = "range", .each_version = true), .limit = 4,
      .delta = 1, .to = 4, .step = 1 },
    /* What is no number, moved to other lanes. */
    { ROW("value_special", "filled with NaN", .only = "fill", .types = TYPE_BIT(CASE_F32),
          LANES_ONE_SET, .specials = true, VALUES(lane_specials)),
      .out = DIMS(3, 5) },
    { ROW("lanes_special", LANES_SPECIAL, .only = "zeros_like"), .out = SPECIAL_DIMS },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", LARGE_F32, .only = SHAPED), .out = DIMS(66001, 1) },
    { ROW("channels66001", "66,001 channels", LARGE_F32, .only = SHAPED), .out = DIMS(1, 66001) },
    STEPS("n66001", "elements beyond 65,536", -100, 65901, 1),
};

static void build_range(struct case_builder *m, const struct row *r)
{
    const struct shape scalar = SCALAR;
    const bool is_float = m->c->type == TENSOR_FLOAT32;
    const float reals[] = { r->start, r->limit, r->delta };
    const int32_t whole[] = { r->from, r->to, r->step };
    static const char *const names[] = { "start", "limit", "delta" };
    struct shape out = { .rank = 1 };
    struct options options;
    int in[3];

    for (int i = 0; i < 3; i++)
        in[i] = is_float ? case_operand_values(m, false, names[i], &scalar, &reals[i], 1)
                         : case_constant_i32(m, names[i], &scalar, &whole[i]);
    if (is_float)
        for (; (float)out.d[0] * r->delta / (r->limit - r->start) < 1;)
            out.d[0]++;
    else
        out.d[0] = (whole[1] - whole[0] + whole[2] - (whole[2] > 0 ? 1 : -1)) / whole[2];
    options_init(&options, OPTIONS_RangeOptions);
    case_judged_op(m, &options, 3, in, case_output(m, "y", &out));
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape scalar = SCALAR, rank = DIMS(r->out.rank);
    const struct fill any = { .terms = 1, .factors = 1 };
    struct options options;
    int in[2];

    if (m->c->code == BUILTIN_RANGE) {
        build_range(m, r);
    } else if (m->c->code == BUILTIN_FILL) {
        options_init(&options, OPTIONS_FillOptions);
        in[0] = case_constant_i32(m, "dims", &rank, r->out.d);
        in[1] = case_input(m, "value", &scalar, &any);
        case_judged_op(m, &options, 2, in, case_output(m, "y", &r->out));
    } else {
        options_init(&options, OPTIONS_ZerosLikeOptions);
        in[0] = case_input(m, "x", &r->out, &any);
        case_judged_op(m, &options, 1, in, case_output(m, "y", &r->out));
    }
}

SUITE(fill, members, rows, build);

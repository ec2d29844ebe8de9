/* LOGICAL_AND, LOGICAL_OR of bool: what is broadcast, either operand a constant, ranks 0 to 6. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "reference/kernels/op.h"

enum constant { CONST_NONE, CONST_A, CONST_B };

struct row {
    struct op_case base;
    struct shape a, b;
    enum constant constant;
    bool same; /* both operands are the tensor a */
};

#define MEMBER(op_, code_)                                                                         \
    {                                                                                              \
        .op = (op_), .code = (code_), .version = 1, .types = TYPE_BIT(CASE_BOOL),                  \
        .sets = SET_BIT(SET_RANDOM), .bool_version = 1, .bound = {                                 \
            .kind = BOUND_BITS                                                                     \
        }                                                                                          \
    }
static const struct suite_member members[] = {
    MEMBER("logical_and", BUILTIN_LOGICAL_AND),
    MEMBER("logical_or", BUILTIN_LOGICAL_OR),
};

#define BOOL .types = TYPE_BIT(CASE_BOOL)
#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four", BOOL), .a = DIMS(1, 2, 3, c),                    \
                                                         .b = DIMS(1, 2, 3, c)                     \
    }
#define BOTH_WAYS(name, why, big, small)                                                           \
    { ROW(name "_b", why ", on the right", BOOL), .a = big, .b = small },                          \
    {                                                                                              \
        ROW(name "_a", why ", on the left", BOOL), .a = small, .b = big                            \
    }

static const struct row rows[] = {
    CHANNELS(1),
    CHANNELS(2),
    CHANNELS(3),
    CHANNELS(4),
    CHANNELS(5),
    CHANNELS(8),
    CHANNELS(17),
    BOTH_WAYS("scalar", "rank 0 against an image", DIMS(1, 3, 3, 5), SCALAR),
    BOTH_WAYS("linear", "a value for each channel", DIMS(2, 3, 2, 7), DIMS(7)),
    BOTH_WAYS("pixel", "a value for each pixel, one channel", DIMS(1, 3, 4, 5), DIMS(1, 3, 4, 1)),
    BOTH_WAYS("both", "each operand is broadcast somewhere", DIMS(2, 1, 3, 1), DIMS(1, 4, 1, 5)),
    BOTH_WAYS("batch", "a value for each image", DIMS(3, 2, 2, 5), DIMS(3, 1, 1, 1)),
    { ROW("linear_const_b", "a constant for each channel", BOOL), .a = DIMS(1, 3, 3, 6),
      .b = DIMS(6), .constant = CONST_B },
    { ROW("same_const_a", "a constant on the left", BOOL), .a = DIMS(1, 3, 3, 5),
      .b = DIMS(1, 3, 3, 5), .constant = CONST_A },
    { ROW("pixel_const_b", "a mask, one channel", BOOL), .a = DIMS(2, 3, 3, 5), .b = DIMS(3, 3, 1),
      .constant = CONST_B },
    { ROW("rank0", "scalar and scalar", BOOL), .a = SCALAR, .b = SCALAR },
    { ROW("rank1", "vector and vector", BOOL), .a = DIMS(7), .b = DIMS(7) },
    { ROW("rank2", "matrix and vector", BOOL), .a = DIMS(5, 6), .b = DIMS(6) },
    { ROW("rank3", "rank 3 against rank 2", BOOL), .a = DIMS(2, 3, 5), .b = DIMS(3, 5) },
    { ROW("rank6", "six dimensions", BOOL), .a = DIMS(2, 1, 2, 1, 2, 3),
      .b = DIMS(2, 1, 2, 1, 2, 3) },
    { ROW("self", "one tensor as both operands", BOOL), .a = DIMS(1, 3, 3, 5), .same = true },
    { ROW("n65", "one element more than a workgroup of 64 has invocations", BOOL), .a = DIMS(1, 65),
      .b = DIMS(1, 65) },
    { ROW("n257", "one element more than a workgroup of 256 has invocations", BOOL),
      .a = DIMS(1, 257), .b = DIMS(1, 257) },
    { ROW("batch7_c3", "an odd batch", BOOL), .a = DIMS(7, 1, 2, 3), .b = DIMS(7, 1, 2, 3) },
    { ROW("v", "the version of the op", BOOL, .each_version = true), .a = DIMS(1, 2, 2, 6),
      .b = DIMS(1, 2, 2, 6) },
    { ROW("empty_batch", "no image at all", BOOL, EMPTY_TENSOR), .a = DIMS(0, 3, 2, 5),
      .b = DIMS(0, 3, 2, 5) },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places, a value for each", BOOL, .period = SHORT_PERIOD),
      .a = DIMS(66001, 2), .b = DIMS(66001, 1) },
    { ROW("channels66001", "66,001 channels", BOOL, .period = SHORT_PERIOD), .a = DIMS(1, 66001),
      .b = DIMS(66001) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape out = r->same ? r->a : shape_broadcast(&r->a, &r->b);
    const struct fill any = { .terms = 1, .factors = 1 };
    struct options options;
    int in[2];

    in[0] = case_operand(m, r->constant != CONST_A, "a", &r->a, &any);
    in[1] = r->same ? in[0] : case_operand(m, r->constant != CONST_B, "b", &r->b, &any);
    options_init(&options, ref_find(m->c->code)->options_tag);
    case_judged_op(m, &options, 2, in, case_output_bool(m, "y", &out));
}

SUITE(logical, members, rows, build);

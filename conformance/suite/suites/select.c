/* SELECT, SELECT_V2: elements of all types are copied, by a condition that is a scalar, a value for
 * each row, or of any shape that broadcasts; each input a constant in turn. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"
#include "reference/kernels/op.h"

enum constant { CONST_NONE, CONST_CONDITION = 1, CONST_A = 2, CONST_B = 4 };

struct row {
    struct op_case base;
    struct shape condition, a, b, y;
    unsigned constants; /* enum constant, ored */
    const float *b_values;
    size_t b_count;
};

#define LANED SHAPES(SPECIAL_DIMS, SPECIAL_DIMS, SPECIAL_DIMS, SPECIAL_DIMS)
#define MEMBER(op_, code_)                                                                         \
    {                                                                                              \
        .op = (op_), .code = (code_), .version = 1,                                                \
        .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE,             \
        .sets = SETS_MOVE, .i32_version = 1, .bool_version = 1, .bound = {                         \
            .kind = BOUND_BITS                                                                     \
        }                                                                                          \
    }
static const struct suite_member members[] = {
    MEMBER("select", BUILTIN_SELECT),
    MEMBER("select_v2", BUILTIN_SELECT_V2),
};

#define V2                     .only = "select_v2"
#define V1                     .only = "select"
#define EVERY                  .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES | TYPES_WHOLE
#define SHAPES(c_, a_, b_, y_) .condition = c_, .a = a_, .b = b_, .y = y_
#define IMAGE                  DIMS(2, 3, 2, 5)
#define CHANNELS(c)                                                                                \
    {                                                                                              \
        ROW("c" #c, "channels in slices of four"),                                                 \
            SHAPES(DIMS(1, 2, 3, c), DIMS(1, 2, 3, c), DIMS(1, 2, 3, c), DIMS(1, 2, 3, c))         \
    }

static const float lowest[] = { -3.4e38f };
static const float masked[] = { -1e9f };

static const struct row rows[] = {
    CHANNELS(1),
    CHANNELS(3),
    CHANNELS(4),
    CHANNELS(5),
    CHANNELS(17),
    { ROW("same", "three shapes alike", EVERY), SHAPES(IMAGE, IMAGE, IMAGE, IMAGE) },
    { ROW("scalar", "a condition of rank 0"), SHAPES(SCALAR, IMAGE, IMAGE, IMAGE) },
    { ROW("rows", "a condition for each image", V1, EVERY), SHAPES(DIMS(2), IMAGE, IMAGE, IMAGE) },
    { ROW("rows_rank2", "a condition for each row of a matrix", V1,
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)),
      SHAPES(DIMS(5), DIMS(5, 6), DIMS(5, 6), DIMS(5, 6)) },
    { ROW("rows_square", "a condition for each row of a square", V1),
      SHAPES(DIMS(5), DIMS(5, 5), DIMS(5, 5), DIMS(5, 5)) },
    { ROW("rows_rank6", "a condition for each index of the first of six dimensions", V1),
      SHAPES(DIMS(3), DIMS(3, 1, 2, 1, 2, 3), DIMS(3, 1, 2, 1, 2, 3), DIMS(3, 1, 2, 1, 2, 3)) },
    { ROW("channels", "a condition for each channel", V2,
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPES_BYTES),
      SHAPES(DIMS(5), IMAGE, IMAGE, IMAGE) },
    { ROW("pixels", "a condition for each pixel", V2, .types = TYPE_BIT(CASE_F32) | TYPES_WHOLE),
      SHAPES(DIMS(2, 3, 2, 1), IMAGE, IMAGE, IMAGE) },
    { ROW("condition_large", "a condition for two scalars", V2),
      SHAPES(IMAGE, SCALAR, SCALAR, IMAGE) },
    { ROW("a_scalar", "a is a scalar", V2), SHAPES(IMAGE, SCALAR, IMAGE, IMAGE) },
    { ROW("b_scalar", "b is a scalar", V2), SHAPES(IMAGE, IMAGE, DIMS(1), IMAGE) },
    { ROW("a_channels", "a has a value for each channel", V2),
      SHAPES(DIMS(2, 1, 1, 1), DIMS(5), IMAGE, IMAGE) },
    { ROW("b_pixels", "b has a value for each pixel", V2),
      SHAPES(DIMS(3, 1, 1), IMAGE, DIMS(3, 2, 1), IMAGE) },
    { ROW("all", "each input is broadcast somewhere", V2, EVERY),
      SHAPES(DIMS(2, 1, 1, 1), DIMS(1, 3, 1, 5), DIMS(1, 1, 2, 1), IMAGE) },
    { ROW("lower", "three ranks", V2), SHAPES(DIMS(3, 1, 1), DIMS(5), IMAGE, IMAGE) },
    { ROW("rank5", "five dimensions", V2),
      SHAPES(DIMS(2, 1, 2, 1, 3), DIMS(2, 2, 3), DIMS(2, 3, 1, 2, 1), DIMS(2, 3, 2, 2, 3)) },
    { ROW("rank6", "six dimensions alike"),
      SHAPES(DIMS(2, 1, 2, 1, 2, 3), DIMS(2, 1, 2, 1, 2, 3), DIMS(2, 1, 2, 1, 2, 3),
             DIMS(2, 1, 2, 1, 2, 3)) },
    { ROW("rank0", "three scalars", .types = TYPE_BIT(CASE_F32)),
      SHAPES(SCALAR, SCALAR, SCALAR, SCALAR) },
    { ROW("rank1", "vectors"), SHAPES(DIMS(7), DIMS(7), DIMS(7), DIMS(7)) },
    { ROW("rank2", "matrices", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF)),
      SHAPES(DIMS(5, 6), DIMS(5, 6), DIMS(5, 6), DIMS(5, 6)) },
    { ROW("a_const", "a is a constant",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_U8) | TYPE_BIT(CASE_BOOL)),
      SHAPES(IMAGE, IMAGE, IMAGE, IMAGE), .constants = CONST_A },
    { ROW("b_const", "b is a constant",
          .types =
              TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_HALF) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32)),
      SHAPES(IMAGE, IMAGE, IMAGE, IMAGE), .constants = CONST_B },
    { ROW("condition_const", "the condition is a constant",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_U8)),
      SHAPES(IMAGE, IMAGE, IMAGE, IMAGE), .constants = CONST_CONDITION },
    { ROW("two_const", "a and b are constants", .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I32)),
      SHAPES(IMAGE, IMAGE, IMAGE, IMAGE), .constants = CONST_A | CONST_B },
    { ROW("zero", "b is a constant scalar, as of a mask", V2), SHAPES(IMAGE, IMAGE, SCALAR, IMAGE),
      .constants = CONST_B },
    { ROW("mask", "b is a constant of -1e9, beyond f16", V2, .types = TYPE_BIT(CASE_F32)),
      SHAPES(IMAGE, IMAGE, SCALAR, IMAGE), .constants = CONST_B, .b_values = masked, .b_count = 1 },
    { ROW("lowest", "b is a constant, nearly the lowest float", V2, .types = TYPE_BIT(CASE_F32)),
      SHAPES(IMAGE, IMAGE, SCALAR, IMAGE), .constants = CONST_B, .b_values = lowest, .b_count = 1 },
    { ROW("n257", "one element more than a workgroup of 256 has invocations"),
      SHAPES(DIMS(1, 257), DIMS(1, 257), DIMS(1, 257), DIMS(1, 257)) },
    { ROW("batch3", "an odd batch"),
      SHAPES(DIMS(3, 2, 2, 3), DIMS(3, 2, 2, 3), DIMS(3, 2, 2, 3), DIMS(3, 2, 2, 3)) },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      SHAPES(IMAGE, IMAGE, IMAGE, IMAGE) },
    { ROW("empty_batch", "no image at all", .types = TYPE_BIT(CASE_F32), EMPTY_TENSOR),
      SHAPES(DIMS(0, 3, 2, 5), DIMS(0, 3, 2, 5), DIMS(0, 3, 2, 5), DIMS(0, 3, 2, 5)) },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special_a", LANES_SPECIAL), LANED },
    { ROW("lanes_special_b", LANES_SPECIAL, .values_of = 1), LANED },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", V1,
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32))),
      SHAPES(DIMS(66001, 1), DIMS(66001, 1), DIMS(66001, 1), DIMS(66001, 1)) },
    { ROW("rows66001", "a condition for each of 66,001 rows", V1, LARGE_F32),
      SHAPES(DIMS(66001), DIMS(66001, 2), DIMS(66001, 2), DIMS(66001, 2)) },
    { ROW("channels66001", "66,001 channels", V1, LARGE_F32),
      SHAPES(DIMS(1, 66001), DIMS(1, 66001), DIMS(1, 66001), DIMS(1, 66001)) },
    { ROW("places66001", "66,001 places, a condition for each", V2,
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32))),
      SHAPES(DIMS(66001, 1), DIMS(66001, 2), DIMS(1, 2), DIMS(66001, 2)) },
    { ROW("channels66001", "66,001 channels, a condition for each", V2,
          LARGE_IN(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32))),
      SHAPES(DIMS(66001), DIMS(2, 66001), DIMS(2, 1), DIMS(2, 66001)) },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("vector_of_scalars", "a vector of two values", REAL(TYPE_BIT(CASE_F32)),
          .only = "select_v2"),
      SHAPES(DIMS(5), SCALAR, SCALAR, DIMS(5)) },
    /* Five dimensions, no two alike; each input is broadcast over others of them. */
    { ROW("rank5_turns", "a is broadcast over two of five dimensions, b over the channels", V2,
          .sets = SET_BIT(SET_RANDOM)),
      SHAPES(DIMS(2, 1, 4, 1, 6), DIMS(1, 3, 1, 5, 6), DIMS(2, 3, 4, 5, 1), DIMS(2, 3, 4, 5, 6)) },
    { ROW("rank5_turns_b", "b is broadcast over two of five dimensions, a over the channels", V2,
          .sets = SET_BIT(SET_RANDOM)),
      SHAPES(DIMS(1, 3, 4, 1, 1), DIMS(2, 1, 1, 5, 1), DIMS(2, 3, 1, 1, 6), DIMS(2, 3, 4, 5, 6)) },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    struct options options;
    int in[3];

    /* The condition comes last: the first input of a case has the case's type. */
    in[1] = case_operand(m, !(r->constants & CONST_A), "a", &r->a, &any);
    in[2] = r->b_values ? case_operand_values(m, false, "b", &r->b, r->b_values, r->b_count)
                        : case_operand(m, !(r->constants & CONST_B), "b", &r->b, &any);
    in[0] = r->constants & CONST_CONDITION ? case_constant_drawn_bool(m, "condition", &r->condition)
                                           : case_input_bool(m, "condition", &r->condition);
    options_init(&options, ref_find(m->c->code)->options_tag);
    case_judged_op(m, &options, 3, in, case_output(m, "y", &r->y));
}

SUITE(select, members, rows, build);

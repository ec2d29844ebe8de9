/* PACK: a new axis at every place, inputs of one slice, of many and of none. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

#include <stdio.h>

enum { INPUTS_MAX = 9 };

struct row {
    struct op_case base;
    struct shape in;
    int32_t axis, count;
    unsigned constants; /* bit i: input i is a constant */
    bool longs;         /* of i64 and one element */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct shape *const first = &call->in[0].value.shape;
    struct value values[RANDOM_OPERANDS_MAX];

    if (first->rank > 3)
        return false;
    for (size_t i = 0; i < call->count; i++) {
        for (int d = 0; d < first->rank; d++)
            if (call->in[i].value.shape.rank != first->rank ||
                call->in[i].value.shape.d[d] != first->d[d])
                return false;
        values[i] = call->in[i].value;
    }
    call->out.value = graph_add_pack(m, call->count, values,
                                     (int)random_choice(call, 0, (uint32_t)first->rank + 1));
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("pack", PACK, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES | TYPE_BIT(CASE_I32),
      .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_JOINED, .add = add_random } },
};

static const struct row rows[] = {
    { ROW("first", "images to a batch"), .in = DIMS(2, 3, 5), .axis = 0, .count = 3 },
    { ROW("second", "a new axis behind the first"), .in = DIMS(2, 3, 5), .axis = 1, .count = 2 },
    { ROW("third", "a new axis in front of the channels"), .in = DIMS(2, 3, 5), .axis = 2,
      .count = 2 },
    { ROW("last", "inputs become channels"), .in = DIMS(2, 3, 5), .axis = 3, .count = 2 },
    { ROW("last_c4", "four inputs become the channels of one slice"), .in = DIMS(2, 3, 4),
      .axis = -1, .count = 4 },
    { ROW("last_9", "nine inputs become channels of three slices"), .in = DIMS(2, 3, 6), .axis = -1,
      .count = 9 },
    { ROW("last_c1", "inputs of one channel"), .in = DIMS(5, 1), .axis = 2, .count = 3 },
    { ROW("negative", "a new axis counted from the end of the output"), .in = DIMS(2, 3, 5),
      .axis = -2, .count = 3 },
    { ROW("negative_first", "axis -rank of the output"), .in = DIMS(2, 3, 5), .axis = -4,
      .count = 2 },
    { ROW("slices", "whole slices"), .in = DIMS(3, 8), .axis = 1, .count = 3 },
    { ROW("scalars", "scalars to a vector"), .in = SCALAR, .axis = 0, .count = 5 },
    { ROW("vectors", "vectors to a matrix"), .in = DIMS(7), .axis = 0, .count = 4 },
    { ROW("vectors_c", "vectors to the columns of a matrix"), .in = DIMS(7), .axis = 1,
      .count = 4 },
    { ROW("grid", "rows and columns of a grid, interleaved"), .in = DIMS(1, 4, 4), .axis = 3,
      .count = 2 },
    { ROW("one", "one input: a dimension of 1"), .in = DIMS(2, 3, 5), .axis = 1, .count = 1 },
    { ROW("one_last", "one input: one channel"), .in = DIMS(2, 3, 5), .axis = 3, .count = 1 },
    { ROW("inputs7", "seven inputs: more than one dispatch"), .in = DIMS(2, 3, 5), .axis = 0,
      .count = 7 },
    { ROW("constant", "a constant between two inputs"), .in = DIMS(2, 5), .axis = 1, .count = 3,
      .constants = 2 },
    { ROW("constant_first", "a constant in front"), .in = DIMS(2, 3, 4), .axis = 0, .count = 2,
      .constants = 1 },
    { ROW("constant_last", "a constant becomes a channel"), .in = DIMS(2, 3), .axis = 2, .count = 3,
      .constants = 4 },
    { ROW("constant_scalars", "a constant among scalars"), .in = SCALAR, .axis = 0, .count = 3,
      .constants = 1 },
    { ROW("rank4", "four dimensions to five"), .in = DIMS(1, 2, 3, 5), .axis = 2, .count = 2 },
    { ROW("rank5", "five dimensions to six"), .in = DIMS(1, 2, 1, 3, 5), .axis = 5, .count = 2 },
    { ROW("rank7", "seven dimensions to eight"), .in = DIMS(1, 2, 1, 3, 1, 2, 5), .axis = 3,
      .count = 2 },
    { ROW("n257", "more rows than a workgroup has invocations"), .in = DIMS(257), .axis = 1,
      .count = 3 },
    { ROW("v", "every version of the op means the same", .each_version = true), .in = DIMS(2, 5),
      .axis = 1, .count = 2 },
    { ROW("empty", "inputs without an element", EMPTY), .in = DIMS(2, 0), .axis = 1, .count = 2 },
    /* What is no number, moved to other lanes. */
    { ROW("lanes_special", LANES_SPECIAL), .in = DIMS(8, 6, 5), .axis = 3, .count = 2 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_F32), .in = DIMS(66001, 1, 1, 1), .axis = 4,
      .count = 2 },
    { ROW("height66001", "a height of 66,001", LARGE_IN(SIZED)), .in = DIMS(1, 66001, 1, 1),
      .axis = 0, .count = 2 },
    { ROW("width66001", "a width of 66,001", LARGE_F32), .in = DIMS(1, 66001, 1), .axis = 0,
      .count = 2 },
    { ROW("channels66001", "66,001 channels", LARGE_IN(SIZED)), .in = DIMS(66001), .axis = 0,
      .count = 2 },
    /* What models have, and no row above (conformance/suite/census). */
    { ROW("scalars2_const", "a scalar and a constant", REAL(TYPE_BIT(CASE_I32))), .in = SCALAR,
      .count = 2, .constants = 2 },
    { ROW("scalars2_const_first", "a constant and a scalar", REAL(TYPE_BIT(CASE_I32))),
      .in = SCALAR, .count = 2, .constants = 1 },
    { ROW("scalars2", "two scalars", REAL(TYPE_BIT(CASE_I32))), .in = SCALAR, .count = 2 },
    { ROW("scalars3_const", "a batch and two constants become a shape", REAL(TYPE_BIT(CASE_I32))),
      .in = SCALAR, .count = 3, .constants = 6 },
    { ROW("scalars4_const", "a batch and three constants become a shape", REAL(TYPE_BIT(CASE_I32))),
      .in = SCALAR, .count = 4, .constants = 14 },
    { ROW("scalars5_const", "a batch and four constants become a shape", REAL(TYPE_BIT(CASE_I32))),
      .in = SCALAR, .count = 5, .constants = 30 },
    { ROW("scalar", "a scalar to a vector", REAL(TYPE_BIT(CASE_I32))), .in = SCALAR, .count = 1 },
    { ROW("matrix_one", "a matrix gets a dimension of 1", REAL(TYPE_BIT(CASE_F32))),
      .in = DIMS(3, 5), .count = 1 },
    { ROW("rank3_last2", "two inputs become channels, axis -1", REAL(TYPE_BIT(CASE_F32))),
      .in = DIMS(2, 3, 5), .axis = -1, .count = 2 },
    { ROW("long", "a number of 64 bits to a vector", REAL(TYPE_BIT(CASE_I32)),
          .refused_by = "tensor.type"),
      .in = SCALAR, .count = 1, .longs = true },
    { ROW("long_const", "a constant of 64 bits behind a number", REAL(TYPE_BIT(CASE_I32)),
          .refused_by = "tensor.type"),
      .in = SCALAR, .count = 2, .constants = 2, .longs = true },
    { ROW("long_const_first", "a constant of 64 bits before a number", REAL(TYPE_BIT(CASE_I32)),
          .refused_by = "tensor.type"),
      .in = SCALAR, .count = 2, .constants = 1, .longs = true },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int axis = r->axis < 0 ? r->axis + r->in.rank + 1 : r->axis;
    const struct fill any = { .terms = 1, .factors = 1 };
    static const int32_t numbers[] = { 7, -4, 70000 };
    struct shape out = { .rank = r->in.rank + 1 };
    struct options options;
    int in[INPUTS_MAX];

    for (int d = 0; d < out.rank; d++)
        out.d[d] = d == axis ? r->count : r->in.d[d - (d > axis)];
    for (int i = 0; i < r->count; i++) {
        char name[16];

        snprintf(name, sizeof name, "x%d", i);
        if (!r->longs)
            in[i] = case_operand(m, !(r->constants >> i & 1), name, &r->in, &any);
        else if (r->constants >> i & 1)
            in[i] = case_constant_i64(m, name, &r->in, numbers);
        else
            in[i] = case_input_values(m, name, &r->in, TENSOR_INT64, &numbers[1], &numbers[2]);
    }
    options_init(&options, OPTIONS_PackOptions);
    options_set_int(&options, "values_count", r->count);
    options_set_int(&options, "axis", r->axis);
    case_judged_op(m, &options, (size_t)r->count, in,
                   r->longs ? case_output_of(m, "y", &out, TENSOR_INT64)
                            : case_output(m, "y", &out));
}

SUITE(pack, members, rows, build);

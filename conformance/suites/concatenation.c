/* CONCATENATION: channels that do not fill their slices, every axis, many inputs, constants. */
#include "conformance/maker.h"
#include "conformance/suite.h"

#include <assert.h>
#include <stdio.h>

enum { INPUTS_MAX = 16 };

struct row {
    struct op_case base;
    struct shape in;             /* of input 0 */
    int32_t lengths[INPUTS_MAX]; /* along the axis, one for each input; 0 ends them */
    int32_t axis;
    unsigned constants; /* bit i: input i is a constant */
};

static const struct suite_member members[] = {
    { "concatenation",
      BUILTIN_CONCATENATION,
      1,
      TYPE_BIT(CASE_F32),
      SETS_MOVE,
      { .kind = BOUND_BITS } },
};

/* The second input begins in any lane. */
#define BEHIND(c)                                                                                  \
    {                                                                                              \
        ROW("c" #c "_3", "the second input begins in any lane"), .in = DIMS(1, 2, 3, c),           \
                                                                 .axis = 3, .lengths = {           \
                                                                     c,                            \
                                                                     3                             \
                                                                 }                                 \
    }
#define BELOW(c)                                                                                   \
    {                                                                                              \
        ROW("height_c" #c, "rows of any count of channels"), .in = DIMS(1, 2, 2, c), .axis = 1,    \
                                                             .lengths = {                          \
                                                                 2,                                \
                                                                 1                                 \
                                                             }                                     \
    }

static const struct row rows[] = {
    CHANNEL_LIST(BEHIND),
    CHANNEL_LIST(BELOW),
    { ROW("c1_2", "two inputs share a slice"), .in = DIMS(1, 2, 3, 1), .axis = 3,
      .lengths = { 1, 2 } },
    { ROW("c5_1_2", "three inputs of unequal channels"), .in = DIMS(1, 2, 3, 5), .axis = 3,
      .lengths = { 5, 1, 2 } },
    { ROW("c4_8", "whole slices"), .in = DIMS(1, 3, 2, 4), .axis = 3, .lengths = { 4, 8 } },
    { ROW("inputs16", "16 inputs of one channel to three"), .in = DIMS(1, 2, 2, 1), .axis = -1,
      .lengths = { 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1 } },
    { ROW("height", "one image below the other"), .in = DIMS(1, 2, 3, 5), .axis = 1,
      .lengths = { 2, 3 } },
    { ROW("width", "one image beside the other"), .in = DIMS(1, 2, 3, 5), .axis = -2,
      .lengths = { 3, 1, 2 } },
    { ROW("batch", "images one after the other"), .in = DIMS(2, 2, 3, 5), .axis = 0,
      .lengths = { 2, 1 } },
    { ROW("one", "one input: nothing changes"), .in = DIMS(1, 2, 3, 5), .axis = 3,
      .lengths = { 5 } },
    { ROW("constant", "a constant between two inputs"), .in = DIMS(1, 2, 3, 3), .axis = 3,
      .lengths = { 3, 2, 6 }, .constants = 2 },
    { ROW("rank2", "rows of unequal length"), .in = DIMS(3, 7), .axis = 1, .lengths = { 7, 67 } },
};

static void build(struct maker *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int axis = r->axis < 0 ? r->axis + r->in.rank : r->axis;
    const struct fill any = { .terms = 1, .factors = 1 };
    struct options options;
    struct shape out = r->in;
    int in[INPUTS_MAX];
    size_t count = 0;

    assert(axis >= 0 && axis < r->in.rank && r->lengths[0] == r->in.d[axis]);
    out.d[axis] = 0;
    for (; count < INPUTS_MAX && r->lengths[count] > 0; count++) {
        struct shape shape = r->in;
        char name[16];

        snprintf(name, sizeof name, "x%zu", count);
        shape.d[axis] = r->lengths[count];
        out.d[axis] += r->lengths[count];
        in[count] = r->constants >> count & 1 ? maker_constant(m, name, &shape, &any)
                                              : maker_input(m, name, &shape, &any);
    }
    options_init(&options, OPTIONS_ConcatenationOptions);
    options_set_int(&options, "axis", r->axis);
    maker_judged(m, &options, count, in, maker_output(m, "y", &out));
}

SUITE(concatenation, members, rows, build);

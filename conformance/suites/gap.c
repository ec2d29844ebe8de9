/* Graphs of several ops that show what goes wrong elsewhere.  A row has a make function of its own;
 * the member that it names in `only` is the op that it is about. */
#include "conformance/maker.h"
#include "conformance/suite.h"

struct row {
    struct op_case base;
    void (*make)(struct maker *m, const struct row *r);
    struct shape in;
};

enum { SETS = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_INTEGERS) };

static const struct suite_member members[] = {
    { "conv_2d", BUILTIN_CONV_2D, 1, TYPE_BIT(CASE_F32), SETS, { .kind = BOUND_DOT } },
};

/* (x - c) into a 3x3 convolution: subtracting leaves -c in lanes that are no channels. */
static void make_sub_conv(struct maker *m, const struct row *r)
{
    const int32_t depth = r->in.d[3], units = 5;
    const struct fill fill = { .terms = 9 * depth + 1, .factors = 2 };
    const struct shape weights = DIMS(units, 3, 3, depth), bias = DIMS(units);
    struct shape out = r->in;
    struct options options;
    int in[3], c, y;

    out.d[3] = units;
    in[0] = maker_input(m, "x", &r->in, &fill);
    c = maker_constant(m, "c", &(struct shape)SCALAR, &fill);
    y = maker_tensor(m, "difference", &r->in);
    options_init(&options, OPTIONS_SubOptions);
    maker_op(m, BUILTIN_SUB, 1, &options, 2, (const int[]){ in[0], c }, y);
    in[0] = y;
    in[1] = maker_constant(m, "weights", &weights, &fill);
    in[2] = maker_constant(m, "bias", &bias, &fill);
    options_init(&options, OPTIONS_Conv2DOptions);
    options_set_int(&options, "stride_w", 1);
    options_set_int(&options, "stride_h", 1);
    maker_judged(m, &options, 3, in, maker_output(m, "y", &out));
}

#define SUB_CONV(c)                                                                                \
    {                                                                                              \
        ROW("after_sub_c" #c, "the lanes past the last channel are no zeros",                      \
            .gap = "padded lanes leak from one op into the next", .only = "conv_2d"),              \
            .make = make_sub_conv, .in = DIMS(1, 4, 5, c)                                          \
    }

static const struct row rows[] = {
    SUB_CONV(1), SUB_CONV(2), SUB_CONV(3), SUB_CONV(5), SUB_CONV(7),
};

static void build(struct maker *m)
{
    const struct row *const r = (const struct row *)m->c->row;

    r->make(m, r);
}

SUITE(gap, members, rows, build);

/* LSTM, the basic kernel: one step, each width of input and cells against slices of four, states
 * that are inputs of the graph.  All four outputs are outputs of the graph. */
#include "conformance/maker.h"
#include "conformance/suite.h"
#include "conformance/suites/gaps.h"

enum { TANH = 4, BASIC = 1 }; /* file codes */

struct row {
    struct op_case base;
    int32_t batch, depth, cells;
};

static const struct suite_member members[] = {
    { "lstm",
      BUILTIN_LSTM,
      2,
      TYPE_BIT(CASE_F32),
      SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_POWERS),
      { .kind = BOUND_LSTM } },
};

#define DEPTH(n)                                                                                   \
    {                                                                                              \
        ROW("d" #n, "inputs in slices of four"), .batch = 1, .depth = (n), .cells = 5              \
    }
#define CELLS(n)                                                                                   \
    {                                                                                              \
        ROW("a" #n, "cells in slices of four"), .batch = 1, .depth = 3, .cells = (n)               \
    }

static const struct row rows[] = {
    CHANNEL_LIST(DEPTH),
    CHANNEL_LIST(CELLS),
    { ROW("batch2", "batch over 1", .gap = GAP_BATCH), .batch = 2, .depth = 4, .cells = 8 },
    { ROW("batch3", "batch over 1 with tails", .gap = GAP_BATCH), .batch = 3, .depth = 5,
      .cells = 7 },
    { ROW("batch7", "odd batch", .gap = GAP_BATCH), .batch = 7, .depth = 3, .cells = 2 },
    { ROW("long", "300 products for a gate"), .batch = 1, .depth = 203, .cells = 97 },
    { ROW("v", "each version says the same for f32", .each_version = true), .batch = 1, .depth = 6,
      .cells = 6 },
};

static void build(struct maker *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int32_t width = r->depth + r->cells;
    const struct fill factor = { .terms = width + 1, .factors = 2 };
    const struct shape x = DIMS(r->batch, r->depth), cells = DIMS(r->batch, r->cells);
    const struct shape weights = DIMS(4 * r->cells, width), bias = DIMS(4 * r->cells);
    const struct shape joined = DIMS(r->batch, width), gates = DIMS(r->batch, 4 * r->cells);
    struct options options;
    int in[5], out[4];

    options_init(&options, OPTIONS_LSTMOptions);
    options_set_int(&options, "fused_activation_function", TANH);
    options_set_int(&options, "kernel_type", BASIC);
    in[0] = maker_input(m, "x", &x, &factor);
    in[1] = maker_variable(m, "h_prev", &cells);
    in[2] = maker_constant(m, "weights", &weights, &factor);
    in[3] = maker_constant(m, "bias", &bias, &factor);
    in[4] = maker_variable(m, "c_prev", &cells);
    out[0] = maker_output(m, "h", &cells);
    out[1] = maker_output(m, "c", &cells);
    out[2] = maker_output(m, "x_h", &joined);
    out[3] = maker_output(m, "z", &gates);
    maker_judged_outputs(m, &options, 5, in, 4, out);
}

SUITE(lstm, members, rows, build);

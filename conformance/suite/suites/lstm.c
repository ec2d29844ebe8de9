/* LSTM, the basic kernel (the full one is in sequence_lstm.c): each width of input and cells
 * against slices of four, batches, states that are variables: the judge also runs sequences of
 * steps.  All four outputs are outputs of the graph. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

enum { TANH = 4, BASIC = 1 }; /* file codes */

struct row {
    struct op_case base;
    int32_t batch, depth, cells;
    bool given; /* of u8: h and c before are inputs, of any integers, so that cells exceed 8 */
};

/* One step over rows, of floats: quantized, the op has scales of its own. */
static bool add_random(struct case_builder *m, struct random_call *call)
{
    if (m->c->quantized || call->in[0].value.shape.rank != 2)
        return false;
    call->out.peak = 1;
    call->out.value = graph_add_lstm(m, call->in[0].value, random_channels(call, 0));
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("lstm", LSTM, 2),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPE_BIT(CASE_U8),
      .named_types = TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_DYNAMIC), /* of the full kernel */
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_POWERS),
      .bound = { .kind = BOUND_LSTM }, .random = { .operands = RANDOM_ONE, .add = add_random } },
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
    { ROW("batch2", "a batch of more than one row", .gap = GAP_BATCH), .batch = 2, .depth = 4,
      .cells = 8 },
    { ROW("batch3", "a batch of more than one row, channels that do not fill a slice",
          .gap = GAP_BATCH),
      .batch = 3, .depth = 5, .cells = 7 },
    { ROW("batch7", "an odd batch", .gap = GAP_BATCH), .batch = 7, .depth = 3, .cells = 2 },
    { ROW("long", "300 products for a gate"), .batch = 1, .depth = 203, .cells = 97 },
    { ROW("v", "every version of the op means the same for floats", .each_version = true),
      .batch = 1, .depth = 6, .cells = 6 },
    { ROW("version", "newer converters write higher versions of the op", .each_version = true,
          .gap = GAP_VERSION),
      .batch = 1, .depth = 6, .cells = 6 },
    { ROW("state_c3", "cells that do not fill a slice, over a sequence", .gap = GAP_STATE),
      .batch = 1, .depth = 5, .cells = 3 },
    { ROW("state_n3", "each row of a batch has its own state", .gap = GAP_STATE), .batch = 3,
      .depth = 4, .cells = 5 },
    { ROW("open", "open forget gates: the state grows from step to step", .scale = 0.2,
          .offset = 1.5, .sets = SET_BIT(SET_RANDOM)),
      .batch = 2, .depth = 4, .cells = 6 },
    { ROW("wide257", "more cells than a workgroup"), .batch = 1, .depth = 7, .cells = 257 },
    { ROW("deep1001", "a thousand inputs and one"), .batch = 1, .depth = 1001, .cells = 6 },
    { ROW("half_gates", "sums of gates beyond f16: gates are open or shut, not NaN", .scale = 300,
          .overflow = true, .sets = SET_BIT(SET_RANDOM), .gap = GAP_HALF_RANGE),
      .batch = 2, .depth = 6, .cells = 5 },
    /* 8 bits: arguments of gates beyond their 16 bits. */
    { ROW("gates_saturate", "arguments of gates that saturate in 16 bits",
          .types = TYPE_BIT(CASE_U8), .byte_sets = SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS),
          .quant = { .in2 = 0.03 }),
      .batch = 3, .depth = 9, .cells = 7 },
    { ROW("gates_saturate_ends", "sums at the ends of both ranges, some beyond 16 bits",
          .types = TYPE_BIT(CASE_U8), .byte_sets = SET_BIT(SET_ENDS), .quant = { .in2 = 0.004 }),
      .batch = 2, .depth = 65, .cells = 5 },
    /* A dimension of 0. */
    { ROW("empty_batch", "no row at all", .types = TYPE_BIT(CASE_F32), EMPTY_TENSOR), .batch = 0,
      .depth = 3, .cells = 5 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch4097", "a batch of 4,097", LARGE_POSITIVE(TYPE_BIT(CASE_F32))), .batch = 4097,
      .depth = 1, .cells = 1 },
    { ROW("deep66001", "66,001 inputs", .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM),
          .period = SHORT_PERIOD, .scale = 0.01),
      .batch = 1, .depth = 66001, .cells = 1 },
    { ROW("deep1025", "1,025 inputs", .types = TYPE_BIT(CASE_U8), .period = SHORT_PERIOD),
      .batch = 1, .depth = 1025, .cells = 3 },
    { ROW("cells_given", "cells from -16 to 16, as long sequences have them",
          .types = TYPE_BIT(CASE_U8)),
      .batch = 3, .depth = 5, .cells = 33, .given = true },
    { ROW("batch300", "a batch of 300", .types = TYPE_BIT(CASE_U8), .period = SHORT_PERIOD),
      .batch = 300, .depth = 3, .cells = 5 },
    { ROW("batch4097_bytes", "a batch of 4,097", .types = TYPE_BIT(CASE_U8),
          .sets = SET_BIT(SET_RANDOM), .period = SHORT_PERIOD),
      .batch = 4097, .depth = 1, .cells = 3 },
    { ROW("deep4101", "4,101 inputs", .types = TYPE_BIT(CASE_U8), .sets = SET_BIT(SET_RANDOM),
          .period = SHORT_PERIOD),
      .batch = 1, .depth = 4101, .cells = 3 },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int32_t width = r->depth + r->cells;
    const struct fill factor = { .terms = width + 1, .factors = 2 };
    const struct fill weight = { .terms = width + 1, .role = FILL_WEIGHTS };
    const struct fill offset = { .terms = width + 1, .role = FILL_BIAS };
    const struct shape x = DIMS(r->batch, r->depth), cells = DIMS(r->batch, r->cells);
    const struct shape weights = DIMS(4 * r->cells, width), bias = DIMS(4 * r->cells);
    const struct shape joined = DIMS(r->batch, width), gates = DIMS(r->batch, 4 * r->cells);
    struct options options;
    int in[5], out[4];

    options_init(&options, OPTIONS_LSTMOptions);
    options_set_int(&options, "fused_activation_function", TANH);
    options_set_int(&options, "kernel_type", BASIC);
    if (m->c->quantized) { /* the scales that the kernel is written for */
        const double h = 1. / 128, c = 0x1p-11, z = 0x1p-12;

        in[0] = case_input_scaled(m, "x", &x, TENSOR_UINT8, h, 128);
        in[1] = r->given ? case_input_scaled(m, "h_prev", &cells, TENSOR_UINT8, h, 128)
                         : case_variable_scaled(m, "h_prev", &cells, TENSOR_UINT8, h, 128);
        in[2] = case_constant(m, "weights", &weights, &weight);
        in[3] = case_constant(m, "bias", &bias, &offset);
        in[4] = r->given ? case_input_scaled(m, "c_prev", &cells, TENSOR_INT16, c, 0)
                         : case_variable_scaled(m, "c_prev", &cells, TENSOR_INT16, c, 0);
        out[0] = case_output_scaled(m, "h", &cells, TENSOR_UINT8, h, 128);
        out[1] = case_output_scaled(m, "c", &cells, TENSOR_INT16, c, 0);
        out[2] = case_output_scaled(m, "x_h", &joined, TENSOR_UINT8, h, 128);
        out[3] = case_output_scaled(m, "z", &gates, TENSOR_INT16, z, 0);
        case_judged_op_outputs(m, &options, 5, in, 4, out);
        return;
    }
    in[0] = case_input(m, "x", &x, &factor);
    in[1] = case_variable_f32(m, "h_prev", &cells);
    in[2] = case_constant(m, "weights", &weights, &factor);
    in[3] = case_constant(m, "bias", &bias, &factor);
    in[4] = case_variable_f32(m, "c_prev", &cells);
    out[0] = case_output(m, "h", &cells);
    out[1] = case_output(m, "c", &cells);
    out[2] = case_output(m, "x_h", &joined);
    out[3] = case_output(m, "z", &gates);
    case_judged_op_outputs(m, &options, 5, in, 4, out);
}

/* ---- sweep: widths on both sides, batch, how large the gates' arguments are ---- */

static const struct pairwise_level depths[] = {
    { "d1", 1, 0 }, { "d2", 2, 0 }, { "d3", 3, 0 }, { "d4", 4, 0 },   { "d5", 5, 0 },
    { "d7", 7, 0 }, { "d8", 8, 0 }, { "d9", 9, 0 }, { "d33", 33, 0 },
};
static const struct pairwise_level cells[] = {
    { "a1", 1, 0 }, { "a2", 2, 0 }, { "a3", 3, 0 },   { "a4", 4, 0 },   { "a6", 6, 0 },
    { "a7", 7, 0 }, { "a8", 8, 0 }, { "a17", 17, 0 }, { "a32", 32, 0 },
};
/* The scale of inputs in quarters: with 1/4 gates are half open, with 4 most are open or shut. */
static const struct pairwise_level sizes[] = { { "", 4, 0 },
                                               { "small", 1, 0 },
                                               { "large", 16, 0 } };
enum { DEPTHS, WIDTH, BATCH, SIZE };
static const struct pairwise_axis axes[] = { PAIRWISE_AXIS(depths), PAIRWISE_AXIS(cells),
                                             AXIS_BATCHES, PAIRWISE_AXIS(sizes) };

static struct row swept_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;

    return (struct row){
        .base = { .name = p->name,
                  .why = "pairwise: inputs, cells, batch, size of the gates",
                  .scale = level[SIZE]->x / 4.0,
                  .types = ONE_IN_FOUR_TYPES(p->index) },
        .batch = level[BATCH]->x,
        .depth = level[DEPTHS]->x,
        .cells = level[WIDTH]->x,
    };
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes))
SUITE_SWEPT(lstm, members, rows, build, sweep);

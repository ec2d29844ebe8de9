/* The full LSTM kernel: UNIDIRECTIONAL_SEQUENCE_LSTM, and LSTM with 20 or 24 inputs, whose rows
 * begin with "full".  Each width of input, cells and projection against slices of four, batches,
 * lengths of the sequence, and the tensors that may be absent; the judge also runs several
 * inferences, over which the state goes on. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

#include <math.h>
#include <stdio.h>

enum { TANH = 4, RELU6 = 3 }; /* file codes */
enum { INPUTS = 24, W = 1, R = 5, PEEPHOLE = 9, BIAS = 12, PROJECTION = 16, H = 18, C, NORM };
enum { GATE_I, GATE_F, GATE_C, GATE_O, GATES };

enum {
    TIME_MAJOR = 1,
    CIFG = 2, /* no input gate */
    PEEPHOLES = 4,
    PROJECTED = 8, /* to row.outputs */
    BIASED = 16,   /* a bias of the projection */
    NORMALIZED = 32,
    ASYMMETRIC = 64,
    OLD = 128 /* 20 inputs, not 24 */
};

struct row {
    struct op_case base;
    int32_t batch, steps, depth, cells, outputs;
    int flags;
    float cell_clip, proj_clip;
    int32_t activation;  /* 0: tanh */
    int cell_bits;       /* of i8: c is in steps of 2^-cell_bits; 0: 2^-11 */
    int32_t hidden_zero; /* of i8 */
};

#define SEQUENCE "unidirectional_sequence_lstm"

static const struct suite_member members[] = {
    { .op = SEQUENCE,
      .code = BUILTIN_UNIDIRECTIONAL_SEQUENCE_LSTM,
      .version = 1,
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_DYNAMIC),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_POWERS),
      .bound = { .kind = BOUND_LSTM_FULL } },
    /* A member without bound: that of the op's own suite holds (suite_find_member). */
    { SUITE_OP("lstm", LSTM, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_DYNAMIC),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_POWERS) },
};

/* Our delegate leaves layer normalization to the CPU. */
#define NOT_NORMALIZED .refused_by = "lstm.norm"

#define F32     .types = TYPE_BIT(CASE_F32)
#define WEIGHTS .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_DYNAMIC)
#define INTEGER .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8)
#define ALL     .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_DYNAMIC)
#define I8_ONLY .types = TYPE_BIT(CASE_I8)

#define SIZES(n, t, d, a, types_)                                                                  \
    {                                                                                              \
        ROW("n" #n "_t" #t "_d" #d "_a" #a, "batch, steps, inputs and cells", .only = SEQUENCE,    \
            types_),                                                                               \
            .batch = (n), .steps = (t), .depth = (d), .cells = (a)                                 \
    }

#define OPEN(why_)                                                                                 \
    why_, I8_ONLY, .only = SEQUENCE, .byte_sets = SET_BIT(SET_RANDOM), INTEGERS(sum_ends),         \
                   .quant = { .in = 0.06, .in2 = 0.05 }

static const struct row rows[] = {
    /* Sequences. */
    SIZES(1, 1, 1, 2, F32),
    SIZES(1, 2, 9, 3, F32),
    SIZES(2, 1, 4, 4, F32),
    SIZES(2, 2, 2, 9, WEIGHTS),
    SIZES(3, 3, 6, 1, F32),
    SIZES(4, 2, 8, 12, WEIGHTS),
    SIZES(5, 4, 3, 3, F32),
    SIZES(7, 2, 5, 2, WEIGHTS),
    SIZES(1, 5, 17, 33, F32),
    SIZES(2, 7, 1, 5, F32),
    SIZES(3, 6, 4, 16, F32),
    { ROW("one_step", "a sequence of one step", .only = SEQUENCE, INTEGER), .batch = 1, .steps = 1,
      .depth = 3, .cells = 4 },
    { ROW("steps2", "the second step has a state", .only = SEQUENCE, ALL), .batch = 1, .steps = 2,
      .depth = 4, .cells = 4 },
    { ROW("steps9", "nine steps", .only = SEQUENCE, ALL), .batch = 1, .steps = 9, .depth = 5,
      .cells = 6 },
    { ROW("one_cell", "one cell, one input", .only = SEQUENCE, INTEGER), .batch = 1, .steps = 5,
      .depth = 1, .cells = 1 },
    { ROW("d1_a7", "one input, cells that do not fill a slice", .only = SEQUENCE, WEIGHTS),
      .batch = 1, .steps = 3, .depth = 1, .cells = 7 },
    { ROW("d7_a3", "inputs and cells that do not fill a slice", .only = SEQUENCE, WEIGHTS),
      .batch = 1, .steps = 4, .depth = 7, .cells = 3 },
    { ROW("d8_a8", "whole slices", .only = SEQUENCE, INTEGER), .batch = 1, .steps = 3, .depth = 8,
      .cells = 8 },
    { ROW("d33_a17", "sums of 50 products", .only = SEQUENCE, ALL), .batch = 1, .steps = 3,
      .depth = 33, .cells = 17 },
    { ROW("n2", "a batch of two", .only = SEQUENCE, ALL), .batch = 2, .steps = 3, .depth = 4,
      .cells = 8 },
    { ROW("n3", "a batch, and channels that do not fill a slice", .only = SEQUENCE, ALL),
      .batch = 3, .steps = 5, .depth = 5, .cells = 7 },
    { ROW("time_major", "time is the first dimension", .only = SEQUENCE, ALL), .batch = 2,
      .steps = 4, .depth = 3, .cells = 5, .flags = TIME_MAJOR },
    { ROW("time_major_n1", "time is the first dimension, of one row", .only = SEQUENCE, INTEGER),
      .batch = 1, .steps = 3, .depth = 6, .cells = 2, .flags = TIME_MAJOR },
    { ROW("inputs20", "20 inputs", .only = SEQUENCE, INTEGER), .batch = 1, .steps = 3, .depth = 3,
      .cells = 5, .flags = OLD },
    { ROW("cifg", "no input gate", .only = SEQUENCE, ALL), .batch = 2, .steps = 3, .depth = 5,
      .cells = 6, .flags = CIFG },
    { ROW("peephole", "gates see the cells", .only = SEQUENCE, ALL), .batch = 2, .steps = 4,
      .depth = 3, .cells = 5, .flags = PEEPHOLES },
    { ROW("peephole_cifg", "gates see the cells, no input gate", .only = SEQUENCE, INTEGER),
      .batch = 1, .steps = 3, .depth = 4, .cells = 3, .flags = PEEPHOLES | CIFG },
    { ROW("projection", "fewer outputs than cells", .only = SEQUENCE, ALL), .batch = 2, .steps = 3,
      .depth = 5, .cells = 7, .outputs = 3, .flags = PROJECTED | BIASED, .hidden_zero = 3 },
    { ROW("projection_wide", "more outputs than cells, no bias", .only = SEQUENCE, WEIGHTS),
      .batch = 2, .steps = 3, .depth = 5, .cells = 4, .outputs = 6, .flags = PROJECTED },
    { ROW("projection_clip", "outputs are clipped", .only = SEQUENCE, ALL), .batch = 2, .steps = 4,
      .depth = 6, .cells = 5, .outputs = 5, .flags = PROJECTED | BIASED, .proj_clip = 0.25f },
    { ROW("cell_clip", "cells are clipped", .only = SEQUENCE, ALL), .batch = 2, .steps = 6,
      .depth = 4, .cells = 6, .cell_clip = 0.375f },
    { ROW("norm", "layer normalization", .only = SEQUENCE, F32 | TYPE_BIT(CASE_DYNAMIC),
          NOT_NORMALIZED),
      .batch = 2, .steps = 3, .depth = 5, .cells = 7, .flags = NORMALIZED },
    { ROW("norm_all", "layer normalization with all other tensors", .only = SEQUENCE, F32,
          NOT_NORMALIZED),
      .batch = 2, .steps = 2, .depth = 4, .cells = 6, .outputs = 3,
      .flags = NORMALIZED | PEEPHOLES | PROJECTED | BIASED, .cell_clip = 2, .proj_clip = 1 },
    { ROW("relu6", "another activation", .only = SEQUENCE, F32), .batch = 1, .steps = 3, .depth = 4,
      .cells = 5, .activation = RELU6 },
    { ROW("asymmetric", "activations that are rounded with a zero point", .only = SEQUENCE,
          .types = TYPE_BIT(CASE_DYNAMIC), .version = 3),
      .batch = 2, .steps = 3, .depth = 5, .cells = 6, .flags = ASYMMETRIC },
    { ROW("asymmetric_projection", "and a projection", .only = SEQUENCE,
          .types = TYPE_BIT(CASE_DYNAMIC), .version = 3),
      .batch = 1, .steps = 3, .depth = 3, .cells = 6, .outputs = 4,
      .flags = ASYMMETRIC | PROJECTED | CIFG },
    { ROW("open", "open forget gates: the cells grow from step to step", .only = SEQUENCE, F32,
          .scale = 0.2, .offset = 0.5, .sets = SET_BIT(SET_RANDOM)),
      .batch = 2, .steps = 7, .depth = 4, .cells = 6 },
    { ROW("wide65", "more cells than a small workgroup has", .only = SEQUENCE, INTEGER,
          .sets = SET_BIT(SET_RANDOM)),
      .batch = 1, .steps = 2, .depth = 9, .cells = 65 },
    { ROW("v", "every version of the op", .only = SEQUENCE, ALL, .each_version = true), .batch = 1,
      .steps = 2, .depth = 6, .cells = 6 },
    { ROW("cell_q15", "cells below 1", .only = SEQUENCE, I8_ONLY), .batch = 1, .steps = 3,
      .depth = 4, .cells = 6, .cell_bits = 15 },
    { ROW("cell_q9", "cells up to 64", .only = SEQUENCE, I8_ONLY), .batch = 1, .steps = 3,
      .depth = 4, .cells = 6, .cell_bits = 9 },
    { ROW("saturated", "sums of gates beyond 16 bits, of both signs", .only = SEQUENCE, I8_ONLY,
          .byte_sets = SET_BIT(SET_RANDOM), .quant = { .in = 0.06, .in2 = 0.05 }),
      .batch = 3, .steps = 5, .depth = 3, .cells = 16, .cell_bits = 12 },
    { ROW("hidden_zero", "zero points of the hidden result and of the state", .only = SEQUENCE,
          I8_ONLY),
      .batch = 2, .steps = 3, .depth = 4, .cells = 9, .hidden_zero = -7 },
    { ROW("empty_batch", "no row at all", .only = SEQUENCE, F32, EMPTY_TENSOR), .batch = 0,
      .steps = 2, .depth = 3, .cells = 5 },
    /* One step: LSTM. */
    { ROW("full", "20 inputs", .only = "lstm", ALL), .batch = 1, .depth = 3, .cells = 5,
      .flags = OLD },
    { ROW("full_n3", "a batch", .only = "lstm", ALL), .batch = 3, .depth = 5, .cells = 7 },
    { ROW("full_d1_a1", "one cell, one input", .only = "lstm", INTEGER), .batch = 1, .depth = 1,
      .cells = 1 },
    { ROW("full_d8_a4", "whole slices", .only = "lstm", ALL), .batch = 2, .depth = 8, .cells = 4 },
    { ROW("full_d33_a17", "sums of 50 products", .only = "lstm", ALL), .batch = 1, .depth = 33,
      .cells = 17 },
    { ROW("full_cifg", "no input gate", .only = "lstm", ALL), .batch = 2, .depth = 5, .cells = 6,
      .flags = CIFG },
    { ROW("full_peephole", "gates see the cells", .only = "lstm", ALL), .batch = 2, .depth = 3,
      .cells = 5, .flags = PEEPHOLES },
    { ROW("full_projection", "fewer outputs than cells", .only = "lstm", ALL), .batch = 2,
      .depth = 5, .cells = 7, .outputs = 3, .flags = PROJECTED | BIASED, .hidden_zero = -2 },
    { ROW("full_projection_clip", "outputs are clipped, no bias", .only = "lstm", WEIGHTS),
      .batch = 1, .depth = 5, .cells = 6, .outputs = 7, .flags = PROJECTED, .proj_clip = 0.25f },
    { ROW("full_cell_clip", "cells are clipped", .only = "lstm", INTEGER), .batch = 2, .depth = 4,
      .cells = 6, .cell_clip = 0.375f },
    { ROW("full_norm", "layer normalization", .only = "lstm", WEIGHTS, NOT_NORMALIZED), .batch = 2,
      .depth = 5, .cells = 7, .flags = NORMALIZED },
    { ROW("full_norm_all", "layer normalization with all other tensors", .only = "lstm", F32,
          NOT_NORMALIZED),
      .batch = 1, .depth = 4, .cells = 6, .outputs = 3,
      .flags = NORMALIZED | PEEPHOLES | PROJECTED | BIASED | CIFG, .cell_clip = 2, .proj_clip = 1 },
    { ROW("full_asymmetric", "activations that are rounded with a zero point", .only = "lstm",
          .types = TYPE_BIT(CASE_DYNAMIC), .version = 4),
      .batch = 2, .depth = 5, .cells = 6, .flags = ASYMMETRIC },
    { ROW("full_n7", "an odd batch", .only = "lstm", ALL), .batch = 7, .depth = 3, .cells = 2 },
    { ROW("full_d9_a8", "inputs that do not fill a slice", .only = "lstm", ALL), .batch = 1,
      .depth = 9, .cells = 8 },
    { ROW("full_d4_a9", "cells that do not fill a slice", .only = "lstm", ALL), .batch = 2,
      .depth = 4, .cells = 9 },
    { ROW("full_cifg_projection", "no input gate, and a projection", .only = "lstm", ALL),
      .batch = 1, .depth = 6, .cells = 5, .outputs = 4, .flags = CIFG | PROJECTED | BIASED },
    { ROW("full_peephole_cifg", "gates see the cells, no input gate", .only = "lstm", ALL),
      .batch = 3, .depth = 4, .cells = 3, .flags = PEEPHOLES | CIFG },
    { ROW("full_v", "every version of the op", .only = "lstm", ALL, .each_version = true),
      .batch = 1, .depth = 6, .cells = 6 },
    /* Sizes. */
    { ROW("steps20", "20 steps", .only = SEQUENCE, ALL), .batch = 1, .steps = 20, .depth = 3,
      .cells = 5 },
    { ROW("steps70", "70 steps", .only = SEQUENCE, INTEGER, .sets = SET_BIT(SET_RANDOM)),
      .batch = 1, .steps = 70, .depth = 2, .cells = 3 },
    { ROW("steps257", "257 steps", .only = SEQUENCE, LARGE_POSITIVE(TYPE_BIT(CASE_F32))),
      .batch = 1, .steps = 257, .depth = 1, .cells = 2 },
    { ROW("batch1025", "a batch of 1,025", .only = SEQUENCE, LARGE_POSITIVE(TYPE_BIT(CASE_F32))),
      .batch = 1025, .steps = 1, .depth = 1, .cells = 1 },
    { ROW("deep66001", "66,001 inputs", .only = SEQUENCE, LARGE_POSITIVE(TYPE_BIT(CASE_F32))),
      .batch = 1, .steps = 1, .depth = 66001, .cells = 1 },
    { ROW("wide257", "257 cells", .only = SEQUENCE, LARGE_POSITIVE(TYPE_BIT(CASE_F32))), .batch = 1,
      .steps = 2, .depth = 1, .cells = 257 },
    { ROW("sum25", SUM_END(TYPE_BIT(CASE_I8), 0), .only = SEQUENCE), .batch = 1, .steps = 1,
      .depth = 1100, .cells = 2 },
    { ROW("batch300", "a batch of 300", .only = SEQUENCE, I8_ONLY, .sets = SET_BIT(SET_RANDOM),
          .period = SHORT_PERIOD),
      .batch = 300, .steps = 2, .depth = 2, .cells = 3 },
    { ROW("cells300", "300 cells", .only = SEQUENCE, I8_ONLY, .sets = SET_BIT(SET_RANDOM),
          .period = SHORT_PERIOD),
      .batch = 1, .steps = 2, .depth = 3, .cells = 300 },
    { ROW("batch1100_a5", "more than 4,096 slices of state", .only = SEQUENCE, I8_ONLY,
          .sets = SET_BIT(SET_RANDOM), .period = SHORT_PERIOD),
      .batch = 1100, .steps = 2, .depth = 2, .cells = 5 },
    /* Gates that stay open or shut, as the same large input keeps them. */
    { ROW("cells_over16", OPEN("cells up to 20")), .batch = 1, .steps = 21, .depth = 3, .cells = 16,
      .cell_bits = 10 },
    { ROW("cells_over16_q9", OPEN("cells up to 20 of 64")), .batch = 1, .steps = 21, .depth = 3,
      .cells = 16, .cell_bits = 9 },
    { ROW("cells_saturate", OPEN("cells at the ends of 16 bits")), .batch = 1, .steps = 5,
      .depth = 3, .cells = 16, .cell_bits = 15 },
    { ROW("cifg_open", OPEN("what is left of an open gate")), .batch = 1, .steps = 70, .depth = 3,
      .cells = 16, .cell_bits = 15, .flags = CIFG },
    { ROW("projection_clip_both", OPEN("outputs clipped at both ends")), .batch = 1, .steps = 5,
      .depth = 3, .cells = 9, .outputs = 16, .flags = PROJECTED | BIASED, .proj_clip = 0.25f },
    { ROW("gates_tie", "a factor of sums that is 1/2 in f32, and less in double", I8_ONLY,
          .only = SEQUENCE, .byte_sets = SET_BIT(SET_RANDOM),
          .quant = { .in = 0.471680462 / 16, .in2 = 0.0331262387 / 8 }),
      .batch = 4, .steps = 9, .depth = 5, .cells = 33 },
    { ROW("wide129", "more cells than a wide workgroup has: each step is a dispatch",
          .only = SEQUENCE, INTEGER, .sets = SET_BIT(SET_RANDOM)),
      .batch = 1, .steps = 3, .depth = 5, .cells = 129 },
    { ROW("cells100", "100 cells, which differ", .only = SEQUENCE, ALL,
          .sets = SET_BIT(SET_RANDOM)),
      .batch = 2, .steps = 3, .depth = 3, .cells = 100 },
    { ROW("cells200", "200 cells, which differ", .only = SEQUENCE, .types = TYPE_BIT(CASE_F32),
          .sets = SET_BIT(SET_RANDOM)),
      .batch = 1, .steps = 2, .depth = 2, .cells = 200 },
    { ROW("cells100_projected", "100 cells, which become 20 outputs", .only = SEQUENCE, ALL,
          .sets = SET_BIT(SET_RANDOM)),
      .batch = 2, .steps = 3, .depth = 3, .cells = 100, .outputs = 20, .flags = PROJECTED },
    { ROW("near_zero", "sums of gates of a few steps, and results that show them", I8_ONLY,
          .only = SEQUENCE, .byte_sets = SET_BIT(SET_RANDOM),
          .quant = { .in = 0x1p-17, .in2 = 0x1p-6, .out = 0x1p-12 }),
      .batch = 2, .steps = 3, .depth = 3, .cells = 9, .cell_bits = 15 },
};

/* ---- tensors ---- */

struct lstm {
    struct case_builder *m;
    const struct row *r;
    int32_t outputs;
    double gain; /* of f32 weights */
    int in[INPUTS];
};

static bool has(const struct lstm *l, int flag)
{
    return (l->r->flags & flag) != 0;
}

static double scale_of(const struct lstm *l, int tensor)
{
    const struct case_scale *const s = case_scale_of(l->m, tensor);

    return s ? (double)s->scale : 1;
}

static int weights(const struct lstm *l, const char *name, int32_t outputs, int32_t terms)
{
    const struct shape shape = DIMS(outputs, terms);
    const struct fill fill = { .terms = l->r->depth + l->outputs,
                               .factors = 2,
                               .role = FILL_WEIGHTS,
                               .unscaled = true,
                               .gain = l->gain };

    return case_constant(l->m, name, &shape, &fill);
}

/* A vector with one weight for each cell. */
static int diagonal(const struct lstm *l, const char *name, double gain, int32_t count)
{
    const struct shape shape = DIMS(count);
    const struct fill fill = { .terms = 4, .role = FILL_WEIGHTS, .unscaled = true, .gain = gain };

    return l->m->c->quantized ? case_constant_scaled(l->m, name, &shape, TENSOR_INT16, 0x1p-15, 0)
                              : case_constant(l->m, name, &shape, &fill);
}

static int bias(const struct lstm *l, const char *name, int x, int w, int32_t count)
{
    const struct shape shape = DIMS(count);
    const struct fill fill = { .terms = l->r->depth + l->outputs, .role = FILL_BIAS, .gain = 0.5 };
    int tensor;

    if (!l->m->c->quantized)
        return case_constant(l->m, name, &shape, &fill);
    tensor = case_constant_quantized(l->m, name, &shape, &fill);
    case_set_bias_scale(l->m, tensor, scale_of(l, x) * scale_of(l, w));
    return tensor;
}

static void add_gate(struct lstm *l, int g)
{
    static const char *const names[GATES] = { "i", "f", "c", "o" };
    const struct row *const r = l->r;
    const struct shape cells = DIMS(r->cells);
    char name[16];

    snprintf(name, sizeof name, "w_%s", names[g]);
    l->in[W + g] = weights(l, name, r->cells, r->depth);
    snprintf(name, sizeof name, "r_%s", names[g]);
    l->in[R + g] = weights(l, name, r->cells, l->outputs);
    snprintf(name, sizeof name, "b_%s", names[g]);
    l->in[BIAS + g] = bias(l, name, l->in[0], l->in[W + g], r->cells);
    snprintf(name, sizeof name, "p_%s", names[g]);
    if (has(l, PEEPHOLES) && g != GATE_C)
        l->in[PEEPHOLE + g - (g == GATE_O)] = diagonal(l, name, 0.5, r->cells);
    snprintf(name, sizeof name, "n_%s", names[g]);
    if (has(l, NORMALIZED))
        l->in[NORM + g] = case_constant_f32(
            l->m, name, &cells, &(struct fill){ .terms = 4, .unscaled = true, .gain = 0.5 });
}

/* The scales that converters give: the state that of the output; without a projection the hidden
 * result is the output. */
static double state_scale(const struct lstm *l)
{
    if (l->r->base.quant.out != 0)
        return l->r->base.quant.out;
    return has(l, PROJECTED) ? 1.5 / 128 : 1. / 128;
}

static void add_state(struct lstm *l)
{
    const struct shape h = DIMS(l->r->batch, l->outputs), c = DIMS(l->r->batch, l->r->cells);
    const int bits = l->r->cell_bits ? l->r->cell_bits : 11;

    if (!l->m->c->quantized) {
        l->in[H] = case_variable_f32(l->m, "h", &h);
        l->in[C] = case_variable_f32(l->m, "c", &c);
        return;
    }
    l->in[H] = case_variable_scaled(l->m, "h", &h, TENSOR_INT8, state_scale(l),
                                    has(l, PROJECTED) ? 5 : l->r->hidden_zero);
    l->in[C] = case_variable_scaled(l->m, "c", &c, TENSOR_INT16, ldexp(1, -bits), 0);
}

/* Of i8: tensors without data, of which the last has scale and zero point of the hidden result. */
static void add_intermediates(struct lstm *l, int op)
{
    static const int32_t one[] = { 1 };
    int tensors[GATES + 1];

    if (!l->m->c->quantized || op < 0)
        return;
    for (int g = 0; g <= GATES; g++)
        tensors[g] = builder_tensor(&l->m->builder, g < GATES ? TENSOR_FLOAT32 : TENSOR_INT8,
                                    g < GATES ? "intermediate" : "hidden", 1, one);
    case_set_scale(l->m, tensors[GATES], TENSOR_INT8,
                   has(l, PROJECTED) ? 1.1 / 128 : state_scale(l), l->r->hidden_zero);
    builder_intermediates(&l->m->builder, op, GATES + 1, tensors);
}

static void set_options(const struct lstm *l, struct options *options)
{
    const bool sequence = l->m->c->code == BUILTIN_UNIDIRECTIONAL_SEQUENCE_LSTM;

    options_init(options,
                 sequence ? OPTIONS_UnidirectionalSequenceLSTMOptions : OPTIONS_LSTMOptions);
    options_set_int(options, "fused_activation_function",
                    l->r->activation ? l->r->activation : TANH);
    options_set_float(options, "cell_clip", l->r->cell_clip);
    options_set_float(options, "proj_clip", l->r->proj_clip);
    options_set_int(options, "asymmetric_quantize_inputs", has(l, ASYMMETRIC));
    if (sequence)
        options_set_int(options, "time_major", has(l, TIME_MAJOR));
}

static void sequence_shape(const struct lstm *l, int32_t channels, struct shape *s)
{
    const struct row *const r = l->r;
    const struct shape one = DIMS(r->batch, channels),
                       rows_first = DIMS(r->batch, r->steps, channels);
    const struct shape time_first = DIMS(r->steps, r->batch, channels);

    *s = r->steps == 0 ? one : has(l, TIME_MAJOR) ? time_first : rows_first;
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    struct lstm l = { .m = m, .r = r, .outputs = r->outputs ? r->outputs : r->cells };
    const struct fill values = { .terms = r->depth + l.outputs, .factors = 2 };
    struct options options;
    struct shape x, y;
    int output, op;

    l.gain = 0.8 / sqrt((double)(r->depth + l.outputs));
    sequence_shape(&l, r->depth, &x);
    sequence_shape(&l, l.outputs, &y);
    for (int i = 0; i < INPUTS; i++)
        l.in[i] = -1;
    l.in[0] = m->c->quantized ? case_input_scaled(m, "x", &x, TENSOR_INT8,
                                                  r->base.quant.in != 0 ? r->base.quant.in : 0.02,
                                                  has(&l, TIME_MAJOR) ? -128 : 3)
                              : case_input(m, "x", &x, &values);
    for (int g = has(&l, CIFG) ? GATE_F : GATE_I; g < GATES; g++)
        add_gate(&l, g);
    if (has(&l, PROJECTED))
        l.in[PROJECTION] = weights(&l, "projection", l.outputs, r->cells);
    add_state(&l);
    if (has(&l, BIASED))
        l.in[PROJECTION + 1] = bias(&l, "projection_bias", l.in[H], l.in[PROJECTION], l.outputs);
    output = m->c->quantized ? case_output_scaled(m, "y", &y, TENSOR_INT8, state_scale(&l),
                                                  has(&l, PROJECTED) ? 5 : r->hidden_zero)
                             : case_output(m, "y", &y);
    set_options(&l, &options);
    op = case_judged_op_outputs(m, &options, has(&l, OLD) ? NORM : INPUTS, l.in, 1, &output);
    add_intermediates(&l, op);
}

SUITE(sequence_lstm, members, rows, build);

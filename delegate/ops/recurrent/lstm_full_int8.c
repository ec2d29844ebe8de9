#include "delegate/ops/recurrent/lstm_full_int8.h"

#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/recurrent/lstm_full.args.h"
#include "delegate/ops/recurrent/lstm_full.h"
#include "delegate/ops/recurrent/lstm_full_int8.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

enum { Z_BITS = 12, HIDDEN = 4, INTERMEDIATES = 5 };
enum { SUM_X, SUM_H, SUM_C, SUMS };

/* ---- factors ---- */

static float scale_of(const struct graph *g, const struct graph_node *n, int i)
{
    return graph_input(g, n, i)->quant.scale[0];
}

static const struct graph_tensor *hidden_of(const struct graph *g, const struct graph_node *n)
{
    return &g->tensors[n->intermediates[HIDDEN]];
}

/* c is in steps of 2^k; a scale that is none of these gives 1. */
static int cell_exponent(const struct graph *g, const struct graph_node *n)
{
    const double exponent = log2((double)scale_of(g, n, LSTM_FULL_C));
    const int k = (int)lround(exponent);

    return fabs(exponent - k) < 1e-3 && k >= -15 && k <= -9 ? k : 1;
}

/* The factor of a sum of a gate; 0 where the gate has none.  As on the CPU, products of scales are
 * f32. */
static double gate_factor(const struct graph *g, const struct graph_node *n, int sum, int gate)
{
    const float step = ldexpf(1, -Z_BITS);
    const int peephole = lstm_full_peephole(gate);

    if (sum == SUM_X)
        return (double)(scale_of(g, n, LSTM_FULL_W + gate) * scale_of(g, n, LSTM_FULL_X) / step);
    if (sum == SUM_H)
        return (double)(scale_of(g, n, LSTM_FULL_R + gate) * scale_of(g, n, LSTM_FULL_H) / step);
    if (peephole < 0)
        return 0;
    return (double)(float)(ldexp(1, cell_exponent(g, n)) * (double)scale_of(g, n, peephole) /
                           (double)step);
}

static double hidden_factor(const struct graph *g, const struct graph_node *n)
{
    return (double)(float)(0x1p-15 / (double)hidden_of(g, n)->quant.scale[0] * 0x1p-15);
}

static double projection_factor(const struct graph *g, const struct graph_node *n)
{
    return (double)(scale_of(g, n, LSTM_FULL_PROJECTION) * hidden_of(g, n)->quant.scale[0] /
                    scale_of(g, n, LSTM_FULL_H));
}

/* ---- accept ---- */

static bool check_type(struct check *c, int tensor, TfLiteType type)
{
    const TfLiteType has = c->graph->tensors[tensor].type;

    return has == type ||
           refuse(c, RULE_LSTM_QUANT, tensor, "type", "the CPU kernel refuses it, too",
                  runtime_type_name(type), "%s", runtime_type_name(has));
}

/* The tensor has the type, one scale, and unless it may have any the zero point 0. */
static bool check_quantization(struct check *c, int tensor, TfLiteType type, bool any_zero)
{
    const struct graph_tensor *t = &c->graph->tensors[tensor];

    if (!check_type(c, tensor, type))
        return false;
    if (t->quant.count != 1)
        return refuse(c, RULE_LSTM_QUANT, tensor, "number of scales",
                      "the CPU kernel refuses it, too", "1", "%zu", t->quant.count);
    return any_zero || tensor_zero_point(t) == 0 ||
           refuse(c, RULE_LSTM_QUANT, tensor, "zero point", "the CPU kernel refuses it, too", "0",
                  "%d", tensor_zero_point(t));
}

static bool check_tensors(struct check *c, const struct lstm_full_sizes *z)
{
    const struct graph_node *n = c->node;

    if (!check_quantization(c, n->inputs[LSTM_FULL_X], kTfLiteInt8, true) ||
        !check_quantization(c, n->inputs[LSTM_FULL_H], kTfLiteInt8, true) ||
        !check_quantization(c, n->inputs[LSTM_FULL_C], kTfLiteInt16, false) ||
        !check_quantization(c, n->outputs[0], kTfLiteInt8, true))
        return false;
    for (int i = LSTM_FULL_W; i <= LSTM_FULL_PROJECTION_BIAS; i++) {
        const bool peephole = i >= LSTM_FULL_PEEPHOLE && i < LSTM_FULL_BIAS;
        const bool bias =
            (i >= LSTM_FULL_BIAS && i < LSTM_FULL_PROJECTION) || i == LSTM_FULL_PROJECTION_BIAS;

        if (graph_input(c->graph, n, i) &&
            !(bias ? check_type(c, n->inputs[i], kTfLiteInt32)
                   : check_quantization(c, n->inputs[i], peephole ? kTfLiteInt16 : kTfLiteInt8,
                                        false)))
            return false;
    }
    if (z->peephole && z->outputs != z->cells)
        return refuse(c, RULE_LSTM_QUANT, n->inputs[LSTM_FULL_PEEPHOLE + 1], "dims",
                      "the CPU kernel mixes up cells then", "as many outputs as cells", "%u, %u",
                      z->outputs, z->cells);
    return true;
}

static bool check_intermediates(struct check *c)
{
    const struct graph_node *n = c->node;

    if (n->intermediate_count != INTERMEDIATES)
        return refuse(c, RULE_LSTM_QUANT, -1, "intermediates", "the model is malformed", "5", "%d",
                      n->intermediate_count);
    if (!hidden_of(c->graph, n)->quant.scale)
        return refuse(c, RULE_LSTM_QUANT, n->intermediates[HIDDEN], "scale",
                      "the model is malformed", "positive, finite", "absent or invalid");
    if (tensor_zero_point(hidden_of(c->graph, n)) < INT8_MIN ||
        tensor_zero_point(hidden_of(c->graph, n)) > INT8_MAX)
        return refuse(c, RULE_LSTM_QUANT, n->intermediates[HIDDEN], "zero point",
                      "the model is malformed", "-128 to 127", "%d",
                      tensor_zero_point(hidden_of(c->graph, n)));
    if (cell_exponent(c->graph, n) > 0)
        return refuse(c, RULE_LSTM_QUANT, n->inputs[LSTM_FULL_C], "scale",
                      "the CPU kernel refuses it, too", "a power of two from 2^-15 to 2^-9", "%g",
                      (double)scale_of(c->graph, n, LSTM_FULL_C));
    return true;
}

bool lstm_full_int8_accept(struct check *c)
{
    const struct graph_node *n = c->node;
    const struct lstm_full_sizes z = lstm_full_sizes_of(c->graph, n);

    if (lstm_full_of(n).activation != kTfLiteActTanh)
        return refuse(c, RULE_LSTM_ACTIVATION, -1, "activation", "integers have TANH alone",
                      "4 (tanh)", "%d", lstm_full_of(n).activation);
    if (!check_tensors(c, &z) || !check_intermediates(c))
        return false;
    for (int g = z.cifg; g < LSTM_FULL_GATES; g++)
        for (int sum = 0; sum < (z.peephole ? SUMS : SUM_C); sum++)
            if (!check_multiplier(c, n->inputs[LSTM_FULL_W + g],
                                  "scales of a gate in steps of 2^-12",
                                  gate_factor(c->graph, n, sum, g)))
                return false;
    return check_multiplier(c, n->outputs[0], "2^-30 / scale of the hidden result",
                            hidden_factor(c->graph, n)) &&
           (!z.projection || check_multiplier(c, n->inputs[LSTM_FULL_PROJECTION],
                                              "hidden scale * projection scale / output scale",
                                              projection_factor(c->graph, n)));
}

/* ---- plan ---- */

struct pack {
    struct planner *p;
    const struct graph_node *n;
    struct lstm_full_sizes z;
    struct packed packed;
};

static int32_t value_of(const struct pack *k, int input, size_t i)
{
    return (int32_t)graph_constant_int(k->p->graph, k->n->inputs[input], i);
}

/* Four bytes of row `row` of the weights of an input, from column 4 s on; 0 past the last one. */
static uint32_t bytes_of(const struct pack *k, int input, size_t row, uint32_t s, uint32_t columns)
{
    uint32_t word = 0;

    for (uint32_t lane = 0; lane < 4 && 4 * s + lane < columns; lane++)
        word |= ((uint32_t)value_of(k, input, row * columns + 4 * s + lane) & 0xff) << 8 * lane;
    return word;
}

/* -zero times the sum over a row of weights, and the bias where there is one, modulo 2^32. */
static uint32_t offset_of(const struct pack *k, int input, size_t row, uint32_t columns,
                          int32_t zero, int bias)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < columns; i++)
        sum += (uint32_t)value_of(k, input, row * columns + i);
    return (uint32_t)-zero * sum + (bias >= 0 ? (uint32_t)value_of(k, bias, row) : 0);
}

/* Puts weights [A,columns] of a gate at vec4 `at`. */
static void put_weights(const struct pack *k, uint64_t at, int gate, int input, uint32_t columns)
{
    for (uint32_t s = 0; s < (columns + 3) / 4; s++)
        for (uint32_t a = 0; a < k->z.cells; a++)
            planner_put_word(k->p, &k->packed,
                             (at + (uint64_t)s * k->z.cells + a) * 4 + (uint32_t)gate,
                             bytes_of(k, input, a, s, columns));
}

static void put_gate(const struct pack *k, int gate)
{
    const struct graph *const g = k->p->graph;
    const uint64_t in_slices = (k->z.depth + 3) / 4, slices = in_slices + (k->z.outputs + 3) / 4;
    const int peephole = k->z.peephole ? lstm_full_peephole(gate) : -1;
    const int32_t x_zero = tensor_zero_point(graph_input(g, k->n, LSTM_FULL_X));
    const int32_t h_zero = tensor_zero_point(graph_input(g, k->n, LSTM_FULL_H));

    put_weights(k, 0, gate, LSTM_FULL_W + gate, k->z.depth);
    put_weights(k, in_slices * k->z.cells, gate, LSTM_FULL_R + gate, k->z.outputs);
    for (uint32_t a = 0; a < k->z.cells; a++) {
        const uint64_t at = (slices * k->z.cells + a) * 4 + (uint32_t)gate;
        const uint64_t table = 4 * (uint64_t)k->z.cells;

        planner_put_word(
            k->p, &k->packed, at,
            offset_of(k, LSTM_FULL_W + gate, a, k->z.depth, x_zero, LSTM_FULL_BIAS + gate));
        planner_put_word(k->p, &k->packed, at + table,
                         offset_of(k, LSTM_FULL_R + gate, a, k->z.outputs, h_zero, -1));
        if (peephole >= 0)
            planner_put_word(k->p, &k->packed, at + 2 * table, (uint32_t)value_of(k, peephole, a));
    }
    for (int sum = 0; sum < (peephole >= 0 ? SUMS : SUM_C); sum++) {
        const struct fixed_multiplier m = requantize_multiplier(gate_factor(g, k->n, sum, gate));
        const uint64_t at = ((slices + 3) * k->z.cells + 2 * (uint64_t)sum) * 4 + (uint32_t)gate;

        planner_put_word(k->p, &k->packed, at, (uint32_t)m.q);
        planner_put_word(k->p, &k->packed, at + 4, (uint32_t)m.e);
    }
}

/* `at`: in words. */
static void put_projection(const struct pack *k, uint64_t at)
{
    const uint32_t slices = (k->z.cells + 3) / 4, outputs = k->z.outputs;
    const int32_t zero = -tensor_zero_point(hidden_of(k->p->graph, k->n));
    const int bias =
        graph_input(k->p->graph, k->n, LSTM_FULL_PROJECTION_BIAS) ? LSTM_FULL_PROJECTION_BIAS : -1;

    for (uint32_t s = 0; s < slices; s++)
        for (uint32_t o = 0; o < outputs; o++)
            planner_put_word(k->p, &k->packed, at + (uint64_t)s * outputs + o,
                             bytes_of(k, LSTM_FULL_PROJECTION, o, s, k->z.cells));
    for (uint32_t o = 0; o < outputs; o++)
        planner_put_word(k->p, &k->packed, at + (uint64_t)slices * outputs + o,
                         offset_of(k, LSTM_FULL_PROJECTION, o, k->z.cells, zero, bias));
}

/* The layout that lstm_full_int8.comp describes. */
static enum status pack_constants(struct pack *k)
{
    const struct lstm_full_sizes *const z = &k->z;
    const uint64_t slices = ((uint64_t)z->depth + 3) / 4 + ((uint64_t)z->outputs + 3) / 4;
    const uint64_t gates = 4 * ((slices + 3) * z->cells + 2 * SUMS);
    const uint64_t projection = z->projection ? (((uint64_t)z->cells + 3) / 4 + 1) * z->outputs : 0;

    TRY(planner_pack_words(k->p, gates + (projection + 3) / 4 * 4, &k->packed));
    for (int g = z->cifg; g < LSTM_FULL_GATES && planner_packs(k->p); g++)
        put_gate(k, g);
    if (z->projection && planner_packs(k->p))
        put_projection(k, gates);
    return STATUS_OK;
}

static int32_t clip_steps(float clip, const struct graph_tensor *t, float most)
{
    return clip > 0 ? (int32_t)fminf(clip / t->quant.scale[0], most) : 0;
}

static enum status plan_step(struct planner *p, const struct graph_node *n,
                             const struct lstm_full_run *run, const struct lstm_full_args *a,
                             int state)
{
    const struct graph *const g = p->graph;
    const struct fixed_multiplier hidden = requantize_multiplier(hidden_factor(g, n));
    struct fixed_multiplier projection = { 0, 0 };
    const int32_t hidden_zero = tensor_zero_point(hidden_of(g, n));
    struct lstm_full_int8_args args;
    struct plan_step *s = lstm_full_step(p, n, "lstm_full_int8", run, state);

    if (!s)
        return STATUS_NO_MEMORY;
    if (run->sizes.projection)
        projection = requantize_multiplier(projection_factor(g, n));
    args = (struct lstm_full_int8_args){
        .count = a->count,
        .parts = a->parts,
        .first = a->first,
        .last = a->last,
        .row_pitch = a->row_pitch,
        .step_pitch = a->step_pitch,
        .in_slices = a->in_slices,
        .cells = a->cells,
        .cell_slices = a->cell_slices,
        .outputs = a->outputs,
        .out_slices = a->out_slices,
        .hidden_factor = hidden.q,
        .hidden_shift = hidden.e,
        .hidden_zero = run->sizes.projection ? -hidden_zero : hidden_zero,
        .projection_factor = projection.q,
        .projection_shift = projection.e,
        .out_zero = tensor_zero_point(graph_input(g, n, LSTM_FULL_H)),
        .cell_bits = 15 + cell_exponent(g, n),
        .cell_clip = clip_steps(run->params.cell_clip, graph_input(g, n, LSTM_FULL_C), 32767),
        .proj_clip = clip_steps(run->params.proj_clip, graph_output(g, n, 0), 127),
    };
    step_push(s, &args, sizeof args);
    return step_groups(p, s, args.count);
}

enum status lstm_full_int8_plan(struct planner *p, const struct graph_node *n)
{
    struct pack k = { .p = p, .n = n, .z = lstm_full_sizes_of(p->graph, n) };
    const struct lstm_full_run run = { .sizes = k.z,
                                       .params = lstm_full_of(n),
                                       .constants = &k.packed,
                                       .state_shader = "lstm_state_int8",
                                       .step = plan_step };

    TRY(pack_constants(&k));
    return lstm_full_plan_run(p, n, &run);
}

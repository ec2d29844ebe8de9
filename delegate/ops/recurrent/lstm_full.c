#include "delegate/ops/recurrent/lstm_full.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/recurrent/lstm_full.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <string.h>

/* A workgroup: cells, and shares of their sums.  One has all cells of a row up to CELLS_MAX, and a
 * wider one up to CELLS_WIDE; the bits of a sum follow from its shares alone.  At each step it
 * loads all weights: of keyword spotting's LSTM, 49 steps, inferences with 71, 88 and 118 cells
 * take an H200 0.65, 0.70 and 0.81 of the time of a dispatch a step (i8 0.73, 0.77, 0.80), where
 * 118 cells have 15,576 vec4. */
enum { CELLS_X = 32, SHARES_Y = 4, CELLS_MAX = 64, CELLS_WIDE = 128, WIDE_WEIGHTS_MAX = 20000 };

static bool has(const struct graph *g, const struct graph_node *n, int i)
{
    return graph_input(g, n, i) != NULL;
}

int lstm_full_peephole(int gate)
{
    return gate == 2 ? -1 : LSTM_FULL_PEEPHOLE + gate - (gate == 3);
}

struct lstm_full lstm_full_of(const struct graph_node *n)
{
    const TfLiteUnidirectionalSequenceLSTMParams *sequence = n->params;
    const TfLiteLSTMParams *one = n->params;

    if (n->code == BUILTIN_LSTM)
        return (struct lstm_full){ .activation = (int)one->activation,
                                   .cell_clip = one->cell_clip,
                                   .proj_clip = one->proj_clip };
    return (struct lstm_full){ .activation = (int)sequence->activation,
                               .cell_clip = sequence->cell_clip,
                               .proj_clip = sequence->proj_clip,
                               .sequence = true,
                               .time_major = sequence->time_major,
                               .diagonal =
                                   n->version >= 4 && sequence->diagonal_recurrent_tensors };
}

struct lstm_full_sizes lstm_full_sizes_of(const struct graph *g, const struct graph_node *n)
{
    const struct lstm_full l = lstm_full_of(n);
    const struct graph_tensor *x = graph_input(g, n, LSTM_FULL_X);
    const struct graph_tensor *w = graph_input(g, n, LSTM_FULL_W + 3);
    const int batch = l.sequence && l.time_major, last = x->rank - 1;

    return (struct lstm_full_sizes){
        .batch = (uint32_t)x->dims[batch],
        .steps = l.sequence ? (uint32_t)x->dims[!batch] : 1,
        .depth = (uint32_t)x->dims[last],
        .cells = (uint32_t)w->dims[0],
        .outputs = (uint32_t)graph_input(g, n, LSTM_FULL_R + 3)->dims[1],
        .cifg = !has(g, n, LSTM_FULL_W),
        .peephole = has(g, n, LSTM_FULL_PEEPHOLE) || has(g, n, LSTM_FULL_PEEPHOLE + 1) ||
                    has(g, n, LSTM_FULL_PEEPHOLE + 2),
        .projection = has(g, n, LSTM_FULL_PROJECTION),
    };
}

/* The vec4 of all constants: struct layout below. */
static uint64_t constant_count(const struct lstm_full_sizes *z)
{
    const uint64_t rows = ((uint64_t)z->depth + 3) / 4 * 4 + z->outputs + 2;
    const uint64_t out_slices = ((uint64_t)z->outputs + 3) / 4;

    return rows * z->cells + (z->projection ? ((uint64_t)z->cells + 1) * out_slices : 0);
}

/* The cells side by side in a workgroup. */
static uint32_t columns_of(const struct device_limits *limits, const struct lstm_full_sizes *z)
{
    return !z->projection && z->cells > CELLS_MAX && z->cells <= CELLS_WIDE &&
                   constant_count(z) <= WIDE_WEIGHTS_MAX &&
                   limits->max_workgroup_size[0] >= CELLS_WIDE &&
                   limits->max_workgroup_invocations >= CELLS_WIDE * SHARES_Y
               ? CELLS_WIDE
               : CELLS_X;
}

/* A workgroup computes all cells of a row: one dispatch runs all steps. */
static bool is_one(const struct device_limits *limits, const struct lstm_full_sizes *z)
{
    return z->projection || z->cells <= CELLS_MAX || columns_of(limits, z) == CELLS_WIDE;
}

/* ---- accept ---- */

/* The host's tensor of a state is read and written once an inference: one node reads it, and none
 * of this graph writes it. */
bool lstm_check_state(struct check *c, int input)
{
    const int tensor = c->node->inputs[input];
    const int readers = c->graph->tensors[tensor].readers;

    if (c->graph->tensors[tensor].producer >= 0)
        return refuse(c, RULE_LSTM_STATE, tensor, "producer", "make the state a variable tensor",
                      "a variable or an input of the graph", "computed by node %d",
                      c->graph->nodes[c->graph->tensors[tensor].producer].host_node);
    if (readers != 1)
        return refuse(c, RULE_LSTM_STATE_READERS, tensor, "readers",
                      "give each node a state of its own", "1", "%d", readers);
    return true;
}

static bool check_params_of(struct check *c, const struct lstm_full *l)
{
    const struct graph_node *n = c->node;

    if (l->activation != kTfLiteActTanh && l->activation != kTfLiteActSigmoid &&
        (l->activation < kTfLiteActRelu || l->activation > kTfLiteActRelu6))
        return refuse(c, RULE_LSTM_ACTIVATION, -1, "activation", "the CPU kernel has none of these",
                      "1 to 4, or 6", "%d", l->activation);
    if (!(l->cell_clip >= 0) || !(l->proj_clip >= 0))
        return refuse(c, RULE_LSTM_CLIP, -1, "cell_clip, proj_clip", "the model is malformed",
                      "0 or more", "%g, %g", (double)l->cell_clip, (double)l->proj_clip);
    if (l->diagonal)
        return refuse(c, RULE_LSTM_DIAGONAL, -1, "diagonal_recurrent_tensors",
                      "store the recurrent weights as matrices", "0", "1");
    for (int g = 0; g < LSTM_FULL_GATES; g++)
        if (has(c->graph, n, LSTM_FULL_NORM + g))
            return refuse(c, RULE_LSTM_NORM, n->inputs[LSTM_FULL_NORM + g], "coefficients",
                          "layer normalization runs on the CPU", "absent", "present");
    return true;
}

static bool check_rank_of(struct check *c, int i, int rank)
{
    const struct graph_tensor *t = graph_input(c->graph, c->node, i);

    return t->rank == rank ||
           refuse(c, RULE_TENSOR_RANK, c->node->inputs[i], "rank", "the model is malformed",
                  rank == 1 ? "1" : "2", "%d", t->rank);
}

/* Without the weights of the input gate (CIFG) none of its tensors is there. */
static bool check_no_input_gate(struct check *c)
{
    static const int inputs[] = { LSTM_FULL_R, LSTM_FULL_PEEPHOLE, LSTM_FULL_BIAS };

    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        if (has(c->graph, c->node, inputs[i]))
            return refuse(c, RULE_LSTM_GATE, c->node->inputs[inputs[i]], "input gate",
                          "the model is malformed", "all tensors of the gate, or none",
                          "input %d without input %d", inputs[i], LSTM_FULL_W);
    return true;
}

/* Input i is f32, or i8 with one scale, in a node whose weights are; of a
 * quantized node a bias is i32. */
static bool check_weights(struct check *c, int i, int rank)
{
    const struct graph_tensor *t = graph_input(c->graph, c->node, i);
    const bool weights = i < LSTM_FULL_BIAS || i == LSTM_FULL_PROJECTION;

    if (t && t->type == kTfLiteInt32 && !weights && t->data &&
        graph_is_quantized(c->graph, c->node))
        return check_rank_of(c, i, rank);
    if (!t || t->type != kTfLiteInt8 || !weights || !t->data)
        return check_input(c, i, rank, rank);
    if (t->quant.count != 1)
        return refuse(c, RULE_LSTM_QUANT, c->node->inputs[i], "number of scales",
                      "the CPU kernel takes one", "1", "%zu", t->quant.count);
    return check_scales(c, c->node->inputs[i]) && check_rank_of(c, i, rank);
}

/* Input i is a constant of the shape [d0, d1], or [d0] where d1 is 0. */
static bool check_constant(struct check *c, int i, uint32_t d0, uint32_t d1)
{
    const struct graph_tensor *t;
    const int rank = d1 ? 2 : 1;

    if (!check_weights(c, i, rank))
        return false;
    t = graph_input(c->graph, c->node, i);
    if (!graph_is_constant(c->graph, c->node->inputs[i]))
        return refuse(c, RULE_LSTM_WEIGHTS, c->node->inputs[i], "data",
                      "store weights and biases in the model", "a constant", "computed");
    if ((uint32_t)t->dims[0] == d0 && (rank == 1 || (uint32_t)t->dims[1] == d1))
        return true;
    return refuse(c, RULE_LSTM_SHAPE, c->node->inputs[i], "dims", "the model is malformed",
                  "what batch, depth and units give", "[%d,%d], expected [%u,%u]", t->dims[0],
                  rank == 1 ? 0 : t->dims[1], d0, d1);
}

static bool check_gates(struct check *c, const struct lstm_full_sizes *z)
{
    for (int g = 0; g < LSTM_FULL_GATES; g++) {
        const int peephole = lstm_full_peephole(g);

        if (g == 0 && z->cifg)
            continue;
        if (!check_constant(c, LSTM_FULL_W + g, z->cells, z->depth) ||
            !check_constant(c, LSTM_FULL_R + g, z->cells, z->outputs) ||
            !check_constant(c, LSTM_FULL_BIAS + g, z->cells, 0) ||
            (z->peephole && peephole >= 0 && !check_constant(c, peephole, z->cells, 0)))
            return false;
    }
    return true;
}

static bool check_tensor(struct check *c, int tensor, int rank, const uint32_t *dims)
{
    const struct graph_tensor *t = &c->graph->tensors[tensor];

    for (int d = 0; d < rank; d++)
        if ((uint32_t)t->dims[d] != dims[d])
            return refuse(c, RULE_LSTM_SHAPE, tensor, "dims", "the model is malformed",
                          "what batch, depth and units give", "dims[%d] is %d, expected %u", d,
                          t->dims[d], dims[d]);
    return true;
}

static bool check_limits(struct check *c, const struct lstm_full_sizes *z)
{
    const uint64_t blocks = ((uint64_t)z->cells + CELLS_X - 1) / CELLS_X;
    const uint64_t sums = ((uint64_t)z->depth + 3) / 4 * 5 / SHARES_Y + z->outputs / SHARES_Y + 10;
    const uint64_t projection =
        z->projection ? ((uint64_t)z->outputs / (4 * CELLS_X) + 1) * (z->cells / SHARES_Y + 10) : 0;
    const bool one = is_one(c->limits, z);

    if ((uint64_t)z->batch * ((uint64_t)z->cells + z->outputs) > INT32_MAX / 16 ||
        constant_count(z) > INT32_MAX / 16)
        return refuse(c, RULE_LSTM_UNITS, c->node->inputs[LSTM_FULL_C], "dims",
                      "the model is malformed", "states and weights within 32-bit indices",
                      "%u rows of %u cells", z->batch, z->cells);
    return check_loop_iterations(c, one ? z->steps * (blocks * sums + projection + z->outputs)
                                        : sums + z->outputs) &&
           check_storable(c, LSTM_FULL_W + 3, constant_count(z));
}

bool lstm_full_accept(struct check *c)
{
    const struct lstm_full l = lstm_full_of(c->node);
    const struct graph *g = c->graph;
    const int *in = c->node->inputs, rank = l.sequence ? 3 : 2;
    struct lstm_full_sizes z;

    if (!check_counts(c, LSTM_FULL_NORM, LSTM_FULL_INPUTS, 1) || !check_params_of(c, &l) ||
        !check_computed_input(c, LSTM_FULL_X, rank, rank) ||
        !check_weights(c, LSTM_FULL_W + 3, 2) || !check_weights(c, LSTM_FULL_R + 3, 2) ||
        !check_computed_input(c, LSTM_FULL_H, 2, 2) ||
        !check_computed_input(c, LSTM_FULL_C, 2, 2) || !check_output(c, 0, rank, rank))
        return false;
    z = lstm_full_sizes_of(g, c->node);
    if ((z.cifg && !check_no_input_gate(c)) || !check_gates(c, &z) ||
        !lstm_check_state(c, LSTM_FULL_H) || !lstm_check_state(c, LSTM_FULL_C))
        return false;
    if (z.projection ? !check_constant(c, LSTM_FULL_PROJECTION, z.outputs, z.cells)
                     : z.outputs != z.cells)
        return z.projection ? false
                            : refuse(c, RULE_LSTM_SHAPE, in[LSTM_FULL_R + 3], "dims[1]",
                                     "the model is malformed", "as many outputs as cells", "%u, %u",
                                     z.outputs, z.cells);
    if (has(g, c->node, LSTM_FULL_PROJECTION_BIAS) && !z.projection)
        return refuse(c, RULE_LSTM_SHAPE, in[LSTM_FULL_PROJECTION_BIAS], "projection bias",
                      "the model is malformed", "none without projection weights",
                      "input %d without input %d", LSTM_FULL_PROJECTION_BIAS, LSTM_FULL_PROJECTION);
    if (has(g, c->node, LSTM_FULL_PROJECTION_BIAS) &&
        !check_constant(c, LSTM_FULL_PROJECTION_BIAS, z.outputs, 0))
        return false;
    {
        const uint32_t h[] = { z.batch, z.outputs }, cells[] = { z.batch, z.cells };
        const bool time = l.time_major;
        const uint32_t y[] = { time ? z.steps : z.batch, time ? z.batch : z.steps, z.outputs };

        return check_tensor(c, in[LSTM_FULL_H], 2, h) &&
               check_tensor(c, in[LSTM_FULL_C], 2, cells) &&
               check_tensor(c, c->node->outputs[0], rank, l.sequence ? y : h) &&
               check_limits(c, &z);
    }
}

bool lstm_full_shape(const struct graph *g, const struct graph_node *n, struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, LSTM_FULL_X);
    const struct graph_tensor *r = graph_input(g, n, LSTM_FULL_R + 3);

    if (x->rank < 2 || !r || r->rank != 2)
        return false;
    s->rank = x->rank;
    memcpy(s->dims, x->dims, sizeof s->dims);
    s->dims[s->rank - 1] = r->dims[1];
    return true;
}

/* ---- plan ---- */

/* Puts tensor [A,K] of a gate, or [A], at vec4 `at` as [K][A] vec4 of the gates of a cell. */
static void put_gate(struct planner *p, const struct packed *packed, uint64_t at, int tensor,
                     int gate, uint32_t cells, uint32_t k)
{
    for (uint32_t a = 0; a < cells; a++)
        for (uint32_t i = 0; i < k; i++)
            planner_put(p, packed, (at + (uint64_t)i * cells + a) * 4 + (uint32_t)gate,
                        graph_constant_float(p->graph, tensor, (size_t)a * k + i));
}

/* The layout that lstm_full.comp describes. */
static enum status pack_constants(struct planner *p, const struct graph_node *n,
                                  const struct lstm_full_sizes *z, struct packed *packed)
{
    const uint64_t cells = z->cells, out_slices = ((uint64_t)z->outputs + 3) / 4;
    const uint64_t r = ((uint64_t)z->depth + 3) / 4 * 4 * cells, bias = r + z->outputs * cells;
    const uint64_t projection = bias + 2 * cells, last = projection + cells * out_slices;

    TRY(planner_pack(p, constant_count(z), true, packed));
    for (int g = z->cifg; g < LSTM_FULL_GATES && planner_packs(p); g++) {
        put_gate(p, packed, 0, n->inputs[LSTM_FULL_W + g], g, z->cells, z->depth);
        put_gate(p, packed, r, n->inputs[LSTM_FULL_R + g], g, z->cells, z->outputs);
        put_gate(p, packed, bias, n->inputs[LSTM_FULL_BIAS + g], g, z->cells, 1);
        if (z->peephole && lstm_full_peephole(g) >= 0)
            put_gate(p, packed, bias + cells, n->inputs[lstm_full_peephole(g)], g, z->cells, 1);
    }
    for (uint32_t o = 0; z->projection && planner_packs(p) && o < z->outputs; o++) {
        for (uint32_t a = 0; a < z->cells; a++)
            planner_put(p, packed, (projection + a * out_slices) * 4 + o,
                        graph_constant_float(p->graph, n->inputs[LSTM_FULL_PROJECTION],
                                             (size_t)o * z->cells + a));
        if (has(p->graph, n, LSTM_FULL_PROJECTION_BIAS))
            planner_put(p, packed, last * 4 + o,
                        graph_constant_float(p->graph, n->inputs[LSTM_FULL_PROJECTION_BIAS], o));
    }
    return STATUS_OK;
}

static enum status plan_state(struct planner *p, const struct graph_node *n, const char *shader,
                              const struct lstm_full_args *args, int h, int c, int state, bool out)
{
    struct plan_step *s = planner_step(p, shader, n, WORKGROUP, 1, 1);
    struct lstm_full_args own = *args;

    if (!s || h < 0 || c < 0 || state < 0)
        return STATUS_NO_MEMORY;
    own.count = p->plan->tensors[state].rows *
                (args->out_slices > args->cell_slices ? args->out_slices : args->cell_slices);
    step_spec(s, LSTM_STATE_SPEC_OUT, out);
    step_thawable(s, LSTM_STATE_SPEC_OUT, LSTM_STATE_SPEC_OUT);
    step_push(s, &own, sizeof own);
    if (out) {
        step_write(p, s, 0, h);
        step_write(p, s, 1, c);
        step_read(p, s, 2, state);
    } else {
        step_read(p, s, 0, h);
        step_read(p, s, 1, c);
        step_write(p, s, 2, state);
    }
    return step_items(p, s, own.count);
}

struct plan_step *lstm_full_step(struct planner *p, const struct graph_node *n, const char *shader,
                                 const struct lstm_full_run *run, int state)
{
    const int x = planner_tensor(p, n->inputs[LSTM_FULL_X]);
    const int y = planner_tensor(p, n->outputs[0]);
    const uint32_t columns = columns_of(p->limits, &run->sizes);
    struct plan_step *s = planner_step(p, shader, n, columns, SHARES_Y, 1);

    if (!s || x < 0 || y < 0)
        return NULL;
    step_spec(s, LSTM_FULL_SPEC_CIFG, run->sizes.cifg);
    step_spec(s, LSTM_FULL_SPEC_PEEPHOLE, run->sizes.peephole);
    step_spec(s, LSTM_FULL_SPEC_PROJECTION, run->sizes.projection);
    step_thawable(s, LSTM_FULL_SPEC_CIFG, LSTM_FULL_SPEC_PROJECTION);
    step_shared(s, columns * SHARES_Y * 4 * (uint32_t)sizeof(float));
    step_write(p, s, 0, y);
    step_read(p, s, 1, x);
    step_constants(s, 2, run->constants);
    step_write(p, s, 3, state);
    return s;
}

static enum status plan_step(struct planner *p, const struct graph_node *n,
                             const struct lstm_full_run *run, const struct lstm_full_args *args,
                             int state)
{
    struct plan_step *s = lstm_full_step(p, n, "lstm_full", run, state);

    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, LSTM_FULL_SPEC_ACTIVATION, (uint32_t)run->params.activation);
    step_thawable(s, LSTM_FULL_SPEC_ACTIVATION, LSTM_FULL_SPEC_ACTIVATION);
    step_push(s, args, sizeof *args);
    return step_groups(p, s, args->count);
}

enum status lstm_full_plan_run(struct planner *p, const struct graph_node *n,
                               const struct lstm_full_run *run)
{
    const struct lstm_full_sizes *const z = &run->sizes;
    const struct lstm_full *const l = &run->params;
    const bool one = is_one(p->limits, z);
    const uint32_t parts = one ? 1 : (z->cells + CELLS_X - 1) / CELLS_X;
    struct lstm_full_args args = { .count = z->batch * parts,
                                   .parts = parts,
                                   .last = z->steps,
                                   .row_pitch = l->time_major ? 1 : z->steps,
                                   .step_pitch = l->time_major ? z->batch : 1,
                                   .depth = z->depth,
                                   .in_slices = (z->depth + 3) / 4,
                                   .cells = z->cells,
                                   .cell_slices = (z->cells + 3) / 4,
                                   .outputs = z->outputs,
                                   .out_slices = (z->outputs + 3) / 4,
                                   .cell_clip = l->cell_clip,
                                   .proj_clip = l->proj_clip };
    const int h_in = planner_tensor(p, n->inputs[LSTM_FULL_H]);
    const int c_in = planner_tensor(p, n->inputs[LSTM_FULL_C]);
    const int state =
        planner_temp(p, z->batch, 8 * (args.out_slices + args.cell_slices), FORMAT_WIDE);
    const int h =
        h_in < 0 ? -1 : planner_temp(p, z->batch, z->outputs, p->plan->tensors[h_in].format);
    const int c =
        c_in < 0 ? -1 : planner_temp(p, z->batch, z->cells, p->plan->tensors[c_in].format);

    TRY(plan_state(p, n, run->state_shader, &args, h_in, c_in, state, false));
    for (uint32_t t = 0; t < (one ? 1 : z->steps); t++) {
        args.first = t;
        args.last = one ? z->steps : t + 1;
        TRY(run->step(p, n, run, &args, state));
    }
    TRY(plan_state(p, n, run->state_shader, &args, h, c, state, true));
    TRY(planner_write_back(p, n->inputs[LSTM_FULL_H], h));
    return planner_write_back(p, n->inputs[LSTM_FULL_C], c);
}

enum status lstm_full_plan(struct planner *p, const struct graph_node *n)
{
    struct packed constants;
    const struct lstm_full_run run = { .sizes = lstm_full_sizes_of(p->graph, n),
                                       .params = lstm_full_of(n),
                                       .constants = &constants,
                                       .state_shader = "lstm_state",
                                       .step = plan_step };

    TRY(pack_constants(p, n, &run.sizes, &constants));
    return lstm_full_plan_run(p, n, &run);
}

#include "delegate/ops/product/pointwise_depthwise.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/operand.h"
#include "delegate/ops/product/pointwise_depthwise.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <inttypes.h>

enum {
    UNIT_BYTES = 16,
    UNIT_ELEMENTS = 8, /* of f16 */
    SHARES_MAX = 8,
    THREADS_MAX = 512,
    WIDTH_MAX = 0xffff /* POINTWISE_DEPTHWISE_SPEC_WIDTHS */
};

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint32_t slices_of(int32_t channels)
{
    return (uint32_t)quotient_up((uint32_t)channels, 4);
}

static uint64_t k_tiles_of(uint32_t channels, const struct device_matrix *m)
{
    return quotient_up(quotient_up(channels, 4) * 4, m->tile);
}

static uint64_t pixels_of(uint32_t out_rows, const struct window *w, const struct window_args *args)
{
    return ((uint64_t)(out_rows - 1) * (uint32_t)w->stride_h + (uint32_t)w->filter_h) * args->in_w;
}

static uint32_t threads_of(const struct pointwise_depthwise *t, const struct device_matrix *m)
{
    return t->subgroups * t->shares * m->subgroup_size;
}

static uint64_t shared_bytes(const struct pointwise_depthwise *t, const struct device_matrix *m,
                             uint64_t k_tiles)
{
    const uint64_t rows = (uint64_t)m->tile * t->subgroups;
    const uint64_t columns = m->tile * POINTWISE_DEPTHWISE_BLOCK / 4;
    const uint64_t staged = rows * (k_tiles * m->tile / UNIT_ELEMENTS + 1);
    const uint64_t sums = t->shares * rows * (columns + 1);

    return (staged > sums ? staged : sums) * UNIT_BYTES;
}

/* Whether the invocations can stage all of the sum, and shared memory holds it. */
static bool stages(const struct pointwise_depthwise *t, const struct device_limits *limits,
                   uint64_t k_tiles, const struct reason_of *why)
{
    const struct device_matrix *m = &limits->matrix;
    const uint64_t units = (uint64_t)m->tile * t->subgroups * k_tiles * (m->tile / UNIT_ELEMENTS);
    const uint64_t units_max = (uint64_t)POINTWISE_DEPTHWISE_STAGED * threads_of(t, m);
    const uint64_t bytes = shared_bytes(t, m, k_tiles);

    if (units > units_max)
        return reasons_add(why,
                           "the rows that a workgroup stages are %" PRIu64
                           " times 16 bytes, more than its invocations hold, %" PRIu64,
                           units, units_max);
    return bytes <= limits->max_shared_memory_bytes ||
           reasons_add(why, "%" PRIu64 " bytes of shared memory, more than %" PRIu32, bytes,
                       limits->max_shared_memory_bytes);
}

static uint64_t groups_x(const struct device_matrix *m, const struct window_args *args)
{
    return quotient_up((uint64_t)args->out_slices * 4,
                       (uint64_t)m->tile * POINTWISE_DEPTHWISE_BLOCK);
}

static uint64_t groups_y(const struct pointwise_depthwise *t, const struct window_args *args,
                         uint64_t images)
{
    return images * quotient_up(args->out_h, t->out_rows);
}

bool pointwise_depthwise_of(struct pointwise_depthwise *t, const struct device_limits *limits,
                            const struct window *w, const struct window_args *args,
                            uint32_t channels, uint64_t images, const struct reason_of *why)
{
    const struct device_matrix *m = &limits->matrix;
    const struct device_costs *const costs = device_costs_of(limits);
    uint32_t threads_max = limits->max_workgroup_invocations;
    uint64_t k_tiles, pixels;

    if (m->kind == MATRIX_NONE)
        return reasons_add(why, "the device has no matrix units that were tested");
    if ((m->tile != 8 && m->tile != MATRIX_TILE_MAX) ||
        m->tile * m->tile > UNIT_ELEMENTS * m->subgroup_size)
        return reasons_add(why, "matrices of %" PRIu32 " by subgroups of %" PRIu32, m->tile,
                           m->subgroup_size);
    if (w->dilation_h != 1 || w->dilation_w != 1)
        return reasons_add(why, "the depthwise convolution is dilated");
    if (w->filter_h > POINTWISE_DEPTHWISE_TAPS || w->filter_w > POINTWISE_DEPTHWISE_TAPS ||
        w->filter_h * w->filter_w > POINTWISE_DEPTHWISE_TAPS)
        return reasons_add(why, "a window of %d x %d, more than %d taps", w->filter_h, w->filter_w,
                           POINTWISE_DEPTHWISE_TAPS);
    if (threads_max > limits->max_workgroup_size[0])
        threads_max = limits->max_workgroup_size[0];
    if (threads_max > THREADS_MAX)
        threads_max = THREADS_MAX;
    *t = (struct pointwise_depthwise){ .out_rows = w->stride_h == 1 && args->out_h > 1 ? 2 : 1,
                                       .shares = 1 };
    pixels = pixels_of(t->out_rows, w, args);
    if (pixels > costs->pointwise_pixels_max || args->out_w > WIDTH_MAX)
        return reasons_add(
            why, "%" PRIu64 " pixels of a workgroup, more than %" PRIu32 ": two steps are faster",
            pixels, costs->pointwise_pixels_max);
    k_tiles = k_tiles_of(channels, m);
    t->subgroups = (uint32_t)quotient_up(pixels, m->tile);
    while (t->shares < SHARES_MAX && 2 * t->shares <= k_tiles &&
           2 * threads_of(t, m) <= threads_max)
        t->shares *= 2;
    if (threads_of(t, m) > threads_max)
        return reasons_add(why, "%" PRIu32 " invocations of a workgroup, more than %" PRIu32,
                           threads_of(t, m), threads_max);
    if (!stages(t, limits, k_tiles, why))
        return false;
    /* Counted for one image, so that a batch has the bits of its images. */
    if (groups_x(m, args) * groups_y(t, args, 1) > costs->pointwise_groups_max)
        return reasons_add(why,
                           "%" PRIu64 " workgroups, more than %" PRIu32 ": two steps are faster",
                           groups_x(m, args) * groups_y(t, args, 1), costs->pointwise_groups_max);
    return (groups_x(m, args) <= limits->max_workgroup_count[0] &&
            groups_y(t, args, images) <= limits->max_workgroup_count[1]) ||
           reasons_add(why, "its grid exceeds the limits of the device");
}

/* What both nodes read and write. */
struct pair {
    const struct graph_node *conv, *depthwise;
    const struct graph_tensor *x, *weights, *taps, *y;
    struct weights_shape shape; /* of the 1x1 */
    struct window window;       /* of the depthwise */
    struct window_args args;
    struct pointwise_depthwise t;
};

/* Weights and bias are constants, and the result is neither rounded to steps nor added to. */
static bool is_plain(const struct planner *p, const struct graph_node *n)
{
    const struct graph *g = p->graph;

    return !graph_is_quantized(g, n) && n->steps.scale <= 0 && !n->has_residual &&
           graph_is_constant(g, n->inputs[1]) &&
           (!graph_input(g, n, 2) || graph_is_constant(g, n->inputs[2])) &&
           !(p->wide && (p->wide[n->inputs[0]] || p->wide[n->outputs[0]]));
}

static bool is_pointwise(const struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *w = graph_input(p->graph, n, 1);
    const struct window window = window_of_conv(n->params, w);

    return !n->has_pads && window.filter_h == 1 && window.filter_w == 1 && window.stride_h == 1 &&
           window.stride_w == 1 && w->dims[3] == x->dims[3];
}

/* The nodes follow each other, so that no node between them overwrites src, and no other node reads
 * what is between them. */
static bool are_pair(const struct planner *p, const struct graph_node *conv,
                     const struct reason_of *why)
{
    const struct graph *g = p->graph;
    const struct graph_node *depthwise = conv + 1;
    int between;

    if (!p->readers || conv < g->nodes || depthwise >= g->nodes + g->node_count ||
        conv->code != BUILTIN_CONV_2D || depthwise->code != BUILTIN_DEPTHWISE_CONV_2D ||
        depthwise->inputs[0] != (between = conv->outputs[0]) || !is_pointwise(p, conv))
        return false;
    if (!p->plan->half)
        return reasons_add(why, "precision=fp32: it computes in f16");
    if (!options_kernel(p->options, KERNEL_matrix))
        return reasons_add(why, "option no_kernel=matrix");
    if (!planner_kernel(p, why))
        return false;
    if (p->exposed[between])
        return reasons_add(why, "the result of %s %d is an output of the partition", conv->name,
                           conv->host_node);
    if (p->readers[between] != 1)
        return reasons_add(why, "the result of %s %d is read %d times", conv->name, conv->host_node,
                           p->readers[between]);
    if (!is_plain(p, conv) || !is_plain(p, depthwise))
        return reasons_add(why,
                           "quantized, rounded to steps, with a residual, or with weights or a "
                           "bias that are computed");
    return graph_input(g, depthwise, 1)->dims[3] == graph_output(g, conv, 0)->dims[3] ||
           reasons_add(why, "several results of each channel");
}

static bool find_pair(const struct planner *p, const struct graph_node *conv,
                      const struct reason_of *why, struct pair *pair)
{
    const struct graph *g = p->graph;
    struct window_pads pads;

    if (!are_pair(p, conv, why))
        return false;
    *pair = (struct pair){ .conv = conv,
                           .depthwise = conv + 1,
                           .x = graph_input(g, conv, 0),
                           .weights = graph_input(g, conv, 1),
                           .taps = graph_input(g, conv + 1, 1),
                           .y = graph_output(g, conv + 1, 0) };
    pair->window = window_of_depthwise(pair->depthwise->params, pair->taps);
    pads = window_pads_of_node(g, pair->depthwise, &pair->window);
    pair->shape = (struct weights_shape){ .outputs = (uint32_t)pair->weights->dims[0],
                                          .taps = 1,
                                          .inputs = (uint32_t)pair->x->dims[3],
                                          .depth = slices_of(pair->x->dims[3]) * 4 };
    pair->args = (struct window_args){ .in_h = (uint32_t)pair->x->dims[1],
                                       .in_w = (uint32_t)pair->x->dims[2],
                                       .in_slices = slices_of(pair->x->dims[3]),
                                       .out_h = (uint32_t)pair->y->dims[1],
                                       .out_w = (uint32_t)pair->y->dims[2],
                                       .out_slices = slices_of(pair->y->dims[3]),
                                       .pad_h = pads.top,
                                       .pad_w = pads.left };
    return pointwise_depthwise_of(&pair->t, p->limits, &pair->window, &pair->args,
                                  pair->shape.inputs, (uint32_t)pair->x->dims[0], why) &&
           (operand_tiled_vec4s(&pair->shape, &p->limits->matrix) <=
                p->limits->max_storage_buffer_range / UNIT_ELEMENTS ||
            reasons_add(why, "its weights exceed a storage buffer of the device"));
}

bool pointwise_depthwise_is_first(const struct planner *p, const struct graph_node *conv)
{
    struct reason_of why = planner_reason(p, KERNEL_pointwise_depthwise, conv);
    struct pair pair;

    why.reasons = NULL; /* the depthwise convolution says why not */
    return find_pair(p, conv, &why, &pair);
}

/* Biases and the weights of the depthwise: rows of slices, as pointwise_depthwise.comp reads them.
 */
static enum status pack(struct planner *p, const struct pair *pair, struct packed *packed)
{
    const struct graph *g = p->graph;
    const uint64_t row = (uint64_t)pair->args.out_slices * 4;
    const uint32_t taps = (uint32_t)(pair->window.filter_h * pair->window.filter_w);
    const struct graph_node *nodes[] = { pair->conv, pair->depthwise };
    const uint32_t outputs = pair->shape.outputs;

    TRY(planner_pack(p, (2 + (uint64_t)taps) * pair->args.out_slices, false, packed));
    if (!planner_packs(p))
        return STATUS_OK;
    for (uint64_t i = 0; i < 2; i++)
        for (uint32_t o = 0; graph_input(g, nodes[i], 2) && o < outputs; o++)
            planner_put(p, packed, i * row + o, graph_constant_float(g, nodes[i]->inputs[2], o));
    for (uint64_t k = 0; k < taps; k++)
        for (uint32_t o = 0; o < outputs; o++)
            planner_put(
                p, packed, (2 + k) * row + o,
                graph_constant_float(g, pair->depthwise->inputs[1], (size_t)(k * outputs + o)));
    return STATUS_OK;
}

static enum status set_step(struct planner *p, const struct pair *pair,
                            const struct operand *weights, const struct packed *constants)
{
    const struct device_matrix *m = &p->limits->matrix;
    const TfLiteConvParams *conv = pair->conv->params;
    const TfLiteDepthwiseConvParams *depthwise = pair->depthwise->params;
    const uint32_t images = (uint32_t)pair->x->dims[0];
    const struct pointwise_depthwise_args args = { .window = pair->args,
                                                   .activation = (uint32_t)conv->activation,
                                                   .last_activation =
                                                       (uint32_t)depthwise->activation };
    const int src = planner_tensor(p, pair->conv->inputs[0]);
    const int dst = planner_tensor(p, pair->depthwise->outputs[0]);
    struct plan_step *s = planner_step(
        p, m->kind == MATRIX_NV ? "pointwise_depthwise.nv12" : "pointwise_depthwise.khr12",
        pair->depthwise, threads_of(&pair->t, m), 1, 1);

    if (!s || src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    window_specs(s, &pair->window);
    step_spec(s, POINTWISE_DEPTHWISE_SPEC_TILE, m->tile);
    step_spec(s, POINTWISE_DEPTHWISE_SPEC_ROWS, pair->t.subgroups);
    step_spec(s, POINTWISE_DEPTHWISE_SPEC_SHARES, pair->t.shares);
    step_spec(s, POINTWISE_DEPTHWISE_SPEC_CHANNELS, pair->shape.inputs);
    step_spec(s, POINTWISE_DEPTHWISE_SPEC_FLAGS,
              (m->fragments ? POINTWISE_DEPTHWISE_FRAGMENTS : 0) |
                  (pair->args.in_slices % 2 == 0 ? POINTWISE_DEPTHWISE_EVEN : 0) |
                  (pair->t.out_rows == 2 ? POINTWISE_DEPTHWISE_TWO_ROWS : 0));
    step_spec(s, POINTWISE_DEPTHWISE_SPEC_WIDTHS, pair->args.in_w | pair->args.out_w << 16);
    step_shared(s, (uint32_t)shared_bytes(&pair->t, m, k_tiles_of(pair->shape.inputs, m)));
    step_push(s, &args, sizeof args);
    step_freezable(s);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_operand(p, s, 2, weights);
    step_constants(s, 3, constants);
    s->groups[0] = (uint32_t)groups_x(m, &pair->args);
    s->groups[1] = (uint32_t)groups_y(&pair->t, &pair->args, images);
    s->groups[2] = 1;
    return STATUS_OK;
}

/* A 1x1 convolution computes the input, but other nodes stand between the two. */
static void decline_apart(const struct planner *p, const struct graph_node *depthwise,
                          const struct reason_of *why)
{
    const int producer = p->graph->tensors[depthwise->inputs[0]].producer;
    const struct graph_node *const conv = producer < 0 ? NULL : &p->graph->nodes[producer];

    if (conv && conv != depthwise - 1 && conv->code == BUILTIN_CONV_2D && is_pointwise(p, conv))
        reasons_add(why, "%s %d is not the node before it", conv->name, conv->host_node);
}

enum status pointwise_depthwise_plan(struct planner *p, const struct graph_node *depthwise,
                                     bool *planned)
{
    const struct reason_of why = planner_reason(p, KERNEL_pointwise_depthwise, depthwise);
    struct pair pair;
    struct operand weights;
    struct packed constants;

    *planned = depthwise > p->graph->nodes && find_pair(p, depthwise - 1, &why, &pair);
    if (p->reasons)
        decline_apart(p, depthwise, &why);
    if (!*planned)
        return STATUS_OK;
    TRY(operand_tiled(p, pair.conv->inputs[1], &pair.shape, &p->limits->matrix, &weights));
    TRY(pack(p, &pair, &constants));
    return set_step(p, &pair, &weights, &constants);
}

/* QUANTIZE of floats, QUANTIZE of 8-bit and i16 tensors to another scale, DEQUANTIZE.
 * Meaning: reference/ops/dequantize.c */
#include "delegate/ops/elementwise/dequantize_int8.h"

#include "delegate/base/stored_half.h"
#include "delegate/ops/elementwise/quantize_int8.args.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/shaders/count.args.h"

#include <math.h>
#include <string.h>

static double factor_of(const struct graph *g, const struct graph_node *n)
{
    return tensor_scale(graph_input(g, n, 0)) / tensor_scale(graph_output(g, n, 0));
}

static bool accept_quantize(struct check *c)
{
    return graph_input(c->graph, c->node, 0)->type == kTfLiteFloat32 ||
           check_multiplier(c, c->node->outputs[0], "input scale / output scale",
                            factor_of(c->graph, c->node));
}

/* The float at a place in the order of all floats but NaN: 0 is zero, 1 the least positive
 * denormal, -1 its negative, and so on to the infinities. */
static float float_of(int32_t order)
{
    const uint32_t bits = order < 0 ? UINT32_C(0x80000000) - (uint32_t)order : (uint32_t)order;
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Before it is clamped. */
static int64_t quantized(const struct graph_tensor *y, float real)
{
    return (int64_t)fixed_round((double)(real / y->quant.scale[0])) + tensor_zero_point(y);
}

/* The place, in that order, of the least float that is quantized to `value` or more.  Bisection
 * finds it, since quantization is monotone. */
static int32_t limit_of(const struct graph_tensor *y, int32_t value)
{
    const int32_t infinity = 0x7f800000;
    int32_t below = -infinity, limit = infinity; /* below is quantized to less; limit is not */

    while ((int64_t)limit - below > 1) {
        const int32_t middle = (int32_t)(((int64_t)below + limit) >> 1);

        if (quantized(y, float_of(middle)) >= value)
            limit = middle;
        else
            below = middle;
    }
    return limit;
}

void quantize_put_limits(struct planner *p, const struct graph_tensor *y,
                         const struct packed *limits, uint64_t at)
{
    const struct fixed_range range = requantize_range(y, kTfLiteActNone);

    for (int i = 0; i < range.high - range.low && planner_packs(p); i++)
        planner_put_word(p, limits, at + (uint64_t)i, (uint32_t)limit_of(y, range.low + 1 + i));
}

static enum status quantize_floats(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(p, INTEGER_SHADER(y, "quantize_int8"), n, WORKGROUP, 1, 1);
    const struct fixed_range range = requantize_range(y, kTfLiteActNone);
    const int count = range.high - range.low;
    struct quantize_int8_args args;
    struct packed limits;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    TRY(planner_pack_words(p, (uint64_t)count, &limits));
    quantize_put_limits(p, y, &limits, 0);
    args.count = p->plan->tensors[dst].rows * p->plan->tensors[dst].slices;
    args.zero = (uint32_t)(tensor_zero_point(y) - range.low);
    step_spec(s, QUANTIZE_INT8_SPEC_HALF, plan_element_bytes(p->plan, &p->plan->tensors[src]) == 2);
    step_spec(s, QUANTIZE_INT8_SPEC_SIGNED, y->type != kTfLiteUInt8);
    step_thawable(s, QUANTIZE_INT8_SPEC_HALF, QUANTIZE_INT8_SPEC_SIGNED);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &limits);
    return step_items(p, s, args.count);
}

static uint32_t requantized(const struct graph *g, const struct graph_node *n, int32_t q,
                            uint32_t bits)
{
    const struct graph_tensor *x = graph_input(g, n, 0), *y = graph_output(g, n, 0);
    const struct fixed_multiplier m = requantize_multiplier(factor_of(g, n));

    (void)bits;
    return (uint32_t)fixed_clamp((int64_t)tensor_zero_point(y) +
                                     fixed_multiply(q - tensor_zero_point(x), m),
                                 requantize_range(y, kTfLiteActNone));
}

float dequantize_integer(const struct graph_tensor *x, int32_t q)
{
    return (float)(tensor_scale(x) * (double)(q - tensor_zero_point(x)));
}

/* The result for q of a node that reads what DEQUANTIZE reads (transform requantize). */
static uint32_t quantized_again(const struct graph *g, const struct graph_node *n, int32_t q,
                                uint32_t bits)
{
    const struct graph_tensor *x = graph_input(g, n, 0), *y = graph_output(g, n, 0);

    (void)bits;
    return (uint32_t)fixed_clamp(quantized(y, dequantize_integer(x, q)),
                                 requantize_range(y, kTfLiteActNone));
}

int quantize_kept_input(const struct graph *g, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(g, n, 0);

    if (!n->in_floats || !graph_same_quant(x, graph_output(g, n, 0)))
        return -1;
    for (int byte = 0; byte < 256; byte++) {
        const int32_t q = bytes_value(x->type, byte);

        if (quantized_again(g, n, q, 8) != (uint32_t)q)
            return -1;
    }
    return 0;
}

static enum status plan_quantize(struct planner *p, const struct graph_node *n)
{
    if (graph_input(p->graph, n, 0)->type == kTfLiteFloat32)
        return quantize_floats(p, n);
    return table_plan(p, n, n->in_floats ? quantized_again : requantized);
}

/* The bits of the f32 or f16 that an integer is dequantized to. */
static uint32_t dequantized(const struct graph *g, const struct graph_node *n, int32_t q,
                            uint32_t bits)
{
    const float value = dequantize_integer(graph_input(g, n, 0), q);
    uint32_t word;

    memcpy(&word, &value, sizeof word);
    return bits == 16 ? stored_half(value) : word;
}

static enum status plan_dequantize(struct planner *p, const struct graph_node *n)
{
    /* Nothing to compute: the readers of a constant read it. */
    return graph_is_constant(p->graph, n->outputs[0]) ? STATUS_OK : table_plan(p, n, dequantized);
}

static bool accept(struct check *c)
{
    return c->node->code == BUILTIN_DEQUANTIZE || accept_quantize(c);
}

static enum status plan(struct planner *p, const struct graph_node *n)
{
    return n->code == BUILTIN_QUANTIZE ? plan_quantize(p, n) : plan_dequantize(p, n);
}

const struct gpu_exact exact_dequantize = { accept, plan };

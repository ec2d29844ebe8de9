/* Speed: all weights, at each start */
#include "delegate/ops/int8/dot.h"

#include "delegate/ops/int8/requantize.h"
#include "reference/base/builtin.h"

#include <math.h>

/* Of i16. */
enum {
    PRODUCTS_MAX = 60000, /* of a sum: 16 bits of each are summed in 32 bits */
    BIAS_BITS = 46        /* the sum of products has 38 bits; with the bias it has 48 */
};

/* As in TensorFlow Lite the scales of u8 are multiplied in f32 where the multiplier becomes a
 * fixed-point one. */
double dot_multiplier(const struct graph *g, const struct graph_node *n, const struct dot *d,
                      size_t channel, bool in_double)
{
    const struct graph_tensor *x = graph_input(g, n, d->x), *w = graph_input(g, n, d->weights);
    const double a = tensor_scale(x), b = w->quant.scale[w->quant.count > 1 ? channel : 0];
    const bool rounded = x->type == kTfLiteUInt8 && !in_double;

    return (rounded ? (double)((float)a * (float)b) : a * b) / tensor_scale(graph_output(g, n, 0));
}

static bool check_weights(struct check *c, const struct dot *d)
{
    static const char *const hint = "quantize the weights again";
    const int tensor = c->node->inputs[d->weights];
    const struct graph_tensor *w = &c->graph->tensors[tensor];

    if (!graph_is_constant(c->graph, tensor))
        return refuse(c, RULE_QUANT_WEIGHTS, tensor, "data",
                      "use quantized=float_view, or make the weights a constant of the model",
                      "constant", "computed at run time");
    if (w->quant.count > 1 && (w->quant.dimension != d->channel || !graph_has_few_bits(w)))
        return refuse(c, RULE_QUANT_SCALE, tensor, "quantized_dimension", hint,
                      "scales of signed weights are the output channels'", "%d of %s",
                      w->quant.dimension, runtime_type_name(w->type));
    for (size_t i = 0; i < w->quant.count; i++)
        if (w->type == kTfLiteInt8 && w->quant.zero_point[i] != 0)
            return refuse(c, RULE_QUANT_SCALE, tensor, "zero point", hint, "0 for i8", "%d",
                          w->quant.zero_point[i]);
    return true;
}

static bool check_wide_bias(struct check *c, const struct dot *d)
{
    const struct graph_tensor *bias = graph_input(c->graph, c->node, d->bias);
    const int64_t limit = INT64_C(1) << BIAS_BITS;

    for (size_t i = 0; bias && i < bias->elements; i++) {
        const int64_t b = graph_constant_int(c->graph, c->node->inputs[d->bias], i);

        if (b < -limit || b > limit)
            return refuse(c, RULE_QUANT_SUM, c->node->inputs[d->bias], "data",
                          "quantize the node again", "within +-2^46", "%lld at element %zu",
                          (long long)b, i);
    }
    return true;
}

/* Sums of i16 and i8 fit the accumulators of dot_int16.comp. */
static bool check_wide_sums(struct check *c, const struct dot *d)
{
    const struct graph_tensor *w = graph_input(c->graph, c->node, d->weights);
    const size_t products = w->elements / (size_t)w->dims[d->channel];

    if (products > PRODUCTS_MAX)
        return refuse(c, RULE_QUANT_SUM, c->node->inputs[d->weights], "products of a sum",
                      "split the sum", "60000", "%zu", products);
    return check_wide_bias(c, d);
}

bool check_dot(struct check *c, const struct dot *d, uint64_t words)
{
    const struct graph_tensor *w = graph_input(c->graph, c->node, d->weights);

    if (!check_weights(c, d) || !check_activation_range(c, 0, d->activation))
        return false;
    for (size_t i = 0; i < w->quant.count; i++)
        if (!check_multiplier(c, c->node->inputs[d->weights],
                              "input scale * weight scale / output scale",
                              dot_multiplier(c->graph, c->node, d, i, false)))
            return false;
    if (graph_input(c->graph, c->node, d->x)->type == kTfLiteInt16 && !check_wide_sums(c, d))
        return false;
    return words <= c->limits->max_storage_buffer_range / 4 ||
           refuse_bytes(c, RULE_LIMITS_CONSTANT_BYTES, c->node->inputs[d->weights], words * 4);
}

uint32_t dot_sign_flip(const struct graph_tensor *t)
{
    return t->type == kTfLiteUInt8 ? 0x80808080 : 0;
}

int32_t dot_zero_point(const struct graph_tensor *t)
{
    return tensor_zero_point(t) - (t->type == kTfLiteUInt8 ? 128 : 0);
}

uint32_t dot_padding(const struct graph_tensor *t)
{
    return ((uint32_t)dot_zero_point(t) & 0xff) * 0x01010101;
}

uint64_t dot_words(const struct dot_shape *s)
{
    return (uint64_t)s->taps * (((uint64_t)s->inputs + 3) / 4) * (((uint64_t)s->outputs + 3) / 4) *
           4;
}

/* Input i of tap k of output o. */
static int32_t weight(const struct planner *p, int tensor, const struct dot_shape *s, uint32_t o,
                      uint32_t k, uint32_t i)
{
    const struct graph_tensor *w = &p->graph->tensors[tensor];
    const int64_t v =
        graph_constant_int(p->graph, tensor, ((size_t)o * s->taps + k) * s->inputs + i);

    return (int32_t)v - (w->type == kTfLiteUInt8 ? 128 : 0);
}

enum status dot_pack_weights(struct planner *p, int tensor, const struct dot_shape *s,
                             struct packed *packed)
{
    const uint32_t in_slices = (s->inputs + 3) / 4, out_slices = (s->outputs + 3) / 4;

    TRY(planner_pack_words(p, dot_words(s), packed));
    for (uint32_t o = 0; o < s->outputs && planner_packs(p); o++)
        for (uint32_t k = 0; k < s->taps; k++)
            for (uint32_t slice = 0; slice < in_slices; slice++) {
                uint32_t word = 0;

                for (uint32_t i = 4 * slice; i < s->inputs && i < 4 * slice + 4; i++)
                    word |= ((uint32_t)weight(p, tensor, s, o, k, i) & 0xff) << 8 * (i % 4);
                planner_put_word(
                    p, packed, (((uint64_t)k * in_slices + slice) * out_slices + o / 4) * 4 + o % 4,
                    word);
            }
    return STATUS_OK;
}

uint64_t dot_wide_words(const struct dot_shape *s)
{
    return (uint64_t)s->taps * s->inputs * (((uint64_t)s->outputs + 3) / 4) * 4;
}

enum status dot_pack_wide(struct planner *p, int tensor, const struct dot_shape *s,
                          struct packed *packed)
{
    const int32_t zero = dot_zero_point(&p->graph->tensors[tensor]);
    const uint32_t pitch = (s->outputs + 3) / 4 * 4;

    TRY(planner_pack_words(p, dot_wide_words(s), packed));
    for (uint32_t o = 0; o < s->outputs && planner_packs(p); o++)
        for (uint32_t k = 0; k < s->taps; k++)
            for (uint32_t i = 0; i < s->inputs; i++)
                planner_put_word(p, packed, ((uint64_t)k * s->inputs + i) * pitch + o,
                                 (uint32_t)(weight(p, tensor, s, o, k, i) - zero));
    return STATUS_OK;
}

/* - zx * sum of w + terms * zx * zw, modulo 2^32. */
static uint32_t folded_zeros(const struct planner *p, const struct graph_node *n,
                             const struct dot *d, size_t channel)
{
    const struct graph_tensor *w = graph_input(p->graph, n, d->weights);
    const size_t count = (size_t)w->dims[d->channel], terms = w->elements / count;
    /* The channels are the first dimension, or the last. */
    const size_t first = d->channel == 0 ? channel * terms : channel;
    const size_t step = d->channel == 0 ? 1 : count;
    const uint32_t zx = (uint32_t)dot_zero_point(graph_input(p->graph, n, d->x));
    const uint32_t zw = (uint32_t)dot_zero_point(w);
    const uint32_t offset = w->type == kTfLiteUInt8 ? 128 : 0;
    uint32_t sum = 0;

    for (size_t i = 0; i < terms; i++)
        sum += (uint32_t)graph_constant_int(p->graph, n->inputs[d->weights], first + i * step) -
               offset;
    return (uint32_t)terms * zx * zw - zx * sum;
}

void dot_double_words(double v, uint32_t words[3])
{
    int e;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(v, &e), 53);

    words[0] = (uint32_t)mantissa;
    words[1] = (uint32_t)(mantissa >> 32);
    words[2] = (uint32_t)(53 - e);
}

enum status dot_pack_channels(struct planner *p, const struct graph_node *n, const struct dot *d,
                              bool folded, struct packed *packed)
{
    const struct graph_tensor *w = graph_input(p->graph, n, d->weights);
    const bool biased = graph_input(p->graph, n, d->bias) != NULL;
    const uint32_t count = (uint32_t)w->dims[d->channel];
    const uint32_t rows = d->in_double ? 4 : 3; /* of a slice */

    TRY(planner_pack_words(p, ((uint64_t)count + 3) / 4 * rows * 4, packed));
    for (uint32_t c = 0; c < count && planner_packs(p); c++) {
        const uint64_t at = (uint64_t)c / 4 * rows * 4 + c % 4;
        const double multiplier = dot_multiplier(p->graph, n, d, c, d->in_double);
        uint32_t initial = folded ? folded_zeros(p, n, d, c) : 0;

        if (biased)
            initial += (uint32_t)graph_constant_int(p->graph, n->inputs[d->bias], c);
        planner_put_word(p, packed, at, initial);
        if (d->in_double) {
            uint32_t words[3];

            dot_double_words(multiplier, words);
            for (uint32_t k = 0; k < 3; k++)
                planner_put_word(p, packed, at + 4 * (k + 1), words[k]);
        } else {
            const struct fixed_multiplier m = requantize_multiplier(multiplier);

            planner_put_word(p, packed, at + 4, (uint32_t)m.q);
            planner_put_word(p, packed, at + 8, (uint32_t)m.e);
        }
    }
    return STATUS_OK;
}

/* The most that a sum of so many products, each of an element and a weight less their zero points,
 * comes to with the bias. */
static uint64_t largest_sum(const struct graph *g, const struct graph_node *n, const struct dot *d,
                            uint64_t products)
{
    const struct graph_tensor *w = graph_input(g, n, d->weights);
    const struct graph_tensor *bias = graph_input(g, n, d->bias);
    uint64_t most = 0;

    for (size_t i = 0; bias && i < bias->elements; i++) {
        const int64_t b = graph_constant_int(g, n->inputs[d->bias], i);
        const uint64_t magnitude = b < 0 ? (uint64_t)-b : (uint64_t)b;

        most = magnitude > most ? magnitude : most;
    }
    return most + products * 255 * (w->type == kTfLiteUInt8 ? 255 : 128);
}

uint32_t dot_requantize(const struct graph *g, const struct graph_node *n, const struct dot *d)
{
    const struct graph_tensor *w = graph_input(g, n, d->weights);
    const size_t count = (size_t)w->dims[d->channel];

    if (d->in_double)
        return REQUANTIZE_DOUBLE;
    if (count == 0)
        return REQUANTIZE_FIXED;
    for (size_t c = 0; c < count; c++) {
        const int e = requantize_multiplier(dot_multiplier(g, n, d, c, false)).e;

        if (e > -1 || e < -31)
            return REQUANTIZE_FIXED;
    }
    return largest_sum(g, n, d, w->elements / count) < UINT64_C(1) << 29 ? REQUANTIZE_SMALL
                                                                         : REQUANTIZE_FIXED;
}

struct requantize_args dot_output_range(const struct graph_tensor *y, int activation)
{
    const struct fixed_range range = requantize_range(y, activation);
    const int32_t zero = tensor_zero_point(y);

    return (struct requantize_args){ zero, range.low - zero, range.high - zero };
}

void step_dot_products(struct planner *p, struct plan_step *s, int dst, int src,
                       const struct packed *weights, const struct packed *channels)
{
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, weights);
    step_constants(s, 3, channels);
}

void step_packed_dot(struct planner *p, struct plan_step *s)
{
    s->packed_dot = p->options->packed_dot;
}

/* The part of the case builder that quantizes: scales and zero points of every tensor of an 8-bit
 * case, and its integers.
 *
 * Inputs and constants take their scales from the row, or from its name by a stream of their own;
 * results then take theirs from those of the inputs and from what the op does, so that they fill
 * their range: a scale that is far off would show zeros or clamps only.  Nothing here needs more
 * than IEEE arithmetic and square roots, so models have the same bytes everywhere. */
#include "conformance/suite/cases/case_quant.h"

#include "reference/base/memory.h"
#include "reference/base/op_facts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The standard deviation of integers that are uniform in [-128, 127]. */
static const double uniform_sd = 73.9;

/* The data set of the random streams of scales, which differ from those of data. */
enum { SCALE_SET = 64 };

struct byte_range {
    int32_t low, high;
};

static struct byte_range range_of(int32_t type)
{
    switch (type) {
    case TENSOR_INT8: return (struct byte_range){ INT8_MIN, INT8_MAX };
    case TENSOR_UINT8: return (struct byte_range){ 0, UINT8_MAX };
    case TENSOR_INT16: return (struct byte_range){ INT16_MIN, INT16_MAX };
    default: return (struct byte_range){ INT32_MIN, INT32_MAX };
    }
}

static size_t bytes_of(int32_t type)
{
    return tensor_type_bits(type) / 8;
}

/* Returns a number in [low, high) with 24 random bits. */
static double between(struct random_stream *s, double low, double high)
{
    return low + (high - low) * ((double)random_below(s, 1 << 24) * 0x1p-24);
}

static void scale_stream(const struct case_builder *m, struct random_stream *s, unsigned number)
{
    random_init(s, 0, m->c->name, SCALE_SET, number, 0);
}

struct case_scale *case_scale_of(struct case_builder *m, int tensor)
{
    const size_t at = (size_t)tensor;

    if (m->status != STATUS_OK || tensor < 0)
        return NULL;
    if (at >= m->scale_count) {
        struct case_scale *const more = mem_resize(m->scales, at + 16, sizeof *more);

        if (!more) {
            case_fail_memory(m);
            return NULL;
        }
        memset(&more[m->scale_count], 0, (at + 16 - m->scale_count) * sizeof *more);
        m->scales = more;
        m->scale_count = at + 16;
    }
    return &m->scales[at];
}

void case_set_scale(struct case_builder *m, int tensor, int32_t type, double scale, int32_t zero)
{
    struct case_scale *const s = case_scale_of(m, tensor);
    const struct byte_range range = range_of(type);

    if (!s)
        return;
    s->type = type;
    s->scale = (float)scale;
    s->zero = zero;
    s->known = true;
    s->mean = s->scale * ((range.low + (double)range.high) / 2 - zero);
    s->sd = s->scale * uniform_sd;
}

void case_set_bias_scale(struct case_builder *m, int tensor, double scale)
{
    case_set_scale(m, tensor, TENSOR_INT32, scale, 0);
    if (scale == 0 && case_scale_of(m, tensor))
        case_scale_of(m, tensor)->hidden = true;
}

void case_set_channels(struct case_builder *m, int tensor, int dimension, int32_t count)
{
    struct case_scale *const s = case_scale_of(m, tensor);

    if (!s)
        return;
    s->scales = mem_alloc((size_t)count, sizeof *s->scales);
    if (!s->scales) {
        case_fail_memory(m);
        return;
    }
    s->count = (size_t)count;
    s->dimension = dimension;
    s->zero_step = 3;
    for (int32_t c = 0; c < count; c++)
        s->scales[c] = s->scale * (float)(1 + c / 4.);
}

void case_write_scales(struct case_builder *m)
{
    for (size_t i = 0; i < m->scale_count; i++) {
        const struct case_scale *const s = &m->scales[i];
        const size_t count = s->scales ? s->count : 1;
        int64_t *zeros;

        if (!s->known || s->hidden || m->c->row->without_scales || m->status != STATUS_OK)
            continue;
        zeros = mem_alloc(count, sizeof *zeros);
        if (!zeros) {
            case_fail_memory(m);
            break;
        }
        for (size_t c = 0; c < count; c++)
            zeros[c] = s->zero + (int32_t)c * s->zero_step;
        builder_quantization(&m->builder, (int)i, count, s->scales ? s->scales : &s->scale, zeros,
                             s->scales ? s->dimension : 0);
        mem_free(zeros);
    }
    for (size_t i = 0; i < m->scale_count; i++)
        mem_free(m->scales[i].scales);
    mem_free(m->scales);
    m->scales = NULL;
    m->scale_count = 0;
}

/* ---- scales of inputs and constants ---- */

static int32_t place_zero(enum zero_place place, struct byte_range range, struct random_stream *s)
{
    switch (place) {
    case ZERO_LOW: return range.low;
    case ZERO_HIGH: return range.high;
    case ZERO_MIDDLE: return range.low + 128;
    case ZERO_APART:
    case ZERO_ANYWHERE: break;
    }
    return range.low + (int32_t)random_below(s, 256);
}

/* The row's place of the zero point; where it has none, either end or the middle in one of eight
 * tensors each. */
static enum zero_place choose_zero_place(const struct quant_row *q, struct random_stream *s)
{
    static const enum zero_place places[8] = { ZERO_LOW, ZERO_HIGH, ZERO_MIDDLE };
    const enum zero_place any = places[random_below(s, 8)];

    return q->zero != ZERO_ANYWHERE ? q->zero : any;
}

/* Whether the inputs of an op whose result has the scale of the first one may have other scales. */
static bool rescales(const struct case_builder *m, int32_t code)
{
    const struct suite_member *const member = suite_find_member(code);

    return member && member->rescales_u8 && m->c->type == TENSOR_UINT8;
}

/* Whether the inputs of the case's op have one scale, as those have that are compared or moved.
 * Where the op can rescale them, half of the cases have several. */
static bool shares_scale(const struct case_builder *m)
{
    const struct op_facts *const facts = op_facts_find(m->c->code);
    struct random_stream s;

    if (!facts || facts->result != OP_RESULT_SAME || facts->data == 1)
        return false;
    scale_stream(m, &s, 1000);
    return !rescales(m, m->c->code) || (m->c->row->quant.in2 == 0 && random_next(&s) >> 63);
}

static int32_t nearest(double v)
{
    return (int32_t)floor(v + 0.5);
}

static int32_t within(double v, struct byte_range range)
{
    return v <= range.low ? range.low : v >= range.high ? range.high : nearest(v);
}

static void scale_values(struct case_builder *m, int tensor, unsigned number,
                         const struct fill *fill)
{
    const struct op_case *const row = m->c->row;
    const struct byte_range range = range_of(m->c->type);
    const double size = fill->unscaled || row->scale == 0 ? 1 : row->scale;
    const double offset = fill->unscaled ? 0 : row->offset;
    const bool first = m->values++ == 0;
    double scale = first || shares_scale(m) ? row->quant.in : row->quant.in2;
    enum zero_place place;
    struct random_stream s;
    int32_t zero;

    scale_stream(m, &s, shares_scale(m) ? 0 : number);
    place = choose_zero_place(&row->quant, &s);
    if (place == ZERO_APART)
        place = first ? ZERO_LOW : ZERO_HIGH;
    zero = place_zero(place, range, &s);
    if (scale == 0)
        scale = 8 * size / 255 * between(&s, 0.75, 1.25);
    if (offset != 0) {
        const double low = fmin(0, offset - 4 * size), high = fmax(0, offset + 4 * size);

        scale = (high - low) / 255;
        zero = within(range.low - low / scale, range);
    }
    case_set_scale(m, tensor, m->c->type, scale, zero);
}

/* Returns the largest power of two that is at most v. */
static double power_below(double v)
{
    int e;

    frexp(v, &e);
    return ldexp(1, e - 1);
}

static double channel_factor(const struct quant_row *q, struct random_stream *s, bool tiny)
{
    /* Each call is a statement of its own: C may evaluate operands in either order. */
    const double near_part = between(s, 1, 2);
    const double near = near_part * (double)(1 << random_below(s, 3)) / 3;
    const int far_power = (int)random_below(s, 9) - 6;
    const double far = ldexp(between(s, 1, 2), far_power);

    if (q->channels == CHANNELS_FAR)
        return far;
    return tiny && q->channels == CHANNELS_ONE_TINY ? near * 0x1p-10 : near;
}

static void scale_weights(struct case_builder *m, int tensor, unsigned number,
                          const struct shape *shape, const struct fill *fill)
{
    const struct quant_row *const q = &m->c->row->quant;
    const double terms = fill->terms > 1 ? fill->terms : 1;
    const int32_t type = m->c->type == TENSOR_UINT8 ? TENSOR_UINT8 : TENSOR_INT8;
    /* In dynamic range weights are dequantized.  A subject of class fp16 stores them as f16, which
     * is exact with a power of two as scale; in S2 they have to be integers. */
    const bool power = m->c->dynamic && m->request->half;
    const bool whole = m->c->dynamic && m->request->set == SET_INTEGERS;
    double scale = q->in2 != 0 ? q->in2 : 1 / (uniform_sd * sqrt(terms));
    struct case_scale *info;
    size_t tiny;
    struct random_stream s;
    int32_t zero = 0;

    scale_stream(m, &s, number);
    if (q->in2 == 0)
        scale *= between(&s, 0.75, 1.25);
    if (type == TENSOR_UINT8) {
        const enum zero_place place = choose_zero_place(q, &s);

        zero = place == ZERO_ANYWHERE ? 96 + (int32_t)random_below(&s, 64)
                                      : place_zero(place, range_of(type), &s);
    }
    if (power)
        scale = power_below(scale);
    case_set_scale(m, tensor, type, whole ? 1 : scale, zero);
    info = case_scale_of(m, tensor);
    if (!info)
        return;
    info->terms = terms;
    if (!m->c->by_channel)
        return;
    info->dimension = fill->channel;
    info->count = (size_t)shape->d[fill->channel];
    info->scales = mem_alloc(info->count, sizeof *info->scales);
    if (!info->scales) {
        case_fail_memory(m);
        return;
    }
    tiny = (size_t)random_below(&s, info->count);
    for (size_t c = 0; c < info->count; c++) {
        const double own = scale * channel_factor(q, &s, c == tiny);

        info->scales[c] = whole ? 1 : power ? (float)power_below(own) : (float)own;
    }
}

/* ---- integers ---- */

static void store(void *data, int32_t type, size_t i, int32_t value)
{
    switch (type) {
    case TENSOR_INT8: ((int8_t *)data)[i] = (int8_t)value; break;
    case TENSOR_UINT8: ((uint8_t *)data)[i] = (uint8_t)value; break;
    case TENSOR_INT16: ((int16_t *)data)[i] = (int16_t)value; break;
    default: ((int32_t *)data)[i] = value; break;
    }
}

/* Element i of input `input` of `inputs` that together hold every byte, or every pair of bytes.
 * Frame B multiplies by 40503, which is odd, so that it holds every one, too. */
static int32_t byte_at(size_t i, size_t input, size_t inputs, unsigned frame, int32_t low)
{
    const size_t at = frame == 0 ? i : i * 40503 + 11;

    return low + (int32_t)(at >> 8 * (inputs - 1 - input) & 255);
}

/* Moves a step away from the zero point (struct fill, least). */
static int32_t apart(int32_t step, const struct steps_spec *spec, const struct fill *fill)
{
    const int32_t from_zero = step - spec->zero;
    const int32_t up = spec->zero + fill->least, down = spec->zero - fill->least;

    if (from_zero >= fill->least || from_zero <= -fill->least)
        return step;
    if (up > spec->high || (from_zero < 0 && down >= spec->low))
        return down;
    return up;
}

/* The largest magnitude of a bias: about the standard deviation of the sum of products. */
static int32_t bias_magnitude_max(const struct fill *fill)
{
    const double terms = fill->terms > 1 ? fill->terms : 1;

    return nearest(uniform_sd * uniform_sd * sqrt(terms));
}

/* Draws the integers of a tensor whose scale is known, in an allocation of their own. */
static void *draw(struct case_builder *m, int tensor, const struct shape *shape,
                  const struct fill *fill, unsigned number, unsigned frame)
{
    const struct case_scale *const info = case_scale_of(m, tensor);
    const struct shape *const as = fill->as.rank > 0 ? &fill->as : shape;
    const size_t count = shape_elements(shape);
    const int32_t period = (int32_t)m->c->row->period;
    const bool repeats = period > 0 && (size_t)period < count;
    struct steps_spec spec = { .set = m->request->set, .pair = fill->pair, .axis = fill->axis };
    struct random_stream s;
    int32_t *steps;
    void *data;

    if (!info)
        return NULL;
    spec.low = range_of(info->type).low;
    spec.high = range_of(info->type).high;
    spec.zero = info->zero;
    if (fill->role == FILL_WEIGHTS && info->type == TENSOR_INT8)
        spec.low = -INT8_MAX; /* converters write symmetric weights */
    if (fill->role == FILL_BIAS) {
        spec.high = bias_magnitude_max(fill);
        spec.low = -spec.high;
    }
    steps = mem_alloc(count, sizeof *steps);
    data = mem_alloc(count, bytes_of(info->type));
    if (!steps || !data) {
        mem_free(steps);
        mem_free(data);
        case_fail_memory(m);
        return NULL;
    }
    random_init(&s, m->request->seed, m->c->name, (uint64_t)m->request->set, number, frame);
    if (repeats)
        data_fill_steps(&s, &spec, &period, 1, steps);
    else
        data_fill_steps(&s, &spec, as->d, as->rank, steps);
    for (size_t i = (size_t)period; repeats && i < count; i++)
        steps[i] = steps[i - (size_t)period];
    if (fill->role == FILL_VALUES && number < m->c->row->every_byte) {
        for (size_t i = 0; i < count; i++)
            steps[i] = byte_at(i, number, m->c->row->every_byte, frame, spec.low);
    }
    for (size_t i = 0; m->c->row->ramp && number == 0 && i < count; i++) {
        const int32_t step = (int32_t)(i * (size_t)(spec.high - spec.low) / count);

        steps[i] = m->c->row->ramp > 0 ? spec.low + step : spec.high - step;
    }
    for (size_t i = 0; i < count; i++) {
        int32_t q = apart(steps[i], &spec, fill);

        if (case_listed_integer(m, number, i, frame, &q) && fill->role != FILL_BIAS)
            q = q < spec.low ? spec.low : q > spec.high ? spec.high : q;
        store(data, info->type, i, q);
    }
    mem_free(steps);
    return data;
}

static int32_t type_of(const struct case_builder *m, const struct fill *fill)
{
    if (fill->role == FILL_BIAS)
        return TENSOR_INT32;
    return m->c->type == TENSOR_UINT8 ? TENSOR_UINT8 : TENSOR_INT8;
}

static void choose_scale(struct case_builder *m, int tensor, unsigned number,
                         const struct shape *shape, const struct fill *fill)
{
    struct case_scale *const info = case_scale_of(m, tensor);

    if (!info)
        return;
    switch (fill->role) {
    case FILL_VALUES: scale_values(m, tensor, number, fill); break;
    case FILL_WEIGHTS: scale_weights(m, tensor, number, shape, fill); break;
    case FILL_BIAS: info->type = TENSOR_INT32; break; /* scale_bias sets its scale later */
    }
}

void case_set_elements(struct case_builder *m, int tensor, const struct shape *shape)
{
    struct case_scale *const info = case_scale_of(m, tensor);

    if (info)
        info->elements = shape_elements(shape);
}

void case_fill_quantized(struct case_builder *m, int tensor, const struct shape *shape,
                         const struct fill *fill, unsigned number)
{
    for (unsigned frame = 0; frame < 2 && m->status == STATUS_OK; frame++)
        m->out->inputs[m->out->input_count - 1].data[frame] =
            draw(m, tensor, shape, fill, number, frame);
}

int case_input_quantized(struct case_builder *m, const char *name, const struct shape *shape,
                         const struct fill *fill)
{
    const int32_t type = type_of(m, fill);
    const int tensor = case_declare_input(m, name, shape, type, bytes_of(type));
    const unsigned number = m->filled++;

    choose_scale(m, tensor, number, shape, fill);
    case_set_elements(m, tensor, shape);
    case_fill_quantized(m, tensor, shape, fill, number);
    return tensor;
}

/* Scales come before the tensor, which builder_constant will give the next index. */
static int next_tensor(const struct case_builder *m)
{
    return m->status == STATUS_OK ? (int)m->builder.tensors.count : -1;
}

/* Adds the constant that is to be `tensor`, whose scale is chosen. */
static int add_constant(struct case_builder *m, int tensor, const char *name,
                        const struct shape *shape, int32_t type, const struct fill *fill,
                        unsigned number)
{
    void *data;

    case_set_elements(m, tensor, shape);
    if (case_scale_of(m, tensor))
        case_scale_of(m, tensor)->constant = fill->role == FILL_VALUES;
    data = draw(m, tensor, shape, fill, number, 0);
    if (!data)
        return -1;
    builder_constant(&m->builder, type, name, (size_t)shape->rank, shape->d, data,
                     shape_elements(shape) * bytes_of(type));
    mem_free(data);
    return tensor;
}

int case_constant_quantized(struct case_builder *m, const char *name, const struct shape *shape,
                            const struct fill *fill)
{
    const int tensor = next_tensor(m);
    const unsigned number = m->filled++;

    choose_scale(m, tensor, number, shape, fill);
    return add_constant(m, tensor, name, shape, type_of(m, fill), fill, number);
}

int case_constant_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                         int32_t type, double scale, int32_t zero)
{
    const int tensor = next_tensor(m);

    case_set_scale(m, tensor, type, scale, zero);
    return add_constant(m, tensor, name, shape, type, &(struct fill){ .terms = 1 }, m->filled++);
}

/* ---- scales of results ---- */

struct case_interval case_scale_interval(const struct case_scale *s)
{
    const struct byte_range range = range_of(s->type);

    return (struct case_interval){ s->scale * ((double)range.low - s->zero),
                                   s->scale * ((double)range.high - s->zero) };
}

/* The smallest interval that contains those of all inputs. */
static struct case_interval unite_inputs(const struct case_node *n)
{
    struct case_interval y = case_scale_interval(n->in[0]);

    for (size_t i = 1; i < n->count; i++) {
        const struct case_interval x = case_scale_interval(n->in[i]);

        y.low = fmin(y.low, x.low);
        y.high = fmax(y.high, x.high);
    }
    return y;
}

/* The range of results behind a fused activation: in half of the cases that of the activation, in
 * the others that without it, so that the clamp lies inside the range. */
static struct case_interval clamp_to_activation(struct case_node *r, struct case_interval y)
{
    const int act = options_int(r->options, "fused_activation_function");

    if (act == 0 || random_next(&r->stream) >> 63)
        return y;
    switch (act) {
    case 1: return (struct case_interval){ 0, y.high };
    case 2: return (struct case_interval){ -1, 1 };
    case 3: return (struct case_interval){ 0, 6 };
    default: return y;
    }
}

/* Gives the result a scale and a zero point that cover the interval y, extended to 0. */
static void scale_range(struct case_node *r, int tensor, struct case_interval y,
                        const struct quant_row *q)
{
    static const double usual[8] = { 1, 1, 1, 1, 1, 1, 0.5, 2 };
    const int32_t type = r->m->c->type;
    const struct byte_range range = range_of(type);
    double scale;

    y.low = fmin(y.low, 0);
    y.high = fmax(y.high, 0);
    if (!(y.high - y.low > 1e-6))
        y.high = y.low + 1;
    scale = (y.high - y.low) / 255 * between(&r->stream, 0.9, 1.1) *
            (q->out_times != 0 ? q->out_times : usual[random_below(&r->stream, 8)]);
    if (q->out != 0)
        scale = q->out;
    case_set_scale(r->m, tensor, type, scale,
                   q->zero_out != ZERO_ANYWHERE ? place_zero(q->zero_out, range, &r->stream)
                                                : within(range.low - y.low / scale, range));
}

/* Returns a tensor with the scale of `like`: the tensor itself where it has that scale, or is a
 * constant, whose scale is changed, as converters do; else the output of a QUANTIZE. */
static int requantize(struct case_builder *m, int tensor, int like)
{
    const struct options options = { .tag = OPTIONS_QuantizeOptions };
    const struct case_scale *const to = case_scale_of(m, like);
    const struct case_scale from = *case_scale_of(m, tensor);
    const struct model_tensor *t;
    int out;

    if (from.scale == to->scale && from.zero == to->zero)
        return tensor;
    if (from.constant) {
        case_set_scale(m, tensor, from.type, to->scale, to->zero);
        if (case_scale_of(m, tensor)) /* another op that reads it gets a QUANTIZE */
            case_scale_of(m, tensor)->constant = false;
        return tensor;
    }
    t = (const struct model_tensor *)m->builder.tensors.items + tensor;
    out = builder_tensor(&m->builder, from.type, "requantized", t->shape.count, t->shape.data);
    case_set_scale(m, out, from.type, to->scale, to->zero);
    if (case_scale_of(m, out))
        case_scale_of(m, out)->elements = from.elements;
    builder_op(&m->builder, BUILTIN_QUANTIZE, 2, &options, 1, &tensor, 1, &out);
    return out;
}

/* Gives a bias the scale of the products that it is added to. */
static void scale_bias(struct case_builder *m, int tensor, const struct case_scale *x,
                       const struct case_scale *w)
{
    struct case_scale *const b = case_scale_of(m, tensor);

    if (!b || b->known || b->type != TENSOR_INT32 || !w->known)
        return;
    b->known = true;
    b->scale = x->scale * w->scale;
    if (!w->scales)
        return;
    b->count = w->count;
    b->scales = mem_alloc(w->count, sizeof *b->scales);
    if (!b->scales)
        case_fail_memory(m);
    for (size_t c = 0; b->scales && c < w->count; c++)
        b->scales[c] = x->scale * w->scales[c];
}

static void share_scale(struct case_node *r, const int *inputs, int *replaced, int output)
{
    struct case_builder *const m = r->m;
    const struct case_scale *lead;
    size_t first = (size_t)r->facts->first;

    while (first + 1 < r->count && m->scales[inputs[first]].constant)
        first++;
    if (!m->scales[inputs[first]].known) /* an input without a scale, such as RESHAPE's shape */
        first = (size_t)r->facts->first;
    for (size_t i = 0; i < r->count && m->status == STATUS_OK; i++) {
        if (inputs[i] >= 0 && m->scales[inputs[i]].known)
            replaced[i] = requantize(m, inputs[i], inputs[first]);
    }
    lead = case_scale_of(m, inputs[first]);
    if (lead)
        case_set_scale(m, output, lead->type, lead->scale, lead->zero);
}

/* Gives the result a scale by its range, which the op's member computes.  Where ops.def says SAME,
 * but the inputs have several scales, the range is that of all inputs. */
static void scale_result(struct case_node *r, const int *inputs, int output)
{
    const struct suite_member *const member = suite_find_member(r->facts->code);
    const struct quant_row none = { 0 };
    struct case_interval y;

    for (size_t i = 0; i < r->count; i++)
        r->in[i] = inputs[i] >= 0 ? case_scale_of(r->m, inputs[i]) : NULL;
    r->out = case_scale_of(r->m, output);
    if (r->facts->result == OP_RESULT_SAME) {
        y = unite_inputs(r);
    } else if (member && member->range) {
        y = member->range(r);
    } else {
        r->m->status = diag_fail(r->m->diag, STATUS_INVALID, "%s: its suite has no range for %s",
                                 r->m->c->name, builtin_name(r->facts->code));
        return;
    }
    if (r->facts->fused_activation)
        y = clamp_to_activation(r, y);
    scale_range(r, output, y, r->m->c->code == r->facts->code ? &r->m->c->row->quant : &none);
}

/* Raises *version to the first one that has the type of the case's activations. */
static void raise_version(const struct op_facts *facts, int32_t type, int32_t *version)
{
    const int32_t first = type == TENSOR_UINT8 ? facts->u8 : facts->i8;

    if (*version < first)
        *version = first;
}

void case_quantize_op(struct case_builder *m, int32_t code, int32_t *version,
                      const struct options *options, size_t count, const int *inputs, int *replaced,
                      int output)
{
    const struct op_facts *const facts = op_facts_find(code);
    struct case_node r = { .m = m, .facts = facts, .options = options, .count = count };

    assert(count <= CASE_INPUTS_MAX);
    memcpy(replaced, inputs, count * sizeof *replaced);
    if (m->status != STATUS_OK || m->builder.status != STATUS_OK || !m->c->quantized || !facts)
        return;
    raise_version(facts, m->c->type, version);
    if (facts->result == OP_RESULT_NO)
        return;
    for (size_t i = 0; i < count; i++)
        case_scale_of(m, inputs[i]); /* allocates all entries, so that pointers stay valid below */
    case_scale_of(m, output);
    if (m->status == STATUS_OK && facts->bias != OP_NONE && (size_t)facts->bias < count &&
        inputs[facts->bias] >= 0)
        scale_bias(m, inputs[facts->bias], &m->scales[inputs[facts->first]],
                   &m->scales[inputs[facts->weights]]);
    if (m->status != STATUS_OK || m->scales[output].known || facts->result == OP_RESULT_GIVEN)
        return;
    /* A node of a random graph keeps its scales when other nodes are dropped. */
    scale_stream(m, &r.stream, m->c->row->unit_gain ? 4000 + m->filled : 2000 + (unsigned)output);
    if (facts->result == OP_RESULT_FIXED)
        case_set_scale(m, output, m->c->type, 1. / 256, range_of(m->c->type).low);
    else if (facts->result == OP_RESULT_SAME && (!rescales(m, code) || shares_scale(m)))
        share_scale(&r, inputs, replaced, output);
    else
        scale_result(&r, inputs, output);
}

void case_share_scale(struct case_builder *m, int32_t code, int from, int to)
{
    const struct op_facts *const facts = op_facts_find(code);
    const struct case_scale *lead;

    if (!facts || facts->result != OP_RESULT_SAME)
        return;
    case_scale_of(m, to); /* allocates the entry, so that the pointer stays valid */
    lead = case_scale_of(m, from);
    if (lead && lead->known)
        case_set_scale(m, to, lead->type, lead->scale, lead->zero);
}

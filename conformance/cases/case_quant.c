/* The maker's part for cases in 8 bits: scales and zero points of every tensor, and integers.
 *
 * Inputs and constants take their scales from the row, or from its name by a stream of their own;
 * results then take theirs from those of the inputs and from what the op does, so that they fill
 * their range: a scale that is far off would show zeros or clamps only.  Nothing here needs more
 * than IEEE arithmetic and square roots, so models have the same bytes everywhere. */
#include "conformance/cases/case_quant.h"

#include "reference/base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Of all 256 values alike, in steps. */
static const double uniform_sd = 73.9;

/* Streams of scales are not those of data. */
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

static void out_of_memory(struct maker *m)
{
    if (m->status == STATUS_OK)
        m->status = diag_fail(m->diag, STATUS_NO_MEMORY, "%s: out of memory", m->c->name);
}

/* In [low, high), 24 bits of it random. */
static double between(struct random_stream *s, double low, double high)
{
    return low + (high - low) * ((double)random_below(s, 1 << 24) * 0x1p-24);
}

static void scale_stream(const struct maker *m, struct random_stream *s, unsigned number)
{
    random_init(s, 0, m->c->name, SCALE_SET, number, 0);
}

struct maker_scale *maker_scale_of(struct maker *m, int tensor)
{
    const size_t at = (size_t)tensor;

    if (m->status != STATUS_OK || tensor < 0)
        return NULL;
    if (at >= m->scale_count) {
        struct maker_scale *const more = mem_resize(m->scales, at + 16, sizeof *more);

        if (!more) {
            out_of_memory(m);
            return NULL;
        }
        memset(&more[m->scale_count], 0, (at + 16 - m->scale_count) * sizeof *more);
        m->scales = more;
        m->scale_count = at + 16;
    }
    return &m->scales[at];
}

void maker_set_scale(struct maker *m, int tensor, int32_t type, double scale, int32_t zero)
{
    struct maker_scale *const s = maker_scale_of(m, tensor);
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

void maker_finish(struct maker *m)
{
    for (size_t i = 0; i < m->scale_count; i++) {
        const struct maker_scale *const s = &m->scales[i];
        const size_t count = s->scales ? s->count : 1;
        int64_t *zeros;

        if (!s->known || m->status != STATUS_OK)
            continue;
        zeros = mem_alloc(count, sizeof *zeros);
        if (!zeros) {
            out_of_memory(m);
            break;
        }
        for (size_t c = 0; c < count; c++)
            zeros[c] = s->zero;
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
    case ZERO_ANYWHERE: break;
    }
    return range.low + (int32_t)random_below(s, 256);
}

/* One in eight at either end or in the middle. */
static enum zero_place some_place(const struct quant_row *q, struct random_stream *s)
{
    static const enum zero_place places[8] = { ZERO_LOW, ZERO_HIGH, ZERO_MIDDLE };
    const enum zero_place any = places[random_below(s, 8)];

    return q->zero != ZERO_ANYWHERE ? q->zero : any;
}

/* The inputs have one scale: what they hold is compared or moved. */
static bool shares_scale(const struct maker *m)
{
    switch (m->c->code) {
    case BUILTIN_MAXIMUM:
    case BUILTIN_MINIMUM: return true;
    case BUILTIN_CONCATENATION: { /* u8 may be rescaled: in every other row */
        struct random_stream s;

        scale_stream(m, &s, 1000);
        return m->c->type != TENSOR_UINT8 || (m->c->row->quant.in2 == 0 && random_next(&s) >> 63);
    }
    default: return false;
    }
}

static int32_t nearest(double v)
{
    return (int32_t)floor(v + 0.5);
}

static int32_t within(double v, struct byte_range range)
{
    return v <= range.low ? range.low : v >= range.high ? range.high : nearest(v);
}

static void scale_values(struct maker *m, int tensor, unsigned number, const struct fill *fill)
{
    const struct op_case *const row = m->c->row;
    const struct byte_range range = range_of(m->c->type);
    const double size = fill->plain || row->scale == 0 ? 1 : row->scale;
    const double offset = fill->plain ? 0 : row->offset;
    const bool first = m->values++ == 0;
    double scale = first || shares_scale(m) ? row->quant.in : row->quant.in2;
    enum zero_place place;
    struct random_stream s;
    int32_t zero;

    scale_stream(m, &s, shares_scale(m) ? 0 : number);
    place = some_place(&row->quant, &s);
    zero = place_zero(place, range, &s);
    if (scale == 0)
        scale = 8 * size / 255 * between(&s, 0.75, 1.25);
    if (offset != 0) {
        const double low = fmin(0, offset - 4 * size), high = fmax(0, offset + 4 * size);

        scale = (high - low) / 255;
        zero = within(range.low - low / scale, range);
    }
    maker_set_scale(m, tensor, m->c->type, scale, zero);
}

/* The largest power of two that is not above. */
static double power_below(double v)
{
    int e;

    frexp(v, &e);
    return ldexp(1, e - 1);
}

static double channel_factor(const struct quant_row *q, struct random_stream *s, bool tiny)
{
    /* One after the other: operands may be evaluated in either order. */
    const double near_part = between(s, 1, 2);
    const double near = near_part * (double)(1 << random_below(s, 3)) / 3;
    const int far_power = (int)random_below(s, 9) - 6;
    const double far = ldexp(between(s, 1, 2), far_power);

    if (q->channels == CHANNELS_FAR)
        return far;
    return tiny && q->channels == CHANNELS_ONE_TINY ? near * 0x1p-10 : near;
}

static void scale_weights(struct maker *m, int tensor, unsigned number, const struct shape *shape,
                          const struct fill *fill)
{
    const struct quant_row *const q = &m->c->row->quant;
    const double terms = fill->terms > 1 ? fill->terms : 1;
    const int32_t type = m->c->type == TENSOR_UINT8 ? TENSOR_UINT8 : TENSOR_INT8;
    /* In dynamic range what a device keeps as f16 has to be f16, and integers stay integers. */
    const bool power = m->c->dynamic && m->request->half;
    const bool whole = m->c->dynamic && m->request->set == SET_INTEGERS;
    double scale = q->in2 != 0 ? q->in2 : 1 / (uniform_sd * sqrt(terms));
    struct maker_scale *info;
    size_t tiny;
    struct random_stream s;
    int32_t zero = 0;

    scale_stream(m, &s, number);
    if (q->in2 == 0)
        scale *= between(&s, 0.75, 1.25);
    if (type == TENSOR_UINT8) {
        const enum zero_place place = some_place(q, &s);

        zero = place == ZERO_ANYWHERE ? 96 + (int32_t)random_below(&s, 64)
                                      : place_zero(place, range_of(type), &s);
    }
    if (power)
        scale = power_below(scale);
    maker_set_scale(m, tensor, type, whole ? 1 : scale, zero);
    info = maker_scale_of(m, tensor);
    if (!info)
        return;
    info->terms = terms;
    if (!m->c->by_channel)
        return;
    info->dimension = fill->channel;
    info->count = (size_t)shape->d[fill->channel];
    info->scales = mem_alloc(info->count, sizeof *info->scales);
    if (!info->scales) {
        out_of_memory(m);
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

/* Element i of input `input` of `inputs` that hold all bytes, or all pairs of them.  40503 is odd:
 * frame B has every one, too. */
static int32_t byte_at(size_t i, size_t input, size_t inputs, unsigned frame, int32_t low)
{
    const size_t at = frame == 0 ? i : i * 40503 + 11;

    return low + (int32_t)(at >> 8 * (inputs - 1 - input) & 255);
}

/* How many inputs hold every byte between them. */
static size_t every_byte_inputs(const struct maker *m)
{
    switch (m->c->code) {
    case BUILTIN_ADD:
    case BUILTIN_SUB:
    case BUILTIN_MUL:
    case BUILTIN_MAXIMUM:
    case BUILTIN_MINIMUM: return 2;
    default: return 1;
    }
}

/* Half the range of a bias: about as much as the products add up to. */
static int32_t bias_reach(const struct fill *fill)
{
    const double terms = fill->terms > 1 ? fill->terms : 1;

    return nearest(uniform_sd * uniform_sd * sqrt(terms));
}

/* The integers of a tensor whose scale is known, in an allocation of their own. */
static void *draw(struct maker *m, int tensor, const struct shape *shape, const struct fill *fill,
                  unsigned number, unsigned frame)
{
    const struct maker_scale *const info = maker_scale_of(m, tensor);
    const struct shape *const as = fill->as.rank > 0 ? &fill->as : shape;
    const size_t count = shape_elements(shape);
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
        spec.low = -INT8_MAX; /* as converters have it */
    if (fill->role == FILL_BIAS) {
        spec.high = bias_reach(fill);
        spec.low = -spec.high;
    }
    steps = mem_alloc(count, sizeof *steps);
    data = mem_alloc(count, bytes_of(info->type));
    if (!steps || !data) {
        mem_free(steps);
        mem_free(data);
        out_of_memory(m);
        return NULL;
    }
    random_init(&s, m->request->seed, m->c->name, (uint64_t)m->request->set, number, frame);
    data_fill_steps(&s, &spec, as->d, as->rank, steps);
    if (m->c->row->every_byte && fill->role == FILL_VALUES && number < every_byte_inputs(m)) {
        for (size_t i = 0; i < count; i++)
            steps[i] = byte_at(i, number, every_byte_inputs(m), frame, spec.low);
    }
    for (size_t i = 0; i < count; i++)
        store(data, info->type, i, steps[i]);
    mem_free(steps);
    return data;
}

static int32_t type_of(const struct maker *m, const struct fill *fill)
{
    if (fill->role == FILL_BIAS)
        return TENSOR_INT32;
    return m->c->type == TENSOR_UINT8 ? TENSOR_UINT8 : TENSOR_INT8;
}

static void choose_scale(struct maker *m, int tensor, unsigned number, const struct shape *shape,
                         const struct fill *fill)
{
    struct maker_scale *const info = maker_scale_of(m, tensor);

    if (!info)
        return;
    switch (fill->role) {
    case FILL_VALUES: scale_values(m, tensor, number, fill); break;
    case FILL_WEIGHTS: scale_weights(m, tensor, number, shape, fill); break;
    case FILL_BIAS: info->type = TENSOR_INT32; break; /* its scale follows from the others */
    }
}

void maker_elements(struct maker *m, int tensor, const struct shape *shape)
{
    struct maker_scale *const info = maker_scale_of(m, tensor);

    if (info)
        info->elements = shape_elements(shape);
}

/* Fills an input that has been added, whose scale is known. */
static void fill_input(struct maker *m, int tensor, const struct shape *shape,
                       const struct fill *fill, unsigned number)
{
    for (unsigned frame = 0; frame < 2 && m->status == STATUS_OK; frame++)
        m->out->inputs[m->out->input_count - 1].data[frame] =
            draw(m, tensor, shape, fill, number, frame);
}

int maker_byte_input(struct maker *m, const char *name, const struct shape *shape,
                     const struct fill *fill)
{
    const int32_t type = type_of(m, fill);
    const int tensor = maker_add_input(m, name, shape, type, bytes_of(type));
    const unsigned number = m->filled++;

    choose_scale(m, tensor, number, shape, fill);
    maker_elements(m, tensor, shape);
    fill_input(m, tensor, shape, fill, number);
    return tensor;
}

int maker_byte_constant(struct maker *m, const char *name, const struct shape *shape,
                        const struct fill *fill)
{
    /* The builder copies data, and counts tensors in order: the next one is this. */
    const int tensor = m->status == STATUS_OK ? (int)m->builder.tensors.count : -1;
    const int32_t type = type_of(m, fill);
    const unsigned number = m->filled++;
    void *data;

    choose_scale(m, tensor, number, shape, fill);
    maker_elements(m, tensor, shape);
    if (maker_scale_of(m, tensor))
        maker_scale_of(m, tensor)->constant = fill->role == FILL_VALUES;
    data = draw(m, tensor, shape, fill, number, 0);
    if (!data)
        return -1;
    builder_constant(&m->builder, type, name, (size_t)shape->rank, shape->d, data,
                     shape_elements(shape) * bytes_of(type));
    mem_free(data);
    return tensor;
}

int maker_scaled_input(struct maker *m, const char *name, const struct shape *shape, int32_t type,
                       double scale, int32_t zero)
{
    const int tensor = maker_add_input(m, name, shape, type, bytes_of(type));

    maker_set_scale(m, tensor, type, scale, zero);
    maker_elements(m, tensor, shape);
    fill_input(m, tensor, shape, &(struct fill){ .terms = 1 }, m->filled++);
    return tensor;
}

/* ---- scales of results ---- */

struct reals {
    double low, high;
};

static struct reals reals_of(const struct maker_scale *s)
{
    const struct byte_range range = range_of(s->type);

    return (struct reals){ s->scale * ((double)range.low - s->zero),
                           s->scale * ((double)range.high - s->zero) };
}

/* What results of a node can be. */
struct result {
    struct maker *m;
    const struct options *options;
    size_t count;
    const struct maker_scale *in[CASE_INPUTS_MAX]; /* NULL: absent */
    const struct maker_scale *out;
    struct random_stream s;
};

static struct reals product(struct reals a, struct reals b)
{
    const double p[] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high };

    return (struct reals){ fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
                           fmax(fmax(p[0], p[1]), fmax(p[2], p[3])) };
}

static struct reals sum(struct result *r)
{
    const struct reals a = reals_of(r->in[0]), b = reals_of(r->in[1]);

    return (struct reals){ 0.9 * (a.low + b.low), 0.9 * (a.high + b.high) };
}

static struct reals difference(struct result *r)
{
    const struct reals a = reals_of(r->in[0]), b = reals_of(r->in[1]);

    return (struct reals){ 0.9 * (a.low - b.high), 0.9 * (a.high - b.low) };
}

static struct reals times(struct result *r)
{
    const struct reals p = product(reals_of(r->in[0]), reals_of(r->in[1]));

    return (struct reals){ 0.6 * p.low, 0.6 * p.high };
}

static struct reals around(double mean, double sd, double times_sd)
{
    return (struct reals){ mean - times_sd * sd, mean + times_sd * sd };
}

static struct reals sum_of_products(const struct maker_scale *x, const struct maker_scale *w)
{
    const double xx = x->sd * x->sd + x->mean * x->mean, ww = w->sd * w->sd + w->mean * w->mean;
    const double both = x->mean * w->mean, bias = x->sd * w->sd * sqrt(w->terms / 3);

    return around(w->terms * both, sqrt(w->terms * (xx * ww - both * both) + bias * bias), 3.2);
}

static struct reals dot(struct result *r)
{
    return sum_of_products(r->in[0], r->in[1]);
}

static struct reals transposed_dot(struct result *r)
{
    return sum_of_products(r->in[2], r->in[1]);
}

/* Half of the results begin at the clamp, the others have it inside. */
static struct reals clamp_low(struct result *r)
{
    struct reals y = reals_of(r->in[0]);

    if (random_next(&r->s) >> 63)
        y.low = 0;
    return y;
}

static struct reals clamp_six(struct result *r)
{
    const struct reals y = reals_of(r->in[0]);

    return random_next(&r->s) >> 63 ? (struct reals){ 0, 6 } : y;
}

/* Without exp(), which differs between machines. */
static struct reals exponential(struct result *r)
{
    const double exponent = 1.4426950408889634 * (r->in[0]->mean + r->in[0]->sd);

    return (struct reals){ 0, ldexp(1, exponent < -10 ? -10 : exponent > 20 ? 20 : (int)exponent) };
}

static struct reals slopes(struct result *r)
{
    const struct reals x = reals_of(r->in[0]);
    const struct reals p = product((struct reals){ fmin(x.low, 0), 0 }, reals_of(r->in[1]));

    return (struct reals){ 0.6 * p.low, fmax(x.high, 0.6 * p.high) };
}

static struct reals mean(struct result *r)
{
    const struct maker_scale *const x = r->in[0];
    const double n = r->out->elements ? (double)x->elements / (double)r->out->elements : 1;
    const struct reals all = reals_of(x), y = around(x->mean, x->sd / sqrt(n), 4);

    return (struct reals){ fmax(y.low, all.low), fmin(y.high, all.high) };
}

static struct reals united(struct result *r)
{
    struct reals y = reals_of(r->in[0]);

    for (size_t i = 1; i < r->count; i++) {
        const struct reals x = reals_of(r->in[i]);

        y.low = fmin(y.low, x.low);
        y.high = fmax(y.high, x.high);
    }
    return y;
}

/* f32 to integers: of the data that were drawn. */
static struct reals drawn(struct result *r)
{
    const struct op_case *const row = r->m->c->row;
    const double size = row->scale != 0 ? row->scale : 1;

    if (r->in[0] && r->in[0]->known)
        return reals_of(r->in[0]);
    return (struct reals){ row->offset - 3 * size, row->offset + 3 * size };
}

enum result_kind {
    RESULT_SAME,  /* the scale of input 0, which all inputs must have */
    RESULT_FIXED, /* 1/256 and the least zero point */
    RESULT_GIVEN, /* the suite has set it */
    RESULT_RANGE
};

static const struct result_rule {
    int32_t code;
    enum result_kind kind;
    struct reals (*range)(struct result *r);
    bool fuses; /* it has an activation */
} rules[] = {
    { BUILTIN_ADD, RESULT_RANGE, sum, true },
    { BUILTIN_SUB, RESULT_RANGE, difference, true },
    { BUILTIN_MUL, RESULT_RANGE, times, true },
    { BUILTIN_MAXIMUM, RESULT_SAME, NULL, false },
    { BUILTIN_MINIMUM, RESULT_SAME, NULL, false },
    { BUILTIN_CONV_2D, RESULT_RANGE, dot, true },
    { BUILTIN_DEPTHWISE_CONV_2D, RESULT_RANGE, dot, true },
    { BUILTIN_FULLY_CONNECTED, RESULT_RANGE, dot, true },
    { BUILTIN_TRANSPOSE_CONV, RESULT_RANGE, transposed_dot, true },
    { BUILTIN_AVERAGE_POOL_2D, RESULT_SAME, NULL, false },
    { BUILTIN_MAX_POOL_2D, RESULT_SAME, NULL, false },
    { BUILTIN_RESHAPE, RESULT_SAME, NULL, false },
    { BUILTIN_PAD, RESULT_SAME, NULL, false },
    { BUILTIN_STRIDED_SLICE, RESULT_SAME, NULL, false },
    { BUILTIN_RESIZE_BILINEAR, RESULT_SAME, NULL, false },
    { BUILTIN_CONCATENATION, RESULT_SAME, NULL, false },
    { BUILTIN_LOGISTIC, RESULT_FIXED, NULL, false },
    { BUILTIN_SOFTMAX, RESULT_FIXED, NULL, false },
    { BUILTIN_RELU, RESULT_RANGE, clamp_low, false },
    { BUILTIN_RELU6, RESULT_RANGE, clamp_six, false },
    { BUILTIN_EXP, RESULT_RANGE, exponential, false },
    { BUILTIN_PRELU, RESULT_RANGE, slopes, false },
    { BUILTIN_MEAN, RESULT_RANGE, mean, false },
    { BUILTIN_QUANTIZE, RESULT_RANGE, drawn, false },
    { BUILTIN_LSTM, RESULT_GIVEN, NULL, false },
};

static const struct result_rule *rule_of(int32_t code)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].code == code)
            return &rules[i];
    }
    return NULL;
}

/* With a fused activation half of the results have just its range, the others have it inside. */
static struct reals fused(struct result *r, struct reals y)
{
    const int act = options_int(r->options, "fused_activation_function");

    if (act == 0 || random_next(&r->s) >> 63)
        return y;
    switch (act) {
    case 1: return (struct reals){ 0, y.high };
    case 2: return (struct reals){ -1, 1 };
    case 3: return (struct reals){ 0, 6 };
    default: return y;
    }
}

/* A scale and a zero point that have the range, which 0 is always part of. */
static void scale_range(struct result *r, int tensor, struct reals y, const struct quant_row *q)
{
    static const double usual[8] = { 1, 1, 1, 1, 1, 1, 0.5, 2 };
    const int32_t type = r->m->c->type;
    const struct byte_range range = range_of(type);
    double scale;

    y.low = fmin(y.low, 0);
    y.high = fmax(y.high, 0);
    if (!(y.high - y.low > 1e-6))
        y.high = y.low + 1;
    scale = (y.high - y.low) / 255 * between(&r->s, 0.9, 1.1) *
            (q->out_times != 0 ? q->out_times : usual[random_below(&r->s, 8)]);
    if (q->out != 0)
        scale = q->out;
    maker_set_scale(r->m, tensor, type, scale,
                    q->zero_out != ZERO_ANYWHERE ? place_zero(q->zero_out, range, &r->s)
                                                 : within(range.low - y.low / scale, range));
}

/* The integers of tensor with the scale of another: by QUANTIZE, unless they have it; constants are
 * given it, as converters do. */
static int requantized(struct maker *m, int tensor, int like)
{
    const struct options options = { .tag = OPTIONS_QuantizeOptions };
    const struct maker_scale *const to = maker_scale_of(m, like);
    const struct maker_scale from = *maker_scale_of(m, tensor);
    const struct model_tensor *t;
    int out;

    if (from.scale == to->scale && from.zero == to->zero)
        return tensor;
    if (from.constant) {
        maker_set_scale(m, tensor, from.type, to->scale, to->zero);
        return tensor;
    }
    t = (const struct model_tensor *)m->builder.tensors.items + tensor;
    out = builder_tensor(&m->builder, from.type, "requantized", t->shape.count, t->shape.data);
    maker_set_scale(m, out, from.type, to->scale, to->zero);
    if (maker_scale_of(m, out))
        maker_scale_of(m, out)->elements = from.elements;
    builder_op(&m->builder, BUILTIN_QUANTIZE, 2, &options, 1, &tensor, 1, &out);
    return out;
}

/* Constants of a sum have the scale of its products. */
static void scale_bias(struct maker *m, int tensor, const struct maker_scale *x,
                       const struct maker_scale *w)
{
    struct maker_scale *const b = maker_scale_of(m, tensor);

    if (!b || b->known || b->type != TENSOR_INT32 || !w->known)
        return;
    b->known = true;
    b->scale = x->scale * w->scale;
    if (!w->scales)
        return;
    b->count = w->count;
    b->scales = mem_alloc(w->count, sizeof *b->scales);
    if (!b->scales)
        out_of_memory(m);
    for (size_t c = 0; b->scales && c < w->count; c++)
        b->scales[c] = x->scale * w->scales[c];
}

static void share_scale(struct result *r, const int *inputs, int *replaced, int output)
{
    struct maker *const m = r->m;
    const struct maker_scale *lead;
    size_t first = 0;

    while (first + 1 < r->count && m->scales[inputs[first]].constant)
        first++;
    if (!m->scales[inputs[first]].known) /* the shape of a reshape */
        first = 0;
    for (size_t i = 0; i < r->count && m->status == STATUS_OK; i++) {
        if (inputs[i] >= 0 && m->scales[inputs[i]].known)
            replaced[i] = requantized(m, inputs[i], inputs[first]);
    }
    lead = maker_scale_of(m, inputs[first]);
    if (lead)
        maker_set_scale(m, output, lead->type, lead->scale, lead->zero);
}

static void scale_result(struct result *r, const struct result_rule *rule, const int *inputs,
                         int output)
{
    const struct quant_row none = { 0 };
    struct reals y;

    for (size_t i = 0; i < r->count; i++)
        r->in[i] = inputs[i] >= 0 ? maker_scale_of(r->m, inputs[i]) : NULL;
    r->out = maker_scale_of(r->m, output);
    y = rule->range ? rule->range(r) : united(r);
    if (rule->fuses)
        y = fused(r, y);
    scale_range(r, output, y, r->m->c->code == rule->code ? &r->m->c->row->quant : &none);
}

void maker_quantize_op(struct maker *m, int32_t code, int32_t *version,
                       const struct options *options, size_t count, const int *inputs,
                       int *replaced, int output)
{
    const struct result_rule *const rule = rule_of(code);
    const int x = code == BUILTIN_TRANSPOSE_CONV ? 2 : 0;
    const size_t bias = x > 0 ? 3 : 2;
    struct result r = { .m = m, .options = options, .count = count };

    assert(count <= CASE_INPUTS_MAX);
    memcpy(replaced, inputs, count * sizeof *replaced);
    if (m->status != STATUS_OK || m->builder.status != STATUS_OK || !m->c->quantized || !rule)
        return;
    if (*version < case_least_version(code, m->c->type))
        *version = case_least_version(code, m->c->type);
    for (size_t i = 0; i < count; i++)
        maker_scale_of(m, inputs[i]); /* room for all: places stay where they are */
    maker_scale_of(m, output);
    if (m->status == STATUS_OK && (rule->range == dot || rule->range == transposed_dot) &&
        bias < count && inputs[bias] >= 0)
        scale_bias(m, inputs[bias], &m->scales[inputs[x]], &m->scales[inputs[1]]);
    if (m->status == STATUS_OK && code == BUILTIN_LSTM)
        scale_bias(m, inputs[3], &m->scales[inputs[0]], &m->scales[inputs[2]]);
    if (m->status != STATUS_OK || m->scales[output].known || rule->kind == RESULT_GIVEN)
        return;
    scale_stream(m, &r.s, 2000 + (unsigned)output);
    if (rule->kind == RESULT_FIXED)
        maker_set_scale(m, output, m->c->type, 1. / 256, range_of(m->c->type).low);
    else if (rule->kind == RESULT_SAME &&
             (code != BUILTIN_CONCATENATION || m->c->type != TENSOR_UINT8 || shares_scale(m)))
        share_scale(&r, inputs, replaced, output);
    else
        scale_result(&r, rule, inputs, output);
}

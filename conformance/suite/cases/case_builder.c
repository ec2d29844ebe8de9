/* Makes one case: model and inputs, with data drawn from the case's streams. */
#include "conformance/suite/cases/case_builder.h"

#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/case_quant.h"

#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Draws the values of one tensor in frame 0 or 1; constants have frame 0 only.  The caller frees
 * them. */
static float *draw(struct case_builder *m, const struct shape *shape, const struct fill *fill,
                   unsigned tensor, unsigned frame)
{
    const struct op_case *row = m->c->row;
    const struct shape *as = fill->as.rank > 0 ? &fill->as : shape;
    const double gain = fill->gain != 0 ? fill->gain : 1;
    const struct data_spec spec = {
        .set = m->request->set,
        .half = (m->request->half && !row->full_mantissas) || m->c->half,
        .overflow = row->overflow,
        .scale = (fill->unscaled || row->scale == 0 ? 1 : row->scale) * gain,
        .offset = fill->unscaled ? 0 : row->offset,
        .terms = fill->terms,
        .factors = fill->factors,
        .pair = fill->pair,
        .axis = fill->axis,
    };
    const size_t count = shape_elements(shape);
    const bool repeats = row->period > 0 && row->period < count;
    const int32_t period = (int32_t)row->period;
    float *const values = mem_alloc(count, sizeof *values);
    struct random_stream s;

    assert(shape_elements(as) == count);
    if (!values) {
        case_fail_memory(m);
        return NULL;
    }
    random_init(&s, m->request->seed, m->c->name, (uint64_t)m->request->set, tensor, frame);
    if (repeats)
        data_fill(&s, &spec, &period, 1, values);
    else
        data_fill(&s, &spec, as->d, as->rank, values);
    for (size_t i = row->period; repeats && i < count; i++)
        values[i] = values[i - row->period];
    for (size_t i = 0; i < count; i++)
        if (values[i] == 0 && fill->least > 0)
            values[i] = (float)fill->least;
    return values;
}

/* Returns the number of the next tensor's random stream.  In S3 a tensor that mirrors the one
 * before it has the same stream, so that it draws the same values. */
static unsigned stream_number(struct case_builder *m, const struct fill *fill)
{
    const unsigned n = m->filled++;

    return m->request->set == SET_CANCEL && fill->pair == PAIR_MIRROR && n > 0 ? n - 1 : n;
}

/* Rounds values to the nearest f16, in an allocation of its own. */
static uint16_t *narrow(struct case_builder *m, const float *values, size_t count)
{
    uint16_t *const halves = mem_alloc(count, sizeof *halves);

    if (!halves) {
        case_fail_memory(m);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        halves[i] = float_to_half(values[i]);
        if ((halves[i] & 0x7fff) == 0x7c00)
            halves[i]--; /* the largest finite f16 instead of infinity */
    }
    return halves;
}

/* Whether the input that is being added holds every f16 value instead of what was drawn. */
static bool takes_every_half(const struct case_builder *m)
{
    return m->c->row->every_half && m->out->input_count == 1;
}

/* Element i of an input that holds every f16 value.  Frame B multiplies by 40503, which is odd, so
 * that it holds every value, too. */
static uint16_t half_at(size_t i, unsigned frame)
{
    return (uint16_t)(frame == 0 ? i : i * 40503 + 11);
}

static void fill_every_half(float *values, size_t count, unsigned frame)
{
    assert(count > 0 && count % 65536 == 0);
    for (size_t i = 0; i < count; i++)
        values[i] = half_to_float(half_at(i, frame));
}

/* Writes which of a list of `count` values is element i of drawn tensor `number`; false: none. */
static bool case_list_place(const struct case_builder *m, unsigned number, size_t i, size_t count,
                            unsigned frame, size_t *at)
{
    const struct op_case *const row = m->c->row;
    const bool second = row->pairs && number == row->values_of + 1;

    if (number != row->values_of && !second)
        return false;
    *at = (second ? i / count : i) % count;
    if (frame == 1)
        *at = count - 1 - *at;
    return true;
}

/* A value of a list as the case has it: rounded to f16 for class fp16. */
static float listed(struct case_builder *m, float v)
{
    const struct op_case *const row = m->c->row;
    const bool half = (m->request->half && !row->full_mantissas) || m->c->half;
    const float kept = !half ? v : row->specials ? half_to_float(float_to_half(v)) : data_half(v);

    m->out->has_nan = m->out->has_nan || isnan(kept);
    return kept;
}

/* Replaces what was drawn for tensor `number` where the row has values for it. */
static void fill_values(struct case_builder *m, unsigned number, float *values, size_t count,
                        unsigned frame)
{
    const struct op_case *const row = m->c->row;

    for (size_t i = 0; i < count && row->ramp && number == 0; i++)
        values[i] = listed(m, (float)(row->ramp * (double)i / 16));
    for (size_t i = 0; i < count && row->values; i++) {
        size_t at;

        if (!case_list_place(m, number, i, row->value_count, frame, &at))
            return;
        values[i] = listed(m, row->values[at]);
    }
}

int case_input_f32(struct case_builder *m, const char *name, const struct shape *shape,
                   const struct fill *fill)
{
    const int tensor = case_declare_input(m, name, shape, TENSOR_FLOAT32, sizeof(float));
    const unsigned number = stream_number(m, fill);

    for (unsigned frame = 0; frame < 2 && m->status == STATUS_OK; frame++) {
        float *const values = draw(m, shape, fill, number, frame);

        if (values && takes_every_half(m))
            fill_every_half(values, shape_elements(shape), frame);
        if (values)
            fill_values(m, number, values, shape_elements(shape), frame);
        m->out->inputs[m->out->input_count - 1].data[frame] = values;
    }
    return tensor;
}

int case_input_f16(struct case_builder *m, const char *name, const struct shape *shape,
                   const struct fill *fill)
{
    const int tensor = case_declare_input(m, name, shape, TENSOR_FLOAT16, sizeof(uint16_t));
    const unsigned number = stream_number(m, fill);

    for (unsigned frame = 0; frame < 2 && m->status == STATUS_OK; frame++) {
        float *const values = draw(m, shape, fill, number, frame);
        uint16_t *halves;

        if (values)
            fill_values(m, number, values, shape_elements(shape), frame);
        halves = values ? narrow(m, values, shape_elements(shape)) : NULL;
        for (size_t i = 0; halves && takes_every_half(m) && i < shape_elements(shape); i++)
            halves[i] = half_at(i, frame);
        m->out->inputs[m->out->input_count - 1].data[frame] = halves;
        mem_free(values);
    }
    return tensor;
}

int case_input_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                      int32_t type, double scale, int32_t zero)
{
    const int tensor = case_declare_input(m, name, shape, type, tensor_type_bits(type) / 8);

    case_set_scale(m, tensor, type, scale, zero);
    case_set_elements(m, tensor, shape);
    case_fill_quantized(m, tensor, shape, &(struct fill){ .terms = 1 }, m->filled++);
    return tensor;
}

/* ---- i32 and bool ---- */

bool case_listed_integer(const struct case_builder *m, unsigned number, size_t i, unsigned frame,
                         int32_t *value)
{
    const struct op_case *const row = m->c->row;
    size_t at;

    if (!row->integers || !case_list_place(m, number, i, row->integer_count, frame, &at))
        return false;
    *value = row->integers[at];
    return true;
}

/* Draws integers of i32 or bool in an allocation of their own, which the caller frees. */
static void *draw_whole(struct case_builder *m, const struct shape *shape, int32_t type,
                        int32_t limit, int32_t offset, int32_t least, unsigned tensor,
                        unsigned frame)
{
    const size_t elements = shape_elements(shape), period = m->c->row->period;
    const size_t count = period > 0 && period < elements ? period : elements; /* that are drawn */
    const size_t bytes = type == TENSOR_BOOL ? sizeof(uint8_t) : sizeof(int32_t);
    const uint64_t span = m->request->set == SET_INTEGERS ? 17
                          : limit == 0                    ? (uint64_t)UINT32_MAX + 1
                                                          : 2 * (uint64_t)limit + 1;
    void *const data = mem_alloc(elements, bytes);
    struct random_stream s;

    if (!data) {
        case_fail_memory(m);
        return NULL;
    }
    random_init(&s, m->request->seed, m->c->name, (uint64_t)m->request->set, tensor, frame);
    for (size_t i = 0; i < count; i++) {
        if (type == TENSOR_BOOL)
            ((uint8_t *)data)[i] = (uint8_t)random_below(&s, 2);
        else
            ((int32_t *)data)[i] = (int32_t)((int64_t)random_below(&s, span) - (int64_t)(span / 2) +
                                             (limit == 0 ? 0 : offset));
        if (type == TENSOR_INT32 && ((int32_t *)data)[i] == 0)
            ((int32_t *)data)[i] = least;
        if (type == TENSOR_INT32)
            case_listed_integer(m, tensor, i, frame, &((int32_t *)data)[i]);
    }
    for (size_t i = count; i < elements; i++)
        memcpy((char *)data + i * bytes, (char *)data + (i - period) * bytes, bytes);
    for (size_t i = 0; m->c->row->ramp && tensor == 0 && i < elements; i++) {
        if (type == TENSOR_BOOL)
            ((uint8_t *)data)[i] = (i == elements - 1) == (m->c->row->ramp > 0);
        else
            ((int32_t *)data)[i] = m->c->row->ramp * (int32_t)i;
    }
    return data;
}

static int input_whole(struct case_builder *m, const char *name, const struct shape *shape,
                       int32_t type, int32_t limit, int32_t offset, int32_t least)
{
    const int tensor = case_declare_input(m, name, shape, type, tensor_type_bits(type) / 8);
    const unsigned number = m->filled++;

    for (unsigned frame = 0; frame < 2 && m->status == STATUS_OK; frame++)
        m->out->inputs[m->out->input_count - 1].data[frame] =
            draw_whole(m, shape, type, limit, offset, least, number, frame);
    return tensor;
}

static int constant_whole(struct case_builder *m, const char *name, const struct shape *shape,
                          int32_t type, int32_t limit, int32_t offset, int32_t least)
{
    void *const data = m->status == STATUS_OK
                           ? draw_whole(m, shape, type, limit, offset, least, m->filled++, 0)
                           : NULL;
    int tensor;

    if (!data)
        return -1;
    tensor = builder_constant(&m->builder, type, name, (size_t)shape->rank, shape->d, data,
                              shape_elements(shape) * tensor_type_bits(type) / 8);
    mem_free(data);
    return tensor;
}

int case_input_i32(struct case_builder *m, const char *name, const struct shape *shape,
                   int32_t limit, int32_t offset)
{
    return input_whole(m, name, shape, TENSOR_INT32, limit, offset, 0);
}

int case_input_bool(struct case_builder *m, const char *name, const struct shape *shape)
{
    return input_whole(m, name, shape, TENSOR_BOOL, 0, 0, 0);
}

int case_input_values(struct case_builder *m, const char *name, const struct shape *shape,
                      int32_t type, const int32_t *a, const int32_t *b)
{
    const size_t count = shape_elements(shape), bytes = tensor_type_bits(type) / 8;
    const int tensor = case_declare_input(m, name, shape, type, bytes);

    m->filled++;
    for (int frame = 0; frame < 2 && m->status == STATUS_OK; frame++) {
        const int32_t *const values = frame ? b : a;
        void *const data = mem_alloc(count, bytes);

        m->out->inputs[m->out->input_count - 1].data[frame] = data;
        if (!data)
            case_fail_memory(m);
        for (size_t i = 0; data && i < count; i++) {
            if (type == TENSOR_INT64)
                ((int64_t *)data)[i] = values[i];
            else
                ((int32_t *)data)[i] = values[i];
        }
    }
    return tensor;
}

int case_constant_drawn_i32(struct case_builder *m, const char *name, const struct shape *shape,
                            int32_t limit, int32_t offset)
{
    return constant_whole(m, name, shape, TENSOR_INT32, limit, offset, 0);
}

int case_constant_drawn_bool(struct case_builder *m, const char *name, const struct shape *shape)
{
    return constant_whole(m, name, shape, TENSOR_BOOL, 0, 0, 0);
}

/* Whether operands of the case are i32 or bool. */
static bool is_whole(const struct case_builder *m)
{
    return m->c->type == TENSOR_INT32 || m->c->type == TENSOR_BOOL;
}

static int32_t i32_limit(const struct case_builder *m)
{
    return m->c->row->i32_limit ? m->c->row->i32_limit : m->member->i32_limit;
}

int case_input(struct case_builder *m, const char *name, const struct shape *shape,
               const struct fill *fill)
{
    if (is_whole(m))
        return input_whole(m, name, shape, m->c->type, i32_limit(m), 0, fill->least);
    if (m->c->quantized || (m->c->dynamic && fill->role == FILL_WEIGHTS))
        return case_input_quantized(m, name, shape, fill);
    return m->c->half ? case_input_f16(m, name, shape, fill) : case_input_f32(m, name, shape, fill);
}

/* The values over and over, in an allocation of their own; rounded to f16 for class fp16. */
static float *repeat(struct case_builder *m, const struct shape *shape, const float *values,
                     size_t count, unsigned frame)
{
    const size_t elements = shape_elements(shape);
    float *const out = mem_alloc(elements, sizeof *out);

    if (!out) {
        case_fail_memory(m);
        return NULL;
    }
    for (size_t i = 0; i < elements; i++)
        out[i] = listed(m, values[frame == 0 ? i % count : count - 1 - i % count]);
    return out;
}

int case_operand_values(struct case_builder *m, bool is_input, const char *name,
                        const struct shape *shape, const float *values, size_t count)
{
    float *data;
    int tensor;

    m->filled++;
    if (is_input) {
        tensor = case_declare_input(m, name, shape, TENSOR_FLOAT32, sizeof(float));
        for (unsigned frame = 0; frame < 2 && m->status == STATUS_OK; frame++)
            m->out->inputs[m->out->input_count - 1].data[frame] =
                repeat(m, shape, values, count, frame);
        return tensor;
    }
    data = m->status == STATUS_OK ? repeat(m, shape, values, count, 0) : NULL;
    if (!data)
        return -1;
    tensor = builder_constant(&m->builder, TENSOR_FLOAT32, name, (size_t)shape->rank, shape->d,
                              data, shape_elements(shape) * sizeof *data);
    mem_free(data);
    return tensor;
}

int case_constant_f16(struct case_builder *m, const char *name, const struct shape *shape,
                      const struct fill *fill)
{
    const size_t count = shape_elements(shape);
    float *values = NULL;
    uint16_t *halves = NULL;
    int tensor = -1;

    if (m->status == STATUS_OK)
        values = draw(m, shape, fill, stream_number(m, fill), 0);
    if (values)
        halves = narrow(m, values, count);
    if (halves)
        tensor = builder_constant(&m->builder, TENSOR_FLOAT16, name, (size_t)shape->rank, shape->d,
                                  halves, count * sizeof *halves);
    mem_free(halves);
    mem_free(values);
    return tensor;
}

static int add_tensor(struct case_builder *m, int32_t type, const char *name,
                      const struct shape *shape)
{
    if (m->status != STATUS_OK)
        return -1;
    return builder_tensor(&m->builder, type, name, (size_t)shape->rank, shape->d);
}

int case_dequantize(struct case_builder *m, const char *name, int tensor, const struct shape *shape)
{
    const int out = add_tensor(m, TENSOR_FLOAT32, name, shape);

    case_op(m, BUILTIN_DEQUANTIZE, 3, &(struct options){ .tag = OPTIONS_DequantizeOptions }, 1,
            &tensor, out);
    return out;
}

int case_shape_of(struct case_builder *m, const char *name, const struct shape *shape)
{
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = DIMS(shape->rank);
    const int like = case_input(m, "like", shape, &any);
    const int out = case_tensor_i32(m, name, &vector);
    struct options options;

    options_init(&options, OPTIONS_ShapeOptions);
    options_set_int(&options, "out_type", TENSOR_INT32);
    case_op(m, BUILTIN_SHAPE, 1, &options, 1, &like, out);
    return out;
}

int case_constant_f32(struct case_builder *m, const char *name, const struct shape *shape,
                      const struct fill *fill)
{
    const unsigned number = stream_number(m, fill);
    float *const values = m->status == STATUS_OK ? draw(m, shape, fill, number, 0) : NULL;
    int tensor;

    if (!values)
        return -1;
    fill_values(m, number, values, shape_elements(shape), 0);
    tensor = builder_constant(&m->builder, TENSOR_FLOAT32, name, (size_t)shape->rank, shape->d,
                              values, shape_elements(shape) * sizeof *values);
    mem_free(values);
    return tensor;
}

int case_constant(struct case_builder *m, const char *name, const struct shape *shape,
                  const struct fill *fill)
{
    if (is_whole(m))
        return constant_whole(m, name, shape, m->c->type, i32_limit(m), 0, fill->least);
    if (m->c->quantized || (m->c->dynamic && fill->role == FILL_WEIGHTS))
        return case_constant_quantized(m, name, shape, fill);
    if (m->c->half)
        return case_constant_f16(m, name, shape, fill);
    if (m->c->type == TENSOR_FLOAT16)
        return case_dequantize(m, name, case_constant_f16(m, name, shape, fill), shape);
    return case_constant_f32(m, name, shape, fill);
}

int case_operand(struct case_builder *m, bool is_input, const char *name, const struct shape *shape,
                 const struct fill *fill)
{
    return is_input ? case_input(m, name, shape, fill) : case_constant(m, name, shape, fill);
}

void case_sparse(struct case_builder *m, int tensor, const struct sparse_form *form, size_t run,
                 unsigned keep)
{
    const struct model_tensor *t;
    const struct model_buffer *data;
    struct sparse_fault fault;
    struct random_stream s;
    uint8_t *elements;
    size_t bytes;

    if (m->status != STATUS_OK || tensor < 0)
        return;
    t = (const struct model_tensor *)m->builder.tensors.items + tensor;
    data = (const struct model_buffer *)m->builder.buffers.items + t->buffer;
    elements = (uint8_t *)(uintptr_t)data->data.data; /* the builder's own copy */
    bytes = run * tensor_type_bits(t->type) / 8;
    random_init(&s, m->request->seed, m->c->name, (uint64_t)m->request->set, m->filled++, 0);
    for (size_t at = 0; at < data->data.count; at += bytes)
        if (random_below(&s, 16) >= keep)
            memset(elements + at, 0, bytes < data->data.count - at ? bytes : data->data.count - at);
    m->status = builder_sparse(&m->builder, tensor, form, &fault);
    if (m->status != STATUS_OK)
        diag_fail(m->diag, m->status, "%s: sparse constant: %s: %s", m->c->name,
                  sparse_part_name(&fault), fault.text);
}

struct fill fill_weights(double terms, int axis, int channel)
{
    return (struct fill){ .terms = terms,
                          .factors = 2,
                          .pair = PAIR_OPPOSITE,
                          .axis = axis,
                          .unscaled = true,
                          .role = FILL_WEIGHTS,
                          .channel = channel };
}

struct fill fill_bias(double terms)
{
    return (struct fill){ .terms = terms, .factors = 2, .unscaled = true, .role = FILL_BIAS };
}

int case_constant_i32(struct case_builder *m, const char *name, const struct shape *shape,
                      const int32_t *values)
{
    if (m->status != STATUS_OK)
        return -1;
    return builder_constant(&m->builder, TENSOR_INT32, name, (size_t)shape->rank, shape->d, values,
                            shape_elements(shape) * sizeof *values);
}

int case_constant_i64(struct case_builder *m, const char *name, const struct shape *shape,
                      const int32_t *values)
{
    int64_t wide[2 * SHAPE_RANK_MAX];
    const size_t count = shape_elements(shape);

    assert(count <= sizeof wide / sizeof wide[0]);
    if (m->status != STATUS_OK)
        return -1;
    for (size_t i = 0; i < count; i++)
        wide[i] = values[i];
    return builder_constant(&m->builder, TENSOR_INT64, name, (size_t)shape->rank, shape->d, wide,
                            count * sizeof wide[0]);
}

int case_tensor(struct case_builder *m, const char *name, const struct shape *shape)
{
    const int tensor = add_tensor(
        m, m->c->quantized || m->c->half || is_whole(m) ? m->c->type : TENSOR_FLOAT32, name, shape);

    if (m->c->quantized)
        case_set_elements(m, tensor, shape);
    return tensor;
}

int case_variable_f32(struct case_builder *m, const char *name, const struct shape *shape)
{
    const int tensor = add_tensor(m, TENSOR_FLOAT32, name, shape);

    if (tensor >= 0)
        builder_variable(&m->builder, tensor);
    return tensor;
}

int case_variable_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                         int32_t type, double scale, int32_t zero)
{
    const int tensor = add_tensor(m, type, name, shape);

    if (tensor >= 0)
        builder_variable(&m->builder, tensor);
    case_set_scale(m, tensor, type, scale, zero);
    return tensor;
}

static int as_output(struct case_builder *m, int tensor)
{
    assert(m->output_count < CASE_OUTPUTS_MAX);
    m->outputs[m->output_count++] = tensor;
    return tensor;
}

int case_output(struct case_builder *m, const char *name, const struct shape *shape)
{
    return as_output(m, case_tensor(m, name, shape));
}

int case_tensor_f32(struct case_builder *m, const char *name, const struct shape *shape)
{
    return add_tensor(m, TENSOR_FLOAT32, name, shape);
}

int case_tensor_i32(struct case_builder *m, const char *name, const struct shape *shape)
{
    return add_tensor(m, TENSOR_INT32, name, shape);
}

int case_output_bool(struct case_builder *m, const char *name, const struct shape *shape)
{
    return as_output(m, add_tensor(m, TENSOR_BOOL, name, shape));
}

int case_tensor_of(struct case_builder *m, const char *name, const struct shape *shape,
                   int32_t type)
{
    return add_tensor(m, type, name, shape);
}

int case_output_of(struct case_builder *m, const char *name, const struct shape *shape,
                   int32_t type)
{
    return as_output(m, case_tensor_of(m, name, shape, type));
}

int case_output_f32(struct case_builder *m, const char *name, const struct shape *shape)
{
    return as_output(m, case_tensor_f32(m, name, shape));
}

int case_output_i32(struct case_builder *m, const char *name, const struct shape *shape)
{
    return as_output(m, case_tensor_i32(m, name, shape));
}

int case_output_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                       int32_t type, double scale, int32_t zero)
{
    const int tensor = as_output(m, add_tensor(m, type, name, shape));

    case_set_scale(m, tensor, type, scale, zero);
    return tensor;
}

int case_op(struct case_builder *m, int32_t code, int32_t version, const struct options *options,
            size_t input_count, const int *inputs, int output)
{
    int replaced[CASE_INPUTS_MAX];

    case_quantize_op(m, code, &version, options, input_count, inputs, replaced, output);
    if (m->status != STATUS_OK)
        return -1;
    return builder_op(&m->builder, code, version, options, input_count, replaced, 1, &output);
}

void case_set_judged(struct case_builder *m, int op)
{
    m->judged = op;
}

int case_judged_op(struct case_builder *m, const struct options *options, size_t input_count,
                   const int *inputs, int output)
{
    return case_judged_op_outputs(m, options, input_count, inputs, 1, &output);
}

int case_judged_op_outputs(struct case_builder *m, const struct options *options,
                           size_t input_count, const int *inputs, size_t output_count,
                           const int *outputs)
{
    int32_t version = m->c->version; /* case_list.c chose one that has the case's type */
    int replaced[CASE_INPUTS_MAX];

    case_quantize_op(m, m->c->code, &version, options, input_count, inputs, replaced, outputs[0]);
    for (size_t i = 1; i < output_count && m->c->quantized; i++)
        case_share_scale(m, m->c->code, outputs[0], outputs[i]);
    if (m->status != STATUS_OK)
        return -1;
    m->judged = builder_op(&m->builder, m->c->code, version, options, input_count, replaced,
                           output_count, outputs);
    return m->judged;
}

/* ---- the whole case ---- */

void case_instance_close(struct case_instance *instance)
{
    for (size_t i = 0; i < instance->input_count; i++) {
        mem_free(instance->inputs[i].data[0]);
        mem_free(instance->inputs[i].data[1]);
    }
    mem_free(instance->file.bytes);
    *instance = (struct case_instance){ 0 };
}

enum status case_build(const struct test_case *c, const struct case_request *request,
                       struct case_instance *out, struct diag *diag)
{
    struct case_builder m = {
        .c = c,
        .member = suite_member_of(c->suite, c->code),
        .request = request,
        .out = out,
        .diag = diag,
        .judged = -1,
    };
    struct model model = { .version = 0 };
    enum status s;

    *out = (struct case_instance){ 0 };
    if (!m.member)
        return diag_fail(diag, STATUS_USAGE, "%s: not a case of suite %s", c->name, c->suite->stem);
    builder_init(&m.builder);
    c->suite->build(&m);
    case_write_scales(&m);
    if ((s = m.status) != STATUS_OK) {
        builder_close(&m.builder);
        goto fail;
    }
    builder_inputs(&m.builder, out->input_count, m.inputs);
    builder_outputs(&m.builder, m.output_count, m.outputs);
    if (m.more)
        m.more(&m);
    if ((s = builder_finish(&m.builder, &model, diag)) != STATUS_OK)
        goto fail;
    s = tflite_write(&model, &out->file, diag);
    model_close(&model);
    if (s != STATUS_OK)
        goto fail;
    out->judged_node = m.judged;
    out->every_half = c->row->every_half;
    out->full_mantissas = c->row->full_mantissas;
    out->one_frame = c->row->period > 0 || c->row->one_frame;
    return STATUS_OK;
fail:
    case_instance_close(out);
    return s == STATUS_USAGE ? s : diag_prefix(diag, s, "%s", c->name);
}

enum status case_open(const struct test_case *c, uint64_t seed, struct case_instance *x,
                      struct model *m, struct diag *diag)
{
    struct case_request request = { .seed = seed };
    enum status s;

    while (!case_has_set(c, request.set))
        request.set++;
    TRY(case_build(c, &request, x, diag));
    s = tflite_read(m, x->file.bytes, x->file.count, diag);
    if (s != STATUS_OK) {
        model_close(m);
        case_instance_close(x);
    }
    return s;
}

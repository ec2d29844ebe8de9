/* Rounds constants of a part to what f16 holds. */
#include "conformance/tools/diff/part.h"

#include "reference/base/builtin.h"
#include "reference/base/half.h"

#include <math.h>

enum {
    FRACTION_BITS = 11,    /* of f16, with the one that is not stored */
    LEAST_EXPONENT = -24,  /* of its denormals' last place */
    LARGEST_EXPONENT = 16, /* that of the first number beyond its range */
};
static const float largest_half = 65504;

void round_half_floats(float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isfinite(x[i]))
            x[i] = half_to_float(float_to_half(fminf(fmaxf(x[i], -largest_half), largest_half)));
    }
}

float round_half_scale(float scale, int bits)
{
    const int kept = FRACTION_BITS - bits;
    const double largest = ldexp(ldexp(1, kept) - 1, LARGEST_EXPONENT - FRACTION_BITS);
    double unit;
    int exponent;

    if (!(scale > 0) || isinf(scale))
        return scale;
    frexp(scale, &exponent);
    unit = ldexp(1, exponent - kept > LEAST_EXPONENT ? exponent - kept : LEAST_EXPONENT);
    return (float)fmin(fmax(nearbyint(scale / unit), 1) * unit, largest);
}

/* ---- a model's constants ---- */

static enum status out_of_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "part: out of memory");
}

static enum status round_data(struct model *m, const struct model_tensor *t,
                              struct model_buffer *buffers, struct diag *diag)
{
    const struct model_bytes data = m->buffers[t->buffer].data;
    float *copy;

    if (t->type != TENSOR_FLOAT32 || !data.data)
        return STATUS_OK;
    if (!(copy = arena_copy(&m->arena, data.data, data.count, 1)))
        return out_of_memory(diag);
    round_half_floats(copy, data.count / sizeof *copy);
    buffers[t->buffer].data.data = (const uint8_t *)copy;
    return STATUS_OK;
}

/* How many bits the distance of an integer from the zero point has; 0 for other types. */
static int integer_bits(const struct model_tensor *t)
{
    const struct model_longs *const zero = &t->quantization.zero_point;
    bool centred = true;

    for (size_t i = 0; i < zero->count; i++)
        centred = centred && zero->data[i] == 0;
    if (t->type == TENSOR_INT4)
        return centred ? 3 : 4;
    if (t->type == TENSOR_INT8)
        return centred ? 7 : 8; /* the 8 bits of -128 are a power of two */
    return t->type == TENSOR_UINT8 ? 8 : 0;
}

static enum status round_scales(struct model *m, struct model_tensor *t, struct diag *diag)
{
    const struct model_floats *const from = &t->quantization.scale;
    const int bits = integer_bits(t);
    float *scales;

    if (bits == 0 || from->count == 0 || !m->buffers[t->buffer].data.data)
        return STATUS_OK;
    if (!(scales = ARENA_NEW(&m->arena, from->count, float)))
        return out_of_memory(diag);
    for (size_t i = 0; i < from->count; i++)
        scales[i] = round_half_scale(from->data[i], bits);
    t->quantization.scale.data = scales;
    return STATUS_OK;
}

static bool gives_floats(const struct model_subgraph *g, const struct model_operator *op)
{
    bool floats = op->outputs.count > 0;

    for (size_t o = 0; o < op->outputs.count; o++) {
        const int32_t type = g->tensors[op->outputs.data[o]].type;

        floats = floats && (type == TENSOR_FLOAT32 || type == TENSOR_FLOAT16);
    }
    return floats;
}

enum status round_half_constants(struct model *m, struct diag *diag)
{
    struct model_buffer *const buffers =
        arena_copy(&m->arena, m->buffers, m->buffer_count, sizeof *buffers);
    struct model_subgraph *const g = arena_copy(&m->arena, m->subgraphs, 1, sizeof *g);
    struct model_tensor *const tensors =
        g ? arena_copy(&m->arena, g->tensors, g->tensor_count, sizeof *tensors) : NULL;

    if (!buffers || !tensors)
        return out_of_memory(diag);
    for (size_t t = 0; t < g->tensor_count; t++)
        TRY(round_data(m, &tensors[t], buffers, diag));
    for (size_t n = 0; n < g->operator_count; n++) {
        const struct model_operator *const op = &g->operators[n];

        for (size_t i = 0; gives_floats(g, op) && i < op->inputs.count; i++) {
            if (op->inputs.data[i] >= 0)
                TRY(round_scales(m, &tensors[op->inputs.data[i]], diag));
        }
    }
    g->tensors = tensors;
    m->subgraphs = g;
    m->buffers = buffers;
    return STATUS_OK;
}

/* Measures ranges of activations, and quantizes weights. */
#include "conformance/suite/models/net_quant.h"

#include "conformance/suite/io/tensor_value.h"
#include "conformance/util/message.h"
#include "reference/base/builtin.h"
#include "reference/base/fixed_point.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"
#include "reference/runtime/interpreter.h"

#include <assert.h>
#include <math.h>

/* ---- ranges ---- */

static void widen(struct zoo_range *range, const TfLiteTensor *t)
{
    const size_t count = ref_elements(t);

    for (size_t i = 0; i < count; i++) {
        range->low = fminf(range->low, t->data.f[i]);
        range->high = fmaxf(range->high, t->data.f[i]);
    }
}

/* All tensors without data are activations: a float model has nothing else. */
static enum status measure(struct zoo_measured *activations, const struct model *m, uint64_t seed,
                           bool quiet, struct interpreter *in, struct diag *diag)
{
    const struct model_subgraph *const g = &m->subgraphs[0];
    size_t inputs;
    const int *const input = interpreter_inputs(in, &inputs);

    TRY(interpreter_allocate(in, diag));
    for (size_t frame = 0; frame < ZOO_FRAMES; frame++) {
        size_t n = 0;

        message_progress(quiet, "ranges: input %zu of %d", frame + 1, ZOO_FRAMES);
        for (size_t i = 0; i < inputs; i++)
            TRY(tensor_fill(interpreter_tensor(in, input[i]), seed, frame * inputs + i, diag));
        TRY(interpreter_invoke(in, diag));
        for (size_t i = 0; i < g->tensor_count; i++) {
            if (m->buffers[g->tensors[i].buffer].data.count != 0)
                continue;
            activations[n].tensor = (int)i;
            widen(&activations[n++].range, interpreter_tensor(in, (int)i));
        }
    }
    return STATUS_OK;
}

enum status zoo_measure(struct zoo_measured **out, size_t *count, const struct model *m,
                        uint64_t seed, bool quiet, struct diag *diag)
{
    const struct interpreter_options keep = { .preserve_all = true, .num_threads = -1 };
    const struct model_subgraph *const g = &m->subgraphs[0];
    struct interpreter *in;
    enum status s;

    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < g->tensor_count; i++)
        *count += m->buffers[g->tensors[i].buffer].data.count == 0;
    TRY(interpreter_open(&in, m, &keep, diag));
    *out = mem_alloc(*count, sizeof **out);
    s = *out ? measure(*out, m, seed, quiet, in, diag)
             : diag_fail(diag, STATUS_NO_MEMORY, "%zu activations", *count);
    message_progress_end();
    interpreter_close(in);
    if (s != STATUS_OK) {
        mem_free(*out);
        *out = NULL;
    }
    return s;
}

static struct zoo_range *range_of(struct zoo_measured *activations, size_t count, int tensor)
{
    for (size_t i = 0; i < count; i++) {
        if (activations[i].tensor == tensor)
            return &activations[i].range;
    }
    return NULL;
}

void zoo_tie_ranges(struct zoo_measured *activations, size_t count, const struct zoo_tie *ties,
                    size_t tie_count)
{
    bool changed = true;

    while (changed) { /* every round but the last widens a range to that of another */
        changed = false;
        for (size_t i = 0; i < tie_count; i++) {
            struct zoo_range *const a = range_of(activations, count, ties[i].a);
            struct zoo_range *const b = range_of(activations, count, ties[i].b);
            struct zoo_range both;

            if (!a || !b) /* of a constant */
                continue;
            both = (struct zoo_range){ fminf(a->low, b->low), fmaxf(a->high, b->high) };
            changed = changed || a->low > both.low || a->high < both.high || b->low > both.low ||
                      b->high < both.high;
            *a = *b = both;
        }
    }
}

/* ---- numbers ---- */

/* Scale and zero point that map [low, high], which includes 0, to [least, most]. */
static struct zoo_scale scale_between(double low, double high, int32_t least, int32_t most)
{
    struct zoo_scale s = { 1, least };
    const struct fixed_range range = { least, most };

    low = fmin(low, 0);
    high = fmax(high, 0);
    if (high > low) {
        s.scale = (float)((high - low) / (most - least));
        s.zero_point = fixed_clamp(fixed_round(least - low / (double)s.scale), range);
    }
    return s;
}

struct zoo_scale zoo_scale_of(int32_t type, struct zoo_range range)
{
    assert(type == TENSOR_INT8 || type == TENSOR_UINT8);
    return type == TENSOR_INT8
               ? scale_between((double)range.low, (double)range.high, INT8_MIN, INT8_MAX)
               : scale_between((double)range.low, (double)range.high, 0, UINT8_MAX);
}

static int32_t quantize(double value, struct zoo_scale s, struct fixed_range range)
{
    return fixed_clamp((int64_t)fixed_round(value / (double)s.scale) + s.zero_point, range);
}

static void quantize_i8(const double *values, size_t count, struct zoo_channels channels, int8_t *q,
                        struct zoo_scale *scales)
{
    const struct fixed_range range = { -INT8_MAX, INT8_MAX };

    for (size_t c = 0; c < channels.count; c++)
        scales[c] = (struct zoo_scale){ 0, 0 };
    for (size_t i = 0; i < count; i++) {
        float *const scale = &scales[i / channels.inner % channels.count].scale;

        *scale = fmaxf(*scale, (float)(fabs(values[i]) / INT8_MAX));
    }
    for (size_t c = 0; c < channels.count; c++) {
        if (scales[c].scale == 0) /* a channel of zeros */
            scales[c].scale = 1;
    }
    for (size_t i = 0; i < count; i++)
        q[i] = (int8_t)quantize(values[i], scales[i / channels.inner % channels.count], range);
}

void zoo_quantize_weights(int32_t type, const double *values, size_t count,
                          struct zoo_channels channels, void *q, struct zoo_scale *scales)
{
    const struct fixed_range range = { 1, UINT8_MAX };
    double low = 0, high = 0;

    if (type == TENSOR_INT8) {
        quantize_i8(values, count, channels, q, scales);
        return;
    }
    assert(type == TENSOR_UINT8);
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    scales[0] = scale_between(low, high, range.low, range.high);
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)q)[i] = (uint8_t)quantize(values[i], scales[0], range);
}

int32_t zoo_quantize_value(int32_t type, double value, struct zoo_scale scale)
{
    return quantize(value, scale,
                    type == TENSOR_INT8 ? (struct fixed_range){ INT8_MIN, INT8_MAX }
                                        : (struct fixed_range){ 0, UINT8_MAX });
}

int32_t zoo_quantize_bias(double value, float scale)
{
    return fixed_round(value / (double)scale);
}

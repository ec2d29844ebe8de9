/* Makes reductions. */
#include "conformance/suite/shrink/shrink_step.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/shrink/model_draft.h"
#include "conformance/suite/subject/outputs.h"
#include "conformance/util/model_cut.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"
#include "reference/runtime/report.h"

#include <math.h>
#include <string.h>

enum { ROUND_MAX = 8 };

/* ---- sizes ---- */

static enum status nothing(struct diag *diag)
{
    return diag_fail(diag, STATUS_INVALID, "the reduction changes nothing");
}

/* What a size becomes: k a becomes k b, with k = 1 alone unless multiples are meant. */
static int32_t resized(const struct shrink_step *r, int32_t size)
{
    const int32_t from = r->size.from, to = r->size.to;

    if (size == from)
        return to;
    return r->kind == SHRINK_MULTIPLE && size > 0 && size % from == 0 ? size / from * to : size;
}

/* Sizes that are data, such as the new shape of RESHAPE, in constants and in options. */
static enum status resize_parameters(struct model_draft *d, const struct shrink_step *r,
                                     struct diag *diag)
{
    for (int t = 0; t < (int)d->graph.tensor_count; t++) {
        size_t bytes;
        int32_t *const data = d->tensors[t].type == TENSOR_INT32 && model_draft_is_parameter(d, t)
                                  ? model_draft_data(d, t, 0, &bytes)
                                  : NULL;

        for (size_t i = 0; data && i < bytes / sizeof *data; i++)
            data[i] = resized(r, data[i]);
    }
    for (size_t n = 0; n < d->graph.operator_count; n++) {
        struct options *const o = &d->operators[n].options;
        const struct option_table *const table = option_table_find(o->tag);

        for (int f = 0; table && table->listed && f < table->field_count; f++) {
            const union option_value *const v = &o->value[f];
            int32_t *copy;

            if (table->fields[f].kind != OPTION_INTS || !v->ints.data)
                continue;
            copy = arena_copy(&d->read.arena, v->ints.data, v->ints.count, sizeof *copy);
            if (!copy)
                return diag_fail(diag, STATUS_NO_MEMORY, "reduction: out of memory");
            for (size_t i = 0; i < v->ints.count; i++)
                copy[i] = resized(r, copy[i]);
            o->value[f].ints.data = copy;
        }
    }
    return STATUS_OK;
}

static enum status resize_all(struct model_draft *d, const struct shrink_step *r, struct diag *diag)
{
    bool changed = false;

    for (int t = 0; t < (int)d->graph.tensor_count; t++) {
        if (!model_draft_is_source(d, t))
            continue;
        for (size_t i = 0; i < d->tensors[t].shape.count; i++) {
            const int32_t size = d->tensors[t].shape.data[i], to = resized(r, size);

            if (to >= size)
                continue;
            TRY(model_draft_shorten(d, t, i, to, diag));
            changed = true;
        }
    }
    return changed ? resize_parameters(d, r, diag) : nothing(diag);
}

static enum status shorten(struct model_draft *d, const struct shrink_step *r, struct diag *diag)
{
    for (int i = 0; i < (r->kind == SHRINK_PAIR ? 2 : 1); i++)
        TRY(model_draft_shorten(d, r->dims.of[i].tensor, (size_t)r->dims.of[i].dim, r->dims.to,
                                diag));
    return STATUS_OK;
}

static enum status set_value(struct model_draft *d, const struct shrink_step *r, struct diag *diag)
{
    size_t bytes;
    int32_t *const data = model_draft_data(d, r->value.tensor, 0, &bytes);

    if (!data || (size_t)r->value.index >= bytes / sizeof *data)
        return nothing(diag);
    data[r->value.index] = r->value.to;
    return STATUS_OK;
}

static enum status set_option(struct model_draft *d, const struct shrink_step *r, struct diag *diag)
{
    struct options *const o = &d->operators[r->option.node].options;
    const struct option_table *const table = option_table_find(o->tag);

    if (!table || r->option.field >= table->field_count)
        return nothing(diag);
    if (table->fields[r->option.field].kind == OPTION_F32)
        o->value[r->option.field].f = (float)r->option.to;
    else
        o->value[r->option.field].i = r->option.to;
    return STATUS_OK;
}

/* ---- values ---- */

static double load(int32_t type, const void *data, size_t i)
{
    switch (type) {
    case TENSOR_FLOAT32: return ((const float *)data)[i];
    case TENSOR_FLOAT16: return half_to_float(((const uint16_t *)data)[i]);
    case TENSOR_INT8: return ((const int8_t *)data)[i];
    case TENSOR_UINT8: return ((const uint8_t *)data)[i];
    case TENSOR_INT16: return ((const int16_t *)data)[i];
    case TENSOR_INT32: return ((const int32_t *)data)[i];
    default: return NAN;
    }
}

static void store(int32_t type, void *data, size_t i, double x)
{
    switch (type) {
    case TENSOR_FLOAT32: ((float *)data)[i] = (float)x; break;
    case TENSOR_FLOAT16: ((uint16_t *)data)[i] = float_to_half((float)x); break;
    case TENSOR_INT8: ((int8_t *)data)[i] = (int8_t)x; break;
    case TENSOR_UINT8: ((uint8_t *)data)[i] = (uint8_t)x; break;
    case TENSOR_INT16: ((int16_t *)data)[i] = (int16_t)x; break;
    case TENSOR_INT32: ((int32_t *)data)[i] = (int32_t)x; break;
    default: break;
    }
}

/* The plainer value; x itself where it is plain enough.  zero: of a quantized tensor. */
static double plainer(enum shrink_step_kind kind, double x, double zero, double largest)
{
    const double one = zero + 1 <= largest ? zero + 1 : zero - 1;

    if (kind == SHRINK_ZERO)
        return zero;
    if (kind == SHRINK_ONE)
        return x == zero ? x : one;
    return isfinite(x) ? zero + fmax(fmin(rint(x - zero), ROUND_MAX), -ROUND_MAX) : x;
}

static double largest_of(int32_t type)
{
    return type == TENSOR_INT8 ? 127 : type == TENSOR_UINT8 ? 255 : 32767;
}

static double smallest_of(int32_t type)
{
    return type == TENSOR_INT8 ? -128 : type == TENSOR_UINT8 ? 0 : -32768;
}

static enum status change_values(struct model_draft *d, const struct shrink_step *r,
                                 struct diag *diag)
{
    const struct model_tensor *const t = &d->tensors[r->data.tensor];
    const size_t element = model_draft_element_bytes(d, r->data.tensor);
    const double zero =
        t->quantization.zero_point.count == 1 ? (double)t->quantization.zero_point.data[0] : 0;
    bool changed = false;

    for (int frame = 0; frame < 2; frame++) {
        size_t bytes;
        void *const data = model_draft_data(d, r->data.tensor, frame, &bytes);
        const size_t count = data && element ? bytes / element : 0;
        const size_t end = count * ((size_t)r->data.part + 1) / (size_t)r->data.parts;

        for (size_t i = count * (size_t)r->data.part / (size_t)r->data.parts; i < end; i++) {
            const double x = load(t->type, data, i);
            double y = plainer(r->kind, x, zero, largest_of(t->type));

            if (t->type != TENSOR_FLOAT32 && t->type != TENSOR_INT32)
                y = fmax(fmin(y, largest_of(t->type)), smallest_of(t->type));
            if (isnan(y) || x == y)
                continue;
            store(t->type, data, i, y);
            changed = true;
        }
    }
    return changed ? STATUS_OK : nothing(diag);
}

/* ---- nodes ---- */

/* Copies what a part's inputs hold in one frame. */
static enum status take_inputs(struct interpreter *in, const struct model_cut *cut, int frame,
                               struct case_instance *out, struct diag *diag)
{
    const struct model_ints *const inputs = &cut->model.subgraphs[0].inputs;

    for (size_t i = 0; i < inputs->count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, cut->tensors[inputs->data[i]]);

        out->inputs[i].type = t->type;
        out->inputs[i].bytes = t->bytes;
        out->inputs[i].data[frame] = mem_alloc(t->bytes ? t->bytes : 1, 1);
        out->input_count = i + 1 > out->input_count ? i + 1 : out->input_count;
        if (!out->inputs[i].data[frame])
            return diag_fail(diag, STATUS_NO_MEMORY, "reduction: out of memory");
        if (t->bytes > 0)
            memcpy(out->inputs[i].data[frame], t->data.raw, t->bytes);
    }
    return STATUS_OK;
}

/* The inputs of the part are what the reference computes of both frames. */
static enum status fill_part(const struct model *m, const struct case_instance *x,
                             const struct model_cut *cut, struct case_instance *out,
                             struct diag *diag)
{
    const struct interpreter_options options = { .preserve_all = true,
                                                 .num_threads = -1,
                                                 .report = report_nothing };
    struct interpreter *in;
    enum status s;

    TRY(interpreter_open(&in, m, &options, diag));
    s = interpreter_allocate(in, diag);
    for (int frame = 0; frame < 2 && s == STATUS_OK; frame++) {
        if (x->input_count > 0 && !x->inputs[0].data[frame])
            continue;
        s = interpreter_reset_state(in);
        if (s == STATUS_OK)
            s = inputs_write(in, x, frame, diag);
        if (s == STATUS_OK)
            s = interpreter_invoke(in, diag);
        if (s == STATUS_OK)
            s = take_inputs(in, cut, frame, out, diag);
    }
    interpreter_close(in);
    return s;
}

static enum status keep_nodes(const struct shrink_step *r, const struct case_instance *x,
                              struct case_instance *out, struct diag *diag)
{
    struct model m;
    struct model_cut cut;
    bool *nodes;
    enum status s;

    TRY(tflite_read(&m, x->file.bytes, x->file.count, diag));
    nodes = mem_alloc(m.subgraphs[0].operator_count, sizeof *nodes);
    for (int32_t n = r->nodes.first; nodes && n <= r->nodes.last; n++)
        nodes[n] = true;
    s = nodes
            ? model_cut_make(&(struct model_cut_request){ .model = &m, .nodes = nodes }, &cut, diag)
            : diag_fail(diag, STATUS_NO_MEMORY, "reduction: out of memory");
    mem_free(nodes);
    if (s == STATUS_OK) {
        const struct model_subgraph *const part = &cut.model.subgraphs[0];

        instance_copy_head(x, out);
        out->every_half = out->has_nan = false; /* other tensors are inputs now */
        out->judged_node = x->judged_node < 0 ? -1 : (int)part->operator_count - 1;
        for (size_t n = 0; n < part->operator_count; n++) {
            if (cut.nodes[n] == x->judged_node)
                out->judged_node = (int)n;
        }
        if (part->inputs.count == 0 || part->inputs.count > CASE_INPUTS_MAX ||
            part->operator_count == m.subgraphs[0].operator_count)
            s = nothing(diag);
        if (s == STATUS_OK)
            s = fill_part(&m, x, &cut, out, diag);
        if (s == STATUS_OK)
            s = tflite_write(&cut.model, &out->file, diag);
        model_cut_close(&cut);
    }
    model_close(&m);
    return s;
}

/* ---- one reduction ---- */

static enum status change(struct model_draft *d, const struct shrink_step *r, struct diag *diag)
{
    switch (r->kind) {
    case SHRINK_SIZE:
    case SHRINK_MULTIPLE: return resize_all(d, r, diag);
    case SHRINK_DIM:
    case SHRINK_PAIR: return shorten(d, r, diag);
    case SHRINK_VALUE: return set_value(d, r, diag);
    case SHRINK_OPTION: return set_option(d, r, diag);
    case SHRINK_ZERO:
    case SHRINK_ONE:
    case SHRINK_ROUND: return change_values(d, r, diag);
    case SHRINK_NODES: break;
    }
    return nothing(diag);
}

enum status shrink_step_make(const struct shrink_step *r, const struct case_instance *x,
                             struct case_instance *out, struct diag *diag)
{
    struct model_draft d;
    enum status s;

    *out = (struct case_instance){ .input_count = 0 };
    if (r->kind == SHRINK_NODES) {
        s = keep_nodes(r, x, out, diag);
    } else {
        TRY(model_draft_open(&d, x, diag));
        s = change(&d, r, diag);
        if (s == STATUS_OK)
            s = model_draft_finish(&d, out, diag);
        model_draft_close(&d);
    }
    if (s != STATUS_OK)
        case_instance_close(out);
    return s;
}

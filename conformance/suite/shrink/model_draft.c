/* Changes models in memory. */
#include "conformance/suite/shrink/model_draft.h"

#include "conformance/suite/cases/case_builder.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/runtime/interpreter.h"
#include "reference/runtime/report.h"

#include <string.h>

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "model: out of memory");
}

/* The other subgraphs, which nodes may call, with the buffers of the file behind those of the
 * draft. */
static enum status copy_bodies(struct model_draft *d, struct diag *diag)
{
    const size_t first = d->graph.tensor_count + 1, count = d->read.subgraph_count;
    struct arena *const arena = &d->read.arena;
    struct model_subgraph *const graphs =
        arena_copy(arena, d->read.subgraphs, count, sizeof *graphs);
    struct model_buffer *const buffers =
        ARENA_NEW(arena, first + d->read.buffer_count, struct model_buffer);

    if (!graphs || !buffers)
        return no_memory(diag);
    memcpy(buffers, d->buffers, first * sizeof *buffers);
    memcpy(buffers + first, d->read.buffers, d->read.buffer_count * sizeof *buffers);
    for (size_t i = 1; i < count; i++) {
        struct model_tensor *const tensors =
            arena_copy(arena, graphs[i].tensors, graphs[i].tensor_count, sizeof *tensors);

        if (!tensors)
            return no_memory(diag);
        for (size_t t = 0; t < graphs[i].tensor_count; t++)
            if (tensors[t].buffer != 0)
                tensors[t].buffer += (uint32_t)first;
        graphs[i].tensors = tensors;
    }
    d->graphs = graphs;
    d->model.subgraphs = graphs;
    d->model.subgraph_count = count;
    d->model.buffers = d->buffers = buffers;
    d->model.buffer_count = first + d->read.buffer_count;
    return STATUS_OK;
}

static enum status copy_model(struct model_draft *d, struct diag *diag)
{
    const struct model_subgraph *const g = &d->read.subgraphs[0];
    struct arena *const arena = &d->read.arena;

    d->model = d->read;
    d->model.arena = (struct arena){ NULL, 0 };
    d->graph = *g;
    d->tensors = arena_copy(arena, g->tensors, g->tensor_count, sizeof *g->tensors);
    d->operators = arena_copy(arena, g->operators, g->operator_count, sizeof *g->operators);
    d->buffers = ARENA_NEW(arena, g->tensor_count + 1, struct model_buffer);
    if (!d->tensors || !d->operators || !d->buffers)
        return no_memory(diag);
    for (size_t t = 0; t < g->tensor_count; t++) {
        size_t bytes;
        const uint8_t *const data = model_tensor_data(&d->read, &g->tensors[t], &bytes);

        d->tensors[t].buffer = data ? (uint32_t)t + 1 : 0;
        if (data) {
            d->buffers[t + 1] = d->read.buffers[g->tensors[t].buffer];
            d->buffers[t + 1].data.data = arena_copy(arena, data, bytes, 1);
            if (!d->buffers[t + 1].data.data)
                return no_memory(diag);
        }
    }
    d->model.buffers = d->buffers;
    d->model.buffer_count = g->tensor_count + 1;
    d->model.metadata_count = d->model.signature_count = 0;
    d->model.metadata = NULL;
    d->model.signatures = NULL;
    d->model.metadata_buffer = (struct model_ints){ NULL, 0 };
    d->graph.tensors = d->tensors;
    d->graph.operators = d->operators;
    d->model.subgraphs = &d->graph;
    d->model.subgraph_count = 1;
    return d->read.subgraph_count > 1 ? copy_bodies(d, diag) : STATUS_OK;
}

static enum status copy_inputs(struct model_draft *d, const struct case_instance *x,
                               struct diag *diag)
{
    if (x->input_count != d->graph.inputs.count)
        return diag_fail(diag, STATUS_INVALID, "expected %zu inputs, found %zu",
                         d->graph.inputs.count, x->input_count);
    d->input_count = x->input_count;
    for (size_t i = 0; i < x->input_count; i++) {
        d->inputs[i].bytes = x->inputs[i].bytes;
        for (int frame = 0; frame < 2; frame++) {
            if (!x->inputs[i].data[frame])
                continue;
            d->inputs[i].data[frame] =
                arena_copy(&d->read.arena, x->inputs[i].data[frame], x->inputs[i].bytes, 1);
            if (!d->inputs[i].data[frame])
                return no_memory(diag);
        }
    }
    return STATUS_OK;
}

void instance_copy_head(const struct case_instance *x, struct case_instance *out)
{
    *out = *x;
    out->file = (struct tflite_file){ NULL, 0 };
    memset(out->inputs, 0, sizeof out->inputs);
    out->input_count = 0;
}

enum status model_draft_open(struct model_draft *d, const struct case_instance *x,
                             struct diag *diag)
{
    enum status s;

    *d = (struct model_draft){ .rest = *x };
    TRY(tflite_read(&d->read, x->file.bytes, x->file.count, diag));
    s = copy_model(d, diag);
    if (s == STATUS_OK)
        s = copy_inputs(d, x, diag);
    if (s != STATUS_OK)
        model_draft_close(d);
    return s;
}

void model_draft_close(struct model_draft *d)
{
    model_close(&d->read);
    *d = (struct model_draft){ .input_count = 0 };
}

/* ---- questions ---- */

/* Which input of the graph a tensor is; -1: none. */
static int model_draft_input(const struct model_draft *d, int tensor)
{
    for (size_t i = 0; i < d->graph.inputs.count; i++) {
        if (d->graph.inputs.data[i] == tensor)
            return (int)i;
    }
    return -1;
}

void *model_draft_data(struct model_draft *d, int tensor, int frame, size_t *bytes)
{
    const int input = model_draft_input(d, tensor);
    const struct model_bytes *const constant = &d->buffers[d->tensors[tensor].buffer].data;

    *bytes = 0;
    if (input >= 0) {
        *bytes = d->inputs[input].bytes;
        return d->inputs[input].data[frame];
    }
    if (d->tensors[tensor].buffer == 0 || frame > 0)
        return NULL;
    *bytes = constant->count;
    return (void *)(uintptr_t)constant->data; /* in the draft's arena */
}

size_t model_draft_element_bytes(const struct model_draft *d, int tensor)
{
    return runtime_type_bits(tensor_type_runtime(d->tensors[tensor].type)) / 8;
}

bool model_draft_is_parameter(const struct model_draft *d, int tensor)
{
    const struct model_tensor *const t = &d->tensors[tensor];

    return t->buffer != 0 && (t->type == TENSOR_INT32 || t->type == TENSOR_INT64) &&
           t->quantization.scale.count == 0;
}

bool model_draft_is_source(const struct model_draft *d, int tensor)
{
    for (size_t n = 0; n < d->graph.operator_count; n++) {
        const struct model_ints *const outputs = &d->operators[n].outputs;

        for (size_t o = 0; o < outputs->count; o++) {
            if (outputs->data[o] == tensor)
                return false;
        }
    }
    return !model_draft_is_parameter(d, tensor);
}

/* ---- shortening ---- */

/* The first `size` of `old` elements of one dimension: rows of `inner` bytes, in `outer` blocks. */
static void keep_first(uint8_t *data, size_t outer, size_t old, size_t size, size_t inner)
{
    for (size_t i = 0; i < outer; i++)
        memmove(data + i * size * inner, data + i * old * inner, size * inner);
}

static void shorten_scales(struct model_quantization *q, size_t dim, int32_t old, int32_t size)
{
    if (q->quantized_dimension != (int32_t)dim || q->scale.count != (size_t)old || old < 2)
        return;
    q->scale.count = (size_t)size;
    if (q->zero_point.count == (size_t)old)
        q->zero_point.count = (size_t)size;
    if (q->min.count == (size_t)old)
        q->min.count = (size_t)size;
    if (q->max.count == (size_t)old)
        q->max.count = (size_t)size;
}

enum status model_draft_shorten(struct model_draft *d, int tensor, size_t dim, int32_t size,
                                struct diag *diag)
{
    struct model_tensor *const t = &d->tensors[tensor];
    const size_t element = model_draft_element_bytes(d, tensor);
    const int input = model_draft_input(d, tensor);
    const int32_t old = t->shape.data[dim];
    size_t outer = 1, inner = element, bytes = 0;
    int32_t *dims;

    if (element == 0 || size < 1 || size >= old)
        return diag_fail(diag, STATUS_INVALID, "dimension %zu of tensor %d: %d cannot become %d",
                         dim, tensor, old, size);
    for (size_t i = 0; i < t->shape.count; i++)
        *(i < dim ? &outer : &inner) *= i == dim ? 1 : (size_t)t->shape.data[i];
    for (int frame = 0; frame < 2; frame++) {
        uint8_t *const data = model_draft_data(d, tensor, frame, &bytes);

        if (data && bytes != outer * (size_t)old * inner)
            return diag_fail(diag, STATUS_INVALID, "tensor %d: %zu bytes of data", tensor, bytes);
        if (data)
            keep_first(data, outer, (size_t)old, (size_t)size, inner);
    }
    if (!(dims = arena_copy(&d->read.arena, t->shape.data, t->shape.count, sizeof *dims)))
        return no_memory(diag);
    dims[dim] = size;
    t->shape.data = dims;
    t->shape_signature = (struct model_ints){ NULL, 0 };
    if (input >= 0)
        d->inputs[input].bytes = outer * (size_t)size * inner;
    else if (t->buffer != 0)
        d->buffers[t->buffer].data.count = outer * (size_t)size * inner;
    shorten_scales(&t->quantization, dim, old, size);
    return STATUS_OK;
}

/* ---- finishing ---- */

/* Gives activations the shapes that the reference infers, and checks the sizes of inputs. */
static enum status infer_shapes(struct model_draft *d, struct interpreter *in, struct diag *diag)
{
    for (size_t i = 0; i < d->input_count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, d->graph.inputs.data[i]);

        if (t->bytes != d->inputs[i].bytes || t->bytes == 0)
            return diag_fail(diag, STATUS_INVALID, "input %zu: expected %zu bytes, found %zu", i,
                             t->bytes, d->inputs[i].bytes);
    }
    for (size_t t = 0; t < d->graph.tensor_count; t++) {
        const TfLiteTensor *const prepared = interpreter_tensor(in, (int)t);
        int32_t *dims;

        if (prepared->allocation_type == kTfLiteDynamic)
            return diag_fail(diag, STATUS_UNSUPPORTED, "tensor %zu is dynamic", t);
        if (d->tensors[t].buffer != 0)
            continue;
        dims = arena_copy(&d->read.arena, prepared->dims->data, (size_t)prepared->dims->size,
                          sizeof *dims);
        if (!dims)
            return no_memory(diag);
        d->tensors[t].shape = (struct model_ints){ dims, (size_t)prepared->dims->size };
    }
    return STATUS_OK;
}

static enum status write_instance(const struct model_draft *d, struct case_instance *out,
                                  struct diag *diag)
{
    TRY(tflite_write(&d->model, &out->file, diag));
    for (size_t i = 0; i < d->input_count; i++) {
        out->input_count = i + 1;
        out->inputs[i].type = tensor_type_runtime(d->tensors[d->graph.inputs.data[i]].type);
        out->inputs[i].bytes = d->inputs[i].bytes;
        for (int frame = 0; frame < 2; frame++) {
            if (!d->inputs[i].data[frame])
                continue;
            out->inputs[i].data[frame] = mem_alloc(d->inputs[i].bytes, 1);
            if (!out->inputs[i].data[frame])
                return no_memory(diag);
            memcpy(out->inputs[i].data[frame], d->inputs[i].data[frame], d->inputs[i].bytes);
        }
    }
    return STATUS_OK;
}

enum status model_draft_finish(struct model_draft *d, struct case_instance *out, struct diag *diag)
{
    const struct interpreter_options options = { .num_threads = -1, .report = report_nothing };
    struct interpreter *in = NULL;
    enum status s;

    instance_copy_head(&d->rest, out);
    if (d->graphs)
        d->graphs[0] = d->graph;
    TRY(interpreter_open(&in, &d->model, &options, diag));
    s = interpreter_allocate(in, diag);
    if (s == STATUS_OK)
        s = infer_shapes(d, in, diag);
    interpreter_close(in);
    if (s == STATUS_OK)
        s = write_instance(d, out, diag);
    if (s != STATUS_OK)
        case_instance_close(out);
    return s;
}

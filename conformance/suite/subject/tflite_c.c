/* Runs models in a TensorFlow Lite C library. */
#include "conformance/suite/subject/kinds.h"

#include "conformance/suite/subject/delegate_watch.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/offset_memory.h"
#include "conformance/suite/subject/subject_find.h"
#include "conformance/suite/subject/tflite_c_api.h"
#include "reference/base/memory.h"
#include "reference/format/write.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tflite_c_engine {
    struct engine base;
    const struct tflite_c_api *api;
    const struct engine_request request; /* of open; its model is read later */
    struct tflite_file file, copy;       /* the model; copy: shows whether it was written to */
    const uint8_t *bytes;                /* of it, which the runtime reads in place */
    TfLiteModel *model;
    TfLiteInterpreter *in; /* NULL: the runtime refuses the model */
    struct delegate_watch watch;
    bool watched;
    void *moved;                  /* the file's bytes, where they lie at an offset, as do ... */
    struct offset_memory *places; /* ... inputs and outputs */
    size_t place_count;
    char message[256]; /* the first one of the runtime in a step */
};

static struct tflite_c_engine *of(struct engine *e)
{
    return (struct tflite_c_engine *)e;
}

/* ---- opening ---- */

static void take_message(void *user, const char *format, va_list args)
{
    struct tflite_c_engine *const e = user;

    if (e->message[0])
        return; /* the first one tells the cause */
    vsnprintf(e->message, sizeof e->message, format, args);
    e->message[strcspn(e->message, "\n")] = '\0';
}

static int threads_of(const struct subject *s)
{
    const char *const text = subject_option(s, "threads");

    return text ? (int)strtol(text, NULL, 10) : -1;
}

/* Gives every input in `resized` another dimension `axis`. */
static bool resize_inputs(struct tflite_c_engine *e, int axis, int32_t size, const bool *resized)
{
    const struct tflite_c_api *const api = e->api;
    const int32_t count = api->InterpreterGetInputTensorCount(e->in);

    for (int32_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = api->InterpreterGetInputTensor(e->in, i);
        const int32_t rank = api->TensorNumDims(t);
        int dims[REF_MAX_RANK];

        if (!resized[i])
            continue;
        for (int32_t d = 0; d < rank && d < REF_MAX_RANK; d++)
            dims[d] = d == axis ? size : api->TensorDim(t, d);
        if (api->InterpreterResizeInputTensor(e->in, i, dims, rank) != kTfLiteOk)
            return false;
    }
    return true;
}

/* Gives a tensor of the model memory at the offset. */
static bool place(struct tflite_c_engine *e, int tensor, const TfLiteTensor *t)
{
    struct offset_memory *const m = &e->places[e->place_count];
    TfLiteCustomAllocation memory;

    for (size_t i = 0; i < e->place_count; i++) {
        if (e->places[i].tensor == tensor)
            return true;
    }
    if (offset_memory_open(m, tensor, e->api->TensorByteSize(t),
                           offset_of_type(e->api->TensorType(t), e->request.offset_bytes),
                           NULL) != STATUS_OK)
        return false;
    e->place_count++;
    memory = (TfLiteCustomAllocation){ m->data, m->bytes };
    return e->api->set_custom(e->in, tensor, &memory, kTfLiteCustomAllocationFlagsSkipAlignCheck) ==
           kTfLiteOk;
}

static void unplace(struct tflite_c_engine *e)
{
    for (size_t i = 0; i < e->place_count; i++)
        offset_memory_close(&e->places[i]);
    mem_free(e->places);
    e->places = NULL;
    e->place_count = 0;
}

/* Gives inputs and outputs, whose sizes are known now, memory at the offset. */
static bool place_all(struct tflite_c_engine *e)
{
    const struct tflite_c_api *const api = e->api;
    const struct model_subgraph *const graph = &e->request.model->subgraphs[0];
    bool ok;

    e->places = mem_alloc(graph->inputs.count + graph->outputs.count + 1, sizeof *e->places);
    ok = e->places && api->set_custom;
    for (size_t i = 0; i < graph->inputs.count && ok; i++)
        ok = place(e, graph->inputs.data[i], api->InterpreterGetInputTensor(e->in, (int32_t)i));
    for (size_t i = 0; i < graph->outputs.count && ok; i++)
        ok = place(e, graph->outputs.data[i], api->InterpreterGetOutputTensor(e->in, (int32_t)i));
    return ok && api->InterpreterAllocateTensors(e->in) == kTfLiteOk;
}

/* Resizes inputs where the request says so, and allocates. */
static bool allocate(struct tflite_c_engine *e)
{
    const struct engine_request *const q = &e->request;

    return (!q->batch || resize_inputs(e, q->axis, q->batch, q->resized)) &&
           e->api->InterpreterAllocateTensors(e->in) == kTfLiteOk &&
           (q->offset_bytes == 0 || place_all(e));
}

/* Creates the interpreter, resizes its inputs and allocates; false when the runtime refuses. */
static bool start(struct tflite_c_engine *e, bool with_delegate)
{
    const struct tflite_c_api *const api = e->api;
    TfLiteInterpreterOptions *const options = api->InterpreterOptionsCreate();
    bool ok;

    e->message[0] = '\0';
    if (!options)
        return false;
    api->InterpreterOptionsSetErrorReporter(options, take_message, e);
    if (threads_of(e->request.subject) > 0)
        api->InterpreterOptionsSetNumThreads(options, threads_of(e->request.subject));
    if (with_delegate)
        api->InterpreterOptionsAddDelegate(options, e->watch.delegate);
    if (with_delegate)
        delegate_watch_begin(&e->watch);
    e->in = api->InterpreterCreate(e->model, options);
    ok = e->in && allocate(e);
    if (with_delegate)
        delegate_watch_end(&e->watch);
    api->InterpreterOptionsDelete(options);
    if (ok)
        return true;
    if (e->in)
        api->InterpreterDelete(e->in);
    e->in = NULL;
    unplace(e);
    return false;
}

/* A model that the runtime refuses without the delegate, too, is declined; one that only the
 * delegate cannot prepare is a failure of the delegate. */
static enum status start_or_refuse(struct tflite_c_engine *e, struct diag *diag)
{
    char reason[sizeof e->message];

    if (start(e, e->watched) || !e->watched)
        return STATUS_OK;
    memcpy(reason, e->message, sizeof reason);
    if (!start(e, false))
        return STATUS_OK;
    e->api->InterpreterDelete(e->in);
    e->in = NULL;
    unplace(e);
    return diag_fail(diag, STATUS_DEVICE, "with the delegate: %s",
                     reason[0] ? reason : "no interpreter, and no reason given");
}

static void end(struct engine *base)
{
    struct tflite_c_engine *const e = of(base);

    if (e->in)
        e->api->InterpreterDelete(e->in);
    if (e->model)
        e->api->ModelDelete(e->model);
    if (e->watched)
        delegate_watch_close(&e->watch);
    unplace(e);
    mem_free(e->moved);
    mem_free(e->file.bytes);
    mem_free(e->copy.bytes);
    mem_free(e);
}

static enum status prepare(struct tflite_c_engine *e, struct diag *diag)
{
    const struct engine_request *const q = &e->request;

    TRY(q->model ? tflite_write(q->model, &e->file, diag)
                 : tflite_file_copy(&e->file, q->file, diag));
    e->bytes = e->file.bytes;
    TRY(tflite_file_copy(&e->copy, &e->file, diag));
    if (q->offset_bytes > 0)
        TRY(offset_file_open(&e->moved, &e->bytes, &e->file, q->offset_bytes, diag));
    e->model = e->api->ModelCreate(e->bytes, e->file.count);
    if (!e->model)
        return STATUS_OK; /* refused */
    if (q->delegate) {
        if (!q->delegate->Prepare)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "a delegate without a Prepare of its own: which nodes it takes cannot "
                             "be seen through the C API");
        e->watch = (struct delegate_watch){ .delegate = q->delegate,
                                            .declined_first = q->declined_first,
                                            .declined_count = q->declined_count };
        e->watched = true;
    }
    return start_or_refuse(e, diag);
}

static enum status open_model(const struct engine_request *request, struct engine **out,
                              struct diag *diag)
{
    struct tflite_c_engine *const e = mem_alloc(1, sizeof *e);
    const struct tflite_c_engine empty = { .base = { subject_kind_tflite_c.engine },
                                           .api = request->subject->runtime,
                                           .request = *request };
    enum status s;

    if (!e)
        return diag_fail(diag, STATUS_NO_MEMORY, "model: out of memory");
    memcpy(e, &empty, sizeof *e);
    s = prepare(e, diag);
    if (s == STATUS_OK)
        *out = &e->base;
    else
        end(&e->base);
    return s;
}

/* ---- running ---- */

static bool is_taken(struct engine *base, int node)
{
    const struct tflite_c_engine *const e = of(base);

    return e->in && (!e->watched || delegate_watch_has(&e->watch, node));
}

static const char *refusal(struct engine *base)
{
    return of(base)->in ? NULL : of(base)->message;
}

static enum status reset(struct engine *base, struct diag *diag)
{
    struct tflite_c_engine *const e = of(base);

    e->message[0] = '\0';
    if (e->api->InterpreterResetVariableTensors(e->in) == kTfLiteOk)
        return STATUS_OK;
    return diag_fail(diag, STATUS_DEVICE, "TfLiteInterpreterResetVariableTensors: %s", e->message);
}

/* Outputs first: where the runtime keeps an input in the memory of an output, the input counts.
 * What it has computed in prepare (SHAPE, BROADCAST_ARGS) no inference writes again. */
static void poison_outputs(struct tflite_c_engine *e)
{
    const int32_t count = e->api->InterpreterGetOutputTensorCount(e->in);

    for (int32_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = e->api->InterpreterGetOutputTensor(e->in, i);
        uint8_t *const data = e->api->TensorData(t);
        const int tensor = e->request.model->subgraphs[0].outputs.data[i];
        const size_t bytes = data ? e->api->TensorByteSize(t) : 0;

        if (e->request.model->subgraphs[0].tensors[tensor].is_variable ||
            t->allocation_type == kTfLitePersistentRo)
            continue;
        for (size_t b = 0; b < bytes; b++)
            data[b] = (uint8_t)(e->request.poison_word >> 8 * (b % 4));
    }
}

static enum status write_inputs(struct engine *base, const struct case_instance *x, int frame,
                                struct diag *diag)
{
    struct tflite_c_engine *const e = of(base);
    const int32_t count = e->api->InterpreterGetInputTensorCount(e->in);

    if (count < 0 || (size_t)count != x->input_count)
        return diag_fail(diag, STATUS_MISMATCH, "%d inputs, the case has %zu", count,
                         x->input_count);
    if (e->request.model && e->request.poison_word) /* of a file alone: some may be constants */
        poison_outputs(e);
    for (int32_t i = 0; i < count; i++) {
        TfLiteTensor *const t = e->api->InterpreterGetInputTensor(e->in, i);

        if (e->api->TensorByteSize(t) != x->inputs[i].bytes ||
            e->api->TensorType(t) != x->inputs[i].type ||
            (x->inputs[i].bytes > 0 && !e->api->TensorData(t)))
            return diag_fail(diag, STATUS_MISMATCH, "input %d: %zu bytes, the case has %zu", i,
                             e->api->TensorByteSize(t), x->inputs[i].bytes);
        if (x->inputs[i].bytes > 0)
            memcpy(e->api->TensorData(t), x->inputs[i].data[frame], x->inputs[i].bytes);
    }
    return STATUS_OK;
}

static enum status invoke(struct engine *base, struct diag *diag)
{
    struct tflite_c_engine *const e = of(base);

    e->message[0] = '\0';
    if (e->api->InterpreterInvoke(e->in) == kTfLiteOk)
        return STATUS_OK;
    return diag_fail(diag, STATUS_DEVICE, "%s",
                     e->message[0] ? e->message : "the runtime fails without a reason");
}

static enum status read_outputs(struct engine *base, struct outputs *got, struct diag *diag)
{
    struct tflite_c_engine *const e = of(base);
    const struct model *const m = e->request.model;
    const struct model_ints *const outputs = m ? &m->subgraphs[0].outputs : NULL;
    const int32_t count = e->api->InterpreterGetOutputTensorCount(e->in);

    *got = (struct outputs){ .count = 0 };
    if (outputs && (count < 0 || (size_t)count != outputs->count))
        return diag_fail(diag, STATUS_MISMATCH, "%d outputs, the model has %zu", count,
                         outputs->count);
    for (int32_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = e->api->InterpreterGetOutputTensor(e->in, i);
        const int32_t rank = e->api->TensorNumDims(t);
        int dims[REF_MAX_RANK];

        for (int32_t d = 0; d < rank && d < REF_MAX_RANK; d++)
            dims[d] = e->api->TensorDim(t, d);
        TRY(outputs_add(got,
                        &(struct output_view){ outputs ? outputs->data[i] : i,
                                               e->api->TensorType(t), rank, dims,
                                               e->api->TensorByteSize(t), e->api->TensorData(t) },
                        diag));
    }
    return STATUS_OK;
}

static enum status check(struct engine *base, const struct case_instance *x, int frame,
                         struct diag *diag)
{
    struct tflite_c_engine *const e = of(base);
    const struct model *const m = e->request.model;

    for (size_t i = 0; i < x->input_count; i++) {
        const TfLiteTensor *const t = e->api->InterpreterGetInputTensor(e->in, (int32_t)i);

        if (x->inputs[i].bytes > 0 &&
            memcmp(e->api->TensorData(t), x->inputs[i].data[frame], x->inputs[i].bytes) != 0 && m &&
            !engine_is_written_back(m, m->subgraphs[0].inputs.data[i]))
            return diag_fail(diag, STATUS_MISMATCH, "input %zu was written to", i);
    }
    for (size_t i = 0; i < e->place_count; i++)
        TRY(diag_prefix(diag, offset_memory_check(&e->places[i], diag), "written out of bounds"));
    if (memcmp(e->bytes, e->copy.bytes, e->file.count) != 0)
        return diag_fail(diag, STATUS_MISMATCH, "the model's constants were written to");
    return STATUS_OK;
}

static bool tensor(struct engine *base, bool output, size_t index, struct engine_tensor *t)
{
    const struct tflite_c_engine *const e = of(base);
    const struct tflite_c_api *const api = e->api;
    const TfLiteTensor *found;
    int32_t count;

    if (!e->in)
        return false;
    count = output ? api->InterpreterGetOutputTensorCount(e->in)
                   : api->InterpreterGetInputTensorCount(e->in);
    if (count < 0 || index >= (size_t)count)
        return false;
    found = output ? api->InterpreterGetOutputTensor(e->in, (int32_t)index)
                   : api->InterpreterGetInputTensor(e->in, (int32_t)index);
    *t = (struct engine_tensor){ .type = api->TensorType(found),
                                 .rank = api->TensorNumDims(found),
                                 .bytes = api->TensorByteSize(found) };
    for (int d = 0; d < t->rank && d < REF_MAX_RANK; d++)
        t->dims[d] = api->TensorDim(found, d);
    return true;
}

static enum status resize_open(struct engine *base, int axis, int32_t size, const bool *resized,
                               struct diag *diag)
{
    struct tflite_c_engine *const e = of(base);
    bool ok;

    e->message[0] = '\0';
    if (e->watched)
        delegate_watch_begin(&e->watch);
    ok = resize_inputs(e, axis, size, resized) &&
         e->api->InterpreterAllocateTensors(e->in) == kTfLiteOk;
    if (e->watched)
        delegate_watch_end(&e->watch);
    return ok ? STATUS_OK
              : diag_fail(diag, STATUS_DEVICE, "%s",
                          e->message[0] ? e->message : "the runtime fails without a reason");
}

/* The C API gives no memory of ours to tensors, so there are no guard words; an experimental
 * function does, where the library has it. */
static unsigned abilities(const struct subject *s)
{
    const struct tflite_c_api *const api = s->runtime;

    return ENGINE_POISON | ENGINE_RESIZE | ENGINE_RESET | ENGINE_NODES | ENGINE_RESIZE_OPEN |
           (api && api->set_custom ? ENGINE_OFFSET : 0) | (s->plugin ? ENGINE_DECLINE : 0);
}

static const struct engine_type engine_tflite_c = {
    .abilities_of = abilities,
    ENGINE_STEPS,
    .refusal = refusal,
    .reads_files = true,
    .tensor = tensor,
    .resize = resize_open,
};

/* ---- the kind ---- */

static enum status find(struct subject *s, const char *library, struct diag *diag)
{
    const char *const delegate = subject_option(s, "delegate");
    const char *const threads = subject_option(s, "threads");
    char *end_of_number;
    long count;

    if (threads) {
        errno = 0;
        count = strtol(threads, &end_of_number, 10);
        if (errno || !*threads || *end_of_number || count < 1 || count > 1024)
            return diag_fail(diag, STATUS_USAGE, "threads=%s: expected 1 to 1024", threads);
    }
    TRY(subject_find_file(&s->path, library, diag));
    if (delegate)
        TRY(subject_find_file(&s->plugin, delegate, diag));
    else if (s->option_count > (threads ? 1u : 0u))
        return diag_fail(diag, STATUS_USAGE, "without delegate=PATH its only key is threads");
    return subject_hash(s, diag);
}

static enum status load(struct subject *s, struct diag *diag)
{
    struct tflite_c_api *const api = mem_alloc(1, sizeof *api);
    enum status status;

    if (!api)
        return diag_fail(diag, STATUS_NO_MEMORY, "subject: out of memory");
    status = tflite_c_api_open(api, s->path, diag);
    if (status == STATUS_OK)
        s->runtime = api;
    else
        mem_free(api);
    return status;
}

static void unload(struct subject *s)
{
    tflite_c_api_close(s->runtime);
    mem_free(s->runtime);
    s->runtime = NULL;
}

static const char *const keys[] = { "delegate", "threads", NULL };

const struct subject_kind subject_kind_tflite_c = {
    .name = "tflite-c",
    .library = "PATH",
    .keys = keys,
    .takes_options = true,
    .shown = true,
    .engine = &engine_tflite_c,
    .find = find,
    .load = load,
    .unload = unload,
};

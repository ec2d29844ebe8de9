/* The API compiles a model for fixed shapes and has no reset of variables: another batch is another
 * file, and a reset compiles anew. */
#include "conformance/suite/subject/engine.h"

#include "conformance/suite/subject/litert_model.h"
#include "conformance/suite/subject/model_adapt.h"
#include "conformance/suite/subject/offset_memory.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"

#include <string.h>

struct litert_engine {
    struct engine base;
    const struct litert *litert;
    const struct model *model;
    uint32_t poison_word;
    struct tflite_file file, copy; /* copy: shows whether the file was written to */
    const uint8_t *bytes;          /* of the file, as LiteRT gets them */
    size_t offset_bytes;
    void *moved; /* owns the bytes where they lie at an offset */
    struct litert_model compiled;
};

static struct litert_engine *of(struct engine *e)
{
    return (struct litert_engine *)e;
}

/* ---- opening ---- */

static enum status check_type(const struct litert_engine *e, const struct litert_io *io, int tensor,
                              const char *what, size_t index, struct diag *diag)
{
    const int32_t type = e->model->subgraphs[0].tensors[tensor].type;
    const TfLiteType expected = tensor_type_runtime(type);

    return io->type.element_type == (int32_t)expected
               ? STATUS_OK
               : diag_fail(diag, STATUS_MISMATCH, "LiteRT gives %s %zu the type %s, the model %s",
                           what, index, runtime_type_name((TfLiteType)io->type.element_type),
                           runtime_type_name(expected));
}

static enum status check_types(const struct litert_engine *e, struct diag *diag)
{
    const struct model_subgraph *const graph = &e->model->subgraphs[0];
    const struct litert_model *const m = &e->compiled;

    for (size_t i = 0; i < m->input_count; i++)
        TRY(check_type(e, &m->inputs[i], graph->inputs.data[i], "input", i, diag));
    for (size_t i = 0; i < m->output_count; i++)
        TRY(check_type(e, &m->outputs[i], graph->outputs.data[i], "output", i, diag));
    return STATUS_OK;
}

static enum status compile(struct litert_engine *e, struct diag *diag)
{
    const struct model_subgraph *const graph = e->model ? &e->model->subgraphs[0] : NULL;
    const struct litert_source source = { e->bytes, e->file.count,
                                          graph ? graph->inputs.count : LITERT_IO_ANY,
                                          graph ? graph->outputs.count : LITERT_IO_ANY,
                                          e->offset_bytes };

    TRY(litert_model_open(&e->compiled, e->litert, &source, diag));
    return e->compiled.refusal[0] || !graph ? STATUS_OK : check_types(e, diag);
}

static void end(struct engine *e)
{
    litert_model_close(&of(e)->compiled);
    mem_free(of(e)->moved);
    mem_free(of(e)->file.bytes);
    mem_free(of(e)->copy.bytes);
    mem_free(e);
}

static enum status open_model(const struct engine_request *request, struct engine **out,
                              struct diag *diag)
{
    struct litert_engine *const e = mem_alloc(1, sizeof *e);
    enum status s;

    if (!e)
        return diag_fail(diag, STATUS_NO_MEMORY, "litert: out of memory");
    e->base.type = &engine_litert;
    e->litert = request->subject->runtime;
    e->model = request->model;
    e->poison_word = request->poison_word;
    e->offset_bytes = request->offset_bytes;
    s = request->model ? model_adapt_write(request, &e->file, diag)
                       : tflite_file_copy(&e->file, request->file, diag);
    e->bytes = e->file.bytes;
    if (s == STATUS_OK && e->offset_bytes > 0)
        s = offset_file_open(&e->moved, &e->bytes, &e->file, e->offset_bytes, diag);
    if (s == STATUS_OK)
        s = tflite_file_copy(&e->copy, &e->file, diag);
    if (s == STATUS_OK)
        s = compile(e, diag);
    if (s != STATUS_OK)
        end(&e->base);
    else
        *out = &e->base;
    return s;
}

static bool is_taken(struct engine *e, int node)
{
    (void)node;
    return !of(e)->compiled.refusal[0];
}

static const char *refusal(struct engine *e)
{
    return of(e)->compiled.refusal;
}

static enum status reset(struct engine *e, struct diag *diag)
{
    if (!of(e)->model || engine_count_variables(of(e)->model) == 0)
        return STATUS_OK;
    litert_model_close(&of(e)->compiled);
    return compile(of(e), diag);
}

/* ---- inference ---- */

static enum status write_frame(struct engine *e, const struct case_instance *x, int frame,
                               struct diag *diag)
{
    struct litert_model *const m = &of(e)->compiled;

    if (m->input_count != x->input_count)
        return diag_fail(diag, STATUS_MISMATCH, "%zu inputs, the case has %zu", m->input_count,
                         x->input_count);
    for (size_t i = 0; i < m->input_count; i++) {
        if (m->inputs[i].bytes != x->inputs[i].bytes)
            return diag_fail(diag, STATUS_MISMATCH,
                             "LiteRT gives input %zu %zu bytes, the case has %zu", i,
                             m->inputs[i].bytes, x->inputs[i].bytes);
        TRY(diag_prefix(diag,
                        litert_io_write(m->litert, &m->inputs[i], x->inputs[i].data[frame], diag),
                        "input %zu", i));
    }
    return STATUS_OK;
}

static enum status write_inputs(struct engine *e, const struct case_instance *x, int frame,
                                struct diag *diag)
{
    struct litert_model *const m = &of(e)->compiled;

    TRY(write_frame(e, x, frame, diag));
    for (size_t i = 0; i < m->output_count; i++)
        TRY(diag_prefix(diag, litert_io_fill(m->litert, &m->outputs[i], of(e)->poison_word, diag),
                        "output %zu", i));
    return STATUS_OK;
}

static enum status invoke(struct engine *e, struct diag *diag)
{
    return litert_model_run(&of(e)->compiled, diag);
}

/* A lock of an output waits until it is in the host's memory. */
static enum status round_trip(struct engine *e, const struct case_instance *x, struct diag *diag)
{
    struct litert_model *const m = &of(e)->compiled;

    TRY(write_frame(e, x, 0, diag));
    TRY(litert_model_run_timed(m, diag));
    for (size_t i = 0; i < m->output_count; i++)
        TRY(diag_prefix(diag, litert_io_fetch(m->litert, &m->outputs[i], diag), "output %zu", i));
    return STATUS_OK;
}

static enum status read_output(struct litert_model *m, size_t index,
                               const struct litert_layout *shape, int tensor, struct outputs *got,
                               struct diag *diag)
{
    struct litert_io *const io = &m->outputs[index];

    if (shape->rank > REF_MAX_RANK || shape->rank > LITERT_RANK_MAX)
        return diag_fail(diag, STATUS_MISMATCH, "output %zu: rank %u, at most %d", index,
                         (unsigned)shape->rank, REF_MAX_RANK);
    got->items[index].tensor = tensor;
    got->items[index].type = (TfLiteType)io->type.element_type;
    got->items[index].rank = (int)shape->rank;
    memcpy(got->items[index].dims, shape->dimensions, shape->rank * sizeof(int));
    got->items[index].bytes = io->bytes;
    got->items[index].data = mem_alloc(io->bytes, 1);
    if (!got->items[index].data)
        return diag_fail(diag, STATUS_NO_MEMORY, "output %zu: out of memory", index);
    got->count = index + 1;
    return diag_prefix(diag, litert_io_read(m->litert, io, got->items[index].data, diag),
                       "output %zu", index);
}

static enum status read_outputs(struct engine *e, struct outputs *got, struct diag *diag)
{
    const struct model *const model = of(e)->model;
    struct litert_model *const m = &of(e)->compiled;
    struct litert_layout shapes[LITERT_IO_MAX] = { { 0 } };
    enum status s;

    *got = (struct outputs){ .count = 0 };
    s = litert_model_shapes(m, shapes, diag);
    for (size_t i = 0; i < m->output_count && s == STATUS_OK; i++)
        s = read_output(m, i, &shapes[i], model ? model->subgraphs[0].outputs.data[i] : (int)i, got,
                        diag);
    if (s != STATUS_OK)
        outputs_close(got);
    return s;
}

/* ---- what must be left alone ---- */

static enum status check_input(struct litert_engine *e, const struct case_instance *x, int frame,
                               size_t index, struct diag *diag)
{
    struct litert_io *const io = &e->compiled.inputs[index];
    uint8_t *const now = mem_alloc(io->bytes, 1);
    enum status s;

    if (!now)
        return diag_fail(diag, STATUS_NO_MEMORY, "input %zu: out of memory", index);
    s = litert_io_read(e->litert, io, now, diag);
    if (s == STATUS_OK && io->bytes > 0 &&
        memcmp(now, x->inputs[index].data[frame], io->bytes) != 0)
        s = diag_fail(diag, STATUS_MISMATCH, "input %zu was written to", index);
    mem_free(now);
    return s;
}

static enum status check(struct engine *e, const struct case_instance *x, int frame,
                         struct diag *diag)
{
    struct litert_engine *const l = of(e);
    struct litert_model *const m = &l->compiled;

    for (size_t i = 0; i < m->input_count; i++)
        TRY(litert_io_check(&m->inputs[i], "input", i, diag));
    for (size_t i = 0; i < m->output_count; i++)
        TRY(litert_io_check(&m->outputs[i], "output", i, diag));
    for (size_t i = 0; i < m->input_count; i++) {
        if (l->model && !engine_is_written_back(l->model, l->model->subgraphs[0].inputs.data[i]))
            TRY(check_input(l, x, frame, i, diag));
    }
    if (memcmp(l->bytes, l->copy.bytes, l->file.count) != 0)
        return diag_fail(diag, STATUS_MISMATCH, "the model's constants were written to");
    return STATUS_OK;
}

static bool tensor(struct engine *e, bool output, size_t index, struct engine_tensor *t)
{
    const struct litert_model *const m = &of(e)->compiled;
    const struct litert_io *const io = output ? &m->outputs[index] : &m->inputs[index];

    if (m->refusal[0] || index >= (output ? m->output_count : m->input_count))
        return false;
    *t = (struct engine_tensor){ .type = (TfLiteType)io->type.element_type,
                                 .rank = (int)io->type.layout.rank,
                                 .bytes = io->bytes };
    for (int d = 0; d < t->rank && d < REF_MAX_RANK && d < LITERT_RANK_MAX; d++)
        t->dims[d] = io->type.layout.dimensions[d];
    return true;
}

static size_t bytes(struct engine *e)
{
    return litert_model_bytes(&of(e)->compiled);
}

static bool guards(struct engine *e, uint8_t byte)
{
    struct litert_model *const m = &of(e)->compiled;

    for (size_t i = 0; i < m->input_count; i++)
        litert_io_set_guards(&m->inputs[i], byte);
    for (size_t i = 0; i < m->output_count; i++)
        litert_io_set_guards(&m->outputs[i], byte);
    return true;
}

/* Buffers that an accelerator allocates have no guard words; the CPU's are ours. */
static unsigned abilities(const struct subject *s)
{
    const char *const buffers = subject_option(s, "buffers");
    const bool ours = buffers && strcmp(buffers, "auto") != 0 ? strcmp(buffers, "host") == 0
                                                              : strcmp(s->what, "cpu") == 0;

    return ENGINE_POISON | ENGINE_RESIZE | (ours ? ENGINE_GUARDS | ENGINE_OFFSET : 0);
}

const struct engine_type engine_litert = {
    .abilities_of = abilities,
    ENGINE_STEPS,
    .refusal = refusal,
    .reads_files = true,
    .tensor = tensor,
    .round_trip = round_trip,
    .bytes = bytes,
    .guards = guards,
};

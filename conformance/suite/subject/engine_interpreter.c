/* Runs models in our interpreter, with guard words and poison round every tensor. */
#include "conformance/suite/subject/engine_interpreter.h"

#include "reference/base/memory.h"

#include <string.h>

enum { GUARD_BYTES = 64 };

_Static_assert((int)ENGINE_GUARD_NAN == (int)INTERPRETER_GUARD_BYTE,
               "an opened engine's guard words");

struct interpreter_engine {
    struct engine base;
    const struct subject *subject;
    const struct model *model;
    struct interpreter *in;
};

static struct interpreter_engine *of(struct engine *e)
{
    return (struct interpreter_engine *)e;
}

static enum status resize(struct interpreter *in, const struct engine_request *request,
                          struct diag *diag)
{
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; request->batch && i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, inputs[i]);
        int32_t dims[REF_MAX_RANK];

        if (!request->resized[i])
            continue;
        for (int d = 0; d < t->dims->size; d++)
            dims[d] = d == 0 ? request->batch : t->dims->data[d];
        TRY(interpreter_resize_input(in, inputs[i], dims, t->dims->size, diag));
    }
    return STATUS_OK;
}

enum status engine_interpreter_start(const struct engine_request *request,
                                     const struct interpreter_options *options,
                                     struct interpreter **in, struct diag *diag)
{
    enum status s;

    *in = NULL;
    TRY(interpreter_open(in, request->model, options, diag));
    s = resize(*in, request, diag);
    if (s == STATUS_OK && request->delegate)
        s = interpreter_apply_delegate(*in, request->delegate, NULL, diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(*in, diag);
    if (s != STATUS_OK) {
        interpreter_close(*in);
        *in = NULL;
    }
    return s;
}

static enum status engine_start(const struct engine_request *request, struct engine **out,
                                struct diag *diag)
{
    const struct interpreter_options options = {
        .guard_bytes = GUARD_BYTES,
        .offset_bytes = request->offset_bytes,
        .poison = true,
        .poison_word = request->poison_word,
        .num_threads = -1,
        .report = request->report,
        .report_user = request->report_user,
    };
    struct interpreter_engine *const e = mem_alloc(1, sizeof *e);
    enum status s;

    if (!e)
        return diag_fail(diag, STATUS_NO_MEMORY, "interpreter: out of memory");
    *e = (struct interpreter_engine){ .base = { &engine_interpreter },
                                      .subject = request->subject,
                                      .model = request->model };
    s = engine_interpreter_start(request, &options, &e->in, diag);
    if (s != STATUS_OK) {
        mem_free(e);
        return s;
    }
    *out = &e->base;
    return STATUS_OK;
}

static void engine_end(struct engine *e)
{
    interpreter_close(of(e)->in);
    mem_free(e);
}

/* Without a delegate the reference itself is the subject, and runs every node. */
static bool is_taken(struct engine *e, int node)
{
    return !of(e)->subject->path || interpreter_node_partition(of(e)->in, node) >= 0;
}

static enum status reset(struct engine *e, struct diag *diag)
{
    (void)diag;
    return interpreter_reset_state(of(e)->in);
}

static enum status write_inputs(struct engine *e, const struct case_instance *x, int frame,
                                struct diag *diag)
{
    return inputs_write(of(e)->in, x, frame, diag);
}

static enum status invoke(struct engine *e, struct diag *diag)
{
    return interpreter_invoke(of(e)->in, diag);
}

static enum status read_outputs(struct engine *e, struct outputs *got, struct diag *diag)
{
    return outputs_copy(got, of(e)->in, diag);
}

static enum status check(struct engine *e, const struct case_instance *x, int frame,
                         struct diag *diag)
{
    struct interpreter *const in = of(e)->in;
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    TRY(diag_prefix(diag, interpreter_check_guards(in, diag), "written out of bounds"));
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const input = interpreter_tensor(in, inputs[i]);

        if (input->bytes > 0 &&
            memcmp(input->data.raw, x->inputs[i].data[frame], input->bytes) != 0 &&
            !engine_is_written_back(of(e)->model, inputs[i]))
            return diag_fail(diag, STATUS_MISMATCH, "input %zu was written to", i);
    }
    return STATUS_OK;
}

static size_t bytes(struct engine *e)
{
    return interpreter_arena_bytes(of(e)->in);
}

static void guards(struct engine *e, uint8_t byte)
{
    interpreter_set_guards(of(e)->in, byte);
}

const struct engine_type engine_interpreter = {
    .abilities = ENGINE_ABILITIES,
    .open = engine_start,
    .close = engine_end,
    .is_taken = is_taken,
    .reset = reset,
    .write = write_inputs,
    .invoke = invoke,
    .read = read_outputs,
    .check = check,
    .bytes = bytes,
    .guards = guards,
};

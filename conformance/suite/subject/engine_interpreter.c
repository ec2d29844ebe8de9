/* Runs models in our interpreter, with guard words and poison round every tensor. */
#include "conformance/suite/subject/engine.h"

#include "conformance/suite/subject/delegate_watch.h"
#include "conformance/suite/subject/offset_memory.h"
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
    struct delegate_watch watch; /* where nodes are kept from the delegate */
    struct offset_model moved;   /* the model with its constants, where these are moved */
};

static struct interpreter_engine *of(struct engine *e)
{
    return (struct interpreter_engine *)e;
}

static enum status resize(struct interpreter *in, int axis, int32_t size, const bool *resized,
                          struct diag *diag)
{
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, inputs[i]);
        int32_t dims[REF_MAX_RANK];

        if (!resized[i])
            continue;
        for (int d = 0; d < t->dims->size; d++)
            dims[d] = d == axis ? size : t->dims->data[d];
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
    s = request->batch ? resize(*in, request->axis, request->batch, request->resized, diag)
                       : STATUS_OK;
    if (s == STATUS_OK && request->delegate)
        s = interpreter_offer_delegate(*in, request->delegate, diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(*in, diag);
    if (s != STATUS_OK) {
        interpreter_close(*in);
        *in = NULL;
    }
    return s;
}

/* ---- opening ---- */

static void end(struct engine *base)
{
    struct interpreter_engine *const e = of(base);

    interpreter_close(e->in);
    offset_model_close(&e->moved);
    delegate_watch_close(&e->watch);
    mem_free(e);
}

static enum status start(struct interpreter_engine *e, const struct engine_request *request,
                         const struct interpreter_options *options, struct diag *diag)
{
    struct engine_request q = *request;
    enum status s;

    if (q.offset_bytes > 0) {
        TRY(offset_model_open(&e->moved, q.model, q.offset_bytes, diag));
        q.model = &e->moved.model;
    }
    e->watch = (struct delegate_watch){ .delegate = q.delegate,
                                        .declined_first = q.declined_first,
                                        .declined_count = q.delegate ? q.declined_count : 0 };
    if (e->watch.declined_count > 0)
        delegate_watch_begin(&e->watch);
    s = engine_interpreter_start(&q, options, &e->in, diag);
    if (e->watch.declined_count > 0)
        delegate_watch_end(&e->watch);
    return s;
}

static enum status open_model(const struct engine_request *request, struct engine **out,
                              struct diag *diag)
{
    const struct interpreter_options options = {
        .guard_bytes = GUARD_BYTES,
        .offset_bytes = request->offset_bytes,
        .poison = true,
        .poison_word = request->poison_word,
        .num_threads = -1,
        .stand_in = request->stand_in,
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
    s = start(e, request, &options, diag);
    if (s == STATUS_OK)
        *out = &e->base;
    else
        end(&e->base);
    return s;
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

static bool tensor(struct engine *e, bool output, size_t index, struct engine_tensor *t)
{
    struct interpreter *const in = of(e)->in;
    size_t count;
    const int *const list =
        output ? interpreter_outputs(in, &count) : interpreter_inputs(in, &count);
    const TfLiteTensor *const found = index < count ? interpreter_tensor(in, list[index]) : NULL;

    if (!found)
        return false;
    *t = (struct engine_tensor){ .type = found->type,
                                 .rank = found->dims->size,
                                 .bytes = found->bytes };
    for (int d = 0; d < t->rank && d < REF_MAX_RANK; d++)
        t->dims[d] = found->dims->data[d];
    return true;
}

static size_t bytes(struct engine *e)
{
    return interpreter_arena_bytes(of(e)->in);
}

static bool guards(struct engine *e, uint8_t byte)
{
    interpreter_set_guards(of(e)->in, byte);
    return true;
}

static enum status resize_open(struct engine *e, int axis, int32_t size, const bool *resized,
                               struct diag *diag)
{
    TRY(resize(of(e)->in, axis, size, resized, diag));
    return interpreter_allocate(of(e)->in, diag);
}

/* Without a delegate there is nobody to keep nodes from. */
static unsigned abilities(const struct subject *s)
{
    return s->path ? ENGINE_ABILITIES : ENGINE_ABILITIES & ~(unsigned)ENGINE_DECLINE;
}

const struct engine_type engine_interpreter = {
    .abilities_of = abilities,
    ENGINE_STEPS,
    .tensor = tensor,
    .bytes = bytes,
    .guards = guards,
    .resize = resize_open,
};

/* A block that the host gives for several inferences is imported: the device reads inputs from it
 * and writes outputs to it.  The first inference with another block costs a new import and a new
 * recording, so that a host whose blocks change all the time gets copies instead. */
#include "delegate/runtime/kernel_memory.h"

#include "delegate/vulkan/external.h"

/* After a change that came sooner, this many inferences in a row with one block import it. */
enum { REPEATS_TO_IMPORT = 3 };

/* The inputs and outputs of a kernel are numbered, inputs first. */
static int io_count(const struct kernel *k)
{
    return k->plan.input_count + k->plan.output_count;
}

static bool is_output(const struct kernel *k, int n)
{
    return n >= k->plan.input_count;
}

static struct kernel_io *io_at(struct kernel *k, int n)
{
    return is_output(k, n) ? &k->outputs[n - k->plan.input_count] : &k->inputs[n];
}

static struct plan_io *planned(struct kernel *k, int n)
{
    return is_output(k, n) ? &k->plan.outputs[n - k->plan.input_count] : &k->plan.inputs[n];
}

static void set_backing(struct kernel *k, int n)
{
    struct recording *r = &k->executor.recording;
    const struct kernel_io *io = io_at(k, n);
    const struct io_binding *b = &io->bound;

    *(is_output(k, n) ? &r->outputs[n - k->plan.input_count] : &r->inputs[n]) =
        (struct executor_io){ b->external.buffer, b->offset, b->external.foreign };
    planned(k, n)->backing = !b->on                            ? BACKING_STAGING
                             : io->block                       ? BACKING_HOST
                             : b->layout == ASSAY_LAYOUT_DENSE ? BACKING_DENSE
                                                               : BACKING_SLICES;
}

void kernel_set_backing(struct kernel *k, bool output, int i)
{
    set_backing(k, output ? k->plan.input_count + i : i);
}

/* ---- import ---- */

/* A variable of the model is an input and an output of one partition. */
static bool is_variable(struct kernel *k, int n)
{
    for (int i = 0; i < io_count(k); i++)
        if (i != n && planned(k, i)->tensor == planned(k, n)->tensor)
            return true;
    return false;
}

/* Whether the device can use the host's memory as it is. */
static bool is_importable(struct kernel *k, int n)
{
    const struct plan_io *io = planned(k, n);

    return !k->cannot_import && k->owner->device->limits.host_pointer_alignment > 0 &&
           io->plan_tensor >= 0 && io->float_view.type == kTfLiteNoType && !is_variable(k, n);
}

/* Whether an inference accesses the block by another input or output, and one of them is written.
 */
static bool is_shared(struct kernel *k, int n, const struct host_block *block)
{
    for (int i = 0; i < io_count(k); i++)
        if (i != n && io_at(k, i)->memory.block == block && (is_output(k, i) || is_output(k, n)))
            return true;
    return false;
}

/* Keeps account of how steady the host's blocks are, and returns the one to import; NULL: copy. */
static struct host_block *choose_block(struct kernel *k, int n)
{
    struct kernel_io *io = io_at(k, n);
    struct host_block *const block = io->memory.block;

    if (!block || !is_importable(k, n) || is_shared(k, n, block))
        return NULL;
    if (block == io->last) {
        io->repeats++;
    } else {
        io->restless = io->last && io->repeats < REPEATS_TO_IMPORT;
        io->repeats = 0;
    }
    io->last = block;
    return io->restless && io->repeats < REPEATS_TO_IMPORT ? NULL : block;
}

/* The caller of assay_gpu_bind_buffer_to_tensor has bound it. */
static bool is_bound_by_caller(const struct kernel_io *io)
{
    return io->bound.on && !io->block;
}

static void unbind(struct kernel *k, int n)
{
    struct kernel_io *io = io_at(k, n);

    io_binding_close(&io->bound, k->owner->device);
    host_block_release(io->block);
    io->block = NULL;
    set_backing(k, n);
}

static void bind(struct kernel *k, int n, struct host_block *block)
{
    struct kernel_io *io = io_at(k, n);
    struct io_binding b = {
        .on = true, .layout = ASSAY_LAYOUT_DENSE, .owned = true, .bytes = block->bytes
    };

    if (external_import_host(&b.external, k->owner->device, block->data, block->bytes, NULL) !=
        STATUS_OK) {
        io_binding_close(&b, k->owner->device);
        k->cannot_import = true;
        return;
    }
    host_block_hold(block);
    io->bound = b;
    io->block = block;
    set_backing(k, n);
}

/* Imports what has changed.  When the new recording fails, nothing is imported any more. */
static enum status bind_all(struct kernel *k, struct diag *diag)
{
    bool changed = false;

    for (int n = 0; n < io_count(k); n++) {
        struct kernel_io *io = io_at(k, n);
        struct host_block *block;

        if (is_bound_by_caller(io) || (block = choose_block(k, n)) == io->block)
            continue;
        changed = true;
        if (io->block)
            unbind(k, n);
        if (block)
            bind(k, n, block);
    }
    if (!changed || kernel_replan(k, NULL) == STATUS_OK)
        return STATUS_OK;
    k->cannot_import = true;
    for (int n = 0; n < io_count(k); n++)
        if (io_at(k, n)->block)
            unbind(k, n);
    return kernel_replan(k, diag);
}

/* ---- an inference ---- */

static enum status open_memory(struct kernel *k, TfLiteContext *context, int n, struct diag *diag)
{
    struct host_source *source = k->owner->source;
    struct kernel_io *io = io_at(k, n);
    const struct plan_io *p = planned(k, n);
    const char *const what = is_output(k, n) ? "output" : "input";
    const TfLiteTensor *t;

    if ((size_t)p->tensor >= context->tensors_size)
        return STATUS_OK;
    t = &context->tensors[p->tensor];
    if (t->data.raw)
        return STATUS_OK;
    TRY(source->open(source, context, t, is_output(k, n), &io->memory, diag));
    if (io->memory.data && io->memory.bytes < p->bytes)
        return diag_fail(diag, STATUS_INVALID,
                         "%s: tensor %d '%s': expected a buffer of at least %zu bytes, found %zu",
                         what, p->tensor, t->name ? t->name : "", p->bytes, io->memory.bytes);
    return STATUS_OK;
}

enum status kernel_memory_open(struct kernel *k, TfLiteContext *context, struct diag *diag)
{
    if (!k->owner->source)
        return STATUS_OK;
    for (int n = 0; n < io_count(k); n++)
        TRY(open_memory(k, context, n, diag));
    return STATUS_OK;
}

enum status kernel_memory_bind(struct kernel *k, struct diag *diag)
{
    return k->owner->source ? bind_all(k, diag) : STATUS_OK;
}

void kernel_memory_close(struct kernel *k)
{
    struct host_source *source = k->owner->source;

    for (int n = 0; source && n < io_count(k); n++) {
        struct host_memory *m = &io_at(k, n)->memory;

        if (m->held)
            source->close(source, m);
        *m = (struct host_memory){ .data = NULL };
    }
}

#include "delegate/api/litert_buffers.h"

#include "delegate/runtime/pending.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"

#include <stdatomic.h>
#include <string.h>

/* ---- buffers ---- */

/* litert_memory.handle is the block; it may outlive the buffer, while a kernel has imported it. */
static struct host_block *block_of(const struct litert_memory *memory)
{
    struct host_block *b = memory ? memory->handle : NULL;

    return host_block_is_ours(b) ? b : NULL;
}

int litert_memory_create(void *device, void *queue, const void *tensor_type, int type, size_t bytes,
                         size_t packed_bytes, struct litert_memory **memory)
{
    struct litert_memory *m;
    struct host_block *b;

    (void)device;
    (void)queue;
    (void)tensor_type;
    if (type != LITERT_BUFFER_ASSAY || !memory)
        return LITERT_INVALID_ARGUMENT;
    m = mem_alloc(1, sizeof *m);
    b = m ? host_block_make(bytes > packed_bytes ? bytes : packed_bytes) : NULL;
    if (!b) {
        mem_free(m);
        return LITERT_NO_MEMORY;
    }
    *m = (struct litert_memory){ b, b->data };
    *memory = m;
    return LITERT_OK;
}

int litert_memory_destroy(struct litert_memory *memory)
{
    struct host_block *b = block_of(memory);

    if (!b)
        return LITERT_INVALID_ARGUMENT;
    host_block_release(b);
    mem_free(memory);
    return LITERT_OK;
}

/* The host writes and reads the memory as it is: imported memory is coherent. */
int litert_memory_lock(struct litert_memory *memory, int mode, void **address)
{
    struct host_block *b = block_of(memory);

    (void)mode;
    if (!b || !address)
        return LITERT_INVALID_ARGUMENT;
    *address = b->data;
    return LITERT_OK;
}

int litert_memory_unlock(struct litert_memory *memory)
{
    return block_of(memory) ? LITERT_OK : LITERT_INVALID_ARGUMENT;
}

int litert_memory_clear(struct litert_memory *memory)
{
    struct host_block *b = block_of(memory);

    if (!b)
        return LITERT_INVALID_ARGUMENT;
    memset(b->data, 0, b->bytes);
    return LITERT_OK;
}

/* ---- source ---- */

struct litert_source {
    struct host_source base;
    const struct litert_runtime *runtime; /* LiteRT's; never freed */
};

static const struct litert_runtime *runtime_of(const struct host_source *source)
{
    return ((const struct litert_source *)source)->runtime;
}

static enum status call_failed(struct diag *diag, const char *call, int status,
                               const TfLiteTensor *t)
{
    return diag_fail(diag, STATUS_INVALID, "tensor '%s': LiteRT's %s failed with status %d",
                     t->name ? t->name : "", call, status);
}

/* LiteRT's register of buffers for the interpreter; NULL: it has none. */
static void *buffers_of(TfLiteContext *context)
{
    return context->GetExternalContext ? context->GetExternalContext(context, LITERT_BUFFER_CONTEXT)
                                       : NULL;
}

static enum status announce(struct host_source *source, TfLiteContext *context,
                            const TfLiteTensor *t, struct diag *diag)
{
    static const int types[] = { LITERT_BUFFER_ASSAY, LITERT_BUFFER_HOST_MEMORY };
    const struct litert_runtime *r = runtime_of(source);
    void *const buffers = buffers_of(context);
    litert_handle requirements = NULL;
    int s;

    if (!buffers)
        return STATUS_OK;
    s = r->create_requirements(sizeof types / sizeof types[0], types, t->bytes, 0, NULL,
                               &requirements);
    if (s != LITERT_OK)
        return call_failed(diag, "create_tensor_buffer_requirements", s, t);
    /* LiteRT takes the requirements, also when it fails. */
    s = r->register_requirements(buffers, t, requirements);
    return s == LITERT_OK ? STATUS_OK : call_failed(diag, "register_buffer_requirements", s, t);
}

static enum status wait_for_event(const struct litert_runtime *r, litert_handle buffer,
                                  const TfLiteTensor *t, struct diag *diag)
{
    litert_handle event;
    bool has = false;
    int s;

    if ((s = r->has_event(buffer, &has)) != LITERT_OK)
        return call_failed(diag, "has_tensor_buffer_event", s, t);
    if (!has)
        return STATUS_OK;
    if ((s = r->get_event(buffer, &event)) != LITERT_OK)
        return call_failed(diag, "get_tensor_buffer_event", s, t);
    s = r->wait_event(event, -1);
    return s == LITERT_OK ? STATUS_OK : call_failed(diag, "wait_event", s, t);
}

static enum status read_host_memory(const struct litert_runtime *r, litert_handle buffer,
                                    struct host_memory *m, const TfLiteTensor *t, struct diag *diag)
{
    size_t offset = 0;
    int s;

    if ((s = r->get_host_memory(buffer, &m->data)) != LITERT_OK)
        return call_failed(diag, "get_tensor_buffer_host_memory", s, t);
    if ((s = r->get_offset(buffer, &offset)) != LITERT_OK)
        return call_failed(diag, "get_tensor_buffer_offset", s, t);
    if (!m->data || offset > m->bytes)
        return diag_fail(diag, STATUS_INVALID,
                         "tensor '%s': LiteRT's buffer of %zu bytes at %p begins at byte %zu",
                         t->name ? t->name : "", m->bytes, m->data, offset);
    m->data = (char *)m->data + offset;
    m->bytes -= offset;
    return STATUS_OK;
}

static enum status read_block(const struct litert_runtime *r, litert_handle buffer,
                              struct host_memory *m, const TfLiteTensor *t, struct diag *diag)
{
    void *handle = NULL;
    const int s = r->get_custom_handle(buffer, &handle);

    if (s != LITERT_OK)
        return call_failed(diag, "get_tensor_buffer_custom_tensor_buffer_handle", s, t);
    if (!host_block_is_ours(handle))
        return diag_fail(diag, STATUS_INVALID,
                         "tensor '%s': its buffer of type %d was not made by this library",
                         t->name ? t->name : "", LITERT_BUFFER_ASSAY);
    m->block = handle;
    m->data = m->block->data;
    return STATUS_OK;
}

static enum status read_buffer(const struct litert_runtime *r, litert_handle buffer, bool output,
                               struct host_memory *m, const TfLiteTensor *t, struct diag *diag)
{
    int type = 0, s;

    if ((s = r->get_type(buffer, &type)) != LITERT_OK)
        return call_failed(diag, "get_tensor_buffer_type", s, t);
    if ((s = r->get_size(buffer, &m->bytes)) != LITERT_OK)
        return call_failed(diag, "get_tensor_buffer_size", s, t);
    if (!output)
        TRY(wait_for_event(r, buffer, t, diag));
    if (type == LITERT_BUFFER_HOST_MEMORY)
        return read_host_memory(r, buffer, m, t, diag);
    if (type == LITERT_BUFFER_ASSAY)
        return read_block(r, buffer, m, t, diag);
    return diag_fail(diag, STATUS_UNSUPPORTED,
                     "tensor '%s': expected a buffer of type %d or %d, found %d",
                     t->name ? t->name : "", LITERT_BUFFER_ASSAY, LITERT_BUFFER_HOST_MEMORY, type);
}

static enum status open_memory(struct host_source *source, TfLiteContext *context,
                               const TfLiteTensor *t, bool output, struct host_memory *m,
                               struct diag *diag)
{
    const struct litert_runtime *r = runtime_of(source);
    void *const buffers = buffers_of(context);
    litert_handle buffer = NULL;
    enum status s;

    *m = (struct host_memory){ .data = NULL };
    if (!buffers || r->get_buffer(buffers, t, &buffer) != LITERT_OK)
        return STATUS_OK;
    s = read_buffer(r, buffer, output, m, t, diag);
    m->held = buffer;
    if (s != STATUS_OK) {
        r->destroy_buffer(buffer);
        *m = (struct host_memory){ .data = NULL };
    }
    return s;
}

/* ---- events ---- */

/* An event on an output: LiteRT waits for it, and releases it with the buffer. */
struct output_event {
    struct litert_event base;
    atomic_int users;
    struct pending *pending;
};

static void retain_event(struct litert_event *e)
{
    atomic_fetch_add(&((struct output_event *)e)->users, 1);
}

static void release_event(struct litert_event *e)
{
    struct output_event *o = (struct output_event *)e;

    if (atomic_fetch_sub(&o->users, 1) > 1)
        return;
    pending_release(o->pending);
    mem_free(o);
}

/* LiteRT's function returns nothing: a limit of time could not be reported, and is not kept. */
static void wait_for_output(struct litert_event *e, int64_t timeout_ms)
{
    struct diag diag = { 0 };

    (void)timeout_ms;
    if (pending_wait(((struct output_event *)e)->pending, &diag) != STATUS_OK)
        clean_message("assay accelerator: ERROR: asynchronous run: ", diag.text);
}

static int is_signaled(struct litert_event *e)
{
    return pending_has_ended(((struct output_event *)e)->pending);
}

static void *get_native(struct litert_event *e)
{
    (void)e;
    return NULL;
}

static bool is_async(struct host_source *source, TfLiteContext *context)
{
    const struct litert_runtime *r = runtime_of(source);
    void *const buffers = buffers_of(context);
    bool async = false;

    return buffers && r->is_async && r->get_environment && r->create_event && r->set_custom_event &&
           r->set_event && r->is_async(buffers, &async) == LITERT_OK && async;
}

static enum status defer(struct host_source *source, TfLiteContext *context,
                         const struct host_memory *m, struct pending *p, struct diag *diag)
{
    const struct litert_runtime *r = runtime_of(source);
    struct output_event *o = mem_alloc(1, sizeof *o);
    litert_handle environment, event;

    if (!o)
        return diag_fail(diag, STATUS_NO_MEMORY, "event: out of memory");
    if (r->get_environment(buffers_of(context), &environment) != LITERT_OK ||
        r->create_event(environment, LITERT_EVENT_CUSTOM, &event) != LITERT_OK) {
        mem_free(o);
        return diag_fail(diag, STATUS_UNSUPPORTED, "LiteRT makes no custom event");
    }
    *o = (struct output_event){ .base = { retain_event, release_event, wait_for_output, is_signaled,
                                          get_native },
                                .pending = p };
    atomic_init(&o->users, 1);
    pending_hold(p);
    /* LiteRT's event owns ours once it has it; its buffer then owns that. */
    if (r->set_custom_event(event, &o->base) != LITERT_OK) {
        release_event(&o->base);
        return diag_fail(diag, STATUS_UNSUPPORTED, "LiteRT takes no custom event");
    }
    return r->set_event(m->held, event) == LITERT_OK
               ? STATUS_OK
               : diag_fail(diag, STATUS_UNSUPPORTED, "LiteRT's buffer takes no event");
}

/* The buffer was a reference of ours; LiteRT has its own. */
static void close_memory(struct host_source *source, struct host_memory *m)
{
    runtime_of(source)->destroy_buffer(m->held);
}

static void destroy(struct host_source *source)
{
    mem_free(source);
}

struct host_source *litert_source_make(const struct litert_runtime *runtime)
{
    struct litert_source *s = mem_alloc(1, sizeof *s);

    if (!s)
        return NULL;
    *s = (struct litert_source){ .base = { .announce = announce,
                                           .open = open_memory,
                                           .is_async = is_async,
                                           .defer = defer,
                                           .close = close_memory,
                                           .destroy = destroy },
                                 .runtime = runtime };
    return &s->base;
}

#include "delegate/tests/kit/litert_kit.h"

#include "delegate/runtime/kernel_callbacks.h"
#include "reference/runtime/state.h"

static struct litert_kit *kit; /* that is open */

/* Handles of options and opaque options; nothing reads what they point to. */
static char options_handle, opaque_handle, environment_handle;

struct requirements {
    int types[LITERT_TYPES], count;
    size_t bytes;
};

static struct litert_tensor *find(const TfLiteTensor *t)
{
    const ptrdiff_t i = t - kit->in->tensors;

    assert_in_range(i, 0, LITERT_TENSORS - 1);
    return &kit->tensors[i];
}

static int create_requirements(int type_count, const int *types, size_t bytes, int stride_count,
                               const uint32_t *strides, litert_handle *requirements)
{
    struct requirements *r = calloc(1, sizeof *r);

    assert_non_null(r);
    assert_in_range(type_count, 1, LITERT_TYPES);
    assert_int_equal(stride_count, 0);
    assert_null(strides);
    memcpy(r->types, types, (size_t)type_count * sizeof *types);
    r->count = type_count;
    r->bytes = bytes;
    *requirements = (litert_handle)r;
    return LITERT_OK;
}

static int register_requirements(void *buffers, const TfLiteTensor *t, litert_handle requirements)
{
    struct requirements *r CLOSED_BY(kit_free) = (struct requirements *)requirements;
    struct litert_tensor *to = find(t);

    assert_ptr_equal(buffers, kit);
    memcpy(to->types, r->types, sizeof to->types);
    to->type_count = r->count;
    to->bytes = r->bytes;
    to->announced++;
    return LITERT_OK;
}

static int get_buffer(void *buffers, const TfLiteTensor *t, litert_handle *buffer)
{
    struct litert_buffer *b = find(t)->buffer;

    assert_ptr_equal(buffers, kit);
    if (!b)
        return LITERT_NOT_FOUND;
    b->references++;
    *buffer = (litert_handle)b;
    return LITERT_OK;
}

static struct litert_buffer *buffer_of(litert_handle handle)
{
    return (struct litert_buffer *)handle;
}

static void destroy_buffer(litert_handle buffer)
{
    buffer_of(buffer)->references--;
}

static int get_type(litert_handle buffer, int *type)
{
    *type = buffer_of(buffer)->type;
    return LITERT_OK;
}

static int get_size(litert_handle buffer, size_t *bytes)
{
    *bytes = buffer_of(buffer)->bytes;
    return LITERT_OK;
}

static int get_offset(litert_handle buffer, size_t *offset)
{
    *offset = buffer_of(buffer)->offset;
    return LITERT_OK;
}

static int get_host_memory(litert_handle buffer, void **memory)
{
    *memory = buffer_of(buffer)->data;
    return LITERT_OK;
}

static int get_custom_handle(litert_handle buffer, void **handle)
{
    *handle = buffer_of(buffer)->memory->handle;
    return LITERT_OK;
}

static int has_event(litert_handle buffer, bool *has)
{
    *has = buffer_of(buffer)->has_event;
    return LITERT_OK;
}

/* A buffer has one event, whose handle is the buffer's. */
static int get_event(litert_handle buffer, litert_handle *event)
{
    *event = buffer;
    return LITERT_OK;
}

static int wait_event(litert_handle event, int64_t timeout_ms)
{
    struct litert_buffer *b = buffer_of(event);

    assert_int_equal(timeout_ms, -1);
    b->waits++;
    if (b->event)
        b->event->wait(b->event, timeout_ms);
    return LITERT_OK;
}

/* An event that LiteRT made for an accelerator. */
struct made_event {
    struct litert_event *custom;
};

static int create_event(litert_handle environment, int type, litert_handle *event)
{
    assert_ptr_equal(environment, &environment_handle);
    assert_int_equal(type, LITERT_EVENT_CUSTOM);
    *event = (litert_handle)calloc(1, sizeof(struct made_event));
    assert_non_null(*event);
    return LITERT_OK;
}

static int set_custom_event(litert_handle event, struct litert_event *custom)
{
    ((struct made_event *)event)->custom = custom;
    return LITERT_OK;
}

static int set_event(litert_handle buffer, litert_handle event)
{
    struct litert_buffer *b = buffer_of(buffer);

    if (b->event)
        b->event->release(b->event);
    b->event = ((struct made_event *)event)->custom;
    b->has_event = true;
    free(event);
    return LITERT_OK;
}

static int is_async(void *buffers, bool *async)
{
    assert_ptr_equal(buffers, kit);
    *async = kit->async;
    return LITERT_OK;
}

static int get_environment(void *buffers, litert_handle *environment)
{
    assert_ptr_equal(buffers, kit);
    *environment = (litert_handle)&environment_handle;
    return LITERT_OK;
}

static int get_opaque_options(litert_handle options, litert_handle *opaque)
{
    assert_ptr_equal(options, &options_handle);
    *opaque = (litert_handle)&opaque_handle;
    return LITERT_OK;
}

static int find_opaque_data(litert_handle opaque, const char *name, void **data)
{
    const char *text = strcmp(name, "gpu_options") == 0 ? kit->gpu_options
                       : strcmp(name, "assay_gpu") == 0 ? kit->our_options
                                                        : NULL;

    assert_ptr_equal(opaque, &opaque_handle);
    if (!text)
        return LITERT_NOT_FOUND;
    *data = (void *)(uintptr_t)text;
    return LITERT_OK;
}

/* The interpreter has no buffers of LiteRT's until the delegate prepares the graph. */
static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    kit->in = (struct interpreter *)context->impl_;
    context->SetExternalContext(context, LITERT_BUFFER_CONTEXT, (TfLiteExternalContext *)kit);
    return kit->prepare(context, delegate);
}

static int wrap_delegate(TfLiteDelegate *delegate, void (*deleter)(TfLiteDelegate *),
                         litert_handle *wrapper)
{
    kit->delegate = delegate;
    kit->deleter = deleter;
    if (kit->wrap_status != LITERT_OK)
        return kit->wrap_status;
    kit->prepare = delegate->Prepare;
    delegate->Prepare = prepare;
    *wrapper = (litert_handle)kit;
    return LITERT_OK;
}

void litert_kit_open(struct litert_kit *k)
{
    *k = (struct litert_kit){ .runtime = { .header = { .struct_size = 416, .major = 1, .minor = 2 },
                                           .create_requirements = create_requirements,
                                           .get_buffer = get_buffer,
                                           .register_requirements = register_requirements,
                                           .get_environment = get_environment,
                                           .is_async = is_async,
                                           .get_opaque_options = get_opaque_options,
                                           .find_opaque_data = find_opaque_data,
                                           .wrap_delegate = wrap_delegate,
                                           .destroy_buffer = destroy_buffer,
                                           .get_type = get_type,
                                           .get_size = get_size,
                                           .get_offset = get_offset,
                                           .get_host_memory = get_host_memory,
                                           .get_custom_handle = get_custom_handle,
                                           .has_event = has_event,
                                           .get_event = get_event,
                                           .set_event = set_event,
                                           .create_event = create_event,
                                           .set_custom_event = set_custom_event,
                                           .wait_event = wait_event } };
    kit = k;
}

void litert_kit_select(struct litert_kit *k)
{
    kit = k;
}

int litert_kit_create(struct litert_kit *k)
{
    litert_handle wrapper = NULL;
    const int s =
        LiteRtAcceleratorImpl.create_delegate(&k->runtime, (litert_handle)&environment_handle, NULL,
                                              (litert_handle)&options_handle, &wrapper);

    assert_true((s == LITERT_OK) == (wrapper != NULL));
    return s;
}

void litert_kit_load(struct litert_kit *k, const struct model *m)
{
    k->in = kit_open(m, k->delegate);
    assert_int_equal(interpreter_partition_count(k->in), 1);
}

/* Our interpreter has no tensors whose memory is not its own: the kernel is called as LiteRT calls
 * it, with the data pointers of such tensors NULL. */
TfLiteStatus litert_kit_run(struct litert_kit *k, struct litert_buffer *const *buffers, int count)
{
    char *data[LITERT_TENSORS] = { NULL };
    TfLiteNode *node = NULL;
    TfLiteStatus s;

    for (size_t i = 0; i < k->in->plan_count; i++)
        if (k->in->nodes[k->in->plan[i]]->abi.delegate)
            node = &k->in->nodes[k->in->plan[i]]->abi;
    assert_non_null(node);
    for (int i = 0; i < count; i++) {
        TfLiteTensor *t = interpreter_tensor(k->in, i);

        k->tensors[i].buffer = buffers[i];
        data[i] = t->data.raw;
        if (buffers[i])
            t->data.raw = NULL;
    }
    s = kernel_registration.invoke(&k->in->context, node);
    for (int i = 0; i < count; i++) {
        interpreter_tensor(k->in, i)->data.raw = data[i];
        if (buffers[i])
            assert_int_equal(buffers[i]->references, 0);
    }
    return s;
}

void litert_kit_close(struct litert_kit *k)
{
    if (k->in)
        interpreter_close(k->in);
    if (k->delegate)
        k->deleter(k->delegate);
    kit = NULL;
}

/* ---- buffers ---- */

struct litert_buffer litert_buffer_make(size_t bytes)
{
    struct litert_buffer b = { .type = LITERT_BUFFER_ASSAY, .bytes = bytes };

    assert_int_equal(LiteRtAcceleratorImpl.buffers.create(NULL, NULL, NULL, LITERT_BUFFER_ASSAY,
                                                          bytes, bytes, &b.memory),
                     LITERT_OK);
    return b;
}

void litert_buffer_close(struct litert_buffer *b)
{
    if (b->event)
        b->event->release(b->event);
    if (b->memory)
        assert_int_equal(LiteRtAcceleratorImpl.buffers.destroy(b->memory), LITERT_OK);
}

float *litert_buffer_floats(struct litert_buffer *b)
{
    void *address = NULL;

    assert_int_equal(LiteRtAcceleratorImpl.buffers.lock(b->memory, 0, &address), LITERT_OK);
    assert_int_equal(LiteRtAcceleratorImpl.buffers.unlock(b->memory), LITERT_OK);
    return address;
}

#include "reference/tests/kit/mock_delegate.h"

struct mock_node {
    const struct ref_op *op;
    int index;
    int32_t version;
    union {
        double align;
        unsigned char bytes[REF_PARAMS_MAX_BYTES];
    } params;
    TfLiteTensor *in[8], *out[4];
    int in_count, out_count;
};

struct mock_kernel {
    struct mock *mock;
    const TfLiteDelegateParams *params;
    struct mock_node *nodes;
    int node_count;
    size_t tensor_count;
    TfLiteTensor *tensors; /* a view of the graph's, with own dims and data */
    int handles[MOCK_SLOTS];
    int temporary;
    int number;
};

void mock_note(struct mock *m, char event)
{
    assert_true(m->logged + 1 < MOCK_LOG);
    m->log[m->logged++] = event;
    m->log[m->logged] = '\0';
}

void mock_clear_log(struct mock *m)
{
    m->logged = 0;
    m->log[0] = '\0';
}

bool mock_has(const TfLiteIntArray *a, int value)
{
    for (int i = 0; i < a->size; i++)
        if (a->data[i] == value)
            return true;
    return false;
}

TfLiteIntArray *mock_ints(int count, const int *data)
{
    TfLiteIntArray *a = malloc(sizeof *a + (size_t)count * sizeof(int));

    assert_non_null(a);
    a->size = count;
    if (count > 0)
        memcpy(a->data, data, (size_t)count * sizeof(int));
    return a;
}

/* ---- the kernel ---- */

static void mock_copy_node(struct mock_kernel *k, TfLiteContext *context, int index,
                           struct mock_node *n)
{
    TfLiteNode *node;
    TfLiteRegistration *registration;

    assert_int_equal(context->GetNodeAndRegistration(context, index, &node, &registration),
                     kTfLiteOk);
    assert_null(registration->registration_external);
    n->op = ref_find(registration->builtin_code);
    assert_non_null(n->op);
    n->index = index;
    n->version = registration->version;
    if (n->op->params_bytes)
        memcpy(n->params.bytes, node->builtin_data, n->op->params_bytes);
    else
        assert_null(node->builtin_data);
    n->in_count = node->inputs->size;
    n->out_count = node->outputs->size;
    assert_true(n->in_count <= 8 && n->out_count <= 4);
    for (int i = 0; i < n->in_count; i++)
        n->in[i] = node->inputs->data[i] < 0 ? NULL : &k->tensors[node->inputs->data[i]];
    for (int i = 0; i < n->out_count; i++)
        n->out[i] = &k->tensors[node->outputs->data[i]];
}

void *mock_init(TfLiteContext *context, const char *buffer, size_t length)
{
    const TfLiteDelegateParams *params = (const TfLiteDelegateParams *)(const void *)buffer;
    struct mock *m = params->delegate->data_;
    struct mock_kernel *k;

    mock_note(m, 'i');
    assert_int_equal(length, 0);
    assert_ptr_equal(params->delegate, &m->abi);
    for (int i = 1; i < params->input_tensors->size; i++)
        assert_true(params->input_tensors->data[i - 1] < params->input_tensors->data[i]);
    for (int i = 1; i < params->output_tensors->size; i++)
        assert_true(params->output_tensors->data[i - 1] < params->output_tensors->data[i]);
    if (m->probe)
        m->probe(m, context, "init");
    if (++m->inits == m->fail_init)
        return TfLiteKernelInitFailed();
    k = calloc(1, sizeof *k);
    assert_non_null(k);
    k->mock = m;
    k->number = m->inits;
    k->params = params;
    k->node_count = params->nodes_to_replace->size;
    k->nodes = calloc((size_t)k->node_count, sizeof *k->nodes);
    k->tensor_count = context->tensors_size;
    k->tensors = calloc(k->tensor_count, sizeof *k->tensors);
    assert_true(k->nodes && k->tensors);
    for (size_t i = 0; i < k->tensor_count; i++) { /* dims and data become its own */
        k->tensors[i] = context->tensors[i];
        k->tensors[i].dims = NULL;
        k->tensors[i].data.raw = NULL;
    }
    for (int i = 0; i < k->node_count; i++)
        mock_copy_node(k, context, params->nodes_to_replace->data[i], &k->nodes[i]);
    for (int i = 0; i < MOCK_SLOTS; i++)
        k->handles[i] = -1;
    k->temporary = -1;
    if (m->add_temporary)
        assert_int_equal(context->AddTensors(context, 1, &k->temporary), kTfLiteOk);
    m->live_kernels++;
    return k;
}

static void mock_set_dims(TfLiteTensor *t, int rank, const int32_t *dims)
{
    size_t elements = 1;

    free(t->dims);
    t->dims = mock_ints(rank, dims);
    for (int i = 0; i < rank; i++)
        elements *= (size_t)dims[i];
    t->bytes = elements * runtime_type_bits(t->type) / 8;
}

static struct ref_call mock_call(struct mock_node *n, struct ref_shape *shapes)
{
    return (struct ref_call){ .op = n->op,
                              .node = n->index,
                              .version = n->version,
                              .params = n->op->params_bytes ? n->params.bytes : NULL,
                              .in = n->in,
                              .in_count = n->in_count,
                              .out = n->out,
                              .out_count = n->out_count,
                              .out_shape = shapes };
}

TfLiteStatus mock_prepare(TfLiteContext *context, TfLiteNode *node)
{
    struct mock_kernel *k = node->user_data;
    struct mock *m = k->mock;

    mock_note(m, 'p');
    assert_ptr_equal(node->builtin_data, k->params);
    assert_ptr_equal(node->delegate, &m->abi);
    if (m->probe)
        m->probe(m, context, "prepare");
    if (++m->kernel_prepares == m->fail_kernel_prepare)
        return kTfLiteError;
    for (int i = 0; i < node->inputs->size; i++) {
        const int t = node->inputs->data[i];
        const TfLiteTensor *theirs = &context->tensors[t];
        mock_set_dims(&k->tensors[t], theirs->dims->size, theirs->dims->data);
        k->tensors[t].allocation_type = theirs->allocation_type;
        k->tensors[t].data = theirs->data; /* of constants: shapes may depend on them */
        assert_int_equal(k->tensors[t].bytes, theirs->bytes);
    }
    for (int i = 0; i < k->node_count; i++) {
        struct ref_shape shapes[4] = { { .rank = 0 } };
        struct ref_call call = mock_call(&k->nodes[i], shapes);
        struct diag diag = { 0 };
        if (call.op->prepare(&call, &diag) != STATUS_OK) {
            context->ReportError(context, "mock: %s", diag.text);
            return kTfLiteError;
        }
        for (int o = 0; o < call.out_count; o++)
            mock_set_dims(call.out[o], shapes[o].rank, shapes[o].dims);
    }
    for (int i = 0; i < node->outputs->size; i++) {
        TfLiteTensor *theirs = &context->tensors[node->outputs->data[i]];
        const TfLiteTensor *mine = &k->tensors[node->outputs->data[i]];
        if (m->dynamic_outputs) {
            theirs->allocation_type = kTfLiteDynamic;
            theirs->data.raw = NULL;
        } else if (theirs->allocation_type != kTfLitePersistentRo) {
            assert_int_equal(context->ResizeTensor(context, theirs,
                                                   mock_ints(mine->dims->size, mine->dims->data)),
                             kTfLiteOk);
        }
    }
    if (k->temporary >= 0) {
        TfLiteTensor *t = &context->tensors[k->temporary];
        t->type = kTfLiteInt16;
        t->allocation_type = kTfLiteArenaRw;
        assert_int_equal(context->ResizeTensor(context, t, mock_ints(1, (int[]){ 50 })), kTfLiteOk);
        free(node->temporaries);
        node->temporaries = mock_ints(1, &k->temporary);
    }
    return kTfLiteOk;
}

static void mock_give(struct mock_kernel *k, TfLiteContext *context, int at, int index)
{
    struct mock *m = k->mock;
    TfLiteTensor *theirs = &context->tensors[index], *mine = &k->tensors[index];

    if (m->dynamic_outputs)
        assert_int_equal(
            context->ResizeTensor(context, theirs, mock_ints(mine->dims->size, mine->dims->data)),
            kTfLiteOk);
    assert_int_equal(theirs->bytes, mine->bytes);
    assert_ptr_equal(theirs->delegate, &m->abi);
    if (!m->handles || at >= MOCK_SLOTS || (k->handles[at] < 0 && m->slots >= MOCK_SLOTS)) {
        if (mine->bytes)
            memcpy(theirs->data.raw, mine->data.raw, mine->bytes);
        return;
    }
    if (k->handles[at] < 0)
        k->handles[at] = m->slots++;
    free(m->slot[k->handles[at]].data);
    m->slot[k->handles[at]].data = malloc(mine->bytes + 1);
    assert_non_null(m->slot[k->handles[at]].data);
    memcpy(m->slot[k->handles[at]].data, mine->data.raw, mine->bytes);
    m->slot[k->handles[at]].bytes = mine->bytes;
    theirs->buffer_handle = k->handles[at];
    theirs->data_is_stale = true;
}

TfLiteStatus mock_invoke(TfLiteContext *context, TfLiteNode *node)
{
    struct mock_kernel *k = node->user_data;
    struct mock *m = k->mock;

    mock_note(m, 'v');
    if (m->probe)
        m->probe(m, context, "invoke");
    if (++m->invokes == m->fail_invoke) {
        context->ReportError(context, "mock: told to fail");
        return kTfLiteError;
    }
    for (int i = 0; i < node->inputs->size; i++) {
        const int t = node->inputs->data[i];
        const TfLiteTensor *theirs = &context->tensors[t];
        assert_true(theirs->bytes == 0 || theirs->data.raw != NULL);
        assert_true(!theirs->data_is_stale || theirs->delegate == &m->abi);
        k->tensors[t].data = theirs->data;
        if (theirs->data_is_stale)
            k->tensors[t].data.raw = m->slot[theirs->buffer_handle].data;
    }
    if (k->temporary >= 0) {
        assert_int_equal(context->tensors[k->temporary].bytes, 100);
        assert_non_null(context->tensors[k->temporary].data.raw);
        memset(context->tensors[k->temporary].data.raw, 0x77, 100);
    }
    for (int i = 0; i < k->node_count; i++) {
        struct ref_shape shapes[4] = { { .rank = 0 } };
        struct ref_call call = mock_call(&k->nodes[i], shapes);
        struct diag diag = { 0 };
        for (int o = 0; o < call.out_count; o++) {
            const size_t index = (size_t)(call.out[o] - k->tensors);
            const TfLiteTensor *theirs = &context->tensors[index];
            call.out[o]->data.raw = calloc(1, call.out[o]->bytes + 1);
            assert_non_null(call.out[o]->data.raw);
            if (!mock_has(node->outputs, (int)index) &&
                theirs->allocation_type != kTfLitePersistentRo)
                assert_null(theirs->data.raw); /* inside: it has no memory of the host's */
        }
        assert_int_equal(call.op->eval(&call, &diag), STATUS_OK);
    }
    for (int i = 0; i < node->outputs->size; i++)
        mock_give(k, context, i, node->outputs->data[i]);
    for (int i = 0; i < k->node_count; i++)
        for (int o = 0; o < k->nodes[i].out_count; o++) {
            free(k->nodes[i].out[o]->data.raw);
            k->nodes[i].out[o]->data.raw = NULL;
        }
    return kTfLiteOk;
}

void mock_free(TfLiteContext *context, void *data)
{
    struct mock_kernel *k CLOSED_BY(kit_free) = data;

    mock_note(k->mock, 'f');
    /* In the order of the plan, of each subgraph. */
    assert_true(k->number > k->mock->last_freed || context != k->mock->last_context);
    k->mock->last_freed = k->number;
    k->mock->last_context = context;
    if (k->mock->probe)
        k->mock->probe(k->mock, context, "free");
    k->mock->live_kernels--;
    for (size_t i = 0; i < k->tensor_count; i++)
        free(k->tensors[i].dims);
    free(k->tensors);
    free(k->nodes);
}

/* ---- the delegate ---- */

/* Nodes that another delegate runs are invisible as such; dynamic ones need more than it can. */
static bool mock_wants(const struct mock *m, TfLiteContext *context, int index)
{
    TfLiteNode *node;
    TfLiteRegistration *registration;

    assert_int_equal(context->GetNodeAndRegistration(context, index, &node, &registration),
                     kTfLiteOk);
    if (registration->builtin_code == BUILTIN_DELEGATE || (m->takes && !m->takes(m, index)))
        return false;
    for (int i = 0; i < node->outputs->size; i++)
        if (context->tensors[node->outputs->data[i]].allocation_type == kTfLiteDynamic)
            return false;
    return true;
}

TfLiteStatus mock_delegate_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const TfLiteRegistration registration = { .init = mock_init,
                                              .free = mock_free,
                                              .prepare = mock_prepare,
                                              .invoke = mock_invoke,
                                              .custom_name = "Mock",
                                              .version = 1 };
    struct mock *m = delegate->data_;
    TfLiteIntArray *plan, *nodes;
    TfLiteDelegateParams *params;

    mock_note(m, 'P');
    if (m->probe)
        m->probe(m, context, "Prepare");
    if (m->prepare_status != kTfLiteOk) {
        context->ReportError(context, "mock: Prepare told to fail");
        return m->prepare_status;
    }
    if (context->GetExecutionPlan(context, &plan) != kTfLiteOk)
        return kTfLiteError;
    nodes = mock_ints(plan->size, plan->data);
    nodes->size = 0;
    for (int i = 0; i < plan->size; i++)
        if (mock_wants(m, context, plan->data[i]))
            nodes->data[nodes->size++] = plan->data[i];
    m->replaced = context->PreviewDelegatePartitioning(context, nodes, &params, &m->partitions);
    if (m->replaced == kTfLiteOk)
        m->replaced =
            context->ReplaceNodeSubsetsWithDelegateKernels(context, registration, nodes, delegate);
    free(nodes);
    return m->swallow ? kTfLiteOk : m->replaced;
}

static TfLiteStatus mock_copy_from(TfLiteContext *context, TfLiteDelegate *delegate,
                                   TfLiteBufferHandle handle, TfLiteTensor *t)
{
    struct mock *m = delegate->data_;

    (void)context;
    mock_note(m, 'c');
    assert_true(handle >= 0 && handle < m->slots);
    assert_int_equal(m->slot[handle].bytes, t->bytes);
    assert_ptr_equal(t->delegate, delegate);
    memcpy(t->data.raw, m->slot[handle].data, t->bytes);
    return kTfLiteOk;
}

static void mock_free_handle(TfLiteContext *context, TfLiteDelegate *delegate,
                             TfLiteBufferHandle *handle)
{
    struct mock *m = delegate->data_;

    (void)context;
    mock_note(m, 'h');
    assert_true(*handle >= 0 && *handle < MOCK_SLOTS);
    free(m->slot[*handle].data);
    m->slot[*handle].data = NULL;
    *handle = kTfLiteNullBufferHandle;
}

void mock_begin(struct mock *m)
{
    *m = (struct mock){ .abi = { .data_ = m,
                                 .Prepare = mock_delegate_prepare,
                                 .CopyFromBufferHandle = mock_copy_from,
                                 .FreeBufferHandle = mock_free_handle } };
}

void mock_end(struct mock *m)
{
    assert_int_equal(m->live_kernels, 0);
    for (int i = 0; i < MOCK_SLOTS; i++)
        free(m->slot[i].data);
}

bool mock_by_bits(const struct mock *m, int node)
{
    uint64_t state = m->choice + (uint64_t)node * 7919;

    return kit_random(&state) & 1;
}

bool mock_not_every(const struct mock *m, int node)
{
    return (uint64_t)node % m->choice != m->choice - 1;
}

bool mock_only(const struct mock *m, int node)
{
    return node == (int)m->choice;
}

bool mock_from(const struct mock *m, int node)
{
    return node >= (int)m->choice;
}

bool mock_below(const struct mock *m, int node)
{
    return node < (int)m->choice;
}

bool mock_none(const struct mock *m, int node)
{
    (void)m;
    (void)node;
    return false;
}

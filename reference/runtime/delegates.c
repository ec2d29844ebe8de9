/* Delegates: applied, undone for a resize, applied again, and taken away when they fail.
 *
 * A delegate that cannot resize leaves the graph prepared and allocated; a later resize undoes all
 * delegates, and the next allocate applies them again.  When anything of it fails, the plan of the
 * model is restored: all delegates are gone, those applied before too, as in the real runtime. */
#include "reference/base/memory.h"
#include "reference/runtime/impl.h"

#include <string.h>

/* ---- kernels ---- */

void kernel_close(struct interpreter *in, struct node *node)
{
    if (node->initialized && node->registration.free && node->abi.user_data)
        node->registration.free(&in->context, node->abi.user_data);
    if (node->params) {
        delegate_params_free(node->params);
        mem_free(node->params);
    }
    mem_free(node->abi.inputs);
    mem_free(node->abi.outputs);
    mem_free(node->abi.intermediates);
    mem_free(node->abi.temporaries);
    mem_free(node);
}

static bool kernel_fill(struct node *node, TfLiteDelegate *delegate, const struct subset *s)
{
    node->params = mem_alloc(1, sizeof *node->params);
    if (!node->params || !delegate_params_fill(node->params, delegate, s))
        return false;
    node->abi = (TfLiteNode){ .inputs = int_array_copy(s->inputs, s->input_count),
                              .outputs = int_array_copy(s->outputs, s->output_count),
                              .intermediates = int_array_new(0),
                              .temporaries = int_array_new(0),
                              .builtin_data = node->params,
                              .delegate = delegate };
    return node->abi.inputs && node->abi.outputs && node->abi.intermediates &&
           node->abi.temporaries;
}

/* The kernel is in nodes as soon as there is something to undo. */
static enum status kernel_open(struct interpreter *in, const TfLiteRegistration *registration,
                               TfLiteDelegate *delegate, const struct subset *s, struct diag *diag)
{
    struct node *node = mem_alloc(1, sizeof *node);

    if (!node)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a delegate kernel");
    node->index = (int)in->node_count;
    node->kernel = -1;
    node->registration = *registration;
    if (!kernel_fill(node, delegate, s)) {
        kernel_close(in, node);
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a delegate kernel");
    }
    in->nodes[in->node_count++] = node;
    for (size_t i = 0; i < s->output_count; i++) {
        TfLiteTensor *t = &in->tensors[s->outputs[i]];
        if (t->delegate && t->delegate != delegate)
            return diag_fail(diag, STATUS_DEVICE, "tensor %d (%s) belongs to another delegate",
                             s->outputs[i], t->name ? t->name : "");
    }
    if (registration->init)
        node->abi.user_data = registration->init(&in->context, (const char *)node->params, 0);
    if (node->abi.user_data == TfLiteKernelInitFailed())
        return diag_fail(diag, STATUS_DEVICE, "node %d (%s) failed to initialize", node->index,
                         node_name(node));
    node->initialized = true;
    for (size_t i = 0; i < s->output_count; i++)
        in->tensors[s->outputs[i]].delegate = delegate;
    for (size_t i = 0; i < s->node_count; i++)
        in->nodes[s->nodes[i]]->kernel = node->index;
    return STATUS_OK;
}

enum status kernel_prepare(struct interpreter *in, struct node *node, struct diag *diag)
{
    const enum phase before = in->phase;
    TfLiteStatus code = kTfLiteOk;

    node->prepared = ++in->shape_clock;
    if (!node->registration.prepare)
        return STATUS_OK;
    report_clear(in);
    in->phase = PHASE_PREPARE;
    code = node->registration.prepare(&in->context, &node->abi);
    in->phase = before;
    if (code == kTfLiteOk)
        return STATUS_OK;
    in->code = kTfLiteError;
    return interpreter_fail_quoting(in, diag, STATUS_DEVICE,
                                    "node %d (%s) failed to prepare (status %d)", node->index,
                                    node_name(node), (int)code);
}

/* ---- the plan ---- */

static bool reserve_nodes(struct interpreter *in, size_t more)
{
    struct node **grown;

    if (in->node_room - in->node_count >= more)
        return true;
    grown = mem_resize(in->nodes, in->node_count + more, sizeof *grown);
    if (!grown)
        return false;
    in->nodes = grown;
    in->node_room = in->node_count + more;
    return true;
}

/* The plan changes when all kernels are there: until then, and when one fails, what a delegate sees
 * is the plan that it asked for. */
static enum status replace_in(struct interpreter *in, const TfLiteRegistration *registration,
                              const TfLiteIntArray *nodes, TfLiteDelegate *delegate,
                              struct arena *memory, struct diag *diag)
{
    struct subset *subsets;
    size_t count, steps = 0;
    int *plan;

    TRY(partition_plan(in, nodes, memory, &subsets, &count, diag));
    plan = ARENA_NEW(memory, in->plan_count, int);
    if (!plan || !reserve_nodes(in, count))
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for an execution plan");
    for (size_t i = 0; i < count; i++) {
        const struct subset *s = &subsets[i];

        if (s->taken) {
            plan[steps++] = (int)in->node_count;
            TRY(kernel_open(in, registration, delegate, s, diag));
        } else {
            memcpy(plan + steps, s->nodes, s->node_count * sizeof *plan);
            steps += s->node_count;
        }
    }
    memcpy(in->plan, plan, steps * sizeof *plan);
    in->plan_count = steps;
    in->prepared = in->allocated = false;
    return STATUS_OK;
}

enum status delegates_replace(struct interpreter *in, const TfLiteRegistration *registration,
                              const TfLiteIntArray *nodes, TfLiteDelegate *delegate,
                              struct diag *diag)
{
    struct arena memory = { 0 };
    const enum status s = replace_in(in, registration, nodes, delegate, &memory, diag);

    arena_close(&memory);
    return s;
}

/* Tensors that delegates added. */
static void drop_added_tensors(struct interpreter *in)
{
    for (size_t i = in->model_tensors; i < in->tensor_count; i++) {
        handle_free(in, &in->tensors[i]);
        mem_free(in->tensors[i].dims);
        mem_free(in->info[i].block);
        in->tensors[i] = (TfLiteTensor){ 0 };
        in->info[i] = (struct tensor_info){ 0 };
    }
    in->tensor_count = in->context.tensors_size = in->model_tensors;
}

/* What a user bound stays bound. */
static void forget_delegate(struct interpreter *in, int tensor)
{
    TfLiteTensor *t = &in->tensors[tensor];

    if (t->buffer_handle == kTfLiteNullBufferHandle) {
        t->delegate = NULL;
        t->data_is_stale = false;
    }
    if (t->allocation_type == kTfLiteDynamic && runtime_type_bits(t->type) != 0) {
        memory_release(in, tensor); /* perhaps of a kernel's making: prepare decides anew */
        t->allocation_type = kTfLiteArenaRw;
        t->data.raw = NULL;
    }
}

void delegates_undo(struct interpreter *in)
{
    for (size_t i = in->model_nodes; i < in->node_count; i++)
        kernel_close(in, in->nodes[i]);
    in->node_count = in->model_nodes;
    drop_added_tensors(in);
    for (size_t i = 0; i < in->model_nodes; i++) {
        struct node *node = in->nodes[i];
        const struct model_ints *inputs = &in->graph->operators[i].inputs;

        in->plan[i] = (int)i;
        node->kernel = -1;
        /* A delegate may have pointed nodes that it takes at other tensors. */
        if (inputs->count)
            memcpy(node->abi.inputs->data, inputs->data, inputs->count * sizeof(int));
    }
    in->plan_count = in->model_nodes;
    for (size_t i = 0; i < in->tensor_count; i++)
        forget_delegate(in, (int)i);
    in->undone = in->delegate_count > 0;
    in->immutable = false;
    in->prepared = in->allocated = false;
}

void delegates_forget(struct interpreter *in)
{
    delegates_undo(in);
    in->delegate_count = 0;
    in->undone = false;
}

/* ---- apply ---- */

static bool reserve_delegate(struct interpreter *in)
{
    TfLiteDelegate **grown;

    if (in->delegate_count < in->delegate_room)
        return true;
    grown = mem_resize(in->delegates, in->delegate_count + 4, sizeof(TfLiteDelegate *));
    if (!grown)
        return false;
    in->delegates = grown;
    in->delegate_room = in->delegate_count + 4;
    return true;
}

/* Takes all delegates away; a graph that was ready stays ready. */
static enum status restore(struct interpreter *in, bool was_allocated, TfLiteStatus code,
                           enum status s)
{
    delegates_forget(in);
    if (was_allocated)
        (void)allocate_now(in, NULL); /* if it fails, so does the next invoke, with a reason */
    in->code = code;
    return s;
}

static enum status call_delegate(struct interpreter *in, TfLiteDelegate *delegate,
                                 struct diag *diag)
{
    TfLiteStatus code;

    report_clear(in);
    in->phase = PHASE_DELEGATE;
    in->applying = delegate;
    in->replace_failed = false;
    code = delegate->Prepare(&in->context, delegate);
    in->phase = PHASE_IDLE;
    in->applying = NULL;
    context_drop_views(in);
    if (code != kTfLiteOk)
        return interpreter_fail_quoting(in, diag, STATUS_DEVICE,
                                        "the delegate's Prepare failed (status %d), the original "
                                        "execution plan is restored",
                                        (int)code);
    if (in->replace_failed)
        return interpreter_fail_quoting(in, diag, STATUS_DEVICE,
                                        "replacing nodes failed, the original execution plan is "
                                        "restored");
    return STATUS_OK;
}

static enum status refuse_dynamic(struct interpreter *in, struct diag *diag, const char *why)
{
    const TfLiteTensor *t = &in->tensors[in->dynamic_tensor];

    in->code = kTfLiteApplicationError;
    return diag_fail(diag, STATUS_UNSUPPORTED,
                     "%s: tensor %d (%s) has a shape that is known in "
                     "invoke only",
                     why, in->dynamic_tensor, t->name ? t->name : "");
}

static enum status apply_one(struct interpreter *in, TfLiteDelegate *delegate, struct diag *diag)
{
    const bool resizes = (delegate->flags & kTfLiteDelegateFlagsAllowDynamicTensors) != 0;
    const bool was_allocated = in->allocated, was_immutable = in->immutable;
    enum status s = STATUS_OK;

    if (!reserve_delegate(in))
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a delegate");
    if (!in->prepared)
        s = prepare_plan(in, resizes ? NULL : diag); /* the shapes may be still to come */
    if (s != STATUS_OK && !resizes)
        return s;
    if (!resizes && in->has_dynamic)
        return refuse_dynamic(in, diag, "the delegate cannot take a graph with dynamic tensors");

    s = call_delegate(in, delegate, diag);
    if (s != STATUS_OK)
        return restore(in, was_allocated, kTfLiteDelegateError, s);
    in->delegates[in->delegate_count++] = delegate;
    if (!resizes || was_immutable || was_allocated) {
        s = allocate_now(in, diag);
        if (s != STATUS_OK) {
            s = diag_prefix(diag, s, "the original execution plan is restored");
            return restore(in, was_allocated, kTfLiteDelegateError, s);
        }
    }
    if (resizes && was_immutable && in->has_dynamic) {
        s = refuse_dynamic(in, diag, "a delegate that was applied before takes no dynamic tensors");
        return restore(in, was_allocated, kTfLiteApplicationError, s);
    }
    in->immutable = was_immutable || !resizes;
    return STATUS_OK;
}

enum status delegates_redo(struct interpreter *in, struct diag *diag)
{
    const size_t count = in->delegate_count;

    if (!in->undone)
        return STATUS_OK;
    in->undone = false;
    in->delegate_count = 0;
    for (size_t i = 0; i < count; i++)
        TRY(apply_one(in, in->delegates[i], diag));
    return STATUS_OK;
}

enum status interpreter_apply_delegate(struct interpreter *in, TfLiteDelegate *delegate,
                                       TfLiteStatus *code, struct diag *diag)
{
    enum status s;

    in->code = kTfLiteOk;
    if (!delegate || !delegate->Prepare) {
        in->code = kTfLiteDelegateError;
        s = diag_fail(diag, STATUS_USAGE,
                      delegate ? "the delegate has no Prepare function" : "no delegate given");
    } else {
        s = delegates_redo(in, diag);
        if (s == STATUS_OK)
            s = apply_one(in, delegate, diag);
    }
    if (s != STATUS_OK && in->code == kTfLiteOk)
        in->code = kTfLiteError;
    if (code)
        *code = in->code;
    return s;
}

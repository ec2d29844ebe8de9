/* A delegate that cannot resize leaves the graph prepared and allocated; a later resize undoes all
 * delegates, and the next allocate applies them again.  When any step fails, the plan of the model
 * is restored: all delegates are removed, also those applied before, as in the real runtime. */
#include "reference/runtime/delegates.h"
#include "reference/runtime/quantization.h"

#include "reference/base/memory.h"
#include "reference/runtime/delegate_kernel.h"
#include "reference/runtime/handles.h"
#include "reference/runtime/prepare.h"
#include "reference/runtime/report.h"
#include "reference/runtime/tensor_memory.h"

#include <string.h>

/* ---- undo ---- */

/* Removes the tensors that delegates added with AddTensors.  Those behind which a kernel of the
 * user has added its own keep their indices, and are empty. */
static void drop_added_tensors(struct interpreter *in)
{
    size_t count = in->model_tensors;

    for (size_t i = in->model_tensors; i < in->tensor_count; i++) {
        if (in->info[i].kept) {
            count = i + 1;
            continue;
        }
        handle_free(in, &in->tensors[i]);
        mem_free(in->tensors[i].dims);
        quantization_free(&in->tensors[i].quantization);
        tensor_memory_release(in, (int)i);
        in->tensors[i] = (TfLiteTensor){ .buffer_handle = kTfLiteNullBufferHandle };
        in->info[i] = (struct tensor_info){ 0 };
    }
    in->tensor_count = in->context.tensors_size = count;
}

/* A buffer handle that the user set is kept. */
static void forget_delegate(struct interpreter *in, int tensor)
{
    TfLiteTensor *t = &in->tensors[tensor];

    if (t->buffer_handle == kTfLiteNullBufferHandle) {
        t->delegate = NULL;
        t->data_is_stale = false;
    }
    if (t->allocation_type == kTfLiteDynamic && runtime_type_bits(t->type) != 0) {
        tensor_memory_release(in,
                              tensor); /* perhaps made dynamic by a kernel: prepare decides again */
        t->allocation_type = kTfLiteArenaRw;
        t->data.raw = NULL;
    }
}

void delegates_undo(struct interpreter *in)
{
    for (size_t i = in->model_nodes; i < in->node_count; i++)
        delegate_kernel_close(in, in->nodes[i]);
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

/* Removes all delegates; a graph that was allocated is allocated again. */
static enum status restore(struct interpreter *in, bool was_allocated, TfLiteStatus code,
                           enum status s)
{
    delegates_forget(in);
    if (was_allocated)
        (void)prepare_and_allocate(in,
                                   NULL); /* if it fails, so does the next invoke, with a reason */
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
        return report_fail_quoting(in, diag, STATUS_DEVICE,
                                   "the delegate's Prepare failed (status %d), the original "
                                   "execution plan is restored",
                                   (int)code);
    if (in->replace_failed)
        return report_fail_quoting(in, diag, STATUS_DEVICE,
                                   "replacing nodes failed, the original execution plan is "
                                   "restored");
    return STATUS_OK;
}

static enum status refuse_dynamic(struct interpreter *in, struct diag *diag, const char *why)
{
    const TfLiteTensor *t = &in->tensors[in->dynamic_tensor];

    in->code = kTfLiteApplicationError;
    return diag_fail(diag, STATUS_UNSUPPORTED,
                     "%s: the shape of tensor %d (%s) is known in invoke only", why,
                     in->dynamic_tensor, t->name ? t->name : "");
}

static enum status apply_one(struct interpreter *in, TfLiteDelegate *delegate, struct diag *diag)
{
    const bool resizes = (delegate->flags & kTfLiteDelegateFlagsAllowDynamicTensors) != 0;
    const bool was_allocated = in->allocated, was_immutable = in->immutable;
    enum status s;

    if (!reserve_delegate(in))
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a delegate");
    /* As in the real runtime, one that resizes sees the shapes of the file, or of before a resize.
     */
    if (!in->prepared && !resizes)
        TRY(prepare_plan(in, diag));
    if (!resizes && in->has_dynamic)
        return refuse_dynamic(in, diag, "the delegate cannot take a graph with dynamic tensors");

    s = call_delegate(in, delegate, diag);
    if (s != STATUS_OK)
        return restore(in, was_allocated, kTfLiteDelegateError, s);
    in->delegates[in->delegate_count++] = delegate;
    if (!resizes || was_immutable || was_allocated) {
        s = prepare_and_allocate(in, diag);
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

enum status delegates_apply(struct interpreter *in, TfLiteDelegate *delegate, TfLiteStatus *code,
                            struct diag *diag)
{
    enum status s;

    in->code = kTfLiteOk;
    if (!delegate || !delegate->Prepare) {
        in->code = kTfLiteDelegateError;
        s = diag_fail(
            diag, STATUS_USAGE, "%s",
            !delegate ? "no delegate given"
            : delegate->opaque_delegate_builder
                ? "the delegate has no Prepare function, but a builder of the opaque ABI, "
                  "whose functions are bound to the runtime that it was linked with: "
                  "expected it to be linked with -lassay"
                : "the delegate has no Prepare function");
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

/* Functions that read or change the graph may be called in a delegate's Prepare and its kernels'
 * init only; elsewhere they fail, with a message.  Arguments come from foreign code, so they are
 * checked like any other input. */
#include "reference/runtime/delegates.h"

#include "reference/base/memory.h"
#include "reference/runtime/delegate_kernel.h"
#include "reference/runtime/int_array.h"
#include "reference/runtime/prepare.h"
#include "reference/runtime/report.h"
#include "reference/runtime/tensor_memory.h"

#include <stdlib.h>
#include <string.h>

static struct interpreter *host(const TfLiteContext *context)
{
    return context->impl_;
}

static bool in_delegate(struct interpreter *in, const char *function)
{
    if (in->phase == PHASE_DELEGATE)
        return true;
    report_send(in, "%s may be called in a delegate's Prepare and a kernel's init only", function);
    return false;
}

static TfLiteStatus refuse(struct interpreter *in, const struct diag *diag)
{
    report_send(in, "%s", diag->text);
    return kTfLiteError;
}

/* ---- the graph ---- */

static TfLiteStatus get_execution_plan(TfLiteContext *context, TfLiteIntArray **plan)
{
    struct interpreter *in = host(context);

    if (!in_delegate(in, "GetExecutionPlan") || !plan)
        return kTfLiteError;
    mem_free(in->plan_view);
    *plan = in->plan_view = int_array_copy(in->plan, in->plan_count);
    if (*plan)
        return kTfLiteOk;
    report_send(in, "GetExecutionPlan: out of memory");
    return kTfLiteError;
}

static TfLiteStatus get_node_and_registration(TfLiteContext *context, int index, TfLiteNode **node,
                                              TfLiteRegistration **registration)
{
    struct interpreter *in = host(context);

    if (!in_delegate(in, "GetNodeAndRegistration") || !node || !registration)
        return kTfLiteError;
    if (index < 0 || (size_t)index >= in->node_count) {
        report_send(in, "GetNodeAndRegistration: no such node: %d", index);
        return kTfLiteError;
    }
    *node = &in->nodes[index]->abi;
    *registration = &in->nodes[index]->registration;
    return kTfLiteOk;
}

static TfLiteStatus get_model_metadata(const TfLiteContext *context, const char *name,
                                       const char **ptr, size_t *bytes)
{
    const struct model *m = host(context)->model;

    if (!name || !ptr || !bytes)
        return kTfLiteError;
    for (size_t i = 0; i < m->metadata_count; i++) {
        const struct model_metadata *entry = &m->metadata[i];
        if (!entry->name.text || strcmp(entry->name.text, name) != 0 ||
            entry->buffer >= m->buffer_count)
            continue;
        *ptr = (const char *)m->buffers[entry->buffer].data.data;
        *bytes = m->buffers[entry->buffer].data.count;
        return kTfLiteOk;
    }
    return kTfLiteError;
}

/* Bodies run on the CPU, so subgraph 0 is the only one that can be acquired. */
static TfLiteStatus acquire_subgraph_context(TfLiteContext *context, int subgraph,
                                             TfLiteContext **acquired)
{
    struct interpreter *in = host(context);

    if (!in_delegate(in, "AcquireSubgraphContext") || !acquired)
        return kTfLiteError;
    if (subgraph != 0) {
        report_send(in, "AcquireSubgraphContext: subgraph %d, expected 0", subgraph);
        return kTfLiteError;
    }
    *acquired = context;
    return kTfLiteOk;
}

static TfLiteStatus release_subgraph_context(TfLiteContext *context, int subgraph)
{
    return in_delegate(host(context), "ReleaseSubgraphContext") && subgraph == 0 ? kTfLiteOk
                                                                                 : kTfLiteError;
}

/* ---- partitions ---- */

static void drop_preview(struct interpreter *in)
{
    for (size_t i = 0; i < in->preview_count; i++)
        delegate_params_free(&in->preview[i]);
    mem_free(in->preview);
    in->preview = NULL;
    in->preview_count = 0;
}

static enum status make_preview(struct interpreter *in, const TfLiteIntArray *nodes,
                                struct arena *memory, struct diag *diag)
{
    struct subset *subsets;
    size_t count;

    TRY(partition_plan(in, nodes, memory, &subsets, &count, diag));
    in->preview = mem_alloc(count, sizeof *in->preview);
    if (!in->preview)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a preview");
    for (size_t i = 0; i < count; i++) {
        if (!subsets[i].taken)
            continue;
        if (!delegate_params_fill(&in->preview[in->preview_count], NULL, &subsets[i]))
            return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a preview");
        in->preview_count++;
    }
    return STATUS_OK;
}

static TfLiteStatus preview_partitioning(TfLiteContext *context, const TfLiteIntArray *nodes,
                                         TfLiteDelegateParams **params, int *count)
{
    struct interpreter *in = host(context);
    struct arena memory = { 0 };
    struct diag diag = { 0 };
    enum status s;

    if (!in_delegate(in, "PreviewDelegatePartitioning") || !nodes || !params || !count)
        return kTfLiteError;
    *params = NULL;
    *count = 0;
    drop_preview(in);
    if (nodes->size <= 0)
        return kTfLiteOk;
    s = make_preview(in, nodes, &memory, &diag);
    arena_close(&memory);
    if (s != STATUS_OK) {
        drop_preview(in);
        return refuse(in, &diag);
    }
    *params = in->preview;
    *count = (int)in->preview_count;
    return kTfLiteOk;
}

static TfLiteStatus replace_node_subsets(TfLiteContext *context, TfLiteRegistration registration,
                                         const TfLiteIntArray *nodes, TfLiteDelegate *delegate)
{
    struct interpreter *in = host(context);
    struct diag diag = { 0 };

    if (!in_delegate(in, "ReplaceNodeSubsetsWithDelegateKernels") || !nodes)
        return kTfLiteError;
    if (nodes->size <= 0)
        return kTfLiteOk;
    if (delegate != in->applying) {
        report_send(in, "ReplaceNodeSubsetsWithDelegateKernels: another delegate than the one "
                        "that is being applied");
        in->replace_failed = true;
        return kTfLiteError;
    }
    registration.builtin_code = BUILTIN_DELEGATE;
    if (delegate_kernel_replace(in, &registration, nodes, delegate, &diag) == STATUS_OK)
        return kTfLiteOk;
    in->replace_failed = true;
    return refuse(in, &diag);
}

/* ---- tensors ---- */

static TfLiteStatus add_tensors(TfLiteContext *context, int count, int *first)
{
    struct interpreter *in = host(context);

    if (in->phase != PHASE_DELEGATE && in->phase != PHASE_PREPARE) {
        report_send(in, "AddTensors may be called in a delegate's Prepare, a kernel's init and "
                        "its prepare only");
        return kTfLiteError;
    }
    if (count < 0 || (size_t)count > in->tensor_room - in->tensor_count) {
        report_send(in, "AddTensors: %d more tensors: at most %d can be added", count,
                    (int)(in->tensor_room - in->model_tensors));
        return kTfLiteError;
    }
    if (first)
        *first = (int)in->tensor_count;
    for (int i = 0; i < count; i++) {
        in->info[in->tensor_count] = (struct tensor_info){ .kept = in->keeps_tensors };
        in->tensors[in->tensor_count++] =
            (TfLiteTensor){ .buffer_handle = kTfLiteNullBufferHandle };
    }
    context->tensors_size = in->tensor_count;
    return kTfLiteOk;
}

static bool may_resize(const struct interpreter *in, int index, bool same)
{
    switch (in->tensors[index].allocation_type) {
    case kTfLiteDynamic: return true;
    case kTfLitePersistentRo: /* added by a delegate, or of the model: not one of constants */
        return !in->info[index].fixed || same;
    case kTfLiteArenaRw:
    case kTfLiteArenaRwPersistent:
    case kTfLiteCustom: /* memory is planned between prepare and invoke */
        return same || in->phase == PHASE_DELEGATE || in->phase == PHASE_PREPARE;
    default: return false;
    }
}

static TfLiteStatus resize_tensor(TfLiteContext *context, TfLiteTensor *tensor,
                                  TfLiteIntArray *new_size)
{
    struct interpreter *in = host(context);
    struct diag diag = { 0 };
    bool same;
    int index;

    if (!new_size)
        return kTfLiteError;
    if (!tensor || tensor < in->tensors || tensor >= in->tensors + in->tensor_count) {
        free(new_size);
        report_send(in, "ResizeTensor: not a tensor of this graph");
        return kTfLiteError;
    }
    index = (int)(tensor - in->tensors);
    if (new_size == tensor->dims) /* changed in place: forget the old shape */
        tensor->dims = NULL;
    same = tensor->dims && tensor->dims->size == new_size->size &&
           memcmp(tensor->dims->data, new_size->data, (size_t)new_size->size * sizeof(int)) == 0;
    if (!may_resize(in, index, same)) {
        report_send(in, "ResizeTensor: tensor %d (%s) has a fixed size%s", index,
                    tensor->name ? tensor->name : "",
                    tensor->allocation_type == kTfLiteArenaRw ? " in invoke" : "");
        if (tensor->dims)
            free(new_size);
        else
            tensor->dims = new_size;
        return kTfLiteError;
    }
    if (tensor_set_dims(in, index, new_size, &diag) != STATUS_OK)
        return refuse(in, &diag);
    if ((tensor->allocation_type == kTfLiteDynamic ||
         (tensor->allocation_type == kTfLitePersistentRo && !in->info[index].fixed)) &&
        tensor_memory_own(in, index, &diag) != STATUS_OK)
        return refuse(in, &diag);
    return kTfLiteOk;
}

/* ---- errors and external contexts ---- */

static void report_error(TfLiteContext *context, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    report_send_v(host(context), format, args);
    va_end(args);
}

static TfLiteExternalContext *get_external_context(TfLiteContext *context,
                                                   TfLiteExternalContextType type)
{
    return type >= 0 && type < EXTERNAL_CONTEXTS ? host(context)->external[type] : NULL;
}

static void set_external_context(TfLiteContext *context, TfLiteExternalContextType type,
                                 TfLiteExternalContext *external)
{
    if (type >= 0 && type < EXTERNAL_CONTEXTS)
        host(context)->external[type] = external;
}

/* Functions that stay NULL are NULL in the real runtime, too: delegates have to test for it. */
void context_init(struct interpreter *in)
{
    in->context = (TfLiteContext){ .tensors_size = in->tensor_count,
                                   .GetExecutionPlan = get_execution_plan,
                                   .tensors = in->tensors,
                                   .impl_ = in,
                                   .ResizeTensor = resize_tensor,
                                   .ReportError = report_error,
                                   .AddTensors = add_tensors,
                                   .GetNodeAndRegistration = get_node_and_registration,
                                   .ReplaceNodeSubsetsWithDelegateKernels = replace_node_subsets,
                                   .recommended_num_threads = in->options.num_threads,
                                   .GetExternalContext = get_external_context,
                                   .SetExternalContext = set_external_context,
                                   .PreviewDelegatePartitioning = preview_partitioning,
                                   .GetModelMetadata = get_model_metadata,
                                   .AcquireSubgraphContext = acquire_subgraph_context,
                                   .ReleaseSubgraphContext = release_subgraph_context };
}

void context_drop_views(struct interpreter *in)
{
    mem_free(in->plan_view);
    in->plan_view = NULL;
    drop_preview(in);
}

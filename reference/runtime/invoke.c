#include "reference/kernels/check.h"
#include "reference/runtime/handles.h"
#include "reference/runtime/node_kernel.h"
#include "reference/runtime/prepare.h"
#include "reference/runtime/report.h"
#include "reference/runtime/stand_in.h"
#include "reference/runtime/tensor_memory.h"

/* Data that another delegate left on its device is copied to host memory; a delegate reads its own
 * there. */
static enum status check_input(struct interpreter *in, const struct node *node, int tensor,
                               struct diag *diag)
{
    TfLiteTensor *t = &in->tensors[tensor];

    if (t->data_is_stale && t->delegate && t->delegate != node->abi.delegate)
        TRY(handle_make_readable(in, tensor, diag));
    if (!t->data.raw && t->bytes > 0)
        return diag_fail(diag, STATUS_USAGE, "node %d (%s): input tensor %d (%s) has no data",
                         node->index, node_name(node), tensor, t->name ? t->name : "");
    return STATUS_OK;
}

static enum status check_inputs(struct interpreter *in, const struct node *node, struct diag *diag)
{
    for (int i = 0; node->op && i < node->in_count; i++)
        if (node->in[i])
            TRY(check_input(in, node, (int)(node->in[i] - in->tensors), diag));
    for (int i = 0; !node->op && i < node->abi.inputs->size; i++)
        TRY(check_input(in, node, node->abi.inputs->data[i], diag));
    return STATUS_OK;
}

/* The results of a kernel that computes no other ones. */
static void detail_of_outputs(struct ref_call *call)
{
    for (int o = 0; o < call->out_count && call->detail; o++) {
        const TfLiteTensor *const t = call->out[o];

        if (runtime_type_bits(t->type) < 8 || !t->data.raw)
            continue;
        for (size_t i = 0; i < ref_elements(t); i++)
            ref_detail_copied(call, o, i);
    }
}

static enum status run_special(struct interpreter *in, struct node *node, struct ref_call *call,
                               struct diag *diag)
{
    for (int i = 0; i < node->out_count; i++)
        node->out[i]->data_is_stale = false;
    TRY(node->special->run(in, node, diag));
    detail_of_outputs(call);
    return STATUS_OK;
}

static enum status run_reference(struct interpreter *in, struct node *node,
                                 struct ref_detail *detail, struct diag *diag)
{
    struct ref_call call = node_call(in, node);
    bool empty = true;

    call.detail = detail;
    call.late = true; /* also SPLIT's axis, where no constant gives it */
    if (node->special && !node->reason)
        return run_special(in, node, &call, diag);
    for (int i = 0; i < node->out_count; i++) {
        empty = empty && node->out[i]->bytes == 0;
        if (!node->out[i]->data.raw && node->out[i]->bytes > 0)
            return diag_fail(diag, STATUS_USAGE,
                             "node %d (%s): output tensor %d (%s) has no memory", node->index,
                             node_name(node), (int)(node->out[i] - in->tensors),
                             node->out[i]->name);
        node->out[i]->data_is_stale = false; /* newer than a delegate's copy */
    }
    /* The loops of a kernel run over every dimension, also the 2^31 images of an empty tensor. */
    if (empty)
        return STATUS_OK;
    if (!node->reason)
        return node_eval(node, &call, diag);
    TRY(stand_in_run(in, node, diag));
    detail_of_outputs(&call);
    return STATUS_OK;
}

static enum status run_kernel(struct interpreter *in, struct node *node, struct diag *diag)
{
    TfLiteStatus code;

    if (!node->registration.invoke)
        return diag_fail(diag, STATUS_DEVICE, "node %d (%s) has no invoke function", node->index,
                         node_name(node));
    report_clear(in);
    in->phase = PHASE_INVOKE;
    code = node->registration.invoke(&in->context, &node->abi);
    in->phase = PHASE_IDLE;
    if (code == kTfLiteOk)
        return STATUS_OK;
    in->code = code == kTfLiteCancelled ? code : kTfLiteError;
    return report_fail_quoting(in, diag, STATUS_DEVICE, "node %d (%s) failed to invoke (status %d)",
                               node->index, node_name(node), (int)code);
}

static enum status run_step(struct interpreter *in, struct node *node, struct diag *diag)
{
    if (atomic_load(&in->root->cancelled)) {
        in->code = kTfLiteCancelled;
        return diag_fail(diag, STATUS_USAGE, "cancelled before node %d (%s)", node->index,
                         node_name(node));
    }
    if (node->folded)
        return STATUS_OK;
    TRY(check_inputs(in, node, diag));
    if (node->late)
        TRY(prepare_late(in, node, diag));
    return node->op ? run_reference(in, node, NULL, diag) : run_kernel(in, node, diag);
}

enum status invoke_plan(struct interpreter *in, struct diag *diag)
{
    in->code = kTfLiteOk;
    if (in->options.shapes_only)
        return diag_fail(diag, STATUS_USAGE, "invoke of an interpreter that has shapes only");
    if (!in->allocated || in->undone)
        return diag_fail(diag, STATUS_USAGE, "invoke before the tensors were allocated");
    if (!in->caller) {
        atomic_store(&in->root->cancelled, false);
        in->root->body_runs = 0;
    }
    tensor_memory_poison(in);
    for (size_t i = 0; i < in->plan_count; i++)
        TRY(run_step(in, in->nodes[in->plan[i]], diag));
    for (size_t i = 0; i < in->output_count && !in->allow_handles; i++)
        TRY(handle_make_readable(in, in->outputs[i], diag));
    return STATUS_OK;
}

enum status invoke_node(struct interpreter *in, int index, struct ref_detail *detail,
                        struct diag *diag)
{
    struct node *node;

    if (index < 0 || (size_t)index >= in->model_nodes)
        return diag_fail(diag, STATUS_USAGE, "no such node: %d", index);
    if (!in->options.preserve_all || !in->allocated || in->undone)
        return diag_fail(diag, STATUS_USAGE,
                         "node %d: expected an allocated interpreter with preserve_all", index);
    node = in->nodes[index];
    TRY(check_inputs(in, node, diag));
    if (node->late)
        TRY(prepare_late(in, node, diag));
    return run_reference(in, node, detail, diag);
}

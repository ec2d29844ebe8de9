#include "reference/runtime/delegate_kernel.h"

#include "reference/base/memory.h"
#include "reference/runtime/int_array.h"
#include "reference/runtime/report.h"

#include <string.h>

void delegate_params_free(TfLiteDelegateParams *p)
{
    mem_free(p->nodes_to_replace);
    mem_free(p->input_tensors);
    mem_free(p->output_tensors);
    *p = (TfLiteDelegateParams){ 0 };
}

bool delegate_params_fill(TfLiteDelegateParams *p, TfLiteDelegate *delegate, const struct subset *s)
{
    *p = (TfLiteDelegateParams){ .delegate = delegate,
                                 .nodes_to_replace = int_array_copy(s->nodes, s->node_count),
                                 .input_tensors = int_array_copy(s->inputs, s->input_count),
                                 .output_tensors = int_array_copy(s->outputs, s->output_count) };
    if (p->nodes_to_replace && p->input_tensors && p->output_tensors)
        return true;
    delegate_params_free(p);
    return false;
}

void delegate_kernel_close(struct interpreter *in, struct node *node)
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

/* The kernel is in in->nodes as soon as there is something to undo. */
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
        delegate_kernel_close(in, node);
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

enum status delegate_kernel_prepare(struct interpreter *in, struct node *node, struct diag *diag)
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
    return report_fail_quoting(in, diag, STATUS_DEVICE,
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

/* Kernels are counted in the order of the plan. */
static void number_kernels(struct interpreter *in)
{
    int partition = 0;

    for (size_t i = 0; i < in->plan_count; i++)
        if (!in->nodes[in->plan[i]]->op)
            in->nodes[in->plan[i]]->partition = partition++;
}

/* The plan changes only when all kernels are open: until then, and when one fails, a delegate sees
 * the plan as it was. */
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
    number_kernels(in);
    in->prepared = in->allocated = false;
    return STATUS_OK;
}

enum status delegate_kernel_replace(struct interpreter *in, const TfLiteRegistration *registration,
                                    const TfLiteIntArray *nodes, TfLiteDelegate *delegate,
                                    struct diag *diag)
{
    struct arena memory = { 0 };
    const enum status s = replace_in(in, registration, nodes, delegate, &memory, diag);

    arena_close(&memory);
    return s;
}

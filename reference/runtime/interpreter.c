/* Opening, closing and looking at an interpreter; what it says and to whom. */
#include "reference/runtime/interpreter.h"

#include "reference/base/memory.h"
#include "reference/runtime/impl.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum status interpreter_open(struct interpreter **out, const struct model *model,
                             const struct interpreter_options *options, struct diag *diag)
{
    struct interpreter *in = mem_alloc(1, sizeof *in);
    enum status s;

    *out = NULL;
    if (!in)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for an interpreter");
    in->model = model;
    in->options = options ? *options : (struct interpreter_options){ .num_threads = -1 };
    in->quote_reports = true;
    atomic_init(&in->cancelled, false);
    s = graph_build(in, diag);
    if (s != STATUS_OK) {
        interpreter_close(in);
        return s;
    }
    context_init(in);
    /* Shapes as the file has them may not fit before the inputs are resized: whoever needs the
     * shapes prepares again and says what is wrong then. */
    s = prepare_plan(in, NULL);
    if (s == STATUS_NO_MEMORY) {
        interpreter_close(in);
        return diag_fail(diag, s, "no memory to prepare the graph");
    }
    *out = in;
    return STATUS_OK;
}

/* Order: kernels, buffer handles, memory; the delegates themselves are the caller's. */
void interpreter_close(struct interpreter *in)
{
    if (!in)
        return;
    delegates_forget(in);
    for (size_t i = 0; i < in->tensor_count; i++) {
        handle_free(in, &in->tensors[i]);
        mem_free(in->tensors[i].dims);
    }
    context_drop_views(in);
    memory_close(in);
    mem_free(in->delegates);
    mem_free(in->nodes);
    mem_free(in->plan);
    mem_free(in->info);
    mem_free(in->tensors);
    arena_close(&in->arena);
    mem_free(in);
}

/* ---- looking ---- */

const struct model *interpreter_model(const struct interpreter *in)
{
    return in->model;
}

size_t interpreter_tensor_count(const struct interpreter *in)
{
    return in->tensor_count;
}

TfLiteTensor *interpreter_tensor(struct interpreter *in, int index)
{
    return index >= 0 && (size_t)index < in->tensor_count ? &in->tensors[index] : NULL;
}

const int *interpreter_inputs(const struct interpreter *in, size_t *count)
{
    *count = in->input_count;
    return in->inputs;
}

const int *interpreter_outputs(const struct interpreter *in, size_t *count)
{
    *count = in->output_count;
    return in->outputs;
}

const int *interpreter_variables(const struct interpreter *in, size_t *count)
{
    *count = in->variable_count;
    return in->variables;
}

static const struct node *model_node(const struct interpreter *in, int node)
{
    return node >= 0 && (size_t)node < in->model_nodes ? in->nodes[node] : NULL;
}

size_t interpreter_node_count(const struct interpreter *in)
{
    return in->model_nodes;
}

const struct ref_op *interpreter_node_op(const struct interpreter *in, int node)
{
    const struct node *n = model_node(in, node);

    return n ? n->op : NULL;
}

const TfLiteNode *interpreter_node(const struct interpreter *in, int node)
{
    const struct node *n = model_node(in, node);

    return n ? &n->abi : NULL;
}

int32_t interpreter_node_version(const struct interpreter *in, int node)
{
    const struct node *n = model_node(in, node);

    return n ? n->version : 0;
}

/* Kernels are counted in the order of the plan. */
int interpreter_node_partition(const struct interpreter *in, int node)
{
    const struct node *n = model_node(in, node);
    int partition = 0;

    if (!n || n->kernel < 0)
        return -1;
    for (size_t i = 0; i < in->plan_count; i++) {
        if (in->plan[i] == n->kernel)
            return partition;
        partition += !in->nodes[in->plan[i]]->op;
    }
    return -1;
}

int interpreter_partition_count(const struct interpreter *in)
{
    int count = 0;

    for (size_t i = 0; i < in->plan_count; i++)
        count += !in->nodes[in->plan[i]]->op;
    return count;
}

size_t interpreter_arena_bytes(const struct interpreter *in)
{
    return in->arena_bytes;
}

/* ---- saying ---- */

const char *node_name(const struct node *node)
{
    const char *name = node->op ? builtin_name(node->op->code) : node->registration.custom_name;

    return name ? name : "unnamed";
}

void report_clear(struct interpreter *in)
{
    in->last_report[0] = '\0';
}

void interpreter_report_v(struct interpreter *in, const char *format, va_list args)
{
    va_list again;
    size_t length;

    va_copy(again, args);
    vsnprintf(in->last_report, sizeof in->last_report, format, again);
    va_end(again);
    length = strlen(in->last_report);
    while (length > 0 && in->last_report[length - 1] == '\n')
        in->last_report[--length] = '\0';
    if (in->options.report)
        in->options.report(in->options.report_user, format, args);
    else
        fprintf(stderr, "%s\n", in->last_report);
}

void interpreter_report(struct interpreter *in, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    interpreter_report_v(in, format, args);
    va_end(args);
}

enum status interpreter_fail_quoting(struct interpreter *in, struct diag *diag, enum status s,
                                     const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (in->quote_reports && in->last_report[0])
        return diag_fail(diag, s, "%s: %s", text, in->last_report);
    return diag_fail(diag, s, "%s", text);
}

/* ---- int arrays, as the ABI has them: one block, freed with free() ---- */

TfLiteIntArray *int_array_new(int n)
{
    TfLiteIntArray *array = n < 0 ? NULL : mem_alloc((size_t)n + 1, sizeof(int));

    if (array)
        array->size = n;
    return array;
}

TfLiteIntArray *int_array_copy(const int *data, size_t count)
{
    TfLiteIntArray *array = count > INT_MAX ? NULL : int_array_new((int)count);

    if (array && count)
        memcpy(array->data, data, count * sizeof(int));
    return array;
}

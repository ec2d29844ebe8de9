/* The interpreter's public functions: opening and closing, the order of use (delegates, shapes,
 * memory, run), and queries.  The work is done in the other files of this room. */
#include "reference/runtime/interpreter.h"
#include "reference/runtime/quantization.h"

#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/runtime/delegates.h"
#include "reference/runtime/handles.h"
#include "reference/runtime/int_array.h"
#include "reference/runtime/node_kernel.h"
#include "reference/runtime/prepare.h"
#include "reference/runtime/report.h"
#include "reference/runtime/special.h"
#include "reference/runtime/tensor_memory.h"

#include <stdlib.h>

static enum status open_special(struct interpreter *in, struct diag *diag)
{
    for (size_t i = 0; i < in->model_nodes; i++) {
        struct node *const node = in->nodes[i];

        node->opened = true;
        if (node->special && node->special->open)
            TRY(node->special->open(in, node, diag));
    }
    in->options.kernels = NULL; /* the caller's, and read */
    in->options.kernel_count = 0;
    return STATUS_OK;
}

static void close_special(struct interpreter *in)
{
    for (size_t i = 0; i < in->model_nodes; i++)
        if (in->nodes[i]->opened && in->nodes[i]->special && in->nodes[i]->special->close)
            in->nodes[i]->special->close(in, in->nodes[i]);
}

static enum status open_body(struct interpreter *caller, size_t index, struct interpreter **out,
                             struct diag *diag);

/* caller: NULL for the primary subgraph. */
static enum status open_graph(struct interpreter **out, const struct model *model, size_t index,
                              struct interpreter *caller, const struct interpreter_options *options,
                              struct diag *diag)
{
    struct interpreter *in = mem_alloc(1, sizeof *in);
    struct diag why = { .status = STATUS_OK };
    enum status s = STATUS_OK;

    *out = NULL;
    if (!in)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for an interpreter");
    in->model = model;
    in->graph_index = index;
    in->options = *options;
    in->caller = caller;
    in->root = caller ? caller->root : options->beside ? options->beside->root : in;
    in->open_body = open_body;
    in->height = 1;
    in->guard_byte = INTERPRETER_GUARD_BYTE;
    in->quote_reports = true;
    atomic_init(&in->cancelled, false);
    s = build_graph(in, diag);
    if (s == STATUS_OK) {
        context_init(in);
        s = open_special(in, diag);
    }
    if (s != STATUS_OK) {
        interpreter_close(in);
        return s;
    }
    /* The shapes of the file may not fit before the inputs are resized: a function that needs
     * shapes prepares again and reports what is wrong. */
    s = prepare_plan(in, &why);
    if (s == STATUS_NO_MEMORY) {
        interpreter_close(in);
        return diag_fail(diag, s, "%s", why.text);
    }
    *out = in;
    return STATUS_OK;
}

static enum status open_body(struct interpreter *caller, size_t index, struct interpreter **out,
                             struct diag *diag)
{
    return open_graph(out, caller->model, index, caller, &caller->options, diag);
}

/* ASSAY_MAX_ITERATIONS goes before the limit loop_iterations, where it is a number. */
static uint32_t iterations_limit(void)
{
    const char *const text = getenv("ASSAY_MAX_ITERATIONS");
    const uint64_t limit = limit_of(LIMIT_LOOP_ITERATIONS);
    char *end = NULL;
    const unsigned long value = text ? strtoul(text, &end, 10) : 0;

    return text && end != text && *end == '\0' && value > 0 && value <= UINT32_MAX ? (uint32_t)value
           : limit < UINT32_MAX                                                    ? (uint32_t)limit
                                                                                   : UINT32_MAX;
}

enum status interpreter_open(struct interpreter **out, const struct model *model,
                             const struct interpreter_options *options, struct diag *diag)
{
    struct interpreter_options own =
        options ? *options : (struct interpreter_options){ .num_threads = -1 };

    if (own.max_iterations == 0)
        own.max_iterations = iterations_limit();
    *out = NULL;
    if (own.graph > 0 && own.graph >= model->subgraph_count)
        return diag_fail(diag, STATUS_INVALID, "subgraph %zu of %zu", own.graph,
                         model->subgraph_count);
    return open_graph(out, model, own.graph, NULL, &own, diag);
}

/* Order: delegate kernels, bodies, buffer handles, memory.  The delegates themselves are the
 * caller's. */
void interpreter_close(struct interpreter *in)
{
    if (!in)
        return;
    delegates_forget(in);
    close_special(in);
    for (size_t i = 0; i < in->body_count; i++)
        interpreter_close(in->bodies[i]);
    mem_free(in->bodies);
    lookup_close(&in->body_of);
    resources_close(&in->resources);
    for (size_t i = 0; i < in->tensor_count; i++) {
        handle_free(in, &in->tensors[i]);
        mem_free(in->tensors[i].dims);
        quantization_free(&in->tensors[i].quantization);
    }
    for (size_t i = 0; i < in->model_nodes; i++)
        mem_free(in->nodes[i] ? in->nodes[i]->carry.at : NULL);
    context_drop_views(in);
    tensor_memory_close(in);
    mem_free(in->delegates);
    mem_free(in->nodes);
    mem_free(in->plan);
    mem_free(in->info);
    mem_free(in->tensors);
    arena_close(&in->arena);
    mem_free(in);
}

/* ---- delegates, shapes, runs ---- */

enum status interpreter_apply_delegate(struct interpreter *in, TfLiteDelegate *delegate,
                                       TfLiteStatus *code, struct diag *diag)
{
    return delegates_apply(in, delegate, code, diag);
}

enum status interpreter_offer_delegate(struct interpreter *in, TfLiteDelegate *delegate,
                                       struct diag *diag)
{
    struct diag why = { .status = STATUS_OK };
    TfLiteStatus code = kTfLiteOk;
    const enum status s = delegates_apply(in, delegate, &code, &why);

    if (s == STATUS_OK)
        return s;
    if (s != STATUS_UNSUPPORTED || code != kTfLiteApplicationError)
        return diag_fail(diag, s, "%s", why.text);
    report_send(in, "WARNING: %s", why.text);
    return STATUS_OK;
}

enum status interpreter_allocate(struct interpreter *in, struct diag *diag)
{
    in->code = kTfLiteOk;
    TRY(delegates_redo(in, diag));
    if (in->allocated)
        return prepare_check_custom(in, diag);
    return prepare_and_allocate(in, diag);
}

enum status interpreter_resize_input(struct interpreter *in, int tensor, const int32_t *dims,
                                     int rank, struct diag *diag)
{
    TfLiteTensor *t = interpreter_tensor(in, tensor);
    TfLiteIntArray *copy;
    size_t bytes;

    in->code = kTfLiteOk;
    if (!t || !in->info[tensor].is_input)
        return diag_fail(diag, STATUS_USAGE, "tensor %d, expected an input of the graph", tensor);
    if (rank < 0 || (rank > 0 && !dims) || !tensor_bytes(t->type, dims, (size_t)rank, &bytes))
        return diag_fail(
            diag, STATUS_USAGE,
            "tensor %d (%s): negative rank or dimension, or more bytes than can be counted", tensor,
            t->name);
    if (t->allocation_type == kTfLiteMmapRo)
        return diag_fail(diag, STATUS_USAGE,
                         "tensor %d (%s) is constant, expected one that can be resized", tensor,
                         t->name);
    copy = int_array_copy(dims, (size_t)rank);
    if (!copy)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a shape");
    if (t->data.raw && tensor_same_dims(t->dims, copy)) {
        mem_free(copy);
        return STATUS_OK;
    }
    if (in->immutable)
        delegates_undo(in);
    in->prepared = false;
    in->allocated = false;
    return tensor_set_dims(in, tensor, copy, diag);
}

enum status interpreter_invoke(struct interpreter *in, struct diag *diag)
{
    return invoke_plan(in, diag);
}

enum status interpreter_cancel(struct interpreter *in)
{
    if (!in->options.cancellable)
        return STATUS_USAGE;
    atomic_store(&in->root->cancelled, true);
    return STATUS_OK;
}

static void reset_variables(struct interpreter *in)
{
    for (size_t i = 0; i < in->variable_count; i++)
        tensor_memory_reset_variable(&in->tensors[in->variables[i]]);
    for (size_t i = 0; i < in->model_nodes; i++) {
        const struct ref_carry *const carry = &in->nodes[i]->carry;

        for (size_t k = 0; k < carry->count; k++)
            carry->at[k] = 0;
    }
}

enum status interpreter_reset_variables(struct interpreter *in)
{
    for (size_t i = 0; i < in->variable_count; i++)
        if (!in->tensors[in->variables[i]].data.raw)
            return STATUS_USAGE;
    reset_variables(in);
    for (size_t i = 0; i < in->body_count; i++)
        reset_variables(in->bodies[i]); /* those without memory are reset when they get it */
    return STATUS_OK;
}

enum status interpreter_reset_state(struct interpreter *in)
{
    TRY(interpreter_reset_variables(in));
    resources_forget(&in->resources);
    for (size_t i = 0; i < in->body_count; i++)
        in->bodies[i]->called = false;
    return STATUS_OK;
}

enum status interpreter_eval_node(struct interpreter *in, int node, struct ref_detail *detail,
                                  struct diag *diag)
{
    return invoke_node(in, node, detail, diag);
}

void interpreter_set_guards(struct interpreter *in, unsigned char byte)
{
    in->guard_byte = byte;
    tensor_memory_fill_guards(in);
    for (size_t i = 0; i < in->body_count; i++)
        interpreter_set_guards(in->bodies[i], byte);
}

enum status interpreter_check_guards(const struct interpreter *in, struct diag *diag)
{
    for (size_t i = 0; i < in->body_count; i++)
        TRY(diag_prefix(diag, interpreter_check_guards(in->bodies[i], diag), "subgraph %zu",
                        in->bodies[i]->graph_index));
    return tensor_memory_check_guards(in, diag);
}

/* ---- data elsewhere ---- */

enum status interpreter_make_readable(struct interpreter *in, int tensor, struct diag *diag)
{
    return handle_make_readable(in, tensor, diag);
}

void interpreter_allow_buffer_handles(struct interpreter *in, bool allow)
{
    in->allow_handles = allow;
}

enum status interpreter_set_buffer_handle(struct interpreter *in, int tensor, int handle,
                                          TfLiteDelegate *delegate, struct diag *diag)
{
    return handle_set(in, tensor, handle, delegate, diag);
}

enum status interpreter_set_custom(struct interpreter *in, int tensor, void *data, size_t bytes,
                                   bool skip_align, struct diag *diag)
{
    return handle_set_custom(in, tensor, data, bytes, skip_align, diag);
}

/* ---- queries ---- */

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
    return state_tensor(in, index);
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

bool interpreter_has_op(const struct model_opcode *opcode)
{
    const struct node_kernel *const special = special_find(opcode->code);
    const struct ref_op *op = special ? &special->op : NULL;

    if (opcode->code == BUILTIN_CUSTOM)
        op = opcode->custom_code.text ? ref_find_custom(opcode->custom_code.text) : NULL;
    else if (!op)
        op = ref_find(opcode->code);
    return op && opcode->version >= 1 && opcode->version <= op->max_version;
}

const char *interpreter_node_reason(const struct interpreter *in, int node)
{
    const struct node *n = model_node(in, node);

    return n ? n->reason : NULL;
}

const char *interpreter_node_name(const struct interpreter *in, int node)
{
    const struct node *n = model_node(in, node);

    return n ? node_name(n) : "?";
}

int32_t interpreter_node_version(const struct interpreter *in, int node)
{
    const struct node *n = model_node(in, node);

    return n ? n->version : 0;
}

int interpreter_node_partition(const struct interpreter *in, int node)
{
    const struct node *n = model_node(in, node);

    return n && n->kernel >= 0 ? in->nodes[n->kernel]->partition : -1;
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

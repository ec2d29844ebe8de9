/* IF, WHILE and CALL_ONCE; STABLEHLO_COMPOSITE where a model keeps it (format/composite.h).
 *
 * The outputs of a node have the shapes of its bodies' outputs, where these are known before they
 * run, and do not change from run to run; else all of them are dynamic.
 * Meaning: tflite/kernels/if.cc, while.cc, call_once.cc, stablehlo_composite.cc */
#include "reference/runtime/special.h"

#include "reference/base/memory.h"
#include "reference/runtime/body.h"
#include "reference/runtime/prepare.h"
#include "reference/runtime/report.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <stdio.h>

/* The bodies of a node. */
struct bodies {
    struct interpreter *first, *second; /* then and else; cond and body; init and none */
};

static enum status fail(const struct node *node, struct diag *diag, enum status s,
                        const char *format, ...) PRINTF_LIKE(4, 5);

static enum status fail(const struct node *node, struct diag *diag, enum status s,
                        const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return diag_fail(diag, s, "%s: node %d: %s", node_name(node), node->index, text);
}

/* ---- opening ---- */

static enum status open_bodies(struct interpreter *in, struct node *node, int32_t first,
                               int32_t second, struct diag *diag)
{
    struct bodies *const b = ARENA_NEW(&in->arena, 1, struct bodies);

    if (!b)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a graph");
    node->bodies = b;
    node->abi.might_have_side_effect = true;
    TRY(body_open(in, node, first, &b->first, diag));
    return second < 0 ? STATUS_OK : body_open(in, node, second, &b->second, diag);
}

static void read_if(const struct options *options, void *params)
{
    *(TfLiteIfParams *)params =
        (TfLiteIfParams){ .then_subgraph_index = options_int(options, "then_subgraph_index"),
                          .else_subgraph_index = options_int(options, "else_subgraph_index") };
}

static void read_while(const struct options *options, void *params)
{
    *(TfLiteWhileParams *)params =
        (TfLiteWhileParams){ .cond_subgraph_index = options_int(options, "cond_subgraph_index"),
                             .body_subgraph_index = options_int(options, "body_subgraph_index") };
}

static void read_call_once(const struct options *options, void *params)
{
    *(TfLiteCallOnceParams *)params = (TfLiteCallOnceParams){ .init_subgraph_index = options_int(
                                                                  options, "init_subgraph_index") };
}

static void read_composite(const struct options *options, void *params)
{
    TfLiteStablehloCompositeParams *const p = params;

    p->name = options_text(options, "name");
    p->subgraph_index = options_int(options, "decomposition_subgraph_index");
    p->attributes = options_bytes(options, "composite_attributes", &p->attributes_size);
    p->version = options_int(options, "version");
}

/* ---- shapes ---- */

static struct body_values inputs_from(struct interpreter *in, const struct node *node, int first)
{
    return (struct body_values){ in, node->in + first, (size_t)(node->in_count - first) };
}

/* As many outputs as the node, of its types. */
static enum status check_outputs(const struct node *node, const struct interpreter *body,
                                 struct diag *diag)
{
    if (body->output_count != (size_t)node->out_count)
        return fail(node, diag, STATUS_INVALID, "subgraph %zu has %zu outputs, expected %d",
                    body->graph_index, body->output_count, node->out_count);
    for (int i = 0; i < node->out_count; i++)
        if (body->output_tensors[i]->type != node->out[i]->type)
            return fail(node, diag, STATUS_INVALID,
                        "output %d of subgraph %zu is %s, expected %s as the node's", i,
                        body->graph_index, runtime_type_name(body->output_tensors[i]->type),
                        runtime_type_name(node->out[i]->type));
    return STATUS_OK;
}

static enum status take_shapes(struct interpreter *in, const struct node *node,
                               const struct interpreter *body, bool known, struct diag *diag)
{
    for (int i = 0; i < node->out_count; i++) {
        const TfLiteTensor *const t = body->output_tensors[i];
        struct ref_shape *const shape = &in->shapes[i];

        if (!known) {
            shape->dynamic = true;
            continue;
        }
        if (ref_rank(t) > REF_MAX_RANK)
            return fail(node, diag, STATUS_UNSUPPORTED,
                        "output %d has rank %d, expected at most %d", i, ref_rank(t), REF_MAX_RANK);
        shape->rank = ref_rank(t);
        for (int d = 0; d < shape->rank; d++)
            shape->dims[d] = ref_dim(t, d);
    }
    return STATUS_OK;
}

static enum status prepare_body(struct interpreter *in, const struct node *node,
                                struct interpreter *body, int first_input, struct diag *diag)
{
    const struct body_values inputs = inputs_from(in, node, first_input);

    return diag_prefix(diag, body_prepare(body, &inputs, diag), "%s: node %d", node_name(node),
                       node->index);
}

/* ---- IF ---- */

static enum status if_open(struct interpreter *in, struct node *node, struct diag *diag)
{
    const TfLiteIfParams *const p = node->op_params;

    return open_bodies(in, node, p->then_subgraph_index,
                       p->else_subgraph_index < 0 ? INT32_MAX : p->else_subgraph_index, diag);
}

static enum status if_prepare(struct interpreter *in, struct node *node, bool late,
                              struct diag *diag)
{
    const struct bodies *const b = node->bodies;
    const TfLiteTensor *const cond = node->in[0];
    bool known;

    (void)late;
    if (cond->type != kTfLiteBool || ref_elements(cond) != 1)
        return fail(node, diag, STATUS_INVALID,
                    "input 0 (condition): %zu elements of %s, expected 1 of bool",
                    ref_elements(cond), runtime_type_name(cond->type));
    TRY(check_outputs(node, b->first, diag));
    TRY(check_outputs(node, b->second, diag));
    TRY(prepare_body(in, node, b->first, 1, diag));
    known = !b->first->has_dynamic;
    /* Both branches may be one subgraph, so the first's outputs are read before. */
    TRY(take_shapes(in, node, b->first, known, diag));
    TRY(prepare_body(in, node, b->second, 1, diag));
    known = known && !b->second->has_dynamic;
    for (int i = 0; i < node->out_count && known; i++)
        known =
            tensor_same_dims(b->first->output_tensors[i]->dims, b->second->output_tensors[i]->dims);
    return known ? STATUS_OK : take_shapes(in, node, b->first, false, diag);
}

/* By its byte: constants of a file may have others than 0 and 1, which a bool may not. */
static bool is_true(const TfLiteTensor *condition)
{
    return condition->data.uint8[0] != 0;
}

/* Its inputs are those of the node from first_input on. */
static enum status run_body(struct interpreter *in, struct node *node, struct interpreter *body,
                            int first_input, struct diag *diag)
{
    const struct body_values inputs = inputs_from(in, node, first_input);
    const struct body_values outputs = body_outputs(body);
    enum status s = body_set_inputs(body, &inputs, diag);

    if (s == STATUS_OK)
        s = body_run(body, diag);
    TRY(diag_prefix(diag, s, "%s: node %d", node_name(node), node->index));
    return body_get_outputs(&outputs, in, node, diag);
}

static enum status if_run(struct interpreter *in, struct node *node, struct diag *diag)
{
    const struct bodies *const b = node->bodies;

    return run_body(in, node, is_true(node->in[0]) ? b->first : b->second, 1, diag);
}

/* ---- WHILE ---- */

static enum status while_open(struct interpreter *in, struct node *node, struct diag *diag)
{
    const TfLiteWhileParams *const p = node->op_params;

    if (p->cond_subgraph_index == p->body_subgraph_index)
        return fail(node, diag, STATUS_INVALID,
                    "subgraph %d is condition and body, expected two subgraphs",
                    p->cond_subgraph_index);
    return open_bodies(in, node, p->cond_subgraph_index,
                       p->body_subgraph_index < 0 ? INT32_MAX : p->body_subgraph_index, diag);
}

/* A scalar and a tensor of shape [1] hold the same. */
static bool holds_the_same(const TfLiteTensor *a, const TfLiteTensor *b)
{
    return tensor_same_dims(a->dims, b->dims) ||
           (ref_rank(a) + ref_rank(b) == 1 && ref_elements(a) == 1 && ref_elements(b) == 1);
}

static enum status check_condition(const struct node *node, const struct interpreter *cond,
                                   struct diag *diag)
{
    const TfLiteTensor *t;

    if (cond->output_count != 1)
        return fail(node, diag, STATUS_INVALID,
                    "subgraph %zu (condition) has %zu outputs, "
                    "expected 1",
                    cond->graph_index, cond->output_count);
    t = cond->output_tensors[0];
    if (t->type != kTfLiteBool ||
        (t->allocation_type != kTfLiteDynamic && (ref_elements(t) != 1 || ref_rank(t) > 1)))
        return fail(node, diag, STATUS_INVALID,
                    "subgraph %zu (condition) gives %zu elements of %s, rank %d, expected 1 of "
                    "bool, rank at most 1",
                    cond->graph_index, ref_elements(t), runtime_type_name(t->type), ref_rank(t));
    return STATUS_OK;
}

static enum status while_prepare(struct interpreter *in, struct node *node, bool late,
                                 struct diag *diag)
{
    const struct bodies *const b = node->bodies;
    bool known;

    (void)late;
    if (node->in_count != node->out_count)
        return fail(node, diag, STATUS_INVALID, "%d inputs and %d outputs, expected as many",
                    node->in_count, node->out_count);
    TRY(check_outputs(node, b->second, diag));
    TRY(prepare_body(in, node, b->first, 0, diag));
    TRY(check_condition(node, b->first, diag));
    TRY(prepare_body(in, node, b->second, 0, diag));
    for (int i = 0; i < node->in_count; i++)
        if (node->in[i]->type != node->out[i]->type)
            return fail(node, diag, STATUS_INVALID, "input %d is %s, expected %s as output %d", i,
                        runtime_type_name(node->in[i]->type), runtime_type_name(node->out[i]->type),
                        i);
    known = !b->second->has_dynamic;
    for (int i = 0; i < node->in_count && known; i++)
        known = holds_the_same(node->in[i], b->second->output_tensors[i]);
    return take_shapes(in, node, b->second, known, diag);
}

/* Runs the condition, whose inputs hold the newest values. */
static enum status holds(const struct node *node, struct interpreter *cond, bool *result,
                         struct diag *diag)
{
    TRY(body_run(cond, diag));
    TRY(check_condition(node, cond, diag));
    if (cond->output_tensors[0]->bytes != 1 || !cond->output_tensors[0]->data.raw)
        return fail(node, diag, STATUS_INVALID, "subgraph %zu (condition) gives no value",
                    cond->graph_index);
    *result = is_true(cond->output_tensors[0]);
    return STATUS_OK;
}

static enum status loop(struct interpreter *in, struct node *node, struct diag *diag)
{
    const struct bodies *const b = node->bodies;
    const uint32_t limit = in->root->options.max_iterations;
    const struct body_values start = inputs_from(in, node, 0);
    const struct body_values state = body_inputs(b->first), next = body_outputs(b->second);

    TRY(body_set_inputs(b->first, &start, diag));
    for (uint32_t i = 0;; i++) {
        bool more = false;

        TRY(holds(node, b->first, &more, diag));
        if (!more)
            return STATUS_OK;
        if (i == limit)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "the condition (subgraph %zu) still holds after %u iterations, the "
                             "limit (ASSAY_MAX_ITERATIONS sets another)",
                             b->first->graph_index, limit);
        TRY(body_set_inputs(b->second, &state, diag));
        TRY(body_run(b->second, diag));
        TRY(body_set_inputs(b->first, &next, diag));
    }
}

static enum status while_run(struct interpreter *in, struct node *node, struct diag *diag)
{
    const struct bodies *const b = node->bodies;
    const struct body_values state = body_inputs(b->first);

    TRY(diag_prefix(diag, loop(in, node, diag), "%s: node %d", node_name(node), node->index));
    return body_get_outputs(&state, in, node, diag);
}

/* ---- CALL_ONCE ---- */

static enum status call_once_open(struct interpreter *in, struct node *node, struct diag *diag)
{
    const TfLiteCallOnceParams *const p = node->op_params;

    return open_bodies(in, node, p->init_subgraph_index, -1, diag);
}

static enum status call_once_prepare(struct interpreter *in, struct node *node, bool late,
                                     struct diag *diag)
{
    const struct interpreter *const body = node->bodies->first;

    (void)in;
    (void)late;
    if (body->input_count != 0 || body->output_count != 0)
        return fail(node, diag, STATUS_INVALID,
                    "subgraph %zu has %zu inputs and %zu outputs, expected none", body->graph_index,
                    body->input_count, body->output_count);
    return STATUS_OK;
}

static enum status call_once_run(struct interpreter *in, struct node *node, struct diag *diag)
{
    struct interpreter *const body = node->bodies->first;
    const struct body_values none = { in, NULL, 0 };
    enum status s;

    if (body->called)
        return STATUS_OK;
    s = body_set_inputs(body, &none, diag);
    if (s == STATUS_OK)
        s = body_run(body, diag);
    body->called = s == STATUS_OK;
    return diag_prefix(diag, s, "%s: node %d", node_name(node), node->index);
}

/* ---- STABLEHLO_COMPOSITE ---- */

static enum status composite_open(struct interpreter *in, struct node *node, struct diag *diag)
{
    const TfLiteStablehloCompositeParams *const p = node->op_params;

    if (!p->name || !p->attributes)
        return fail(node, diag, STATUS_INVALID, "%s: absent",
                    p->name ? "composite_attributes" : "name");
    TRY(open_bodies(in, node, p->subgraph_index, -1, diag));
    node->abi.might_have_side_effect = false; /* as in the runtime */
    return STATUS_OK;
}

static enum status composite_prepare(struct interpreter *in, struct node *node, bool late,
                                     struct diag *diag)
{
    struct interpreter *const body = node->bodies->first;

    (void)late;
    TRY(check_outputs(node, body, diag));
    TRY(prepare_body(in, node, body, 0, diag));
    return take_shapes(in, node, body, !body->has_dynamic, diag);
}

static enum status composite_run(struct interpreter *in, struct node *node, struct diag *diag)
{
    return run_body(in, node, node->bodies->first, 0, diag);
}

const struct node_kernel kernel_composite = {
    .op = { .name = "stablehlo_composite",
            .code = BUILTIN_STABLEHLO_COMPOSITE,
            .max_version = 1,
            .options_tag = OPTIONS_StableHLOCompositeOptions,
            .params_bytes = sizeof(TfLiteStablehloCompositeParams),
            .max_inputs = -1,
            .max_outputs = -1,
            .read_params = read_composite },
    .open = composite_open,
    .prepare = composite_prepare,
    .run = composite_run,
};

const struct node_kernel kernel_if = {
    .op = { .name = "if",
            .code = BUILTIN_IF,
            .max_version = 1,
            .options_tag = OPTIONS_IfOptions,
            .params_bytes = sizeof(TfLiteIfParams),
            .min_inputs = 1,
            .max_inputs = -1,
            .max_outputs = -1,
            .read_params = read_if },
    .open = if_open,
    .prepare = if_prepare,
    .run = if_run,
};

const struct node_kernel kernel_while = {
    .op = { .name = "while",
            .code = BUILTIN_WHILE,
            .max_version = 1,
            .options_tag = OPTIONS_WhileOptions,
            .params_bytes = sizeof(TfLiteWhileParams),
            .max_inputs = -1,
            .max_outputs = -1,
            .read_params = read_while },
    .open = while_open,
    .prepare = while_prepare,
    .run = while_run,
};

const struct node_kernel kernel_call_once = {
    .op = { .name = "call_once",
            .code = BUILTIN_CALL_ONCE,
            .max_version = 1,
            .options_tag = OPTIONS_CallOnceOptions,
            .params_bytes = sizeof(TfLiteCallOnceParams),
            .read_params = read_call_once },
    .open = call_once_open,
    .prepare = call_once_prepare,
    .run = call_once_run,
};

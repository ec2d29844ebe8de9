#include "delegate/graph/import.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/graph/variables.h"
#include "reference/base/blockwise.h"
#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/limits.h"
#include "reference/base/op_facts.h"
#include "reference/base/packed.h"
#include "reference/base/sparsity.h"

#include <math.h>
#include <string.h>

static bool is_constant_allocation(const TfLiteTensor *t)
{
    return t->allocation_type == kTfLiteMmapRo && t->data.raw != NULL;
}

/* Scales of blocks are a constant, which is no input of a node.  As below, what is malformed is
 * none. */
static void import_blocks(struct graph_tensor *to, const TfLiteContext *context, int tensor)
{
    const TfLiteTensor *const from = &context->tensors[tensor], *scales = NULL;
    const TfLiteBlockwiseQuantization *const q = from->quantization.params;
    struct blockwise b;
    struct blockwise_fault fault;
    size_t elements = 0;

    if (!q || to->rank != 2 || context->tensors_size > INT32_MAX)
        return;
    b = (struct blockwise){ .tensor = tensor,
                            .tensors = (int32_t)context->tensors_size,
                            .type = from->type,
                            .rank = (size_t)to->rank,
                            .dims = { to->dims[0], to->dims[1] },
                            .constant = to->data != NULL,
                            .dimension = q->quantized_dimension,
                            .scales = q->scale,
                            .zero_points = q->zero_point,
                            .block_size = q->blocksize };
    if (blockwise_in_range(&b)) {
        scales = &context->tensors[q->scale];
        b.scales_type = scales->type;
        if (scales->dims && scales->dims->size >= 0 && is_constant_allocation(scales) &&
            !scales->sparsity &&
            checked_elements(scales->dims->data, (size_t)scales->dims->size, &elements) &&
            elements <= scales->bytes / sizeof(uint16_t)) {
            b.scales_count = elements;
            b.scales_data = scales->data.raw;
        }
    }
    if (blockwise_check(&b, &fault) == STATUS_OK)
        to->quant =
            (struct graph_quant){ .block_scales = b.scales_data, .block = (size_t)b.block_size };
}

/* A tensor with malformed quantization parameters has none here, so that its nodes stay on the CPU.
 */
static enum status import_quant(struct graph *g, struct graph_tensor *to,
                                const TfLiteContext *context, int tensor, struct diag *diag)
{
    const TfLiteTensor *const from = &context->tensors[tensor];
    const TfLiteAffineQuantization *q = from->quantization.params;
    size_t inner = 1;
    int32_t *zero_points;
    int dimension;

    if (from->quantization.type == kTfLiteBlockwiseQuantization)
        import_blocks(to, context, tensor);
    if (from->quantization.type != kTfLiteAffineQuantization || !q || !q->scale || !q->zero_point ||
        q->scale->size < 1 || to->rank < 0 ||
        (q->zero_point->size != q->scale->size && q->zero_point->size != 1))
        return STATUS_OK;
    dimension = q->scale->size > 1 ? q->quantized_dimension : 0;
    if (q->scale->size > 1 &&
        (dimension < 0 || dimension >= to->rank || to->dims[dimension] != q->scale->size))
        return STATUS_OK;
    for (int i = 0; i < q->scale->size; i++)
        if (!(q->scale->data[i] > 0) || !isfinite(q->scale->data[i]))
            return STATUS_OK;
    for (int i = dimension + 1; i < to->rank; i++)
        inner *= (size_t)to->dims[i];
    if (q->scale->size == 1)
        inner = to->elements;
    to->quant = (struct graph_quant){
        .scale = arena_copy(&g->arena, q->scale->data, (size_t)q->scale->size, sizeof(float)),
        .count = (size_t)q->scale->size,
        .inner = inner > 0 ? inner : 1,
        .dimension = dimension,
    };
    to->quant.zero_point = zero_points = ARENA_NEW(&g->arena, to->quant.count, int32_t);
    if (!to->quant.scale || !zero_points)
        return diag_fail(diag, STATUS_NO_MEMORY, "scales of '%s': out of memory", to->name);
    for (size_t i = 0; i < to->quant.count; i++)
        zero_points[i] = q->zero_point->data[q->zero_point->size > 1 ? i : 0];
    return STATUS_OK;
}

void graph_import_shape(struct graph_tensor *to, const TfLiteTensor *from)
{
    to->rank = -1;
    to->elements = 0;
    if (!from->dims || from->dims->size < 0 || from->dims->size > GRAPH_MAX_RANK)
        return;
    if (!checked_elements(from->dims->data, (size_t)from->dims->size, &to->elements))
        return;
    to->rank = from->dims->size;
    memcpy(to->dims, from->dims->data, (size_t)to->rank * sizeof to->dims[0]);
}

static void import_tensor(struct graph_tensor *to, const TfLiteTensor *from)
{
    *to = (struct graph_tensor){
        .name = from->name ? from->name : "",
        .type = from->type,
        .producer = -1,
        .dequantized_from = -1,
        .is_variable = from->is_variable,
        .is_dynamic = from->allocation_type == kTfLiteDynamic,
        .is_prepared = from->allocation_type == kTfLitePersistentRo,
        .is_sparse = from->sparsity != NULL,
    };
    graph_import_shape(to, from);
    if (to->rank >= 0 && is_constant_allocation(from) && !to->is_sparse) {
        size_t bits;

        to->host_bytes = from->bytes;
        to->has_wrong_bytes = !checked_mul(to->elements, runtime_type_bits(from->type), &bits) ||
                              bits / 8 + (bits % 8 != 0) != from->bytes;
        if (!to->has_wrong_bytes)
            to->data = from->data.raw;
    }
}

/* A sparse constant is dense here.  What does not fit, or is over the limit, is left to the host.
 */
static enum status import_sparse(struct graph *g, struct graph_tensor *to, const TfLiteTensor *from,
                                 struct diag *diag)
{
    const size_t size = runtime_type_bits(from->type) / 8;
    struct sparse_layout layout;
    struct sparse_fault fault;
    uint64_t bytes;
    void *dense;

    if (!from->sparsity || !is_constant_allocation(from) || to->rank < 0 || size == 0 ||
        sparse_check_tensor(from, &layout, &fault) != STATUS_OK ||
        !checked_mul_u64(layout.elements, size, &bytes) ||
        bytes > limit_of(LIMIT_FOLDED_BYTES) - g->expanded_bytes)
        return STATUS_OK;
    g->expanded_bytes += bytes;
    if (!(dense = arena_alloc(&g->arena, layout.elements, size)))
        return diag_fail(diag, STATUS_NO_MEMORY, "'%s', which is sparse: out of memory", to->name);
    sparse_expand(&layout, from->data.raw, size, dense);
    to->data = dense;
    to->is_sparse = false;
    to->is_expanded = true;
    return STATUS_OK;
}

static enum status import_indices(struct graph *g, const TfLiteIntArray *from, bool optional,
                                  const struct graph_node *n, const char *what, const int **out,
                                  int *count, struct diag *diag)
{
    const int size = from ? from->size : 0;
    int *copy;

    if (size < 0)
        return diag_fail(diag, STATUS_INVALID, "node %d (%s): expected 0 or more %s, found %d",
                         n->host_node, n->name, what, size);
    for (int i = 0; i < size; i++)
        if (from->data[i] >= g->tensor_count || from->data[i] < (optional ? -1 : 0))
            return diag_fail(diag, STATUS_INVALID,
                             "node %d (%s): %s[%d]: expected a tensor below %d, found %d",
                             n->host_node, n->name, what, i, g->tensor_count, from->data[i]);
    copy = arena_copy(&g->arena, from ? from->data : NULL, (size_t)size, sizeof *copy);
    if (!copy)
        return diag_fail(diag, STATUS_NO_MEMORY, "node %d: out of memory", n->host_node);
    *out = copy;
    *count = size;
    return STATUS_OK;
}

/* An op such as WHILE may lack outputs that nobody reads; those that are planned here have all. */
static void drop_absent_outputs(struct graph_node *n)
{
    int *const outputs = (int *)(uintptr_t)n->outputs; /* this import's own copy */
    int kept = 0;

    for (int i = 0; i < n->output_count; i++)
        if (outputs[i] >= 0)
            outputs[kept++] = outputs[i];
    if (kept < n->output_count)
        n->op = NULL;
    n->output_count = kept;
}

/* The options of a custom op are bytes of the model, of any number and alignment: what they lack of
 * the parameter struct is 0, what is more is ignored, as in LiteRT's delegates. */
static enum status import_custom_params(struct graph *g, struct graph_node *n,
                                        const TfLiteNode *node, struct diag *diag)
{
    size_t bytes = n->op->params_bytes;
    uint8_t *const params = arena_alloc(&g->arena, 1, bytes);

    if (!params)
        return diag_fail(diag, STATUS_NO_MEMORY, "node %d: out of memory", n->host_node);
    if (!node->custom_initial_data || node->custom_initial_data_size < 0)
        bytes = 0;
    else if ((size_t)node->custom_initial_data_size < bytes)
        bytes = (size_t)node->custom_initial_data_size;
    if (bytes > 0)
        memcpy(params, node->custom_initial_data, bytes);
    n->params = params;
    return STATUS_OK;
}

static enum status import_node(struct graph *g, TfLiteContext *context, int host_node,
                               struct graph_node *n, struct diag *diag)
{
    TfLiteNode *node = NULL;
    TfLiteRegistration *registration = NULL;
    const char *name;

    if (context->GetNodeAndRegistration(context, host_node, &node, &registration) != kTfLiteOk ||
        !node || !registration)
        return diag_fail(diag, STATUS_INVALID,
                         "node %d: TfLiteContext.GetNodeAndRegistration failed", host_node);
    *n = (struct graph_node){
        .host_node = host_node,
        .code = registration->builtin_code == BUILTIN_CUSTOM
                    ? builtin_custom_row(registration->custom_name)
                    : registration->builtin_code,
        .version = registration->version,
        .params = node->builtin_data,
    };
    n->op = gpu_op_find(n->code);
    if (n->op && builtin_is_custom_row(n->code))
        TRY(import_custom_params(g, n, node, diag));
    name = builtin_name(n->code);
    if (n->code == BUILTIN_CUSTOM || !name)
        name = registration->custom_name ? registration->custom_name : "unknown";
    if (!(n->name = arena_string(&g->arena, name)))
        return diag_fail(diag, STATUS_NO_MEMORY, "node %d: out of memory", host_node);
    TRY(import_indices(g, node->inputs, true, n, "inputs", &n->inputs, &n->input_count, diag));
    TRY(import_indices(g, node->outputs, true, n, "outputs", &n->outputs, &n->output_count, diag));
    drop_absent_outputs(n);
    TRY(variables_import(g, n, node, registration, diag));
    return import_indices(g, node->intermediates, false, n, "intermediates", &n->intermediates,
                          &n->intermediate_count, diag);
}

/* A result of the file's constants alone is the same after every resize, unlike one of shapes. What
 * follows from such a result stays with the host, which computes it once. */
static bool follows_from_constants(const struct graph *g, const struct graph_node *n)
{
    for (int i = 0; i < n->input_count; i++)
        if (n->inputs[i] >= 0 && !g->tensors[n->inputs[i]].data)
            return false;
    return true;
}

/* The first node of each host index, since a host may repeat one. */
static enum status index_nodes(struct graph *g, struct diag *diag)
{
    int count = 0;
    int *at;

    for (int i = 0; i < g->node_count; i++)
        if (g->nodes[i].host_node >= count)
            count = g->nodes[i].host_node + 1;
    if (!(at = ARENA_NEW(&g->arena, (size_t)count, int)))
        return diag_fail(diag, STATUS_NO_MEMORY, "graph of %d nodes: out of memory", g->node_count);
    for (int i = 0; i < count; i++)
        at[i] = -1;
    for (int i = g->node_count - 1; i >= 0; i--)
        at[g->nodes[i].host_node] = i;
    g->node_at = at;
    g->host_node_count = count;
    return STATUS_OK;
}

/* Whether every element of the node's results is one of narrowed tensors. */
static bool moves_narrowed(const struct graph *g, const struct graph_node *n)
{
    const struct op_facts *const facts = op_facts_find(n->code);
    bool all = facts && n->op->selects;

    for (int i = all ? facts->first : 0;
         all && i < (facts->data == OP_ALL ? n->input_count : facts->first + facts->data); i++) {
        const struct graph_tensor *const x = graph_input(g, n, i);

        all = x && x->is_narrowed;
    }
    return all;
}

/* Whether a set of gpu_op.index_inputs or index_outputs has input (output) j: a node may have more
 * of them than the set has bits. */
static bool holds_indices(uint8_t set, int j)
{
    return j < 8 && set >> j & 1;
}

/* Whether the nodes that touch tensor t take its f32 for the bits of indices, all of them. */
static bool holds_index_bits(const struct graph *g, int t)
{
    const struct graph_node *const producer =
        g->tensors[t].producer >= 0 ? &g->nodes[g->tensors[t].producer] : NULL;
    int readers = 0;

    for (int j = 0; producer && j < producer->output_count; j++)
        if (producer->outputs[j] == t &&
            !(producer->op && holds_indices(producer->op->index_outputs, j)))
            return false;
    for (int i = 0; i < g->node_count; i++) {
        const struct graph_node *const n = &g->nodes[i];

        for (int j = 0; n->op && n->op->index_inputs && j < n->input_count; j++)
            readers += n->inputs[j] == t && holds_indices(n->op->index_inputs, j);
    }
    return readers == g->tensors[t].readers && !g->tensors[t].data;
}

/* Indices, in whatever type the host has them, become i32. */
static void narrow_indices(struct graph *g)
{
    for (int i = 0; i < g->node_count; i++) {
        const struct graph_node *const n = &g->nodes[i];
        const bool moves = n->op && moves_narrowed(g, n);

        for (int j = 0; n->op && n->op->index_inputs && j < n->input_count; j++)
            if (holds_indices(n->op->index_inputs, j) && n->inputs[j] >= 0 &&
                g->tensors[n->inputs[j]].type == kTfLiteFloat32 &&
                holds_index_bits(g, n->inputs[j]))
                g->tensors[n->inputs[j]].type = kTfLiteInt32;
        for (int j = 0; n->op && j < n->output_count; j++) {
            struct graph_tensor *const t = &g->tensors[n->outputs[j]];
            const bool indices = holds_indices(n->op->index_outputs, j);
            const bool bits = indices && n->op->index_bits;

            t->is_narrowed = t->type == kTfLiteInt64 && !bits && (indices || moves);
            if (t->is_narrowed ||
                (bits && t->type == kTfLiteFloat32 && holds_index_bits(g, n->outputs[j])))
                t->type = kTfLiteInt32;
        }
    }
}

/* Sets producers, and the constants that DENSIFY and DEQUANTIZE nodes convert, which readers then
 * use instead. */
static void link_producers(struct graph *g)
{
    graph_count_readers(g);
    for (int i = 0; i < g->node_count; i++) {
        const struct graph_node *n = &g->nodes[i];
        const bool is_constant = follows_from_constants(g, n);

        for (int j = 0; j < n->output_count; j++) {
            g->tensors[n->outputs[j]].producer = i;
            if (is_constant)
                g->tensors[n->outputs[j]].is_prepared = false;
        }
        if (n->op && n->op->densifies && n->input_count == 1 && n->output_count == 1 &&
            n->inputs[0] >= 0) {
            const struct graph_tensor *from = &g->tensors[n->inputs[0]];
            struct graph_tensor *to = &g->tensors[n->outputs[0]];

            if (from->is_expanded && to->type == from->type && graph_same_shape(to, from))
                to->data = from->data;
        }
        if (n->op && n->op->dequantizes && n->input_count == 1 && n->output_count == 1 &&
            n->inputs[0] >= 0) {
            const struct graph_tensor *from = &g->tensors[n->inputs[0]];
            struct graph_tensor *to = &g->tensors[n->outputs[0]];

            if (from->data && to->type == kTfLiteFloat32 && to->rank >= 0 &&
                (from->type == kTfLiteFloat16 || from->quant.block_scales ||
                 ((graph_is_8bit(from) || packed_bits(from->type) > 0) && from->quant.scale)) &&
                to->elements == from->elements)
                to->dequantized_from = n->inputs[0];
        }
    }
    narrow_indices(g);
}

enum status graph_import_again(struct graph *g, const struct graph *old,
                               const TfLiteContext *context, struct diag *diag)
{
    enum status s = STATUS_OK;

    *g = (struct graph){ .tensor_count = old->tensor_count,
                         .node_count = old->node_count,
                         .has_values = old->has_values };
    if ((size_t)old->tensor_count > context->tensors_size)
        return diag_fail(diag, STATUS_INVALID, "expected at least %d tensors, found %zu",
                         old->tensor_count, context->tensors_size);
    g->tensors = ARENA_NEW(&g->arena, (size_t)g->tensor_count, struct graph_tensor);
    g->nodes = arena_copy(&g->arena, old->nodes, (size_t)g->node_count, sizeof *g->nodes);
    if (!g->tensors || !g->nodes)
        s = diag_fail(diag, STATUS_NO_MEMORY, "graph of %d nodes: out of memory", g->node_count);
    for (int i = 0; i < g->tensor_count && s == STATUS_OK; i++) {
        struct graph_tensor *t = &g->tensors[i];

        import_tensor(t, &context->tensors[i]);
        t->name = old->tensors[i].name;
        t->is_dynamic = false;
        if ((s = import_sparse(g, t, &context->tensors[i], diag)) == STATUS_OK)
            s = import_quant(g, t, context, i, diag);
    }
    if (s == STATUS_OK)
        s = index_nodes(g, diag);
    if (s == STATUS_OK)
        link_producers(g);
    else
        graph_close(g);
    return s;
}

enum status graph_import(struct graph *g, TfLiteContext *context, struct diag *diag)
{
    TfLiteIntArray *plan = NULL;
    int *order;
    enum status s = STATUS_OK;

    *g = (struct graph){ 0 };
    if (context->GetExecutionPlan(context, &plan) != kTfLiteOk || !plan || plan->size < 0)
        return diag_fail(diag, STATUS_INVALID, "TfLiteContext.GetExecutionPlan failed");
    if (context->tensors_size > INT32_MAX)
        return diag_fail(diag, STATUS_INVALID, "expected at most %d tensors, found %zu", INT32_MAX,
                         context->tensors_size);
    g->tensor_count = (int)context->tensors_size;
    g->tensors = ARENA_NEW(&g->arena, context->tensors_size, struct graph_tensor);
    g->nodes = ARENA_NEW(&g->arena, (size_t)plan->size, struct graph_node);
    /* The host reuses its array in later calls of TfLiteContext. */
    order = arena_copy(&g->arena, plan->data, (size_t)plan->size, sizeof *order);
    if (!g->tensors || !g->nodes || !order) {
        s = diag_fail(diag, STATUS_NO_MEMORY, "graph of %d nodes: out of memory", plan->size);
        goto fail;
    }
    const int count = plan->size;
    for (int i = 0; i < g->tensor_count; i++) {
        import_tensor(&g->tensors[i], &context->tensors[i]);
        if (!(g->tensors[i].name = arena_string(&g->arena, g->tensors[i].name))) {
            s = diag_fail(diag, STATUS_NO_MEMORY, "tensor %d: out of memory", i);
            goto fail;
        }
        if ((s = import_sparse(g, &g->tensors[i], &context->tensors[i], diag)) != STATUS_OK ||
            (s = import_quant(g, &g->tensors[i], context, i, diag)) != STATUS_OK)
            goto fail;
    }
    for (int i = 0; i < count; i++, g->node_count++)
        if ((s = import_node(g, context, order[i], &g->nodes[i], diag)) != STATUS_OK)
            goto fail;
    if ((s = index_nodes(g, diag)) != STATUS_OK)
        goto fail;
    link_producers(g);
    if ((s = variables_link(g, diag)) == STATUS_OK)
        return STATUS_OK;
fail:
    graph_close(g);
    return s;
}

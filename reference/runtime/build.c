/* The model may come from a verified file or from a builder that checks nothing, so everything that
 * the interpreter relies on is checked here: indices in range, each tensor written at most once and
 * before it is read, constants as large as their shape says, ops known in their version. */
#include "reference/runtime/quantization.h"

#include "reference/base/blockwise.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/sparse.h"
#include "reference/runtime/foreign.h"
#include "reference/runtime/int_array.h"
#include "reference/runtime/prepare.h"
#include "reference/runtime/report.h"
#include "reference/runtime/special.h"
#include "reference/runtime/stand_in.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "no memory for the graph");
}

static const char *text_of(const struct model_string *s)
{
    return s->text ? s->text : "";
}

/* ---- tensors ---- */

static enum status tensor_fail(const struct interpreter *in, size_t index, struct diag *diag,
                               enum status s, const char *what, long long value)
{
    return diag_fail(diag, s, "tensor %zu (%s): %s %lld", index,
                     text_of(&in->graph->tensors[index].name), what, value);
}

static enum status fill_quantization(struct interpreter *in, size_t index, struct diag *diag)
{
    const struct model_quantization *q = &in->graph->tensors[index].quantization;
    TfLiteTensor *t = &in->tensors[index];
    TfLiteAffineQuantization *affine;
    const size_t n = q->scale.count;

    if (q->details_type == DETAILS_BLOCKWISE)
        return STATUS_OK; /* fill_blockwise, when the data of all tensors are known */
    if (q->details_type != DETAILS_NONE)
        return tensor_fail(in, index, diag, STATUS_UNSUPPORTED, "quantization details of kind",
                           q->details_type);
    if (n == 0)
        return STATUS_OK;
    if (n > INT_MAX || (q->zero_point.count != 0 && q->zero_point.count != n))
        return diag_fail(diag, STATUS_INVALID, "tensor %zu (%s): %zu scales and %zu zero points",
                         index, t->name, n, q->zero_point.count);
    affine = quantization_new(n);
    if (!affine)
        return no_memory(diag);
    t->quantization.type = kTfLiteAffineQuantization;
    t->quantization.params = affine;
    affine->quantized_dimension = q->quantized_dimension;
    memcpy(affine->scale->data, q->scale.data, n * sizeof(float));
    for (size_t i = 0; i < q->zero_point.count; i++) {
        const int64_t z = q->zero_point.data[i];
        if (z < INT32_MIN || z > INT32_MAX)
            return tensor_fail(in, index, diag, STATUS_INVALID, "zero point out of 32 bits:", z);
        affine->zero_point->data[i] = (int)z;
    }
    if (n == 1)
        t->params = (TfLiteQuantizationParams){ .scale = affine->scale->data[0],
                                                .zero_point = affine->zero_point->data[0] };
    return STATUS_OK;
}

static TfLiteIntArray *arena_ints(struct arena *a, const int32_t *data, size_t count)
{
    TfLiteIntArray *array;

    if (count > INT_MAX)
        return NULL;
    array = arena_alloc(a, count + 1, sizeof(int));
    if (!array)
        return NULL;
    array->size = (int)count;
    if (count)
        memcpy(array->data, data, count * sizeof(int));
    return array;
}

static TfLiteIntArray *own_ints(struct interpreter *in, struct model_ints v)
{
    return v.data ? arena_ints(&in->arena, v.data, v.count) : NULL;
}

/* What a delegate sees of a sparse constant: as in the runtime, its data are the stored values. */
static enum status fill_sparsity(struct interpreter *in, size_t index, size_t count,
                                 struct diag *diag)
{
    const struct model_tensor *const m = &in->graph->tensors[index];
    const struct model_sparsity *const from = &m->sparsity;
    TfLiteTensor *const t = &in->tensors[index];
    const size_t element = runtime_type_bits(t->type) / 8;
    TfLiteSparsity *to;
    struct sparse_layout layout;
    struct sparse_fault fault;
    enum status s;

    if (element == 0)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "tensor %zu (%s): sparse, expected a type of whole bytes", index, t->name);
    if ((s = sparse_check_model(m, &layout, &fault)) != STATUS_OK)
        return diag_fail(diag, s, "tensor %zu (%s): sparsity: %s: %s", index, t->name,
                         sparse_part_name(&fault), fault.text);
    if (layout.stored > count / element)
        return diag_fail(diag, STATUS_INVALID,
                         "tensor %zu (%s): %zu bytes of data, its sparsity has %zu values", index,
                         t->name, count, layout.stored);
    to = ARENA_NEW(&in->arena, 1, TfLiteSparsity);
    if (!to ||
        !(to->dim_metadata =
              ARENA_NEW(&in->arena, from->dimension_count, TfLiteDimensionMetadata)) ||
        !(to->traversal_order = own_ints(in, from->traversal_order)))
        return no_memory(diag);
    to->block_map = own_ints(in, from->block_map);
    if (!to->block_map && from->block_map.count > 0)
        return no_memory(diag);
    to->dim_metadata_size = (int)from->dimension_count;
    for (size_t i = 0; i < from->dimension_count; i++) {
        TfLiteDimensionMetadata *const d = &to->dim_metadata[i];

        d->format = from->dimensions[i].format ? kTfLiteDimSparseCSR : kTfLiteDimDense;
        d->dense_size = from->dimensions[i].dense_size;
        if (!from->dimensions[i].format)
            continue;
        d->array_segments = own_ints(in, from->dimensions[i].segments);
        d->array_indices = own_ints(in, from->dimensions[i].indices);
        if (!d->array_segments || !d->array_indices)
            return no_memory(diag);
    }
    t->sparsity = to;
    t->bytes = count;
    return STATUS_OK;
}

/* The dense elements of a sparse constant, which nodes share. */
static enum status expand(struct interpreter *in, int index, TfLiteTensor **dense,
                          struct diag *diag)
{
    const TfLiteTensor *const t = &in->tensors[index];
    struct sparse_layout layout;
    struct sparse_fault fault;
    TfLiteTensor *copy;

    if ((*dense = in->info[index].dense))
        return STATUS_OK;
    TRY(sparse_check_tensor(t, &layout, &fault)); /* it was checked above */
    if (!(copy = arena_copy(&in->arena, t, 1, sizeof *t)))
        return no_memory(diag);
    copy->sparsity = NULL;
    copy->bytes = layout.elements * (runtime_type_bits(t->type) / 8);
    in->root->folded_bytes += copy->bytes;
    if (in->root->folded_bytes > limit_of(LIMIT_FOLDED_BYTES))
        return limit_fail(diag, LIMIT_FOLDED_BYTES,
                          "tensor %d (%s): %zu bytes of a sparse constant, %" PRIu64
                          " with other constants that are computed",
                          index, t->name, copy->bytes, in->root->folded_bytes);
    if (!(copy->data.raw = arena_alloc(&in->arena, copy->bytes, 1)))
        return no_memory(diag);
    sparse_expand(&layout, t->data.raw, runtime_type_bits(t->type) / 8, copy->data.raw);
    *dense = in->info[index].dense = copy;
    return STATUS_OK;
}

/* Kernels read elements in place, so what is not aligned to its element is copied. */
static enum status fill_constant(struct interpreter *in, size_t index, const uint8_t *data,
                                 size_t count, struct diag *diag)
{
    TfLiteTensor *t = &in->tensors[index];
    const unsigned element = runtime_type_bits(t->type) / 8;

    if (in->graph->tensors[index].sparsity.present)
        TRY(fill_sparsity(in, index, count, diag));
    else if (runtime_type_bits(t->type) == 0)
        t->bytes = count; /* strings: the shape does not say the size */
    else if (count < t->bytes)
        return diag_fail(diag, STATUS_INVALID,
                         "tensor %zu (%s): %zu bytes of data, its shape needs %zu", index, t->name,
                         count, t->bytes);
    t->allocation_type = kTfLiteMmapRo;
    if (element > 1 && (uintptr_t)data % element != 0) {
        /* Many tensors may share a buffer. */
        in->root->folded_bytes += t->bytes;
        if (in->root->folded_bytes > limit_of(LIMIT_FOLDED_BYTES))
            return limit_fail(diag, LIMIT_FOLDED_BYTES,
                              "tensor %zu (%s): data: %" PRIu64
                              " bytes in constants that are not aligned in the file",
                              index, t->name, in->root->folded_bytes);
        data = arena_copy(&in->arena, data, t->bytes, 1);
        if (!data)
            return no_memory(diag);
    }
    /* TfLiteTensor has no const pointer to assign; nothing writes through it. */
    t->data.raw_const = (const char *)data;
    return STATUS_OK;
}

static enum status build_tensor(struct interpreter *in, size_t index, struct diag *diag)
{
    const struct model_tensor *m = &in->graph->tensors[index];
    TfLiteTensor *t = &in->tensors[index];
    const uint8_t *data;
    size_t count;

    t->name = text_of(&m->name);
    t->type = tensor_type_runtime(m->type);
    t->buffer_handle = kTfLiteNullBufferHandle;
    t->is_variable = m->is_variable;
    if (t->type == kTfLiteNoType)
        return tensor_fail(in, index, diag, STATUS_INVALID, "unknown type", m->type);
    if (m->external_buffer != 0)
        return tensor_fail(in, index, diag, STATUS_UNSUPPORTED, "data in external buffer",
                           m->external_buffer);
    t->dims = int_array_copy(m->shape.data, m->shape.count);
    if (!t->dims)
        return no_memory(diag);
    if (!tensor_bytes(t->type, m->shape.data, m->shape.count, &t->bytes))
        return diag_fail(diag, STATUS_INVALID,
                         "tensor %zu (%s): negative dimension, or more bytes than can be counted",
                         index, t->name);
    if (m->shape_signature.count) {
        t->dims_signature =
            arena_ints(&in->arena, m->shape_signature.data, m->shape_signature.count);
        if (!t->dims_signature)
            return no_memory(diag);
    }
    TRY(fill_quantization(in, index, diag));

    if (m->buffer >= in->model->buffer_count && m->buffer != 0)
        return tensor_fail(in, index, diag, STATUS_INVALID, "no such buffer:", m->buffer);
    data = model_tensor_data(in->model, m, &count);
    if (data && m->is_variable)
        return diag_fail(diag, STATUS_INVALID, "tensor %zu (%s): a variable with constant data",
                         index, t->name);
    if (data)
        return fill_constant(in, index, data, count, diag);
    if (m->sparsity.present)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "tensor %zu (%s): sparse without data, expected a constant", index,
                         t->name);
    if (m->is_variable)
        t->allocation_type = kTfLiteArenaRwPersistent;
    else if (runtime_type_bits(t->type) == 0 && t->type != kTfLiteResource)
        t->allocation_type = kTfLiteDynamic;
    else
        t->allocation_type = kTfLiteArenaRw;
    return STATUS_OK;
}

/* passed: how many scales of each buffer were found right; composites share buffers, clone by
 * clone, and each is read once. */
static enum status fill_blockwise(struct interpreter *in, size_t index, uint64_t *passed,
                                  struct diag *diag)
{
    const struct model_tensor *const m = &in->graph->tensors[index];
    const struct model_quantization *const q = &m->quantization;
    TfLiteTensor *const t = &in->tensors[index];
    struct blockwise b = {
        .tensor = (int32_t)index,
        .tensors = (int32_t)in->model_tensors,
        .type = t->type,
        .rank = m->shape.count,
        .constant = t->allocation_type == kTfLiteMmapRo,
        .affine_scales = q->scale.count,
        .dimension = q->quantized_dimension,
        .scales = q->block_scales,
        .zero_points = q->block_zero_points,
        .block_size = q->block_size,
    };
    TfLiteBlockwiseQuantization *blockwise;
    struct blockwise_fault fault;
    uint64_t none = 0, *known = &none;
    enum status s;

    if (q->details_type != DETAILS_BLOCKWISE)
        return STATUS_OK;
    if (m->shape.count == 2)
        memcpy(b.dims, m->shape.data, sizeof b.dims);
    if (blockwise_in_range(&b)) {
        const TfLiteTensor *const scales = &in->tensors[b.scales];

        b.scales_type = scales->type;
        b.scales_count = ref_elements(scales);
        if (scales->allocation_type == kTfLiteMmapRo && !scales->sparsity) {
            b.scales_data = scales->data.raw_const;
            known = &passed[in->graph->tensors[b.scales].buffer];
        }
    }
    b.scales_passed = *known;
    if ((s = blockwise_check(&b, &fault)) != STATUS_OK)
        return diag_fail(diag, s, "tensor %zu (%s): %s: %s", index, t->name,
                         blockwise_part_name(fault.part), fault.text);
    *known = b.scales_count > *known ? b.scales_count : *known;
    if (!(blockwise = mem_alloc(1, sizeof *blockwise)))
        return no_memory(diag);
    *blockwise = (TfLiteBlockwiseQuantization){ .scale = q->block_scales,
                                                .zero_point = q->block_zero_points,
                                                .blocksize = q->block_size };
    t->quantization = (TfLiteQuantization){ kTfLiteBlockwiseQuantization, blockwise };
    return STATUS_OK;
}

static enum status build_tensors(struct interpreter *in, struct diag *diag)
{
    const size_t count = in->graph->tensor_count;
    enum status s = STATUS_OK;
    uint64_t *passed;

    if (count > INT_MAX - TENSOR_SPARE)
        return diag_fail(diag, STATUS_INVALID, "%zu tensors, expected fewer than 2^31", count);
    in->tensor_room = count + (in->caller ? TENSOR_SPARE_BODY : TENSOR_SPARE);
    /* Spare ones, most of which nobody adds, are zeroed when they are added (context.c). */
    in->tensors = mem_resize(NULL, in->tensor_room, sizeof *in->tensors);
    in->info = mem_resize(NULL, in->tensor_room, sizeof *in->info);
    if (!in->tensors || !in->info)
        return no_memory(diag);
    memset(in->tensors, 0, count * sizeof *in->tensors);
    memset(in->info, 0, count * sizeof *in->info);
    in->tensor_count = in->model_tensors = count;
    for (size_t i = 0; i < count; i++)
        TRY(build_tensor(in, i, diag));
    if (!(passed = mem_alloc(in->model->buffer_count, sizeof *passed)))
        return no_memory(diag);
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        s = fill_blockwise(in, i, passed, diag);
    mem_free(passed);
    return s;
}

/* ---- inputs and outputs of the graph ---- */

static enum status check_index(const struct interpreter *in, const char *what, size_t at,
                               int32_t tensor, struct diag *diag)
{
    if (tensor < 0 || (size_t)tensor >= in->model_tensors)
        return diag_fail(diag, STATUS_INVALID, "%s %zu: no such tensor: %d", what, at, tensor);
    return STATUS_OK;
}

static enum status build_ends(struct interpreter *in, struct diag *diag)
{
    const struct model_ints *inputs = &in->graph->inputs, *outputs = &in->graph->outputs;

    for (size_t i = 0; i < inputs->count; i++)
        TRY(check_index(in, "graph input", i, inputs->data[i], diag));
    for (size_t i = 0; i < outputs->count; i++)
        TRY(check_index(in, "graph output", i, outputs->data[i], diag));
    in->inputs = arena_copy(&in->arena, inputs->data, inputs->count, sizeof(int));
    in->outputs = arena_copy(&in->arena, outputs->data, outputs->count, sizeof(int));
    in->input_tensors = ARENA_NEW(&in->arena, inputs->count, TfLiteTensor *);
    in->output_tensors = ARENA_NEW(&in->arena, outputs->count, TfLiteTensor *);
    if (!in->inputs || !in->outputs || !in->input_tensors || !in->output_tensors)
        return no_memory(diag);
    in->input_count = inputs->count;
    in->output_count = outputs->count;
    for (size_t i = 0; i < in->input_count; i++)
        in->input_tensors[i] = &in->tensors[in->inputs[i]];
    for (size_t i = 0; i < in->output_count; i++)
        in->output_tensors[i] = &in->tensors[in->outputs[i]];
    for (size_t i = 0; i < in->input_count; i++)
        in->info[in->inputs[i]].is_input = true;

    for (size_t i = 0; i < in->model_tensors; i++)
        in->variable_count += in->tensors[i].is_variable;
    in->variables = ARENA_NEW(&in->arena, in->variable_count, int);
    if (!in->variables)
        return no_memory(diag);
    in->variable_count = 0;
    for (size_t i = 0; i < in->model_tensors; i++)
        if (in->tensors[i].is_variable)
            in->variables[in->variable_count++] = (int)i;
    return STATUS_OK;
}

/* ---- nodes ---- */

static enum status find_op(const struct interpreter *in, struct node *node,
                           const struct model_opcode *code, struct diag *diag)
{
    const char *name = builtin_name(code->code);

    const struct interpreter_kernel *const kernel =
        foreign_find(&in->options, code->code, text_of(&code->custom_code), code->version);

    node->version = code->version;
    if (kernel) {
        node->special = &foreign_kernel;
        node->op = &foreign_kernel.op;
        node->registration = kernel->registration;
        return STATUS_OK;
    }
    node->special = special_find(code->code);
    if (node->special)
        node->op = &node->special->op;
    else
        node->op = code->code == BUILTIN_CUSTOM ? ref_find_custom(text_of(&code->custom_code))
                                                : ref_find(code->code);
    if (node->op && code->version >= 1 && code->version >= node->op->min_version &&
        code->version <= node->op->max_version)
        return STATUS_OK;
    if (in->options.shapes_only && !in->options.stand_in) {
        node->op = &unknown_op;
        node->special = NULL;
        return STATUS_OK;
    }
    if (code->code == BUILTIN_CUSTOM && !node->op)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "node %d: the custom op \"%s\" version %d is not known", node->index,
                         text_of(&code->custom_code), code->version);
    if (!node->op)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "node %d: the op %s (code %d) version %d is not known", node->index,
                         name ? name : "?", code->code, code->version);
    return diag_fail(diag, STATUS_UNSUPPORTED, "node %d: %s version %d, expected %d to %d",
                     node->index, ref_title(node->op), code->version,
                     node->op->min_version ? node->op->min_version : 1, node->op->max_version);
}

/* builtin_data is NULL in custom nodes, also in those that the reference has. */
static enum status fill_custom_parameters(struct interpreter *in, struct node *node,
                                          const struct model_operator *m, struct diag *diag)
{
    if (m->custom_options.count > INT_MAX)
        return diag_fail(diag, STATUS_INVALID,
                         "node %d: %s: %zu bytes of options, expected "
                         "fewer than 2^31",
                         node->index, node_name(node), m->custom_options.count);
    node->abi.custom_initial_data = m->custom_options.data;
    node->abi.custom_initial_data_size = (int)m->custom_options.count;
    if (!node->op->params_bytes)
        return STATUS_OK;
    if (!(node->op_params = arena_alloc(&in->arena, 1, node->op->params_bytes)))
        return no_memory(diag);
    if (!node->op->read_custom) {
        if (m->custom_options.count > 0)
            memcpy(node->op_params, m->custom_options.data,
                   m->custom_options.count < node->op->params_bytes ? m->custom_options.count
                                                                    : node->op->params_bytes);
        return STATUS_OK;
    }
    return diag_prefix(diag,
                       node->op->read_custom(m->custom_options.data, m->custom_options.count,
                                             node->op_params, diag),
                       "node %d: %s", node->index, node_name(node));
}

/* Element types among the options, also those that the op does not use: the runtime refuses them
 * when it reads them. */
static enum status check_option_types(const struct node *node, const struct options *o,
                                      struct diag *diag)
{
    const struct option_table *const table = option_table_find(o->tag);

    for (size_t i = 0; i < table->field_count; i++)
        if (table->fields[i].kind == OPTION_TYPE &&
            tensor_type_runtime(o->value[i].i) == kTfLiteNoType)
            return diag_fail(diag, STATUS_INVALID,
                             "%s: node %d: %s is %d, not an element type: 0 to %d", node_name(node),
                             node->index, table->fields[i].name, o->value[i].i,
                             TENSOR_TYPE_COUNT - 1);
    return STATUS_OK;
}

static enum status fill_parameters(struct interpreter *in, struct node *node,
                                   const struct model_operator *m, struct diag *diag)
{
    const struct ref_op *op = node->op;

    if (node->registration.builtin_code == BUILTIN_CUSTOM)
        return fill_custom_parameters(in, node, m, diag);
    /* Perhaps only in this version; a delegate, or a kernel of the user, expects parameters then.
     */
    if (op == &unknown_op || op == &foreign_kernel.op)
        op = ref_find(node->registration.builtin_code);
    if (!op || op->params_bytes == 0)
        return STATUS_OK;
    node->op_params = node->abi.builtin_data = arena_alloc(&in->arena, 1, op->params_bytes);
    if (!node->op_params)
        return no_memory(diag);
    node->no_options = m->options.tag == 0;
    if (node->no_options)
        return STATUS_OK; /* all zero, as the runtime has it; prepare judges */
    if (m->options.tag != op->options_tag)
        return diag_fail(diag, STATUS_INVALID, "node %d: %s with the option table %s", node->index,
                         node_name(node),
                         option_table_find(m->options.tag) ? option_table_find(m->options.tag)->name
                                                           : "of another op");
    TRY(check_option_types(node, &m->options, diag));
    op->read_params(&m->options, node->op_params);
    return STATUS_OK;
}

static enum status check_counts(const struct node *node, const struct model_operator *m,
                                struct diag *diag)
{
    const struct ref_op *op = node->op;

    if (m->inputs.count > INT_MAX || m->outputs.count > INT_MAX)
        return diag_fail(diag, STATUS_INVALID, "node %d: too many tensors", node->index);
    if ((int)m->inputs.count < op->min_inputs ||
        (op->max_inputs >= 0 && (int)m->inputs.count > op->max_inputs))
        return diag_fail(diag, STATUS_INVALID, "node %d: %s with %zu inputs, expected %d to %d",
                         node->index, node_name(node), m->inputs.count, op->min_inputs,
                         op->max_inputs < 0 ? INT_MAX : op->max_inputs);
    if ((int)m->outputs.count < op->min_outputs ||
        (op->max_outputs >= 0 && (int)m->outputs.count > op->max_outputs))
        return diag_fail(diag, STATUS_INVALID, "node %d: %s with %zu outputs, expected %d to %d",
                         node->index, node_name(node), m->outputs.count, op->min_outputs,
                         op->max_outputs < 0 ? INT_MAX : op->max_outputs);
    return STATUS_OK;
}

/* A kernel of the reference reads sparse constant t, its input i, as dense elements. */
static enum status fill_dense(struct interpreter *in, struct node *node, int i, int t,
                              struct diag *diag)
{
    TfLiteTensor *dense;

    if (in->tensors[t].sparsity && !node->special && !node->op->takes_sparse) {
        TRY(expand(in, t, &dense, diag));
        if (!node->dense && !(node->dense = arena_copy(&in->arena, node->in, (size_t)node->in_count,
                                                       sizeof *node->in)))
            return no_memory(diag);
        node->dense[i] = dense;
    } else if (node->dense) {
        node->dense[i] = node->in[i];
    }
    return STATUS_OK;
}

/* ready[t]: tensor t has been written when this node runs. */
static enum status fill_inputs(struct interpreter *in, struct node *node,
                               const struct model_operator *m, const bool *ready, struct diag *diag)
{
    for (size_t i = 0; i < m->inputs.count; i++) {
        const int32_t t = m->inputs.data[i];

        if (t == kTfLiteOptionalTensor) {
            if ((int)i < node->op->min_inputs)
                return diag_fail(diag, STATUS_INVALID,
                                 "node %d: %s: input %zu is absent, expected a tensor", node->index,
                                 node_name(node), i);
            continue;
        }
        if (t < 0 || (size_t)t >= in->model_tensors)
            return diag_fail(diag, STATUS_INVALID, "node %d: %s: input %zu: no such tensor: %d",
                             node->index, node_name(node), i, t);
        if (!ready[t])
            return diag_fail(diag, STATUS_INVALID,
                             "node %d: %s: input %zu: tensor %d (%s) is read before it is written",
                             node->index, node_name(node), i, t, in->tensors[t].name);
        node->in[i] = &in->tensors[t];
        TRY(fill_dense(in, node, (int)i, t, diag));
    }
    return STATUS_OK;
}

static enum status fill_outputs(struct interpreter *in, struct node *node,
                                const struct model_operator *m, bool *ready, struct diag *diag)
{
    for (size_t i = 0; i < m->outputs.count; i++) {
        const int32_t t = m->outputs.data[i];

        if (t < 0 || (size_t)t >= in->model_tensors)
            return diag_fail(diag, STATUS_INVALID, "node %d: %s: output %zu: no such tensor: %d",
                             node->index, node_name(node), i, t);
        if (ready[t])
            return diag_fail(
                diag, STATUS_INVALID,
                "node %d: %s: output %zu: tensor %d (%s) is an input, a constant or written before",
                node->index, node_name(node), i, t, in->tensors[t].name);
        ready[t] = true;
        node->out[i] = &in->tensors[t];
    }
    return STATUS_OK;
}

/* Through these a delegate may run a node of the model by its registration, as in the real runtime.
 */
static TfLiteStatus reference_prepare(TfLiteContext *context, TfLiteNode *abi)
{
    struct interpreter *in = context->impl_;
    struct diag diag = { 0 };

    if (prepare_reference(in, abi->user_data, &diag) == STATUS_OK)
        return kTfLiteOk;
    report_send(in, "%s", diag.text);
    return kTfLiteError;
}

static TfLiteStatus reference_invoke(TfLiteContext *context, TfLiteNode *abi)
{
    struct interpreter *in = context->impl_;
    struct node *node = abi->user_data;
    struct ref_call call = node_call(in, node);
    struct diag diag = { 0 };
    enum status s;

    for (int i = 0; i < node->out_count; i++)
        if (!node->out[i]->data.raw && !node->special)
            return kTfLiteError;
    for (int i = 0; i < node->in_count; i++)
        if (node->in[i] && !node->in[i]->data.raw)
            return kTfLiteError;
    s = node->reason    ? stand_in_run(in, node, &diag)
        : node->special ? node->special->run(in, node, &diag)
                        : node_eval(node, &call, &diag);
    if (s == STATUS_OK)
        return kTfLiteOk;
    report_send(in, "%s", diag.text);
    return kTfLiteError;
}

static enum status build_node(struct interpreter *in, size_t index, bool *ready, struct diag *diag)
{
    const struct model_operator *m = &in->graph->operators[index];
    struct node *node = ARENA_NEW(&in->arena, 1, struct node);
    const struct model_opcode *code;
    struct diag why = { .status = STATUS_OK };
    enum status s;

    if (!node)
        return no_memory(diag);
    in->nodes[index] = node;
    node->index = (int)index;
    node->kernel = -1;
    if (m->opcode_index >= in->model->opcode_count)
        return diag_fail(diag, STATUS_INVALID, "node %zu: no such operator code: %u", index,
                         m->opcode_index);
    code = &in->model->opcodes[m->opcode_index];
    s = find_op(in, node, code, &why);
    if (s != STATUS_OK)
        TRY(stand_in_build(in, node, &why, diag));
    if (node->special != &foreign_kernel) {
        node->registration.prepare = reference_prepare;
        node->registration.invoke = reference_invoke;
    }
    node->registration.builtin_code = code->code;
    node->registration.custom_name =
        code->code == BUILTIN_CUSTOM ? text_of(&code->custom_code) : NULL;
    node->registration.version = node->version;
    s = check_counts(node, m, &why);
    if (s == STATUS_OK)
        s = fill_parameters(in, node, m, &why);
    if (s != STATUS_OK) {
        TRY(stand_in_build(in, node, &why, diag));
        stand_in_hide(in, node, true); /* what was read of its options may be half of them */
    }

    node->in_count = (int)m->inputs.count;
    node->out_count = (int)m->outputs.count;
    node->in = ARENA_NEW(&in->arena, m->inputs.count, TfLiteTensor *);
    node->out = ARENA_NEW(&in->arena, m->outputs.count, TfLiteTensor *);
    node->abi.user_data = node;
    node->abi.inputs = arena_ints(&in->arena, m->inputs.data, m->inputs.count);
    node->abi.outputs = arena_ints(&in->arena, m->outputs.data, m->outputs.count);
    node->abi.intermediates = arena_ints(&in->arena, m->intermediates.data, m->intermediates.count);
    node->abi.temporaries = arena_ints(&in->arena, NULL, 0);
    node->intermediates = ARENA_NEW(&in->arena, m->intermediates.count, TfLiteTensor *);
    if (!node->in || !node->out || !node->abi.inputs || !node->abi.outputs ||
        !node->abi.intermediates || !node->abi.temporaries || !node->intermediates)
        return no_memory(diag);
    for (size_t i = 0; i < m->intermediates.count; i++) {
        TRY(check_index(in, "intermediate tensor", i, m->intermediates.data[i], diag));
        node->intermediates[i] = &in->tensors[m->intermediates.data[i]];
    }
    TRY(fill_inputs(in, node, m, ready, diag));
    return fill_outputs(in, node, m, ready, diag);
}

static enum status build_nodes(struct interpreter *in, struct diag *diag)
{
    const size_t count = in->graph->operator_count;
    size_t most_outputs = 0;
    enum status s = STATUS_OK;
    bool *ready;

    if (count > INT_MAX / 2)
        return diag_fail(diag, STATUS_INVALID, "%zu nodes, expected fewer than 2^30", count);
    in->nodes = mem_alloc(count, sizeof *in->nodes);
    in->plan = mem_alloc(count, sizeof *in->plan);
    ready = mem_alloc(in->model_tensors, sizeof *ready);
    if (!in->nodes || !in->plan || !ready) {
        mem_free(ready);
        return no_memory(diag);
    }
    in->node_room = count;
    for (size_t i = 0; i < in->model_tensors; i++)
        ready[i] = in->tensors[i].allocation_type == kTfLiteMmapRo || in->tensors[i].is_variable ||
                   in->info[i].is_input;
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        s = build_node(in, i, ready, diag);
        if (in->graph->operators[i].outputs.count > most_outputs)
            most_outputs = in->graph->operators[i].outputs.count;
    }
    mem_free(ready);
    TRY(s);
    in->node_count = in->model_nodes = in->plan_count = count;
    for (size_t i = 0; i < count; i++)
        in->plan[i] = (int)i;
    in->shapes = ARENA_NEW(&in->arena, most_outputs, struct ref_shape);
    return in->shapes ? STATUS_OK : no_memory(diag);
}

enum status build_graph(struct interpreter *in, struct diag *diag)
{
    if (in->model->subgraph_count == 0)
        return diag_fail(diag, STATUS_INVALID, "the model has no subgraph");
    in->graph = &in->model->subgraphs[in->graph_index];
    TRY(build_tensors(in, diag));
    TRY(build_ends(in, diag));
    return build_nodes(in, diag);
}

/* Shapes: prepares the nodes of the plan, computes what is constant, allocates.
 *
 * A tensor whose shape depends on values that are known in invoke only is dynamic: it has a block
 * of its own, and the nodes that write or read it are late: invoke prepares them before it runs
 * them. */
#include "reference/runtime/prepare.h"

#include "reference/base/checked.h"
#include "reference/base/half.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/kernels/check.h"
#include "reference/kernels/op.h"
#include "reference/runtime/delegate_kernel.h"
#include "reference/runtime/int_array.h"
#include "reference/runtime/node_kernel.h"
#include "reference/runtime/report.h"
#include "reference/runtime/stand_in.h"
#include "reference/runtime/tensor_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Nodes with bf16 tensors.  No kernel computes with bf16, so where one takes f32 in its place it is
 * given the values in f32; results are rounded to bf16 once, to nearest even, from what they are in
 * double.  The runtime's CPU kernels only move bf16, and such moves need nothing of this. */

/* A tensor list of the call with f32 in place of bf16; what is copied is freed by widened_close. */
struct widened {
    TfLiteTensor **list, *copies;
    int count;
};

static bool is_bfloat(const TfLiteTensor *t)
{
    return t && t->type == kTfLiteBFloat16;
}

/* Some input or output is bf16, and none of these is a variable. */
static bool bfloat_has(const struct ref_call *call)
{
    bool some = false;

    for (int i = 0; i < call->in_count; i++) {
        if (is_bfloat(call->in[i]) && call->in[i]->is_variable)
            return false;
        some |= is_bfloat(call->in[i]);
    }
    for (int o = 0; o < call->out_count; o++)
        some |= is_bfloat(call->out[o]);
    return some;
}

static void widened_close(struct widened *w)
{
    for (int i = 0; i < w->count && w->copies; i++)
        mem_free(w->copies[i].data.f);
    mem_free(w->copies);
    mem_free(w->list);
}

/* read: elements are converted, where the tensor has some; else there is room for them. */
static bool widened_open(struct widened *w, TfLiteTensor *const *list, int count, bool read)
{
    *w = (struct widened){ .count = count };
    w->list = mem_alloc((size_t)count, sizeof *w->list);
    w->copies = mem_alloc((size_t)count, sizeof *w->copies);
    if (!w->list || !w->copies)
        return false;
    for (int i = 0; i < count; i++) {
        TfLiteTensor *const copy = &w->copies[i];
        size_t elements;

        w->list[i] = list[i];
        if (!is_bfloat(list[i]))
            continue;
        w->list[i] = copy;
        *copy = *list[i];
        copy->type = kTfLiteFloat32;
        copy->bytes *= 2;
        copy->data.f = NULL;
        elements = ref_elements(list[i]);
        if (!list[i]->data.raw)
            continue;
        if (!(copy->data.f = mem_alloc(elements, sizeof(float))))
            return false;
        for (size_t k = 0; read && k < elements; k++)
            copy->data.f[k] = bfloat_to_float(((const uint16_t *)list[i]->data.raw_const)[k]);
    }
    return true;
}

/* The op's prepare or eval with these lists. */
static enum status run(const struct ref_call *call, const struct widened *in,
                       const struct widened *out, struct ref_detail *detail, bool prepare,
                       struct diag *diag)
{
    struct ref_call wide = *call;

    wide.in = in->list;
    wide.out = out->list;
    wide.detail = detail;
    return prepare ? call->op->prepare(&wide, diag) : call->op->eval(&wide, diag);
}

static enum status no_memory(const struct ref_call *call, struct diag *diag)
{
    return ref_fail(call, diag, STATUS_NO_MEMORY, "bf16 in f32: out of memory");
}

/* The op's prepare and eval, which see f32 in place of bf16. */
static enum status bfloat_prepare(const struct ref_call *call, struct diag *diag)
{
    struct widened in = { 0 }, out = { 0 };
    enum status s;

    if (widened_open(&in, call->in, call->in_count, true) &&
        widened_open(&out, call->out, call->out_count, false))
        s = run(call, &in, &out, NULL, true, diag);
    else
        s = no_memory(call, diag);
    widened_close(&in);
    widened_close(&out);
    return s;
}

/* A place for the value in double of each element of the outputs that are bf16. */
static bool keep_values(const struct ref_call *call, struct ref_detail *detail)
{
    for (int o = 0; o < call->out_count; o++) {
        if (call->detail)
            detail[o] = call->detail[o];
        if (is_bfloat(call->out[o]) && !detail[o].value &&
            !(detail[o].value = mem_alloc(ref_elements(call->out[o]), sizeof(double))))
            return false;
    }
    return true;
}

static void forget_values(const struct ref_call *call, struct ref_detail *detail)
{
    for (int o = 0; o < call->out_count && detail; o++)
        if (is_bfloat(call->out[o]) && !(call->detail && call->detail[o].value))
            mem_free(detail[o].value);
    mem_free(detail);
}

static enum status bfloat_eval(const struct ref_call *call, struct diag *diag)
{
    struct ref_detail *const detail = mem_alloc((size_t)call->out_count, sizeof *detail);
    struct widened in = { 0 }, out = { 0 };
    enum status s;

    if (detail && keep_values(call, detail) && widened_open(&in, call->in, call->in_count, true) &&
        widened_open(&out, call->out, call->out_count, false))
        s = run(call, &in, &out, detail, false, diag);
    else
        s = no_memory(call, diag);
    for (int o = 0; o < call->out_count && s == STATUS_OK; o++) {
        uint16_t *const y = (uint16_t *)call->out[o]->data.raw;

        for (size_t i = 0; is_bfloat(call->out[o]) && i < ref_elements(call->out[o]); i++)
            y[i] = double_to_bfloat(detail[o].value[i]);
    }
    forget_values(call, detail);
    widened_close(&in);
    widened_close(&out);
    return s;
}

/* ---- sizes ---- */

/* Elements and bytes, in 64 bits on every machine; false for a negative dimension, or where these
 * are too few. */
static bool count(TfLiteType type, const int *dims, size_t rank, uint64_t *elements,
                  uint64_t *bytes)
{
    const unsigned bits = runtime_type_bits(type);

    if (!checked_elements_u64(dims, rank, elements))
        return false;
    if (bits >= 8)
        return checked_mul_u64(*elements, bits / 8, bytes);
    if (type == kTfLiteResource)
        return checked_mul_u64(*elements, sizeof(int32_t), bytes); /* the number of a variable */
    if (bits == 0)
        *bytes = 0; /* strings and handles: not in the shape */
    else            /* 4 or 2 bits: the last byte may be filled in part */
        *bytes = *elements / (8 / bits) + (*elements % (8 / bits) != 0);
    return true;
}

bool tensor_bytes(TfLiteType type, const int *dims, size_t rank, size_t *bytes)
{
    uint64_t elements, wide;

    if (!count(type, dims, rank, &elements, &wide) || wide > SIZE_MAX || elements > SIZE_MAX)
        return false;
    *bytes = (size_t)wide;
    return true;
}

bool tensor_same_dims(const TfLiteIntArray *a, const TfLiteIntArray *b)
{
    return a && a->size == b->size &&
           (a->size == 0 || memcmp(a->data, b->data, (size_t)a->size * sizeof(int)) == 0);
}

enum status tensor_set_dims(struct interpreter *in, int tensor, TfLiteIntArray *dims,
                            struct diag *diag)
{
    TfLiteTensor *t = &in->tensors[tensor];
    const bool same = tensor_same_dims(t->dims, dims);
    uint64_t elements, bytes;
    const bool counted =
        dims->size >= 0 && count(t->type, dims->data, (size_t)dims->size, &elements, &bytes);

    if (counted && elements > limit_of(LIMIT_TENSOR_ELEMENTS)) {
        free(dims);
        return limit_fail(diag, LIMIT_TENSOR_ELEMENTS, "tensor %d (%s): dims: %" PRIu64 " elements",
                          tensor, t->name ? t->name : "", elements);
    }
    if (!counted || bytes > SIZE_MAX || elements > SIZE_MAX) {
        free(dims);
        return diag_fail(diag, STATUS_INVALID,
                         "tensor %d (%s): negative dimension, or more bytes than can be counted",
                         tensor, t->name ? t->name : "");
    }
    free(t->dims);
    t->dims = dims;
    if (same && t->bytes == bytes)
        return STATUS_OK;
    t->bytes = (size_t)bytes;
    in->info[tensor].changed = ++in->shape_clock;
    if (t->allocation_type == kTfLiteArenaRw || t->allocation_type == kTfLiteArenaRwPersistent)
        t->data.raw = NULL; /* allocated for another size */
    return STATUS_OK;
}

/* ---- one node ---- */

struct ref_call node_call(struct interpreter *in, struct node *node)
{
    return (struct ref_call){ .op = node->op,
                              .node = node->index,
                              .version = node->version,
                              .params = node->op_params,
                              .in = node->dense ? node->dense : node->in,
                              .in_count = node->in_count,
                              .out = node->out,
                              .out_count = node->out_count,
                              .intermediates = node->intermediates,
                              .intermediate_count = node->abi.intermediates->size,
                              .tensors = in->tensors,
                              .tensor_count = in->tensor_count,
                              .carry = &node->carry,
                              .no_options = node->no_options,
                              .out_shape = in->shapes };
}

static enum status make_dynamic(struct interpreter *in, TfLiteTensor *t, struct diag *diag)
{
    const int index = (int)(t - in->tensors);

    if (t->allocation_type == kTfLiteCustom)
        return diag_fail(
            diag, STATUS_UNSUPPORTED,
            "tensor %d (%s): caller's memory for a tensor whose shape is known in invoke only",
            index, t->name ? t->name : "");
    if (t->allocation_type == kTfLiteMmapRo || in->info[index].fixed)
        return STATUS_OK; /* the output of a folded node in a partition */
    if (t->allocation_type != kTfLiteDynamic) {
        t->allocation_type = kTfLiteDynamic;
        t->data.raw = NULL;
    }
    in->has_dynamic = true;
    in->dynamic_tensor = index;
    return STATUS_OK;
}

static enum status set_shape(struct interpreter *in, TfLiteTensor *t, const struct ref_shape *shape,
                             struct diag *diag)
{
    TfLiteIntArray *dims = int_array_copy(shape->dims, (size_t)shape->rank);

    if (!dims)
        return diag_fail(diag, STATUS_NO_MEMORY, "tensor %d (%s): no memory for its shape",
                         (int)(t - in->tensors), t->name ? t->name : "");
    return tensor_set_dims(in, (int)(t - in->tensors), dims, diag);
}

static enum status prepare_op(struct interpreter *in, struct node *node, bool late,
                              struct diag *diag)
{
    struct ref_call call = node_call(in, node);
    struct diag why = { .status = STATUS_OK }, wide = why;
    enum status s, in_f32;

    memset(in->shapes, 0, (size_t)node->out_count * sizeof *in->shapes);
    if (node->special)
        return node->special->prepare(in, node, late, diag);
    call.late = late;
    node->in_f32 = false;
    if (!bfloat_has(&call))
        return node->op->prepare(&call, diag);
    s = node->op->prepare(&call, &why);
    if (s == STATUS_UNSUPPORTED && (in_f32 = bfloat_prepare(&call, &wide)) != STATUS_UNSUPPORTED) {
        node->in_f32 = in_f32 == STATUS_OK;
        s = in_f32;
        why = wide;
    }
    return s == STATUS_OK ? STATUS_OK : diag_fail(diag, s, "%s", why.text);
}

enum status node_eval(const struct node *node, struct ref_call *call, struct diag *diag)
{
    return node->in_f32 ? bfloat_eval(call, diag) : node->op->eval(call, diag);
}

static enum status call_prepare(struct interpreter *in, struct node *node, bool late,
                                struct diag *diag)
{
    struct diag why = { .status = STATUS_OK };

    if (!stand_in_is_given(in))
        return prepare_op(in, node, late, diag);
    return stand_in_prepare(in, node, prepare_op(in, node, late, &why), &why, diag);
}

static bool has_dynamic_input(const struct node *node)
{
    for (int i = 0; i < node->in_count; i++)
        if (node->in[i] && node->in[i]->allocation_type == kTfLiteDynamic)
            return true;
    return false;
}

static bool has_dynamic_shape(const struct interpreter *in, const struct node *node)
{
    for (int i = 0; i < node->out_count; i++)
        if (in->shapes[i].dynamic)
            return true;
    return false;
}

/* The value of a tensor is known in prepare, to nodes that compute their result there. */
static bool is_value(const struct interpreter *in, const TfLiteTensor *t)
{
    return t->allocation_type == kTfLiteMmapRo ||
           (t->allocation_type == kTfLitePersistentRo && !in->info[t - in->tensors].cached);
}

static bool is_fixed(const struct interpreter *in, const TfLiteTensor *t)
{
    return t->allocation_type == kTfLiteMmapRo || in->info[t - in->tensors].fixed;
}

static bool folds(const struct interpreter *in, const struct node *node)
{
    const struct ref_op *op = node->op;

    if (op->folds == REF_FOLD_NONE || node->reason)
        return false;
    for (int i = 0; i < node->in_count && op->folds != REF_FOLD_SHAPES; i++)
        if (node->in[i] && !is_value(in, node->in[i]))
            return false;
    for (int i = 0; i < node->out_count; i++)
        if (node->out[i]->allocation_type != kTfLiteArenaRw ||
            (op->fold_elements > 0 && ref_elements(node->out[i]) > op->fold_elements))
            return false;
    return true;
}

/* Memory of output i alone. */
static enum status own_output(struct interpreter *in, const struct node *node, int i,
                              struct diag *diag)
{
    const enum status s = tensor_memory_own(in, (int)(node->out[i] - in->tensors), diag);

    return diag_prefix(diag, s, "%s: node %d", node_name(node), node->index);
}

/* The outputs of a node that is folded are constants, which a few bytes of a file can make huge. */
static enum status check_folded(struct interpreter *in, struct node *node, struct diag *diag)
{
    uint64_t bytes = 0;
    int largest = 0;

    for (int i = 0; i < node->out_count; i++) {
        if (node->out[i]->bytes > node->out[largest]->bytes)
            largest = i;
        bytes += node->out[i]->bytes;
    }
    if (in->root->folded_bytes + bytes > limit_of(LIMIT_FOLDED_BYTES))
        return limit_fail(diag, LIMIT_FOLDED_BYTES,
                          "%s: node %d: output %d: tensor %d (%s): a constant of %zu bytes, "
                          "%" PRIu64 " with those of the nodes before",
                          node_name(node), node->index, largest,
                          (int)(node->out[largest] - in->tensors),
                          node->out[largest]->name ? node->out[largest]->name : "",
                          node->out[largest]->bytes, in->root->folded_bytes + bytes);
    in->root->folded_bytes += bytes;
    node->folded_bytes = bytes;
    return STATUS_OK;
}

/* The next prepare of the node begins as the first did: other shapes give other values. */
static void unfold(struct interpreter *in, struct node *node)
{
    for (int i = 0; i < node->out_count; i++)
        if (node->out[i]->allocation_type == kTfLitePersistentRo) {
            tensor_memory_release(in, (int)(node->out[i] - in->tensors));
            node->out[i]->allocation_type = kTfLiteArenaRw;
        }
    in->root->folded_bytes -= node->folded_bytes;
    node->folded_bytes = 0;
    node->folded = false;
}

static enum status fold(struct interpreter *in, struct node *node, struct diag *diag)
{
    struct ref_call call = node_call(in, node);
    enum status s;

    TRY(check_folded(in, node, diag));
    for (int i = 0; i < node->out_count; i++)
        TRY(own_output(in, node, i, diag));
    s = call.out[0]->bytes > 0 ? node_eval(node, &call, diag) : STATUS_OK;
    for (int i = 0; i < node->out_count; i++) {
        struct tensor_info *const info = &in->info[node->out[i] - in->tensors];

        info->cached = node->op->folds == REF_FOLD_WEIGHTS;
        info->fixed = true;
        for (int k = 0; k < node->in_count; k++)
            info->fixed &= !node->in[k] || is_fixed(in, node->in[k]);
        node->out[i]->allocation_type = kTfLitePersistentRo;
    }
    node->folded = true;
    if (s != STATUS_OK)
        unfold(in, node);
    return s;
}

static enum status set_output(struct interpreter *in, struct node *node, int i, struct diag *diag)
{
    const enum status s = set_shape(in, node->out[i], &in->shapes[i], diag);

    return diag_prefix(diag, s, "%s: node %d", node_name(node), node->index);
}

enum status prepare_reference(struct interpreter *in, struct node *node, struct diag *diag)
{
    if (node->folded && is_fixed(in, node->out[0]))
        return STATUS_OK; /* constants of the file do not change */
    if (node->folded)
        unfold(in, node);
    node->late = has_dynamic_input(node);
    if (!node->late) {
        TRY(call_prepare(in, node, false, diag));
        node->late = has_dynamic_shape(in, node);
    }
    for (int i = 0; i < node->out_count; i++) {
        TfLiteTensor *t = node->out[i];

        if (node->late)
            TRY(make_dynamic(in, t, diag));
        else
            TRY(set_output(in, node, i, diag));
    }
    return folds(in, node) && !node->late ? fold(in, node, diag) : STATUS_OK;
}

/* ---- delegate kernels ---- */

static bool kernel_has_dynamic(const struct interpreter *in, const TfLiteIntArray *tensors)
{
    for (int i = 0; i < tensors->size; i++)
        if (tensors->data[i] >= 0 &&
            in->tensors[tensors->data[i]].allocation_type == kTfLiteDynamic)
            return true;
    return false;
}

static enum status prepare_kernel(struct interpreter *in, struct node *node, struct diag *diag)
{
    node->late = kernel_has_dynamic(in, node->abi.inputs);
    if (node->late)
        node->prepared = 0;
    else
        TRY(delegate_kernel_prepare(in, node, diag));
    for (int i = 0; i < node->abi.outputs->size; i++) {
        TfLiteTensor *t = &in->tensors[node->abi.outputs->data[i]];
        if (node->late || t->allocation_type == kTfLiteDynamic)
            TRY(make_dynamic(in, t, diag));
    }
    return STATUS_OK;
}

/* ---- in invoke ---- */

static bool input_changed(const struct interpreter *in, const struct node *node)
{
    for (int i = 0; i < node->abi.inputs->size; i++)
        if (node->abi.inputs->data[i] >= 0 &&
            in->info[node->abi.inputs->data[i]].changed > node->prepared)
            return true;
    return node->prepared == 0;
}

/* The shapes of a reference node may depend on values, so it is prepared each time; those of a
 * delegate kernel depend on shapes only, and its prepare may be expensive. */
enum status prepare_late(struct interpreter *in, struct node *node, struct diag *diag)
{
    if (!node->op) {
        if (!input_changed(in, node))
            return STATUS_OK;
        TRY(delegate_kernel_prepare(in, node, diag));
        for (int i = 0; i < node->abi.outputs->size; i++)
            TRY(tensor_memory_own(in, node->abi.outputs->data[i], diag));
        return STATUS_OK;
    }
    TRY(call_prepare(in, node, true, diag));
    for (int i = 0; i < node->out_count; i++) {
        if (in->shapes[i].dynamic && node->special)
            continue; /* known when it has run */
        if (in->shapes[i].dynamic)
            return diag_fail(diag, STATUS_INVALID,
                             "node %d: %s: the shape of output %d is not known", node->index,
                             node_name(node), i);
        TRY(set_output(in, node, i, diag));
        TRY(own_output(in, node, i, diag));
        tensor_memory_poison_one(in, (int)(node->out[i] - in->tensors));
    }
    return STATUS_OK;
}

/* ---- the whole plan ---- */

static bool some_delegate_wants_shapes(const struct interpreter *in)
{
    for (size_t i = 0; i < in->delegate_count; i++)
        if (in->delegates[i]->flags & kTfLiteDelegateFlagsRequirePropagatedShapes)
            return true;
    return false;
}

enum status prepare_plan(struct interpreter *in, struct diag *diag)
{
    in->prepared = false;
    in->allocated = false;
    in->has_dynamic = false;
    if (!in->caller)
        in->root->body_runs = 0;
    if (some_delegate_wants_shapes(in)) /* also those inside partitions */
        for (size_t i = 0; i < in->model_nodes; i++)
            TRY(prepare_reference(in, in->nodes[i], diag));
    for (size_t i = 0; i < in->plan_count; i++) {
        struct node *node = in->nodes[in->plan[i]];

        TRY(node->op ? prepare_reference(in, node, diag) : prepare_kernel(in, node, diag));
    }
    for (size_t i = 0; i < in->output_count; i++)
        if (in->tensors[in->outputs[i]].allocation_type == kTfLiteDynamic)
            TRY(make_dynamic(in, &in->tensors[in->outputs[i]], diag));
    in->prepared = true;
    return STATUS_OK;
}

/* ---- allocate ---- */

enum status prepare_check_custom(const struct interpreter *in, struct diag *diag)
{
    for (size_t i = 0; i < in->tensor_count; i++) {
        const TfLiteTensor *t = &in->tensors[i];

        if (t->allocation_type == kTfLiteCustom && in->info[i].custom_bytes < t->bytes)
            return diag_fail(diag, STATUS_USAGE,
                             "tensor %zu (%s): caller's memory of %zu bytes, expected at least %zu",
                             i, t->name ? t->name : "", in->info[i].custom_bytes, t->bytes);
    }
    return STATUS_OK;
}

enum status prepare_and_allocate(struct interpreter *in, struct diag *diag)
{
    TRY(prepare_plan(in, diag));
    TRY(prepare_check_custom(in, diag));
    TRY(tensor_memory_allocate(in, diag));
    in->allocated = true;
    return STATUS_OK;
}

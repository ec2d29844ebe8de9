/* VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE.  A tensor of type RESOURCE holds the number of a
 * variable as an i32.
 * Meaning: tflite/kernels/var_handle.cc, read_variable.cc, assign_variable.cc */
#include "reference/runtime/special.h"

#include "reference/runtime/int_array.h"
#include "reference/runtime/prepare.h"
#include "reference/runtime/tensor_memory.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <string.h>

static struct ref_call call_of(struct interpreter *in, struct node *node)
{
    return node_call(in, node);
}

/* ---- VAR_HANDLE ---- */

static void read_names(const struct options *options, void *params)
{
    *(TfLiteVarHandleParams *)params =
        (TfLiteVarHandleParams){ .container = options_text(options, "container"),
                                 .shared_name = options_text(options, "shared_name") };
}

static enum status handle_open(struct interpreter *in, struct node *node, struct diag *diag)
{
    const TfLiteVarHandleParams *const p = node->op_params;

    return resource_id(&in->root->resources, p->container ? p->container : "",
                       p->shared_name ? p->shared_name : "", &node->resource, diag);
}

static enum status handle_prepare(struct interpreter *in, struct node *node, bool late,
                                  struct diag *diag)
{
    const struct ref_call call = call_of(in, node);

    (void)late;
    if (node->out[0]->type != kTfLiteResource)
        return ref_fail(&call, diag, STATUS_INVALID, "output 0: %s, expected resource",
                        runtime_type_name(node->out[0]->type));
    return STATUS_OK; /* rank 0 */
}

static enum status handle_run(struct interpreter *in, struct node *node, struct diag *diag)
{
    (void)in;
    (void)diag;
    memcpy(node->out[0]->data.raw, &node->resource, sizeof node->resource);
    return STATUS_OK;
}

/* ---- both others ---- */

static enum status check_handle(const struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const t = call->in[0];

    if ((t->type != kTfLiteResource && t->type != kTfLiteInt32) || ref_elements(t) != 1 ||
        t->bytes < sizeof(int32_t))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 0 (variable): %zu elements of %s in %zu bytes, expected 1 of "
                        "resource or i32",
                        ref_elements(t), runtime_type_name(t->type), t->bytes);
    return STATUS_OK;
}

static int32_t id_of(const struct node *node)
{
    int32_t id;

    memcpy(&id, node->in[0]->data.raw, sizeof id);
    return id;
}

/* ---- READ_VARIABLE ---- */

/* The runtime takes the shape of the file, and finds the shape out in invoke where the file has a
 * scalar, which may also be a tensor without a known rank. */
static enum status read_prepare(struct interpreter *in, struct node *node, bool late,
                                struct diag *diag)
{
    const struct ref_call call = call_of(in, node);
    const TfLiteTensor *const y = node->out[0];
    struct ref_shape *const shape = &in->shapes[0];

    TRY(check_handle(&call, diag));
    if (ref_rank(y) > REF_MAX_RANK)
        return ref_fail(&call, diag, STATUS_UNSUPPORTED, "output 0: rank %d, expected at most %d",
                        ref_rank(y), REF_MAX_RANK);
    shape->dynamic = late || ref_rank(y) == 0 || y->allocation_type == kTfLiteDynamic;
    shape->rank = ref_rank(y);
    for (int d = 0; d < shape->rank; d++)
        shape->dims[d] = ref_dim(y, d);
    return STATUS_OK;
}

static enum status read_run(struct interpreter *in, struct node *node, struct diag *diag)
{
    const struct ref_call call = call_of(in, node);
    const struct resource *const r = resource_find(&in->root->resources, id_of(node));
    TfLiteTensor *const y = node->out[0];
    TfLiteIntArray *dims;

    if (!r)
        return ref_fail(&call, diag, STATUS_INVALID,
                        "variable %d (%s) is read before a value is assigned to it", id_of(node),
                        resource_title(&in->root->resources, id_of(node)));
    if (r->type != y->type)
        return ref_fail(&call, diag, STATUS_INVALID, "variable %d is %s, expected %s", r->id,
                        runtime_type_name(r->type), runtime_type_name(y->type));
    if (y->allocation_type == kTfLiteDynamic) {
        if (!(dims = int_array_copy(r->dims->data, (size_t)r->dims->size)))
            return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a shape");
        TRY(tensor_set_dims(in, (int)(y - in->tensors), dims, diag));
        TRY(tensor_memory_own(in, (int)(y - in->tensors), diag));
    }
    if (y->bytes != r->bytes)
        return ref_fail(&call, diag, STATUS_INVALID, "variable %d has %zu bytes, expected %zu",
                        r->id, r->bytes, y->bytes);
    if (r->bytes)
        memcpy(y->data.raw, r->data, r->bytes);
    return STATUS_OK;
}

/* ---- ASSIGN_VARIABLE ---- */

static enum status assign_prepare(struct interpreter *in, struct node *node, bool late,
                                  struct diag *diag)
{
    const struct ref_call call = call_of(in, node);

    (void)late;
    TRY(check_handle(&call, diag));
    if (runtime_type_bits(node->in[1]->type) == 0)
        return ref_fail(&call, diag, STATUS_UNSUPPORTED,
                        "input 1 (value): %s, expected numbers or booleans",
                        runtime_type_name(node->in[1]->type));
    return STATUS_OK;
}

static enum status assign_run(struct interpreter *in, struct node *node, struct diag *diag)
{
    return resource_assign(&in->root->resources, id_of(node), node->in[1], diag);
}

static enum status has_effect(struct interpreter *in, struct node *node, struct diag *diag)
{
    (void)in;
    (void)diag;
    node->abi.might_have_side_effect = true;
    return STATUS_OK;
}

const struct node_kernel kernel_var_handle = {
    .op = { .name = "var_handle",
            .code = BUILTIN_VAR_HANDLE,
            .max_version = 1,
            .options_tag = OPTIONS_VarHandleOptions,
            .params_bytes = sizeof(TfLiteVarHandleParams),
            .min_outputs = 1,
            .max_outputs = 1,
            .read_params = read_names },
    .open = handle_open,
    .prepare = handle_prepare,
    .run = handle_run,
};

const struct node_kernel kernel_read_variable = {
    .op = { .name = "read_variable",
            .code = BUILTIN_READ_VARIABLE,
            .max_version = 1,
            .min_inputs = 1,
            .max_inputs = 1,
            .min_outputs = 1,
            .max_outputs = 1 },
    .open = has_effect,
    .prepare = read_prepare,
    .run = read_run,
};

const struct node_kernel kernel_assign_variable = {
    .op = { .name = "assign_variable",
            .code = BUILTIN_ASSIGN_VARIABLE,
            .max_version = 1,
            .min_inputs = 2,
            .max_inputs = 2 },
    .open = has_effect,
    .prepare = assign_prepare,
    .run = assign_run,
};

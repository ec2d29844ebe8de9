/* A kernel resizes its outputs itself, through the context; the shapes that it gave are then read
 * from the tensors.  Tensors that it adds live as long as the interpreter. */
#include "reference/runtime/foreign.h"

#include "reference/runtime/int_array.h"
#include "reference/runtime/report.h"

#include "reference/base/memory.h"

#include <limits.h>
#include <string.h>

const struct interpreter_kernel *foreign_find(const struct interpreter_options *options,
                                              int32_t code, const char *custom_name,
                                              int32_t version)
{
    for (size_t i = options->kernel_count; i > 0; i--) {
        const struct interpreter_kernel *const k = &options->kernels[i - 1];

        if (k->code == code && version >= k->min_version && version <= k->max_version &&
            (code != BUILTIN_CUSTOM || strcmp(k->custom_name, custom_name) == 0))
            return k;
    }
    return NULL;
}

/* A kernel replaces the array of temporaries, and frees it with free(). */
static enum status foreign_open(struct interpreter *in, struct node *node, struct diag *diag)
{
    const TfLiteRegistration *const r = &node->registration;
    const char *const buffer =
        r->builtin_code == BUILTIN_CUSTOM ? node->abi.custom_initial_data : node->abi.builtin_data;
    const enum phase before = in->phase;

    node->abi.user_data = NULL;
    node->abi.temporaries = int_array_new(0);
    if (!node->abi.temporaries)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a kernel");
    if (r->init) {
        in->phase = PHASE_PREPARE;
        in->keeps_tensors = true;
        node->abi.user_data =
            r->init(&in->context, buffer, (size_t)node->abi.custom_initial_data_size);
        in->keeps_tensors = false;
        in->phase = before;
    }
    if (node->abi.user_data != TfLiteKernelInitFailed()) {
        node->initialized = true;
        return STATUS_OK;
    }
    in->code = kTfLiteError;
    return report_fail_quoting(in, diag, STATUS_INVALID, "node %d (%s) failed to initialize",
                               node->index, node_name(node));
}

static void foreign_close(struct interpreter *in, struct node *node)
{
    if (node->initialized && node->registration.free && node->abi.user_data)
        node->registration.free(&in->context, node->abi.user_data);
    node->initialized = false;
    mem_free(node->abi.temporaries);
    node->abi.temporaries = NULL;
}

static enum status call(struct interpreter *in, struct node *node, enum phase phase,
                        TfLiteStatus (*function)(TfLiteContext *, TfLiteNode *), const char *what,
                        struct diag *diag)
{
    const enum phase before = in->phase;
    TfLiteStatus code = kTfLiteOk;

    if (!function)
        return phase == PHASE_PREPARE
                   ? STATUS_OK
                   : diag_fail(diag, STATUS_INVALID, "node %d (%s) has no invoke function",
                               node->index, node_name(node));
    report_clear(in);
    in->phase = phase;
    in->keeps_tensors = true;
    code = function(&in->context, &node->abi);
    in->keeps_tensors = false;
    in->phase = before;
    if (code == kTfLiteOk)
        return STATUS_OK;
    in->code = code == kTfLiteCancelled ? code : kTfLiteError;
    return report_fail_quoting(in, diag, STATUS_INVALID, "node %d (%s) failed to %s (status %d)",
                               node->index, node_name(node), what, (int)code);
}

static enum status foreign_prepare(struct interpreter *in, struct node *node, bool late,
                                   struct diag *diag)
{
    TRY(call(in, node, PHASE_PREPARE, node->registration.prepare, "prepare", diag));
    for (int i = 0; i < node->out_count; i++) {
        const TfLiteTensor *const t = node->out[i];
        struct ref_shape *const shape = &in->shapes[i];

        if (!late && t->allocation_type == kTfLiteDynamic) {
            shape->dynamic = true;
            continue;
        }
        if (ref_rank(t) > REF_MAX_RANK)
            return diag_fail(diag, STATUS_UNSUPPORTED,
                             "node %d (%s): output %d has rank %d, expected at most %d",
                             node->index, node_name(node), i, ref_rank(t), REF_MAX_RANK);
        shape->rank = ref_rank(t);
        for (int d = 0; d < shape->rank; d++)
            shape->dims[d] = ref_dim(t, d);
    }
    return STATUS_OK;
}

static enum status foreign_run(struct interpreter *in, struct node *node, struct diag *diag)
{
    return call(in, node, PHASE_INVOKE, node->registration.invoke, "invoke", diag);
}

const struct node_kernel foreign_kernel = {
    .op = { .name = "custom",
            .code = BUILTIN_CUSTOM,
            .max_version = INT32_MAX,
            .max_inputs = -1,
            .max_outputs = -1 },
    .open = foreign_open,
    .close = foreign_close,
    .prepare = foreign_prepare,
    .run = foreign_run,
};

/* DENSIFY: the dense elements of a sparse constant, zero where no value is stored.
 *
 * x, out [any shape] f32, f16, i8.  Scales are those of the input.  The runtime computes it in the
 * first inference and keeps the result; here it is computed when the graph is prepared.
 * Meaning: tflite/kernels/densify.cc, reference/base/sparsity.h */
#include "reference/base/sparsity.h"
#include "reference/kernels/quantized.h"

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x;

    TRY(ref_check_in_types(call, diag, 0, "input",
                           REF_TYPE(Float32) | REF_TYPE(Float16) | REF_TYPE(Int8), 0,
                           REF_MAX_RANK));
    x = call->in[0];
    if (!x->sparsity || x->allocation_type != kTfLiteMmapRo)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 0 (input): a tensor that is no sparse constant, expected one");
    TRY(ref_check_out(call, diag, 0, x->type));
    if (ref_is_quantized(x) || ref_is_quantized(call->out[0]))
        TRY(ref_check_same_scale(call, diag));
    ref_same_shape(&call->out_shape[0], x);
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0];
    const size_t size = runtime_type_bits(x->type) / 8, count = ref_elements(call->out[0]);
    struct sparse_layout layout;
    struct sparse_fault fault;
    enum status s = sparse_check_tensor(x, &layout, &fault);

    if (s != STATUS_OK)
        return ref_fail(call, diag, s, "input 0 (input): sparsity: %s: %s",
                        sparse_part_name(&fault), fault.text);
    sparse_expand(&layout, x->data.raw_const, size, call->out[0]->data.raw);
    for (size_t i = 0; i < count; i++)
        ref_detail_copied(call, 0, i);
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("densify", DENSIFY, 1, OPTIONS_DensifyOptions), REF_RUN(prepare, eval),
      .takes_sparse = true, .folds = REF_FOLD_WEIGHTS },
};

const struct ref_family ref_densify = { ops, sizeof ops / sizeof ops[0] };

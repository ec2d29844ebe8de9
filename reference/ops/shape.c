/* SHAPE: the dimensions of x, of any type, as a vector of i32 or i64, which the option out_type
 * names.
 * Meaning: tflite/kernels/shape.cc */
#include "reference/kernels/check.h"

static void read_params(const struct options *options, void *params)
{
    ((TfLiteShapeParams *)params)->out_type = tensor_type_runtime(options_int(options, "out_type"));
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteType type = ((const TfLiteShapeParams *)call->params)->out_type;

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK));
    if (type != kTfLiteInt32 && type != kTfLiteInt64)
        return ref_fail(call, diag, STATUS_UNSUPPORTED, "out_type is %s, expected i32 or i64",
                        runtime_type_name(type) ? runtime_type_name(type) : "unknown");
    TRY(ref_check_out(call, diag, 0, type));
    call->out_shape[0] = (struct ref_shape){ .rank = 1, .dims = { ref_rank(call->in[0]) } };
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    (void)diag;
    for (int d = 0; d < ref_rank(call->in[0]); d++)
        ref_store_int(call, 0, (size_t)d, ref_dim(call->in[0], d));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("shape", SHAPE, 1, OPTIONS_ShapeOptions), REF_PARAMS(TfLiteShapeParams, read_params),
      REF_RUN(prepare, eval), .folds = REF_FOLD_SHAPES },
};

const struct ref_family ref_shape = { ops, sizeof ops / sizeof ops[0] };

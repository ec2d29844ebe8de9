/* ONE_HOT.  indices i32 or i64 of any shape, depth a scalar i32, on_value and off_value scalars of
 * the result's type: f32, i8, u8, i16, i32, i64 or bool.  The result has one more dimension, of
 * extent depth, before dimension `axis` of the indices (-1: behind the last): on_value where its
 * index there is the one in indices, else off_value.  An index below 0 or beyond depth is nowhere.
 *
 * A depth that is not constant makes the output dynamic.
 * Meaning: tflite/kernels/one_hot.cc */
#include "reference/kernels/quantized.h"

#include <string.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteOneHotParams *p = params;

    p->axis = (int)options_int(options, "axis");
}

static int axis_of(const struct ref_call *call)
{
    const int axis = ((const TfLiteOneHotParams *)call->params)->axis;

    return axis == -1 ? ref_rank(call->in[0]) : axis;
}

static enum status check_scalar(struct ref_call *call, struct diag *diag, int i, const char *role)
{
    if (ref_elements(call->in[i]) == 1)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): %zu elements, expected 1", i, role,
                    ref_elements(call->in[i]));
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *shape = &call->out_shape[0];
    int64_t depth;
    int axis;

    TRY(ref_check_in_types(call, diag, 0, "indices", REF_TYPE(Int32) | REF_TYPE(Int64), 0,
                           REF_MAX_RANK - 1));
    TRY(ref_check_in(call, diag, 1, "depth", kTfLiteInt32, 0, REF_MAX_RANK));
    TRY(ref_check_in_types(call, diag, 2, "on_value",
                           REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPE(Int32) |
                               REF_TYPE(Int64) | REF_TYPE(Bool),
                           0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 3, "off_value", call->in[2]->type, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[2]->type));
    TRY(check_scalar(call, diag, 1, "depth"));
    TRY(check_scalar(call, diag, 2, "on_value"));
    TRY(check_scalar(call, diag, 3, "off_value"));
    axis = axis_of(call);
    if (axis < 0 || axis > ref_rank(call->in[0]))
        return ref_fail(call, diag, STATUS_INVALID, "axis %d, expected -1 to %d", axis,
                        ref_rank(call->in[0]));
    *shape = (struct ref_shape){ .rank = ref_rank(call->in[0]) + 1 };
    for (int d = 0; d < shape->rank; d++)
        shape->dims[d] = d < axis   ? ref_dim(call->in[0], d)
                         : d > axis ? ref_dim(call->in[0], d - 1)
                                    : 0;
    if (!ref_known(call, 1)) {
        shape->dynamic = true;
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "depth"));
    depth = ref_load_int(call->in[1], 0);
    if (depth < 0)
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (depth): %d, expected at least 0",
                        (int)depth);
    shape->dims[axis] = (int32_t)depth;
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *indices = call->in[0], *y = call->out[0];
    const size_t size = runtime_type_bits(y->type) / 8;
    const int axis = axis_of(call);
    const size_t depth = (size_t)ref_dim(y, axis), count = ref_elements(y);
    size_t inner = 1;

    (void)diag;
    for (int d = axis + 1; d < ref_rank(y); d++)
        inner *= (size_t)ref_dim(y, d);
    for (size_t i = 0; i < count; i++) {
        const int64_t hot = ref_load_int(indices, i / (inner * depth) * inner + i % inner);
        const bool on = hot == (int64_t)(i / inner % depth);

        memcpy(y->data.raw + i * size, call->in[on ? 2 : 3]->data.raw_const, size);
        ref_detail_copied(call, 0, i);
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("one_hot", ONE_HOT, 1, OPTIONS_OneHotOptions),
      REF_PARAMS(TfLiteOneHotParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_one_hot = { ops, sizeof ops / sizeof ops[0] };

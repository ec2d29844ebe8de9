/* PACK: inputs of one type and shape, one behind the other along a new dimension.  A negative axis
 * counts from the end of the output's dimensions.
 * Meaning: tflite/kernels/pack.cc */
#include "reference/kernels/move.h"

#include <string.h>

static void read_params(const struct options *options, void *params)
{
    TfLitePackParams *const p = params;

    p->values_count = options_int(options, "values_count");
    p->axis = options_int(options, "axis");
}

enum {
    TYPES = REF_TYPE(Float32) | REF_TYPE(UInt8) | REF_TYPE(Int8) | REF_TYPE(Int16) |
            REF_TYPE(Int32) | REF_TYPE(UInt32) | REF_TYPE(Int64)
};

static enum status find_axis(const struct ref_call *call, struct diag *diag, int *axis)
{
    return ref_check_axis_value(call, diag, ((const TfLitePackParams *)call->params)->axis,
                                ref_rank(call->in[0]) + 1, axis);
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLitePackParams *const params = call->params;
    struct ref_shape *const y = &call->out_shape[0];
    int axis, rank;

    TRY(ref_check_in_types(call, diag, 0, "input", TYPES, 0, REF_MAX_RANK - 1));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    rank = ref_rank(call->in[0]);
    if (params->values_count != call->in_count)
        return ref_fail(call, diag, STATUS_INVALID, "values_count is %d, the node has %d inputs",
                        params->values_count, call->in_count);
    for (int i = 0; i < call->in_count; i++) {
        TRY(ref_check_in(call, diag, i, "input", call->in[0]->type, rank, rank));
        for (int d = 0; d < rank; d++)
            if (ref_dim(call->in[i], d) != ref_dim(call->in[0], d))
                return ref_fail(call, diag, STATUS_INVALID,
                                "input %d: dimension %d is %d, expected %d as of input 0", i, d,
                                ref_dim(call->in[i], d), ref_dim(call->in[0], d));
        TRY(ref_check_moves(call, diag, i, 0));
    }
    TRY(find_axis(call, diag, &axis));
    *y = (struct ref_shape){ .rank = rank + 1 };
    for (int d = 0; d <= rank; d++)
        y->dims[d] = d == axis ? call->in_count : ref_dim(call->in[0], d - (d > axis));
    return STATUS_OK;
}

/* The output is `outer` blocks of one run of each input. */
static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const y = call->out[0];
    const size_t bytes = runtime_type_bits(y->type) / 8, count = ref_elements(y);
    size_t outer = 1, run;
    int axis;

    TRY(find_axis(call, diag, &axis));
    if (count == 0)
        return STATUS_OK;
    for (int d = 0; d < axis; d++)
        outer *= (size_t)ref_dim(y, d);
    run = count / outer / (size_t)call->in_count;
    for (size_t block = 0; block < outer; block++)
        for (int i = 0; i < call->in_count; i++)
            memcpy(y->data.raw + (block * (size_t)call->in_count + (size_t)i) * run * bytes,
                   call->in[i]->data.raw_const + block * run * bytes, run * bytes);
    for (size_t i = 0; i < count; i++)
        ref_detail_copied(call, 0, i);
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("pack", PACK, 5, OPTIONS_PackOptions), REF_PARAMS(TfLitePackParams, read_params),
      REF_RUN(prepare, eval) },
};

const struct ref_family ref_pack = { ops, sizeof ops / sizeof ops[0] };

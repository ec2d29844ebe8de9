/* WHERE: the indices of the elements of x that are not 0, in their order: y [count, rank] i64.
 *
 * x f32, i8, u8, i32, u32, i64 or bool, of rank 1 and more; integers are compared as they are,
 * whatever scale they have.  An x that is not constant makes the output dynamic. Meaning:
 * tflite/kernels/where.cc */
#include "reference/kernels/check.h"

static bool is_true(const TfLiteTensor *x, size_t i)
{
    return x->type == kTfLiteFloat32 ? ref_load(x, i) != 0 : ref_load_int(x, i) != 0;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    int32_t count = 0;

    TRY(ref_check_in_types(call, diag, 0, "condition",
                           REF_TYPE(Float32) | REF_TYPE(Int8) | REF_TYPE(UInt8) | REF_TYPE(Int32) |
                               REF_TYPE(UInt32) | REF_TYPE(Int64) | REF_TYPE(Bool),
                           1, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteInt64));
    if (ref_known(call, 0)) {
        TRY(ref_check_data(call, diag, 0, "condition"));
        if (ref_elements(x) > INT32_MAX)
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "input 0 (condition): %zu elements, expected at most %d",
                            ref_elements(x), INT32_MAX);
        for (size_t i = 0; i < ref_elements(x); i++)
            count += is_true(x, i);
    }
    call->out_shape[0] = (struct ref_shape){ .dynamic = !ref_known(call, 0),
                                             .rank = 2,
                                             .dims = { count, ref_rank(x) } };
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    const int rank = ref_rank(x);
    int32_t index[REF_MAX_RANK] = { 0 };
    size_t at = 0;

    (void)diag;
    for (size_t i = 0; i < ref_elements(x); i++) {
        for (int d = 0; d < rank && is_true(x, i); d++)
            ref_store_int(call, 0, at++, index[d]);
        ref_step(rank, x->dims->data, index);
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("where", WHERE, 1, OPTIONS_WhereOptions), REF_RUN(prepare, eval) },
};

const struct ref_family ref_where = { ops, sizeof ops / sizeof ops[0] };

/* ATAN2.  y, x f32 of one shape, which do not broadcast; the result is the angle of the point (x,
 * y) in radians, as C's atan2() has it: from -pi to pi, with the sign of y, NaN where y or x is.
 * Meaning: tflite/kernels/atan2.cc */
#include "reference/kernels/check.h"

#include <math.h>

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in_types(call, diag, 0, "y", REF_TYPE(Float32), 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "x", kTfLiteFloat32, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    for (int d = 0; d < REF_MAX_RANK; d++) {
        const int32_t of_y = d < ref_rank(call->in[0]) ? ref_dim(call->in[0], d) : -1;
        const int32_t of_x = d < ref_rank(call->in[1]) ? ref_dim(call->in[1], d) : -1;

        if (of_y != of_x)
            return ref_fail(
                call, diag, STATUS_INVALID,
                "input 1 (x): rank %d, dimension %d is %d, expected the shape of input 0 "
                "(y), rank %d with %d",
                ref_rank(call->in[1]), d, of_x, ref_rank(call->in[0]), of_y);
    }
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    (void)diag;
    for (size_t i = 0; i < ref_elements(call->out[0]); i++) {
        const double r = atan2(ref_load(call->in[0], i), ref_load(call->in[1], i));

        ref_store(call, 0, i, r, fabs(r), 1);
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("atan2", ATAN2, 1, OPTIONS_ATan2Options), REF_RUN(prepare, eval) },
};

const struct ref_family ref_atan2 = { ops, sizeof ops / sizeof ops[0] };

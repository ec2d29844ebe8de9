/* CONCATENATION along an axis (negative: counted from the end).
 *
 * Any number of inputs of one type and, but for the axis, of one shape; pieces may be empty.  Types
 * of whole bytes, and i4; quantized inputs have the output's scale, but those of u8 are rescaled to
 * it, in f32.
 * Meaning: tflite/kernels/concatenation.cc */
#include "reference/kernels/quantized.h"

#include <inttypes.h>
#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteConcatenationParams *p = params;

    p->axis = options_int(options, "axis");
    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
}

/* The axis counted from the front; the rank's range is checked in prepare. */
static int axis_of(const struct ref_call *call)
{
    const int axis = ((const TfLiteConcatenationParams *)call->params)->axis;

    return axis < 0 ? axis + ref_rank(call->in[0]) : axis;
}

static enum status check_input(const struct ref_call *call, struct diag *diag, int i, int64_t *sum)
{
    const TfLiteTensor *const first = call->in[0];
    const int rank = ref_rank(first);

    TRY(ref_check_in(call, diag, i, "input", first->type, rank, rank));
    for (int d = 0; d < rank; d++) {
        if (d == axis_of(call))
            *sum += ref_dim(call->in[i], d);
        else if (ref_dim(call->in[i], d) != ref_dim(first, d))
            return ref_fail(
                call, diag, STATUS_INVALID,
                "input %d: dimension %d is %d, expected %d as of input 0; the axis is %d", i, d,
                ref_dim(call->in[i], d), ref_dim(first, d), axis_of(call));
    }
    if (*sum > INT32_MAX)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input %d: %" PRId64 " elements along axis %d, expected at most 2^31 - 1",
                        i, *sum, axis_of(call));
    return STATUS_OK;
}

static bool is_rescaled(const struct ref_call *call)
{
    return call->in[0]->type == kTfLiteUInt8 && ref_is_quantized(call->out[0]);
}

static enum status check_scales(const struct ref_call *call, struct diag *diag)
{
    if (!is_rescaled(call))
        return ref_check_same_scale(call, diag);
    for (int i = 0; i < call->in_count; i++)
        TRY(ref_check_scale_in(call, diag, i, "input"));
    return ref_check_scale_out(call, diag, 0);
}

/* Rescales count elements of input i that were copied to the output from element `at` on. */
static void rescale(struct ref_call *call, int i, size_t at, size_t count)
{
    const TfLiteTensor *const x = call->in[i], *const y = call->out[0];
    const float scale = (float)ref_scale(x) * (1 / (float)ref_scale(y));
    const float offset = -(float)ref_zero_point(x) * scale;

    if (ref_scale(x) == ref_scale(y) && ref_zero_point(x) == ref_zero_point(y))
        return;
    for (size_t end = at + count; at < end; at++) {
        const int64_t q = ref_load_int(y, at);
        const double real = (double)(q - ref_zero_point(x)) * ref_scale(x) / ref_scale(y);
        const float steps = (float)q * scale + offset;

        ref_store_quant(call, 0, at, ref_type_range(y->type),
                        (int64_t)fixed_round(steps) + ref_zero_point(y), real + ref_zero_point(y),
                        fabs(real), 1);
    }
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteConcatenationParams *p = call->params;
    int64_t sum = 0;
    int rank;

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK));
    TRY(ref_check_moved(call, diag, 0, "input", REF_TYPE(Int4)));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    TRY(ref_check_activation(call, diag, p->activation));
    if (p->activation != kTfLiteActNone)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "fused_activation_function %d, expected 0 (NONE)", (int)p->activation);
    rank = ref_rank(call->in[0]);
    if (p->axis < -rank || p->axis >= rank)
        return ref_fail(call, diag, STATUS_INVALID,
                        "axis is %d, expected -rank to rank - 1, rank %d", p->axis, rank);
    for (int i = 0; i < call->in_count; i++)
        TRY(check_input(call, diag, i, &sum));
    TRY(check_scales(call, diag));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    call->out_shape[0].dims[axis_of(call)] = (int32_t)sum;
    return STATUS_OK;
}

/* Around the axis a tensor is `outer` blocks of (its dimension along the axis) x `inner` elements.
 */
static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const y = call->out[0];
    const size_t count = ref_elements(y);
    const int axis = axis_of(call);
    size_t outer = 1, inner = 1, at = 0;

    (void)diag;
    if (count == 0)
        return STATUS_OK;
    for (int d = 0; d < axis; d++)
        outer *= (size_t)ref_dim(y, d);
    for (int d = axis + 1; d < ref_rank(y); d++)
        inner *= (size_t)ref_dim(y, d);
    for (size_t block = 0; block < outer; block++) {
        for (int i = 0; i < call->in_count; i++) {
            const size_t run = (size_t)ref_dim(call->in[i], axis) * inner;

            ref_copy(call, 0, at, call->in[i], block * run, run);
            for (size_t k = at; k < at + run; k++)
                ref_detail_copied(call, 0, k);
            if (is_rescaled(call))
                rescale(call, i, at, run);
            at += run;
        }
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("concatenation", CONCATENATION, 7, OPTIONS_ConcatenationOptions),
      REF_PARAMS(TfLiteConcatenationParams, read_params), REF_RUN(prepare, eval),
      .folds = REF_FOLD_VALUES },
};

const struct ref_family ref_concatenation = { ops, sizeof ops / sizeof ops[0] };

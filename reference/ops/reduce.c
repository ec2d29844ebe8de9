/* MEAN over some axes.  x f32 of any shape, axes i32 (of any shape, usually a vector), y f32.
 *
 * An axis may be negative (counted from the end) and may come twice; no axis at all leaves x as it
 * is.  The reduced dimensions are dropped, or kept as 1 with keep_dims.  The mean of nothing is
 * NaN.  Axes that are no constant make the output dynamic.
 * Meaning: tflite/kernels/internal/reference/reduce.h */
#include "reference/ref_check.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteReducerParams *p = params;

    p->keep_dims = options_int(options, "keep_dims") != 0;
}

/* Which dimensions of the input are reduced. */
static enum status read_axes(const struct ref_call *call, struct diag *diag, bool *reduced)
{
    const int rank = ref_rank(call->in[0]);
    const size_t count = ref_elements(call->in[1]);

    for (int d = 0; d < rank; d++)
        reduced[d] = false;
    for (size_t i = 0; i < count; i++) {
        const int64_t axis = ref_load_int(call->in[1], i);

        if (axis < -rank || axis >= rank)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (axes): element %zu is %d, the input's rank is %d", i,
                            (int)axis, rank);
        reduced[axis < 0 ? axis + rank : axis] = true;
    }
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteReducerParams *p = call->params;
    struct ref_shape *shape = &call->out_shape[0];
    bool reduced[REF_MAX_RANK];
    const TfLiteTensor *x;

    TRY(ref_check_in(call, diag, 0, "input", kTfLiteFloat32, 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "axes", kTfLiteInt32, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    *shape = (struct ref_shape){ 0 };
    if (!ref_known(call, 1)) {
        shape->dynamic = true;
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "axes"));
    TRY(read_axes(call, diag, reduced));
    x = call->in[0];
    for (int d = 0; d < ref_rank(x); d++) {
        if (!reduced[d])
            shape->dims[shape->rank++] = ref_dim(x, d);
        else if (p->keep_dims)
            shape->dims[shape->rank++] = 1;
    }
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0];
    const int rank = ref_rank(x);
    bool reduced[REF_MAX_RANK];
    /* The two halves of an input position: dimensions of the output, and those summed over. */
    int32_t outer_dims[REF_MAX_RANK], inner_dims[REF_MAX_RANK], outer[REF_MAX_RANK] = { 0 };
    size_t count = 1, at = 0;

    TRY(read_axes(call, diag, reduced));
    if (ref_elements(call->out[0]) == 0)
        return STATUS_OK;
    for (int d = 0; d < rank; d++) {
        outer_dims[d] = reduced[d] ? 1 : ref_dim(x, d);
        inner_dims[d] = reduced[d] ? ref_dim(x, d) : 1;
        count *= (size_t)inner_dims[d];
    }
    do {
        int32_t inner[REF_MAX_RANK] = { 0 };
        double sum = 0, magnitude = 0;

        if (count > 0) {
            do {
                size_t from = 0;
                double v;

                for (int d = 0; d < rank; d++)
                    from = from * (size_t)ref_dim(x, d) + (size_t)(outer[d] + inner[d]);
                v = x->data.f[from];
                sum += v;
                magnitude += fabs(v);
            } while (ref_step(rank, inner_dims, inner));
        }
        if (count == 0)
            ref_store(call, 0, at++, NAN, 0, 0);
        else
            ref_store(call, 0, at++, sum / (double)count, magnitude / (double)count, (double)count);
    } while (ref_step(rank, outer_dims, outer));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    {
        .name = "mean",
        .code = BUILTIN_MEAN,
        .max_version = 3,
        .options_tag = OPTIONS_ReducerOptions,
        .params_bytes = sizeof(TfLiteReducerParams),
        .min_inputs = 2,
        .max_inputs = 2,
        .min_outputs = 1,
        .max_outputs = 1,
        .read_params = read_params,
        .prepare = prepare,
        .eval = eval,
    },
};

const struct ref_family ref_reduce = { ops, sizeof ops / sizeof ops[0] };

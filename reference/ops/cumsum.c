/* CUMSUM along one axis.  x f32, i32 or i64 of rank 1 to 8; axis one i32; y has the shape of x.
 *
 *     y[i] = x[0] + ... + x[i]
 *
 * exclusive: without x[i]; reverse: from the end.  Integers wrap.
 * Meaning: tflite/kernels/cumsum.cc */
#include "reference/kernels/check.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteCumsumParams *p = params;

    p->exclusive = options_int(options, "exclusive") != 0;
    p->reverse = options_int(options, "reverse") != 0;
}

static enum status read_axis(const struct ref_call *call, struct diag *diag, int *axis)
{
    const int rank = ref_rank(call->in[0]);
    const int64_t value = ref_load_int(call->in[1], 0);

    if (value < -rank || value >= rank)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (axis): %d, expected -rank to rank - 1, rank %d", (int)value,
                        rank);
    *axis = (int)(value < 0 ? value + rank : value);
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    int axis;

    TRY(ref_check_in_types(call, diag, 0, "input",
                           REF_TYPE(Float32) | REF_TYPE(Int32) | REF_TYPE(Int64), 1, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "axis", kTfLiteInt32, 0, 1));
    if (ref_elements(call->in[1]) != 1)
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (axis): %zu elements, expected 1",
                        ref_elements(call->in[1]));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    if (!ref_known(call, 1))
        return STATUS_OK;
    TRY(ref_check_data(call, diag, 1, "axis"));
    return read_axis(call, diag, &axis);
}

/* A row of count elements, `step` apart.  The magnitude of a result counts the roundings of its
 * sum. */
static void add_up(struct ref_call *call, size_t first, size_t step, size_t count)
{
    const TfLiteCumsumParams *p = call->params;
    const TfLiteTensor *const x = call->in[0];
    double sum = 0, magnitude = 0;
    uint64_t whole = 0;

    for (size_t k = 0; k < count; k++) {
        const size_t at = first + (p->reverse ? count - 1 - k : k) * step;
        const double terms = (double)(p->exclusive ? k : k + 1);

        if (x->type == kTfLiteFloat32) {
            const double v = x->data.f[at];

            ref_store(call, 0, at, p->exclusive ? sum : sum + v,
                      (2 + fmin(terms, 3 * sqrt(terms))) *
                          (p->exclusive ? magnitude : magnitude + fabs(v)),
                      terms);
            sum += v;
            magnitude += fabs(v);
        } else {
            const uint64_t v = (uint64_t)ref_load_int(x, at);

            ref_store_int(call, 0, at, (int64_t)(p->exclusive ? whole : whole + v));
            whole += v;
        }
    }
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    size_t outer = 1, inner = 1;
    int axis;

    TRY(ref_check_data(call, diag, 1, "axis"));
    TRY(read_axis(call, diag, &axis));
    for (int d = 0; d < axis; d++)
        outer *= (size_t)ref_dim(x, d);
    for (int d = axis + 1; d < ref_rank(x); d++)
        inner *= (size_t)ref_dim(x, d);
    for (size_t i = 0; i < outer; i++) {
        for (size_t j = 0; j < inner; j++)
            add_up(call, i * (size_t)ref_dim(x, axis) * inner + j, inner, (size_t)ref_dim(x, axis));
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("cumsum", CUMSUM, 1, OPTIONS_CumsumOptions),
      REF_PARAMS(TfLiteCumsumParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_cumsum = { ops, sizeof ops / sizeof ops[0] };

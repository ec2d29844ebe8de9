/* PRELU: y = x >= 0 ? x : alpha * x.  x f32, i8 or u8 of any shape; alpha has its type, broadcasts
 * to its shape (usually [1,1,C]) and may be computed; y has the type and the shape of x.
 * Meaning: tflite/kernels/activations.cc */
#include "reference/kernels/quantized.h"

#include <math.h>

/* Multipliers of x, and of x times alpha. */
struct quantized {
    double one_scale, product_scale;
    struct fixed_multiplier one, product;
};

static enum status read_quantized(const struct ref_call *call, struct diag *diag,
                                  struct quantized *q)
{
    const double x = ref_scale(call->in[0]), alpha = ref_scale(call->in[1]);
    const double y = ref_scale(call->out[0]);

    *q = (struct quantized){ .one_scale = x / y, .product_scale = x * alpha / y };
    /* The runtime multiplies and divides in f32. */
    TRY(ref_check_multiplier(call, diag, "input scale / output scale", (float)x / (float)y,
                             &q->one));
    return ref_check_multiplier(call, diag, "input scale * alpha scale / output scale",
                                (float)x * (float)alpha / (float)y, &q->product);
}

static enum status check_quantized(const struct ref_call *call, struct diag *diag)
{
    struct quantized q;

    TRY(ref_check_scale_in(call, diag, 0, "input"));
    TRY(ref_check_scale_in(call, diag, 1, "alpha"));
    TRY(ref_check_scale_out(call, diag, 0));
    return read_quantized(call, diag, &q);
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *shape = &call->out_shape[0];
    const TfLiteTensor *x;

    TRY(ref_check_in_types(call, diag, 0, "input", REF_TYPE(Float32) | REF_TYPES_8BIT, 0,
                           REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "alpha", call->in[0]->type, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (ref_is_8bit(call->in[0]->type))
        TRY(check_quantized(call, diag));
    TRY(ref_broadcast(call, diag, shape));
    x = call->in[0];
    if (shape->rank != ref_rank(x))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (alpha): rank %d, expected at most %d as of the input",
                        shape->rank, ref_rank(x));
    for (int d = 0; d < shape->rank; d++) {
        if (shape->dims[d] != ref_dim(x, d))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (alpha): %d in dimension %d, expected 1 or %d as of the input",
                            shape->dims[d], d, ref_dim(x, d));
    }
    return STATUS_OK;
}

static void eval_quantized(struct ref_call *call, const struct quantized *q, size_t at, size_t from)
{
    const TfLiteTensor *const y = call->out[0];
    const int32_t x = (int32_t)ref_load_int(call->in[0], at) - ref_zero_point(call->in[0]);
    const int32_t alpha = (int32_t)ref_load_int(call->in[1], from) - ref_zero_point(call->in[1]);
    const int32_t zero = ref_zero_point(y);
    const int32_t steps =
        x >= 0 ? fixed_multiply(x, q->one) : fixed_multiply(x * alpha, q->product);
    const double real = x >= 0 ? x * q->one_scale : x * alpha * q->product_scale;

    ref_store_quant(call, 0, at, ref_type_range(y->type), (int64_t)zero + steps, real + zero,
                    fabs(real), 1);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0], *alpha = call->in[1];
    const int rank = ref_rank(x);
    size_t strides[REF_MAX_RANK], at = 0;
    int32_t index[REF_MAX_RANK] = { 0 };
    const bool quantized = ref_is_8bit(x->type);
    struct quantized q;

    if (quantized)
        TRY(read_quantized(call, diag, &q));
    if (ref_elements(x) == 0)
        return STATUS_OK;
    ref_broadcast_strides(alpha, rank, strides);
    do {
        size_t from = 0;

        for (int d = 0; d < rank; d++)
            from += (size_t)index[d] * strides[d];
        if (quantized) {
            eval_quantized(call, &q, at++, from);
        } else {
            const double v = x->data.f[at], y = v >= 0 ? v : alpha->data.f[from] * v;

            ref_store(call, 0, at++, y, fabs(y), 1);
        }
    } while (ref_step(rank, x->dims->data, index));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("prelu", PRELU, 1, 0), REF_RUN(prepare, eval) },
};

const struct ref_family ref_prelu = { ops, sizeof ops / sizeof ops[0] };

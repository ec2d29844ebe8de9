/* PAD.  x of any shape, paddings [rank,2] (i32 or i64): zeros before and behind each dimension. Any
 * type of whole bytes, in which zero is all bits 0; quantized i8, u8 and i16 are filled with the
 * zero point.
 *
 * Paddings that are not constant make the output dynamic.
 * Meaning: tflite/kernels/internal/reference/pad.h */
#include "reference/kernels/quantized.h"

#include <inttypes.h>
#include <string.h>

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *shape = &call->out_shape[0];
    const TfLiteTensor *x, *paddings;
    int rank;

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK));
    x = call->in[0];
    TRY(ref_check_bytes(call, diag, 0, "input"));
    TRY(ref_check_out(call, diag, 0, x->type));
    if (ref_is_8bit(x->type) || x->type == kTfLiteInt16)
        TRY(ref_check_moves(call, diag, 0, 0));
    else if (ref_is_quantized(x))
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "input 0 (input): quantized %s, expected i8, u8 or i16",
                        runtime_type_name(x->type));

    TRY(ref_check_shape(call, diag, 1, "paddings", 2, 2));
    paddings = call->in[1];
    if (paddings->type != kTfLiteInt32 && paddings->type != kTfLiteInt64)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (paddings): type %s, expected i32 or i64",
                        runtime_type_name(paddings->type));
    rank = ref_rank(x);
    if (ref_dim(paddings, 0) != rank || ref_dim(paddings, 1) != 2)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (paddings): shape [%d,%d], expected [%d,2]", ref_dim(paddings, 0),
                        ref_dim(paddings, 1), rank);
    *shape = (struct ref_shape){ .rank = rank };
    if (!ref_known(call, 1)) {
        shape->dynamic = true;
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "paddings"));
    for (int d = 0; d < rank; d++) {
        const int64_t before = ref_load_int(paddings, (size_t)d * 2);
        const int64_t behind = ref_load_int(paddings, (size_t)d * 2 + 1);

        if (before < 0 || behind < 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (paddings): row %d is %" PRId64 ", %" PRId64
                            ", expected at least 0",
                            d, before, behind);
        if (before > INT32_MAX || behind > INT32_MAX || before + ref_dim(x, d) + behind > INT32_MAX)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (paddings): row %d is %" PRId64 ", %" PRId64
                            " around a dimension of %d, expected at most 2^31 - 1 in all",
                            d, before, behind, ref_dim(x, d));
        shape->dims[d] = (int32_t)(before + ref_dim(x, d) + behind);
    }
    return STATUS_OK;
}

/* Stores the padding value. */
static void put_zero(struct ref_call *call, size_t at, size_t size)
{
    TfLiteTensor *const y = call->out[0];

    if (ref_is_quantized(call->in[0]))
        ref_store_int(call, 0, at, ref_zero_point(y));
    else
        memset(y->data.raw + at * size, 0, size);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0], *paddings = call->in[1], *y = call->out[0];
    const size_t size = runtime_type_bits(x->type) / 8;
    const int rank = ref_rank(x);
    int32_t before[REF_MAX_RANK], index[REF_MAX_RANK] = { 0 };
    size_t at = 0;

    (void)diag;
    if (ref_elements(y) == 0)
        return STATUS_OK;
    for (int d = 0; d < rank; d++)
        before[d] = (int32_t)ref_load_int(paddings, (size_t)d * 2);
    do {
        bool inside = true;
        size_t from = 0;

        for (int d = 0; d < rank; d++) {
            const int32_t i = index[d] - before[d];

            inside = inside && i >= 0 && i < ref_dim(x, d);
            if (inside)
                from = from * (size_t)ref_dim(x, d) + (size_t)i;
        }
        if (inside)
            memcpy(y->data.raw + at * size, x->data.raw_const + from * size, size);
        else
            put_zero(call, at, size);
        ref_detail_copied(call, 0, at++);
    } while (ref_step(rank, y->dims->data, index));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    {
        .name = "pad",
        REF_OP(PAD),
        .max_version = 6,
        .options_tag = OPTIONS_PadOptions,
        .prepare = prepare,
        .eval = eval,
    },
};

const struct ref_family ref_pad = { ops, sizeof ops / sizeof ops[0] };

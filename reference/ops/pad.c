/* PAD, PADV2 and MIRROR_PAD.  x of any shape, paddings [rank,2] (i32 or i64): how many elements are
 * added before and behind each dimension.
 *
 * PAD adds zeros, of quantized i8, u8 and i16 the zero point.  PADV2 adds the value of a third
 * input, a scalar of x's type, scale and zero point.  MIRROR_PAD adds elements of x mirrored at its
 * ends: REFLECT leaves the end itself out, so that a dimension of n gets n - 1 at most, SYMMETRIC
 * repeats it, so that it gets n.
 *
 * Paddings that are not constant make the output dynamic.
 * Meaning: tflite/kernels/internal/reference/pad.h, tflite/kernels/mirror_pad.cc */
#include "reference/kernels/quantized.h"

#include <inttypes.h>
#include <string.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteMirrorPaddingParams *p = params;
    const int64_t mode = options_int(options, "mode");

    p->mode = mode == 0   ? kTfLiteMirrorPaddingReflect
              : mode == 1 ? kTfLiteMirrorPaddingSymmetric
                          : kTfLiteMirrorPaddingUnknown;
}

static bool mirrors(const struct ref_call *call)
{
    return call->op->code == BUILTIN_MIRROR_PAD;
}

static bool repeats_end(const struct ref_call *call)
{
    return ((const TfLiteMirrorPaddingParams *)call->params)->mode == kTfLiteMirrorPaddingSymmetric;
}

static enum status check_value(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0], *value;

    TRY(ref_check_in(call, diag, 2, "constant_values", x->type, 0, REF_MAX_RANK));
    value = call->in[2];
    if (ref_elements(value) != 1)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 2 (constant_values): %zu elements, expected 1", ref_elements(value));
    return ref_is_quantized(x) ? ref_check_moves(call, diag, 2, 0) : STATUS_OK;
}

static enum status check_quantized(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];

    if (call->op->code != BUILTIN_PAD)
        return ref_is_quantized(x) || ref_is_quantized(call->out[0])
                   ? ref_check_moves(call, diag, 0, 0)
                   : STATUS_OK;
    if (ref_is_8bit(x->type) || x->type == kTfLiteInt16)
        return ref_check_moves(call, diag, 0, 0);
    if (ref_is_quantized(x))
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "input 0 (input): quantized %s, expected i8, u8 or i16",
                        runtime_type_name(x->type));
    return STATUS_OK;
}

static enum status check_row(struct ref_call *call, struct diag *diag, int d)
{
    const int32_t dim = ref_dim(call->in[0], d);
    const int64_t before = ref_load_int(call->in[1], (size_t)d * 2);
    const int64_t behind = ref_load_int(call->in[1], (size_t)d * 2 + 1);
    const int64_t most = mirrors(call) ? (int64_t)dim - !repeats_end(call) : INT32_MAX;
    const bool pad = call->op->code == BUILTIN_PAD;

    if (pad && (before < 0 || behind < 0))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (paddings): row %d is %" PRId64 ", %" PRId64
                        ", expected at least 0",
                        d, before, behind);
    if (!pad && (before < 0 || behind < 0 || before > most || behind > most))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (paddings): row %d is %" PRId64 ", %" PRId64
                        ", expected 0 to %" PRId64,
                        d, before, behind, most);
    if (before > INT32_MAX || behind > INT32_MAX || before + dim + behind > INT32_MAX)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (paddings): row %d is %" PRId64 ", %" PRId64
                        " around a dimension of %d, expected at most 2^31 - 1 in all",
                        d, before, behind, dim);
    call->out_shape[0].dims[d] = (int32_t)(before + dim + behind);
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *shape = &call->out_shape[0];
    const TfLiteTensor *x, *paddings;

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK));
    x = call->in[0];
    TRY(ref_check_bytes(call, diag, 0, "input"));
    TRY(ref_check_out(call, diag, 0, x->type));
    TRY(check_quantized(call, diag));
    TRY(ref_check_shape(call, diag, 1, "paddings", 2, 2));
    paddings = call->in[1];
    if (paddings->type != kTfLiteInt32 && paddings->type != kTfLiteInt64)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (paddings): type %s, expected i32 or i64",
                        runtime_type_name(paddings->type));
    if (ref_dim(paddings, 0) != ref_rank(x) || ref_dim(paddings, 1) != 2)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (paddings): shape [%d,%d], expected [%d,2]", ref_dim(paddings, 0),
                        ref_dim(paddings, 1), ref_rank(x));
    if (call->op->code == BUILTIN_PADV2)
        TRY(check_value(call, diag));
    if (mirrors(call) &&
        ((const TfLiteMirrorPaddingParams *)call->params)->mode == kTfLiteMirrorPaddingUnknown)
        return ref_fail(call, diag, STATUS_INVALID,
                        "mode is neither 0 (REFLECT) nor 1 (SYMMETRIC)");
    *shape = (struct ref_shape){ .rank = ref_rank(x) };
    if (!ref_known(call, 1)) {
        shape->dynamic = true;
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "paddings"));
    for (int d = 0; d < shape->rank; d++)
        TRY(check_row(call, diag, d));
    return STATUS_OK;
}

/* The index of x for index i of y along a dimension; -1: none. */
static int32_t index_of(const struct ref_call *call, int d, int32_t i)
{
    const int32_t dim = ref_dim(call->in[0], d);
    const int32_t k = i - (int32_t)ref_load_int(call->in[1], (size_t)d * 2);
    const int32_t end = mirrors(call) && repeats_end(call) ? 1 : 0; /* the end is repeated */

    if (k >= 0 && k < dim)
        return k;
    if (!mirrors(call))
        return -1;
    return k < 0 ? -k - end : 2 * (dim - 1) - k + end;
}

/* Stores what PAD adds. */
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
    const TfLiteTensor *x = call->in[0], *y = call->out[0];
    const size_t size = runtime_type_bits(x->type) / 8;
    const int rank = ref_rank(x);
    int32_t index[REF_MAX_RANK] = { 0 };
    size_t at = 0;

    (void)diag;
    if (ref_elements(y) == 0)
        return STATUS_OK;
    do {
        bool inside = true;
        size_t from = 0;

        for (int d = 0; d < rank; d++) {
            const int32_t i = index_of(call, d, index[d]);

            inside = inside && i >= 0;
            from = from * (size_t)ref_dim(x, d) + (size_t)(i < 0 ? 0 : i);
        }
        if (inside || call->op->code != BUILTIN_PAD)
            memcpy(y->data.raw + at * size,
                   inside ? x->data.raw_const + from * size : call->in[2]->data.raw_const, size);
        else
            put_zero(call, at, size);
        ref_detail_copied(call, 0, at++);
    } while (ref_step(rank, y->dims->data, index));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("pad", PAD, 6, OPTIONS_PadOptions), REF_RUN(prepare, eval) },
    { REF_OP("padv2", PADV2, 6, OPTIONS_PadV2Options), REF_RUN(prepare, eval) },
    { REF_OP("mirror_pad", MIRROR_PAD, 3, OPTIONS_MirrorPadOptions),
      REF_PARAMS(TfLiteMirrorPaddingParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_pad = { ops, sizeof ops / sizeof ops[0] };

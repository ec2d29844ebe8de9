#include "reference/kernels/check.h"

#include <math.h>
#include <stdio.h>

enum status ref_check_shape(const struct ref_call *call, struct diag *diag, int i, const char *role,
                            int min_rank, int max_rank)
{
    const TfLiteTensor *t;

    if (!ref_has(call, i))
        return ref_fail(call, diag, STATUS_INVALID, "input %d (%s) is missing", i, role);
    t = call->in[i];
    if (ref_rank(t) < min_rank || ref_rank(t) > max_rank) {
        if (min_rank == max_rank)
            return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): rank %d, expected %d", i,
                            role, ref_rank(t), min_rank);
        return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): rank %d, expected %d to %d", i,
                        role, ref_rank(t), min_rank, max_rank);
    }
    for (int d = 0; d < ref_rank(t); d++) {
        if (ref_dim(t, d) < 0)
            return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): dimension %d is %d", i,
                            role, d, ref_dim(t, d));
    }
    return STATUS_OK;
}

/* "f32", or "f32, f16, i32". */
static void type_list(uint32_t types, char *text, size_t room)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned type = 0; type < 32 && used < room; type++) {
        if (types >> type & 1)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "",
                                     runtime_type_name((TfLiteType)type));
    }
}

static enum status check_type(const struct ref_call *call, struct diag *diag, const char *side,
                              int i, const char *role, TfLiteType type, uint32_t wanted)
{
    const char *name = runtime_type_name(type);
    char names[96];

    if ((unsigned)type < 32 && wanted >> type & 1)
        return STATUS_OK;
    type_list(wanted, names, sizeof names);
    return ref_fail(call, diag, STATUS_UNSUPPORTED, "%s %d (%s): type %s, expected %s", side, i,
                    role, name ? name : "unknown", names);
}

enum status ref_check_in_types(const struct ref_call *call, struct diag *diag, int i,
                               const char *role, uint32_t types, int min_rank, int max_rank)
{
    TRY(ref_check_shape(call, diag, i, role, min_rank, max_rank));
    return check_type(call, diag, "input", i, role, call->in[i]->type, types);
}

enum status ref_check_in(const struct ref_call *call, struct diag *diag, int i, const char *role,
                         TfLiteType type, int min_rank, int max_rank)
{
    return ref_check_in_types(call, diag, i, role, 1u << type, min_rank, max_rank);
}

enum status ref_check_out(const struct ref_call *call, struct diag *diag, int o, TfLiteType type)
{
    return check_type(call, diag, "output", o, "output", call->out[o]->type, 1u << type);
}

enum status ref_check_bytes(const struct ref_call *call, struct diag *diag, int i, const char *role)
{
    const TfLiteType type = call->in[i]->type;

    if (runtime_type_bits(type) % 8 == 0 && runtime_type_bits(type) > 0)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_UNSUPPORTED,
                    "input %d (%s): type %s, expected elements of whole bytes", i, role,
                    runtime_type_name(type) ? runtime_type_name(type) : "unknown");
}

enum status ref_check_moved(const struct ref_call *call, struct diag *diag, int i, const char *role,
                            uint32_t packed)
{
    const TfLiteType type = call->in[i]->type;

    return (unsigned)type < 32 && packed >> type & 1 ? STATUS_OK
                                                     : ref_check_bytes(call, diag, i, role);
}

static bool same_scale(const TfLiteTensor *a, const TfLiteTensor *b)
{
    const TfLiteAffineQuantization *qa = a->quantization.params, *qb = b->quantization.params;

    if (a->quantization.type != b->quantization.type)
        return false;
    if (a->quantization.type == kTfLiteNoQuantization)
        return true;
    return a->quantization.type == kTfLiteAffineQuantization && qa->scale->size == 1 &&
           qb->scale->size == 1 && qa->scale->data[0] == qb->scale->data[0] &&
           qa->zero_point->data[0] == qb->zero_point->data[0];
}

enum status ref_check_same_scale(const struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const y = call->out[0];

    for (int i = 0; i < call->in_count; i++) {
        if (call->in[i] && !same_scale(call->in[i], y))
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "input %d: quantization differs from the output's: scale %g and zero "
                            "point %d, expected %g and %d",
                            i, (double)call->in[i]->params.scale, call->in[i]->params.zero_point,
                            (double)y->params.scale, y->params.zero_point);
    }
    return STATUS_OK;
}

enum status ref_check_not_empty(const struct ref_call *call, struct diag *diag, int i,
                                const char *role, int d, const char *what)
{
    if (ref_dim(call->in[i], d) > 0)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): dimension %d (%s) is %d", i, role,
                    d, what, ref_dim(call->in[i], d));
}

enum status ref_check_activation(const struct ref_call *call, struct diag *diag,
                                 TfLiteFusedActivation act)
{
    if (act >= kTfLiteActNone && act <= kTfLiteActSignBit)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID, "fused_activation_function %d, expected 0 to 5",
                    (int)act);
}

enum status ref_check_data(const struct ref_call *call, struct diag *diag, int i, const char *role)
{
    const TfLiteTensor *t = call->in[i];
    const size_t element_bytes = runtime_type_bits(t->type) / 8;
    const size_t count = ref_elements(t);

    if (count == 0 || (t->data.raw_const && t->bytes / element_bytes >= count))
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): %zu bytes for %zu elements", i,
                    role, t->data.raw_const ? t->bytes : 0, count);
}

enum status ref_check_step(const struct ref_call *call, struct diag *diag, const char *what,
                           const char *axis, int32_t step, int32_t max)
{
    if (step < 1)
        return ref_fail(call, diag, STATUS_INVALID, "%s %s is %d", what, axis, step);
    if (max != 0 && step > max)
        return ref_fail(call, diag, STATUS_INVALID, "%s %s is %d, at most %d", what, axis, step,
                        max);
    return STATUS_OK;
}

static enum status check_axis(const struct ref_call *call, struct diag *diag, const char *axis,
                              const struct ref_window_params *p, int32_t in, int32_t filter,
                              int32_t stride, int32_t dilation, struct ref_window *w)
{
    if (filter < 1)
        return ref_fail(call, diag, STATUS_INVALID, "filter %s is %d", axis, filter);
    TRY(ref_check_step(call, diag, "stride", axis, stride, p->step_max));
    TRY(ref_check_step(call, diag, "dilation", axis, dilation, p->step_max));
    if (!ref_window(p->padding, in, filter, stride, dilation, w))
        return ref_fail(
            call, diag, STATUS_INVALID, "filter %s %d with dilation %d does not fit input %s %d%s",
            axis, filter, dilation, axis, in,
            p->padding == kTfLitePaddingSame ? ", padded by at most 32767 before it" : "");
    return STATUS_OK;
}

enum status ref_check_windows(const struct ref_call *call, struct diag *diag,
                              const struct ref_window_params *p, struct ref_window *h,
                              struct ref_window *w)
{
    if (p->padding != kTfLitePaddingSame && p->padding != kTfLitePaddingValid)
        return ref_fail(call, diag, STATUS_INVALID, "padding is neither SAME nor VALID");
    TRY(check_axis(call, diag, "height", p, ref_dim(call->in[0], 1), p->filter_h, p->stride_h,
                   p->dilation_h, h));
    return check_axis(call, diag, "width", p, ref_dim(call->in[0], 2), p->filter_w, p->stride_w,
                      p->dilation_w, w);
}

struct ref_taps ref_taps(int32_t o, int32_t before, int32_t stride, int32_t dilation,
                         int32_t filter, int32_t in)
{
    const int64_t start = (int64_t)o * stride - before;
    /* Tap k reads start + k * dilation, which has to be in [0, in). */
    const int64_t begin = start < 0 ? (-start + dilation - 1) / dilation : 0;
    int64_t end = start < in ? (in - start + dilation - 1) / dilation : 0;

    if (end > filter)
        end = filter;
    if (begin >= end)
        return (struct ref_taps){ 0 };
    return (struct ref_taps){ .begin = (int32_t)begin,
                              .end = (int32_t)end,
                              .first = start + begin * dilation };
}

/* Dimension d of t seen as a shape of the given rank. */
static int32_t aligned_dim(const TfLiteTensor *t, int rank, int d)
{
    d -= rank - ref_rank(t);
    return d < 0 ? 1 : ref_dim(t, d);
}

enum status ref_broadcast(const struct ref_call *call, struct diag *diag, struct ref_shape *out)
{
    const TfLiteTensor *a = call->in[0], *b = call->in[1];

    *out = (struct ref_shape){ .rank = ref_rank(a) > ref_rank(b) ? ref_rank(a) : ref_rank(b) };
    for (int d = 0; d < out->rank; d++) {
        const int32_t da = aligned_dim(a, out->rank, d), db = aligned_dim(b, out->rank, d);

        if (da != db && da != 1 && db != 1)
            return ref_fail(call, diag, STATUS_INVALID,
                            "inputs 0 and 1 do not broadcast: %d and %d in dimension %d of %d", da,
                            db, d, out->rank);
        out->dims[d] = da == 1 ? db : da;
    }
    return STATUS_OK;
}

void ref_broadcast_strides(const TfLiteTensor *t, int rank, size_t *strides)
{
    size_t stride = 1;

    for (int d = rank - 1; d >= 0; d--) {
        const int32_t dim = aligned_dim(t, rank, d);

        strides[d] = dim == 1 ? 0 : stride;
        stride *= (size_t)dim;
    }
}

void ref_broadcast_each(struct ref_call *call, int count, ref_visit *visit, const void *context)
{
    const TfLiteTensor *y = call->out[0];
    const int rank = ref_rank(y);
    size_t strides[REF_BROADCAST_MAX][REF_MAX_RANK], in[REF_BROADCAST_MAX], at = 0;
    int32_t index[REF_MAX_RANK] = { 0 };

    if (ref_elements(y) == 0)
        return;
    for (int i = 0; i < count; i++)
        ref_broadcast_strides(call->in[i], rank, strides[i]);
    do {
        for (int i = 0; i < count; i++) {
            in[i] = 0;
            for (int d = 0; d < rank; d++)
                in[i] += (size_t)index[d] * strides[i][d];
        }
        visit(call, context, at++, in);
    } while (ref_step(rank, y->dims->data, index));
}

void ref_same_shape(struct ref_shape *out, const TfLiteTensor *t)
{
    *out = (struct ref_shape){ .rank = ref_rank(t) };
    for (int d = 0; d < out->rank; d++)
        out->dims[d] = ref_dim(t, d);
}

void ref_detail_copied(struct ref_call *call, int o, size_t i)
{
    const struct ref_detail *d = call->detail ? &call->detail[o] : NULL;
    const TfLiteTensor *t = call->out[o];
    double value;

    if (!d)
        return;
    switch (t->type) {
    case kTfLiteFloat32:
    case kTfLiteFloat16: value = ref_load(t, i); break;
    case kTfLiteInt32:
    case kTfLiteInt64:
    case kTfLiteInt16:
    case kTfLiteInt8:
    case kTfLiteUInt8:
    case kTfLiteUInt32:
    case kTfLiteInt4:
    case kTfLiteInt2:
    case kTfLiteUInt4:
    case kTfLiteBool: value = (double)ref_load_int(t, i); break;
    default: value = 0; break; /* moved as bytes: compared as bytes */
    }
    if (d->value)
        d->value[i] = value;
    if (d->magnitude)
        d->magnitude[i] = fabs(value);
    if (d->terms)
        d->terms[i] = 1;
}

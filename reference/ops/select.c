/* SELECT, SELECT_V2: y = condition ? a : b, element by element.
 *
 * SELECT_V2 broadcasts the three inputs.  In SELECT a and b have one shape, and the condition that
 * shape, too, or rank 0, or rank 1 with an element for each index of their first dimension.  Where
 * each input has one element, the output keeps the shape that the model gives it.  Elements of any
 * type are copied: a, b and the output have one type, and one scale.
 * Meaning: tflite/kernels/select.cc, tflite/kernels/internal/reference/select.h */
#include "reference/kernels/quantized.h"

#include <string.h>

enum { CONDITION, A, B, INPUTS };

enum {
    TYPES = REF_TYPES_FLOAT | REF_TYPES_8BIT | REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64) |
            REF_TYPE(UInt32) | REF_TYPE(Bool)
};

static int32_t aligned(const TfLiteTensor *t, int rank, int d)
{
    const int missing = rank - ref_rank(t);

    return d < missing ? 1 : ref_dim(t, d - missing);
}

static bool same_shape(const TfLiteTensor *a, const TfLiteTensor *b)
{
    if (ref_rank(a) != ref_rank(b))
        return false;
    for (int d = 0; d < ref_rank(a); d++)
        if (ref_dim(a, d) != ref_dim(b, d))
            return false;
    return true;
}

static enum status broadcast(const struct ref_call *call, struct diag *diag, struct ref_shape *out)
{
    *out = (struct ref_shape){ .rank = 0 };
    for (int i = 0; i < INPUTS; i++)
        if (ref_rank(call->in[i]) > out->rank)
            out->rank = ref_rank(call->in[i]);
    for (int d = 0; d < out->rank; d++) {
        out->dims[d] = 1;
        for (int i = 0; i < INPUTS; i++) {
            const int32_t n = aligned(call->in[i], out->rank, d);

            if (n != 1 && out->dims[d] != 1 && n != out->dims[d])
                return ref_fail(call, diag, STATUS_INVALID,
                                "inputs 0 to 2 do not broadcast: %d and %d in dimension %d of %d",
                                out->dims[d], n, d, out->rank);
            if (n != 1)
                out->dims[d] = n;
        }
    }
    return STATUS_OK;
}

/* SELECT: the shapes as they are described above. */
static enum status check_rows(const struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *c = call->in[CONDITION], *a = call->in[A];

    if (!same_shape(a, call->in[B]))
        return ref_fail(call, diag, STATUS_INVALID, "input 2 (b): expected the shape of input 1");
    if (same_shape(c, a) || ref_rank(c) == 0 ||
        (ref_rank(c) == 1 && ref_rank(a) > 0 && ref_dim(c, 0) == ref_dim(a, 0)))
        return STATUS_OK;
    return ref_fail(
        call, diag, STATUS_INVALID,
        "input 0 (condition): rank %d with %zu elements, expected the shape of input 1, "
        "rank 0, or one element for each index of its first dimension",
        ref_rank(c), ref_elements(c));
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    bool single = true;

    TRY(ref_check_in(call, diag, CONDITION, "condition", kTfLiteBool, 0, REF_MAX_RANK));
    TRY(ref_check_in_types(call, diag, A, "a", TYPES, 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, B, "b", call->in[A]->type, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[A]->type));
    if (ref_is_8bit(call->in[A]->type) || call->in[A]->type == kTfLiteInt16) {
        TRY(ref_check_moves(call, diag, A, 0));
        TRY(ref_check_moves(call, diag, B, 0));
    }
    for (int i = 0; i < INPUTS; i++)
        single = single && ref_elements(call->in[i]) == 1;
    if (single && ref_elements(call->out[0]) == 1 && ref_rank(call->out[0]) <= REF_MAX_RANK) {
        ref_same_shape(&call->out_shape[0], call->out[0]);
        return STATUS_OK;
    }
    if (call->op->code == BUILTIN_SELECT_V2)
        return broadcast(call, diag, &call->out_shape[0]);
    TRY(check_rows(call, diag));
    ref_same_shape(&call->out_shape[0], call->in[A]);
    return STATUS_OK;
}

static void copy(struct ref_call *call, size_t at, int from, size_t i)
{
    TfLiteTensor *y = call->out[0];
    const size_t bytes = y->bytes / ref_elements(y);

    memcpy(y->data.raw + at * bytes, call->in[from]->data.raw + i * bytes, bytes);
    ref_detail_copied(call, 0, at);
}

static void eval_one(struct ref_call *call, const void *context, size_t at, const size_t *in)
{
    const int from = ref_load_int(call->in[CONDITION], in[CONDITION]) ? A : B;

    (void)context;
    copy(call, at, from, in[from]);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const size_t count = ref_elements(call->out[0]), conditions = ref_elements(call->in[CONDITION]);

    (void)diag;
    if (call->op->code == BUILTIN_SELECT_V2) {
        ref_broadcast_each(call, INPUTS, eval_one, NULL);
        return STATUS_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t c = i / (count / conditions);

        copy(call, i, ref_load_int(call->in[CONDITION], c) ? A : B, i);
    }
    return STATUS_OK;
}

#define MEMBER(name_, code_, version, tag)                                                         \
    {                                                                                              \
        REF_OP(name_, code_, version, tag), REF_RUN(prepare, eval)                                 \
    }
static const struct ref_op ops[] = {
    MEMBER("select", SELECT, 4, OPTIONS_SelectOptions),
    MEMBER("select_v2", SELECT_V2, 2, OPTIONS_SelectV2Options),
};

const struct ref_family ref_select = { ops, sizeof ops / sizeof ops[0] };

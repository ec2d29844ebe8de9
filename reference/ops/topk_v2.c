/* TOPK_V2: the k largest elements of each row of the last axis, largest first, and their indices;
 * of equal ones the first comes first.
 *
 * x f32, i8, u8, i32 or i64 of rank 1 to 8; k one i32, at most the length of a row (below 0 it is
 * 0); values have x's type, indices are i32.  A k that is not constant makes the outputs dynamic.
 * NaN is neither larger nor smaller than a number: only its index orders the two. Meaning:
 * tflite/kernels/topk_v2.cc */
#include "reference/base/memory.h"
#include "reference/kernels/quantized.h"

#include <math.h>

enum { VALUES, INDICES };

static enum status read_k(const struct ref_call *call, struct diag *diag, int32_t *k)
{
    const int32_t row = ref_dim(call->in[0], ref_rank(call->in[0]) - 1);
    const int64_t value = ref_load_int(call->in[1], 0);

    if (value > row)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (k): %d, expected at most %d, the last dimension of input 0",
                        (int)value, row);
    *k = value < 0 ? 0 : (int32_t)value;
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    int32_t k;

    TRY(ref_check_in_types(call, diag, 0, "input",
                           REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int32) | REF_TYPE(Int64),
                           1, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "k", kTfLiteInt32, 0, 1));
    if (ref_elements(call->in[1]) != 1)
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (k): %zu elements, expected 1",
                        ref_elements(call->in[1]));
    TRY(ref_check_out(call, diag, VALUES, call->in[0]->type));
    TRY(ref_check_out(call, diag, INDICES, kTfLiteInt32));
    if (ref_is_8bit(call->in[0]->type))
        TRY(ref_check_moves(call, diag, 0, VALUES));
    for (int o = 0; o < 2; o++) {
        ref_same_shape(&call->out_shape[o], call->in[0]);
        call->out_shape[o].dynamic = !ref_known(call, 1);
    }
    if (!ref_known(call, 1))
        return STATUS_OK;
    TRY(ref_check_data(call, diag, 1, "k"));
    TRY(read_k(call, diag, &k));
    for (int o = 0; o < 2; o++)
        call->out_shape[o].dims[call->out_shape[o].rank - 1] = k;
    return STATUS_OK;
}

/* Whether element a of the row comes before b. */
static bool is_before(const TfLiteTensor *x, size_t a, size_t b)
{
    if (x->type == kTfLiteFloat32) {
        const float va = x->data.f[a], vb = x->data.f[b];

        return vb < va || (!(vb > va) && a < b);
    } else {
        const int64_t va = ref_load_int(x, a), vb = ref_load_int(x, b);

        return vb < va || (va == vb && a < b);
    }
}

/* Sorts the k first of a row's elements into best, by insertion. */
static void find(const TfLiteTensor *x, size_t first, size_t count, size_t k, size_t *best)
{
    size_t used = 0;

    for (size_t i = first; i < first + count; i++) {
        size_t at = used;

        while (at > 0 && is_before(x, i, best[at - 1]))
            at--;
        if (at >= k)
            continue;
        if (used < k)
            used++;
        for (size_t j = used - 1; j > at; j--)
            best[j] = best[j - 1];
        best[at] = i;
    }
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    const size_t row = (size_t)ref_dim(x, ref_rank(x) - 1);
    size_t *best;
    int32_t k;

    TRY(ref_check_data(call, diag, 1, "k"));
    TRY(read_k(call, diag, &k));
    if (k == 0 || ref_elements(x) == 0)
        return STATUS_OK;
    best = mem_alloc((size_t)k, sizeof *best);
    if (!best)
        return ref_fail(call, diag, STATUS_NO_MEMORY, "%d elements of a row: out of memory", k);
    for (size_t r = 0; r < ref_elements(x) / row; r++) {
        find(x, r * row, row, (size_t)k, best);
        for (size_t i = 0; i < (size_t)k; i++) {
            const size_t at = r * (size_t)k + i;

            if (x->type == kTfLiteFloat32)
                ref_store(call, VALUES, at, x->data.f[best[i]], fabs((double)x->data.f[best[i]]),
                          1);
            else
                ref_store_int(call, VALUES, at, ref_load_int(x, best[i]));
            ref_store_int(call, INDICES, at, (int64_t)(best[i] - r * row));
        }
    }
    mem_free(best);
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("topk_v2", TOPK_V2, 3, OPTIONS_TopKV2Options), REF_RUN(prepare, eval) },
};

const struct ref_family ref_topk_v2 = { ops, sizeof ops / sizeof ops[0] };

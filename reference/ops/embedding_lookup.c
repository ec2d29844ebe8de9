/* EMBEDDING_LOOKUP: rows of a table, by their numbers.
 *
 * ids [n] i32, table [rows, ...] f32, i8, u8, i4, i2; y [n, ...] of the table's type, but of i4 and
 * i2, or f32 or f16 of integers: value * scale, with zero point 0, and one scale or one for each
 * row, or of a table [rows, K] of i8, i4 and i2 for each block of a row.  Rows of i4 and i2 follow
 * each other without padding, also where they are no whole bytes.  A number outside of the table is
 * an error of invoke.
 * Meaning: tflite/kernels/embedding_lookup.cc */
#include "reference/kernels/quantized.h"

#include <inttypes.h>
#include <math.h>

static bool is_hybrid(const struct ref_call *call)
{
    return call->in[1]->type != kTfLiteFloat32 && call->out[0]->type != call->in[1]->type;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *table;
    bool hybrid, packed;

    TRY(ref_check_in(call, diag, 0, "lookup", kTfLiteInt32, 1, 1));
    TRY(ref_check_in_types(call, diag, 1, "value",
                           REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPES_PACKED, 2, REF_MAX_RANK));
    table = call->in[1];
    hybrid = is_hybrid(call);
    packed = 1u << table->type & REF_TYPES_PACKED;
    if (hybrid && call->out[0]->type != kTfLiteFloat16)
        TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    if (packed && !hybrid)
        return ref_fail(call, diag, STATUS_UNSUPPORTED, "output 0: type %s, expected f32 or f16",
                        runtime_type_name(table->type));
    if (packed || ref_is_blockwise(call, 1)) {
        TRY(ref_check_scale_weights(call, diag, 1, 0, hybrid));
    } else if (hybrid) {
        const TfLiteAffineQuantization *q;
        struct ref_scales s;

        TRY(ref_check_scales_in(call, diag, 1, "value"));
        s = ref_scales_of(table, table);
        q = table->quantization.params;
        if (s.count > 1 && q->quantized_dimension != 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (value): scales along dimension %d, expected one, or one for "
                            "each row",
                            q->quantized_dimension);
        if (s.zero_point[0] != 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (value): zero point %d, expected 0", s.zero_point[0]);
    } else {
        TRY(ref_check_out(call, diag, 0, table->type));
    }
    ref_same_shape(&call->out_shape[0], table);
    call->out_shape[0].dims[0] = ref_dim(call->in[0], 0);
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *ids = call->in[0], *table = call->in[1];
    const int32_t rows = ref_dim(table, 0);
    const size_t count = ref_elements(ids), inner = rows ? ref_elements(table) / (size_t)rows : 0;
    const bool hybrid = is_hybrid(call);
    struct ref_scales s = { 0 };

    if (hybrid)
        s = ref_scales_weights(call, 1);
    for (size_t i = 0; i < count; i++) {
        const int64_t row = ref_load_int(ids, i);

        if (row < 0 || row >= rows)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 0 (lookup): element %zu is %" PRId64 ", expected 0 to %d", i,
                            row, rows - 1);
        if (!hybrid)
            ref_copy(call, 0, i * inner, table, (size_t)row * inner, inner);
        for (size_t k = 0; k < inner; k++) {
            const size_t from = (size_t)row * inner + k, to = i * inner + k;
            double exact, v;

            if (!hybrid) {
                ref_detail_copied(call, 0, to);
                continue;
            }
            exact = ref_scale_at(&s, ref_channel(&s, from)) * (double)ref_load_int(table, from);
            /* The runtime computes in f32. */
            v = call->out[0]->type == kTfLiteFloat16 ? (double)(float)exact : exact;
            ref_store(call, 0, to, v, fabs(v), 1);
        }
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("embedding_lookup", EMBEDDING_LOOKUP, 5, 0), REF_RUN(prepare, eval) },
};

const struct ref_family ref_embedding_lookup = { ops, sizeof ops / sizeof ops[0] };

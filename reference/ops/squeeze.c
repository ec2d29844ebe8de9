/* SQUEEZE and EXPAND_DIMS: the same elements, with dimensions of 1 dropped or one added; any type
 * of fixed size.
 *
 * SQUEEZE      the option squeeze_dims names dimensions of 1, of which negative ones count from the
 *              end and which may repeat; without entries all dimensions of 1 are dropped.
 * EXPAND_DIMS  input 1, an axis (i32 or i64): where the new dimension is in the output; a negative
 *              one counts from its end.  If it is not constant the output is dynamic.
 * Meaning: tflite/kernels/squeeze.cc, expand_dims.cc */
#include "reference/kernels/move.h"

static void read_squeeze(const struct options *options, void *params)
{
    TfLiteSqueezeParams *const p = params;
    size_t count;
    const int32_t *dims = options_ints(options, "squeeze_dims", &count);

    /* A length that the struct cannot hold is kept as a length that prepare refuses. */
    p->num_squeeze_dims = count > REF_MAX_RANK ? REF_MAX_RANK + 1 : (int)count;
    for (int d = 0; d < p->num_squeeze_dims && d < REF_MAX_RANK; d++)
        p->squeeze_dims[d] = dims[d];
}

static enum status check_type(const struct ref_call *call, struct diag *diag)
{
    const TfLiteType type = call->in[0]->type;

    if (runtime_type_bits(type) > 0)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_UNSUPPORTED,
                    "input 0 (input): type %s, expected one of fixed size",
                    runtime_type_name(type) ? runtime_type_name(type) : "unknown");
}

static enum status prepare_squeeze(struct ref_call *call, struct diag *diag)
{
    const TfLiteSqueezeParams *const p = call->params;
    struct ref_shape *const y = &call->out_shape[0];
    bool dropped[REF_MAX_RANK] = { false };
    int rank;

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK));
    TRY(check_type(call, diag));
    TRY(ref_check_outs(call, diag, 0, false));
    rank = ref_rank(call->in[0]);
    if (p->num_squeeze_dims > REF_MAX_RANK)
        return ref_fail(call, diag, STATUS_INVALID, "squeeze_dims has more than %d entries",
                        REF_MAX_RANK);
    for (int i = 0; i < p->num_squeeze_dims; i++) {
        int d;

        TRY(ref_check_axis_value(call, diag, p->squeeze_dims[i], rank, &d));
        if (ref_dim(call->in[0], d) != 1)
            return ref_fail(call, diag, STATUS_INVALID,
                            "squeeze_dims: entry %d names dimension %d, which is %d, expected 1", i,
                            d, ref_dim(call->in[0], d));
        dropped[d] = true;
    }
    *y = (struct ref_shape){ .rank = 0 };
    for (int d = 0; d < rank; d++) {
        const int32_t size = ref_dim(call->in[0], d);

        if (p->num_squeeze_dims == 0 ? size != 1 : !dropped[d])
            y->dims[y->rank++] = size;
    }
    return STATUS_OK;
}

static enum status prepare_expand_dims(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *const y = &call->out_shape[0];
    bool known;
    int axis, rank;

    TRY(ref_check_shape(call, diag, 0, "input", 0, REF_MAX_RANK - 1));
    TRY(check_type(call, diag));
    TRY(ref_check_outs(call, diag, 0, true));
    rank = ref_rank(call->in[0]);
    TRY(ref_check_axis(call, diag, 1, true, rank + 1, &axis, &known));
    if (!known) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    *y = (struct ref_shape){ .rank = rank + 1 };
    for (int d = 0; d <= rank; d++)
        y->dims[d] = d == axis ? 1 : ref_dim(call->in[0], d - (d > axis));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("squeeze", SQUEEZE, 2, OPTIONS_SqueezeOptions),
      REF_PARAMS(TfLiteSqueezeParams, read_squeeze), REF_RUN(prepare_squeeze, ref_move_whole) },
    { REF_OP("expand_dims", EXPAND_DIMS, 1, OPTIONS_ExpandDimsOptions),
      REF_RUN(prepare_expand_dims, ref_move_whole) },
};

const struct ref_family ref_squeeze = { ops, sizeof ops / sizeof ops[0] };

/* GATHER and GATHER_ND: elements of x, of any type of whole bytes, and in GATHER i4, picked by
 * indices of i16, i32 or i64.
 *
 * GATHER picks along `axis`; the first `batch_dims` dimensions of x and indices are the same, and
 * walked together: y has the shape x[:axis] + indices[batch_dims:] + x[axis + 1:].  Negative
 * options count from the end, axis in the dimensions of x, batch_dims in those of the indices.
 *
 * GATHER_ND picks by tuples: the last dimension of the indices, n, is at most x's rank, and each
 * tuple picks x[i0, ..., in-1]: y has the shape indices[:-1] + x[n:].
 *
 * An index outside of x is an error of invoke.  Scale and zero point of y are those of x.
 * Meaning: tflite/kernels/gather.cc, tflite/kernels/gather_nd.cc */
#include "reference/kernels/quantized.h"

#include <inttypes.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteGatherParams *p = params;

    p->axis = (int)options_int(options, "axis");
    p->batch_dims = (int)options_int(options, "batch_dims");
}

/* Appends the dims of t from first to last (which is left out). */
static enum status append(struct ref_call *call, struct diag *diag, const TfLiteTensor *t,
                          int first, int last)
{
    struct ref_shape *shape = &call->out_shape[0];

    for (int d = first; d < last; d++) {
        if (shape->rank == REF_MAX_RANK)
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "the result has more than %d dimensions", REF_MAX_RANK);
        shape->dims[shape->rank++] = ref_dim(t, d);
    }
    return STATUS_OK;
}

static enum status check_operands(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x;

    TRY(ref_check_shape(call, diag, 0, "params", 1, REF_MAX_RANK));
    x = call->in[0];
    TRY(ref_check_moved(call, diag, 0, "params",
                        call->op->code == BUILTIN_GATHER ? REF_TYPE(Int4) : 0));
    TRY(ref_check_in_types(call, diag, 1, "indices",
                           REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64), 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, x->type));
    if (ref_is_quantized(x) || ref_is_quantized(call->out[0]))
        TRY(ref_check_moves(call, diag, 0, 0));
    call->out_shape[0] = (struct ref_shape){ 0 };
    return STATUS_OK;
}

/* The options as indices of dimensions. */
struct axes {
    int axis, batch;
};

static struct axes axes_of(const struct ref_call *call)
{
    const TfLiteGatherParams *p = call->params;
    const int rank = ref_rank(call->in[0]), index_rank = ref_rank(call->in[1]);

    return (struct axes){ p->axis < 0 ? p->axis + rank : p->axis,
                          p->batch_dims < 0 ? p->batch_dims + index_rank : p->batch_dims };
}

static enum status prepare_gather(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x, *indices;
    struct axes a;

    TRY(check_operands(call, diag));
    x = call->in[0];
    indices = call->in[1];
    a = axes_of(call);
    if (a.axis < 0 || a.axis >= ref_rank(x))
        return ref_fail(call, diag, STATUS_INVALID, "axis %d, expected -%d to %d",
                        ((const TfLiteGatherParams *)call->params)->axis, ref_rank(x),
                        ref_rank(x) - 1);
    if (a.batch < 0 || a.batch > ref_rank(indices) || a.batch > a.axis)
        return ref_fail(call, diag, STATUS_INVALID,
                        "batch_dims %d, expected at most axis %d and the rank of the indices, %d",
                        ((const TfLiteGatherParams *)call->params)->batch_dims, a.axis,
                        ref_rank(indices));
    for (int d = 0; d < a.batch; d++) {
        if (ref_dim(x, d) != ref_dim(indices, d))
            return ref_fail(call, diag, STATUS_INVALID,
                            "dimension %d is one of batch_dims %d: %d in params, %d in indices", d,
                            a.batch, ref_dim(x, d), ref_dim(indices, d));
    }
    TRY(append(call, diag, x, 0, a.axis));
    TRY(append(call, diag, indices, a.batch, ref_rank(indices)));
    return append(call, diag, x, a.axis + 1, ref_rank(x));
}

static enum status prepare_gather_nd(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x, *indices;
    int rank;

    TRY(check_operands(call, diag));
    x = call->in[0];
    indices = call->in[1];
    rank = ref_rank(indices);
    if (rank < 1)
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (indices): rank 0, expected 1 to %d",
                        REF_MAX_RANK);
    if (ref_dim(indices, rank - 1) > ref_rank(x))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (indices): tuples of %d, expected at most the rank of params, %d",
                        ref_dim(indices, rank - 1), ref_rank(x));
    TRY(append(call, diag, indices, 0, rank - 1));
    return append(call, diag, x, ref_dim(indices, rank - 1), ref_rank(x));
}

static size_t product(const TfLiteTensor *t, int first, int last)
{
    size_t n = 1;

    for (int d = first; d < last; d++)
        n *= (size_t)ref_dim(t, d);
    return n;
}

static enum status load_index(struct ref_call *call, struct diag *diag, size_t at, int d,
                              size_t *index)
{
    const int64_t i = ref_load_int(call->in[1], at);

    if (i < 0 || i >= ref_dim(call->in[0], d))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (indices): element %zu is %" PRId64
                        ", expected 0 to %d, in dimension %d of params",
                        at, i, ref_dim(call->in[0], d) - 1, d);
    *index = (size_t)i;
    return STATUS_OK;
}

/* Copies `inner` elements to element `to` of the result. */
static void copy(struct ref_call *call, size_t to, size_t from, size_t inner)
{
    ref_copy(call, 0, to, call->in[0], from, inner);
    for (size_t i = 0; i < inner; i++)
        ref_detail_copied(call, 0, to + i);
}

static enum status eval_gather(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0], *indices = call->in[1];
    const struct axes a = axes_of(call);
    const size_t batches = product(x, 0, a.batch), outer = product(x, a.batch, a.axis);
    const size_t inner = product(x, a.axis + 1, ref_rank(x));
    const size_t count = product(indices, a.batch, ref_rank(indices));
    size_t at = 0;

    if (ref_elements(call->out[0]) == 0)
        return STATUS_OK;
    for (size_t b = 0; b < batches; b++) {
        for (size_t o = 0; o < outer; o++) {
            for (size_t j = 0; j < count; j++) {
                size_t i;

                TRY(load_index(call, diag, b * count + j, a.axis, &i));
                copy(call, inner * at++, ((b * outer + o) * (size_t)ref_dim(x, a.axis) + i) * inner,
                     inner);
            }
        }
    }
    return STATUS_OK;
}

static enum status eval_gather_nd(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *x = call->in[0], *indices = call->in[1];
    const int rank = ref_rank(indices), depth = ref_dim(indices, rank - 1);
    const size_t count = product(indices, 0, rank - 1), inner = product(x, depth, ref_rank(x));

    if (ref_elements(call->out[0]) == 0)
        return STATUS_OK;
    for (size_t j = 0; j < count; j++) {
        size_t from = 0;

        for (int d = 0; d < depth; d++) {
            size_t i;

            TRY(load_index(call, diag, j * (size_t)depth + (size_t)d, d, &i));
            from = from * (size_t)ref_dim(x, d) + i;
        }
        copy(call, j * inner, from * inner, inner);
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("gather", GATHER, 8, OPTIONS_GatherOptions),
      REF_PARAMS(TfLiteGatherParams, read_params), REF_RUN(prepare_gather, eval_gather),
      .folds = REF_FOLD_VALUES },
    { REF_OP("gather_nd", GATHER_ND, 5, OPTIONS_GatherNdOptions),
      REF_RUN(prepare_gather_nd, eval_gather_nd) },
};

const struct ref_family ref_gather = { ops, sizeof ops / sizeof ops[0] };

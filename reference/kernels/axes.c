#include "reference/kernels/axes.h"

enum status ref_read_axes(const struct ref_call *call, struct diag *diag, struct ref_axes *axes)
{
    const int rank = ref_rank(call->in[0]);
    const size_t count = ref_elements(call->in[1]);

    *axes = (struct ref_axes){ .rank = rank, .count = 1, .all = true };
    for (size_t i = 0; i < count && rank > 0; i++) {
        const int64_t axis = ref_load_int(call->in[1], i);

        if (axis < -rank || axis >= rank)
            return ref_fail(
                call, diag, STATUS_INVALID,
                "input 1 (axes): element %zu is %d, expected -rank to rank - 1, rank %d", i,
                (int)axis, rank);
        axes->is_reduced[axis < 0 ? axis + rank : axis] = true;
    }
    for (int d = 0; d < rank; d++) {
        axes->kept[d] = axes->is_reduced[d] ? 1 : ref_dim(call->in[0], d);
        axes->reduced[d] = axes->is_reduced[d] ? ref_dim(call->in[0], d) : 1;
        axes->count *= (size_t)axes->reduced[d];
        axes->all = axes->all && axes->is_reduced[d];
    }
    return STATUS_OK;
}

enum status ref_shape_axes(struct ref_call *call, struct diag *diag, bool keep)
{
    struct ref_shape *const shape = &call->out_shape[0];
    struct ref_axes axes;

    TRY(ref_check_in(call, diag, 1, "axes", kTfLiteInt32, 0, REF_MAX_RANK));
    *shape = (struct ref_shape){ 0 };
    if (!ref_known(call, 1)) {
        shape->dynamic = true;
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "axes"));
    TRY(ref_read_axes(call, diag, &axes));
    for (int d = 0; d < axes.rank; d++) {
        if (!axes.is_reduced[d])
            shape->dims[shape->rank++] = ref_dim(call->in[0], d);
        else if (keep)
            shape->dims[shape->rank++] = 1;
    }
    return STATUS_OK;
}

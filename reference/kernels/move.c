#include "reference/kernels/move.h"

#include "reference/base/packed.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void ref_pitches(const TfLiteTensor *t, int64_t pitch[REF_MAX_RANK])
{
    int64_t elements = 1;

    for (int d = ref_rank(t) - 1; d >= 0; d--) {
        pitch[d] = elements;
        elements *= ref_dim(t, d);
    }
}

void ref_walk_dim(struct ref_walk *walk, int32_t size, int64_t step)
{
    assert(walk->rank < 2 * REF_MAX_RANK);
    walk->sizes[walk->rank] = size;
    walk->steps[walk->rank++] = step;
}

void ref_walk_copy(struct ref_call *call, int i, int o, const struct ref_walk *walk)
{
    const TfLiteTensor *const x = call->in[i], *const y = call->out[o];
    const size_t bytes = runtime_type_bits(y->type) / 8; /* 0: packed */
    int32_t index[2 * REF_MAX_RANK] = { 0 };
    size_t at = 0;

    if (ref_elements(y) == 0)
        return;
    do {
        int64_t from = walk->first;

        for (int d = 0; d < walk->rank; d++)
            from += index[d] * walk->steps[d];
        if (bytes > 0)
            memcpy(y->data.raw + at * bytes, x->data.raw_const + (size_t)from * bytes, bytes);
        else
            ref_copy(call, o, at, x, (size_t)from, 1);
        ref_detail_copied(call, o, at++);
    } while (ref_step(walk->rank, walk->sizes, index));
    assert(at == ref_elements(y));
}

enum status ref_check_axis_value(const struct ref_call *call, struct diag *diag, int64_t value,
                                 int rank, int *axis)
{
    if (value < -rank || value >= rank)
        return ref_fail(call, diag, STATUS_INVALID,
                        "axis is %" PRId64 ", expected -rank to rank - 1, rank %d", value, rank);
    *axis = (int)(value < 0 ? value + rank : value);
    return STATUS_OK;
}

enum status ref_check_axis(const struct ref_call *call, struct diag *diag, int i, bool wide,
                           int rank, int *axis, bool *known)
{
    *axis = 0;
    TRY(ref_check_in_types(call, diag, i, "axis", REF_TYPE(Int32) | (wide ? REF_TYPE(Int64) : 0u),
                           0, REF_MAX_RANK));
    if (ref_elements(call->in[i]) != 1)
        return ref_fail(call, diag, STATUS_INVALID, "input %d (axis): %zu elements, expected 1", i,
                        ref_elements(call->in[i]));
    if (!(*known = ref_known(call, i)))
        return STATUS_OK;
    TRY(ref_check_data(call, diag, i, "axis"));
    return ref_check_axis_value(call, diag, ref_load_int(call->in[i], 0), rank, axis);
}

enum status ref_check_vector(const struct ref_call *call, struct diag *diag, int i,
                             const char *role, bool wide, int count)
{
    TRY(ref_check_in_types(call, diag, i, role, REF_TYPE(Int32) | (wide ? REF_TYPE(Int64) : 0u), 1,
                           1));
    if (count >= 0 && ref_dim(call->in[i], 0) != count)
        return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): %d elements, expected %d", i,
                        role, ref_dim(call->in[i], 0), count);
    return STATUS_OK;
}

enum status ref_check_outs(const struct ref_call *call, struct diag *diag, int i, bool scaled)
{
    for (int o = 0; o < call->out_count; o++) {
        TRY(ref_check_out(call, diag, o, call->in[i]->type));
        if (scaled)
            TRY(ref_check_moves(call, diag, i, o));
    }
    return STATUS_OK;
}

void ref_outs_dynamic(struct ref_call *call)
{
    for (int o = 0; o < call->out_count; o++)
        call->out_shape[o] = (struct ref_shape){ .dynamic = true };
}

enum status ref_move_whole(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0], *const y = call->out[0];
    const size_t count = ref_elements(x);
    const size_t bytes = packed_bytes(count, runtime_type_bits(x->type));

    (void)diag;
    if (bytes > 0 && y->data.raw != x->data.raw_const)
        memcpy(y->data.raw, x->data.raw_const, bytes);
    for (size_t i = 0; i < count; i++)
        ref_detail_copied(call, 0, i);
    return STATUS_OK;
}

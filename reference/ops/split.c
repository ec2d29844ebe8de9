/* SPLIT, SPLIT_V and UNPACK: parts of x along an axis, one output each.
 *
 * SPLIT    inputs axis, x: parts of one length, which divides the dimension.
 * SPLIT_V  inputs x, sizes (i32 or i64), axis: parts of these lengths, of which one may be -1: what
 *          the others leave.
 * UNPACK   input x: parts of length 1, whose dimension is dropped.
 * An axis or sizes that are not constant make the outputs dynamic.
 * Meaning: tflite/kernels/split.cc, split_v.cc, unpack.cc */
#include "reference/kernels/move.h"

#include <inttypes.h>

static void read_split(const struct options *options, void *params)
{
    ((TfLiteSplitParams *)params)->num_splits = options_int(options, "num_splits");
}

static void read_split_v(const struct options *options, void *params)
{
    ((TfLiteSplitVParams *)params)->num_splits = options_int(options, "num_splits");
}

static void read_unpack(const struct options *options, void *params)
{
    TfLiteUnpackParams *const p = params;

    p->num = options_int(options, "num");
    p->axis = options_int(options, "axis");
}

enum {
    TYPES_SPLIT = REF_TYPE(Float32) | REF_TYPE(UInt8) | REF_TYPE(Int8) | REF_TYPE(Int16) |
                  REF_TYPE(Int32) | REF_TYPE(Int64),
    TYPES_UNPACK = REF_TYPE(Float32) | REF_TYPE(Float16) | REF_TYPE(UInt8) | REF_TYPE(Int8) |
                   REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Bool)
};

/* Parts of x along the axis: output k has the places from `at` on. */
struct parts {
    int x, axis;
    bool known; /* axis and sizes are */
};

/* The length of part k; sizes are checked. */
static int32_t length_of(const struct ref_call *call, const struct parts *p, int k)
{
    const int32_t all = ref_dim(call->in[p->x], p->axis);
    int64_t rest = all;

    if (call->op->code == BUILTIN_SPLIT)
        return all / call->out_count;
    if (call->op->code == BUILTIN_UNPACK)
        return 1;
    for (int i = 0; i < call->out_count; i++) {
        const int64_t size = ref_load_int(call->in[1], (size_t)i);

        if (i == k && size >= 0)
            return (int32_t)size;
        rest -= size < 0 ? 0 : size;
    }
    return (int32_t)rest;
}

static enum status find_parts(const struct ref_call *call, struct diag *diag, struct parts *p)
{
    const bool split = call->op->code == BUILTIN_SPLIT;
    const int axis_input = split ? 0 : 2;
    int rank;

    p->x = split;
    TRY(ref_check_shape(call, diag, p->x, "input", 1, REF_MAX_RANK));
    rank = ref_rank(call->in[p->x]);
    p->known = true;
    if (call->op->code == BUILTIN_UNPACK)
        return ref_check_axis_value(call, diag, ((const TfLiteUnpackParams *)call->params)->axis,
                                    rank, &p->axis);
    TRY(ref_check_axis(call, diag, axis_input, false, rank, &p->axis, &p->known));
    p->known = p->known && (split || ref_known(call, 1));
    return STATUS_OK;
}

static enum status check_sizes(const struct ref_call *call, struct diag *diag,
                               const struct parts *p)
{
    const int32_t all = ref_dim(call->in[p->x], p->axis);
    int64_t sum = 0;
    int open = -1;

    TRY(ref_check_data(call, diag, 1, "size_splits"));
    for (int k = 0; k < call->out_count; k++) {
        const int64_t size = ref_load_int(call->in[1], (size_t)k);

        if (size < -1 || size > INT32_MAX)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (size_splits): element %d is %" PRId64
                            ", expected -1 to 2^31 - 1",
                            k, size);
        if (size == -1 && open >= 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (size_splits): elements %d and %d are both -1", open, k);
        open = size == -1 ? k : open;
        sum += size == -1 ? 0 : size;
    }
    if (open < 0 ? sum != all : sum > all)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (size_splits): the sum is %" PRId64
                        ", expected %s%d, the dimension on axis %d",
                        sum, open < 0 ? "" : "at most ", all, p->axis);
    return STATUS_OK;
}

static void set_shapes(struct ref_call *call, const struct parts *p)
{
    for (int k = 0; k < call->out_count; k++) {
        struct ref_shape *const y = &call->out_shape[k];

        *y = (struct ref_shape){ .rank = 0 };
        for (int d = 0; d < ref_rank(call->in[p->x]); d++)
            if (d != p->axis)
                y->dims[y->rank++] = ref_dim(call->in[p->x], d);
            else if (call->op->code != BUILTIN_UNPACK)
                y->dims[y->rank++] = length_of(call, p, k);
    }
}

static enum status check_count(const struct ref_call *call, struct diag *diag, const char *name,
                               int count)
{
    if (count == call->out_count)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID, "%s is %d, the node has %d outputs", name, count,
                    call->out_count);
}

static enum status prepare_split(struct ref_call *call, struct diag *diag)
{
    const TfLiteSplitParams *const params = call->params;
    struct parts p;

    TRY(ref_check_in_types(call, diag, 1, "input", TYPES_SPLIT, 1, REF_MAX_RANK));
    TRY(ref_check_outs(call, diag, 1, false));
    TRY(check_count(call, diag, "num_splits", params->num_splits));
    TRY(find_parts(call, diag, &p));
    if (!p.known) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    if (ref_dim(call->in[1], p.axis) % call->out_count != 0)
        return ref_fail(call, diag, STATUS_INVALID,
                        "num_splits is %d, which does not divide %d, the dimension on axis %d",
                        call->out_count, ref_dim(call->in[1], p.axis), p.axis);
    set_shapes(call, &p);
    return STATUS_OK;
}

static enum status prepare_split_v(struct ref_call *call, struct diag *diag)
{
    const TfLiteSplitVParams *const params = call->params;
    struct parts p;

    TRY(ref_check_in_types(call, diag, 0, "input", TYPES_SPLIT, 1, REF_MAX_RANK));
    TRY(ref_check_outs(call, diag, 0, false));
    TRY(check_count(call, diag, "num_splits", params->num_splits));
    TRY(ref_check_vector(call, diag, 1, "size_splits", true, call->out_count));
    TRY(find_parts(call, diag, &p));
    if (!p.known) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    TRY(check_sizes(call, diag, &p));
    set_shapes(call, &p);
    return STATUS_OK;
}

static enum status prepare_unpack(struct ref_call *call, struct diag *diag)
{
    const TfLiteUnpackParams *const params = call->params;
    struct parts p;

    TRY(ref_check_in_types(call, diag, 0, "input", TYPES_UNPACK, 1, REF_MAX_RANK));
    TRY(ref_check_outs(call, diag, 0, true));
    TRY(check_count(call, diag, "num", params->num));
    TRY(find_parts(call, diag, &p));
    if (ref_dim(call->in[0], p.axis) != params->num)
        return ref_fail(call, diag, STATUS_INVALID,
                        "num is %d, expected %d, the dimension on axis %d", params->num,
                        ref_dim(call->in[0], p.axis), p.axis);
    for (int d = 0; d < ref_rank(call->in[0]); d++)
        TRY(ref_check_not_empty(call, diag, 0, "input", d, "dimension"));
    set_shapes(call, &p);
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    int64_t pitch[REF_MAX_RANK];
    struct parts p;
    int32_t at = 0;

    TRY(find_parts(call, diag, &p));
    ref_pitches(call->in[p.x], pitch);
    for (int k = 0; k < call->out_count; k++) {
        struct ref_walk walk = { .first = at * pitch[p.axis] };
        const int32_t length = length_of(call, &p, k);

        for (int d = 0; d < ref_rank(call->in[p.x]); d++)
            ref_walk_dim(&walk, d == p.axis ? length : ref_dim(call->in[p.x], d), pitch[d]);
        ref_walk_copy(call, p.x, k, &walk);
        at += length;
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("split", SPLIT, 5, OPTIONS_SplitOptions), REF_PARAMS(TfLiteSplitParams, read_split),
      REF_RUN(prepare_split, eval) },
    { REF_OP("split_v", SPLIT_V, 3, OPTIONS_SplitVOptions),
      REF_PARAMS(TfLiteSplitVParams, read_split_v), REF_RUN(prepare_split_v, eval) },
    { REF_OP("unpack", UNPACK, 6, OPTIONS_UnpackOptions),
      REF_PARAMS(TfLiteUnpackParams, read_unpack), REF_RUN(prepare_unpack, eval) },
};

const struct ref_family ref_split = { ops, sizeof ops / sizeof ops[0] };

/* STRIDED_SLICE.  x of any shape; begin, end, strides [n] i32 say, for one dimension of x after the
 * other, which cells are taken: begin, begin + stride, ... up to end, which is not taken.
 *
 * Bit i of a mask is about entry i: begin_mask (end_mask) takes from the first (to the last) cell
 * in the direction of the stride; ellipsis_mask makes the entry cover as many whole dimensions
 * as the others leave; new_axis_mask inserts a dimension of 1; shrink_axis_mask takes the one cell
 * at begin and drops the dimension.  An ellipsis bit goes before a new axis bit, and that before
 * the rest.  Dimensions without an entry are taken whole.  Negative positions count from the end.
 * With the option offset, end counts from begin.  Any type of whole bytes.
 *
 * Entries that are not constant make the output dynamic.
 * Meaning: tflite/kernels/strided_slice.cc, internal/strided_slice_logic.h */
#include "reference/kernels/check.h"

#include <string.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteStridedSliceParams *p = params;

    p->begin_mask = options_int(options, "begin_mask");
    p->end_mask = options_int(options, "end_mask");
    p->ellipsis_mask = options_int(options, "ellipsis_mask");
    p->new_axis_mask = options_int(options, "new_axis_mask");
    p->shrink_axis_mask = options_int(options, "shrink_axis_mask");
    p->offset = options_int(options, "offset") != 0;
}

enum { BEGIN = 1, END = 2, STRIDES = 3 };
static const char *const roles[] = { "input", "begin", "end", "strides" };

/* The range of each dimension of x that is taken, and the resulting shape. */
struct slices {
    struct {
        int64_t start, stride;
        int32_t length;
    } dims[REF_MAX_RANK];
    struct ref_shape shape;
};

static bool bit(int mask, int i)
{
    return (unsigned)mask >> i & 1;
}

static enum status add_dim(const struct ref_call *call, struct diag *diag, struct slices *s,
                           int32_t dim)
{
    if (s->shape.rank == REF_MAX_RANK)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "new_axis_mask 0x%x: the output has more than %d dimensions",
                        (unsigned)((const TfLiteStridedSliceParams *)call->params)->new_axis_mask,
                        REF_MAX_RANK);
    s->shape.dims[s->shape.rank++] = dim;
    return STATUS_OK;
}

static enum status take_whole(const struct ref_call *call, struct diag *diag, struct slices *s,
                              int d)
{
    s->dims[d].start = 0;
    s->dims[d].stride = 1;
    s->dims[d].length = ref_dim(call->in[0], d);
    return add_dim(call, diag, s, s->dims[d].length);
}

/* A position within [low, high], the negative ones counted from the end. */
static int64_t position(int64_t at, int64_t size, int64_t low, int64_t high)
{
    if (at < 0)
        at += size;
    return at < low ? low : at > high ? high : at;
}

/* Applies entry i to dimension d. */
static enum status take_some(const struct ref_call *call, struct diag *diag, struct slices *s,
                             int i, int d)
{
    const TfLiteStridedSliceParams *p = call->params;
    const int64_t size = ref_dim(call->in[0], d);
    const int64_t stride = ref_load_int(call->in[STRIDES], (size_t)i);
    const int64_t begin = ref_load_int(call->in[BEGIN], (size_t)i);
    const int64_t end = ref_load_int(call->in[END], (size_t)i);
    /* Bounds of a stop: one before the first element, one behind the last. */
    const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
    int64_t start, stop, length;

    if (stride == 0)
        return ref_fail(call, diag, STATUS_INVALID, "input 3 (strides): element %d is 0", i);
    if (stride == INT32_MIN) /* has no positive twin in 32 bits; the runtime refuses it, too */
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 3 (strides): element %d is -2147483648, at least -2147483647", i);
    start = bit(p->begin_mask, i) ? (stride > 0 ? low : high) : position(begin, size, low, high);
    if (bit(p->end_mask, i))
        stop = stride > 0 ? high : low;
    else
        stop = p->offset ? start + end : position(end, size, low, high);
    if (bit(p->shrink_axis_mask, i)) {
        if (stride < 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 3 (strides): element %d is %d, with its bit in "
                            "shrink_axis_mask",
                            i, (int)stride);
        if (size == 0 || (!bit(p->begin_mask, i) && (begin < -size || begin >= size)))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (begin): element %d is %d, dimension %d has %d cells", i,
                            (int)begin, d, (int)size);
        stop = start + 1;
    }
    if (stop < low || stop > high)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 2 (end): element %d is %d, an offset from %d, dimension %d has %d "
                        "cells",
                        i, (int)end, (int)start, d, (int)size);
    length =
        stride > 0 ? (stop - start + stride - 1) / stride : (start - stop - stride - 1) / -stride;
    s->dims[d].start = start;
    s->dims[d].stride = stride;
    s->dims[d].length = length > 0 ? (int32_t)length : 0;
    return bit(p->shrink_axis_mask, i) ? STATUS_OK : add_dim(call, diag, s, s->dims[d].length);
}

static enum status read_slices(const struct ref_call *call, struct diag *diag, struct slices *s)
{
    const TfLiteStridedSliceParams *p = call->params;
    const int rank = ref_rank(call->in[0]), count = ref_dim(call->in[BEGIN], 0);
    int named = 0, ellipsis = -1, d = 0;

    *s = (struct slices){ .shape.rank = 0 };
    for (int i = 0; i < count; i++) {
        if (bit(p->ellipsis_mask, i) && ellipsis >= 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "ellipsis_mask 0x%x: elements %d and %d are both ellipses",
                            (unsigned)p->ellipsis_mask, ellipsis, i);
        if (bit(p->ellipsis_mask, i))
            ellipsis = i;
        else
            named += !bit(p->new_axis_mask, i);
    }
    if (ellipsis >= 0 && ellipsis < count - 1 && named == rank)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "ellipsis_mask 0x%x: element %d stands for no dimension, and others follow",
                        (unsigned)p->ellipsis_mask, ellipsis);
    if (named > rank)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (begin): %d elements about dimensions, the input's rank is %d",
                        named, rank);
    for (int i = 0; i < count; i++) {
        if (i == ellipsis) {
            for (int left = rank - named; left > 0; left--)
                TRY(take_whole(call, diag, s, d++));
        } else if (bit(p->new_axis_mask, i)) {
            TRY(add_dim(call, diag, s, 1));
        } else {
            TRY(take_some(call, diag, s, i, d++));
        }
    }
    while (d < rank)
        TRY(take_whole(call, diag, s, d++));
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct slices s;

    TRY(ref_check_shape(call, diag, 0, roles[0], 0, REF_MAX_RANK));
    TRY(ref_check_bytes(call, diag, 0, roles[0]));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    for (int i = BEGIN; i <= STRIDES; i++) {
        TRY(ref_check_in(call, diag, i, roles[i], kTfLiteInt32, 1, 1));
        if (ref_dim(call->in[i], 0) != ref_dim(call->in[BEGIN], 0))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input %d (%s): %d elements, input 1 (begin) has %d", i, roles[i],
                            ref_dim(call->in[i], 0), ref_dim(call->in[BEGIN], 0));
        /* As many as a mask has bits for, less its sign. */
        if (ref_dim(call->in[i], 0) > 31)
            return ref_fail(call, diag, STATUS_INVALID, "input %d (%s): %d elements, at most 31", i,
                            roles[i], ref_dim(call->in[i], 0));
    }
    for (int i = BEGIN; i <= STRIDES; i++) {
        if (!ref_known(call, i)) {
            call->out_shape[0] = (struct ref_shape){ .dynamic = true };
            return STATUS_OK;
        }
        TRY(ref_check_data(call, diag, i, roles[i]));
    }
    TRY(read_slices(call, diag, &s));
    call->out_shape[0] = s.shape;
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0], *const y = call->out[0];
    const size_t size = runtime_type_bits(x->type) / 8;
    const int rank = ref_rank(x);
    int32_t lengths[REF_MAX_RANK], index[REF_MAX_RANK] = { 0 };
    struct slices s;
    size_t at = 0;

    TRY(read_slices(call, diag, &s));
    if (ref_elements(y) == 0)
        return STATUS_OK;
    for (int d = 0; d < rank; d++)
        lengths[d] = s.dims[d].length;
    /* Dimensions that were added or dropped have one cell: the order is that of y. */
    do {
        size_t from = 0;

        for (int d = 0; d < rank; d++)
            from = from * (size_t)ref_dim(x, d) +
                   (size_t)(s.dims[d].start + index[d] * s.dims[d].stride);
        memcpy(y->data.raw + at * size, x->data.raw_const + from * size, size);
        ref_detail_copied(call, 0, at++);
    } while (ref_step(rank, lengths, index));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("strided_slice", STRIDED_SLICE, 8, OPTIONS_StridedSliceOptions),
      REF_PARAMS(TfLiteStridedSliceParams, read_params), REF_RUN(prepare, eval),
      .folds = REF_FOLD_VALUES },
};

const struct ref_family ref_strided_slice = { ops, sizeof ops / sizeof ops[0] };

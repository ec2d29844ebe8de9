/* RESHAPE: the same elements under another shape; any fixed-size type.
 *
 * The shape comes from input 1 when that is a vector (i32), else from the option new_shape; without
 * either the output is a scalar.  One entry may be -1: it is inferred.  The option [0] is an old
 * spelling of a scalar.  A vector that is not constant makes the output dynamic.
 * Meaning: tflite/kernels/reshape.cc */
#include "reference/base/checked.h"
#include "reference/kernels/check.h"
#include "reference/kernels/move.h"

static void read_params(const struct options *options, void *params)
{
    TfLiteReshapeParams *p = params;
    size_t count;
    const int32_t *shape = options_ints(options, "new_shape", &count);

    /* A length that the struct cannot hold is kept as a length that prepare refuses. */
    p->num_dimensions = count > REF_MAX_RANK ? REF_MAX_RANK + 1 : (int)count;
    for (int d = 0; d < p->num_dimensions && d < REF_MAX_RANK; d++)
        p->shape[d] = shape[d];
}

/* The shape is given by input 1, not by the option. */
static bool by_tensor(const struct ref_call *call)
{
    return ref_has(call, 1) && ref_rank(call->in[1]) == 1;
}

static enum status read_shape(const struct ref_call *call, struct diag *diag,
                              struct ref_shape *shape)
{
    const TfLiteReshapeParams *p = call->params;

    *shape = (struct ref_shape){ 0 };
    if (by_tensor(call)) {
        TRY(ref_check_data(call, diag, 1, "shape"));
        shape->rank = ref_dim(call->in[1], 0);
        for (int d = 0; d < shape->rank; d++)
            shape->dims[d] = (int32_t)ref_load_int(call->in[1], (size_t)d);
        return STATUS_OK;
    }
    if (p->num_dimensions == 1 && p->shape[0] == 0)
        return STATUS_OK;
    shape->rank = p->num_dimensions;
    for (int d = 0; d < shape->rank; d++)
        shape->dims[d] = p->shape[d];
    return STATUS_OK;
}

/* Infers the dimension that is -1 and checks the element count. */
static enum status complete_shape(const struct ref_call *call, struct diag *diag,
                                  struct ref_shape *shape)
{
    const size_t count = ref_elements(call->in[0]);
    size_t known = 1;
    int open = -1;

    for (int d = 0; d < shape->rank; d++) {
        if (shape->dims[d] == -1 && open < 0) {
            open = d;
        } else if (shape->dims[d] == -1) {
            return ref_fail(call, diag, STATUS_INVALID,
                            "new shape: entries %d and %d are both -1, expected one at most", open,
                            d);
        } else if (shape->dims[d] < 0) {
            return ref_fail(call, diag, STATUS_INVALID,
                            "new shape: entry %d is %d, expected at least -1", d, shape->dims[d]);
        } else if (!checked_mul(known, (size_t)shape->dims[d], &known)) {
            return ref_fail(call, diag, STATUS_INVALID,
                            "new shape: the product of its dimensions up to entry %d is too large",
                            d);
        }
    }
    if (open >= 0) {
        if (known == 0 || count % known != 0 || count / known > INT32_MAX)
            return ref_fail(call, diag, STATUS_INVALID,
                            "new shape: entry %d is -1, but the other dimensions give %zu of %zu "
                            "elements",
                            open, known, count);
        shape->dims[open] = (int32_t)(count / known);
        known = count;
    }
    if (known != count)
        return ref_fail(call, diag, STATUS_INVALID,
                        "new shape: %zu elements, expected %zu as of input 0 (input)", known,
                        count);
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteReshapeParams *p = call->params;

    TRY(ref_check_shape(call, diag, 0, "input", 0, INT32_MAX));
    if (runtime_type_bits(call->in[0]->type) == 0)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "input 0 (input): type %s, expected one of fixed size",
                        runtime_type_name(call->in[0]->type) ? runtime_type_name(call->in[0]->type)
                                                             : "unknown");
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (p->num_dimensions < 0 || p->num_dimensions > REF_MAX_RANK)
        return ref_fail(call, diag, STATUS_INVALID, "new_shape has more than %d entries",
                        REF_MAX_RANK);
    if (ref_has(call, 1)) {
        TRY(ref_check_in(call, diag, 1, "shape", kTfLiteInt32, 0, REF_MAX_RANK));
        if (by_tensor(call) && ref_dim(call->in[1], 0) > REF_MAX_RANK)
            return ref_fail(call, diag, STATUS_INVALID, "input 1 (shape): %d entries, at most %d",
                            ref_dim(call->in[1], 0), REF_MAX_RANK);
    }
    if (by_tensor(call) && !ref_known(call, 1)) {
        call->out_shape[0] = (struct ref_shape){ .dynamic = true, .rank = ref_dim(call->in[1], 0) };
        return STATUS_OK;
    }
    TRY(read_shape(call, diag, &call->out_shape[0]));
    return complete_shape(call, diag, &call->out_shape[0]);
}

static const struct ref_op ops[] = {
    { REF_OP("reshape", RESHAPE, 1, OPTIONS_ReshapeOptions),
      REF_PARAMS(TfLiteReshapeParams, read_params), REF_RUN(prepare, ref_move_whole),
      .folds = REF_FOLD_VALUES },
};

const struct ref_family ref_reshape = { ops, sizeof ops / sizeof ops[0] };

/* ADD and MUL: y = act(a + b), act(a * b), element by element.
 *
 * a, b f32 of any shapes that broadcast: aligned at the last dimension, each pair of dimensions is
 * equal or one of them is 1 (a missing one counts as 1); y has the larger of each pair (1 and 0
 * give 0).
 * Meaning: tflite/kernels/internal/reference/{add,mul}.h */
#include "reference/ref_check.h"

#include <math.h>

static void add_read(const struct options *options, void *params)
{
    TfLiteAddParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->pot_scale_int16 = options_int(options, "pot_scale_int16") != 0;
}

static void mul_read(const struct options *options, void *params)
{
    TfLiteMulParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
}

static TfLiteFusedActivation activation(const struct ref_call *call)
{
    return call->op->code == BUILTIN_ADD ? ((const TfLiteAddParams *)call->params)->activation
                                         : ((const TfLiteMulParams *)call->params)->activation;
}

/* Dimension d of t seen as a shape of the given rank. */
static int32_t aligned_dim(const TfLiteTensor *t, int rank, int d)
{
    d -= rank - ref_rank(t);
    return d < 0 ? 1 : ref_dim(t, d);
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *shape = &call->out_shape[0];
    const TfLiteTensor *a, *b;

    TRY(ref_check_in(call, diag, 0, "a", kTfLiteFloat32, 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "b", kTfLiteFloat32, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    TRY(ref_check_activation(call, diag, activation(call)));

    a = call->in[0];
    b = call->in[1];
    *shape = (struct ref_shape){ .rank = ref_rank(a) > ref_rank(b) ? ref_rank(a) : ref_rank(b) };
    for (int d = 0; d < shape->rank; d++) {
        const int32_t da = aligned_dim(a, shape->rank, d), db = aligned_dim(b, shape->rank, d);

        if (da != db && da != 1 && db != 1)
            return ref_fail(call, diag, STATUS_INVALID,
                            "inputs 0 and 1 do not broadcast: %d and %d in dimension %d of %d", da,
                            db, d, shape->rank);
        shape->dims[d] = da == 1 ? db : da;
    }
    return STATUS_OK;
}

/* How far one step along each dimension of the output moves in t; 0 where t is broadcast. */
static void strides_of(const TfLiteTensor *t, int rank, size_t *strides)
{
    size_t stride = 1;

    for (int d = rank - 1; d >= 0; d--) {
        const int32_t dim = aligned_dim(t, rank, d);

        strides[d] = dim == 1 ? 0 : stride;
        stride *= (size_t)dim;
    }
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *a = call->in[0], *b = call->in[1], *y = call->out[0];
    const TfLiteFusedActivation act = activation(call);
    const bool add = call->op->code == BUILTIN_ADD;
    const int rank = ref_rank(y);
    size_t a_strides[REF_MAX_RANK], b_strides[REF_MAX_RANK], at = 0;
    int32_t index[REF_MAX_RANK] = { 0 };

    (void)diag;
    if (ref_elements(y) == 0)
        return STATUS_OK;
    strides_of(a, rank, a_strides);
    strides_of(b, rank, b_strides);
    do {
        size_t ia = 0, ib = 0;
        double x, z, r;

        for (int d = 0; d < rank; d++) {
            ia += (size_t)index[d] * a_strides[d];
            ib += (size_t)index[d] * b_strides[d];
        }
        x = a->data.f[ia];
        z = b->data.f[ib];
        r = ref_activation(act, add ? x + z : x * z);
        ref_store(call, 0, at++, r, fabs(r), 1);
    } while (ref_step(rank, y->dims->data, index));
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    {
        .name = "add",
        .code = BUILTIN_ADD,
        .max_version = 5,
        .options_tag = OPTIONS_AddOptions,
        .params_bytes = sizeof(TfLiteAddParams),
        .min_inputs = 2,
        .max_inputs = 2,
        .min_outputs = 1,
        .max_outputs = 1,
        .read_params = add_read,
        .prepare = prepare,
        .eval = eval,
    },
    {
        .name = "mul",
        .code = BUILTIN_MUL,
        .max_version = 7,
        .options_tag = OPTIONS_MulOptions,
        .params_bytes = sizeof(TfLiteMulParams),
        .min_inputs = 2,
        .max_inputs = 2,
        .min_outputs = 1,
        .max_outputs = 1,
        .read_params = mul_read,
        .prepare = prepare,
        .eval = eval,
    },
};

const struct ref_family ref_binary = { ops, sizeof ops / sizeof ops[0] };

/* Elementwise ops of one input, of any shape:
 *
 *     RELU  y = max(x, 0)    RELU6  y = min(max(x, 0), 6)    EXP  y = e^x
 *     LOGISTIC  y = 1 / (1 + e^-x)
 *
 * f32; LOGISTIC f16 too.  NaN stays NaN.
 * Meaning: tflite/kernels/activations.cc, tflite/kernels/exp.cc */
#include "reference/ref_check.h"

#include <math.h>

static double relu(double x)
{
    return ref_activation(kTfLiteActRelu, x);
}

static double relu6(double x)
{
    return ref_activation(kTfLiteActRelu6, x);
}

/* Where e^-x is infinite the quotient is 0, and the true value below 1e-308. */
static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static const struct member {
    int32_t code;
    double (*real)(double x);
    uint32_t types;
    bool clamp; /* nothing is rounded */
} members[] = {
    { BUILTIN_RELU, relu, REF_TYPE(Float32), true },
    { BUILTIN_RELU6, relu6, REF_TYPE(Float32), true },
    { BUILTIN_EXP, exp, REF_TYPE(Float32), false },
    { BUILTIN_LOGISTIC, logistic, REF_TYPES_FLOAT, false },
};

static const struct member *member_of(const struct ref_call *call)
{
    const struct member *m = members;

    while (m->code != call->op->code)
        m++;
    return m;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in_types(call, diag, 0, "input", member_of(call)->types, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const struct member *m = member_of(call);
    const size_t count = ref_elements(call->in[0]);

    (void)diag;
    for (size_t i = 0; i < count; i++) {
        const double x = ref_load(call->in[0], i), y = m->real(x);

        /* How far off an elementary function may be depends on |x|. */
        ref_store(call, 0, i, y, m->clamp ? fabs(y) : fabs(x), 1);
    }
    return STATUS_OK;
}

#define MEMBER                                                                                     \
    .min_inputs = 1, .max_inputs = 1, .min_outputs = 1, .max_outputs = 1, .prepare = prepare,      \
    .eval = eval

static const struct ref_op ops[] = {
    {
        .name = "relu",
        .code = BUILTIN_RELU,
        .max_version = 3,
        MEMBER,
    },
    {
        .name = "relu6",
        .code = BUILTIN_RELU6,
        .max_version = 3,
        MEMBER,
    },
    {
        .name = "exp",
        .code = BUILTIN_EXP,
        .max_version = 2,
        .options_tag = OPTIONS_ExpOptions,
        MEMBER,
    },
    {
        .name = "logistic",
        .code = BUILTIN_LOGISTIC,
        .max_version = 3,
        MEMBER,
    },
};

const struct ref_family ref_unary = { ops, sizeof ops / sizeof ops[0] };

/* Elementwise ops of two inputs:
 *
 *     ADD  y = act(a + b)    SUB  y = act(a - b)    MUL  y = act(a * b)
 *     MAXIMUM  y = a > b ? a : b                    MINIMUM  y = a < b ? a : b
 *
 * a, b of any shapes that broadcast: aligned at the last dimension, each pair of dimensions is
 * equal or one of them is 1 (a missing one counts as 1); y has the larger of each pair (1 and 0
 * give 0). Floats are rounded once, to f32 or f16.  Integers wrap around, as in the runtime, before
 * the activation.  Where a NaN meets a number, MAXIMUM and MINIMUM give the second operand.
 * Meaning: tflite/kernels/internal/reference/{add,sub,mul,maximum_minimum}.h */
#include "reference/ref_check.h"

#include <math.h>

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* The low bits of the result; unsigned arithmetic wraps around. */
static int64_t add_int(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract_int(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t multiply_int(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t larger_int(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller_int(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static const struct member {
    int32_t code;
    double (*real)(double a, double b);
    int64_t (*whole)(int64_t a, int64_t b);
    uint32_t types;
} members[] = {
    { BUILTIN_ADD, add, add_int,
      REF_TYPES_FLOAT | REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64) },
    { BUILTIN_SUB, subtract, subtract_int, REF_TYPE(Float32) | REF_TYPE(Int32) | REF_TYPE(Int64) },
    { BUILTIN_MUL, multiply, multiply_int,
      REF_TYPES_FLOAT | REF_TYPE(Int16) | REF_TYPE(Int32) | REF_TYPE(Int64) | REF_TYPE(UInt32) },
    { BUILTIN_MAXIMUM, larger, larger_int,
      REF_TYPES_FLOAT | REF_TYPE(Int8) | REF_TYPE(UInt8) | REF_TYPE(Int16) | REF_TYPE(Int32) |
          REF_TYPE(Int64) },
    { BUILTIN_MINIMUM, smaller, smaller_int,
      REF_TYPES_FLOAT | REF_TYPE(Int8) | REF_TYPE(UInt8) | REF_TYPE(Int16) | REF_TYPE(Int32) |
          REF_TYPE(Int64) },
};

static const struct member *member_of(const struct ref_call *call)
{
    const struct member *m = members;

    while (m->code != call->op->code)
        m++;
    return m;
}

static void add_read(const struct options *options, void *params)
{
    TfLiteAddParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->pot_scale_int16 = options_int(options, "pot_scale_int16") != 0;
}

static void sub_read(const struct options *options, void *params)
{
    TfLiteSubParams *p = params;

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
    switch (call->op->code) {
    case BUILTIN_ADD: return ((const TfLiteAddParams *)call->params)->activation;
    case BUILTIN_SUB: return ((const TfLiteSubParams *)call->params)->activation;
    case BUILTIN_MUL: return ((const TfLiteMulParams *)call->params)->activation;
    default: return kTfLiteActNone;
    }
}

/* Arithmetic on quantized integers is another; comparing needs equal scales only.  A scale means
 * nothing in floats. */
static enum status check_scales(const struct ref_call *call, struct diag *diag)
{
    if (REF_TYPES_FLOAT >> call->in[0]->type & 1)
        return STATUS_OK;
    if (call->op->code == BUILTIN_MAXIMUM || call->op->code == BUILTIN_MINIMUM)
        return ref_check_same_scale(call, diag);
    for (int i = 0; i < 2; i++) {
        if (call->in[i]->quantization.type != kTfLiteNoQuantization)
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "input %d (%s): quantized %s, the kernel has no scales", i,
                            i == 0 ? "a" : "b", runtime_type_name(call->in[i]->type));
    }
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in_types(call, diag, 0, "a", member_of(call)->types, 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "b", call->in[0]->type, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    TRY(check_scales(call, diag));
    TRY(ref_check_activation(call, diag, activation(call)));
    return ref_broadcast(call, diag, &call->out_shape[0]);
}

static void eval_one(struct ref_call *call, size_t at, size_t ia, size_t ib)
{
    const TfLiteTensor *a = call->in[0], *b = call->in[1];
    const struct member *m = member_of(call);
    const TfLiteFusedActivation act = activation(call);
    double r;

    if (REF_TYPES_FLOAT >> a->type & 1) {
        r = ref_activation(act, m->real(ref_load(a, ia), ref_load(b, ib)));
        ref_store(call, 0, at, r, fabs(r), 1);
        return;
    }
    ref_store_int(call, 0, at, m->whole(ref_load_int(a, ia), ref_load_int(b, ib)));
    /* The activation is that of what was stored, wrapped around or not. */
    if (act != kTfLiteActNone)
        ref_store_int(call, 0, at, ref_activation_int(act, ref_load_int(call->out[0], at)));
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *y = call->out[0];
    const int rank = ref_rank(y);
    size_t a_strides[REF_MAX_RANK], b_strides[REF_MAX_RANK], at = 0;
    int32_t index[REF_MAX_RANK] = { 0 };

    (void)diag;
    if (ref_elements(y) == 0)
        return STATUS_OK;
    ref_broadcast_strides(call->in[0], rank, a_strides);
    ref_broadcast_strides(call->in[1], rank, b_strides);
    do {
        size_t ia = 0, ib = 0;

        for (int d = 0; d < rank; d++) {
            ia += (size_t)index[d] * a_strides[d];
            ib += (size_t)index[d] * b_strides[d];
        }
        eval_one(call, at++, ia, ib);
    } while (ref_step(rank, y->dims->data, index));
    return STATUS_OK;
}

#define MEMBER                                                                                     \
    .min_inputs = 2, .max_inputs = 2, .min_outputs = 1, .max_outputs = 1, .prepare = prepare,      \
    .eval = eval

static const struct ref_op ops[] = {
    {
        .name = "add",
        .code = BUILTIN_ADD,
        .max_version = 6,
        .options_tag = OPTIONS_AddOptions,
        .params_bytes = sizeof(TfLiteAddParams),
        .read_params = add_read,
        MEMBER,
    },
    {
        .name = "sub",
        .code = BUILTIN_SUB,
        .max_version = 5,
        .options_tag = OPTIONS_SubOptions,
        .params_bytes = sizeof(TfLiteSubParams),
        .read_params = sub_read,
        MEMBER,
    },
    {
        .name = "mul",
        .code = BUILTIN_MUL,
        .max_version = 8,
        .options_tag = OPTIONS_MulOptions,
        .params_bytes = sizeof(TfLiteMulParams),
        .read_params = mul_read,
        MEMBER,
    },
    {
        .name = "maximum",
        .code = BUILTIN_MAXIMUM,
        .max_version = 4,
        .options_tag = OPTIONS_MaximumMinimumOptions,
        MEMBER,
    },
    {
        .name = "minimum",
        .code = BUILTIN_MINIMUM,
        .max_version = 4,
        .options_tag = OPTIONS_MaximumMinimumOptions,
        MEMBER,
    },
};

const struct ref_family ref_binary = { ops, sizeof ops / sizeof ops[0] };

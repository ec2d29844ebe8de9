/* Elementwise comparisons of two inputs, of any shapes that broadcast, to bool:
 *
 *     EQUAL  a == b    NOT_EQUAL  a != b    GREATER  a > b    GREATER_EQUAL  a >= b
 *     LESS  a < b      LESS_EQUAL  a <= b
 *
 * A NaN equals nothing, and is neither less nor greater.  EQUAL and NOT_EQUAL have bool, too.
 *
 * i8 and u8 are quantized.  Each operand, less its zero point, is brought to units of 1/256 in
 * fixed point, whatever its scale, and these integers are compared: reals that are closer than that
 * may be equal.
 * Meaning: tflite/kernels/comparisons.cc, tflite/kernels/internal/reference/comparisons.h */
#include "reference/kernels/quantized.h"

/* a - b as a sign: -1, 0 or 1; UNORDERED where one is NaN. */
enum { UNORDERED = 2 };

static bool equal(int sign)
{
    return sign == 0;
}

static bool not_equal(int sign)
{
    return sign != 0;
}

static bool greater(int sign)
{
    return sign == 1;
}

static bool greater_equal(int sign)
{
    return sign == 0 || sign == 1;
}

static bool less(int sign)
{
    return sign == -1;
}

static bool less_equal(int sign)
{
    return sign == 0 || sign == -1;
}

enum {
    ORDERED_TYPES = REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int32) | REF_TYPE(Int64),
    EQUAL_TYPES = ORDERED_TYPES | REF_TYPE(Bool)
};

static const struct member {
    int32_t code;
    bool (*holds)(int sign);
    uint32_t types;
} members[] = {
    { BUILTIN_EQUAL, equal, EQUAL_TYPES },
    { BUILTIN_NOT_EQUAL, not_equal, EQUAL_TYPES },
    { BUILTIN_GREATER, greater, ORDERED_TYPES },
    { BUILTIN_GREATER_EQUAL, greater_equal, ORDERED_TYPES },
    { BUILTIN_LESS, less, ORDERED_TYPES },
    { BUILTIN_LESS_EQUAL, less_equal, ORDERED_TYPES },
};

static const struct member *member_of(const struct ref_call *call)
{
    const struct member *m = members;

    while (m->code != call->op->code)
        m++;
    return m;
}

enum { SHIFT = 8 };

struct operands {
    const struct member *member;
    /* 8 bits. */
    int32_t zero[2];
    struct fixed_multiplier m[2];
};

static enum status read_operands(const struct ref_call *call, struct diag *diag,
                                 struct operands *operands)
{
    static const char *const names[] = { "scale of a", "scale of b" };

    *operands = (struct operands){ .member = member_of(call) };
    for (int i = 0; i < 2 && ref_is_8bit(call->in[i]->type); i++) {
        TRY(ref_check_scale_in(call, diag, i, i == 0 ? "a" : "b"));
        operands->zero[i] = ref_zero_point(call->in[i]);
        TRY(ref_check_multiplier(call, diag, names[i], ref_scale(call->in[i]), &operands->m[i]));
        /* The kernel shifts to the right only. */
        if (operands->m[i].e > 0)
            return ref_fail(call, diag, STATUS_UNSUPPORTED,
                            "input %d (%s): scale %g, expected less than 1", i, i == 0 ? "a" : "b",
                            ref_scale(call->in[i]));
    }
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct operands operands;

    TRY(ref_check_in_types(call, diag, 0, "a", member_of(call)->types, 0, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "b", call->in[0]->type, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteBool));
    TRY(read_operands(call, diag, &operands));
    return ref_broadcast(call, diag, &call->out_shape[0]);
}

static int64_t load(const struct ref_call *call, const struct operands *o, int input, size_t i)
{
    const int64_t q = ref_load_int(call->in[input], i);

    return ref_is_8bit(call->in[input]->type)
               ? fixed_multiply(((int32_t)q - o->zero[input]) * (1 << SHIFT), o->m[input])
               : q;
}

static void eval_one(struct ref_call *call, const void *context, size_t at, const size_t *in)
{
    const struct operands *o = context;
    int sign;

    if (REF_TYPES_FLOAT >> call->in[0]->type & 1) {
        const double a = ref_load(call->in[0], in[0]), b = ref_load(call->in[1], in[1]);

        sign = a < b ? -1 : a > b ? 1 : a == b ? 0 : UNORDERED;
    } else {
        const int64_t a = load(call, o, 0, in[0]), b = load(call, o, 1, in[1]);

        sign = a < b ? -1 : a > b;
    }
    ref_store_int(call, 0, at, o->member->holds(sign));
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    struct operands operands;

    TRY(read_operands(call, diag, &operands));
    ref_broadcast_each(call, 2, eval_one, &operands);
    return STATUS_OK;
}

#define MEMBER(name_, code_, version, tag)                                                         \
    {                                                                                              \
        REF_OP(name_, code_, version, tag), REF_RUN(prepare, eval)                                 \
    }
static const struct ref_op ops[] = {
    MEMBER("equal", EQUAL, 4, OPTIONS_EqualOptions),
    MEMBER("not_equal", NOT_EQUAL, 3, OPTIONS_NotEqualOptions),
    MEMBER("greater", GREATER, 2, OPTIONS_GreaterOptions),
    MEMBER("greater_equal", GREATER_EQUAL, 3, OPTIONS_GreaterEqualOptions),
    MEMBER("less", LESS, 3, OPTIONS_LessOptions),
    MEMBER("less_equal", LESS_EQUAL, 2, OPTIONS_LessEqualOptions),
};

const struct ref_family ref_compare = { ops, sizeof ops / sizeof ops[0] };

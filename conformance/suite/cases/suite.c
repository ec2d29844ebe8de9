/* The table of suites: one for each stem that reference/ops.def names. */
#include "conformance/suite/cases/suite.h"

#define OP(code_, stem, ...) extern const struct suite suite_##stem;
#include "reference/ops.def"
#undef OP
extern const struct suite suite_binary_i32, suite_int16, suite_int16_move, suite_gap,
    suite_gap_bytes, suite_combinations, suite_chains, suite_pairs, suite_shape_values,
    suite_sub_byte, suite_variables, suite_composites, suite_shape_folds;

/* One entry for each op of ops.def; the ops of a stem are neighbours and share a suite. */
static const struct suite *const rows[] = {
#define OP(code_, stem, ...) &suite_##stem,
#include "reference/ops.def"
#undef OP
    &suite_binary_i32,   &suite_int16,        &suite_int16_move, &suite_gap,
    &suite_gap_bytes,    &suite_combinations, &suite_chains,     &suite_pairs,
    &suite_shape_values, &suite_sub_byte,     &suite_variables,  &suite_composites,
    &suite_shape_folds,
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const struct suite *suite_at(size_t index)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (i > 0 && rows[i] == rows[i - 1])
            continue;
        if (index-- == 0)
            return rows[i];
    }
    return NULL;
}

const struct case_type_name case_types[CASE_TYPE_COUNT] = {
    [CASE_F32] = { "f32", TENSOR_FLOAT32 },         [CASE_F16] = { "f16", TENSOR_FLOAT16 },
    [CASE_HALF] = { "f16", TENSOR_FLOAT16 },        [CASE_I8] = { "i8", TENSOR_INT8 },
    [CASE_I8PC] = { "i8pc", TENSOR_INT8 },          [CASE_U8] = { "u8", TENSOR_UINT8 },
    [CASE_DYNAMIC] = { "dynamic", TENSOR_FLOAT32 }, [CASE_I32] = { "i32", TENSOR_INT32 },
    [CASE_BOOL] = { "bool", TENSOR_BOOL },          [CASE_I16] = { "i16", TENSOR_INT16 },
    [CASE_W4] = { "w4", TENSOR_FLOAT32 },           [CASE_W2] = { "w2", TENSOR_FLOAT32 },
    [CASE_U4] = { "u4", TENSOR_FLOAT32 },           [CASE_A8W4] = { "a8w4", TENSOR_INT8 },
    [CASE_A8W2] = { "a8w2", TENSOR_INT8 },          [CASE_A16W4] = { "a16w4", TENSOR_INT16 },
    [CASE_A16W2] = { "a16w2", TENSOR_INT16 },
};

const struct suite_member *suite_member_of(const struct suite *suite, int32_t code)
{
    for (size_t i = 0; i < suite->member_count; i++) {
        if (suite->members[i].code == code)
            return &suite->members[i];
    }
    return NULL;
}

const struct suite_member *suite_find_member(int32_t code)
{
    const struct suite_member *member = NULL;

    for (size_t i = 0; i < ROW_COUNT && !member; i++)
        member = suite_member_of(rows[i], code);
    return member;
}

size_t shape_elements(const struct shape *s)
{
    size_t n = 1;

    for (int i = 0; i < s->rank; i++)
        n *= (size_t)s->d[i];
    return n;
}

struct shape shape_broadcast(const struct shape *a, const struct shape *b)
{
    struct shape out = { .rank = a->rank > b->rank ? a->rank : b->rank };

    for (int i = 1; i <= out.rank; i++) { /* the i-th dimension from the last */
        const int32_t x = i <= a->rank ? a->d[a->rank - i] : 1;
        const int32_t y = i <= b->rank ? b->d[b->rank - i] : 1;

        out.d[out.rank - i] = x == 1 ? y : x;
    }
    return out;
}

/* The table of suites: one for each stem of reference/ops.def. */
#include "conformance/cases/suite.h"

#define OP(stem) extern const struct suite suite_##stem;
#define HOST_OP  OP
#include "reference/ops.def"
#undef OP
#undef HOST_OP
extern const struct suite suite_arg_max, suite_gap, suite_pairs;

const struct suite *const suites[] = {
#define OP(stem) &suite_##stem,
#define HOST_OP  OP
#include "reference/ops.def"
#undef OP
#undef HOST_OP
    &suite_arg_max,
    &suite_gap,
    &suite_pairs,
};
const size_t suite_count = sizeof suites / sizeof suites[0];

const struct case_type_name case_types[CASE_TYPE_COUNT] = {
    [CASE_F32] = { "f32", TENSOR_FLOAT32 },         [CASE_F16] = { "f16", TENSOR_FLOAT16 },
    [CASE_HALF] = { "f16", TENSOR_FLOAT16 },        [CASE_I8] = { "i8", TENSOR_INT8 },
    [CASE_I8PC] = { "i8pc", TENSOR_INT8 },          [CASE_U8] = { "u8", TENSOR_UINT8 },
    [CASE_DYNAMIC] = { "dynamic", TENSOR_FLOAT32 },
};

const struct suite_member *suite_find_member(int32_t code)
{
    for (size_t i = 0; i < suite_count; i++) {
        for (size_t j = 0; j < suites[i]->member_count; j++) {
            if (suites[i]->members[j].code == code)
                return &suites[i]->members[j];
        }
    }
    return NULL;
}

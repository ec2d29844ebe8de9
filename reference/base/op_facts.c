/* The rows of reference/ops.def as data. */
#include "reference/base/op_facts.h"

#include "reference/base/builtin.h"

/* The words of ops.def, with prefixes so that they clash with no other name. */
enum { ROW_GPU = 1, ROW_HOST = 0, ROW_ACTIVATION = 1, ROW_PLAIN = 0, ROW_VIEW = 1, ROW_OWN = 0 };
enum { ROW_NO_STATE = 0, ROW_INPUT_4 = 1 << 4, ROW_INPUTS_18_19 = 3 << 18 };
/* Of LSTM's basic kernel, and of its full one. */
enum { ROW_INPUTS_1_4_18_19 = 1 << 1 | 1 << 4 | ROW_INPUTS_18_19 };
#define NONE OP_NONE
#define ALL  OP_ALL

static const struct op_facts rows[] = {
#define OP(code_, stem_, runs_, in_min, in_max, out_min, out_max, first_, data_, weights_, bias_,  \
           shape_, fused_, i8_, u8_, f16_, hybrid_, hybrid_pc_, result_, output_, state_,          \
           monotone_, integers_, ties_)                                                            \
    {                                                                                              \
        .code = BUILTIN_##code_,                                                                   \
        .stem = #stem_,                                                                            \
        .on_gpu = ROW_##runs_,                                                                     \
        .first = (first_),                                                                         \
        .data = (data_),                                                                           \
        .weights = (weights_),                                                                     \
        .bias = (bias_),                                                                           \
        .shape = (shape_),                                                                         \
        .fused_activation = ROW_##fused_,                                                          \
        .i8 = (i8_),                                                                               \
        .u8 = (u8_),                                                                               \
        .f16 = (f16_),                                                                             \
        .hybrid = (hybrid_),                                                                       \
        .hybrid_per_channel = (hybrid_pc_),                                                        \
        .result = OP_RESULT_##result_,                                                             \
        .view = ROW_##output_,                                                                     \
        .state = ROW_##state_,                                                                     \
        .monotone = (monotone_),                                                                   \
        .integers = OP_INTEGERS_##integers_,                                                       \
        .ties = OP_TIES_##ties_,                                                                   \
    },
#include "reference/ops.def"
#undef OP
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const struct op_facts *op_facts_find(int32_t code)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].code == code)
            return &rows[i];
    }
    return NULL;
}

const struct op_facts *op_facts_at(size_t index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

/* The delegate's ops: the table that reference/ops.def lists. */
#include "delegate/graph/gpu_op.h"

#define OP(stem)      extern const struct gpu_family gpu_##stem;
#define HOST_OP(stem) /* no row here yet */
#include "reference/ops.def"
#undef OP

static const struct gpu_family *const families[] = {
#define OP(stem) &gpu_##stem,
#include "reference/ops.def"
#undef OP
#undef HOST_OP
};

const struct gpu_op *gpu_op_find(int32_t code)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        for (size_t j = 0; j < families[i]->count; j++)
            if (families[i]->ops[j].code == code)
                return &families[i]->ops[j];
    return NULL;
}

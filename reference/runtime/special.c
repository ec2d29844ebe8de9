#include "reference/runtime/special.h"

const struct node_kernel *special_find(int32_t code)
{
    static const struct node_kernel *const kernels[] = {
        &kernel_if,         &kernel_while,         &kernel_call_once,      &kernel_composite,
        &kernel_var_handle, &kernel_read_variable, &kernel_assign_variable
    };

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i]->op.code == code)
            return kernels[i];
    return NULL;
}

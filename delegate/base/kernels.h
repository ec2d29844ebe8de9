/* The faster kernels by name: kernels.def as data. */
#ifndef ASSAY_DELEGATE_BASE_KERNELS_H
#define ASSAY_DELEGATE_BASE_KERNELS_H

enum kernel_id {
#define KERNEL(name, meaning) KERNEL_##name,
#include "delegate/base/kernels.def"
#undef KERNEL
    KERNEL_COUNT
};

#endif

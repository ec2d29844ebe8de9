/* The delegate as a LiteRT accelerator. */
#ifndef ASSAY_DELEGATE_API_LITERT_ACCELERATOR_H
#define ASSAY_DELEGATE_API_LITERT_ACCELERATOR_H

#include "assay_gpu.h"
#include "delegate/api/litert_abi.h"

/* LiteRT loads the library as libLiteRtGpuAccelerator.so and looks for this name. */
extern ASSAY_GPU_EXPORT const struct litert_accelerator LiteRtAcceleratorImpl;

#endif

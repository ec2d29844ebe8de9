/* What the host calls for a partition. */
#ifndef ASSAY_DELEGATE_RUNTIME_KERNEL_CALLBACKS_H
#define ASSAY_DELEGATE_RUNTIME_KERNEL_CALLBACKS_H

#include "tensorflow/lite/c/common.h"

/* The callbacks init, free, prepare and invoke of a partition. */
extern const TfLiteRegistration kernel_registration;

#endif

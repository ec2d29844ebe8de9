/* The delegate as its host sees it: made with the callbacks that the host calls. */
#ifndef ASSAY_DELEGATE_RUNTIME_HOST_H
#define ASSAY_DELEGATE_RUNTIME_HOST_H

#include "delegate/runtime/delegate.h"

/* Opens a delegate as delegate_open does, sets its callbacks and publishes it. */
enum status host_delegate_create(struct gpu_delegate **out, const char *const *keys,
                                 const char *const *values, size_t count,
                                 const struct device_given *given, struct diag *diag);

#endif

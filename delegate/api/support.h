/* A refusal as assay_gpu.h describes it. */
#ifndef ASSAY_DELEGATE_API_SUPPORT_H
#define ASSAY_DELEGATE_API_SUPPORT_H

#include "assay_gpu.h"
#include "delegate/accept/refusal.h"

/* The strings belong to the refusal. */
struct assay_gpu_refusal refusal_view(const struct refusal *r);

#endif

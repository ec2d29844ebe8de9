/* A refusal as users see it. */
#ifndef ASSAY_DELEGATE_ASK_H
#define ASSAY_DELEGATE_ASK_H

#include "assay_gpu.h"
#include "delegate/refusal.h"

/* The strings are the refusal's. */
struct assay_gpu_refusal refusal_view(const struct refusal *r);

#endif

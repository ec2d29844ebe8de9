/* divisor_args of a divisor. */
#ifndef ASSAY_DELEGATE_OPS_DIVISOR_H
#define ASSAY_DELEGATE_OPS_DIVISOR_H

#include "delegate/ops/divisor.args.h"

/* d is above 0. */
static inline struct divisor_args divisor_of(uint32_t d)
{
    uint32_t l = 0;

    while (l < 32 && UINT64_C(1) << l < d)
        l++;
    return (struct divisor_args){
        .divisor = d,
        .multiplier = (uint32_t)(((((UINT64_C(1) << l) - d) << 32) / d) + 1),
        .shift = l,
    };
}

#endif

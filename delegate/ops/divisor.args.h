/* A divisor that is known when a plan is made: quotients without the division of the device, which
 * takes tens of instructions.  A member of push constants; divisor.glsl has the quotient.
 *
 * With l = ceil(log2 d) and multiplier = floor(2^32 (2^l - d) / d) + 1 the quotient of any n of 32
 * bits is (t + (n - t >> min(l, 1))) >> max(l - 1, 0), where t = multiplier * n >> 32 (Granlund and
 * Montgomery, Division by Invariant Integers using Multiplication, figure 4.1). */
#ifndef ASSAY_DELEGATE_OPS_DIVISOR_ARGS_H
#define ASSAY_DELEGATE_OPS_DIVISOR_ARGS_H

#include "delegate/shaders/args.h"

struct divisor_args {
    uint divisor, multiplier, shift; /* shift: l */
};

#endif

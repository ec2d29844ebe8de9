/* Arguments of peak.comp and peak_int8.comp. */
#ifndef ASSAY_DELEGATE_SHADERS_PEAK_ARGS_H
#define ASSAY_DELEGATE_SHADERS_PEAK_ARGS_H

#include "delegate/shaders/args.h"

#define PEAK_SPEC_COPIES 3 /* 1: copies slices; 0: multiplies and adds */
#define PEAK_CHAINS      8 /* independent sums of an invocation */

PUSH_CONSTANTS(peak_args)
    uint count;  /* slices, or turns of the loop: a multiple of 4 */
    uint stride; /* invocations */
    float factor;
    uint bytes; /* four 8-bit factors */
END_PUSH_CONSTANTS
ARGS_SIZE(peak_args, 16)

#endif

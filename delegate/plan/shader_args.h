/* Push constants of fully_connected.comp. */
#ifndef ASSAY_DELEGATE_PLAN_SHADER_ARGS_H
#define ASSAY_DELEGATE_PLAN_SHADER_ARGS_H

#include <stdint.h>

struct fully_connected_args { /* FULLY_CONNECTED, LSTM */
    uint32_t count;           /* workgroups: rows * blocks of output slices */
    uint32_t in_channels, in_slices, out_slices;
};
_Static_assert(sizeof(struct fully_connected_args) == 16, "fully_connected.comp");

#endif

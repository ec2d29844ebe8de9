/* Arguments of load*.comp and store*.comp, between dense tensors of the host and slices. */
#ifndef ASSAY_DELEGATE_SHADERS_IO_ARGS_H
#define ASSAY_DELEGATE_SHADERS_IO_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(io_args)
    /* Invocations.  load, and store of f32: slices; store of narrower elements: words of 32 bits,
     * the last of which may have room for more elements than there are. */
    uint count;
    uint channels, slices;
    uint elements; /* of the dense tensor */
END_PUSH_CONSTANTS
ARGS_SIZE(io_args, 16)

#endif

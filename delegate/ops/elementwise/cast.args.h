/* Arguments of cast_int8.comp, with those of count.args.h. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_CAST_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_CAST_ARGS_H

#include "delegate/shaders/args.h"

#define CAST_SPEC_FROM 3 /* CAST_F32, ... */
#define CAST_SPEC_TO   4

#define CAST_F32  0
#define CAST_F16  1
#define CAST_I32  2
#define CAST_I8   3
#define CAST_U8   4
#define CAST_BOOL 5

#endif

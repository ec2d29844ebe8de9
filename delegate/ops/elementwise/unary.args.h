/* Arguments of unary.comp, with those of count.args.h. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_UNARY_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_UNARY_ARGS_H

#include "delegate/shaders/args.h"

#define UNARY_SPEC_OP         3 /* UNARY_ACTIVATION, UNARY_EXP, ... */
#define UNARY_SPEC_ACTIVATION 4 /* of UNARY_ACTIVATION: TfLiteFusedActivation */

#define UNARY_ACTIVATION 0
#define UNARY_EXP        1
#define UNARY_LOGISTIC   2
#define UNARY_HARD_SWISH 3

#endif

/* Functions that a shader of slice.glsl applies to its result, beside the fused activations 0 to 3
 * of TfLiteFusedActivation.  No model has them: transform `function` makes them of nodes. */
#ifndef ASSAY_DELEGATE_SHADERS_ACTIVATION_ARGS_H
#define ASSAY_DELEGATE_SHADERS_ACTIVATION_ARGS_H

#include "delegate/shaders/args.h"

#define ACTIVATION_LOGISTIC     6 /* 1 / (1 + e^-x): kTfLiteActSigmoid */
#define ACTIVATION_HARD_SWISH   7 /* x * (min(max(x + 3, 0), 6) / 6) */
#define ACTIVATION_HARD_SIGMOID 8 /* min(max(x + 3, 0), 6) * 0.166666672: as Keras writes it */
#define ACTIVATION_SWISH        9 /* x / (1 + e^-x), as x * LOGISTIC(x) */

#endif

/* The integer half of the ops: stem_int8.c defines `const struct gpu_exact exact_<stem>`, bit for
 * bit the CPU's reference kernels, and the rows of stem.c point to it.  Declared for every stem of
 * reference/ops.def that runs on the GPU, whether it has that half or not. */
#ifndef ASSAY_DELEGATE_OPS_INT8_EXACT_H
#define ASSAY_DELEGATE_OPS_INT8_EXACT_H

#include "delegate/graph/gpu_op.h"

#define GPU(stem)                  extern const struct gpu_exact exact_##stem;
#define HOST(stem)                 /* no row of the delegate */
#define OP(code_, stem, runs, ...) runs(stem)
#include "reference/ops.def"
#undef OP
#undef HOST
#undef GPU

#endif

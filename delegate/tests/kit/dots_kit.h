/* Models of one 8-bit input and one output on the device that is there, with its packed dot product
 * and without: the output is the reference interpreter's to the last bit, whatever padded lanes
 * hold. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_DOTS_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_DOTS_KIT_H

#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/graph_kit.h"

#include "assay_gpu.h"

extern int dots_merged; /* nodes that the delegate merged into another, in the last check */
extern int dots_tiled;  /* steps of gemm_int8 and depthwise_int8 in it */

extern int dots_fill; /* the byte that all of x is; -1: random bytes */

/* Runs m without a delegate, and with ours without and with the packed dot product; fails where an
 * output differs.  Returns how many distinct bytes the output has: a constant output would prove
 * little. */
int dots_check(const struct model *m, int seed);
/* The same with `count` other workgroups and tiles from `first` (workgroup_variant), with the
 * packed dot product and without in turn. */
int dots_check_variants(const struct model *m, int seed, int first, int count);

#endif

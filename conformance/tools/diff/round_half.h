/* Inputs and constants as a device holds them that stores f16 (TOLERANCES.md 1). */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_ROUND_HALF_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_ROUND_HALF_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stddef.h>

/* Numbers beyond the range become the largest ones, so that both judges see a number. */
void round_half_floats(float *x, size_t count);

/* Rounds the f32 constants of the first subgraph.  Constants of at most 8 bits that floats are
 * computed from, such as weights in dynamic range, get the nearest scale of which f16 holds every
 * multiple: the device stores q * scale.  Both sides read the model that results. */
enum status round_half_constants(struct model *m, struct diag *diag);

/* The nearest scale whose products with integers below 2^bits f16 holds exactly: its fraction has
 * the 11 - bits bits that they leave.  A scale that is not above 0, or infinite, is left. */
float round_half_scale(float scale, int bits);

#endif

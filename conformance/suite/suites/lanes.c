#include "conformance/suite/suites/lanes.h"

#include <float.h>
#include <math.h>

/* v in each channel alone, then in all. */
#define PLACES(v, a, b, c, d, e)                                                                   \
    v, b, c, d, e, a, v, c, d, e, a, b, v, d, e, a, b, c, v, e, a, b, c, d, v, v, v, v, v, v
#define AMONG(v) PLACES(v, 0.5F, -1.5F, 2, 0.25F, -3)

const float lane_specials[] = {
    AMONG(NAN),      AMONG(INFINITY), AMONG(-INFINITY), AMONG(FLT_MAX),
    AMONG(-FLT_MAX), AMONG(-0.0F),    AMONG(FLT_MIN),   AMONG(-FLT_MIN)
};
/* The last two are denormals of f16. */
const float lane_denormals[] = { AMONG(1e-40F),     AMONG(-1e-40F), AMONG(0x1p-149F),
                                 AMONG(-1.17e-38F), AMONG(3e-5F),   AMONG(-0x1p-24F) };
const float lane_sums[] = { AMONG(NAN), AMONG(INFINITY), AMONG(-INFINITY), AMONG(-0.0F),
                            AMONG(FLT_MIN) };
const float pair_specials[] = {
    NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0.0F, -0.0F, 1.5F, -2
};
const int32_t pair_ends[] = { INT32_MIN, INT32_MAX, -1, 0, 1 };
const int32_t bias_29[] = { (1 << 29) - (1 << 21), -(1 << 29) + (1 << 21), 0x15555555,
                            -0x18000001 };
const int32_t bias_ends[] = {
    INT32_MIN + (1 << 20), INT32_MAX - (1 << 20), 1 << 30, -(1 << 30) - 1, 0x55555555, 0
};
const int32_t lane_ends[] = { PLACES(INT32_MIN, 3, 17, 42, 7, 99),
                              PLACES(INT32_MAX, 3, 17, 42, 7, 99) };

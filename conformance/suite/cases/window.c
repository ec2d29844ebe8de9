/* Windows over an image. */
#include "conformance/suite/cases/window.h"

int32_t window_out(bool same, int32_t in, int32_t filter, int32_t stride, int32_t dilation)
{
    const int32_t reach = (filter - 1) * dilation + 1;

    return same ? (in + stride - 1) / stride : (in - reach) / stride + 1;
}

int32_t window_or_one(int32_t n)
{
    return n > 0 ? n : 1;
}

int32_t window_at_least(int32_t n, int32_t least)
{
    return n > least ? n : least;
}

// What pool.comp and pool_int8.comp share: the window of an element of dst, clipped to the image.
#include "delegate/ops/reduce/pool.args.h"

layout(constant_id = POOL_SPEC_STRIDE_H) const uint STRIDE_H = 1u;
layout(constant_id = POOL_SPEC_STRIDE_W) const uint STRIDE_W = 1u;
layout(constant_id = POOL_SPEC_MAXIMUM) const bool MAXIMUM = false;
layout(constant_id = POOL_SPEC_ZEROS) const bool ZEROS = false;

// Rows y0 to y1 - 1 and columns x0 to x1 - 1 of the image whose first row is `image`; of slice s.
// What was clipped: rows or columns before the image, columns to its right, rows below it.
struct Window {
    uint image, y0, y1, x0, x1, s;
    bool before, right, below;
};

Window window_of(uint i)
{
    const uint pixel = i / args.slices;
    const uint row = pixel / args.out_w;
    const int top = int((row % args.out_h) * STRIDE_H) - args.pad_h;
    const int left = int((pixel % args.out_w) * STRIDE_W) - args.pad_w;
    // The padding of a PAD may be larger than the window, which then ends before the image.
    const int bottom = top + int(args.filter_h), end = left + int(args.filter_w);
    const bool before = min(top, left) < 0;
    const bool right = end > int(args.in_w), below = bottom > int(args.in_h);
    return Window(row / args.out_h * args.in_h, uint(max(top, 0)),
                  uint(clamp(bottom, 0, int(args.in_h))), uint(max(left, 0)),
                  uint(clamp(end, 0, int(args.in_w))), i % args.slices, before, right, below);
}

// The slice of src at row y and column x of the window's image.
uint place_of(Window w, uint y, uint x)
{
    return ((w.image + y) * args.in_w + x) * args.slices + w.s;
}

uint pixels_of(Window w) { return (w.y1 - w.y0) * (w.x1 - w.x0); }

// The windows of a convolution.  src [N,H,W,C], dst [N,OH,OW,O]: pixel p of dst is made of the taps
// [KERNEL_H,KERNEL_W] on src, of which those outside of the image are padding.  The push constants
// of the shader have a window_args `window`.

layout(constant_id = WINDOW_SPEC_KERNEL_H) const uint KERNEL_H = 1u;
layout(constant_id = WINDOW_SPEC_KERNEL_W) const uint KERNEL_W = 1u;
layout(constant_id = WINDOW_SPEC_STRIDE_H) const uint STRIDE_H = 1u;
layout(constant_id = WINDOW_SPEC_STRIDE_W) const uint STRIDE_W = 1u;
layout(constant_id = WINDOW_SPEC_DILATION_H) const uint DILATION_H = 1u;
layout(constant_id = WINDOW_SPEC_DILATION_W) const uint DILATION_W = 1u;

// The window of a pixel of dst: its image of the batch, and the row and column of its first tap,
// which are negative in the padding.
struct Window {
    uint image;
    int top, left;
};

Window window_of(uint pixel)
{
    const uint row = pixel / args.window.out_w;
    return Window(row / args.window.out_h,
                  int((row % args.window.out_h) * STRIDE_H) - args.window.pad_h,
                  int((pixel % args.window.out_w) * STRIDE_W) - args.window.pad_w);
}

// Whether tap [ky,kx] is inside of the image; base is the first slice of its pixel, 0 in the
// padding.
bool tap_inside(Window w, uint ky, uint kx, out uint base)
{
    const int y = w.top + int(ky * DILATION_H);
    const int x = w.left + int(kx * DILATION_W);
    const bool inside = y >= 0 && y < int(args.window.in_h) && x >= 0 && x < int(args.window.in_w);
    base = inside ? ((w.image * args.window.in_h + uint(y)) * args.window.in_w + uint(x)) *
                        args.window.in_slices
                  : 0u;
    return inside;
}

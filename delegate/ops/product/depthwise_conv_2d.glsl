// DEPTHWISE_CONV_2D, for depthwise_conv_2d.comp and depthwise_conv_2d_int8.comp.  src [N,H,W,C],
// dst [N,OH,OW,C*M]; weights [KH,KW,C*M].  Output channel o reads input channel o / M.  An
// invocation computes one pixel of one slice.
layout(constant_id = DEPTHWISE_CONV_2D_SPEC_MULTIPLIER) const uint MULTIPLIER = 1u;

// Adds what a tap gives: the pixel of src whose slices begin at base, where it is inside of the
// image, and the weights of this slice.
void add_tap(uint base, bool inside, uint out_slice, uint weight);

// The input channels of the outputs of a slice.  Padded lanes read the last channel: their results
// are never used, but they must not read out of bounds.
uvec4 channels_of(uint out_slice)
{
    return min((uvec4(4u * out_slice) + uvec4(0u, 1u, 2u, 3u)) / MULTIPLIER,
               uvec4(args.in_channels - 1u));
}

void add_taps(uint pixel, uint out_slice)
{
    const Window window = window_of(pixel);
    for (uint ky = 0u; ky < KERNEL_H; ky++) {
        const int y = window.top + int(ky * DILATION_H);
        const bool inside_y = y >= 0 && y < int(args.window.in_h);
        // Taps in the padding load from the edge, and the value is dropped: loads that are not
        // behind a branch are in flight together.
        const uint row =
            window.image * args.window.in_h + uint(clamp(y, 0, int(args.window.in_h) - 1));
        for (uint kx = 0u; kx < KERNEL_W; kx++) {
            const int x = window.left + int(kx * DILATION_W);
            const bool inside = inside_y && x >= 0 && x < int(args.window.in_w);
            const uint column = uint(clamp(x, 0, int(args.window.in_w) - 1));
            add_tap((row * args.window.in_w + column) * args.window.in_slices, inside, out_slice,
                    (ky * KERNEL_W + kx) * args.window.out_slices + out_slice);
        }
    }
}

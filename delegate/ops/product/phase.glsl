// TRANSPOSE_CONV by phases, for gemm.comp.  src [N,H,W,I], dst [N,OH,OW,O]; the window takes dst to
// src: tap k reaches output o from input (o + pad - k) / stride where that is an integer.  Outputs
// a stride apart have the same taps, and their inputs are neighbours: such outputs are a phase, a
// convolution of stride 1 whose window goes from its first tap to lower rows and columns, which
// DILATION_H and DILATION_W of -1 say.

// A phase along one axis.
struct Axis {
    uint first; // its first output
    uint size;  // its outputs
    uint tap;   // its first tap
    uint taps;  // how many it has, a stride apart; none where the filter is smaller than the stride
    uint source; // the input that the first tap reads for the first output
};
Axis phase_h, phase_w;

Axis axis_of(uint first, uint size, int pad, uint kernel, uint stride)
{
    const uint from = first + uint(pad), tap = from % stride;
    // Where the stride divides the size, it is the same for all phases: a constant of frozen steps,
    // by which is divided for each pixel.
    return Axis(first, size % stride == 0u ? size / stride : (size - first + stride - 1u) / stride,
                tap, tap < kernel ? (kernel - tap + stride - 1u) / stride : 0u, from / stride);
}

uint phase_count() { return min(STRIDE_H, args.window.out_h) * min(STRIDE_W, args.window.out_w); }

void set_phase(uint phase)
{
    const uint across = min(STRIDE_W, args.window.out_w);
    phase_h = axis_of(phase / across, args.window.out_h, args.window.pad_h, KERNEL_H, STRIDE_H);
    phase_w = axis_of(phase % across, args.window.out_w, args.window.pad_w, KERNEL_W, STRIDE_W);
}

// The outputs of all images.
uint phase_pixels()
{
    return args.pixels / (args.window.out_h * args.window.out_w) * (phase_h.size * phase_w.size);
}

uint phase_depth() { return phase_h.taps * phase_w.taps * args.window.in_slices; }

// The window of output i of the phase.
Window phase_window(uint i)
{
    const uint row = i / phase_w.size;
    return Window(row / phase_h.size, int(phase_h.source + row % phase_h.size),
                  int(phase_w.source + i % phase_w.size));
}

// Its pixel of dst.
uint phase_pixel(uint i)
{
    const uint row = i / phase_w.size;
    return (row / phase_h.size * args.window.out_h + phase_h.first +
            row % phase_h.size * STRIDE_H) *
               args.window.out_w +
           phase_w.first + i % phase_w.size * STRIDE_W;
}

// Row and column of a tap among those of the phase.  Phases differ by at most one tap, so both
// divisors are constants.
uvec2 phase_tap(uint tap)
{
    const uint most = (KERNEL_W + STRIDE_W - 1u) / STRIDE_W;
    const uint row = phase_w.taps == most ? tap / most : tap / max(most - 1u, 1u);
    return uvec2(row, tap - row * phase_w.taps);
}

// The same among those of the filter, whose weights are in the order of the taps.
uint phase_weights(uint tap)
{
    const uvec2 at = phase_tap(tap);
    return (phase_h.tap + at.x * STRIDE_H) * KERNEL_W + phase_w.tap + at.y * STRIDE_W;
}

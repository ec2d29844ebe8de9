// CONV_2D in groups, for conv_2d_grouped.comp and conv_2d_grouped_int8.comp.  src [N,H,W,C], dst
// [N,OH,OW,O]; weights [KH,KW,I,O] as vectors of 4 outputs, with the I channels of a group.  An
// invocation computes TILE neighbouring pixels of one output slice.
//
// The shader defines the type of its sums, SUM, before it includes this, and the functions after
// it.
const uint TILE = CONV_2D_GROUPED_TILE;

SUM sum[TILE];

// Channel c[i] of the pixel whose slices begin at base, for output i of a slice.
SUM channels_at(uint base, uvec4 c);
SUM weight_at(uint at);

// Adds up what pixels first to first + TILE - 1 of dst are made of.
void add_taps(uint first, uint out_slice)
{
    Window window[TILE];
    for (uint t = 0u; t < TILE; t++)
        window[t] = window_of(min(first + t, args.pixels - 1u));
    // First input channel of the group of each of the 4 outputs.
    const uvec4 o =
        min(uvec4(4u * out_slice) + uvec4(0u, 1u, 2u, 3u), uvec4(args.out_channels - 1u));
    const uvec4 group_first = o / args.group_out * args.group_in;

    uint w = out_slice;
    for (uint ky = 0u; ky < KERNEL_H; ky++)
        for (uint kx = 0u; kx < KERNEL_W; kx++) {
            uint base[TILE];
            bool inside[TILE];
            for (uint t = 0u; t < TILE; t++)
                inside[t] = tap_inside(window[t], ky, kx, base[t]);
            for (uint c = 0u; c < args.group_in; c++, w += args.window.out_slices) {
                const SUM weight = weight_at(w);
                for (uint t = 0u; t < TILE; t++) {
                    const SUM x = channels_at(base[t], group_first + c);
                    sum[t] += (inside[t] ? x : SUM(0)) * weight;
                }
            }
        }
}

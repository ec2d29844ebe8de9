// TRANSPOSE_CONV, for transpose_conv.comp and transpose_conv_int8.comp.  src [N,H,W,I], dst
// [N,OH,OW,O]; the window takes dst to src. Gathers: tap k reaches output o from input (o + pad -
// k) / stride where that is an integer, so an output has only the taps whose remainder by the
// stride is its own. An invocation computes TILE pixels of one output slice, `stride` apart in a
// row: they have the same taps, and their inputs are neighbours.
const uint TILE = TRANSPOSE_CONV_TILE;

// Adds what tap [ky,kx] gives: pixels x to x + TILE - 1 of a row of src, the first of whose slices
// are at base, of which those from in_w on are outside of the image; tap is ky * KW + kx.
void add_tap(uint base, uint x, uint tap, uint out_slice);

// Outputs first, first + stride, ... of a row of dst.
struct Tile {
    uint row, first, out_slice;
};

Tile tile_of(uint i)
{
    const uint tile = i / args.window.out_slices % args.row.tiles;
    return Tile(i / args.window.out_slices / args.row.tiles,
                tile / args.row.phases * TILE * STRIDE_W + tile % args.row.phases,
                i % args.window.out_slices);
}

void add_taps(Tile tile)
{
    const uint image = tile.row / args.window.out_h;
    const uint down = tile.row % args.window.out_h + uint(args.window.pad_h);
    const uint across = tile.first + uint(args.window.pad_w);
    // Above and left of the image y and x wrap to large numbers, which are outside, too.
    uint y = down / STRIDE_H;
    for (uint ky = down % STRIDE_H; ky < KERNEL_H; ky += STRIDE_H, y--) {
        if (y >= args.window.in_h)
            continue;
        uint x = across / STRIDE_W;
        for (uint kx = across % STRIDE_W; kx < KERNEL_W; kx += STRIDE_W, x--)
            add_tap(((image * args.window.in_h + y) * args.window.in_w + x) * args.window.in_slices,
                    x, ky * KERNEL_W + kx, tile.out_slice);
    }
}

// A convolution as a matrix product, for conv_2d.comp and conv_2d_int8.comp: pixels of dst by taps
// and channels by outputs.
//
// An invocation computes ROWS neighbouring pixels of COLUMNS output slices, which lie a workgroup's
// x apart.  Of a workgroup x goes over output slices, y over runs of ROWS pixels, and z over shares
// of a sum: share z adds up input slices z, z + SHARES, ..., and the shares are added in that order
// at the end, so the bits of a result do not depend on timing.  args.count is the number of
// workgroups.
//
// The shader defines the type of its sums, SUM, and COLUMNS before it includes this, and
// add_slices() after it.  A sum has one share where there is more than one column.
layout(constant_id = CONV_TILE_SPEC_ROWS) const uint ROWS = 4u;
// 1x1, stride 1, no padding: pixel p of dst is made of pixel p of src.
layout(constant_id = CONV_TILE_SPEC_DENSE) const bool DENSE = false;

const uint PLANE = gl_WorkGroupSize.x * gl_WorkGroupSize.y; // invocations of one share
const uint SHARES = gl_WorkGroupSize.z;
const uint PARTS = PLANE * SHARES * ROWS;
shared SUM part[SHARES > 1u ? PARTS : 1u];

SUM sum[ROWS * COLUMNS]; // of pixel r and column c: r * COLUMNS + c
uint base[ROWS];         // first slices of the pixels of src that the current tap reads
bool inside[ROWS];       // of the image; not set where DENSE

// Adds to sum[] what this invocation's share of the input slices gives at a tap.
void add_slices(uint tap, uint out_slice);

// What an invocation computes: pixels first to first + ROWS - 1 of an output slice and of the other
// columns', each where it is one of dst.
struct Tile {
    uint out_slice, first;
};

// Surplus workgroups recompute the last block: there is no early exit before barrier().
Tile tile_of_invocation()
{
    const uint across = gl_WorkGroupSize.x * COLUMNS;
    const uint blocks = (args.window.out_slices + across - 1u) / across;
    const uint block = min(group(), args.count - 1u);
    return Tile(block % blocks * across + gl_LocalInvocationID.x,
                (block / blocks * gl_WorkGroupSize.y + gl_LocalInvocationID.y) * ROWS);
}

// Adds up the taps of all pixels of the tile.  Pixels and output slices past the last are read as
// the last, and not written.
void add_taps(Tile tile)
{
    const uint out_slice = min(tile.out_slice, args.window.out_slices - 1u);
    if (DENSE) {
        for (uint r = 0u; r < ROWS; r++)
            base[r] = min(tile.first + r, args.pixels - 1u) * args.window.in_slices;
        add_slices(0u, out_slice);
        return;
    }
    Window window[ROWS];
    for (uint r = 0u; r < ROWS; r++)
        window[r] = window_of(min(tile.first + r, args.pixels - 1u));
    for (uint ky = 0u; ky < KERNEL_H; ky++)
        for (uint kx = 0u; kx < KERNEL_W; kx++) {
            for (uint r = 0u; r < ROWS; r++)
                inside[r] = tap_inside(window[r], ky, kx, base[r]);
            add_slices(ky * KERNEL_W + kx, out_slice);
        }
}

// Makes the sums of all shares known to the workgroup.
void publish_sums()
{
    if (SHARES > 1u) {
        const uint place = gl_LocalInvocationID.y * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
        for (uint r = 0u; r < ROWS; r++)
            part[(gl_LocalInvocationID.z * ROWS + r) * PLANE + place] = sum[r];
        barrier();
    }
}

// The sum of pixel r over all shares.  Each share finishes some of the pixels: z, z + SHARES, ...
SUM total(uint r)
{
    const uint place = gl_LocalInvocationID.y * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    SUM v = SHARES > 1u ? part[r * PLANE + place] : sum[r];
    for (uint z = 1u; z < SHARES; z++)
        v += part[(z * ROWS + r) * PLANE + place];
    return v;
}

bool is_in_dst(Tile tile, uint r)
{
    return tile.out_slice < args.window.out_slices && tile.first + r < args.pixels;
}

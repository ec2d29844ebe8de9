// DEPTHWISE_CONV_2D with a multiplier of 1.  src [N,H,W,C], dst [N,OH,OW,C]; weights [KH,KW,C];
// bias [C].  An invocation computes ROWS x COLUMNS pixels of one slice, whose windows share loads.
// The grid has a dimension for slices, for columns and for rows, so that no invocation divides by
// the sizes of the image.  Sums are in the order of depthwise_conv_2d.comp.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/product/depthwise_tile.args.h"
#include "delegate/ops/window.glsl"

WRITES(0, dst);
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = DEPTHWISE_TILE_SPEC_ROWS) const int ROWS = 1;
layout(constant_id = DEPTHWISE_TILE_SPEC_COLUMNS) const int COLUMNS = 1;
layout(constant_id = DEPTHWISE_TILE_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = DEPTHWISE_TILE_SPEC_ROUNDED) const bool ROUNDED = false;

const int UNROLLED = 3;
const int HEIGHT = int(KERNEL_H), WIDTH = int(KERNEL_W);
// Pixels of src that all windows of an invocation cover; of several windows none is dilated.
const int SRC_ROWS = (ROWS - 1) * int(STRIDE_H) + HEIGHT;
const int SRC_COLUMNS = (COLUMNS - 1) * int(STRIDE_W) + WIDTH;

vec4 sums[ROWS * COLUMNS];
vec4 pixels[SRC_COLUMNS]; // of a row of src
bool inside[SRC_COLUMNS];

// Adds what the row of src gives to a row of dst, of whose windows it is row ky.
void add_row(int row, int ky, uint s)
{
    [[unroll]] for (int kx = 0; kx < WIDTH; kx++)
    {
        const vec4 tap = vec4(weights[uint(ky * WIDTH + kx) * args.window.out_slices + s]);
        [[unroll]] for (int column = 0; column < COLUMNS; column++)
        {
            const int at = column * int(STRIDE_W) + kx, sum = row * COLUMNS + column;
            const vec4 product = pixels[at] * tap;
            sums[sum] = inside[at] ? sums[sum] + product : sums[sum];
        }
    }
}

// Loads row r of the windows, and adds it to the rows of dst that have it.
void add_src_row(int r, uint image, int top, int left, uint s)
{
    const int in_h = int(args.window.in_h), in_w = int(args.window.in_w);
    const int y = top + r * int(DILATION_H);
    const bool inside_y = y >= 0 && y < in_h;
    // Taps in the padding load from the edge, and are dropped: loads that are not behind a branch
    // are in flight together.
    const uint base = (image * args.window.in_h + uint(clamp(y, 0, in_h - 1))) * args.window.in_w;
    [[unroll]] for (int c = 0; c < SRC_COLUMNS; c++)
    {
        const int x = left + c * int(DILATION_W);
        inside[c] = inside_y && x >= 0 && x < in_w;
        pixels[c] = vec4(src[(base + uint(clamp(x, 0, in_w - 1))) * args.window.out_slices + s]);
    }
    [[unroll]] for (int row = 0; row < ROWS; row++)
    {
        const int ky = r - row * int(STRIDE_H);
        if (ky >= 0 && ky < HEIGHT)
            add_row(row, ky, s);
    }
}

void main()
{
    const uint slices = args.window.out_slices, s = gl_GlobalInvocationID.x;
    const uint row_blocks = (args.window.out_h + uint(ROWS) - 1u) / uint(ROWS);
    const uint image = gl_WorkGroupID.z / row_blocks;
    const uint first_row = gl_WorkGroupID.z % row_blocks * uint(ROWS);
    const uint first_column = gl_GlobalInvocationID.y * uint(COLUMNS);
    if (s >= slices || first_column >= args.window.out_w)
        return;
    const int top = int(first_row * STRIDE_H) - args.window.pad_h;
    const int left = int(first_column * STRIDE_W) - args.window.pad_w;

    [[unroll]] for (int i = 0; i < ROWS * COLUMNS; i++) sums[i] = bias[s];
    // Rows of large windows are a loop: their code would not fit into the instruction cache.
    if (SRC_ROWS <= UNROLLED || ROWS > 1) {
        [[unroll]] for (int r = 0; r < SRC_ROWS; r++) add_src_row(r, image, top, left, s);
    } else {
        [[dont_unroll]] for (int r = 0; r < SRC_ROWS; r++) add_src_row(r, image, top, left, s);
    }
    [[unroll]] for (int row = 0; row < ROWS; row++)
        [[unroll]] for (int column = 0; column < COLUMNS; column++)
    {
        const uint y = first_row + uint(row), x = first_column + uint(column);
        if (y >= args.window.out_h || x >= args.window.out_w)
            continue;
        const vec4 v = activate(sums[row * COLUMNS + column], ACTIVATION);
        dst[((image * args.window.out_h + y) * args.window.out_w + x) * slices + s] =
            STORE(ROUNDED ? on_steps(v, args.steps.scale, args.steps.low, args.steps.high) : v);
    }
}

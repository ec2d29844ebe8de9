// A 1x1 CONV_2D of stride 1 and the DEPTHWISE_CONV_2D (multiplier 1, not dilated) that alone reads
// it, in one, by the matrix units of the device: src [N,H,W,C], between [N,H,W,O], which is never
// stored, dst [N,OH,OW,O].
//
// A workgroup computes one or two whole rows of dst for BLOCK tiles of outputs: first the rows of
// `between` that their windows cover, as a product of pixels by channels and channels by outputs
// (as matrix.comp does it; rows that two workgroups need are computed twice), whose sums go to
// shared memory, then the windows from there.  What is outside of the image is computed of pixels
// at the edge, and not read.
//
// Constants: the bias of the 1x1, [slices of outputs]; that of the depthwise; its weights,
// [KERNEL_H * KERNEL_W][slices of outputs].
//
// Variants: nv12 khr12
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#if KHR
#extension GL_KHR_cooperative_matrix : require
#else
#extension GL_NV_cooperative_matrix : require
#endif
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/product/pointwise_depthwise.args.h"
#include "delegate/ops/window.glsl"
#include "delegate/ops/product/matrix.glsl"

WRITES(0, dst);
layout(set = 0, binding = 1) readonly buffer Slices { uvec2 slices[]; }; // src
layout(set = 0, binding = 1) readonly buffer Units { uvec4 units[]; };   // of two slices
layout(set = 0, binding = 2) readonly buffer Weights { uvec4 weights[]; };
CONSTANTS(3, constants);

layout(constant_id = POINTWISE_DEPTHWISE_SPEC_TILE) const uint TILE = 16u;
layout(constant_id = POINTWISE_DEPTHWISE_SPEC_ROWS) const uint SUBGROUPS = 1u;
layout(constant_id = POINTWISE_DEPTHWISE_SPEC_SHARES) const uint SHARES = 1u;
layout(constant_id = POINTWISE_DEPTHWISE_SPEC_CHANNELS) const uint CHANNELS = 1u;
layout(constant_id = POINTWISE_DEPTHWISE_SPEC_FLAGS) const uint FLAGS = 0u;
// Compiled in, since invocations divide by them.
layout(constant_id = POINTWISE_DEPTHWISE_SPEC_WIDTHS) const uint WIDTHS = 0x10001u;

const bool FRAGMENTS = (FLAGS & POINTWISE_DEPTHWISE_FRAGMENTS) != 0u;
const bool EVEN = (FLAGS & POINTWISE_DEPTHWISE_EVEN) != 0u;
const uint OUT_ROWS = (FLAGS & POINTWISE_DEPTHWISE_TWO_ROWS) != 0u ? 2u : 1u;
const uint IN_W = WIDTHS & 0xffffu, OUT_W = WIDTHS >> 16;

#define BLOCK POINTWISE_DEPTHWISE_BLOCK
const uint THREADS = gl_WorkGroupSize.x;
const uint ROWS = TILE * SUBGROUPS;     // pixels of `between`, the last of which may be too many
const uint COLUMNS = TILE * BLOCK / 4u; // slices of outputs
const uint IN_SLICES = (CHANNELS + 3u) / 4u;
const uint K_TILES = (4u * IN_SLICES + TILE - 1u) / TILE;
const uint TILE_UNITS = TILE / 8u;
const uint K_UNITS = K_TILES * TILE_UNITS;
const uint PITCH = K_UNITS + 1u;     // of staged rows
const uint SUM_PITCH = COLUMNS + 1u; // of sums, which take the place of the staged rows
const uint STAGED = ROWS * PITCH;
const uint SUMS = SHARES * ROWS * SUM_PITCH;
shared uvec4 stage[STAGED > SUMS ? STAGED : SUMS];

// Tiles of weights that are loaded before they are needed, so that their loads are in flight
// together.
#define AHEAD POINTWISE_DEPTHWISE_AHEAD

uint image;
int top;         // row of `between` that the first windows begin with; negative in the padding
uint first_tile; // of outputs
uint share;
uvec4 fragments[AHEAD * BLOCK];

// Bits of the last slice of a pixel that are of channels: the others may be NaN, and 0 * NaN is not
// 0.
uvec2 present()
{
    const uint lanes = CHANNELS % 4u;
    return uvec2(lanes == 1u ? 0xffffu : 0xffffffffu, lanes == 0u   ? 0xffffffffu
                                                      : lanes == 3u ? 0xffffu
                                                                    : 0u);
}

// The first slice of src of a pixel of the workgroup's.
uint base_of(uint row)
{
    const int y = clamp(top + int(row / IN_W), 0, int(args.window.in_h) - 1);
    return ((image * args.window.in_h + uint(y)) * IN_W + row % IN_W) * IN_SLICES;
}

uvec2 slice_at(uint base, uint k)
{
    if (k >= IN_SLICES)
        return uvec2(0u);
    return k == IN_SLICES - 1u ? slices[base + k] & present() : slices[base + k];
}

// Slices 2 * unit and 2 * unit + 1 of a pixel.
uvec4 unit_at(uint row, uint unit)
{
    const uint base = base_of(row), k = 2u * unit;
    if (!EVEN)
        return uvec4(slice_at(base, k), slice_at(base, k + 1u));
    if (k >= IN_SLICES)
        return uvec4(0u);
    const uvec4 v = units[(base + k) / 2u];
    return k == IN_SLICES - 2u ? v & uvec4(uvec2(0xffffffffu), present()) : v;
}

// Rows of src in shared memory, with all of their channels: chunks of them, loaded while the sums
// of the chunk before are made, were slower than two dispatches.  All loads are in flight together.
void stage_rows()
{
    uvec4 staged[POINTWISE_DEPTHWISE_STAGED];
    [[unroll]] for (uint i = 0u; i < POINTWISE_DEPTHWISE_STAGED; i++)
    {
        const uint e = gl_LocalInvocationID.x + i * THREADS;
        if (e < ROWS * K_UNITS)
            staged[i] = unit_at(e / K_UNITS, e % K_UNITS);
    }
    [[unroll]] for (uint i = 0u; i < POINTWISE_DEPTHWISE_STAGED; i++)
    {
        const uint e = gl_LocalInvocationID.x + i * THREADS;
        if (e < ROWS * K_UNITS)
            stage[e / K_UNITS * PITCH + e % K_UNITS] = staged[i];
    }
}

// Where the weights of tile j of `tile`, tile + SHARES, ... are, and column n of tiles.  What is
// too much is read as the last.
uint weights_of(uint tile, uint j, uint n)
{
    const uint tiles = (args.window.out_slices * 4u + TILE - 1u) / TILE;
    return (min(first_tile + n, tiles - 1u) * K_TILES + min(tile + j * SHARES, K_TILES - 1u)) *
           (TILE * TILE_UNITS);
}

void fetch_weights(uint tile)
{
    if (FRAGMENTS) [[unroll]]
        for (uint j = 0u; j < AHEAD; j++)
            [[unroll]] for (uint n = 0u; n < BLOCK; n++) fragments[j * BLOCK + n] =
                weights[weights_of(tile, j, n) + gl_SubgroupInvocationID];
}

// Leaves the sums of each share in shared memory.
void multiply()
{
    const uint row = gl_SubgroupID % SUBGROUPS;
    SUM sum[BLOCK];
    [[unroll]] for (uint n = 0u; n < BLOCK; n++) sum[n] = SUM(0.0);
    for (uint tile = share; tile < K_TILES; tile += AHEAD * SHARES) {
        MATRIX_B b[AHEAD * BLOCK];
        [[unroll]] for (uint j = 0u; j < AHEAD; j++) [[unroll]] for (uint n = 0u; n < BLOCK; n++)
        {
            const uint i = j * BLOCK + n;
            if (FRAGMENTS) {
                SET_WORD(b[i], 0, fragments[i].x)
                SET_WORD(b[i], 1, fragments[i].y)
                SET_WORD(b[i], 2, fragments[i].z)
                SET_WORD(b[i], 3, fragments[i].w)
            } else {
                LOAD_BY_COLUMNS(b[i], weights, weights_of(tile, j, n), TILE_UNITS);
            }
        }
        fetch_weights(tile + AHEAD * SHARES);
        [[unroll]] for (uint j = 0u; j < AHEAD; j++)
        {
            const uint k = tile + j * SHARES;
            if (k < K_TILES) {
                MATRIX_A a;
                LOAD_BY_ROWS(a, stage, row * TILE * PITCH + k * TILE_UNITS, PITCH);
                [[unroll]] for (uint n = 0u; n < BLOCK; n++) sum[n] =
                    ADD_PRODUCT(a, b[j * BLOCK + n], sum[n]);
            }
        }
    }
    barrier(); // the rows were read
    [[unroll]] for (uint n = 0u; n < BLOCK; n++) STORE_BY_ROWS(
        sum[n], stage, (share * ROWS + row * TILE) * SUM_PITCH + n * (TILE / 4u), SUM_PITCH);
    barrier();
}

void main()
{
    const uint me = gl_LocalInvocationID.x, slices_out = args.window.out_slices;
    const uint row_blocks = (args.window.out_h + OUT_ROWS - 1u) / OUT_ROWS;
    const uint first_row = gl_WorkGroupID.y % row_blocks * OUT_ROWS;
    image = gl_WorkGroupID.y / row_blocks;
    top = int(first_row * STRIDE_H) - args.window.pad_h;
    share = gl_SubgroupID / SUBGROUPS;
    first_tile = gl_WorkGroupID.x * BLOCK;
    fetch_weights(share);
    stage_rows();
    barrier();

    multiply();
    // All that this invocation computes is of one slice: THREADS is a multiple of COLUMNS.
    const uint s = gl_WorkGroupID.x * COLUMNS + me % COLUMNS, found = min(s, slices_out - 1u);
    const vec4 bias = constants[found], last_bias = constants[slices_out + found];
    vec4 taps[POINTWISE_DEPTHWISE_TAPS];
    [[unroll]] for (uint i = 0u; i < POINTWISE_DEPTHWISE_TAPS; i++) if (i < KERNEL_H * KERNEL_W)
        taps[i] = constants[(2u + i) * slices_out + found];

    // Each element is read and written by one invocation: the sum of all shares takes the place of
    // that of the first.
    for (uint r = me / COLUMNS; r < ROWS; r += THREADS / COLUMNS) {
        const uint at = r * SUM_PITCH + me % COLUMNS;
        vec4 v = uintBitsToFloat(stage[at]);
        for (uint k = 1u; k < SHARES; k++)
            v += uintBitsToFloat(stage[k * ROWS * SUM_PITCH + at]);
        stage[at] = floatBitsToUint(activate(v + bias, args.activation));
    }
    barrier();

    for (uint p = me / COLUMNS; p < OUT_ROWS * OUT_W; p += THREADS / COLUMNS) {
        const uint row = p / OUT_W, column = p % OUT_W, y = first_row + row;
        if (y >= args.window.out_h || s >= slices_out)
            continue;
        vec4 sum = last_bias;
        [[unroll]] for (uint i = 0u; i < POINTWISE_DEPTHWISE_TAPS; i++)
        {
            if (i >= KERNEL_H * KERNEL_W)
                break;
            const uint r = row * STRIDE_H + i / KERNEL_W;
            const int x = int(column * STRIDE_W + i % KERNEL_W) - args.window.pad_w;
            const bool inside = top + int(r) >= 0 && top + int(r) < int(args.window.in_h) &&
                                x >= 0 && x < int(IN_W);
            const uint at = (r * IN_W + uint(clamp(x, 0, int(IN_W) - 1))) * SUM_PITCH;
            const vec4 product = uintBitsToFloat(stage[at + me % COLUMNS]) * taps[i];
            sum = inside ? sum + product : sum;
        }
        dst[((image * args.window.out_h + y) * OUT_W + column) * slices_out + s] =
            STORE(activate(sum, args.last_activation));
    }
}

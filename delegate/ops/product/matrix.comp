// CONV_2D with one group by the matrix units of the device, f16 products and f32 sums: the matrix
// of pixels by taps and channels (src [N,H,W,C], f16) times that of taps and channels by outputs.
// With BYTES the products are those of i8, whose sums are exact; tensors and the terms of the zero
// points are as in conv_2d_int8.comp, the zero point of the weights is 0.
//
// A workgroup computes a block of dst: SUBGROUPS_M by SUBGROUPS_N subgroups with BLOCK_M by BLOCK_N
// tiles each, all of them SHARES times: share s sums up tiles s, s + SHARES, ... of the sum, and
// the shares are added in their order at the end, so the bits of a result do not depend on timing.
// Pixels are staged in shared memory, CHUNK tiles of the sum at once, each row 16 bytes apart from
// the next so that the loads of a tile meet different banks; weights are read as they lie.
//
// The sum goes over the slices of all taps one behind the other, so that only its end is padded.
// Weights: tiles [outputs / TILE][sum / TILE] of TILE * TILE halves; with MATRIX_FRAGMENTS 8 for
// each invocation of a subgroup, else by columns (delegate/ops/product/matrix.c).  Tiles of bytes
// are twice as deep: TILE outputs of 2 * TILE terms of the sum.
//
// Variants: nv11 nv12 nv22 nvbytes khr11 khr12 khr22
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
#if BYTES
#extension GL_NV_integer_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#include "delegate/shaders/integer.glsl"
#include "delegate/ops/product/matrix_int8.args.h"
#include "delegate/ops/int8/requantize.glsl"
#else
#include "delegate/shaders/slice.glsl"
#endif
#include "delegate/ops/product/matrix.args.h"
#include "delegate/ops/window.glsl"
#include "delegate/ops/product/matrix.glsl"

WRITES(0, dst);
layout(set = 0, binding = 1) readonly buffer Units { uvec4 units[]; }; // of 16 bytes of src
layout(set = 0, binding = 2) readonly buffer Weights { uvec4 weights[]; };
#if BYTES
layout(set = 0, binding = 1) readonly buffer Slices { uint slices[]; }; // src
#define UNIT_SLICES 4u
#else
layout(set = 0, binding = 0) writeonly buffer Parts { vec4 parts[]; }; // of dst, f32
READS(0, residual); // the same memory: an element is read and written by one invocation
layout(set = 0, binding = 1) readonly buffer Slices { uvec2 slices[]; }; // src
CONSTANTS(3, bias);
#define UNIT_SLICES 2u
#endif

layout(constant_id = MATRIX_SPEC_TILE) const uint TILE = 16u;
layout(constant_id = MATRIX_SPEC_SUBGROUPS) const uint SUBGROUPS = 0x010101u;
layout(constant_id = MATRIX_SPEC_CHUNK) const uint CHUNK = 1u;
layout(constant_id = MATRIX_SPEC_AHEAD) const uint AHEAD = 1u;
layout(constant_id = MATRIX_SPEC_PART) const uint PART = 1u;
layout(constant_id = MATRIX_SPEC_CHANNELS) const uint CHANNELS = 1u;
layout(constant_id = MATRIX_SPEC_FLAGS) const uint FLAGS = 0u;

const uint SUBGROUPS_M = SUBGROUPS & 0xffu;
const uint SUBGROUPS_N = SUBGROUPS >> 8u & 0xffu;
const uint SHARES = SUBGROUPS >> 16u;
const bool DENSE = (FLAGS & MATRIX_DENSE) != 0u;
const bool FRAGMENTS = (FLAGS & MATRIX_FRAGMENTS) != 0u;
const bool EVEN = (FLAGS & MATRIX_EVEN) != 0u;
const bool CURVED = (FLAGS & MATRIX_CURVED) != 0u;
const bool PARTED = (FLAGS & MATRIX_PARTED) != 0u;
const uint REQUANTIZE = FLAGS >> MATRIX_REQUANTIZE_SHIFT;

const uint THREADS = gl_WorkGroupSize.x;
const uint ROWS = TILE * BLOCK_M * SUBGROUPS_M;         // of the block
const uint COLUMNS = TILE * BLOCK_N * SUBGROUPS_N / 4u; // slices of the block
// The depth is no push constant: on an H200 that costs 1.4 to 2 us a dispatch.
const uint IN_SLICES = (CHANNELS + 3u) / 4u;
const uint K_SLICES = KERNEL_H * KERNEL_W * IN_SLICES;
const uint TILE_UNITS = TILE / 8u;
#if BYTES
const uint TILE_DEPTH = 2u * TILE;
#endif
const uint TILE_SLICES = TILE_UNITS * UNIT_SLICES;
const uint K_TILES = (K_SLICES + TILE_SLICES - 1u) / TILE_SLICES;
const uint CHUNK_UNITS = CHUNK * TILE_UNITS;
const uint PASS =
    THREADS / CHUNK_UNITS;           // rows that the workgroup stages at a time, one behind other
const uint PITCH = CHUNK_UNITS + 1u; // of staged rows
const uint SUM_PITCH = COLUMNS + 1u; // of sums, which take the place of the staged rows
const uint STAGED = ROWS * PITCH;
const uint SUMS = SHARES * ROWS * SUM_PITCH;
const uint RESULTS = THREADS / COLUMNS; // rows between the results of an invocation
const uint ROUND = AHEAD * SHARES;      // tiles of the sum whose weights are loaded at once
// Whether all rounds are whole: nothing is asked of each tile.
const bool WHOLE = K_TILES % PART + PART % ROUND == 0u;
shared uvec4 stage[STAGED > SUMS ? STAGED : SUMS];
// Of a pixel: the slice of its first tap, which may lie before the image, and the row and column.
shared ivec4 windows[DENSE ? 1u : ROWS];

// Most tiles of weights that a subgroup loads at once: AHEAD of them are.
#define AHEAD_MAX (MATRIX_AHEAD / BLOCK_N)

uint first_pixel; // of the block
uint first_tile;  // of outputs, of this subgroup
uvec4 staged[MATRIX_STAGED];
uvec4 fragments[AHEAD_MAX * BLOCK_N];

ivec4 find_window(uint pixel)
{
    const uint row = pixel / args.window.out_w;
    const int top = int(row % args.window.out_h * args.stride_h) - args.window.pad_h;
    const int left = int(pixel % args.window.out_w * args.stride_w) - args.window.pad_w;
    const int y = int(row / args.window.out_h * args.window.in_h) + top;
    return ivec4((y * int(args.window.in_w) + left) * int(IN_SLICES), top, left, 0);
}

// Slice k of the sum: where it is from the first slice of a window on; with its row and column.
uvec3 offset_of(uint k)
{
    const uint tap = k / IN_SLICES;
    const uint down = tap / KERNEL_W * DILATION_H, right = tap % KERNEL_W * DILATION_W;
    return uvec3((down * args.window.in_w + right) * IN_SLICES + k % IN_SLICES, down, right);
}

// Whether the slice is of the image.
bool is_inside(ivec4 window, uvec3 offset)
{
    return uint(window.y + int(offset.y)) < args.window.in_h &&
           uint(window.z + int(offset.z)) < args.window.in_w;
}

// Loads what the invocation stages of the chunk that begins with this tile of the sum: one unit of
// every PASS-th row.  Nothing is done with what is loaded, so that all loads are in flight
// together.
#if BYTES
void fetch_rows(uint tile)
{
    const uint me = gl_LocalInvocationID.x;
    const uint k = UNIT_SLICES * (tile * TILE_UNITS + me % CHUNK_UNITS);
    [[unroll]] for (uint i = 0u; i < MATRIX_STAGED; i++)
    {
        if (i * PASS < ROWS) {
            const uint row = min(me / CHUNK_UNITS + i * PASS, ROWS - 1u);
            const uint pixel = min(first_pixel + row, args.pixels - 1u) * IN_SLICES;
            staged[i] = uvec4(0u);
            if (EVEN) { // all slices of a unit are of one tap
                const uvec3 offset = offset_of(k);
                if (DENSE) {
                    if (k < K_SLICES)
                        staged[i] = units[(pixel + k) / UNIT_SLICES];
                } else if (k < K_SLICES) {
                    const ivec4 window = windows[row];
                    staged[i] = uvec4(args.padding);
                    if (is_inside(window, offset))
                        staged[i] = units[uint(window.x + int(offset.x)) / UNIT_SLICES];
                }
            } else {
                [[unroll]] for (uint j = 0u; j < UNIT_SLICES; j++) if (k + j < K_SLICES)
                {
                    if (DENSE) {
                        staged[i][j] = slices[pixel + k + j];
                    } else {
                        const ivec4 window = windows[row];
                        const uvec3 offset = offset_of(k + j);
                        staged[i][j] = args.padding;
                        if (is_inside(window, offset))
                            staged[i][j] = slices[uint(window.x + int(offset.x))];
                    }
                }
            }
        }
    }
}

// Channels past the last are multiplied by 0, whatever they hold.
uvec4 lanes_of(uint k) { return uvec4(0xffffffffu); }
#else
void fetch_rows(uint tile)
{
    const uint me = gl_LocalInvocationID.x, k = 2u * (tile * TILE_UNITS + me % CHUNK_UNITS);
    const uvec3 first = offset_of(k), second = offset_of(k + 1u);
    [[unroll]] for (uint i = 0u; i < MATRIX_STAGED; i++)
    {
        if (i * PASS < ROWS) {
            const uint row = min(me / CHUNK_UNITS + i * PASS, ROWS - 1u);
            staged[i] = uvec4(0u);
            if (DENSE) {
                const uint at = min(first_pixel + row, args.pixels - 1u) * IN_SLICES + k;
                if (EVEN) {
                    if (k < K_SLICES)
                        staged[i] = units[at / 2u];
                } else {
                    if (k < K_SLICES)
                        staged[i].xy = slices[at];
                    if (k + 1u < K_SLICES)
                        staged[i].zw = slices[at + 1u];
                }
            } else {
                const ivec4 window = windows[row];
                if (EVEN) { // both slices of a unit are of one tap
                    if (k < K_SLICES && is_inside(window, first))
                        staged[i] = units[uint(window.x + int(first.x)) / 2u];
                } else {
                    if (k < K_SLICES && is_inside(window, first))
                        staged[i].xy = slices[uint(window.x + int(first.x))];
                    if (k + 1u < K_SLICES && is_inside(window, second))
                        staged[i].zw = slices[uint(window.x + int(second.x))];
                }
            }
        }
    }
}

// Bits of slice k that are of channels: the others may be NaN, and 0 * NaN is not 0.
uvec2 present(uint k)
{
    const uint lanes = CHANNELS % 4u;
    if (lanes == 0u || k % IN_SLICES != IN_SLICES - 1u)
        return uvec2(0xffffffffu);
    return uvec2(lanes == 1u ? 0xffffu : 0xffffffffu, lanes == 3u ? 0xffffu : 0u);
}
uvec4 lanes_of(uint k) { return uvec4(present(k), present(k + 1u)); }
#endif

void put_rows(uint tile)
{
    const uint me = gl_LocalInvocationID.x;
    const uvec4 lanes = lanes_of(UNIT_SLICES * (tile * TILE_UNITS + me % CHUNK_UNITS));
    [[unroll]] for (uint i = 0u; i < MATRIX_STAGED; i++)
    {
        const uint row = me / CHUNK_UNITS + i * PASS;
        if (i * PASS < ROWS && me < PASS * CHUNK_UNITS && row < ROWS)
            stage[row * PITCH + me % CHUNK_UNITS] = staged[i] & lanes;
    }
}

// Where the weights of tile j of `tile`, tile + SHARES, ... are, and column n of tiles.  What is
// too much is read as the last.
uint weights_of(uint tile, uint j, uint n)
{
    const uint tiles = (args.window.out_slices * 4u + TILE - 1u) / TILE;
    const uint column = min(first_tile + n, tiles - 1u) * K_TILES;
    return (column + (WHOLE ? tile + j * SHARES : min(tile + j * SHARES, K_TILES - 1u))) *
           (TILE * TILE_UNITS);
}

void fetch_weights(uint tile)
{
    if (FRAGMENTS) [[unroll]]
        for (uint j = 0u; j < AHEAD_MAX; j++)
            if (j < AHEAD) [[unroll]]
                for (uint n = 0u; n < BLOCK_N; n++)
                    fragments[j * BLOCK_N + n] =
                        weights[weights_of(tile, j, n) + gl_SubgroupInvocationID];
}

#if !BYTES
// The bounds of an activation that only clamps, without branches; infinities are clamped where a
// tensor is added, as by added().  They are no push constants: an H200 runs a frozen pipeline that
// loads none of these 0.3 to 0.5 us faster.
vec2 bounds()
{
    const uint a = args.activation;
    const float most = args.has_residual != 0u ? -LOWEST : uintBitsToFloat(0x7f800000u);
    return vec2(a == RELU_N1_TO_1         ? -1.0
                : a == RELU || a == RELU6 ? 0.0
                                          : -most,
                a == RELU_N1_TO_1 ? 1.0
                : a == RELU6      ? 6.0
                                  : most);
}
#endif

void main()
{
    const uint me = gl_LocalInvocationID.x;
    const uint of_share = gl_SubgroupID % (SUBGROUPS_M * SUBGROUPS_N);
    const uint share = gl_SubgroupID / (SUBGROUPS_M * SUBGROUPS_N);
    const uint row = of_share / SUBGROUPS_N * BLOCK_M, column = of_share % SUBGROUPS_N * BLOCK_N;
    const uint begin = PARTED ? gl_WorkGroupID.z * PART : 0u;
    const uint end = PARTED ? min(begin + PART, K_TILES) : K_TILES;
    first_pixel = gl_WorkGroupID.y * ROWS;
    first_tile = gl_WorkGroupID.x * (COLUMNS * 4u / TILE) + column;
    fetch_weights(begin + share);
    if (!DENSE) {
        for (uint r = me; r < ROWS; r += THREADS)
            windows[r] = find_window(min(first_pixel + r, args.pixels - 1u));
        barrier();
    }

    // The results of this invocation: one slice of every RESULTS-th pixel.
    const uint out_slice = gl_WorkGroupID.x * COLUMNS + me % COLUMNS;
#if BYTES
    const Channel channel = channel_of(min(out_slice, args.window.out_slices - 1u), REQUANTIZE);
#else
    const vec4 added = bias[min(out_slice, args.window.out_slices - 1u)];
    STORED before[2 * BLOCK_M * BLOCK_N];
    [[unroll]] for (uint i = 0u; i < 2 * BLOCK_M * BLOCK_N; i++)
    {
        const uint r = me / COLUMNS + i * RESULTS;
        before[i] = STORED(0.0);
        if (!PARTED && args.has_residual != 0u && i * RESULTS < ROWS && r < ROWS &&
            first_pixel + r < args.pixels && out_slice < args.window.out_slices)
            before[i] = residual[(first_pixel + r) * args.window.out_slices + out_slice];
    }
#endif

    SUM sum[BLOCK_M * BLOCK_N];
    [[unroll]] for (uint i = 0u; i < BLOCK_M * BLOCK_N; i++) sum[i] = SUM(ZERO);
    // A chunk is loaded while the one before is multiplied.  The first iteration only loads: the
    // code is there once, for a device reads it slowly when a pipeline has not run for long.
    for (uint next = begin; next < end + CHUNK; next += CHUNK) {
        const uint from = next - CHUNK, to = min(next, end);
        if (next > begin) {
            if (next > begin + CHUNK)
                barrier(); // the chunk before was read
            put_rows(from);
            barrier();
        }
        if (next < end)
            fetch_rows(next);
        // A chunk before the last has whole rounds.
        if (next > begin)
            for (uint tile = from + share; tile < to; tile += ROUND) {
                MATRIX_B b[AHEAD_MAX * BLOCK_N];
                [[unroll]] for (uint j = 0u; j < AHEAD_MAX; j++) if (j < AHEAD)
                    [[unroll]] for (uint n = 0u; n < BLOCK_N; n++)
                {
                    const uint i = j * BLOCK_N + n;
                    if (FRAGMENTS) {
                        SET_WORD(b[i], 0, fragments[i].x)
                        SET_WORD(b[i], 1, fragments[i].y)
                        SET_WORD(b[i], 2, fragments[i].z)
                        SET_WORD(b[i], 3, fragments[i].w)
                    } else {
                        LOAD_BY_COLUMNS(b[i], weights, weights_of(tile, j, n), TILE_UNITS);
                    }
                }
                if (PART > ROUND && tile + ROUND < end)
                    fetch_weights(tile + ROUND);
                [[unroll]] for (uint j = 0u; j < AHEAD_MAX; j++)
                {
                    const uint t = tile + j * SHARES;
                    if (j < AHEAD && (WHOLE || t < to)) [[unroll]]
                        for (uint m = 0u; m < BLOCK_M; m++) {
                            MATRIX_A a;
                            LOAD_BY_ROWS(a, stage,
                                         (row + m) * TILE * PITCH + (t - from) * TILE_UNITS, PITCH);
                            [[unroll]] for (uint n = 0u; n < BLOCK_N; n++) sum[m * BLOCK_N + n] =
                                ADD_PRODUCT(a, b[j * BLOCK_N + n], sum[m * BLOCK_N + n]);
                        }
                }
            }
    }

    barrier(); // the last chunk was read
    [[unroll]] for (uint m = 0u; m < BLOCK_M; m++) [[unroll]] for (uint n = 0u; n < BLOCK_N; n++)
        STORE_BY_ROWS(sum[m * BLOCK_N + n], stage,
                      (share * ROWS + (row + m) * TILE) * SUM_PITCH + (column + n) * (TILE / 4u),
                      SUM_PITCH);
    barrier();
    [[unroll]] for (uint i = 0u; i < 2 * BLOCK_M * BLOCK_N; i++)
    {
        const uint r = me / COLUMNS + i * RESULTS;
        if (i * RESULTS < ROWS && r < ROWS && first_pixel + r < args.pixels &&
            out_slice < args.window.out_slices) {
            const uint at = (first_pixel + r) * args.window.out_slices + out_slice;
#if BYTES
            uvec4 v = stage[r * SUM_PITCH + me % COLUMNS];
            for (uint s = 1u; s < SHARES; s++)
                v += stage[(s * ROWS + r) * SUM_PITCH + me % COLUMNS];
            dst[at] = requantize_with(channel, ivec4(v), REQUANTIZE, args.output_range);
#else
            vec4 v = uintBitsToFloat(stage[r * SUM_PITCH + me % COLUMNS]);
            for (uint s = 1u; s < SHARES; s++)
                v += uintBitsToFloat(stage[(s * ROWS + r) * SUM_PITCH + me % COLUMNS]);
            if (PARTED) {
                parts[gl_WorkGroupID.z * (args.pixels * args.window.out_slices) + at] = v;
            } else {
                v += added + vec4(before[i]);
                dst[at] = STORE(CURVED ? activate(v, args.activation)
                                       : clamped(v, bounds().x, bounds().y));
            }
#endif
        }
    }
}

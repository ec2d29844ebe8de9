// CONV_2D with one group by the matrix units of the device, f16 products and f32 sums: the matrix
// of pixels by taps and channels (src [N,H,W,C], f16) times that of taps and channels by outputs.
//
// A workgroup computes a block of dst: SUBGROUPS_M by SUBGROUPS_N subgroups with BLOCK_M by BLOCK_N
// tiles each, all of them SHARES times: share s sums up tiles s, s + SHARES, ... of the sum, and
// the shares are added in their order at the end, so the bits of a result do not depend on timing.
// Pixels are staged in shared memory, CHUNK tiles of the sum at once, each row 16 bytes apart from
// the next so that the loads of a tile meet different banks; weights are read as they lie.
//
// The sum goes over the slices of all taps one behind the other, so that only its end is padded.
// Weights: tiles [outputs / TILE][sum / TILE] of TILE * TILE halves; with MATRIX_FRAGMENTS 8 for
// each invocation of a subgroup, else by columns (delegate/ops/matrix.c).
//
// The Makefile compiles it for BLOCK_M and BLOCK_N, and KHR or the extension of NVIDIA.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#if KHR
#extension GL_KHR_cooperative_matrix : require
#define MATRIX_A coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseA>
#define MATRIX_B coopmat<float16_t, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseB>
#define SUM      coopmat<float, gl_ScopeSubgroup, TILE, TILE, gl_MatrixUseAccumulator>
#define LOAD_BY_ROWS(m, from, at, pitch)                                                           \
    coopMatLoad(m, from, at, pitch, gl_CooperativeMatrixLayoutRowMajor)
#define LOAD_BY_COLUMNS(m, from, at, pitch)                                                        \
    coopMatLoad(m, from, at, pitch, gl_CooperativeMatrixLayoutColumnMajor)
#define STORE_BY_ROWS(m, to, at, pitch)                                                            \
    coopMatStore(m, to, at, pitch, gl_CooperativeMatrixLayoutRowMajor)
#define ADD_PRODUCT(a, b, sum) coopMatMulAdd(a, b, sum)
#else
#extension GL_NV_cooperative_matrix : require
#define MATRIX_A                            fcoopmatNV<16, gl_ScopeSubgroup, TILE, TILE>
#define MATRIX_B                            MATRIX_A
#define SUM                                 fcoopmatNV<32, gl_ScopeSubgroup, TILE, TILE>
#define LOAD_BY_ROWS(m, from, at, pitch)    coopMatLoadNV(m, from, at, pitch, false)
#define LOAD_BY_COLUMNS(m, from, at, pitch) coopMatLoadNV(m, from, at, pitch, true)
#define STORE_BY_ROWS(m, to, at, pitch)     coopMatStoreNV(m, to, at, pitch, false)
#define ADD_PRODUCT(a, b, sum)              coopMatMulAddNV(a, b, sum)
#endif
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/matrix.args.h"
#include "delegate/ops/window.glsl"

WRITES(0, dst);
READS(0, residual); // the same memory: an element is read and written by one invocation
layout(set = 0, binding = 1) readonly buffer Slices { uvec2 slices[]; }; // src
layout(set = 0, binding = 1) readonly buffer Units { uvec4 units[]; };   // of two slices
layout(set = 0, binding = 2) readonly buffer Weights { uvec4 weights[]; };
CONSTANTS(3, bias);

layout(constant_id = MATRIX_SPEC_TILE) const uint TILE = 16u;
layout(constant_id = MATRIX_SPEC_ROWS) const uint SUBGROUPS_M = 1u;
layout(constant_id = MATRIX_SPEC_COLUMNS) const uint SUBGROUPS_N = 1u;
layout(constant_id = MATRIX_SPEC_SHARES) const uint SHARES = 1u;
layout(constant_id = MATRIX_SPEC_CHUNK) const uint CHUNK = 1u;
layout(constant_id = MATRIX_SPEC_CHANNELS) const uint CHANNELS = 1u;
layout(constant_id = MATRIX_SPEC_FLAGS) const uint FLAGS = 0u;

const bool DENSE = (FLAGS & MATRIX_DENSE) != 0u;
const bool FRAGMENTS = (FLAGS & MATRIX_FRAGMENTS) != 0u;
const bool EVEN = (FLAGS & MATRIX_EVEN) != 0u;
const bool CURVED = (FLAGS & MATRIX_CURVED) != 0u;

const uint THREADS = gl_WorkGroupSize.x;
const uint ROWS = TILE * BLOCK_M * SUBGROUPS_M;         // of the block
const uint COLUMNS = TILE * BLOCK_N * SUBGROUPS_N / 4u; // slices of the block
// The depth is no push constant: on an H200 that costs 1.4 to 2 us a dispatch.
const uint IN_SLICES = (CHANNELS + 3u) / 4u;
const uint K_SLICES = KERNEL_H * KERNEL_W * IN_SLICES;
const uint K_TILES = (4u * K_SLICES + TILE - 1u) / TILE;
const uint TILE_UNITS = TILE / 8u;
const uint CHUNK_UNITS = CHUNK * TILE_UNITS;
const uint PITCH = CHUNK_UNITS + 1u; // of staged rows
const uint SUM_PITCH = COLUMNS + 1u; // of sums, which take the place of the staged rows
const uint STAGED = ROWS * PITCH;
const uint SUMS = SHARES * ROWS * SUM_PITCH;
shared uvec4 stage[STAGED > SUMS ? STAGED : SUMS];
shared Window windows[DENSE ? 1u : ROWS];

// Bits of the last slice of a pixel that are of channels: the others may be NaN, and 0 * NaN is not
// 0.
uvec2 present()
{
    const uint lanes = CHANNELS % 4u;
    return uvec2(lanes == 1u ? 0xffffu : 0xffffffffu, lanes == 0u   ? 0xffffffffu
                                                      : lanes == 3u ? 0xffffu
                                                                    : 0u);
}

// Tiles of weights that are loaded before they are needed, so that their loads are in flight
// together.
#define AHEAD (8u / BLOCK_N)

uint first_pixel; // of the block
uint first_tile;  // of outputs, of this subgroup
uint share;
uvec4 staged[MATRIX_STAGED];
uvec4 fragments[AHEAD * BLOCK_N];

// Where slice k of the sum is in src; false: in the padding of the image.
bool find_slice(uint row, uint k, out uint at)
{
    uint base;
    bool inside = true;
    if (DENSE) {
        base = min(first_pixel + row, args.pixels - 1u) * IN_SLICES;
        at = base + k;
    } else {
        const uint tap = k / IN_SLICES;
        inside = tap_inside(windows[row], tap / KERNEL_W, tap % KERNEL_W, base);
        at = base + k - tap * IN_SLICES;
    }
    return inside;
}

uvec2 slice_at(uint row, uint k)
{
    uint at;
    if (k >= K_SLICES || !find_slice(row, k, at))
        return uvec2(0u);
    const uvec2 v = slices[at];
    return (DENSE ? k : k % IN_SLICES) == IN_SLICES - 1u ? v & present() : v;
}

// Slices 2 * unit and 2 * unit + 1 of the sum.  With an even number of slices a pixel they lie side
// by side.
uvec4 unit_at(uint row, uint unit)
{
    const uint k = 2u * unit;
    uint at;
    if (!EVEN)
        return uvec4(slice_at(row, k), slice_at(row, k + 1u));
    if (k >= K_SLICES || !find_slice(row, k, at))
        return uvec4(0u);
    const uvec4 v = units[at / 2u];
    return (DENSE ? k : k % IN_SLICES) == IN_SLICES - 2u ? v & uvec4(uvec2(0xffffffffu), present())
                                                         : v;
}

// Loads what the invocation stages of the chunk that begins with this tile of the sum.
void fetch_rows(uint tile)
{
    [[unroll]] for (uint i = 0u; i < MATRIX_STAGED; i++)
    {
        const uint e = gl_LocalInvocationID.x + i * THREADS;
        if (e < ROWS * CHUNK_UNITS)
            staged[i] = unit_at(e / CHUNK_UNITS, tile * TILE_UNITS + e % CHUNK_UNITS);
    }
}

void put_rows()
{
    [[unroll]] for (uint i = 0u; i < MATRIX_STAGED; i++)
    {
        const uint e = gl_LocalInvocationID.x + i * THREADS;
        if (e < ROWS * CHUNK_UNITS)
            stage[e / CHUNK_UNITS * PITCH + e % CHUNK_UNITS] = staged[i];
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
            [[unroll]] for (uint n = 0u; n < BLOCK_N; n++) fragments[j * BLOCK_N + n] =
                weights[weights_of(tile, j, n) + gl_SubgroupInvocationID];
}

#define SET_PAIR(m, i, word)                                                                       \
    {                                                                                              \
        const f16vec2 pair = unpackFloat2x16(word);                                                \
        m[2 * i] = pair.x;                                                                         \
        m[2 * i + 1] = pair.y;                                                                     \
    }

void main()
{
    const uint me = gl_LocalInvocationID.x;
    const uint of_share = gl_SubgroupID % (SUBGROUPS_M * SUBGROUPS_N);
    const uint row = of_share / SUBGROUPS_N * BLOCK_M, column = of_share % SUBGROUPS_N * BLOCK_N;
    share = gl_SubgroupID / (SUBGROUPS_M * SUBGROUPS_N);
    first_pixel = gl_WorkGroupID.y * ROWS;
    first_tile = gl_WorkGroupID.x * (COLUMNS * 4u / TILE) + column;
    fetch_weights(share);
    if (!DENSE) {
        for (uint r = me; r < ROWS; r += THREADS)
            windows[r] = window_of(min(first_pixel + r, args.pixels - 1u));
        barrier();
    }
    fetch_rows(0u);

    // The results of this invocation: one slice of every THREADS / COLUMNS-th pixel.
    const uint out_slice = gl_WorkGroupID.x * COLUMNS + me % COLUMNS;
    const vec4 added = bias[min(out_slice, args.window.out_slices - 1u)];
    vec4 before[2 * BLOCK_M * BLOCK_N];
    [[unroll]] for (uint i = 0u; i < 2 * BLOCK_M * BLOCK_N; i++)
    {
        const uint r = me / COLUMNS + i * (THREADS / COLUMNS);
        before[i] = added;
        if (args.has_residual != 0u && r < ROWS && first_pixel + r < args.pixels &&
            out_slice < args.window.out_slices)
            before[i] += vec4(residual[(first_pixel + r) * args.window.out_slices + out_slice]);
    }

    SUM sum[BLOCK_M * BLOCK_N];
    [[unroll]] for (uint i = 0u; i < BLOCK_M * BLOCK_N; i++) sum[i] = SUM(0.0);
    for (uint from = 0u; from < K_TILES; from += CHUNK) {
        const uint to = min(from + CHUNK, K_TILES);
        if (from > 0u)
            barrier(); // the chunk before was read
        put_rows();
        barrier();
        if (to < K_TILES)
            fetch_rows(to);
        // A chunk before the last has a multiple of AHEAD * SHARES tiles.
        for (uint tile = from + share; tile < to; tile += AHEAD * SHARES) {
            MATRIX_B b[AHEAD * BLOCK_N];
            [[unroll]] for (uint j = 0u; j < AHEAD; j++)
                [[unroll]] for (uint n = 0u; n < BLOCK_N; n++)
            {
                const uint i = j * BLOCK_N + n;
                if (FRAGMENTS) {
                    SET_PAIR(b[i], 0, fragments[i].x)
                    SET_PAIR(b[i], 1, fragments[i].y)
                    SET_PAIR(b[i], 2, fragments[i].z)
                    SET_PAIR(b[i], 3, fragments[i].w)
                } else {
                    LOAD_BY_COLUMNS(b[i], weights, weights_of(tile, j, n), TILE_UNITS);
                }
            }
            fetch_weights(tile + AHEAD * SHARES);
            [[unroll]] for (uint j = 0u; j < AHEAD; j++)
            {
                const uint t = tile + j * SHARES;
                if (t < to) [[unroll]]
                    for (uint m = 0u; m < BLOCK_M; m++) {
                        MATRIX_A a;
                        LOAD_BY_ROWS(a, stage, (row + m) * TILE * PITCH + (t - from) * TILE_UNITS,
                                     PITCH);
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
        const uint r = me / COLUMNS + i * (THREADS / COLUMNS);
        if (r < ROWS && first_pixel + r < args.pixels && out_slice < args.window.out_slices) {
            vec4 v = uintBitsToFloat(stage[r * SUM_PITCH + me % COLUMNS]);
            for (uint s = 1u; s < SHARES; s++)
                v += uintBitsToFloat(stage[(s * ROWS + r) * SUM_PITCH + me % COLUMNS]);
            dst[(first_pixel + r) * args.window.out_slices + out_slice] =
                STORED(CURVED ? activate(v + before[i], args.activation)
                              : clamped(v + before[i], args.low, args.high));
        }
    }
}

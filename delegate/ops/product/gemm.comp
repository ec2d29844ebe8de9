// CONV_2D and FULLY_CONNECTED as a product of matrices in tiles.  A: [pixels of dst][taps and
// slices of src], B: the weights [taps and input channels][output slices] of conv_2d.comp.  Groups
// that have slices of their own are such products, and so are the phases of TRANSPOSE_CONV
// (phase.glsl).
//
// A workgroup computes a tile of y * ROWS pixels by x * COLUMNS output slices.  It goes through the
// depth of the product in chunks of DEPTH input slices, which all invocations copy to shared memory
// while they multiply the chunk before.  Plane z adds up slices z, z + planes, ... of each chunk,
// and the planes are added in their order at the end, so the bits of a result do not depend on
// timing.  A product of few tiles has several workgroups for each, with a part of the depth; what
// they write is added up, in the order of the parts, by the last one that is done, or by
// gemm_sum.comp.
//
// Variants: f32 f16 fast
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "delegate/shaders/slice.glsl"
#include "delegate/shaders/factor.glsl"
#include "delegate/ops/product/gemm.args.h"
#include "delegate/ops/window.glsl"
#include "delegate/ops/product/phase.glsl"
#include "delegate/ops/reduce/last_workgroup.glsl"

WRITES(0, dst);
READS(0, residual); // the same memory: an element is read and written by one invocation
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);
layout(set = 0, binding = 0) writeonly buffer WritesParts { vec4 parts[]; }; // GEMM_PART
// GEMM_JOINED: what is behind the weights, and the parts.
CONSTANTS(2, joined_bias);
layout(set = 0, binding = 3) coherent buffer JoinedParts { vec4 joined_parts[]; };

layout(constant_id = GEMM_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = GEMM_SPEC_FLAGS) const uint FLAGS = 0u;
layout(constant_id = GEMM_SPEC_ROWS) const uint ROWS = 4u;
layout(constant_id = GEMM_SPEC_COLUMNS) const uint COLUMNS = 1u;
layout(constant_id = GEMM_SPEC_DEPTH) const uint DEPTH = 8u;
layout(constant_id = GEMM_SPEC_SOURCE) const uint SOURCE = 0u;
layout(constant_id = GEMM_SPEC_GROUPS) const uint GROUPS = 1u;

const bool RESIDUAL = (FLAGS & GEMM_RESIDUAL) != 0u;
const bool ROUNDED = (FLAGS & GEMM_ROUNDED) != 0u;
const bool MASKED = (FLAGS & GEMM_MASKED) != 0u;
const bool TAIL = (FLAGS & GEMM_TAIL) != 0u;
const bool PART = (FLAGS & GEMM_PART) != 0u;
const bool HALVED = (FLAGS & GEMM_HALVED) != 0u;
const bool JOINED = (FLAGS & GEMM_JOINED) != 0u;
const bool PHASES = (FLAGS & GEMM_PHASES) != 0u;
const uint TAP_SLICES = SOURCE > GEMM_SLICES ? SOURCE - GEMM_SLICES : 1u;

const uint PLANES = gl_WorkGroupSize.z;
const uint THREADS = gl_WorkGroupSize.x * gl_WorkGroupSize.y * PLANES;
const uint TILE_ROWS = gl_WorkGroupSize.y * ROWS;
const uint TILE_COLUMNS = gl_WorkGroupSize.x * COLUMNS;
const uint TILE = TILE_ROWS * TILE_COLUMNS;

// A chunk of A, with rows of an odd pitch, then a chunk of B; at the end the sums of all planes.
const uint PITCH = DEPTH + 1u;
const uint A_ITEMS = TILE_ROWS * DEPTH;
const uint B_ITEMS = 4u * DEPTH * TILE_COLUMNS;
const uint B_FIRST = TILE_ROWS * PITCH;
const uint STAGED = B_FIRST + B_ITEMS;
const uint SUM_PLANES = HALVED ? PLANES / 2u : PLANES;
const uint PLANE_SUMS = SUM_PLANES * TILE;
const uint SUMS = PLANES > 1u ? PLANE_SUMS : 1u;
const uint SUM_WORDS = SUMS * (16u / FACTOR_BYTES);
shared FACTOR_BITS staged[STAGED > SUM_WORDS ? STAGED : SUM_WORDS];

#if FAST
FACTOR staged_factor(uint at) { return factor_of(staged[at]); }
void stage_factor(uint at, FACTOR v) { staged[at] = factor_bits(v); }
vec4 staged_sum(uint at) { return uintBitsToFloat(uvec4(staged[2u * at], staged[2u * at + 1u])); }
void stage_sum(uint at, vec4 v)
{
    const uvec4 bits = floatBitsToUint(v);
    staged[2u * at] = bits.xy;
    staged[2u * at + 1u] = bits.zw;
}
#else
#define staged_factor(at)   staged[at]
#define stage_factor(at, v) staged[at] = (v)
#define staged_sum(at)      staged[at]
#define stage_sum(at, v)    staged[at] = (v)
#endif

// What an invocation copies of a chunk.
const uint A_LOADS = (A_ITEMS + THREADS - 1u) / THREADS;
const uint B_LOADS = (B_ITEMS + THREADS - 1u) / THREADS;
FACTOR next_a[A_LOADS], next_b[B_LOADS];
uint base[A_LOADS];     // GEMM_DENSE: the first slice of the row
Window window[A_LOADS]; // else

// Multiplications in a turn of the inner loop.
const uint TURNS = DEPTH / PLANES;
const uint UNROLL = TURNS % 2u == 0u ? 2u : 1u;

vec4 sum[ROWS * COLUMNS];

#if FAST
// Products are added to a sum in f16, of a run of slices, which is added to the f32 sum: how far it
// is off does not grow with the depth.
FACTOR run_sum[ROWS * COLUMNS];
uint run_slices;

void end_run()
{
    [[unroll]] for (uint i = 0u; i < ROWS * COLUMNS; i++)
    {
        sum[i] += vec4(run_sum[i]);
        run_sum[i] = FACTOR(0.0);
    }
    run_slices = 0u;
}
#define ADD_TO run_sum
#else
#define ADD_TO sum
#endif

// Input slices of a tap of a product, and output slices.
uint in_group(uint slices) { return GROUPS > 1u ? slices / GROUPS : slices; }
uint tap_slices() { return in_group(args.window.in_slices); }
uint columns() { return in_group(args.window.out_slices); }

uint product_group = 0u; // of CONV_2D, at which the workgroup works

// Rows of A of the product that the workgroup works at, and their input slices.
uint pixels() { return PHASES ? phase_pixels() : args.pixels; }
uint depth() { return PHASES ? phase_depth() : args.depth; }

// Finds the rows of A that the invocation copies.  Rows past the last pixel are copied as the last.
void find_rows(uint first_row)
{
    [[unroll]] for (uint i = 0u; i < A_LOADS; i++)
    {
        const uint row = (gl_LocalInvocationIndex + i * THREADS) / DEPTH;
        const uint pixel = min(first_row + row, pixels() - 1u);
        if (SOURCE == GEMM_DENSE)
            base[i] = pixel * args.window.in_slices + product_group * tap_slices();
        else
            window[i] = PHASES ? phase_window(pixel) : window_of(pixel);
    }
}

// Row and column of a tap in the window.
uvec2 place_of_tap(uint tap)
{
    return PHASES ? phase_tap(tap) : uvec2(tap / KERNEL_W, tap % KERNEL_W);
}

// Slice q of the depth of copied row i: `tap` and `slice` are those of a GEMM_TAPS chunk.
FACTOR source_at(uint i, uint q, uint tap, uint slice)
{
    FACTOR v;
    if (SOURCE == GEMM_DENSE) {
        slice = q;
        v = FACTOR(src[base[i] + q]);
    } else {
        if (SOURCE != GEMM_TAPS) {
            tap = q / TAP_SLICES;
            slice = q % TAP_SLICES;
        }
        uint at;
        const uvec2 place = place_of_tap(tap);
        const bool inside = tap_inside(window[i], place.x, place.y, at);
        at += product_group * tap_slices();
        v = mix(FACTOR(0.0), FACTOR(src[at + slice]), bvec4(inside));
    }
    return MASKED ? mix(FACTOR(0.0), v, lanes(slice, args.in_channels)) : v;
}

// The row of B for row k of a product, whose tap is that of a GEMM_TAPS chunk.
uint row_of_weights(uint k, uint tap)
{
    if (!PHASES)
        return k;
    if (SOURCE > GEMM_SLICES)
        tap = k / (4u * TAP_SLICES);
    return k + (phase_weights(tap) - tap) * 4u * args.window.in_slices;
}

// Loads what the invocation copies of the chunk from slice `from` of the depth on.  Slices past the
// depth are 0 in A and in B.
void load_chunk(uint from, uint first_column)
{
    const uint last = depth() - 1u;
    const uint tap = SOURCE == GEMM_TAPS ? from / tap_slices() : 0u;
    [[unroll]] for (uint i = 0u; i < A_LOADS; i++)
    {
        const uint item = gl_LocalInvocationIndex + i * THREADS;
        const uint q = from + item % DEPTH;
        next_a[i] = source_at(i, TAIL ? min(q, last) : q, tap, q - tap * tap_slices());
        if (TAIL && q > last)
            next_a[i] = FACTOR(0.0);
    }
    [[unroll]] for (uint i = 0u; i < B_LOADS; i++)
    {
        // The last items may be past the chunk, but are not past the depth.
        const uint item = min(gl_LocalInvocationIndex + i * THREADS, B_ITEMS - 1u);
        const uint k = 4u * from + item / TILE_COLUMNS;
        const uint column = min(first_column + item % TILE_COLUMNS, args.window.out_slices - 1u);
        const uint row = TAIL ? min(k, 4u * last + 3u) : k;
        const uint at = row_of_weights(row, tap) * args.window.out_slices + column;
        next_b[i] = FACTOR(weights[JOINED ? args.weights_at + at : at]);
        if (TAIL && k > row)
            next_b[i] = FACTOR(0.0);
    }
}

void stage_chunk()
{
    [[unroll]] for (uint i = 0u; i < A_LOADS; i++)
    {
        const uint item = gl_LocalInvocationIndex + i * THREADS;
        if (A_LOADS * THREADS == A_ITEMS || item < A_ITEMS)
            stage_factor(item / DEPTH * PITCH + item % DEPTH, next_a[i]);
    }
    [[unroll]] for (uint i = 0u; i < B_LOADS; i++)
    {
        const uint item = gl_LocalInvocationIndex + i * THREADS;
        if (B_LOADS * THREADS == B_ITEMS || item < B_ITEMS)
            stage_factor(B_FIRST + item, next_b[i]);
    }
}

// Adds the products of slice k of the chunk in shared memory.
void add_slice(uint k)
{
    FACTOR a[ROWS];
    [[unroll]] for (uint r = 0u; r < ROWS; r++) a[r] =
        staged_factor((gl_LocalInvocationID.y + r * gl_WorkGroupSize.y) * PITCH + k);
    [[unroll]] for (uint lane = 0u; lane < 4u; lane++)
        [[unroll]] for (uint c = 0u; c < COLUMNS; c++)
    {
        const FACTOR b = staged_factor(B_FIRST + (4u * k + lane) * TILE_COLUMNS +
                                       gl_LocalInvocationID.x + c * gl_WorkGroupSize.x);
        [[unroll]] for (uint r = 0u; r < ROWS; r++) ADD_TO[r * COLUMNS + c] += a[r][lane] * b;
    }
}

void add_chunk()
{
    for (uint t = 0u; t < TURNS; t += UNROLL) {
        [[unroll]] for (uint u = 0u; u < UNROLL; u++)
            add_slice(gl_LocalInvocationID.z + (t + u) * PLANES);
#if FAST
        run_slices += UNROLL;
        if (run_slices >= GEMM_RUN)
            end_run();
#endif
    }
}

// Where shared memory has sum i of the invocation, that of plane `plane`.
uint sum_at(uint plane, uint i)
{
    const uint row = gl_LocalInvocationID.y + i / COLUMNS * gl_WorkGroupSize.y;
    return plane * TILE + row * TILE_COLUMNS + gl_LocalInvocationID.x +
           i % COLUMNS * gl_WorkGroupSize.x;
}

// Makes the sums of all planes known to the workgroup.  GEMM_HALVED: those of the first half of the
// planes with those of the second half added to them.
void publish_sums()
{
    const uint plane = gl_LocalInvocationID.z;
    barrier(); // the last chunk was read
    if (!HALVED || plane >= SUM_PLANES) {
        [[unroll]] for (uint i = 0u; i < ROWS * COLUMNS; i++)
            stage_sum(sum_at(HALVED ? plane - SUM_PLANES : plane, i), sum[i]);
    }
    barrier(); // the sums are there
    if (!HALVED)
        return;
    if (plane < SUM_PLANES) {
        [[unroll]] for (uint i = 0u; i < ROWS * COLUMNS; i++)
            stage_sum(sum_at(plane, i), staged_sum(sum_at(plane, i)) + sum[i]);
    }
    barrier(); // the sums of both halves are there
}

// Where in a product the workgroup works: part `part` of the depth of a tile.
struct Place {
    uint part, first_row, first_column;
};

Place place_of_group()
{
    const uint blocks = (columns() + TILE_COLUMNS - 1u) / TILE_COLUMNS;
    const uint block = min(group(), args.count - 1u);
    const uint tile = block % args.tiles;
    uint block_of_rows = tile / blocks;
    if (PHASES) {
        set_phase(block_of_rows % phase_count());
        block_of_rows /= phase_count();
    }
    if (GROUPS > 1u) {
        product_group = block_of_rows % GROUPS;
        block_of_rows /= GROUPS;
    }
    return Place(block / args.tiles, block_of_rows * TILE_ROWS,
                 product_group * columns() + tile % blocks * TILE_COLUMNS);
}

vec4 bias_of(uint column)
{
    const uint at = min(column, args.window.out_slices - 1u);
    return JOINED ? joined_bias[args.bias_at + at] : bias[at];
}

// Element r, c of the tile in dst, or in a part.  False: it is outside of the product.
bool find_element(Place place, uint r, uint c, out uint at)
{
    const uint row = place.first_row + r, column = place.first_column + c;
    at = (PHASES ? phase_pixel(row) : row) * args.window.out_slices + column;
    return row < pixels() && column < (product_group + 1u) * columns();
}

void write_element(uint at, vec4 v)
{
    if (RESIDUAL)
        v = added(v, vec4(residual[at]));
    v = activate(v, ACTIVATION);
    if (ROUNDED)
        v = on_steps(v, args.steps.scale, args.steps.low, args.steps.high);
    dst[at] = STORE(v);
}

// Writes the sums of an element.  A surplus workgroup computes the last tile once more, and does
// not write it: the residual is added once.
void finish(Place place, uint r, uint c, vec4 v, vec4 b)
{
    uint at;
    if (!find_element(place, r, c, at) || group() >= args.count)
        return;
    const uint in_part = place.part * args.pixels * args.window.out_slices + at;
    if (JOINED)
        joined_parts[in_part] = v;
    else if (PART)
        parts[in_part] = v;
    else
        write_element(at, v + b);
}

// Adds up the parts of the tile, if the other workgroups have written theirs.
void join_parts(Place place)
{
    const uint part_count = args.count / args.tiles;
    if (!is_last_of(part_count, args.counters_at + min(group(), args.count - 1u) % args.tiles))
        return;
    for (uint i = gl_LocalInvocationIndex; i < TILE; i += THREADS) {
        uint at;
        if (!find_element(place, i / TILE_COLUMNS, i % TILE_COLUMNS, at))
            continue;
        vec4 v = joined_parts[at];
        for (uint part = 1u; part < part_count; part++)
            v += joined_parts[part * args.pixels * args.window.out_slices + at];
        write_element(at, v + bias_of(place.first_column + i % TILE_COLUMNS));
    }
}

void main()
{
    const Place place = place_of_group();
    const uint begin = place.part * args.part_depth;
    const uint end = min(begin + args.part_depth, depth());

    find_rows(place.first_row);
    // The biases are loaded early, where nobody waits for them.
    vec4 biases[COLUMNS];
    [[unroll]] for (uint c = 0u; c < COLUMNS; c++)
    {
        const uint column = PLANES > 1u ? gl_LocalInvocationIndex % TILE_COLUMNS
                                        : gl_LocalInvocationID.x + c * gl_WorkGroupSize.x;
        biases[c] = JOINED ? vec4(0.0) : bias_of(place.first_column + column);
    }
    [[unroll]] for (uint i = 0u; i < ROWS * COLUMNS; i++) sum[i] = vec4(0.0);
#if FAST
    [[unroll]] for (uint i = 0u; i < ROWS * COLUMNS; i++) run_sum[i] = FACTOR(0.0);
    run_slices = 0u;
#endif

    // A chunk is loaded while the one before it is multiplied.  Each part of the loop is there
    // once: where a kernel runs once in an inference, what takes time is to fetch its code.
    [[dont_unroll]] for (uint from = begin; from < end + DEPTH; from += DEPTH)
    {
        if (from < end)
            load_chunk(from, place.first_column);
        if (from > begin) {
            add_chunk();
            barrier(); // the chunk was multiplied
        }
        if (from < end) {
            stage_chunk();
            barrier();
        }
    }
#if FAST
    end_run(); // the last one
#endif

    if (PLANES > 1u) {
        publish_sums();
        // A multiple of TILE_COLUMNS apart: an invocation stays in its column.
        for (uint i = gl_LocalInvocationIndex; i < TILE; i += THREADS) {
            vec4 v = staged_sum(i);
            [[unroll]] for (uint plane = 1u; plane < SUM_PLANES; plane++) v +=
                staged_sum(plane * TILE + i);
            finish(place, i / TILE_COLUMNS, i % TILE_COLUMNS, v, biases[0]);
        }
    } else {
        [[unroll]] for (uint r = 0u; r < ROWS; r++) [[unroll]] for (uint c = 0u; c < COLUMNS; c++)
            finish(place, gl_LocalInvocationID.y + r * gl_WorkGroupSize.y,
                   gl_LocalInvocationID.x + c * gl_WorkGroupSize.x, sum[r * COLUMNS + c],
                   biases[c]);
    }
    if (JOINED)
        join_parts(place);
}

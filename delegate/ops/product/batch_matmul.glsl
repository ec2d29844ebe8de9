// What batch_matmul.comp and batch_matmul_int8.comp share: products of matrices.  An invocation
// computes 4 rows of 4 columns, or its share of the depth of them: those of one x in a workgroup,
// whose shares are then summed.  VEC is the type of 4 numbers, load_x() and load_y() give a slice
// of an operand, RESULT makes a slice of dst of 4 sums.
#include "delegate/ops/product/batch_matmul.args.h"

layout(constant_id = BATCH_MATMUL_SPEC_ADJ_X) const bool ADJ_X = false;
layout(constant_id = BATCH_MATMUL_SPEC_ADJ_Y) const bool ADJ_Y = false;

const uint SHARES = gl_WorkGroupSize.y;
shared VEC shares[SHARES == 1u ? 1u : BATCH_MATMUL_ROWS * SHARES * gl_WorkGroupSize.x];

VEC load_x(uint i);
VEC load_y(uint i);

// 4 rows of 4 numbers.
struct Block {
    VEC r[4];
};

Block transposed(Block b)
{
    return Block(VEC[4](
        VEC(b.r[0].x, b.r[1].x, b.r[2].x, b.r[3].x), VEC(b.r[0].y, b.r[1].y, b.r[2].y, b.r[3].y),
        VEC(b.r[0].z, b.r[1].z, b.r[2].z, b.r[3].z), VEC(b.r[0].w, b.r[1].w, b.r[2].w, b.r[3].w)));
}

// Rows k to k + 3 of the depth, each 4 rows of x from m on.  Beyond the depth is 0: what lies there
// may be infinite.
Block block_of_x(uint first, uint m, uint k)
{
    Block b;
    for (uint j = 0u; j < 4u; j++) {
        if (ADJ_X)
            b.r[j] = k + j < args.depth ? load_x((first + k + j) * args.x_slices + m / 4u) : VEC(0);
        else
            b.r[j] =
                mix(VEC(0), load_x((first + min(m + j, args.rows - 1u)) * args.x_slices + k / 4u),
                    lanes(k / 4u, args.depth));
    }
    if (!ADJ_X)
        return transposed(b);
    return b;
}

// Rows k to k + 3 of the depth, each 4 columns of y.
Block block_of_y(uint first, uint slice, uint k)
{
    Block b;
    for (uint j = 0u; j < 4u; j++) {
        if (ADJ_Y)
            b.r[j] = mix(
                VEC(0),
                load_y((first + min(4u * slice + j, args.columns - 1u)) * args.y_slices + k / 4u),
                lanes(k / 4u, args.depth));
        else
            b.r[j] = k + j < args.depth ? load_y((first + k + j) * args.y_slices + slice) : VEC(0);
    }
    if (ADJ_Y)
        return transposed(b);
    return b;
}

uint share_of(uint share, uint r)
{
    return (share * BATCH_MATMUL_ROWS + r) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}

void main()
{
    const uint i = min(item(), args.count - 1u);
    const uint slice = i % args.out_slices;
    const uint m = BATCH_MATMUL_ROWS * (i / args.out_slices % args.row_tiles);
    const uint matrix = i / args.out_slices / args.row_tiles;
    uint x = 0u, y = 0u, rest = matrix;
    for (int d = BATCH_MATMUL_DIMS - 1; d >= 0; d--) {
        x += rest % args.size[d] * args.x_stride[d];
        y += rest % args.size[d] * args.y_stride[d];
        rest /= args.size[d];
    }
    x *= args.x_rows;
    y *= args.y_rows;

    VEC sum[BATCH_MATMUL_ROWS] = VEC[BATCH_MATMUL_ROWS](VEC(0), VEC(0), VEC(0), VEC(0));
    for (uint k = 4u * gl_LocalInvocationID.y; k < args.depth; k += 4u * SHARES) {
        const Block a = block_of_x(x, m, k);
        const Block b = block_of_y(y, slice, k);
        for (uint r = 0u; r < BATCH_MATMUL_ROWS; r++) {
            sum[r] += a.r[0][r] * b.r[0];
            sum[r] += a.r[1][r] * b.r[1];
            sum[r] += a.r[2][r] * b.r[2];
            sum[r] += a.r[3][r] * b.r[3];
        }
    }
    if (SHARES > 1u) {
        for (uint r = 0u; r < BATCH_MATMUL_ROWS; r++)
            shares[share_of(gl_LocalInvocationID.y, r)] = sum[r];
        barrier();
    }
    for (uint r = gl_LocalInvocationID.y; r < BATCH_MATMUL_ROWS; r += SHARES) {
        VEC v = sum[r];
        if (SHARES > 1u) {
            v = shares[share_of(0u, r)];
            for (uint share = 1u; share < SHARES; share++)
                v += shares[share_of(share, r)];
        }
        if (item() < args.count && m + r < args.rows)
            dst[(matrix * args.rows + m + r) * args.out_slices + slice] = RESULT(v);
    }
}

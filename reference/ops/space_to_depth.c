/* SPACE_TO_DEPTH, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: blocks of pixels become
 * channels or images, and the other way round.
 *
 * SPACE_TO_DEPTH     x [N,H,W,C], option block_size b, which divides H and W:
 *                    y[n, h, w, (i*b + j)*C + c] = x[n, h*b + i, w*b + j, c]
 * DEPTH_TO_SPACE     the inverse; b*b divides C.
 * SPACE_TO_BATCH_ND  x [N,H,W,C] or [N,H,C], block [2] or [1], paddings [2,2] or [1,2], all i32.  x
 *                    is padded with zeros (the zero point of quantized x), then
 *                    y[(i*b1 + j)*N + n, h, w, c] = x[n, h*b0 + i, w*b1 + j, c]
 * BATCH_TO_SPACE_ND  the inverse; then `crops` rows and columns are cut off.
 * Blocks, paddings or crops that are not constant make the output dynamic.
 * Meaning: tflite/kernels/space_to_depth.cc, depth_to_space.cc, space_to_batch_nd.cc,
 * batch_to_space_nd.cc */
#include "reference/kernels/move.h"

#include <string.h>

static void read_space_to_depth(const struct options *options, void *params)
{
    ((TfLiteSpaceToDepthParams *)params)->block_size = options_int(options, "block_size");
}

static void read_depth_to_space(const struct options *options, void *params)
{
    ((TfLiteDepthToSpaceParams *)params)->block_size = options_int(options, "block_size");
}

static int32_t block_of(const struct ref_call *call)
{
    return call->op->code == BUILTIN_SPACE_TO_DEPTH
               ? ((const TfLiteSpaceToDepthParams *)call->params)->block_size
               : ((const TfLiteDepthToSpaceParams *)call->params)->block_size;
}

/* ---- depth ---- */

static enum status check_divides(const struct ref_call *call, struct diag *diag, int d,
                                 int64_t divisor)
{
    if (ref_dim(call->in[0], d) % divisor == 0)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID,
                    "block_size is %d, input 0 has %d on dimension %d, expected a multiple of %lld",
                    block_of(call), ref_dim(call->in[0], d), d, (long long)divisor);
}

static enum status check_size(const struct ref_call *call, struct diag *diag, int d, int64_t size,
                              int32_t *out)
{
    if (size < 0 || size > INT32_MAX)
        return ref_fail(call, diag, STATUS_INVALID,
                        "dimension %d of the output is %lld, expected 0 to 2^31 - 1", d,
                        (long long)size);
    *out = (int32_t)size;
    return STATUS_OK;
}

static enum status prepare_depth(struct ref_call *call, struct diag *diag)
{
    enum {
        TYPES =
            REF_TYPE(Float32) | REF_TYPE(UInt8) | REF_TYPE(Int8) | REF_TYPE(Int32) | REF_TYPE(Int64)
    };
    const bool to_depth = call->op->code == BUILTIN_SPACE_TO_DEPTH;
    const int64_t b = block_of(call);
    struct ref_shape *const y = &call->out_shape[0];

    TRY(ref_check_in_types(call, diag, 0, "input", TYPES, 4, 4));
    TRY(ref_check_outs(call, diag, 0, false));
    if (b < 1)
        return ref_fail(call, diag, STATUS_INVALID, "block_size is %d, expected at least 1",
                        (int)b);
    if (to_depth) {
        TRY(check_divides(call, diag, 1, b));
        TRY(check_divides(call, diag, 2, b));
    } else {
        TRY(check_divides(call, diag, 3, b * b));
    }
    *y = (struct ref_shape){ .rank = 4 };
    y->dims[0] = ref_dim(call->in[0], 0);
    for (int d = 1; d <= 2; d++)
        TRY(check_size(call, diag, d,
                       to_depth ? ref_dim(call->in[0], d) / b : ref_dim(call->in[0], d) * b,
                       &y->dims[d]));
    /* b * b is below 2^62, but not its product with the channels of a malformed model. */
    if (to_depth && ref_dim(call->in[0], 3) > 0 && b * b > INT32_MAX)
        return ref_fail(call, diag, STATUS_INVALID, "block_size is %d, expected at most 46340",
                        (int)b);
    return check_size(call, diag, 3,
                      to_depth ? ref_dim(call->in[0], 3) * b * b
                               : ref_dim(call->in[0], 3) / (b * b),
                      &y->dims[3]);
}

static enum status eval_depth(struct ref_call *call, struct diag *diag)
{
    const bool to_depth = call->op->code == BUILTIN_SPACE_TO_DEPTH;
    const TfLiteTensor *const x = call->in[0], *const small = to_depth ? call->out[0] : x;
    const int32_t b = block_of(call), channels = ref_dim(to_depth ? x : call->out[0], 3);
    struct ref_walk walk = { 0 };
    int64_t pitch[REF_MAX_RANK];

    (void)diag;
    ref_pitches(x, pitch);
    ref_walk_dim(&walk, ref_dim(x, 0), pitch[0]);
    if (to_depth) {
        ref_walk_dim(&walk, ref_dim(small, 1), b * pitch[1]);
        ref_walk_dim(&walk, ref_dim(small, 2), b * pitch[2]);
        ref_walk_dim(&walk, b, pitch[1]);
        ref_walk_dim(&walk, b, pitch[2]);
    } else {
        ref_walk_dim(&walk, ref_dim(small, 1), pitch[1]);
        ref_walk_dim(&walk, b, (int64_t)b * channels);
        ref_walk_dim(&walk, ref_dim(small, 2), pitch[2]);
        ref_walk_dim(&walk, b, channels);
    }
    ref_walk_dim(&walk, channels, 1);
    ref_walk_copy(call, 0, 0, &walk);
    return STATUS_OK;
}

/* ---- batch ---- */

enum { BLOCK = 1, MARGINS = 2 };

/* Blocks and margins (paddings, crops) of H and W; without W those of one column. */
struct blocks {
    int64_t block[2], before[2], after[2];
};

static struct blocks read_blocks(const struct ref_call *call)
{
    struct blocks b = { .block = { 1, 1 } };

    for (int d = 0; d < ref_rank(call->in[0]) - 2; d++) {
        b.block[d] = ref_load_int(call->in[BLOCK], (size_t)d);
        b.before[d] = ref_load_int(call->in[MARGINS], 2 * (size_t)d);
        b.after[d] = ref_load_int(call->in[MARGINS], 2 * (size_t)d + 1);
    }
    return b;
}

static enum status check_blocks(const struct ref_call *call, struct diag *diag, const char *margins,
                                const struct blocks *b)
{
    for (int d = 0; d < 2; d++) {
        if (b->block[d] < 1)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (block_shape): element %d is %lld, expected at least 1", d,
                            (long long)b->block[d]);
        if (b->before[d] < 0 || b->after[d] < 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 2 (%s): row %d is %lld, %lld, expected at least 0", margins, d,
                            (long long)b->before[d], (long long)b->after[d]);
    }
    return STATUS_OK;
}

static enum status find_to_batch(struct ref_call *call, struct diag *diag, const struct blocks *b)
{
    struct ref_shape *const y = &call->out_shape[0];
    int64_t batch = y->dims[0];

    for (int d = 1; d < y->rank - 1; d++) {
        const int64_t padded = y->dims[d] + b->before[d - 1] + b->after[d - 1];

        if (padded % b->block[d - 1] != 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 2 (paddings): %lld on dimension %d with them, expected a "
                            "multiple of the block's %lld",
                            (long long)padded, d, (long long)b->block[d - 1]);
        TRY(check_size(call, diag, d, padded / b->block[d - 1], &y->dims[d]));
        batch *= b->block[d - 1];
        TRY(check_size(call, diag, 0, batch, &y->dims[0]));
    }
    return STATUS_OK;
}

static enum status find_to_space(struct ref_call *call, struct diag *diag, const struct blocks *b)
{
    struct ref_shape *const y = &call->out_shape[0];

    for (int d = 1; d < y->rank - 1; d++) {
        const int64_t whole = y->dims[d] * b->block[d - 1];

        if (y->dims[0] % b->block[d - 1] != 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (block_shape): the product up to element %d does not divide "
                            "%d, the batch of the input",
                            d - 1, ref_dim(call->in[0], 0));
        y->dims[0] /= (int32_t)b->block[d - 1];
        if (b->before[d - 1] + b->after[d - 1] > whole)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 2 (crops): row %d is %lld, %lld, expected at most %lld in all",
                            d - 1, (long long)b->before[d - 1], (long long)b->after[d - 1],
                            (long long)whole);
        TRY(check_size(call, diag, d, whole - b->before[d - 1] - b->after[d - 1], &y->dims[d]));
    }
    return STATUS_OK;
}

static enum status prepare_batch(struct ref_call *call, struct diag *diag)
{
    const bool to_batch = call->op->code == BUILTIN_SPACE_TO_BATCH_ND;
    const char *const margins = to_batch ? "paddings" : "crops";
    struct blocks b;
    int spatial;

    TRY(ref_check_shape(call, diag, 0, "input", 3, 4));
    TRY(ref_check_bytes(call, diag, 0, "input"));
    TRY(ref_check_outs(call, diag, 0,
                       ref_is_8bit(call->in[0]->type) || call->in[0]->type == kTfLiteInt16));
    spatial = ref_rank(call->in[0]) - 2;
    TRY(ref_check_vector(call, diag, BLOCK, "block_shape", false, spatial));
    TRY(ref_check_in(call, diag, MARGINS, margins, kTfLiteInt32, 2, 2));
    if (ref_dim(call->in[MARGINS], 0) != spatial || ref_dim(call->in[MARGINS], 1) != 2)
        return ref_fail(call, diag, STATUS_INVALID, "input 2 (%s): shape [%d,%d], expected [%d,2]",
                        margins, ref_dim(call->in[MARGINS], 0), ref_dim(call->in[MARGINS], 1),
                        spatial);
    if (!ref_known(call, BLOCK) || !ref_known(call, MARGINS)) {
        ref_outs_dynamic(call);
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, BLOCK, "block_shape"));
    TRY(ref_check_data(call, diag, MARGINS, margins));
    b = read_blocks(call);
    TRY(check_blocks(call, diag, margins, &b));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return to_batch ? find_to_batch(call, diag, &b) : find_to_space(call, diag, &b);
}

static int64_t columns_of(const TfLiteTensor *t)
{
    return ref_rank(t) == 4 ? ref_dim(t, 2) : 1;
}

/* Copies one pixel, or stores zeros where there is none: zero points of the types that the runtime
 * quantizes.  Scales of other tensors, floats too, mean nothing. */
static void put_pixel(struct ref_call *call, size_t to, int64_t from, size_t channels)
{
    TfLiteTensor *const y = call->out[0];
    const bool steps = ref_is_8bit(y->type) || y->type == kTfLiteInt16;
    const size_t bytes = runtime_type_bits(y->type) / 8;

    if (from >= 0)
        memcpy(y->data.raw + to * channels * bytes,
               call->in[0]->data.raw_const + (size_t)from * channels * bytes, channels * bytes);
    for (size_t c = 0; c < channels; c++) {
        if (from >= 0)
            ref_detail_copied(call, 0, to * channels + c);
        else if (steps && ref_is_quantized(y))
            ref_store_int(call, 0, to * channels + c, ref_zero_point(y));
        else
            memset(y->data.raw + (to * channels + c) * bytes, 0, bytes);
        if (from < 0)
            ref_detail_copied(call, 0, to * channels + c);
    }
}

static enum status eval_to_batch(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0], *const y = call->out[0];
    const struct blocks b = read_blocks(call);
    const int64_t images = ref_dim(x, 0), rows = ref_dim(x, 1), columns = columns_of(x);
    const size_t channels = (size_t)ref_dim(y, ref_rank(y) - 1);
    size_t to = 0;

    (void)diag;
    if (ref_elements(y) == 0)
        return STATUS_OK;
    for (int64_t n = 0; n < ref_dim(y, 0); n++)
        for (int64_t h = 0; h < ref_dim(y, 1); h++)
            for (int64_t w = 0; w < columns_of(y); w++) {
                const int64_t place = n / images;
                const int64_t row = h * b.block[0] + place / b.block[1] - b.before[0];
                const int64_t column = w * b.block[1] + place % b.block[1] - b.before[1];
                const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;

                put_pixel(call, to++, inside ? (n % images * rows + row) * columns + column : -1,
                          channels);
            }
    return STATUS_OK;
}

static enum status eval_to_space(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0], *const y = call->out[0];
    const struct blocks b = read_blocks(call);
    const int64_t images = ref_dim(y, 0);
    const size_t channels = (size_t)ref_dim(y, ref_rank(y) - 1);
    size_t to = 0;

    (void)diag;
    if (ref_elements(y) == 0)
        return STATUS_OK;
    for (int64_t n = 0; n < images; n++)
        for (int64_t h = 0; h < ref_dim(y, 1); h++)
            for (int64_t w = 0; w < columns_of(y); w++) {
                const int64_t row = h + b.before[0], column = w + b.before[1];
                const int64_t place = row % b.block[0] * b.block[1] + column % b.block[1];

                put_pixel(call, to++,
                          ((place * images + n) * ref_dim(x, 1) + row / b.block[0]) *
                                  columns_of(x) +
                              column / b.block[1],
                          channels);
            }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("space_to_depth", SPACE_TO_DEPTH, 2, OPTIONS_SpaceToDepthOptions),
      REF_PARAMS(TfLiteSpaceToDepthParams, read_space_to_depth),
      REF_RUN(prepare_depth, eval_depth) },
    { REF_OP("depth_to_space", DEPTH_TO_SPACE, 2, OPTIONS_DepthToSpaceOptions),
      REF_PARAMS(TfLiteDepthToSpaceParams, read_depth_to_space),
      REF_RUN(prepare_depth, eval_depth) },
    { REF_OP("space_to_batch_nd", SPACE_TO_BATCH_ND, 4, OPTIONS_SpaceToBatchNDOptions),
      REF_RUN(prepare_batch, eval_to_batch) },
    { REF_OP("batch_to_space_nd", BATCH_TO_SPACE_ND, 4, OPTIONS_BatchToSpaceNDOptions),
      REF_RUN(prepare_batch, eval_to_space) },
};

const struct ref_family ref_space_to_depth = { ops, sizeof ops / sizeof ops[0] };

#include "reference/base/blockwise.h"

#include "reference/base/builtin.h"
#include "reference/base/diag.h"
#include "reference/base/half.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *blockwise_part_name(enum blockwise_part part)
{
    static const char *const names[] = {
        [BLOCKWISE_SHAPE] = "Tensor.shape",
        [BLOCKWISE_TYPE] = "Tensor.type",
        [BLOCKWISE_DATA] = "Tensor.buffer",
        [BLOCKWISE_AFFINE] = "QuantizationParameters.scale",
        [BLOCKWISE_DIMENSION] = "QuantizationParameters.quantized_dimension",
        [BLOCKWISE_SCALES] = "BlockwiseQuantization.scales",
        [BLOCKWISE_ZERO_POINTS] = "BlockwiseQuantization.zero_points",
        [BLOCKWISE_SIZE] = "BlockwiseQuantization.block_size",
    };

    return names[part];
}

static enum status fail(struct blockwise_fault *fault, enum status s, enum blockwise_part part,
                        const char *format, ...) PRINTF_LIKE(4, 5);
static enum status fail(struct blockwise_fault *fault, enum status s, enum blockwise_part part,
                        const char *format, ...)
{
    va_list args;

    fault->part = part;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    return s;
}

static enum status check_weights(const struct blockwise *b, struct blockwise_fault *fault)
{
    if (b->rank != 2)
        return fail(fault, STATUS_UNSUPPORTED, BLOCKWISE_SHAPE,
                    "rank %zu of a tensor that is quantized in blocks, expected 2", b->rank);
    if (b->type != kTfLiteInt8 && b->type != kTfLiteInt4 && b->type != kTfLiteInt2)
        return fail(fault, STATUS_UNSUPPORTED, BLOCKWISE_TYPE,
                    "%s of a tensor that is quantized in blocks, expected i8, i4 or i2",
                    runtime_type_name(b->type));
    if (!b->constant)
        return fail(fault, STATUS_UNSUPPORTED, BLOCKWISE_DATA,
                    "none, and the tensor is quantized in blocks: expected a constant");
    if (b->affine_scales > 0)
        return fail(fault, STATUS_INVALID, BLOCKWISE_AFFINE,
                    "%zu scales beside those of the blocks, expected none", b->affine_scales);
    if (b->dimension != 0)
        return fail(fault, STATUS_INVALID, BLOCKWISE_DIMENSION,
                    "%d, expected 0: blocks lie along dimension 1", b->dimension);
    if (b->zero_points != -1 && (b->zero_points < 0 || b->zero_points >= b->tensors))
        return fail(fault, STATUS_INVALID, BLOCKWISE_ZERO_POINTS,
                    "%d, the subgraph has %d tensors; -1: none", b->zero_points, b->tensors);
    if (b->zero_points != -1)
        return fail(fault, STATUS_UNSUPPORTED, BLOCKWISE_ZERO_POINTS,
                    "%d, zero points of blocks are not supported: expected -1", b->zero_points);
    if (b->block_size < 1 || b->dims[1] % b->block_size != 0)
        return fail(fault, STATUS_INVALID, BLOCKWISE_SIZE,
                    "%d, expected a divisor of the %d elements of a row", b->block_size,
                    b->dims[1]);
    return STATUS_OK;
}

enum status blockwise_check(const struct blockwise *b, struct blockwise_fault *fault)
{
    uint64_t count;

    TRY(check_weights(b, fault));
    if (b->scales == b->tensor)
        return fail(fault, STATUS_INVALID, BLOCKWISE_SCALES, "%d, the tensor itself", b->scales);
    if (!blockwise_in_range(b))
        return fail(fault, STATUS_INVALID, BLOCKWISE_SCALES, "%d, the subgraph has %d tensors",
                    b->scales, b->tensors);
    if (b->scales_type != kTfLiteFloat16)
        return fail(fault, STATUS_UNSUPPORTED, BLOCKWISE_SCALES,
                    "tensor %d of type %s, expected f16", b->scales,
                    runtime_type_name(b->scales_type));
    if (!b->scales_data)
        return fail(fault, STATUS_UNSUPPORTED, BLOCKWISE_SCALES,
                    "tensor %d without data, expected a constant", b->scales);
    /* Dimensions are below 2^31: the product fits. */
    count = (uint64_t)b->dims[0] * (uint64_t)(b->dims[1] / b->block_size);
    if (b->scales_count != count)
        return fail(fault, STATUS_INVALID, BLOCKWISE_SCALES,
                    "tensor %d of %" PRIu64 " elements, expected %" PRIu64
                    ", one for each %d elements of [%d,%d]",
                    b->scales, b->scales_count, count, b->block_size, b->dims[0], b->dims[1]);
    for (uint64_t i = b->scales_passed; i < count; i++) {
        uint16_t half;

        memcpy(&half, (const char *)b->scales_data + 2 * i, sizeof half);
        if (half == 0 || half >= 0x7c00) /* infinity, NaN, and all with a sign */
            return fail(fault, STATUS_INVALID, BLOCKWISE_SCALES,
                        "scale %" PRIu64 " in tensor %d is %g, expected a finite number above 0", i,
                        b->scales, (double)half_to_float(half));
    }
    return STATUS_OK;
}

#include "reference/format/verify.h"

#include "reference/base/blockwise.h"
#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/sparsity.h"
#include "reference/format/model.h"

#include <float.h>
#include <inttypes.h>
#include <stdint.h>

/* The data of a string tensor: an i32 count n, n + 1 offsets from the start of the data, then the
 * characters. */
static enum status check_strings(struct rules *r, struct fb_table t, struct tflite_span data,
                                 uint64_t elements)
{
    uint8_t *checked = &r->string_data[fb_int(t, Tensor_buffer)];
    const uint8_t *p = r->bytes + data.at;
    size_t previous;
    int32_t n;

    if (data.count < 4)
        return rules_fail(r, STATUS_INVALID, t, Tensor_buffer, SIZE_MAX,
                          "%zu bytes of string data, which has 4 at least", data.count);
    n = fb_load_i32(p, 0);
    if (n < 0 || ((uint64_t)n + 2) * 4 > data.count)
        return rules_fail(r, STATUS_INVALID, t, Tensor_buffer, SIZE_MAX,
                          "%d strings, in %zu bytes of string data", n, data.count);
    if ((size_t)n < elements)
        return rules_fail(r, STATUS_INVALID, t, Tensor_buffer, SIZE_MAX,
                          "%d strings, the shape has %" PRIu64, n, elements);
    previous = ((size_t)n + 2) * 4;
    if (*checked) /* many tensors may share a buffer */
        return STATUS_OK;
    for (size_t i = 0; i <= (size_t)n; i++) {
        const int32_t offset = fb_load_i32(p, 4 + 4 * i);

        if ((size_t)offset < previous || (size_t)offset > data.count) /* huge if negative */
            return rules_fail(r, STATUS_INVALID, t, Tensor_buffer, SIZE_MAX,
                              "string %zu at %d, not in %zu..%zu", i, offset, previous, data.count);
        previous = (size_t)offset;
    }
    *checked = 1;
    return STATUS_OK;
}

/* Dimensions at least 0; their product, and the bits of the elements, fit 64 bits. */
static enum status check_shape(struct rules *r, struct fb_table t, uint64_t *elements,
                               uint64_t *bytes)
{
    const struct fb_vector shape = fb_vector(t, Tensor_shape);
    const struct fb_vector open = fb_vector(t, Tensor_shape_signature);
    const unsigned bits = tensor_type_bits((int32_t)fb_int(t, Tensor_type));
    bool empty = false;

    TRY(rules_limit(r, LIMIT_RANK, shape.count, t, Tensor_shape));
    *elements = 1;
    for (size_t i = 0; i < shape.count; i++) {
        const int32_t dim = fb_load_i32(r->bytes, shape.at + 4 * i);

        if (dim < 0)
            return rules_fail(r, STATUS_INVALID, t, Tensor_shape, i,
                              "%d, a dimension is at least 0", dim);
        if (dim == 0)
            empty = true; /* the others are still checked */
        else if (!checked_mul_u64(*elements, (uint64_t)dim, elements))
            return rules_fail(r, STATUS_INVALID, t, Tensor_shape, i,
                              "%d, too many elements with it (%" PRIu64 " before)", dim, *elements);
    }
    if (empty)
        *elements = 0;
    if (!checked_mul_u64(*elements, bits, bytes))
        return rules_fail(r, STATUS_INVALID, t, Tensor_shape, SIZE_MAX,
                          "%" PRIu64 " elements of %u bits", *elements, bits);
    *bytes = *bytes / 8 + (*bytes % 8 != 0);
    TRY(rules_limit(r, LIMIT_TENSOR_ELEMENTS, *elements, t, Tensor_shape));

    if (open.count != 0 && open.count != shape.count)
        return rules_fail(r, STATUS_INVALID, t, Tensor_shape_signature, SIZE_MAX,
                          "%zu dimensions, the shape has %zu", open.count, shape.count);
    for (size_t i = 0; i < open.count; i++) {
        const int32_t dim = fb_load_i32(r->bytes, open.at + 4 * i);

        if (dim < -1)
            return rules_fail(r, STATUS_INVALID, t, Tensor_shape_signature, i, "%d, at least -1",
                              dim);
        if (dim != -1 && dim != fb_load_i32(r->bytes, shape.at + 4 * i))
            return rules_fail(r, STATUS_INVALID, t, Tensor_shape_signature, i,
                              "%d, the shape has %d: a dimension that is not fixed is -1", dim,
                              fb_load_i32(r->bytes, shape.at + 4 * i));
    }
    return STATUS_OK;
}

/* What a zero point may be: the values of the type, 32 bits for all others, and where the type has
 * fewer than 8 bits, as runtimes take it. */
static void zero_point_range(int32_t type, int64_t *least, int64_t *most)
{
    const unsigned bits = tensor_type_bits(type);

    *least = INT32_MIN;
    *most = INT32_MAX;
    switch (type) {
    case TENSOR_INT8:
    case TENSOR_INT16:
        *most = ((int64_t)1 << (bits - 1)) - 1;
        *least = -*most - 1;
        break;
    case TENSOR_UINT8:
    case TENSOR_UINT16:
        *most = ((int64_t)1 << bits) - 1;
        *least = 0;
        break;
    default: break;
    }
}

/* Types whose scales mean something; on others converters leave scales behind. */
static bool is_integer(int32_t type)
{
    switch (type) {
    case TENSOR_INT2:
    case TENSOR_INT4:
    case TENSOR_UINT4:
    case TENSOR_INT8:
    case TENSOR_UINT8:
    case TENSOR_INT16:
    case TENSOR_UINT16:
    case TENSOR_INT32:
    case TENSOR_UINT32:
    case TENSOR_INT64:
    case TENSOR_UINT64: return true;
    default: return false;
    }
}

static enum status check_scales(struct rules *r, struct fb_table t, struct fb_table q)
{
    const struct fb_vector scale = fb_vector(q, QuantizationParameters_scale);
    const struct fb_vector zero = fb_vector(q, QuantizationParameters_zero_point);
    const bool integers = is_integer((int32_t)fb_int(t, Tensor_type));
    int64_t least, most;

    zero_point_range((int32_t)fb_int(t, Tensor_type), &least, &most);
    for (size_t i = 0; i < scale.count; i++) {
        const float s = fb_load_f32(r->bytes, scale.at + 4 * i);
        const int64_t z = fb_load_i64(r->bytes, zero.at + 8 * i);

        if (integers && !(s >= 0 && s <= FLT_MAX)) /* also NaN */
            return rules_fail(r, STATUS_INVALID, q, QuantizationParameters_scale, i,
                              "%g, not a finite number of at least 0", (double)s);
        if (z < least || z > most)
            return rules_fail(r, STATUS_INVALID, q, QuantizationParameters_zero_point, i,
                              "%lld, not in %lld..%lld of %s", (long long)z, (long long)least,
                              (long long)most, tensor_type_name((int32_t)fb_int(t, Tensor_type)));
    }
    return STATUS_OK;
}

static enum status check_details_type(const struct rules *r, struct fb_table q)
{
    static const char *const names[] = {
        [DETAILS_CUSTOM] = "custom quantization", [DETAILS_MULTI_AXIS] = "multi-axis quantization"
    };
    const int64_t type = fb_int(q, QuantizationParameters_details_type);

    if (type == DETAILS_BLOCKWISE || r->accept == ACCEPT_LEGAL)
        return STATUS_OK; /* verify_blockwise looks at its tensors */
    return rules_fail(r, STATUS_UNSUPPORTED, q, QuantizationParameters_details_type, SIZE_MAX,
                      "%lld: %s is not supported", (long long)type,
                      type <= DETAILS_MULTI_AXIS ? names[type] : "such quantization");
}

static enum status check_quantization(struct rules *r, struct fb_table t)
{
    const struct fb_table q = fb_sub(t, Tensor_quantization);
    const struct fb_vector shape = fb_vector(t, Tensor_shape);
    struct fb_vector scale, zero;
    int64_t dimension;

    if (!q.at)
        return STATUS_OK;
    if (fb_int(q, QuantizationParameters_details_type) != DETAILS_NONE)
        return check_details_type(r, q);
    scale = fb_vector(q, QuantizationParameters_scale);
    zero = fb_vector(q, QuantizationParameters_zero_point);
    if (scale.count == 0)
        return STATUS_OK; /* not quantized, whatever the other fields say */
    if (zero.count != scale.count)
        return rules_fail(r, STATUS_INVALID, q, QuantizationParameters_zero_point, SIZE_MAX,
                          "%zu zero points, %zu scales", zero.count, scale.count);
    dimension = fb_int(q, QuantizationParameters_quantized_dimension);
    /* A scalar has no dimension, and may still have a scale. */
    if (dimension < 0 || (shape.count != 0 && (size_t)dimension >= shape.count))
        return rules_fail(r, STATUS_INVALID, q, QuantizationParameters_quantized_dimension,
                          SIZE_MAX, "%lld, the tensor has rank %zu", (long long)dimension,
                          shape.count);
    if (scale.count != 1) {
        const int64_t channels =
            shape.count ? fb_load_i32(r->bytes, shape.at + 4 * (size_t)dimension) : 1;

        if ((int64_t)scale.count != channels)
            return rules_fail(r, STATUS_INVALID, q, QuantizationParameters_scale, SIZE_MAX,
                              "%zu scales, dimension %lld has %lld", scale.count,
                              (long long)dimension, (long long)channels);
    }
    return check_scales(r, t, q);
}

static enum status check_data(struct rules *r, struct fb_table t, struct tflite_span data,
                              uint64_t *elements)
{
    const int32_t type = (int32_t)fb_int(t, Tensor_type);
    const bool sparse = fb_sub(t, Tensor_sparsity).at != 0;
    uint64_t bytes = 0;

    TRY(check_shape(r, t, elements, &bytes));
    if (!data.present)
        return STATUS_OK;
    if (fb_int(t, Tensor_is_variable))
        return rules_fail(r, STATUS_INVALID, t, Tensor_is_variable, SIZE_MAX,
                          "true, and the tensor has data (buffer %lld)",
                          (long long)fb_int(t, Tensor_buffer));
    if (type == TENSOR_STRING)
        return check_strings(r, t, data, *elements);
    if (!sparse && data.count < bytes)
        return rules_fail(r, STATUS_INVALID, t, Tensor_buffer, SIZE_MAX,
                          "%zu bytes of data in buffer %lld, the shape needs %" PRIu64, data.count,
                          (long long)fb_int(t, Tensor_buffer), bytes);
    return STATUS_OK;
}

/* ---- sparsity ---- */

static struct sparse_ints ints_of(const struct rules *r, struct fb_table t, unsigned slot)
{
    const struct fb_vector v = fb_vector(t, slot);

    return (struct sparse_ints){ v.at ? r->bytes + v.at : NULL, v.count,
                                 (unsigned)fb_element_bytes(
                                     (enum fb_kind)schema_row(t.schema)->fields[slot].kind) };
}

/* The vector of a SparseIndexVector, of one of its three kinds. */
static struct sparse_ints indices_of(const struct rules *r, struct fb_table t, unsigned slot)
{
    const struct fb_table v = fb_sub(t, slot);

    return v.at && v.schema != SCHEMA_NONE ? ints_of(r, v, Int32Vector_values)
                                           : (struct sparse_ints){ .data = NULL };
}

static enum status fail_sparse(const struct rules *r, enum status s, struct fb_table sparsity,
                               const struct sparse_fault *fault)
{
    static const unsigned slots[] = { [SPARSE_ORDER] = SparsityParameters_traversal_order,
                                      [SPARSE_BLOCK_MAP] = SparsityParameters_block_map,
                                      [SPARSE_LEVELS] = SparsityParameters_dim_metadata,
                                      [SPARSE_FORMAT] = DimensionMetadata_format,
                                      [SPARSE_DENSE_SIZE] = DimensionMetadata_dense_size,
                                      [SPARSE_SEGMENTS] = DimensionMetadata_array_segments,
                                      [SPARSE_INDICES] = DimensionMetadata_array_indices };
    const unsigned slot = slots[fault->part];
    struct fb_table level;

    if (fault->part <= SPARSE_LEVELS)
        return rules_fail(r, s, sparsity, slot, fault->index, "%s", fault->text);
    level = fb_item(sparsity, SparsityParameters_dim_metadata, fault->level);
    if (fault->index == SIZE_MAX)
        return rules_fail(r, s, level, slot, SIZE_MAX, "dimension %zu: %s", fault->level,
                          fault->text);
    return rules_fail(r, s, fb_sub(level, slot), Int32Vector_values, fault->index,
                      "%s of dimension %zu: %s", sparse_part_name(fault), fault->level,
                      fault->text);
}

/* A sparse constant has stored values for all that its levels say; so it can be expanded. */
static enum status check_sparsity(const struct rules *r, struct fb_table t, struct tflite_span data)
{
    const struct fb_table sparsity = fb_sub(t, Tensor_sparsity);
    const int32_t type = (int32_t)fb_int(t, Tensor_type);
    const struct fb_vector shape = fb_vector(t, Tensor_shape);
    struct sparse_source source = {
        .shape = (const int32_t *)(const void *)(r->bytes + shape.at),
        .rank = shape.count,
        .order = ints_of(r, sparsity, SparsityParameters_traversal_order),
        .block_map = ints_of(r, sparsity, SparsityParameters_block_map),
        .level_count = fb_vector(sparsity, SparsityParameters_dim_metadata).count,
    };
    struct sparse_layout layout;
    struct sparse_fault fault;
    enum status s;

    if (!data.present || tensor_type_bits(type) < 8)
        return rules_fail(r, STATUS_UNSUPPORTED, t, Tensor_sparsity, SIZE_MAX,
                          "of a tensor of type %s %s, expected a constant of whole bytes",
                          tensor_type_name(type), data.present ? "with data" : "without data");
    for (size_t i = 0; i < source.level_count && i < SPARSE_LEVELS_MAX; i++) {
        const struct fb_table d = fb_item(sparsity, SparsityParameters_dim_metadata, i);

        source.levels[i] = (struct sparse_source_level){
            .format = (int32_t)fb_int(d, DimensionMetadata_format),
            .dense_size = (int32_t)fb_int(d, DimensionMetadata_dense_size),
            .segments = indices_of(r, d, DimensionMetadata_array_segments),
            .indices = indices_of(r, d, DimensionMetadata_array_indices),
        };
    }
    if ((s = sparse_check(&source, &layout, &fault)) != STATUS_OK)
        return fail_sparse(r, s, sparsity, &fault);
    if (layout.stored > data.count / (tensor_type_bits(type) / 8))
        return rules_fail(r, STATUS_INVALID, t, Tensor_buffer, SIZE_MAX,
                          "%zu bytes of data in buffer %lld, the sparsity has %zu values",
                          data.count, (long long)fb_int(t, Tensor_buffer), layout.stored);
    return STATUS_OK;
}

/* ---- blockwise quantization ---- */

static struct tflite_span data_of(const struct rules *r, struct fb_table t)
{
    const size_t buffer = (size_t)fb_int(t, Tensor_buffer);

    return buffer != 0 ? tflite_buffer_span(fb_item(r->model, Model_buffers, buffer))
                       : (struct tflite_span){ .present = false };
}

static enum status fail_blockwise(const struct rules *r, enum status s, struct fb_table t,
                                  const struct blockwise_fault *fault)
{
    static const unsigned slots[] = {
        [BLOCKWISE_SHAPE] = Tensor_shape,
        [BLOCKWISE_TYPE] = Tensor_type,
        [BLOCKWISE_DATA] = Tensor_buffer,
        [BLOCKWISE_AFFINE] = QuantizationParameters_scale,
        [BLOCKWISE_DIMENSION] = QuantizationParameters_quantized_dimension,
        [BLOCKWISE_SCALES] = BlockwiseQuantization_scales,
        [BLOCKWISE_ZERO_POINTS] = BlockwiseQuantization_zero_points,
        [BLOCKWISE_SIZE] = BlockwiseQuantization_block_size,
    };

    if (fault->part >= BLOCKWISE_AFFINE)
        t = fb_sub(t, Tensor_quantization);
    if (fault->part >= BLOCKWISE_SCALES)
        t = fb_sub(t, QuantizationParameters_details);
    return rules_fail(r, s, t, slots[fault->part], SIZE_MAX, "%s", fault->text);
}

enum status verify_blockwise(struct rules *r, struct fb_table t)
{
    const struct fb_vector tensors = fb_vector(r->graph, SubGraph_tensors);
    const struct fb_vector shape = fb_vector(t, Tensor_shape);
    const struct fb_table q = fb_sub(t, Tensor_quantization);
    struct fb_table details;
    struct blockwise b;
    struct blockwise_fault fault;
    enum status s;

    if (!q.at || fb_int(q, QuantizationParameters_details_type) != DETAILS_BLOCKWISE)
        return STATUS_OK;
    details = fb_sub(q, QuantizationParameters_details);
    b = (struct blockwise){
        .tensor = (int32_t)r->tensor_index,
        .tensors = (int32_t)tensors.count,
        .type = tensor_type_runtime((int32_t)fb_int(t, Tensor_type)),
        .rank = shape.count,
        .constant = data_of(r, t).present,
        .affine_scales = fb_vector(q, QuantizationParameters_scale).count,
        .dimension = (int32_t)fb_int(q, QuantizationParameters_quantized_dimension),
        .scales = (int32_t)fb_int(details, BlockwiseQuantization_scales),
        .zero_points = (int32_t)fb_int(details, BlockwiseQuantization_zero_points),
        .block_size = (int32_t)fb_int(details, BlockwiseQuantization_block_size),
    };
    for (size_t i = 0; i < 2 && shape.count == 2; i++)
        b.dims[i] = fb_load_i32(r->bytes, shape.at + 4 * i);
    if (blockwise_in_range(&b)) {
        const struct fb_table scales = fb_item(r->graph, SubGraph_tensors, (size_t)b.scales);
        const struct tflite_span data = data_of(r, scales);
        uint64_t bytes;

        TRY(check_shape(r, scales, &b.scales_count, &bytes)); /* again: for the count */
        b.scales_type = tensor_type_runtime((int32_t)fb_int(scales, Tensor_type));
        if (data.present && !fb_sub(scales, Tensor_sparsity).at) {
            b.scales_data = r->bytes + data.at;
            r->used += bytes;
        }
    }
    if (fb_shared_too_often(r->used, r->count))
        return rules_fail(r, STATUS_INVALID, details, BlockwiseQuantization_scales, SIZE_MAX,
                          "%llu bytes of data so far, in a file of %zu: shared too often",
                          (unsigned long long)r->used, r->count);
    s = blockwise_check(&b, &fault);
    return s == STATUS_OK ? s : fail_blockwise(r, s, t, &fault);
}

enum status verify_tensor(struct rules *r, struct fb_table t, uint8_t *holds)
{
    const int64_t type = fb_int(t, Tensor_type);
    const size_t buffer = (size_t)fb_int(t, Tensor_buffer);
    struct tflite_span data;
    uint64_t elements = 0;

    if (type < 0 || type >= TENSOR_TYPE_COUNT)
        return rules_fail(r, type < 0 ? STATUS_INVALID : STATUS_UNSUPPORTED, t, Tensor_type,
                          SIZE_MAX, "%lld, not in 0..%d", (long long)type, TENSOR_TYPE_COUNT - 1);
    if (buffer != 0 && buffer >= r->buffers) /* 0: none, even where there are no buffers */
        return rules_fail(r, STATUS_INVALID, t, Tensor_buffer, SIZE_MAX,
                          "%zu, the model has %zu buffers", buffer, r->buffers);
    data = data_of(r, t);
    TRY(check_data(r, t, data, &elements));
    TRY(check_quantization(r, t));
    if (r->accept != ACCEPT_LEGAL && fb_sub(t, Tensor_sparsity).at)
        TRY(check_sparsity(r, t, data));
    if (r->accept != ACCEPT_LEGAL && fb_int(t, Tensor_external_buffer) != 0)
        return rules_fail(r, STATUS_UNSUPPORTED, t, Tensor_external_buffer, SIZE_MAX,
                          "%lld: data in other files is not supported",
                          (long long)fb_int(t, Tensor_external_buffer));
    if (data.present)
        *holds = HOLDS_CONSTANT;
    else if (fb_int(t, Tensor_is_variable))
        *holds = HOLDS_STATE;
    else if (elements == 0 && buffer != 0)
        *holds = HOLDS_EMPTY;
    return STATUS_OK;
}

/* Sparse constants of a host, which no verifier has seen: what fits is expanded, what does not is
 * named.  fuzz/hostile has the same of files. */
#include "reference/base/sparsity.h"
#include "reference/tests/kit/test.h"

#include <string.h>

enum { INTS_MAX = 16 };

/* A TfLiteIntArray with room for its elements. */
struct ints {
    int size;
    int data[INTS_MAX];
};
#define INTS(...)                                                                                  \
    {                                                                                              \
        (int)(sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int)),                                 \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* [4, 8] in blocks of [2, 4], of which rows store 1, none, and 2 */
struct host {
    struct ints dims, order, map, segments, indices;
    TfLiteDimensionMetadata levels[4];
    TfLiteSparsity sparsity;
    TfLiteTensor tensor;
    int8_t values[16];
};

static TfLiteIntArray *array(struct ints *v)
{
    return (TfLiteIntArray *)(void *)v;
}

static void host_init(struct host *h)
{
    *h = (struct host){ .dims = INTS(4, 8),
                        .order = INTS(0, 1, 3, 2),
                        .map = INTS(0, 1),
                        .segments = INTS(0, 1, 2),
                        .indices = INTS(1, 0) };
    h->levels[0] = (TfLiteDimensionMetadata){ .dense_size = 2 };
    h->levels[1] = (TfLiteDimensionMetadata){ kTfLiteDimSparseCSR, 0, array(&h->segments),
                                              array(&h->indices) };
    h->levels[2] = (TfLiteDimensionMetadata){ .dense_size = 4 };
    h->levels[3] = (TfLiteDimensionMetadata){ .dense_size = 2 };
    h->sparsity = (TfLiteSparsity){ array(&h->order), array(&h->map), h->levels, 4 };
    h->tensor = (TfLiteTensor){ .type = kTfLiteInt8,
                                .dims = array(&h->dims),
                                .data.int8 = h->values,
                                .bytes = 16,
                                .sparsity = &h->sparsity };
    for (int i = 0; i < 16; i++)
        h->values[i] = (int8_t)(i + 1);
}

TEST(blocks_are_expanded)
{
    static const int8_t dense[] = { 0, 0,  0,  0,  1, 3, 5, 7, 0,  0,  0,  0,  2, 4, 6, 8,
                                    9, 11, 13, 15, 0, 0, 0, 0, 10, 12, 14, 16, 0, 0, 0, 0 };
    struct sparse_layout layout;
    struct sparse_fault fault;
    struct host h;
    int8_t out[sizeof dense];

    host_init(&h);
    assert_int_equal(sparse_check_tensor(&h.tensor, &layout, &fault), STATUS_OK);
    assert_int_equal(layout.elements, sizeof dense);
    assert_int_equal(layout.stored, 16);
    sparse_expand(&layout, h.values, 1, out);
    assert_memory_equal(out, dense, sizeof dense);
}

/* A dimension of 0 stops what others ask for: 2^62 rows of nothing. */
TEST(nothing_is_expanded_to_nothing)
{
    struct sparse_layout layout;
    struct sparse_fault fault;
    struct host h;

    host_init(&h);
    h.dims = (struct ints)INTS(INT32_MAX, INT32_MAX, 0);
    h.order = (struct ints)INTS(0, 1, 2);
    h.map.size = 0;
    h.levels[0].dense_size = h.levels[1].dense_size = INT32_MAX;
    h.levels[1].format = kTfLiteDimDense;
    h.levels[2].dense_size = 0;
    h.sparsity.dim_metadata_size = 3;
    assert_int_equal(sparse_check_tensor(&h.tensor, &layout, &fault), STATUS_OK);
    assert_int_equal(layout.stored, 0);
    sparse_expand(&layout, h.values, 1, h.values);
}

#define EDIT(name_, ...)                                                                           \
    static void name_(struct host *h)                                                              \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    struct host

EDIT(no_order, h->sparsity.traversal_order = NULL);
EDIT(no_segments, h->levels[1].array_segments = NULL);
EDIT(no_indices, h->levels[1].array_indices = NULL);
EDIT(no_levels, h->sparsity.dim_metadata = NULL);
EDIT(no_data, h->tensor.data.raw = NULL);
EDIT(no_dims, h->tensor.dims = NULL);
EDIT(bytes, h->tensor.bytes = 15);
EDIT(type, h->tensor.type = kTfLiteString);
EDIT(negative, h->order.size = -1);
EDIT(map_long, h->map = (struct ints)INTS(0, 1, 0));
EDIT(map_negative, h->map.data[0] = -1);
EDIT(block_order, h->order.data[3] = 3);
EDIT(block_format, h->levels[3].format = kTfLiteDimSparseCSR);
EDIT(block_negative, h->levels[2].dense_size = -4);
EDIT(dims_negative, h->dims.data[0] = -4);
EDIT(levels_more, h->sparsity.dim_metadata_size = 5);
EDIT(many, h->levels[0].dense_size = h->dims.data[0] = INT32_MAX);
EDIT(rank, h->dims = (struct ints)INTS(1, 1, 1, 1, 1, 1, 1, 1, 1));

TEST(what_does_not_fit_is_named)
{
    static const struct {
        void (*change)(struct host *);
        enum status status;
        const char *part, *text;
    } rows[] = {
        { no_order, STATUS_INVALID, "traversal_order", "0 dimensions, expected the 4" },
        { negative, STATUS_INVALID, "traversal_order", "0 dimensions, expected the 4" },
        { block_order, STATUS_INVALID, "traversal_order", "3 a second time" },
        { rank, STATUS_UNSUPPORTED, "traversal_order", "rank 9, expected at most 8" },
        { map_long, STATUS_INVALID, "block_map", "3 dimensions of a block, the tensor has rank 2" },
        { map_negative, STATUS_INVALID, "block_map", "-1, expected 0 to 1" },
        { no_levels, STATUS_INVALID, "dim_metadata", "0 dimensions, expected the 4" },
        { levels_more, STATUS_INVALID, "dim_metadata", "5 dimensions, expected the 4" },
        { no_dims, STATUS_INVALID, "block_map", "the tensor has rank 0" },
        { dims_negative, STATUS_INVALID, "dim_metadata", "more elements than are counted" },
        { block_format, STATUS_UNSUPPORTED, "format", "1, expected 0 (dense) inside of a block" },
        { block_negative, STATUS_INVALID, "dense_size", "-4, expected a divisor of dimension 1" },
        { many, STATUS_INVALID, "dense_size", "2, expected a divisor of dimension 0" },
        { no_segments, STATUS_INVALID, "array_segments", "0 segments, expected 3" },
        { no_indices, STATUS_INVALID, "array_segments", "2, expected the number of indices, 0" },
        { no_data, STATUS_INVALID, "dim_metadata", "16 values of type i8, in 0 bytes" },
        { bytes, STATUS_INVALID, "dim_metadata", "16 values of type i8, in 15 bytes" },
        { type, STATUS_INVALID, "dim_metadata", "16 values of type" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sparse_layout layout;
        struct sparse_fault fault = { .index = 0 };
        struct host h;

        host_init(&h);
        rows[i].change(&h);
        if (sparse_check_tensor(&h.tensor, &layout, &fault) != rows[i].status ||
            strcmp(sparse_part_name(&fault), rows[i].part) != 0 ||
            !strstr(fault.text, rows[i].text))
            fail_msg("row %zu: %s: %s, expected %s: %s", i, sparse_part_name(&fault), fault.text,
                     rows[i].part, rows[i].text);
    }
}

TEST_FILE();

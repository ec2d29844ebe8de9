/* Sizes and constants of the imported graph. */
#include "reference/tests/kit/test.h"

#include "delegate/graph/graph.h"

static bool fits(int rank, const int32_t *dims, uint64_t range, size_t *bytes)
{
    const struct device_limits limits = { .max_storage_buffer_range = range };
    struct graph_tensor t = { .rank = rank };

    for (int i = 0; i < rank; i++)
        t.dims[i] = dims[i];
    return graph_tensor_fits(&t, &limits, bytes);
}

/* Four channels of f32 are a slice of 16 bytes. */
TEST(test_bytes)
{
    size_t bytes;

    assert_true(fits(0, NULL, 16, &bytes));
    assert_int_equal(bytes, 16);
    assert_true(fits(2, (int32_t[]){ 3, 5 }, 96, &bytes));
    assert_int_equal(bytes, 96);
    assert_false(fits(2, (int32_t[]){ 3, 5 }, 95, &bytes));
    assert_int_equal(bytes, 96);
    /* Offsets of bytes in shaders have 32 bits. */
    assert_true(fits(2, (int32_t[]){ (1 << 28) - 1, 4 }, UINT64_MAX, &bytes));
    assert_false(fits(2, (int32_t[]){ 1 << 28, 4 }, UINT64_MAX, &bytes));
}

/* Rows, slices and bytes that no size_t holds, and an unknown rank. */
TEST(test_sizes_wrap)
{
    static const int32_t sizes[][4] = {
        { INT32_MAX, INT32_MAX, INT32_MAX, 4 }, /* rows */
        { 1, INT32_MAX, INT32_MAX, INT32_MAX }, /* slices */
        { 1, INT32_MAX, INT32_MAX, 4 },         /* bytes */
        { 1 << 30, 1 << 30, 1 << 4, 4 },        /* 2^64 rows */
        { 1 << 30, 1 << 30, 1 << 2, 16 },       /* 2^64 slices */
    };
    size_t bytes;

    assert_false(fits(-1, NULL, UINT64_MAX, &bytes));
    assert_true(bytes == SIZE_MAX);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_false(fits(4, sizes[i], UINT64_MAX, &bytes));
        assert_true(bytes == SIZE_MAX);
    }
}

TEST(test_constant_ints)
{
    const int32_t values[] = { 7, 7, 8 };
    struct graph_tensor t = {
        .type = kTfLiteInt32, .data = values, .rank = 1, .dims = { 2 }, .elements = 2
    };
    const struct graph g = { .tensors = &t, .tensor_count = 1 };

    assert_true(graph_constant_ints_are(&g, 0, 7));
    assert_false(graph_constant_ints_are(&g, 0, 8));
    t.dims[0] = 3;
    t.elements = 3;
    assert_false(graph_constant_ints_are(&g, 0, 7));
}

/* By the index, where the import has made one, as by looking at all nodes. */
TEST(test_find_node)
{
    struct graph_node nodes[] = { { .host_node = 1 }, { .host_node = 3 } };
    int node_at[] = { -1, 0, -1, 1 };
    struct graph g = { .nodes = nodes, .node_count = 2, .host_node_count = 4 };

    for (int i = 0; i < 2; i++) {
        assert_null(graph_find_node(&g, -1));
        assert_null(graph_find_node(&g, 0));
        assert_ptr_equal(graph_find_node(&g, 1), &nodes[0]);
        assert_null(graph_find_node(&g, 2));
        assert_ptr_equal(graph_find_node(&g, 3), &nodes[1]);
        assert_null(graph_find_node(&g, 4));
        g.node_at = node_at;
    }
}

/* Random graphs of 8-bit and i16 nodes of all kinds but products, on the device: results in place
 * of operands, memory that is used again, views.  Skipped where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

enum { TENSORS = 64 };

struct graph8 {
    struct exact_model m;
    int32_t type;
    struct {
        int tensor;
        struct exact_quant q;
        int32_t dims[4];
        bool read;
    } at[TENSORS];
    int count;
};

/* What LOGISTIC and SOFTMAX have. */
static struct exact_quant unit(const struct graph8 *g)
{
    if (g->type == TENSOR_INT16)
        return (struct exact_quant){ 1. / 32768, 0 };
    return (struct exact_quant){ 1. / 256, g->type == TENSOR_INT8 ? -128 : 0 };
}

static int add(struct graph8 *g, struct exact_quant q, const int32_t *dims)
{
    assert_true(g->count < TENSORS);
    g->at[g->count].tensor = exact_tensor(&g->m, g->type, q, 4, dims);
    g->at[g->count].q = q;
    g->at[g->count].read = false;
    memcpy(g->at[g->count].dims, dims, sizeof g->at[0].dims);
    return g->at[g->count++].tensor;
}

/* Near the end more often than not. */
static int pick(struct graph8 *g)
{
    const int i = g->count - 1 - kit_below(&g->m.random, g->count < 6 ? g->count : 6);

    g->at[i].read = true;
    return i;
}

/* Another tensor of i's shape but for one dim (-1: none), and of its scale where that is asked for.
 */
static int partner(struct graph8 *g, int i, int but, bool scaled)
{
    const int first = kit_below(&g->m.random, g->count);

    for (int n = 0; n < g->count; n++) {
        const int j = (first + n) % g->count;
        bool fits = !scaled || (g->at[j].q.scale == g->at[i].q.scale && /* the same one */
                                g->at[j].q.zero == g->at[i].q.zero);

        for (int d = 0; d < 4; d++)
            fits &= d == but || g->at[j].dims[d] == g->at[i].dims[d];
        if (fits) {
            g->at[j].read = true;
            return j;
        }
    }
    return i;
}

static void elementwise(struct graph8 *g, int i)
{
    static const struct {
        int32_t code;
        uint8_t options;
    } ops[] = { { BUILTIN_ADD, OPTIONS_AddOptions },
                { BUILTIN_SUB, OPTIONS_SubOptions },
                { BUILTIN_MUL, OPTIONS_MulOptions },
                { BUILTIN_MAXIMUM, OPTIONS_MaximumMinimumOptions } };
    const int op = kit_below(&g->m.random, 4), j = partner(g, i, -1, op == 3);
    const struct exact_quant q = op == 3 ? g->at[i].q : exact_random_quant(&g->m.random, g->type);
    const int y = add(g, q, g->at[i].dims);
    struct options o;

    options_init(&o, ops[op].options);
    builder_op(&g->m.b, ops[op].code, 1, &o, 2, (int[]){ g->at[i].tensor, g->at[j].tensor }, 1, &y);
}

static void unary(struct graph8 *g, int i)
{
    static const int32_t codes[] = { BUILTIN_RELU, BUILTIN_RELU6, BUILTIN_LOGISTIC,
                                     BUILTIN_QUANTIZE };
    const int32_t code = codes[kit_below(&g->m.random, 4)];
    struct exact_quant q = exact_random_quant(&g->m.random, g->type);
    int y;

    if (code == BUILTIN_LOGISTIC)
        q = unit(g);
    y = add(g, q, g->at[i].dims);
    builder_op(&g->m.b, code, 1, NULL, 1, &g->at[i].tensor, 1, &y);
}

static void pool(struct graph8 *g, int i)
{
    const bool max = kit_below(&g->m.random, 2), all = kit_below(&g->m.random, 3) == 0;
    const int32_t *const x = g->at[i].dims;
    const int32_t h = all ? x[1] : 2, w = all ? x[2] : 2;
    const int32_t dims[] = { 1, all ? 1 : (x[1] + 1) / 2, all ? 1 : (x[2] + 1) / 2, x[3] };
    const int y = add(g, g->at[i].q, dims);
    struct options o;

    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "padding", all ? 1 : 0);
    options_set_int(&o, "stride_w", all ? 1 : 2);
    options_set_int(&o, "stride_h", all ? 1 : 2);
    options_set_int(&o, "filter_height", h);
    options_set_int(&o, "filter_width", w);
    builder_op(&g->m.b, max ? BUILTIN_MAX_POOL_2D : BUILTIN_AVERAGE_POOL_2D, 1, &o, 1,
               &g->at[i].tensor, 1, &y);
}

static void concatenation(struct graph8 *g, int i)
{
    const int axis = 1 + kit_below(&g->m.random, 3);
    const int j = partner(g, i, axis, g->type != TENSOR_UINT8);
    struct exact_quant q = g->at[i].q;
    int32_t dims[4];
    struct options o;
    int y;

    memcpy(dims, g->at[i].dims, sizeof dims);
    dims[axis] += g->at[j].dims[axis];
    if (dims[axis] > 40)
        return;
    if (g->type == TENSOR_UINT8 && kit_below(&g->m.random, 2))
        q = exact_random_quant(&g->m.random, g->type);
    options_init(&o, OPTIONS_ConcatenationOptions);
    options_set_int(&o, "axis", axis);
    y = add(g, q, dims);
    builder_op(&g->m.b, BUILTIN_CONCATENATION, 1, &o, 2,
               (int[]){ g->at[i].tensor, g->at[j].tensor }, 1, &y);
}

static void reshape(struct graph8 *g, int i)
{
    const int32_t *const x = g->at[i].dims;
    const int32_t dims[] = { 1, x[3], x[1], x[2] };
    const int shape = builder_constant(&g->m.b, TENSOR_INT32, "s", 1, (int32_t[]){ 4 }, dims, 16);
    const int y = add(g, g->at[i].q, dims);
    struct options o;

    options_init(&o, OPTIONS_ReshapeOptions);
    builder_op(&g->m.b, BUILTIN_RESHAPE, 1, &o, 2, (int[]){ g->at[i].tensor, shape }, 1, &y);
}

static void pad(struct graph8 *g, int i)
{
    const int32_t pads[] = { 0, 0, 1, 0, 0, 2, kit_below(&g->m.random, 2), 1 };
    const int p = builder_constant(&g->m.b, TENSOR_INT32, "p", 2, (int32_t[]){ 4, 2 }, pads, 32);
    int32_t dims[4];
    int y;

    for (int d = 0; d < 4; d++)
        dims[d] = g->at[i].dims[d] + pads[2 * d] + pads[2 * d + 1];
    y = add(g, g->at[i].q, dims);
    builder_op(&g->m.b, BUILTIN_PAD, 1, NULL, 2, (int[]){ g->at[i].tensor, p }, 1, &y);
}

/* Every other row and column. */
static void slice(struct graph8 *g, int i)
{
    const int32_t *const x = g->at[i].dims;
    const int32_t begin[4] = { 0 }, strides[] = { 1, 2, 2, 1 };
    const int32_t dims[] = { 1, (x[1] + 1) / 2, (x[2] + 1) / 2, x[3] };
    struct options o;
    int k[3], y;

    k[0] = builder_constant(&g->m.b, TENSOR_INT32, "b", 1, (int32_t[]){ 4 }, begin, 16);
    k[1] = builder_constant(&g->m.b, TENSOR_INT32, "e", 1, (int32_t[]){ 4 }, x, 16);
    k[2] = builder_constant(&g->m.b, TENSOR_INT32, "s", 1, (int32_t[]){ 4 }, strides, 16);
    options_init(&o, OPTIONS_StridedSliceOptions);
    y = add(g, g->at[i].q, dims);
    builder_op(&g->m.b, BUILTIN_STRIDED_SLICE, 1, &o, 4,
               (int[]){ g->at[i].tensor, k[0], k[1], k[2] }, 1, &y);
}

static void resize(struct graph8 *g, int i)
{
    const int32_t *const x = g->at[i].dims;
    const int32_t dims[] = { 1, 2 + x[1] / 2, 1 + x[2], x[3] };
    const int k = builder_constant(&g->m.b, TENSOR_INT32, "k", 1, (int32_t[]){ 2 }, &dims[1], 8);
    const int y = add(g, g->at[i].q, dims);
    struct options o;

    options_init(&o, OPTIONS_ResizeBilinearOptions);
    options_set_int(&o, "half_pixel_centers", 1);
    builder_op(&g->m.b, BUILTIN_RESIZE_BILINEAR, 1, &o, 2, (int[]){ g->at[i].tensor, k }, 1, &y);
}

static void mean(struct graph8 *g, int i)
{
    const int32_t axis = 1 + kit_below(&g->m.random, 3);
    const int a = builder_constant(&g->m.b, TENSOR_INT32, "a", 1, (int32_t[]){ 1 }, &axis, 4);
    int32_t dims[4];
    struct options o;
    int y;

    memcpy(dims, g->at[i].dims, sizeof dims);
    dims[axis] = 1;
    options_init(&o, OPTIONS_ReducerOptions);
    options_set_int(&o, "keep_dims", 1);
    y = add(g, exact_random_quant(&g->m.random, g->type), dims);
    builder_op(&g->m.b, BUILTIN_MEAN, 1, &o, 2, (int[]){ g->at[i].tensor, a }, 1, &y);
}

static void softmax(struct graph8 *g, int i)
{
    const int y = add(g, unit(g), g->at[i].dims);
    struct options o;

    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", 1);
    builder_op(&g->m.b, BUILTIN_SOFTMAX, 1, &o, 1, &g->at[i].tensor, 1, &y);
}

/* Through floats, which take the scale of i along. */
static void floats(struct graph8 *g, int i)
{
    const int f =
        exact_tensor(&g->m, TENSOR_FLOAT32, (struct exact_quant){ 0, 0 }, 4, g->at[i].dims);
    const int y = add(g, exact_random_quant(&g->m.random, g->type), g->at[i].dims);

    builder_op(&g->m.b, BUILTIN_DEQUANTIZE, 1, NULL, 1, &g->at[i].tensor, 1, &f);
    builder_op(&g->m.b, BUILTIN_QUANTIZE, 1, NULL, 1, &f, 1, &y);
}

static void node(struct graph8 *g)
{
    static void (*const kinds[])(struct graph8 *,
                                 int) = { elementwise, elementwise, elementwise,   unary,   unary,
                                          pool,        pad,         concatenation, reshape, slice,
                                          resize,      mean,        softmax,       floats };

    kinds[kit_below(&g->m.random, sizeof kinds / sizeof kinds[0])](g, pick(g));
}

static void graphs(const char *precision, uint64_t first, uint64_t last, bool shorts)
{
    TfLiteDelegate *const d = exact_delegate(precision);

    for (uint64_t seed = first; seed <= last; seed++) {
        const int nodes = 3 + (int)(seed % 20);
        int32_t dims[4] = { 1 };
        int ends[TENSORS], count = 0, x;
        struct graph8 g = { .type = shorts ? TENSOR_INT16 : seed % 2 ? TENSOR_INT8 : TENSOR_UINT8 };

        exact_begin(&g.m, seed);
        for (int i = 1; i < 4; i++)
            dims[i] = 2 + kit_below(&g.m.random, 12);
        x = add(&g, exact_random_quant(&g.m.random, g.type), dims);
        for (int i = 0; i < nodes; i++)
            node(&g);
        if (g.count == 1)
            elementwise(&g, 0);
        for (int i = 1; i < g.count; i++)
            if (!g.at[i].read || seed % 5 == 0)
                ends[count++] = g.at[i].tensor;
        builder_inputs(&g.m.b, 1, &x);
        builder_outputs(&g.m.b, (size_t)count, ends);
        exact_check(&g.m, d, 2, NULL);
    }
    tflite_plugin_destroy_delegate(d);
}

TEST(random_graphs)
{
    EXACT_NEEDS_DEVICE;
    graphs("fp32", 1, 60, false);
}

/* Integers have no other values there, and floats that only pass between them stay f32. */
TEST(random_graphs_fp16)
{
    EXACT_NEEDS_DEVICE;
    graphs("fp16", 61, 90, false);
}

TEST(random_graphs_of_shorts)
{
    EXACT_NEEDS_DEVICE;
    graphs("fp32", 91, 115, true);
    graphs("fp16", 116, 125, true);
}

/* Random graphs of 8-bit and i16 nodes of all kinds but products, on the device: results in place
 * of operands, memory that is used again, views.  Skipped where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

enum { TENSORS = 64 };

/* Tensor i of the text is ti. */
struct graph8 {
    struct exact_model *m;
    const char *type;
    struct {
        struct exact_quant q;
        int32_t dims[4];
        bool read;
    } at[TENSORS];
    int count;
};

/* What LOGISTIC and SOFTMAX have. */
static struct exact_quant unit(const struct graph8 *g)
{
    if (strcmp(g->type, "i16") == 0)
        return (struct exact_quant){ 1. / 32768, 0 };
    return (struct exact_quant){ 1. / 256, g->type[0] == 'i' ? -128 : 0 };
}

static struct exact_quant any(const struct graph8 *g)
{
    return exact_random_quant(&g->m->random, g->type);
}

/* Near the end more often than not. */
static int pick(struct graph8 *g)
{
    const int i = g->count - 1 - kit_below(&g->m->random, g->count < 6 ? g->count : 6);

    g->at[i].read = true;
    return i;
}

/* Another tensor of i's shape but for one dim (-1: none), and of its scale where that is asked for.
 */
static int partner(struct graph8 *g, int i, int but, bool scaled)
{
    const int first = kit_below(&g->m->random, g->count);

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

/* Ends an operator with its result; the first one is the input. */
static void result(struct graph8 *g, struct exact_quant q, const int32_t *dims)
{
    assert_true(g->count < TENSORS);
    g->at[g->count].q = q;
    g->at[g->count].read = false;
    memcpy(g->at[g->count].dims, dims, sizeof g->at[0].dims);
    exact_add(g->m, "%s t%d:%s\n", g->count ? " ->" : "", g->count,
              exact_text(g->type, q, 4, dims));
    g->count++;
}

static void elementwise(struct graph8 *g, int i)
{
    static const char *const ops[] = { "ADD {}", "SUB {}", "MUL {}", "MAXIMUM {}" };
    const int op = kit_below(&g->m->random, 4), j = partner(g, i, -1, op == 3);

    exact_add(g->m, "%s t%d t%d", ops[op], i, j);
    result(g, op == 3 ? g->at[i].q : any(g), g->at[i].dims);
}

static void unary(struct graph8 *g, int i)
{
    static const char *const ops[] = { "RELU", "RELU6", "LOGISTIC", "QUANTIZE" };
    const int op = kit_below(&g->m->random, 4);

    exact_add(g->m, "%s t%d", ops[op], i);
    result(g, op == 2 ? unit(g) : any(g), g->at[i].dims);
}

static void pool(struct graph8 *g, int i)
{
    const bool max = kit_below(&g->m->random, 2), all = kit_below(&g->m->random, 3) == 0;
    const int32_t *const x = g->at[i].dims;

    exact_add(
        g->m,
        "%s_POOL_2D {padding=%s stride_w=%d stride_h=%d filter_height=%d filter_width=%d} t%d",
        max ? "MAX" : "AVERAGE", all ? "VALID" : "SAME", all ? 1 : 2, all ? 1 : 2, all ? x[1] : 2,
        all ? x[2] : 2, i);
    result(g, g->at[i].q,
           (int32_t[]){ 1, all ? 1 : (x[1] + 1) / 2, all ? 1 : (x[2] + 1) / 2, x[3] });
}

static void concatenation(struct graph8 *g, int i)
{
    const int axis = 1 + kit_below(&g->m->random, 3);
    const bool scaled = strcmp(g->type, "u8") != 0;
    const int j = partner(g, i, axis, scaled);
    int32_t dims[4];

    memcpy(dims, g->at[i].dims, sizeof dims);
    dims[axis] += g->at[j].dims[axis];
    if (dims[axis] > 40)
        return;
    exact_add(g->m, "CONCATENATION {axis=%d} t%d t%d", axis, i, j);
    result(g, !scaled && kit_below(&g->m->random, 2) ? any(g) : g->at[i].q, dims);
}

static void reshape(struct graph8 *g, int i)
{
    const int32_t *const x = g->at[i].dims;

    exact_add(g->m, "RESHAPE {} t%d i32[4]=1,%d,%d,%d", i, x[3], x[1], x[2]);
    result(g, g->at[i].q, (int32_t[]){ 1, x[3], x[1], x[2] });
}

static void pad(struct graph8 *g, int i)
{
    const int32_t *const x = g->at[i].dims;
    const int32_t before = kit_below(&g->m->random, 2);

    exact_add(g->m, "PAD t%d i32[4,2]=0,0,1,0,0,2,%d,1", i, before);
    result(g, g->at[i].q, (int32_t[]){ 1, x[1] + 1, x[2] + 2, x[3] + before + 1 });
}

/* Every other row and column. */
static void slice(struct graph8 *g, int i)
{
    const int32_t *const x = g->at[i].dims;

    exact_add(g->m, "STRIDED_SLICE {} t%d i32[4]=0 i32[4]=1,%d,%d,%d i32[4]=1,2,2,1", i, x[1], x[2],
              x[3]);
    result(g, g->at[i].q, (int32_t[]){ 1, (x[1] + 1) / 2, (x[2] + 1) / 2, x[3] });
}

static void resize(struct graph8 *g, int i)
{
    const int32_t *const x = g->at[i].dims;

    exact_add(g->m, "RESIZE_BILINEAR {half_pixel_centers=true} t%d i32[2]=%d,%d", i, 2 + x[1] / 2,
              1 + x[2]);
    result(g, g->at[i].q, (int32_t[]){ 1, 2 + x[1] / 2, 1 + x[2], x[3] });
}

static void mean(struct graph8 *g, int i)
{
    const int axis = 1 + kit_below(&g->m->random, 3);
    int32_t dims[4];

    memcpy(dims, g->at[i].dims, sizeof dims);
    dims[axis] = 1;
    exact_add(g->m, "MEAN {keep_dims=true} t%d i32[1]=%d", i, axis);
    result(g, any(g), dims);
}

static void softmax(struct graph8 *g, int i)
{
    exact_add(g->m, "SOFTMAX {beta=1} t%d", i);
    result(g, unit(g), g->at[i].dims);
}

/* Through floats, which take the scale of i along. */
static void floats(struct graph8 *g, int i)
{
    exact_add(g->m, "DEQUANTIZE t%d -> f%d:f32; QUANTIZE f%d", i, g->count, g->count);
    result(g, any(g), g->at[i].dims);
}

static void node(struct graph8 *g)
{
    static void (*const kinds[])(struct graph8 *,
                                 int) = { elementwise, elementwise, elementwise,   unary,   unary,
                                          pool,        pad,         concatenation, reshape, slice,
                                          resize,      mean,        softmax,       floats };

    kinds[kit_below(&g->m->random, sizeof kinds / sizeof kinds[0])](g, pick(g));
}

static void graph(struct exact_model *m, uint64_t seed, const char *type)
{
    const int nodes = 3 + (int)(seed % 20);
    int32_t dims[4] = { 1 };
    struct graph8 g = { .m = m, .type = type };

    for (int i = 1; i < 4; i++)
        dims[i] = 2 + kit_below(&m->random, 12);
    exact_add(m, "tensors");
    result(&g, any(&g), dims);
    for (int i = 0; i < nodes; i++)
        node(&g);
    if (g.count == 1)
        elementwise(&g, 0);
    exact_add(m, "outputs");
    for (int i = 1; i < g.count; i++)
        if (!g.at[i].read || seed % 5 == 0)
            exact_add(m, " t%d", i);
    m->times = 2;
}

static void bytes(struct exact_model *m, uint64_t seed)
{
    graph(m, seed, seed % 2 ? "i8" : "u8");
}

static void shorts(struct exact_model *m, uint64_t seed)
{
    graph(m, seed, "i16");
}

TEST(random_graphs)
{
    exact_run("fp32", 1, 60, bytes);
}

/* Integers have no other values there, and floats that only pass between them stay f32. */
TEST(random_graphs_fp16)
{
    exact_run("fp16", 61, 90, bytes);
}

TEST(random_graphs_of_shorts)
{
    exact_run("fp32", 91, 115, shorts);
    exact_run("fp16", 116, 125, shorts);
}

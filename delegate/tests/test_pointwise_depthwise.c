/* Plans of a 1x1 convolution and the depthwise one behind it, for devices with matrix units that
 * need not be here: one step of both where that is right, two wherever it would not be. */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/product/pointwise_depthwise.args.h"
#include "delegate/ops/product/pointwise_depthwise.h"
#include "delegate/shaders/spirv.h"
#include "tensorflow/lite/c/builtin_op_data.h"

/* A device like an H200, or, with 8, like lavapipe of Mesa 26. */
static struct device_limits limits_of(enum matrix_kind kind, uint32_t tile)
{
    struct device_limits l = gpu_large_limits();

    l.device_class = tile == 16 ? DEVICE_NVIDIA : DEVICE_SOFTWARE;
    l.max_shared_memory_bytes = tile == 16 ? 49152 : 32768;
    l.matrix = (struct device_matrix){
        .kind = kind, .tile = tile, .subgroup_size = tile * tile / 8, .fragments = true
    };
    for (uint32_t i = 0; i < tile * tile; i++)
        l.matrix.order[i] = (uint8_t)i;
    return l;
}

/* ---- workgroups ---- */

struct image {
    uint32_t size, channels, outputs, stride;
};

static bool find(struct pointwise_depthwise *t, const struct device_limits *l,
                 const struct image *im, int filter, uint64_t images)
{
    const struct window window = { kTfLitePaddingSame, filter, filter, (int)im->stride,
                                   (int)im->stride,    1,      1 };
    const uint32_t out = (im->size + im->stride - 1) / im->stride;
    const struct window_args args = { .in_h = im->size,
                                      .in_w = im->size,
                                      .in_slices = (im->channels + 3) / 4,
                                      .out_h = out,
                                      .out_w = out,
                                      .out_slices = (im->outputs + 3) / 4 };

    return pointwise_depthwise_of(t, l, &window, &args, im->channels, images,
                                  &(struct reason_of){ .reasons = NULL });
}

/* What pointwise_depthwise.comp relies on. */
static void check(const struct pointwise_depthwise *t, const struct device_limits *l,
                  const struct image *im, int filter)
{
    const uint32_t tile = l->matrix.tile, rows = tile * t->subgroups;
    const uint32_t threads = t->subgroups * t->shares * l->matrix.subgroup_size;
    const uint32_t columns = tile * POINTWISE_DEPTHWISE_BLOCK / 4;
    const uint32_t units = (im->channels + tile - 1) / tile * (tile / 8);

    assert_true(t->out_rows == 1 || t->out_rows == 2);
    assert_true(((t->out_rows - 1) * im->stride + (uint32_t)filter) * im->size <= rows);
    assert_true(threads <= l->max_workgroup_invocations && threads <= l->max_workgroup_size[0]);
    /* Each invocation computes one slice of outputs, and stages at most so many units. */
    assert_int_equal(threads % columns, 0);
    assert_true(rows * units <= POINTWISE_DEPTHWISE_STAGED * threads);
    assert_true(16 * rows * (units + 1) <= l->max_shared_memory_bytes);
    assert_true(16 * t->shares * rows * (columns + 1) <= l->max_shared_memory_bytes);
}

TEST(workgroups_keep_the_limits)
{
    uint64_t random = 5;
    int found = 0;

    for (int i = 0; i < 20000; i++) {
        struct device_limits l = limits_of(MATRIX_NV, i % 2 ? 16 : 8);
        const struct image im = { 1 + (uint32_t)kit_below(&random, 40),
                                  1 + (uint32_t)kit_below(&random, 400),
                                  1 + (uint32_t)kit_below(&random, 400),
                                  1 + (uint32_t)kit_below(&random, 2) };
        const int filter = 1 + kit_below(&random, 3);
        struct pointwise_depthwise t, batch;

        if (i % 5 == 0)
            l.max_shared_memory_bytes = 1024u << kit_below(&random, 7);
        if (i % 7 == 0)
            l.max_workgroup_invocations = 32u << kit_below(&random, 6);
        if (i % 11 == 0)
            l.max_workgroup_size[0] = 32u << kit_below(&random, 6);
        if (!find(&t, &l, &im, filter, 1))
            continue;
        check(&t, &l, &im, filter);
        found++;
        /* A batch has the bits of its images: the same order of the sum. */
        assert_true(find(&batch, &l, &im, filter, 7));
        assert_memory_equal(&batch, &t, sizeof t);
    }
    assert_true(found > 5000);
}

/* Layers of MobileNet v1 and v2, and whether one dispatch was faster than two on an H200. */
TEST(layers_of_nets)
{
    static const struct {
        struct image image;
        bool faster;
    } layers[] = {
        { { 112, 16, 96, 2 }, false },  { { 56, 64, 128, 1 }, false },
        { { 56, 128, 128, 2 }, true },  { { 28, 128, 256, 1 }, true },
        { { 28, 256, 256, 2 }, false }, { { 14, 256, 512, 1 }, true },
        { { 14, 512, 512, 1 }, false }, { { 7, 512, 1024, 1 }, true },
        { { 28, 32, 192, 1 }, true },   { { 28, 32, 192, 2 }, true },
        { { 14, 64, 384, 1 }, true },   { { 14, 96, 576, 2 }, true },
        { { 7, 160, 960, 1 }, true },
    };
    const struct device_limits l = limits_of(MATRIX_NV, 16);

    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        struct pointwise_depthwise t;

        if (find(&t, &l, &layers[i].image, 3, 1) != layers[i].faster)
            fail_msg("layer %zu: expected %s", i, layers[i].faster ? "one step" : "two steps");
    }
}

TEST(no_workgroup)
{
    const struct image im = { 14, 64, 384, 1 };
    struct device_limits l = limits_of(MATRIX_NV, 16);
    struct pointwise_depthwise t;

    assert_true(find(&t, &l, &im, 3, 1));
    assert_false(find(&t, &l, &im, 4, 1)); /* more taps than an invocation keeps */
    l.max_workgroup_count[1] = 6;          /* of two rows each */
    assert_false(find(&t, &l, &im, 3, 1));
    l.max_workgroup_count[1] = 7;
    assert_true(find(&t, &l, &im, 3, 1));
    assert_false(find(&t, &l, &im, 3, 2));
    l = limits_of(MATRIX_NV, 16);
    l.max_workgroup_count[0] = 11; /* of 32 outputs each */
    assert_false(find(&t, &l, &im, 3, 1));
    l = limits_of(MATRIX_NV, 16);
    l.max_workgroup_invocations = 127; /* 56 pixels are four tiles, a subgroup each */
    assert_false(find(&t, &l, &im, 3, 1));
    l = limits_of(MATRIX_NV, 16);
    l.max_shared_memory_bytes = 8192;
    assert_false(find(&t, &l, &im, 3, 1));
    l = limits_of(MATRIX_NONE, 16);
    assert_false(find(&t, &l, &im, 3, 1));
}

/* ---- plans of both nodes ---- */

enum { SIDE = 6, IN = 5, OUT = 10, TAPS = 9 };
enum { X, WEIGHTS, BETWEEN, WINDOW, Y, OTHER, TENSORS };
struct request {
    const struct device_limits *limits; /* NULL: of matrix units */
    const char *no_kernel, *precision;
    int dilation_w, dilation_h; /* 0: 1 */
    bool shown, read_twice, apart, computed_bias;
};

static struct graph_tensor tensor_of(int n, int h, int w, int c, const void *data)
{
    return (struct graph_tensor){ .name = "",
                                  .type = kTfLiteFloat32,
                                  .rank = 4,
                                  .dims = { n, h, w, c },
                                  .elements = (size_t)n * (size_t)h * (size_t)w * (size_t)c,
                                  .data = data,
                                  .producer = -1,
                                  .dequantized_from = -1 };
}

static struct graph_node node_of(int code, const char *name, const void *params, const int *inputs,
                                 int input_count, const int *outputs)
{
    return (struct graph_node){ .op = gpu_op_find(code),
                                .code = code,
                                .version = 1,
                                .name = name,
                                .params = params,
                                .inputs = inputs,
                                .outputs = outputs,
                                .input_count = input_count,
                                .output_count = 1 };
}

/* RELU of x becomes OTHER where it is asked for: between the two, or behind them. */
static void plan_pair(struct plan *plan, const struct request *r)
{
    static const float weights[OUT * IN] = { 1 }, window[TAPS * OUT] = { 1 };
    static const int nodes[] = { 0, 1, 2 }, conv_in[] = { X, WEIGHTS }, between[] = { BETWEEN };
    static const int depthwise_in[] = { BETWEEN, WINDOW, -1 }, y[] = { Y }, x[] = { X, OTHER };
    static const int other[] = { OTHER }, biased[] = { BETWEEN, WINDOW, OTHER };
    const TfLiteConvParams conv = { .padding = kTfLitePaddingSame,
                                    .stride_width = 1,
                                    .stride_height = 1,
                                    .dilation_width_factor = 1,
                                    .dilation_height_factor = 1 };
    const TfLiteDepthwiseConvParams depthwise = { .padding = kTfLitePaddingSame,
                                                  .stride_width = 1,
                                                  .stride_height = 1,
                                                  .depth_multiplier = 1,
                                                  .dilation_width_factor =
                                                      r->dilation_w ? r->dilation_w : 1,
                                                  .dilation_height_factor =
                                                      r->dilation_h ? r->dilation_h : 1 };
    struct graph_tensor t[TENSORS] = {
        [X] = tensor_of(1, SIDE, SIDE, IN, NULL),
        [WEIGHTS] = tensor_of(OUT, 1, 1, IN, weights),
        [BETWEEN] = tensor_of(1, SIDE, SIDE, OUT, NULL),
        [WINDOW] = tensor_of(1, 3, 3, OUT, window),
        [Y] = tensor_of(1, SIDE, SIDE, OUT, NULL),
        [OTHER] = tensor_of(1, SIDE, SIDE, r->read_twice ? OUT : IN, NULL),
    };
    const struct graph_node first = node_of(BUILTIN_CONV_2D, "CONV_2D", &conv, conv_in, 2, between);
    const struct graph_node second =
        node_of(BUILTIN_DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D", &depthwise,
                r->computed_bias ? biased : depthwise_in, r->computed_bias ? 3 : 2, y);
    const struct graph_node third =
        node_of(BUILTIN_RELU, "RELU", NULL, r->read_twice ? between : conv_in, 1, other);
    const bool three = r->apart || r->read_twice;
    struct graph_node list[] = { first, second, third };
    const struct graph graph = {
        .tensors = t, .tensor_count = TENSORS, .nodes = list, .node_count = three ? 3 : 2
    };
    const int outputs[] = { Y, r->shown ? BETWEEN : OTHER };
    const char *const pairs[] = { "precision", r->precision ? r->precision : "fp16",
                                  r->no_kernel ? "no_kernel" : NULL, r->no_kernel, NULL };
    const struct device_limits limits = limits_of(MATRIX_NV, 16);
    struct gpu_options options CLOSED_BY(options_close) = gpu_options_of(pairs);
    const struct plan_request request = { .graph = &graph,
                                          .options = &options,
                                          .limits = r->limits ? r->limits : &limits,
                                          .nodes = nodes,
                                          .node_count = graph.node_count,
                                          .inputs = x,
                                          .input_count = r->computed_bias ? 2 : 1,
                                          .outputs = outputs,
                                          .output_count = three || r->shown ? 2 : 1 };

    if (r->computed_bias)
        t[OTHER] = (struct graph_tensor){ .name = "",
                                          .type = kTfLiteFloat32,
                                          .rank = 1,
                                          .dims = { OUT },
                                          .elements = OUT,
                                          .producer = -1,
                                          .dequantized_from = -1 };
    if (r->apart) {
        list[1] = third;
        list[2] = second;
    }
    for (int i = 0; i < graph.node_count; i++) {
        list[i].host_node = i;
        t[list[i].outputs[0]].producer = i;
    }
    KIT_OK(plan_make(plan, &request, &err));
}

/* Steps whose shader's name begins so. */
static int count(const struct request *r, const char *shader)
{
    int found = 0;
    struct plan plan CLOSED_BY(plan_close);

    plan_pair(&plan, r);
    for (int i = 0; i < plan.step_count; i++)
        found += strncmp(plan.steps[i]->shader, shader, strlen(shader)) == 0;
    return found;
}

static void one_step(const struct request *r)
{
    assert_int_equal(count(r, "pointwise_depthwise."), 1);
    assert_int_equal(count(r, "matrix."), 0);
    assert_int_equal(count(r, "depthwise_"), 0);
}

static void two_steps(const struct request *r)
{
    assert_int_equal(count(r, "pointwise_depthwise."), 0);
    assert_int_equal(count(r, "depthwise_"), 1);
    assert_int_equal(count(r, "matrix.") + count(r, "gemm") + count(r, "conv_2d"), 1);
}

TEST(plans_a_pair)
{
    const struct device_limits khr = limits_of(MATRIX_KHR, 8), none = limits_of(MATRIX_NONE, 16);

    one_step(&(struct request){ 0 });
    one_step(&(struct request){ .limits = &khr });
    one_step(&(struct request){ .no_kernel = "gemm" });
    assert_non_null(spirv_find("pointwise_depthwise.nv12"));
    two_steps(&(struct request){ .limits = &none });
    two_steps(&(struct request){ .no_kernel = "pointwise_depthwise" });
    two_steps(&(struct request){ .no_kernel = "matrix" });
    two_steps(&(struct request){ .precision = "fp32" });
    two_steps(&(struct request){ .dilation_w = 2 });
    two_steps(&(struct request){ .dilation_h = 2 });
    two_steps(&(struct request){ .computed_bias = true });
}

/* What is between the two is needed elsewhere, or a node between them might overwrite x. */
TEST(plans_two)
{
    two_steps(&(struct request){ .shown = true });
    two_steps(&(struct request){ .read_twice = true });
    two_steps(&(struct request){ .apart = true });
}

/* Both biases, then the window, in rows of whole slices. */
TEST(constants_lie_in_order)
{
    const float *c;
    const struct plan_step *s = NULL;
    struct plan plan CLOSED_BY(plan_close);

    plan_pair(&plan, &(struct request){ 0 });
    for (int i = 0; i < plan.step_count; i++)
        if (strncmp(plan.steps[i]->shader, "pointwise_depthwise.", 20) == 0)
            s = plan.steps[i];
    assert_non_null(s);
    assert_int_equal(s->bindings[3].bytes, (2 + TAPS) * 12 * sizeof(float));
    c = (const float *)(const void *)(plan.constants + s->bindings[3].offset);
    for (int i = 0; i < (2 + TAPS) * 12; i++)
        assert_true(c[i] == (i == 2 * 12 ? 1.0f : 0.0f));
    assert_int_equal(s->groups[0], 1);
    assert_int_equal(s->groups[1], SIDE / 2);
    assert_int_equal(s->groups[2], 1);
}

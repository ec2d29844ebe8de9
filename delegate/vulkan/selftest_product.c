#include "delegate/vulkan/selftest_product.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/plan/make.h"
#include "delegate/vulkan/executor.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <string.h>

static size_t bytes_of(const struct selftest_product *p, int rows, int columns)
{
    return (size_t)rows * (size_t)columns * (p->type == kTfLiteInt8 ? 1 : sizeof(float));
}

static struct graph_tensor tensor_of(const struct selftest_product *p, int outer, int columns,
                                     int channels, const void *data, const float *scale)
{
    static const int32_t zero = 0;
    const size_t elements = (size_t)outer * (size_t)columns * (size_t)channels;
    struct graph_tensor t = { .name = "",
                              .type = p->type,
                              .rank = 4,
                              .dims = { outer, 1, columns, channels },
                              .elements = elements,
                              .data = data,
                              .producer = -1,
                              .dequantized_from = -1 };

    if (p->type == kTfLiteInt8)
        t.quant = (struct graph_quant){
            .scale = scale, .zero_point = &zero, .count = 1, .inner = elements
        };
    return t;
}

static enum status make_plan(struct plan *plan, const struct device_limits *limits,
                             const struct gpu_options *options, const struct selftest_product *p,
                             struct diag *diag)
{
    enum { X, W, Y, BOUNDED, TENSORS };
    static const float one = 1;
    static const int indices[] = { 0, 1 }, x[] = { X }, y[] = { Y }, bounded[] = { BOUNDED };
    static const int of_x[] = { X, W }, of_bounded[] = { BOUNDED, W };
    const TfLiteConvParams params = { .padding = kTfLitePaddingValid,
                                      .stride_width = 1,
                                      .stride_height = 1,
                                      .dilation_width_factor = 1,
                                      .dilation_height_factor = 1 };
    struct graph_tensor t[TENSORS] = { tensor_of(p, 1, p->pixels, p->depth, NULL, &one),
                                       tensor_of(p, p->outputs, 1, p->depth, p->w,
                                                 &p->weight_scale),
                                       tensor_of(p, 1, p->pixels, p->outputs, NULL, &one),
                                       tensor_of(p, 1, p->pixels, p->depth, NULL, &one) };
    struct graph_node nodes[] = { { .op = gpu_op_find(BUILTIN_RELU6),
                                    .code = BUILTIN_RELU6,
                                    .version = 1,
                                    .name = "RELU6",
                                    .inputs = x,
                                    .outputs = bounded,
                                    .input_count = 1,
                                    .output_count = 1 },
                                  { .host_node = p->bounded,
                                    .op = gpu_op_find(BUILTIN_CONV_2D),
                                    .code = BUILTIN_CONV_2D,
                                    .version = 1,
                                    .name = "CONV_2D",
                                    .params = &params,
                                    .inputs = p->bounded ? of_bounded : of_x,
                                    .outputs = y,
                                    .input_count = 2,
                                    .output_count = 1 } };
    const struct graph graph = { .tensors = t,
                                 .tensor_count = TENSORS,
                                 .nodes = p->bounded ? nodes : nodes + 1,
                                 .node_count = 1 + p->bounded };
    const struct plan_request request = { .graph = &graph,
                                          .options = options,
                                          .limits = limits,
                                          .nodes = indices,
                                          .node_count = graph.node_count,
                                          .inputs = x,
                                          .input_count = 1,
                                          .outputs = y,
                                          .output_count = 1 };

    t[Y].producer = p->bounded;
    t[BOUNDED].producer = p->bounded ? 0 : -1;
    return plan_make(plan, &request, diag);
}

enum status selftest_run(struct device *d, const struct device_limits *limits,
                         const struct gpu_options *options, struct pipeline_cache *cache,
                         const struct selftest_product *p, struct diag *diag)
{
    struct executor e = { 0 };
    struct plan plan = { 0 };
    enum status s;

    if ((s = make_plan(&plan, limits, options, p, diag)) != STATUS_OK ||
        (s = executor_open(&e, d, &plan, options, cache, diag)) != STATUS_OK ||
        (s = executor_record(&e, diag)) != STATUS_OK)
        goto done;
    memcpy(executor_input(&e, 0), p->x, bytes_of(p, p->pixels, p->depth));
    if ((s = executor_run(&e, diag)) == STATUS_OK)
        memcpy(p->y, executor_output(&e, 0), bytes_of(p, p->pixels, p->outputs));
done:
    executor_close(&e);
    plan_close(&plan);
    return s;
}

#include "delegate/vulkan/measure.h"

#include "delegate/base/clock.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/plan/make.h"
#include "delegate/vulkan/executor.h"
#include "reference/base/memory.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <string.h>

enum {
    NODES = 8,     /* the longest chain */
    CHANNELS = 64, /* of the chains with many multiply-adds */
    /* The shortest sample counts: so many, or as many as there is time for, but not fewer. */
    SAMPLES_MAX = 64,
    SAMPLES_MIN = 5,
    SAMPLES_US = 50000
};

/* 1x1 convolutions, each of the result of the one before.  Without nodes the input is the output.
 */
struct chain {
    int nodes, pixels, channels;
};

static const struct gpu_options options = { .precision = PRECISION_FP32 };
static float weights[CHANNELS * CHANNELS]; /* zeros, which take no bytes in the library */

static struct graph_tensor tensor_of(int outer, int pixels, int channels, const void *data)
{
    return (struct graph_tensor){ .name = "",
                                  .type = kTfLiteFloat32,
                                  .rank = 4,
                                  .dims = { outer, 1, pixels, channels },
                                  .elements = (size_t)outer * (size_t)pixels * (size_t)channels,
                                  .data = data,
                                  .producer = -1,
                                  .dequantized_from = -1 };
}

/* Tensor 0 has the weights, tensor 1 + i is the input of node i. */
static enum status make_plan(struct plan *plan, const struct device *d, const struct chain *c,
                             struct diag *diag)
{
    static const TfLiteConvParams params = { .padding = kTfLitePaddingValid,
                                             .stride_width = 1,
                                             .stride_height = 1,
                                             .dilation_width_factor = 1,
                                             .dilation_height_factor = 1 };
    struct graph_tensor t[NODES + 2];
    struct graph_node node[NODES];
    int order[NODES], inputs[NODES][2], outputs[NODES];
    const int first = 1, last = 1 + c->nodes;
    const struct graph graph = {
        .tensors = t, .tensor_count = c->nodes + 2, .nodes = node, .node_count = c->nodes
    };
    const struct plan_request request = { .graph = &graph,
                                          .options = &options,
                                          .limits = &d->limits,
                                          .nodes = order,
                                          .node_count = c->nodes,
                                          .inputs = &first,
                                          .input_count = 1,
                                          .outputs = &last,
                                          .output_count = 1 };

    t[0] = tensor_of(c->channels, 1, c->channels, weights);
    for (int i = 0; i <= c->nodes; i++)
        t[1 + i] = tensor_of(1, c->pixels, c->channels, NULL);
    for (int i = 0; i < c->nodes; i++) {
        order[i] = i;
        inputs[i][0] = 1 + i;
        inputs[i][1] = 0;
        outputs[i] = 2 + i;
        t[2 + i].producer = i;
        node[i] = (struct graph_node){ .host_node = i,
                                       .op = gpu_op_find(BUILTIN_CONV_2D),
                                       .code = BUILTIN_CONV_2D,
                                       .version = 1,
                                       .name = "CONV_2D",
                                       .params = &params,
                                       .inputs = inputs[i],
                                       .outputs = &outputs[i],
                                       .input_count = 2,
                                       .output_count = 1 };
    }
    return plan_make(plan, &request, diag);
}

/* One inference with its copies, as the host would run it.  The first does not count: some drivers
 * compile at that time. */
static enum status sample(struct executor *e, void *host, size_t bytes, double *least_us,
                          struct diag *diag)
{
    double spent_us = 0;

    for (int i = 0; i <= SAMPLES_MIN || (i <= SAMPLES_MAX && spent_us < SAMPLES_US); i++) {
        const uint64_t before = clock_ns();
        double us;

        memcpy(executor_input(e, 0), host, bytes);
        TRY(executor_run(e, diag));
        memcpy(host, executor_output(e, 0), bytes);
        us = (double)(clock_ns() - before) / 1e3;
        if (i == 1 || (i > 1 && us < *least_us))
            *least_us = us;
        spent_us += i > 0 ? us : 0;
    }
    return STATUS_OK;
}

static enum status run(struct device *d, struct pipeline_cache *cache, struct chain c, double *us,
                       struct diag *diag)
{
    const size_t bytes = (size_t)c.pixels * (size_t)c.channels * sizeof(float);
    struct executor e = { 0 };
    struct plan plan = { 0 };
    void *host = mem_alloc(bytes, 1);
    enum status s;

    if (!host)
        s = diag_fail(diag, STATUS_NO_MEMORY, "measuring the device: out of memory");
    else if ((s = make_plan(&plan, d, &c, diag)) == STATUS_OK &&
             (s = executor_open(&e, d, &plan, &options, cache, diag)) == STATUS_OK &&
             (s = executor_record(&e, diag)) == STATUS_OK)
        s = sample(&e, host, bytes, us, diag);
    executor_close(&e);
    plan_close(&plan);
    mem_free(host);
    return s;
}

/* The time of one node more: both chains have the same input and output. */
static enum status run_node(struct device *d, struct pipeline_cache *cache, int pixels,
                            int channels, double *us, struct diag *diag)
{
    double one = 0, all = 0;

    TRY(run(d, cache, (struct chain){ 1, pixels, channels }, &one, diag));
    TRY(run(d, cache, (struct chain){ NODES, pixels, channels }, &all, diag));
    *us = all > one ? (all - one) / (NODES - 1) : 0;
    return STATUS_OK;
}

static double at_least(double x, double least)
{
    return x > least ? x : least;
}

static enum status measure(struct device *d, struct pipeline_cache *cache, struct device_rates *r,
                           struct diag *diag)
{
    enum { COPIED = 1 << 18, PIXELS = 1 << 5, MORE_PIXELS = 1 << 14 };
    const double clock_step_us = 0.01, quick_us = 100;
    double copied = 0, node = 0;
    int pixels = PIXELS;

    TRY(run(d, cache, (struct chain){ 0, 1, 4 }, &r->submit_us, diag));
    TRY(run(d, cache, (struct chain){ 0, COPIED / CHANNELS, CHANNELS }, &copied, diag));
    r->submit_us = at_least(r->submit_us, clock_step_us);
    r->bytes_per_us = 2.0 * COPIED * sizeof(float) / at_least(copied - r->submit_us, clock_step_us);
    TRY(run_node(d, cache, 1, 4, &r->step_us, diag));
    r->step_us = at_least(r->step_us, clock_step_us);
    TRY(run_node(d, cache, pixels, CHANNELS, &node, diag));
    if (node < quick_us)
        TRY(run_node(d, cache, pixels = MORE_PIXELS, CHANNELS, &node, diag));
    /* A node that is as quick as an empty one was measured too roughly to subtract that one. */
    node = at_least(at_least(node - r->step_us, node / 4), clock_step_us);
    r->macs_per_us = (double)pixels * CHANNELS * CHANNELS / node;
    return STATUS_OK;
}

enum status measure_rates(struct device *d, struct pipeline_cache *cache,
                          struct device_rates *rates, struct diag *diag)
{
    enum status s = STATUS_OK;

    lock_acquire(&d->selftest_lock);
    if (!d->rates_measured)
        s = measure(d, cache, &d->rates, diag);
    d->rates_measured = s == STATUS_OK;
    *rates = d->rates;
    lock_release(&d->selftest_lock);
    return s;
}

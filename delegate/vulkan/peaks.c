#include "delegate/vulkan/peaks.h"

#include "delegate/plan/make.h"
#include "delegate/plan/memory.h"
#include "delegate/plan/planner.h"
#include "delegate/shaders/peak.args.h"
#include "delegate/vulkan/executor.h"
#include "delegate/vulkan/result.h"

enum {
    INVOCATIONS = 128, /* of a workgroup: the least that Vulkan guarantees */
    GROUPS = 8192,     /* more than any device runs at once */
    SLICE_BYTES = 16,
    SMALLEST =
        1 << 20, /* bytes of the smallest buffer that is copied; the next is 4 times as large */
    REPEATS = 16,
    SAMPLES = 5,
    LONG_US = 5000, /* a dispatch that takes so long is not made longer */
    SHORT_US = 100, /* and one that takes less is too short to tell a rate of sums */
    TURNS_MAX = 1 << 16,
    IO_ROWS = 1 << 18,
    IO_CHANNELS = 3 /* not a multiple of 4, which might need no step */
};

static const struct gpu_options options = { .precision = PRECISION_FP32, .packed_dot = true };

/* A dispatch to time. */
struct probe {
    const char *shader;
    bool packed_dot, copies;
    uint32_t slices, groups, turns;
};

/* Times step of a plan whose executor is open: the shortest of some samples, each of several
 * dispatches with barriers between them. */
static enum status time_step(struct executor *e, int step, double *us, struct diag *diag)
{
    const VkQueryPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = 2 };
    struct device *const d = e->recording.device;
    const struct plan_step *const s = e->recording.plan->steps[step];
    uint64_t stamps[2];
    VkPipeline pipeline;
    VkQueryPool pool;
    enum status status;
    int repeats = 1;
    VkResult r;

    TRY(pipelines_get(&d->pipelines, &e->recording.held, s, false, &pipeline, diag));
    if ((r = vkCreateQueryPool(d->handle, &info, NULL, &pool)) != VK_SUCCESS)
        return result_fail_call(diag, "vkCreateQueryPool", r);
    *us = 0;
    /* The first sample does not count: some drivers compile at that time. */
    for (int i = 0; i <= SAMPLES; i++) {
        double each;

        status = record_repeated(&e->recording, s, step, pipeline, repeats, pool, diag);
        if (status == STATUS_OK)
            status = executor_submit(e, diag);
        if (status == STATUS_OK &&
            (r = vkGetQueryPoolResults(
                 d->handle, pool, 0, 2, sizeof stamps, stamps, sizeof stamps[0],
                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT)) != VK_SUCCESS)
            status = result_fail_call(diag, "vkGetQueryPoolResults", r);
        if (status != STATUS_OK)
            break;
        each = (double)(stamps[1] - stamps[0]) * d->timestamp_ns / 1e3 / repeats;
        if (i == 1 || (i > 1 && each < *us))
            *us = each;
        if (each * REPEATS < LONG_US)
            repeats = REPEATS;
    }
    vkDestroyQueryPool(d->handle, pool, NULL);
    return status;
}

static enum status plan_probe(struct plan *plan, const struct device *d, const struct probe *probe,
                              struct diag *diag)
{
    struct planner p = { .plan = plan, .options = &options, .limits = &d->limits, .diag = diag };
    const struct peak_args args = { .count = probe->copies ? probe->slices : probe->turns,
                                    .stride = probe->groups * INVOCATIONS,
                                    .factor = 0.5f,
                                    .bytes = 0x01020301 };
    const int to = planner_temp(&p, probe->slices, 4, FORMAT_WORDS);
    const int from = planner_temp(&p, probe->slices, 4, FORMAT_WORDS);
    struct plan_step *s;

    if (to < 0 || from < 0 || !(s = planner_step(&p, probe->shader, NULL, INVOCATIONS, 1, 1)))
        return STATUS_NO_MEMORY;
    s->packed_dot = probe->packed_dot;
    if (!probe->packed_dot)
        step_spec(s, PEAK_SPEC_COPIES, probe->copies);
    step_push(s, &args, sizeof args);
    step_write(&p, s, 0, to);
    step_read(&p, s, 1, from);
    TRY(step_groups(&p, s, probe->groups));
    TRY(plan_assign_memory(plan, false, diag));
    return plan_check_limits(plan, &d->limits, diag);
}

static enum status time_probe(struct device *d, const struct probe *probe, double *us,
                              struct diag *diag)
{
    struct plan plan = { .node_count = 0 };
    struct executor e = { .running = false };
    enum status s = plan_probe(&plan, d, probe, diag);

    if (s == STATUS_OK && (s = executor_open(&e, d, &plan, &options, NULL, diag)) == STATUS_OK)
        s = time_step(&e, 0, us, diag);
    executor_close(&e);
    plan_close(&plan);
    return s;
}

/* Copies of growing size: those that caches hold are faster.  What does not fit, or would take
 * long, is left at 0. */
static enum status measure_memory(struct device *d, struct assay_gpu_peaks *peaks,
                                  struct diag *diag)
{
    size_t bytes = SMALLEST;
    double us = 0;

    for (int i = 0; i < ASSAY_GPU_PEAK_SIZES && us < LONG_US; i++, bytes *= 4) {
        const uint64_t slices = bytes / SLICE_BYTES, groups = slices / INVOCATIONS;
        const struct probe probe = { .shader = "peak.word",
                                     .copies = true,
                                     .slices = (uint32_t)slices,
                                     .groups = groups < GROUPS ? (uint32_t)groups : GROUPS };

        if (bytes > d->limits.max_storage_buffer_range ||
            (d->limits.memory_bytes > 0 && bytes > d->limits.memory_bytes / 8))
            return STATUS_OK;
        TRY(time_probe(d, &probe, &us, diag));
        us = us > 2 * peaks->floor_us ? us - peaks->floor_us : us / 2;
        peaks->memory_bytes[i] = 2 * bytes;
        peaks->memory_bytes_per_us[i] = us > 0 ? 2.0 * (double)bytes / us : 0;
    }
    return STATUS_OK;
}

/* operations: of one turn of one invocation.  Turns are added until the dispatch is long. */
static enum status measure_sums(struct device *d, const char *shader, bool packed_dot,
                                double operations, double *ops_per_us, struct diag *diag)
{
    struct probe probe = {
        .shader = shader, .packed_dot = packed_dot, .slices = 1, .groups = GROUPS, .turns = 16
    };
    double us = 0;

    for (; us < SHORT_US && probe.turns < TURNS_MAX; probe.turns *= 4) {
        TRY(time_probe(d, &probe, &us, diag));
        if (us > 0)
            *ops_per_us = (double)GROUPS * INVOCATIONS * probe.turns * operations / us;
    }
    return STATUS_OK;
}

/* The steps that a plan has for an input, and for an output, of the host. */
static enum status measure_host(struct device *d, struct assay_gpu_peaks *peaks, struct diag *diag)
{
    static const int tensor = 0;
    struct graph_tensor t = { .name = "",
                              .type = kTfLiteFloat32,
                              .rank = 2,
                              .dims = { IO_ROWS, IO_CHANNELS },
                              .elements = (size_t)IO_ROWS * IO_CHANNELS,
                              .producer = -1,
                              .dequantized_from = -1 };
    const struct graph graph = { .tensors = &t, .tensor_count = 1 };
    const struct plan_request request = { .graph = &graph,
                                          .options = &options,
                                          .limits = &d->limits,
                                          .inputs = &tensor,
                                          .outputs = &tensor,
                                          .input_count = 1,
                                          .output_count = 1 };
    struct executor e = { .running = false };
    struct plan plan;
    enum status s;

    TRY(plan_make(&plan, &request, diag));
    s = executor_open(&e, d, &plan, &options, NULL, diag);
    for (int i = 0; i < plan.step_count && s == STATUS_OK; i++) {
        const struct plan_binding *const b = plan.steps[i]->bindings;
        double us = 0;

        if (plan.steps[i]->idle)
            continue;
        s = time_step(&e, i, &us, diag);
        if (us > 0 && b[0].location == LOCATION_OUTPUT)
            peaks->host_write_bytes_per_us = (double)b[0].bytes / us;
        else if (us > 0 && b[1].location == LOCATION_INPUT)
            peaks->host_read_bytes_per_us = (double)b[1].bytes / us;
    }
    executor_close(&e);
    plan_close(&plan);
    return s;
}

enum status peaks_measure(struct device *d, struct assay_gpu_peaks *peaks, struct diag *diag)
{
    const struct probe empty = { .shader = "peak.word", .copies = true, .slices = 1, .groups = 1 };

    if (d->timestamp_ns == 0)
        return diag_fail(diag, STATUS_NO_DEVICE, "device '%s' has no time stamps", d->info.name);
    TRY(time_probe(d, &empty, &peaks->floor_us, diag));
    TRY(measure_memory(d, peaks, diag));
    TRY(measure_sums(d, "peak.word", false, 8.0 * PEAK_CHAINS, &peaks->f32_ops_per_us, diag));
    TRY(measure_sums(d, "peak_int8", true, 8.0 * PEAK_CHAINS, &peaks->i8_ops_per_us, diag));
    peaks->f16_ops_per_us = peaks->f32_ops_per_us; /* f16 is storage: sums are f32 */
    return measure_host(d, peaks, diag);
}

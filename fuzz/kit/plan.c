#include "fuzz/kit/plan.h"

#include "delegate/accept/decide.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/import.h"
#include "delegate/graph/options.h"
#include "delegate/ops/values.h"
#include "delegate/plan/make.h"
#include "delegate/plan/plan.h"
#include "delegate/plan/workgroups.h"
#include "fuzz/fuzz_file.h"
#include "reference/runtime/interpreter.h"
#include "reference/runtime/report.h"

#include <stdlib.h>

enum { DEVICES = 6, OPTION_SETS = 4, OPTIONS_MAX = 3 };

struct looking {
    TfLiteDelegate delegate; /* first: the host gives a pointer to it */
    unsigned choice;
};

/* Devices that are made up; the first is that of desktop drivers at their least. */
static struct device_limits device_of(unsigned choice)
{
    struct device_limits l = device_limits_minimum;

    switch (choice % DEVICES) {
    case 0: /* 16-bit storage, else the least */
        l.storage_buffer_offset_alignment = 64;
        l.storage_16bit = true;
        break;
    case 1: break; /* the least that Vulkan 1.1 promises */
    case 2: /* few workgroups in x */ l.max_workgroup_count[0] = 100; break;
    case 3: /* a phone: small memory */
        l.max_workgroup_invocations = 512;
        l.max_workgroup_size[0] = l.max_workgroup_size[1] = 512;
        l.memory_bytes = 256u << 20;
        l.storage_16bit = true;
        l.shader_float16 = true;
        break;
    case 4: /* a large GPU with matrix units */
        l.device_class = DEVICE_NVIDIA;
        l.max_storage_buffer_range = UINT32_MAX;
        l.storage_buffer_offset_alignment = 16;
        l.max_memory_allocation_bytes = (uint64_t)1 << 40;
        l.memory_bytes = (uint64_t)80 << 30;
        l.max_workgroup_count[0] = INT32_MAX;
        l.max_workgroup_size[0] = l.max_workgroup_size[1] = 1024;
        l.max_workgroup_invocations = 1024;
        l.max_shared_memory_bytes = 49152;
        l.max_push_constants_bytes = 256;
        l.max_storage_buffers = 8;
        l.storage_16bit = true;
        l.shader_float16 = true;
        l.zero_copy_inputs = true;
        l.matrix = (struct device_matrix){ .kind = MATRIX_NV, .tile = 16, .subgroup_size = 32 };
        break;
    default: /* matrix units of 8, by the extension of Khronos */
        l.storage_16bit = true;
        l.matrix = (struct device_matrix){ .kind = MATRIX_KHR, .tile = 8, .subgroup_size = 8 };
        break;
    }
    return l;
}

static enum status parse_options(struct gpu_options *o, unsigned choice, const char *quantized,
                                 struct diag *diag)
{
    static const char *const sets[OPTION_SETS][OPTIONS_MAX - 1][2] = {
        { { "precision", "fp32" }, { "in_place", "1" } },
        { { "precision", "fast" }, { "kernel", "all" } },
        { { "precision", "fp16" }, { "no_kernel", "all" } },
        { { "no_transform", "all" }, { "in_place", "0" } },
    };
    const char *keys[OPTIONS_MAX] = { "quantized" }, *values[OPTIONS_MAX] = { quantized };

    for (int i = 1; i < OPTIONS_MAX; i++) {
        keys[i] = sets[choice / DEVICES % OPTION_SETS][i - 1][0];
        values[i] = sets[choice / DEVICES % OPTION_SETS][i - 1][1];
    }
    return options_parse(o, keys, values, OPTIONS_MAX, diag);
}

/* Sizes of workgroups, as a file of the cache could give them. */
static void tune(struct plan *p, const struct device_limits *limits, unsigned choice)
{
    for (int i = 0; i < p->step_count; i++) {
        const struct workgroup_tuning t = { .key = workgroup_key(p->steps[i], p->half),
                                            .size = workgroup_code(choice & 0xfff,
                                                                   choice >> 12 & 0xff) };

        workgroups_apply(p, limits, &t, 1);
    }
}

static enum status plan_all(const struct graph *g, const struct gpu_options *options,
                            const struct device_limits *limits, unsigned choice, struct diag *diag)
{
    int *const lists = calloc((size_t)g->node_count + 2 * (size_t)g->tensor_count, sizeof(int));
    unsigned char *const read = calloc((size_t)g->tensor_count + 1, 1);
    struct plan_request r = { .graph = g,
                              .options = options,
                              .limits = limits,
                              .nodes = lists,
                              .inputs = lists ? lists + g->node_count : NULL,
                              .outputs = lists ? lists + g->node_count + g->tensor_count : NULL,
                              .unpacked = (choice & 1) != 0 };
    struct plan p;
    enum status s = STATUS_NO_MEMORY;

    if (!lists || !read)
        goto done;
    for (int i = 0; i < g->node_count; i++) {
        if (!g->nodes[i].known)
            lists[r.node_count++] = g->nodes[i].host_node;
        for (int j = 0; j < g->nodes[i].input_count; j++)
            if (g->nodes[i].inputs[j] >= 0)
                read[g->nodes[i].inputs[j]] = 1;
    }
    for (int t = 0; t < g->tensor_count; t++) {
        if (g->tensors[t].producer < 0 && read[t])
            lists[g->node_count + r.input_count++] = t;
        if (g->tensors[t].producer >= 0 && !read[t] && !g->nodes[g->tensors[t].producer].known)
            lists[g->node_count + g->tensor_count + r.output_count++] = t;
    }
    s = plan_make(&p, &r, diag);
    if (s == STATUS_OK) {
        tune(&p, limits, choice);
        plan_close(&p);
    } else {
        fuzz_expect(diag->text[0] != '\0', "plan: expected a message", "none");
    }
done:
    free(read);
    free(lists);
    return s;
}

static void look_with(TfLiteContext *context, unsigned choice, const char *quantized)
{
    const struct device_limits limits = device_of(choice);
    struct diag diag = { 0 };
    struct gpu_options options;
    struct decision d;
    struct graph g;
    bool all = true;

    if (parse_options(&options, choice, quantized, &diag) != STATUS_OK) {
        fuzz_expect(diag.status == STATUS_NO_MEMORY, "plan: expected valid options", diag.text);
        return;
    }
    if (graph_import(&g, context, &diag) == STATUS_OK) {
        if (values_find(&g, &options, &diag) == STATUS_OK &&
            decision_make(&d, &g, &options, &limits, &diag) == STATUS_OK) {
            for (int i = 0; i < g.node_count; i++)
                all = all && d.take[i];
            if (all && g.node_count > 0)
                plan_all(&g, &options, &limits, choice, &diag);
            decision_close(&d);
        }
        graph_close(&g);
    }
    options_close(&options);
}

static TfLiteStatus look(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const unsigned choice = ((const struct looking *)delegate)->choice;

    look_with(context, choice, "float_view");
    look_with(context, choice, "exact");
    return kTfLiteOk;
}

static void show(const struct model *m, unsigned choice, int64_t flags)
{
    const struct interpreter_options options = { .report = report_nothing };
    struct looking looking = { .delegate = { .Prepare = look, .flags = flags }, .choice = choice };
    struct diag diag = { 0 };
    struct interpreter *in;

    if (interpreter_open(&in, m, &options, &diag) == STATUS_OK)
        interpreter_apply_delegate(in, &looking.delegate, NULL, &diag);
    interpreter_close(in);
}

void fuzz_plan(const struct model *m, unsigned choice)
{
    show(m, choice, 0);
    show(m, choice, kTfLiteDelegateFlagsAllowDynamicTensors);
}

unsigned fuzz_choice(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u; /* FNV-1a */

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619u;
    return hash >> 4;
}

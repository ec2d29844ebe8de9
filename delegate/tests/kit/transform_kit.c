#include "delegate/tests/kit/transform_kit.h"

#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/text_kit.h"

#include <math.h>

void transform_model(const struct transform_case *c, struct model *m)
{
    char dims[64] = "";
    size_t n = 0;

    for (int i = 0; i < 4 && c->dims[i]; i++)
        n += (size_t)snprintf(dims + n, sizeof dims - n, "%s%d", i ? "," : "", c->dims[i]);
    kit_text(m, "tensors x:f32[%s] z:f32[%s]; inputs x z\n%s", dims, dims, c->text);
}

/* ---- running ---- */

bool transform_device;

char transform_said[512];

void transform_report(const char *text)
{
    snprintf(transform_said, sizeof transform_said, "%s", text);
}

TfLiteDelegate *transform_delegate(const char *precision, const char *poison,
                                   const char *no_transform)
{
    const char *keys[] = { "precision", "poison", "max_partitions", "no_transform" };
    const char *values[] = { precision, poison, "0", no_transform };
    TfLiteDelegate *d =
        tflite_plugin_create_delegate(keys, values, no_transform ? 4 : 3, transform_report);

    if (!d)
        fail_msg("%s", transform_said);
    return d;
}

void transform_quiet(void *user, const char *format, va_list args)
{
    (void)user;
    (void)format;
    (void)args;
}

struct interpreter *transform_run(const struct model *m, TfLiteDelegate *d)
{
    const struct interpreter_options options = { .report = transform_quiet };
    struct interpreter *in;
    size_t count;
    const int *inputs;

    KIT_OK(interpreter_open(&in, m, &options, &err));
    if (d)
        KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    inputs = interpreter_inputs(in, &count);
    for (uint64_t frame = 1; frame <= 2; frame++) {
        uint64_t seed = frame;

        for (size_t i = 0; i < count; i++) {
            TfLiteTensor *t = interpreter_tensor(in, inputs[i]);

            for (size_t j = 0; j < t->bytes / sizeof(float); j++)
                t->data.f[j] = (float)(kit_below(&seed, 9) - 4);
        }
        KIT_OK(interpreter_invoke(in, &err));
    }
    return in;
}

void transform_near(const struct transform_case *c, const char *what, struct interpreter *a,
                    struct interpreter *b, float tolerance)
{
    size_t count;
    const int *outputs = interpreter_outputs(a, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *x = interpreter_tensor(a, outputs[i]);
        const TfLiteTensor *y = interpreter_tensor(b, outputs[i]);

        assert_int_equal(x->bytes, y->bytes);
        for (size_t j = 0; j < x->bytes / sizeof(float); j++) {
            const float v = x->data.f[j], w = y->data.f[j];

            if (!(v == w || fabsf(v - w) <= tolerance * fmaxf(fabsf(v) / 4, 1)))
                fail_msg("%s: %s: output %zu, element %zu: %.9g and %.9g", c->name, what, i, j,
                         (double)v, (double)w);
        }
    }
}

void transform_equal(const struct transform_case *c, const char *what, struct interpreter *a,
                     struct interpreter *b)
{
    transform_near(c, what, a, b, 0);
}

int transform_agree(const struct transform_case *c, const char *what, TfLiteDelegate *d,
                    const char *shader, float tolerance)
{
    int steps;

    MODEL_BY(m, transform_model(c, &m));
    INTERPRETER_BY(truth, transform_run(&m, NULL));
    INTERPRETER_BY(got, transform_run(&m, d));
    steps = gpu_steps_of(d, shader);
    transform_near(c, what, truth, got, tolerance);
    return steps;
}

void transform_result(const struct transform_case *c, const char *precision, const char *poison,
                      const char *no_transform, float tolerance)
{
    DELEGATE_BY(d, transform_delegate(precision, poison, no_transform));

    transform_agree(c, precision, d, "", tolerance);
}

void transform_results(const struct transform_case *cases, int count, float tolerance,
                       float half_tolerance)
{
    if (!transform_device)
        skip();
    for (int i = 0; i < count; i++) {
        if (cases[i].fires == 0)
            continue;
        transform_result(&cases[i], "fp32", "nan", NULL, tolerance);
        transform_result(&cases[i], "fp32", "inf", NULL, tolerance);
        transform_result(&cases[i], "fp16", "nan", NULL, half_tolerance);
    }
}

/* Fires as often as it should; the results are those of the reference, with the transform, without
 * it, and without any, in both precisions, with any poison. */
static void transform_check(const struct transform_case *c, enum transform_id id)
{
    static const char *const precisions[] = { "fp32", "fp16" }, *const poisons[] = { "off", "nan" };
    const char *const without[] = { NULL, transform_name(id), "all" };

    MODEL_BY(m, transform_model(c, &m));
    INTERPRETER_BY(truth, transform_run(&m, NULL));
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++)
            for (int w = 0; w < 3; w++) {
                /* Under a sanitizer the transform in both precisions, with poison; then without. */
                if (KIT_SANITIZED && (q != (w == 0) || (w > 0 && p != w - 1)))
                    continue;
                DELEGATE_BY(d, transform_delegate(precisions[p], poisons[q], without[w]));
                char what[64];

                snprintf(what, sizeof what, "%s, poison %s, no_transform %s", precisions[p],
                         poisons[q], without[w] ? without[w] : "none");
                INTERPRETER_BY(got, transform_run(&m, d));
                assert_int_equal(interpreter_partition_count(got), 1);
                transform_equal(c, what, truth, got);
            }
}

struct transform_request transform_request_all(const struct graph *g, const struct gpu_options *o,
                                               const struct device_limits *limits,
                                               int nodes[KIT_TENSORS])
{
    const struct graph_node *const last = &g->nodes[g->node_count - 1];

    for (int i = 0; i < g->node_count; i++)
        nodes[i] = g->nodes[i].host_node;
    return (struct transform_request){ .graph = g,
                                       .options = o,
                                       .limits = limits,
                                       .nodes = nodes,
                                       .node_count = g->node_count,
                                       .outputs = last->outputs,
                                       .output_count = last->output_count };
}

void transform_allocations_fail(const struct transform_request *r)
{
    for (long n = 0;; n++) {
        struct rewrite w;
        enum status s;

        mem_fail_after(n);
        s = transform_partition(&w, r, &err);
        mem_fail_after(-1);
        if (s == STATUS_OK) {
            rewrite_close(&w);
            return;
        }
        assert_int_equal(s, STATUS_NO_MEMORY);
        assert_true(n < 1000);
    }
}

/* ---- without a device ---- */

static void look_at_plan(struct graph *g, void *user)
{
    struct transform_look *const look = user;
    const char *const pairs[] = { "precision", look->precision ? look->precision : "fp32",
                                  look->no_kernel ? "no_kernel" : NULL, look->no_kernel, NULL };
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(pairs);
    struct device_limits limits = gpu_large_limits();

    limits.device_class = look->device_class;
    if (look->invocations)
        limits.max_workgroup_invocations = look->invocations;
    struct plan p CLOSED_BY(plan_close);
    gpu_plan_graph(&p, g, &o, &limits, &err);
    look->shader = NULL;
    look->constant_bytes = p.constant_bytes;
    for (int i = 0; i < p.step_count; i++)
        if (p.steps[i]->node >= 0) {
            look->shader = p.steps[i]->shader;
            look->step = *p.steps[i];
        }
}

struct transform_look transform_planned(const struct transform_case *c, struct transform_look look)
{
    MODEL_BY(m, transform_model(c, &m));
    gpu_look(&m, look_at_plan, &look);
    return look;
}

struct firing_look {
    const struct transform_case *c;
    const struct model *m;
    enum transform_id id;
    const char *no_transform;
    int fires, applied, merged, steps;
    bool labelled;
};

/* All nodes as one partition, as the delegate would see it. */
static void transform_look_at(struct graph *g, void *user)
{
    struct firing_look *look = user;
    const char *pairs[] = { look->no_transform ? "no_transform" : NULL, look->no_transform, NULL };
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(pairs);
    const struct device_limits limits = gpu_large_limits();
    const struct model_subgraph *s = &look->m->subgraphs[0];
    int nodes[KIT_TENSORS];
    struct transform_request r = transform_request_all(g, &o, &limits, nodes);
    struct plan_request request = { .graph = g, .options = &o, .limits = &limits };
    struct rewrite w;
    struct plan p;

    r.outputs = s->outputs.data;
    r.output_count = (int)s->outputs.count;
    KIT_OK(transform_partition(&w, &r, &err));
    look->applied = w.applied[look->id];
    look->merged = w.merged;
    assert_int_equal(w.graph.node_count + w.merged, g->node_count);
    rewrite_close(&w);

    request.nodes = nodes;
    request.node_count = r.node_count;
    request.inputs = s->inputs.data;
    request.input_count = (int)s->inputs.count;
    request.outputs = r.outputs;
    request.output_count = r.output_count;
    KIT_OK(plan_make(&p, &request, &err));
    look->steps = p.step_count;
    look->labelled = !look->c->label;
    for (int i = 0; i < p.step_count && !look->labelled; i++)
        look->labelled = strncmp(p.steps[i]->label, look->c->label, strlen(look->c->label)) == 0;
    plan_close(&p);

    transform_allocations_fail(&r);
}

static void transform_fires(const struct transform_case *c, enum transform_id id)
{
    struct firing_look look = { .c = c, .id = id };
    struct firing_look off = look;
    char names[64];

    MODEL_BY(m, transform_model(c, &m));
    look.m = off.m = &m;
    /* A chain of what a rewrite leaves has another label. */
    if (id != TRANSFORM_chain)
        look.no_transform = transform_name(TRANSFORM_chain);
    snprintf(names, sizeof names, "%s,%s", transform_name(id), transform_name(TRANSFORM_chain));
    off.no_transform = names;
    gpu_look(&m, transform_look_at, &look);
    gpu_look(&m, transform_look_at, &off);
    if (look.applied != c->fires)
        fail_msg("%s: fired %d times, not %d", c->name, look.applied, c->fires);
    if (!look.labelled)
        fail_msg("%s: no step's label begins with \"%s\"", c->name, c->label);
    assert_int_equal(off.applied, 0);
    if (look.steps > off.steps)
        fail_msg("%s: %d steps with it, %d without", c->name, look.steps, off.steps);
}

void transform_all_fire(const struct transform_case *cases, size_t count, enum transform_id id)
{
    for (size_t i = 0; i < count; i++)
        transform_fires(&cases[i], id);
}

void transform_all_check(const struct transform_case *cases, size_t count, enum transform_id id)
{
    TfLiteDelegate *held; /* keeps the device and its pipelines, which are most of the time */

    if (!transform_device)
        skip();
    held = transform_delegate("fp32", "off", NULL);
    for (size_t i = 0; i < count; i++)
        transform_check(&cases[i], id);
    assay_gpu_delegate_destroy(held);
}

void transform_find_device(const char *file)
{
    struct assay_gpu_device any = { .struct_size = sizeof any };
    char error[256] = "";

    transform_device = assay_gpu_devices(&any, 1, error, sizeof error) > 0;
    if (!transform_device)
        printf("skipped: %s on a device: %s\n", file, error);
}

/* Time that a graph takes by its number of nodes, from the bytes of its file to the plans of its
 * partitions: it grows like n log n.  With ASSAY_SCALE=1 (`make scale`) up to 200,000 nodes, with
 * the time of each phase; else 20,000, and only what a quadratic part would take is noticed.
 * ASSAY_SCALE_FAMILY picks a family. */
#include "delegate/tests/kit/gpu_kit.h"
#include "delegate/tests/kit/scale_models.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include "conformance/tools/inspect/inspection.h"
#include "delegate/base/device_costs.h"
#include "delegate/graph/import.h"
#include "delegate/runtime/partition.h"
#include "delegate/runtime/propagate.h"
#include "delegate/transform/fold.h"
#include "reference/format/read.h"
#include "reference/format/write.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

/* From 50,000 to 200,000 nodes all phases together may grow by this power of their number, and each
 * by a little more, since graphs outgrow the caches of the processor.  Phases that take less than
 * noticed_s at the end are not judged. */
struct growth {
    double all, phase, noticed_s;
};
static const struct growth large_growth = { 1.3, 1.5, 0.3 };
/* From 5,000 to 20,000 nodes. */
static const struct growth small_growth = { 1.6, 1.6, 0.25 };

enum phase {
    WRITE,
    VERIFY,
    READ,
    OPEN,
    ALLOCATE,
    INVOKE,
    INSPECT,
    IMPORT,
    DECIDE,
    LIMIT,
    PLAN,
    CLOSE,
    PHASES
};
static const char *const phase_names[PHASES] = {
    "write",   "verify", "read",   "open",  "allocate", "invoke",
    "inspect", "import", "decide", "limit", "plan",     "close",
};

struct scale_run {
    struct gpu_options options;
    struct device_limits limits;
    double seconds[PHASES];
    double before;
    /* Of the delegate's Prepare. */
    struct graph *graph;
    int plans, steps;
};

/* Of this process: other programs do not count. */
static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void begin(struct scale_run *r)
{
    r->before = cpu_seconds();
}

static void end(struct scale_run *r, enum phase phase)
{
    r->seconds[phase] += cpu_seconds() - r->before;
}

/* ---- a delegate that plans, and has no device ---- */

static void *plan_partition(TfLiteContext *context, const char *buffer, size_t length)
{
    const TfLiteDelegateParams *const params = (const void *)buffer;
    struct scale_run *const r = params->delegate->data_;
    struct plan_request request = {
        .graph = r->graph, .options = &r->options, .limits = &r->limits, .unpacked = true
    };
    struct partition_lists lists;

    (void)context;
    (void)length;
    KIT_OK(partition_request(&request, params, &lists, &err));
    struct plan plan CLOSED_BY(plan_close);
    KIT_OK(plan_make(&plan, &request, &err));
    mem_free(lists.memory);
    r->plans++;
    r->steps += plan.step_count;
    return NULL;
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    static const TfLiteRegistration registration = { .init = plan_partition,
                                                     .custom_name = "scale" };
    struct scale_run *const r = delegate->data_;
    struct propagated shapes;
    TfLiteIntArray *nodes;

    begin(r);
    KIT_OK(propagate_shapes(context, &r->options, &shapes, &err));
    mem_free(shapes.dynamic);
    struct graph g CLOSED_BY(graph_close);
    KIT_OK(graph_import(&g, context, &err));
    KIT_OK(fold_constants(&g, &r->options, &r->limits, &err));
    end(r, IMPORT);
    begin(r);
    struct decision d CLOSED_BY(decision_close);
    KIT_OK(decision_make(&d, &g, &r->options, &r->limits, &err));
    d.rates.device = device_costs_of(&r->limits)->rates;
    end(r, DECIDE);
    begin(r);
    KIT_OK(partition_apply_limits(context, &r->options, &r->limits, &g, &d, &err));
    end(r, LIMIT);
    begin(r);
    r->graph = &g;
    nodes = partition_nodes(&g, &d);
    assert_non_null(nodes);
    assert_true(nodes->size > 0);
    assert_int_equal(
        context->ReplaceNodeSubsetsWithDelegateKernels(context, registration, nodes, delegate),
        kTfLiteOk);
    mem_free(nodes);
    end(r, PLAN);
    return kTfLiteOk;
}

/* ---- one graph ---- */

static void inspect(struct scale_run *r, const struct tflite_file *file)
{
    const char *const path = scratch_bytes("m.tflite", file->bytes, file->count);
    FILE *const out = fopen("/dev/null", "w");
    const struct string_list none = { .count = 0 };
    struct inspection n;

    assert_non_null(out);
    begin(r);
    KIT_OK(inspection_open(&n, path, "none", &none, false, &err));
    inspection_print_text(out, &n);
    inspection_print_json(out, &n);
    inspection_close(&n);
    end(r, INSPECT);
    fclose(out);
}

static void run_model(struct scale_run *r, const struct tflite_file *file)
{
    TfLiteDelegate delegate = { .data_ = r,
                                .Prepare = prepare,
                                .flags = kTfLiteDelegateFlagsAllowDynamicTensors };
    struct interpreter *in;
    struct model m;

    begin(r);
    KIT_OK(tflite_verify(file->bytes, file->count, &err));
    end(r, VERIFY);
    begin(r);
    KIT_OK(tflite_read(&m, file->bytes, file->count, &err));
    end(r, READ);
    begin(r);
    KIT_OK(interpreter_open(&in, &m, NULL, &err));
    end(r, OPEN);
    begin(r);
    KIT_OK(interpreter_allocate(in, &err));
    end(r, ALLOCATE);
    begin(r);
    KIT_OK(interpreter_invoke(in, &err));
    end(r, INVOKE);
    interpreter_close(in);
    KIT_OK(interpreter_open(&in, &m, NULL, &err));
    KIT_OK(interpreter_apply_delegate(in, &delegate, NULL, &err));
    begin(r);
    interpreter_close(in);
    model_close(&m);
    end(r, CLOSE);
}

static void run_family(const struct scale_family *f, int nodes, struct scale_run *r)
{
    struct tflite_file file;
    struct model m;

    *r = (struct scale_run){ .options = gpu_options_of(f->options), .limits = gpu_large_limits() };
    KIT_OK(scale_model(f, &m, nodes, &err));
    begin(r);
    KIT_OK(tflite_write(&m, &file, &err));
    end(r, WRITE);
    model_close(&m);
    run_model(r, &file);
    inspect(r, &file);
    mem_free(file.bytes);
    options_close(&r->options);
    assert_true(r->plans > 0);
}

/* ---- growth ---- */

static double total(const struct scale_run *r)
{
    double sum = 0;

    for (int p = 0; p < PHASES; p++)
        sum += r->seconds[p];
    return sum;
}

/* Compares a run with one of a quarter of its nodes. */
static bool grows_too_fast(const char *family, const struct scale_run *quarter,
                           const struct scale_run *whole, const struct growth *g)
{
    bool bad = false;

    for (int p = 0; p <= PHASES; p++) {
        const double t = p < PHASES ? whole->seconds[p] : total(whole);
        const double before = p < PHASES ? quarter->seconds[p] : total(quarter);
        /* A clock of some ms, and what does not grow at all. */
        const double exponent = log(t / fmax(before, g->noticed_s / 16)) / log(4);
        const double exponent_max = p < PHASES ? g->phase : g->all;

        if (t < g->noticed_s || exponent <= exponent_max)
            continue;
        print_error("%s, %s: %.3f s, and %.3f s of a quarter of the nodes: exponent %.2f, at most "
                    "%.2f\n",
                    family, p < PHASES ? phase_names[p] : "total", t, before, exponent,
                    exponent_max);
        bad = true;
    }
    return bad;
}

static bool picked(const struct scale_family *f)
{
    const char *const only = getenv("ASSAY_SCALE_FAMILY");

    return !only || !only[0] || strcmp(only, f->name) == 0;
}

static bool asked(void)
{
    const char *const all = getenv("ASSAY_SCALE");

    return all && strcmp(all, "1") == 0;
}

TEST(small)
{
    bool bad = false;

    if (asked())
        skip();
    for (int i = 0; i < scale_family_count; i += KIT_EACH(2)) {
        struct scale_run quarter, whole;

        if (!picked(&scale_families[i]))
            continue;
        run_family(&scale_families[i], 5000, &quarter);
        run_family(&scale_families[i], 20000, &whole);
        bad |= grows_too_fast(scale_families[i].name, &quarter, &whole, &small_growth);
    }
    assert_false(bad);
}

TEST(large)
{
    static const int nodes[] = { 12500, 25000, 50000, 100000, 200000 };
    enum { COUNT = sizeof nodes / sizeof nodes[0] };
    bool bad = false;

    if (!asked())
        skip();
    printf("%-16s %7s %8s", "family", "nodes", "seconds");
    for (int p = 0; p < PHASES; p++)
        printf(" %8s", phase_names[p]);
    printf("\n");
    for (int i = 0; i < scale_family_count; i++) {
        const struct scale_family *const f = &scale_families[i];
        struct scale_run r[COUNT];

        for (int k = 0; k < COUNT && picked(f); k++) {
            run_family(f, nodes[k], &r[k]);
            printf("%-16s %7d %8.3f", f->name, nodes[k], total(&r[k]));
            for (int p = 0; p < PHASES; p++)
                printf(" %8.3f", r[k].seconds[p]);
            printf("\n");
            fflush(stdout);
        }
        if (!picked(f))
            continue;
        printf("%-16s exponent %.2f\n", f->name,
               log(total(&r[COUNT - 1]) / total(&r[COUNT - 3])) / log(4));
        bad |= grows_too_fast(f->name, &r[COUNT - 3], &r[COUNT - 1], &large_growth);
    }
    assert_false(bad);
}

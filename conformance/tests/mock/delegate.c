/* A delegate to test the suite with: it computes with the reference's kernels, and goes wrong in
 * the one way that its option fault= names.  Built twice: as it is, and with MOCK_GPU, when it also
 * exports assay_gpu_* and takes the options max_partitions and poison, as ours does. */
#include "conformance/tests/mock/faults.h"
#include "reference/base/memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys,
                                                     const char *const *values, size_t count,
                                                     void (*report_error)(const char *));
EXPORT void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);

/* The graph for which the last kernel was made, and the bytes of its inputs. */
static TfLiteContext *last_context;
static int last_bytes;

static TfLiteIntArray *copy_array(const TfLiteIntArray *a)
{
    const size_t bytes = sizeof *a + (size_t)a->size * sizeof a->data[0];
    TfLiteIntArray *const b = mem_alloc(1, bytes);

    if (b)
        memcpy(b, a, bytes);
    return b;
}

/* What a kernel can know of those that were made before. */
static void note_kernel(struct kernel *k, TfLiteContext *context,
                        const TfLiteDelegateParams *params)
{
    int bytes = 0;

    for (int i = 0; i < params->input_tensors->size; i++) {
        const int t = params->input_tensors->data[i];

        if (t >= 0 && context->tensors[t].allocation_type != kTfLiteMmapRo)
            bytes += (int)context->tensors[t].bytes;
    }
    k->resized = context == last_context && bytes != last_bytes;
    k->second = params->nodes_to_replace->data[0] > 0;
    last_context = context;
    last_bytes = bytes;
    last_kernel = k;
}

static void *kernel_init(TfLiteContext *context, const char *buffer, size_t length)
{
    const TfLiteDelegateParams *const params = (const TfLiteDelegateParams *)(const void *)buffer;
    struct kernel *const k = mem_alloc(1, sizeof *k);

    (void)length;
    if (!k || !(k->steps = mem_alloc((size_t)params->nodes_to_replace->size, sizeof *k->steps)))
        return TfLiteKernelInitFailed();
    k->mock = params->delegate->data_;
    k->outputs = copy_array(params->output_tensors);
    k->inputs_first = k->constant_first = -1;
    k->hides = params->nodes_to_replace->size > params->output_tensors->size;
    for (int i = 0; i < params->nodes_to_replace->size; i++) {
        struct step *const s = &k->steps[k->count++];
        TfLiteRegistration *registration;
        TfLiteNode *node;

        s->node = params->nodes_to_replace->data[i];
        context->GetNodeAndRegistration(context, s->node, &node, &registration);
        s->op = ref_find(registration->builtin_code == BUILTIN_STABLEHLO_COMPOSITE
                             ? BUILTIN_SOFTMAX
                             : registration->builtin_code);
        s->version = registration->version;
        s->inputs = copy_array(node->inputs);
        s->outputs = copy_array(node->outputs);
        if (registration->builtin_code == BUILTIN_STABLEHLO_COMPOSITE)
            memcpy(s->params, &(TfLiteSoftmaxParams){ .beta = 1 }, sizeof(TfLiteSoftmaxParams));
        else if (node->builtin_data)
            memcpy(s->params, node->builtin_data, s->op->params_bytes);
    }
    note_kernel(k, context, params);
    k->mock->steps = k->count - (k->hides && k->mock->fault == FAULT_MERGED);
    for (int i = params->input_tensors->size - 1; i >= 0; i--) {
        const int t = params->input_tensors->data[i];

        if (t >= 0 && context->tensors[t].allocation_type == kTfLiteMmapRo)
            k->constant_first = t;
        else if (t >= 0)
            k->inputs_first = t;
    }
    return k;
}

static void kernel_free(TfLiteContext *context, void *user_data)
{
    struct kernel *const k = user_data;

    (void)context;
    last_kernel = last_kernel == k ? NULL : last_kernel;
    for (int i = 0; i < k->count; i++) {
        mem_free(k->steps[i].inputs);
        mem_free(k->steps[i].outputs);
    }
    for (int i = 0; i < TENSORS_MAX; i++) {
        mem_free(k->state[i]);
        mem_free(k->first[i]);
    }
    mem_free(k->outputs);
    mem_free(k->steps);
    mem_free(k);
}

static TfLiteStatus kernel_prepare(TfLiteContext *context, TfLiteNode *node)
{
    const struct kernel *const k = node->user_data;

    if (k->mock->fault == FAULT_ODD_REFUSED && k->constant_first >= 0 &&
        (uintptr_t)context->tensors[k->constant_first].data.raw % 16 != 0) {
        context->ReportError(context, "mock: a constant is not at a multiple of %d", 16);
        return kTfLiteError;
    }
    return kTfLiteOk;
}

/* ---- running ---- */

/* The context's tensors, with memory for those inside the partition. */
struct view {
    TfLiteTensor tensors[TENSORS_MAX];
    void *owned[TENSORS_MAX];
    int count;
};

static TfLiteStatus run_step(TfLiteContext *context, struct kernel *k, struct step *s,
                             struct view *v)
{
    TfLiteTensor *in[32], *out[8];
    struct ref_call call = { .op = s->op,
                             .node = s->node,
                             .version = s->version,
                             .params = s->op->params_bytes ? s->params : NULL,
                             .in = in,
                             .in_count = s->inputs->size,
                             .out = out,
                             .out_count = s->outputs->size };
    struct ref_detail detail[8] = { { NULL, NULL, NULL, NULL } };
    TfLiteTensor other;
    double *value = NULL;
    struct diag diag;

    faults_before_step(k, s);
    for (int i = 0; i < s->inputs->size; i++)
        in[i] = s->inputs->data[i] < 0 ? NULL : &v->tensors[s->inputs->data[i]];
    for (int i = 0; i < s->outputs->size; i++) {
        const int t = s->outputs->data[i];

        out[i] = &v->tensors[t];
        if (!out[i]->data.raw)
            out[i]->data.raw = v->owned[t] = mem_alloc(out[i]->bytes, 1);
        if (out[i]->allocation_type == kTfLitePersistentRo)
            return kTfLiteOk; /* computed by the host */
    }
    faults_on_inputs(k, s, in, out[0], &other);
    if (faults_wants_value(k, out[0])) {
        value = mem_alloc(out[0]->bytes, sizeof *value);
        detail[0].value = value;
        call.detail = detail;
    }
    if (s->op->eval(&call, &diag) != STATUS_OK) {
        mem_free(value);
        context->ReportError(context, "mock: %s", diag.text);
        return kTfLiteError;
    }
    faults_after_step(k, s, out, value);
    mem_free(value);
    return kTfLiteOk;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Keeps the processor busy for a share of the time since begin. */
static void be_slow(double begin_s, double share)
{
    const double until = share > 0 ? now_s() + (now_s() - begin_s) * share : 0;

    while (now_s() < until)
        ;
}

static TfLiteStatus kernel_invoke(TfLiteContext *context, TfLiteNode *node)
{
    struct kernel *const k = node->user_data;
    const double begin_s = now_s();
    struct view v = { .count = (int)context->tensors_size };
    TfLiteStatus status;

    if (v.count > TENSORS_MAX)
        return kTfLiteError;
    status = faults_before(k, context);
    if (status != kTfLiteOk)
        return status;
    memcpy(v.tensors, context->tensors, (size_t)v.count * sizeof v.tensors[0]);
    for (int i = 0; i < k->count && status == kTfLiteOk; i++)
        status = run_step(context, k, &k->steps[i], &v);
    faults_after(k, context, status);
    for (int i = 0; i < v.count; i++)
        mem_free(v.owned[i]);
    be_slow(begin_s, k->mock->slow);
    return status;
}

/* ---- the delegate ---- */

/* Keeps the nodes of a range.  The array is the host's, which does not read it again. */
static void keep_range(TfLiteIntArray *nodes, int first, int last)
{
    int kept = 0;

    for (int i = 0; i < nodes->size; i++) {
        if (nodes->data[i] >= first && nodes->data[i] <= last)
            nodes->data[kept++] = nodes->data[i];
    }
    nodes->size = kept;
}

/* Custom ops are not taken, nor what the host has not prepared, which looks like one; composites
 * with the fault `by_name` alone. */
static void keep_builtin(const struct mock *m, TfLiteContext *context, TfLiteIntArray *nodes)
{
    int kept = 0;

    for (int i = 0; i < nodes->size; i++) {
        TfLiteRegistration *registration;
        TfLiteNode *node;

        if (context->GetNodeAndRegistration(context, nodes->data[i], &node, &registration) ==
                kTfLiteOk &&
            (ref_find(registration->builtin_code) ||
             (m->fault == FAULT_BY_NAME &&
              registration->builtin_code == BUILTIN_STABLEHLO_COMPOSITE)))
            nodes->data[kept++] = nodes->data[i];
    }
    nodes->size = kept;
}

/* Keeps the first node of each op. */
static void keep_first(TfLiteContext *context, TfLiteIntArray *nodes)
{
    bool seen[BUILTIN_CUSTOM_END] = { false };
    int kept = 0;

    for (int i = 0; i < nodes->size; i++) {
        TfLiteRegistration *registration;
        TfLiteNode *node;

        context->GetNodeAndRegistration(context, nodes->data[i], &node, &registration);
        if (seen[registration->builtin_code])
            continue;
        seen[registration->builtin_code] = true;
        nodes->data[kept++] = nodes->data[i];
    }
    nodes->size = kept;
}

static TfLiteStatus mock_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    struct mock *const m = delegate->data_;
    TfLiteRegistration registration = { .init = kernel_init,
                                        .free = kernel_free,
                                        .prepare = kernel_prepare,
                                        .invoke = kernel_invoke,
                                        .custom_name = "mock",
                                        .version = 1 };
    TfLiteIntArray *plan;

    if (m->fault == FAULT_CRASH_PREPARE)
        raise(SIGSEGV);
    if (m->fault == FAULT_PREPARE) {
        context->ReportError(context, "mock: out of %s", "patience");
        return kTfLiteError;
    }
    context->GetExecutionPlan(context, &plan);
    m->refused = plan->size > 0 ? plan->data[plan->size - 1] : -1;
    if (m->fault == FAULT_DECLINE)
        return kTfLiteOk;
    m->refused = -1;
    keep_builtin(m, context, plan);
    if (m->fault == FAULT_FIRST)
        keep_first(context, plan);
    if (m->last_node > 0)
        keep_range(plan, m->first_node, m->last_node);
    return context->ReplaceNodeSubsetsWithDelegateKernels(context, registration, plan, delegate);
}

/* malloc, not mem_alloc: what a driver does is not counted. */
static bool grow(struct mock *m, size_t mib)
{
    free(m->grown);
    m->grown = malloc(mib << 20);
    if (m->grown)
        memset(m->grown, 1, mib << 20);
    return m->grown != NULL;
}

static bool read_option(struct mock *m, const char *key, const char *value)
{
    if (strcmp(key, "ulps") == 0) {
        m->ulps = atoi(value);
        return true;
    }
    if (strcmp(key, "slow") == 0) { /* percent */
        m->slow = atof(value) / 100;
        return m->slow >= 0;
    }
    if (strcmp(key, "first_slow") == 0) { /* a file: who makes it is 10 times as slow, once */
        FILE *const first = fopen(value, "wx");

        m->slow *= first ? 10 : 1;
        return first ? fclose(first) == 0 : remove(value) == 0;
    }
    if (strcmp(key, "grow") == 0) /* MiB */
        return atoi(value) > 0 && grow(m, (size_t)atoi(value));
    if (strcmp(key, "node") == 0) {
        m->node = atoi(value);
        return true;
    }
    if (strcmp(key, "interrupt") == 0) {
        m->interrupt = (pid_t)atol(value);
        return true;
    }
    if (strcmp(key, "first_node") == 0 || strcmp(key, "last_node") == 0) {
        *(key[0] == 'f' ? &m->first_node : &m->last_node) = atoi(value);
        return true;
    }
    if (strcmp(key, "tensor") == 0) {
        snprintf(m->tensor, sizeof m->tensor, "%s", value);
        return true;
    }
    if (strcmp(key, "fault") == 0)
        return faults_find(value, &m->fault);
#ifdef MOCK_GPU
    if (strcmp(key, "max_partitions") == 0)
        return strcmp(value, "0") == 0;
    if (strcmp(key, "serialization_dir") == 0) {
        char path[256];
        FILE *files;

        snprintf(path, sizeof path, "%s/mock", value);
        m->warm = access(path, F_OK) == 0;
        files = fopen(path, "a");
        fputc(0, files);
        m->starts = ftell(files);
        fclose(files);
        return true;
    }
    if (strcmp(key, "wait") == 0)
        return m->waits = true;
    if (strcmp(key, "precision") == 0)
        m->halves = strcmp(value, "fp16") == 0;
    if (strcmp(key, "model_token") == 0 || strcmp(key, "in_place") == 0 ||
        strcmp(key, "packed_dot") == 0 || strcmp(key, "precision") == 0 ||
        strcmp(key, "quantized") == 0)
        return true;
    if (strcmp(key, "memory") == 0) { /* bytes */
        m->memory = strtoull(value, NULL, 10);
        return true;
    }
    if (strcmp(key, "poison") == 0) {
        m->poisoned = strcmp(value, "inf") == 0;
        return true;
    }
#endif
    return false;
}

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values,
                                              size_t count, void (*report_error)(const char *))
{
    struct mock *const m = mem_alloc(1, sizeof *m);
    char text[256];

    if (!m)
        return NULL;
    m->base = (TfLiteDelegate){ .data_ = m, .Prepare = mock_prepare };
    for (size_t i = 0; i < count; i++) {
        if (read_option(m, keys[i], values[i]))
            continue;
        snprintf(text, sizeof text, "option %s: not known, or not with the value %s", keys[i],
                 values[i]);
        report_error(text);
        free(m->grown);
        mem_free(m);
        return NULL;
    }
    last_mock = m;
    last_halves = m->halves;
    if (m->fault == FAULT_FORK && fork() == 0) {
        setsid();
        for (;;)
            pause();
    }
    if (m->fault == FAULT_CRASH_CREATE)
        raise(SIGSEGV);
    if (m->fault != FAULT_NO_DEVICE)
        return &m->base;
    report_error("there is no device");
    free(m->grown);
    mem_free(m);
    return NULL;
}

void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate)
{
    struct mock *const m = delegate ? delegate->data_ : NULL;

    if (m && m->fault == FAULT_CRASH_DESTROY)
        raise(SIGSEGV);
    if (m)
        free(m->grown);
    mem_free(m);
}

#ifdef MOCK_GPU
int assay_gpu_check_options(const char *const *keys, const char *const *values, size_t count,
                            char *error, size_t error_bytes)
{
    struct mock m = { .grown = NULL };
    size_t i = 0;

    while (i < count && read_option(&m, keys[i], values[i]))
        i++;
    free(m.grown);
    if (i < count) {
        if (error && error_bytes)
            snprintf(error, error_bytes, "%s", keys[i]);
        return -1;
    }
    return 0;
}

int assay_gpu_refusal_count(const TfLiteDelegate *delegate)
{
    return ((const struct mock *)delegate->data_)->refused >= 0;
}

int assay_gpu_get_refusal(const TfLiteDelegate *delegate, int i, struct assay_gpu_refusal *refusal)
{
    const struct mock *const m = delegate->data_;

    if (i != 0 || m->refused < 0)
        return -1;
    refusal->node = m->refused;
    refusal->rule = "mock.rule";
    refusal->field = "dims[3]";
    refusal->value = "7";
    refusal->limit = "4";
    refusal->hint = NULL;
    return 0;
}

int assay_gpu_step_count(const TfLiteDelegate *delegate)
{
    return ((const struct mock *)delegate->data_)->steps;
}

int assay_gpu_get_step(const TfLiteDelegate *delegate, int i, struct assay_gpu_step *step)
{
    step->node = i;
    return i < assay_gpu_step_count(delegate) ? 0 : -1;
}

int assay_gpu_get_stats(const TfLiteDelegate *delegate, struct assay_gpu_stats *stats)
{
    const struct mock *const m = delegate->data_;

    snprintf(stats->device, sizeof stats->device, "Mock 3000");
    snprintf(stats->driver, sizeof stats->driver, "mock 1.2");
    stats->api_version = 1u << 22 | 3u << 12 | 7;
    stats->constant_bytes = 1000;
    stats->activation_bytes = 200 + m->memory;
    stats->staging_bytes = 30;
    return 0;
}
#endif

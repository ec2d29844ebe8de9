/* A delegate to test the suite with: it computes with the reference's kernels, and goes wrong in
 * the one way that its option fault= names.  Built twice: as it is, and with MOCK_GPU, when it also
 * exports assay_gpu_* and takes the options max_partitions and poison, as ours does. */
#include "assay_gpu.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"

#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys,
                                                     const char *const *values, size_t count,
                                                     void (*report_error)(const char *));
EXPORT void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);

/* X(name, option) */
#define FAULT_LIST(X)                                                                              \
    X(NONE, "none")                                                                                \
    X(HALF, "half")                   /* no fault: results are stored as f16 */                    \
    X(HALF_ENDS, "half_ends")         /* ... but not what the partition keeps inside */            \
    X(NEAREST, "nearest")             /* no fault in float view: bytes nearest to exact results */ \
    X(ULPS, "ulps")                   /* one element in each output is off by `ulps` ULPs; */      \
                                      /* of bytes by steps, in all that follows */                 \
    X(BIAS, "bias")                   /* every element is off by `ulps` ULPs, the same way */      \
    X(SWAP, "swap")                   /* the first two elements change places */                   \
    X(ACTIVATION, "activation")       /* the fused activation is left out */                       \
    X(OVERRUN, "overrun")             /* one element behind the output is written */               \
    X(UNDERRUN, "underrun")           /* ... in front of it */                                     \
    X(OVERREAD, "overread")           /* what lies behind an input is added to the last element */ \
    X(UNDERREAD, "underread")         /* ... in front of it */                                     \
    X(OVERREAD_MAX, "overread_max")   /* the last element is the larger of it and what lies */     \
                                      /* behind an input */                                        \
    X(STATE, "state")                 /* the last frame's result is left in this one's */          \
    X(SECOND, "second")               /* wrong from the second invoke on */                        \
    X(NOT_A_NUMBER, "nan")            /* one element is NaN */                                     \
    X(UNWRITTEN, "unwritten")         /* the last element is not written */                        \
    X(INPUT, "input")                 /* an input is written to */                                 \
    X(CONSTANT, "constant")           /* a constant is written to */                               \
    X(CRASH, "crash")                 /* in invoke, from the process's invoke `node` on */         \
    X(CRASH_PREPARE, "crash_prepare") /* in Prepare */                                             \
    X(CRASH_DESTROY, "crash_destroy") /* when the delegate is destroyed */                         \
    X(CRASH_CREATE, "crash_create")   /* when the delegate is created */                           \
    X(ABORT, "abort")                 /* in invoke */                                              \
    X(EXIT, "exit")                   /* the library ends the process, with status 0 */            \
    X(HANG, "hang")                   /* invoke does not return, from invoke `node` on */          \
    X(FORK, "fork")                   /* a process is started, and left behind */                  \
    X(LEAK, "leak")                   /* each invoke keeps a MiB until the process ends */         \
    X(ROUNDING, "rounding")           /* the rounding mode of the thread stays upward */           \
    X(INVOKE, "invoke")               /* invoke fails, with a message */                           \
    X(PREPARE, "prepare")             /* Prepare fails, with a message */                          \
    X(DECLINE, "decline")             /* takes no node */                                          \
    X(POISON, "poison")               /* poison reaches the result */                              \
    X(BATCH, "batch")                 /* one unit in the last place with more than one image */    \
    X(SINGLE, "single")               /* wrong with one image */                                   \
    X(HIDDEN, "hidden")               /* one unit where the graph hides intermediates */           \
    X(HIDDEN_FAR, "hidden_far")       /* wrong there */                                            \
    X(MERGED, "merged")               /* no fault: as hidden, and a step is saved */               \
    X(FORGET, "forget")               /* variables are not written */                              \
    X(KEEP, "keep")                   /* variables are kept when the host resets them */           \
    X(TAIL, "tail")                 /* the last element of the node that writes `tensor`, where */ \
                                    /* it has more than 4 channels, no multiple of 4 */            \
    X(TOGETHER, "together")         /* ... its first one, behind another node of the partition */  \
    X(PLACE, "place")               /* the node of index `node`, in whichever graph, is wrong */   \
    X(NODE_CRASH, "node_crash")     /* that node crashes */                                        \
    X(SOMETIMES, "sometimes")       /* wrong in the first of each three invokes of the process */  \
    X(RARE, "rare")                 /* wrong in one of a hundred invokes of the process, drawn */  \
    X(LOADED, "loaded")             /* wrong while the process has more than two threads */        \
    X(ADDRESS, "address")           /* wrong where the output lies at no multiple of 16 */         \
    X(RESIZED, "resized")           /* wrong when the sizes of a prepared graph have changed */    \
    X(RUN_40, "run_40")             /* wrong in the 40th invoke of each kernel */                  \
    X(LAST_MADE, "last_made")       /* wrong in all kernels but the one that was made last */      \
    X(TOGETHER_IN_TIME, "in_time")  /* wrong where two threads are in invoke */                    \
    X(ODD_INPUT, "odd_input")       /* wrong when an input is not at a multiple of 16 */           \
    X(ODD_OUTPUT, "odd_output")     /* ... an output */                                            \
    X(ODD_CONSTANT, "odd_constant") /* ... a constant */                                           \
    X(ODD_REFUSED, "odd_refused")   /* no fault: Prepare fails when a constant is not */           \
    X(ODD_CRASH, "odd_crash")       /* crashes when an input is not at a multiple of 16 */         \
    X(PARTITIONS, "partitions")     /* wrong in the second partition of a graph */                 \
    X(LAST_DELEGATE, "last_delegate") /* wrong when another delegate was made later */             \
    X(LAST_OUTPUT, "last_output")     /* wrong in the third invoke, in the last output alone */    \
    X(WARM, "warm") /* wrong when serialization_dir holds what an earlier one left */              \
    X(OTHER_FILES, "other_files") /* wrong in the third start with the same files, and later */    \
    X(WAIT, "wait")               /* wrong with the option wait */                                 \
    X(NO_DEVICE, "no_device")     /* no delegate is made */

enum fault {
#define X(name, text) FAULT_##name,
    FAULT_LIST(X)
#undef X
        FAULT_COUNT
};
static const char *const fault_names[FAULT_COUNT] = {
#define X(name, text) text,
    FAULT_LIST(X)
#undef X
};

enum { TENSORS_MAX = 256 };

struct mock {
    TfLiteDelegate base;
    enum fault fault;
    int ulps;
    bool poisoned;
    int refused;               /* a node of the graph seen last; -1: none */
    int steps;                 /* of the kernel made last */
    int node;                  /* of the fault `place`; with `interrupt`, an invoke */
    pid_t interrupt;           /* gets SIGTERM at the invoke `node` of this process; 0: nobody */
    int first_node, last_node; /* it takes these; last_node 0: all */
    double slow;               /* of an inference's time, added to it: 0.07 for slow=7 */
    char *grown;               /* memory that is held and touched; freed with the delegate */
    uint64_t memory;           /* of the device, as it says */
    char tensor[64];           /* whose node has the fault; empty: that of all nodes */
    bool warm, waits;          /* its files were there; the option wait was given */
    long starts;               /* with its files, this one too */
};

/* Of the process: the kernels and delegates that are alive share it, as they should not. */
static struct kernel *last_kernel;
static struct mock *last_mock;
static TfLiteContext *last_context;
static int last_bytes;
static atomic_int in_invoke;

struct step {
    const struct ref_op *op;
    int node;
    int32_t version;
    max_align_t params[8];
    TfLiteIntArray *inputs, *outputs;
};

struct kernel {
    struct mock *mock;
    struct step *steps;
    int count;
    TfLiteIntArray *outputs; /* of the partition */
    int inputs_first;        /* a tensor: the first input that is no constant */
    int constant_first;      /* ... the first constant */
    int invokes;
    float last;               /* the first element of the last result */
    bool hides;               /* it has results that are no outputs */
    bool resized;             /* the graph was prepared before, at other sizes */
    bool second;              /* the graph has a kernel already */
    void *state[TENSORS_MAX]; /* of variables, after the last invoke */
};

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
        s->op = ref_find(registration->builtin_code);
        s->version = registration->version;
        s->inputs = copy_array(node->inputs);
        s->outputs = copy_array(node->outputs);
        if (node->builtin_data)
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
    for (int i = 0; i < TENSORS_MAX; i++)
        mem_free(k->state[i]);
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

static void drop_activation(struct step *s)
{
    static const struct {
        int32_t code;
        size_t offset; /* of the activation in the struct of builtin_op_data.h */
    } places[] = { { BUILTIN_CONV_2D, offsetof(TfLiteConvParams, activation) },
                   { BUILTIN_ADD, offsetof(TfLiteAddParams, activation) } };
    const TfLiteFusedActivation none = kTfLiteActNone;

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i].code == s->op->code)
            memcpy((char *)s->params + places[i].offset, &none, sizeof none);
    }
}

/* Honest f16 storage of whatever an op computes. */
static void round_to_half(TfLiteTensor *t)
{
    for (size_t i = 0; t->type == kTfLiteFloat32 && i < t->bytes / sizeof(float); i++)
        t->data.f[i] = half_to_float(float_to_half(t->data.f[i]));
}

static bool is_output(const struct kernel *k, int tensor)
{
    for (int i = 0; i < k->outputs->size; i++) {
        if (k->outputs->data[i] == tensor)
            return true;
    }
    return false;
}

static bool is_bytes(const TfLiteTensor *t)
{
    return t->type == kTfLiteInt8 || t->type == kTfLiteUInt8;
}

static void add_step(TfLiteTensor *t, size_t i, int steps)
{
    if (t->type == kTfLiteInt8)
        t->data.int8[i] = (int8_t)(t->data.int8[i] + steps);
    else
        t->data.uint8[i] = (uint8_t)(t->data.uint8[i] + steps);
}

/* As a delegate that computes in floats rounds them, ties to even. */
static void round_to_nearest(TfLiteTensor *t, const double *value)
{
    for (size_t i = 0; i < t->bytes; i++) {
        if (t->type == kTfLiteInt8)
            t->data.int8[i] = (int8_t)rint(value[i]);
        else
            t->data.uint8[i] = (uint8_t)rint(value[i]);
    }
}

static bool is_made_before(const struct kernel *k, const struct step *s, int tensor)
{
    for (const struct step *other = k->steps; other < s; other++) {
        for (int i = 0; i < other->outputs->size; i++) {
            if (other->outputs->data[i] == tensor)
                return true;
        }
    }
    return false;
}

/* The faults of one node, named by the tensor that it writes. */
static void spoil_node(const struct kernel *k, const struct step *s, TfLiteTensor *t)
{
    const int rank = t->dims->size, channels = rank > 0 ? t->dims->data[rank - 1] : 1;
    const size_t size = t->type == kTfLiteFloat32 ? sizeof(float) : 1;
    const size_t last = t->bytes / size - 1;

    if (k->mock->fault == FAULT_PLACE && s->node == k->mock->node && t->type == kTfLiteFloat32)
        t->data.f[0] += 1;
    if (k->mock->tensor[0] && (!t->name || strcmp(t->name, k->mock->tensor) != 0))
        return;
    if (k->mock->fault == FAULT_NODE_CRASH)
        raise(SIGSEGV);
    if (k->mock->fault == FAULT_TAIL && channels > 4 && channels % 4 != 0) {
        if (is_bytes(t))
            add_step(t, last, 3);
        else if (t->type == kTfLiteFloat32)
            t->data.f[last] += 1;
    }
    if (k->mock->fault == FAULT_TOGETHER && t->type == kTfLiteFloat32 &&
        is_made_before(k, s, s->inputs->data[0]))
        t->data.f[0] += 1;
}

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
    double *value = NULL;
    struct diag diag;

    if (k->mock->fault == FAULT_ACTIVATION)
        drop_activation(s);
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
    if (k->mock->fault == FAULT_NEAREST && is_bytes(out[0])) {
        value = mem_alloc(out[0]->bytes, sizeof *value);
        detail[0].value = value;
        call.detail = detail;
    }
    if (s->op->eval(&call, &diag) != STATUS_OK) {
        mem_free(value);
        context->ReportError(context, "mock: %s", diag.text);
        return kTfLiteError;
    }
    if (value)
        round_to_nearest(out[0], value);
    mem_free(value);
    for (int i = 0; i < s->outputs->size; i++) {
        if (k->mock->fault == FAULT_HALF ||
            (k->mock->fault == FAULT_HALF_ENDS && is_output(k, s->outputs->data[i])))
            round_to_half(out[i]);
        if (out[i]->bytes > 0)
            spoil_node(k, s, out[i]);
    }
    return kTfLiteOk;
}

static int invokes_of_process;

static float move(float f, int ulps)
{
    for (int i = 0; i < abs(ulps); i++)
        f = nextafterf(f, ulps > 0 ? INFINITY : -INFINITY);
    return f;
}

static void spoil_bytes(struct kernel *k, TfLiteTensor *t)
{
    const int images = t->dims->size > 0 ? t->dims->data[0] : 0;
    const size_t n = t->bytes;
    char *const y = t->data.raw;
    const char first = y[0];

    switch (k->mock->fault) {
    case FAULT_ULPS: add_step(t, n / 2, k->mock->ulps); break;
    case FAULT_BIAS:
        for (size_t i = 0; i < n; i++)
            add_step(t, i, k->mock->ulps);
        break;
    case FAULT_SWAP:
        if (n > 1) {
            y[0] = y[1];
            y[1] = first;
        }
        break;
    case FAULT_OVERRUN: y[n]++; break;
    case FAULT_UNDERRUN: y[-1]++; break;
    case FAULT_SECOND: y[n - 1] = (char)(y[n - 1] + (k->invokes == 2)); break;
    case FAULT_BATCH: y[0] = (char)(y[0] + (images > 1)); break;
    case FAULT_SINGLE: y[0] = (char)(y[0] + (images == 1)); break;
    case FAULT_HIDDEN:
    case FAULT_MERGED: y[0] = (char)(y[0] + k->hides); break;
    case FAULT_HIDDEN_FAR: y[0] = (char)(y[0] + 3 * k->hides); break;
    case FAULT_POISON: y[0] = (char)(y[0] + k->mock->poisoned); break;
    default: break;
    }
}

/* splitmix64. */
static uint64_t draw(uint64_t i)
{
    i = (i * 0x9e3779b97f4a7c15u ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return i ^ i >> 31;
}

static int count_threads(void)
{
    FILE *const f = fopen("/proc/self/status", "r");
    char line[256];
    int count = 0;

    while (f && fgets(line, sizeof line, f))
        sscanf(line, "Threads: %d", &count);
    if (f)
        fclose(f);
    return count;
}

/* The faults that are seen in an output. */
static void spoil(struct kernel *k, TfLiteTensor *t)
{
    const size_t n = t->bytes / sizeof(float);
    float *const y = t->data.f;
    const float first = n > 0 && t->type == kTfLiteFloat32 ? y[0] : 0;

    if (t->bytes == 0 && t->data.raw && k->mock->fault == FAULT_OVERRUN)
        t->data.raw[0]++;
    if (is_bytes(t) && t->bytes > 0)
        spoil_bytes(k, t);
    if (n == 0 || t->type != kTfLiteFloat32)
        return;
    switch (k->mock->fault) {
    case FAULT_ULPS: y[n / 2] = move(y[n / 2], k->mock->ulps); break;
    case FAULT_BIAS:
        for (size_t i = 0; i < n; i++)
            y[i] = move(y[i], k->mock->ulps);
        break;
    case FAULT_SWAP:
        if (n > 1) {
            y[0] = y[1];
            y[1] = first;
        }
        break;
    case FAULT_OVERRUN: y[n] = 1; break;
    case FAULT_UNDERRUN: y[-1] = 1; break;
    case FAULT_STATE: y[0] += k->invokes > 1 ? 1e-6f * k->last : 0; break;
    case FAULT_SECOND: y[n - 1] = k->invokes == 2 ? y[n - 1] + 1 : y[n - 1]; break;
    case FAULT_NOT_A_NUMBER: y[n - 1] = NAN; break;
    case FAULT_SOMETIMES: y[0] += invokes_of_process % 3 == 1; break;
    case FAULT_RARE: y[0] += draw((uint64_t)invokes_of_process) % 100 == 0; break;
    case FAULT_LOADED: y[0] += count_threads() > 2; break;
    case FAULT_ADDRESS: y[0] += (uintptr_t)y % 16 != 0; break;
    case FAULT_BATCH:
        if (t->dims->size > 0 && t->dims->data[0] > 1)
            y[0] = move(y[0], 1);
        break;
    case FAULT_SINGLE:
        if (t->dims->size > 0 && t->dims->data[0] == 1)
            y[0] += 1;
        break;
    case FAULT_HIDDEN:
    case FAULT_MERGED:
        if (k->hides)
            y[0] = move(y[0], 1);
        break;
    case FAULT_HIDDEN_FAR:
        if (k->hides)
            y[0] += 1;
        break;
    case FAULT_POISON:
        if (k->mock->poisoned)
            y[0] = move(y[0], 1);
        break;
    default: break;
    }
    k->last = first;
}

/* Reads outside of an input, as a loop that goes one element too far. */
static void spoil_by_outside(const struct kernel *k, const TfLiteTensor *x, TfLiteTensor *y)
{
    const enum fault fault = k->mock->fault;
    const size_t in = x->bytes / sizeof(float), out = y->bytes / sizeof(float);
    float outside;

    if (fault != FAULT_OVERREAD && fault != FAULT_UNDERREAD && fault != FAULT_OVERREAD_MAX)
        return;
    if (is_bytes(x) && is_bytes(y) && y->bytes > 0)
        add_step(y, y->bytes - 1,
                 fault == FAULT_UNDERREAD ? x->data.raw[-1] : x->data.raw[x->bytes]);
    if (x->type != kTfLiteFloat32 || y->type != kTfLiteFloat32 || out == 0)
        return;
    outside = fault == FAULT_UNDERREAD ? x->data.f[-1] : x->data.f[in];
    y->data.f[out - 1] = fault == FAULT_OVERREAD_MAX ? fmaxf(y->data.f[out - 1], outside)
                                                     : y->data.f[out - 1] + outside;
}

/* What happens to variables: the kernels have written them. */
static void spoil_state(struct kernel *k, TfLiteContext *context, bool before)
{
    for (int i = 0; i < (int)context->tensors_size && i < TENSORS_MAX; i++) {
        TfLiteTensor *const t = &context->tensors[i];
        const bool restore = k->mock->fault == FAULT_FORGET ? !before : before;

        if (t->is_variable && k->mock->fault == FAULT_HALF)
            round_to_half(t); /* the state is the output, which was stored */
        if (!t->is_variable || (k->mock->fault != FAULT_FORGET && k->mock->fault != FAULT_KEEP))
            continue;
        if (!k->state[i] && !restore)
            k->state[i] = mem_alloc(t->bytes, 1);
        if (k->state[i] && restore)
            memcpy(t->data.raw, k->state[i], t->bytes);
        else if (k->state[i])
            memcpy(k->state[i], t->data.raw, t->bytes);
    }
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

/* mmap, so that no sanitizer misses it when the library is closed. */
static void leak(void)
{
    static const size_t bytes = 1 << 20;
    void *const more =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (more != MAP_FAILED)
        memset(more, 1, bytes);
}

static bool is_odd(const TfLiteContext *context, int tensor)
{
    return tensor >= 0 && (uintptr_t)context->tensors[tensor].data.raw % 16 != 0;
}

/* The faults of a habit are gross: the first element of the first output. */
static bool has_habit_fault(const struct kernel *k, const TfLiteContext *context)
{
    switch (k->mock->fault) {
    case FAULT_RESIZED: return k->resized;
    case FAULT_RUN_40: return k->invokes == 40;
    case FAULT_LAST_MADE: return last_kernel != k && last_kernel;
    case FAULT_TOGETHER_IN_TIME: return atomic_load(&in_invoke) > 1;
    case FAULT_ODD_INPUT: return is_odd(context, k->inputs_first);
    case FAULT_ODD_OUTPUT: return is_odd(context, k->outputs->data[0]);
    case FAULT_ODD_CONSTANT: return is_odd(context, k->constant_first);
    case FAULT_PARTITIONS: return k->second;
    case FAULT_LAST_DELEGATE: return last_mock != k->mock;
    case FAULT_WARM: return k->mock->warm;
    case FAULT_OTHER_FILES: return k->mock->starts > 2;
    case FAULT_WAIT: return k->mock->waits;
    default: return false;
    }
}

static void spoil_first(TfLiteTensor *t)
{
    if (t->type == kTfLiteFloat32 && t->bytes > 0)
        t->data.f[0] += 1;
    else if (is_bytes(t) && t->bytes > 0)
        add_step(t, 0, 9);
}

/* Waits for another thread to come in, so that the fault of two at once is seen. */
static void meet(void)
{
    const struct timespec moment = { .tv_nsec = 100000 };

    for (int i = 0; i < 20 && atomic_load(&in_invoke) < 2; i++)
        nanosleep(&moment, NULL);
}

static TfLiteStatus kernel_invoke(TfLiteContext *context, TfLiteNode *node)
{
    struct kernel *const k = node->user_data;
    const double begin_s = now_s();
    const enum fault fault = k->mock->fault;
    TfLiteStatus status = kTfLiteOk;
    struct view v = { .count = (int)context->tensors_size };
    float kept = 0;
    TfLiteTensor *const first = &context->tensors[k->outputs->data[0]];
    const size_t elements = first->bytes / sizeof(float);

    k->invokes++;
    invokes_of_process++;
    if (fault == FAULT_INVOKE) {
        context->ReportError(context, "mock: the device is %s", "lost");
        return kTfLiteError;
    }
    if (k->mock->interrupt > 0 && invokes_of_process == k->mock->node) {
        kill(k->mock->interrupt, SIGTERM);
        if (k->mock->interrupt != getpid())
            sleep(3); /* as an inference that takes long, until its process ends or gets the signal
                       */
    }
    if (fault == FAULT_LEAK)
        leak();
    if (fault == FAULT_ROUNDING)
        fesetround(FE_UPWARD);
    if (fault == FAULT_CRASH && invokes_of_process >= k->mock->node)
        raise(SIGSEGV);
    if (fault == FAULT_ODD_CRASH && k->inputs_first >= 0 &&
        (uintptr_t)context->tensors[k->inputs_first].data.raw % 16 != 0)
        raise(SIGSEGV);
    if (fault == FAULT_ABORT)
        abort();
    if (fault == FAULT_EXIT)
        _exit(0);
    while (fault == FAULT_HANG && invokes_of_process >= k->mock->node)
        pause();
    if (v.count > TENSORS_MAX)
        return kTfLiteError;
    memcpy(v.tensors, context->tensors, (size_t)v.count * sizeof v.tensors[0]);
    if (fault == FAULT_UNWRITTEN && elements > 0)
        memcpy(&kept, first->data.f + elements - 1, sizeof kept);
    spoil_state(k, context, true);
    for (int i = 0; i < k->count && status == kTfLiteOk; i++)
        status = run_step(context, k, &k->steps[i], &v);
    spoil_state(k, context, false);
    for (int i = 0; i < k->outputs->size && status == kTfLiteOk; i++)
        spoil(k, &context->tensors[k->outputs->data[i]]);
    if (fault == FAULT_UNWRITTEN && elements > 0)
        memcpy(first->data.f + elements - 1, &kept, sizeof kept);
    if (fault == FAULT_TOGETHER_IN_TIME) {
        atomic_fetch_add(&in_invoke, 1);
        meet();
    }
    if (has_habit_fault(k, context))
        spoil_first(first);
    if (fault == FAULT_LAST_OUTPUT && k->outputs->size > 1 && k->invokes == 3)
        spoil_first(&context->tensors[k->outputs->data[k->outputs->size - 1]]);
    if (fault == FAULT_TOGETHER_IN_TIME) {
        meet();
        atomic_fetch_sub(&in_invoke, 1);
    }
    if (k->inputs_first >= 0)
        spoil_by_outside(k, &context->tensors[k->inputs_first], first);
    if (fault == FAULT_INPUT && k->inputs_first >= 0)
        context->tensors[k->inputs_first].data.raw[0] ^= 1;
    if (fault == FAULT_CONSTANT && k->constant_first >= 0)
        context->tensors[k->constant_first].data.raw[0] ^= 1;
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

/* Custom ops are not taken, nor what the host has not prepared, which looks like one. */
static void keep_builtin(TfLiteContext *context, TfLiteIntArray *nodes)
{
    int kept = 0;

    for (int i = 0; i < nodes->size; i++) {
        TfLiteRegistration *registration;
        TfLiteNode *node;

        if (context->GetNodeAndRegistration(context, nodes->data[i], &node, &registration) ==
                kTfLiteOk &&
            ref_find(registration->builtin_code))
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
    keep_builtin(context, plan);
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
    if (strcmp(key, "fault") == 0) {
        for (int i = 0; i < FAULT_COUNT; i++) {
            if (strcmp(value, fault_names[i]) == 0) {
                m->fault = (enum fault)i;
                return true;
            }
        }
    }
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

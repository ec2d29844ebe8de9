#include "conformance/tests/mock/faults.h"

#include "reference/base/half.h"
#include "reference/base/memory.h"

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

struct kernel *last_kernel;
struct mock *last_mock;
bool last_halves;
static atomic_int in_invoke;
static int invokes_of_process;

bool faults_find(const char *name, enum fault *fault)
{
    static const char *const names[FAULT_COUNT] = {
#define X(name, text) text,
        FAULT_LIST(X)
#undef X
    };

    for (int i = 0; i < FAULT_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *fault = (enum fault)i;
            return true;
        }
    }
    return false;
}

/* ---- of one node ---- */

void faults_before_step(const struct kernel *k, struct step *s)
{
    static const struct {
        int32_t code;
        size_t offset; /* of the activation in the struct of builtin_op_data.h */
    } places[] = { { BUILTIN_CONV_2D, offsetof(TfLiteConvParams, activation) },
                   { BUILTIN_ADD, offsetof(TfLiteAddParams, activation) } };
    const TfLiteFusedActivation none = kTfLiteActNone;

    if (k->mock->fault == FAULT_THREE && s->op->code == BUILTIN_MUL)
        memcpy((char *)s->params + offsetof(TfLiteMulParams, activation), &none, sizeof none);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (k->mock->fault == FAULT_ACTIVATION && places[i].code == s->op->code)
            memcpy((char *)s->params + places[i].offset, &none, sizeof none);
    }
}

/* Of FAULT_THREE: input i as it was when it was read first, which goes on. */
static float *first_of(struct kernel *k, const struct step *s, int i, TfLiteTensor **in,
                       TfLiteTensor *other)
{
    float **const kept = &k->first[s->inputs->data[i]];

    if (!*kept) {
        *kept = mem_alloc(in[i]->bytes, 1);
        memcpy(*kept, in[i]->data.f, in[i]->bytes);
    }
    *other = *in[i];
    other->data.f = *kept;
    in[i] = other;
    return *kept;
}

void faults_on_inputs(struct kernel *k, const struct step *s, TfLiteTensor **in,
                      const TfLiteTensor *out, TfLiteTensor *other)
{
    if (k->mock->fault != FAULT_THREE || out->type != kTfLiteFloat32 || out->bytes == 0)
        return;
    if (s->op->code == BUILTIN_ADD && in[1]->bytes < out->bytes)
        first_of(k, s, 1, in, other);
    if (s->op->code == BUILTIN_CONV_2D && s->inputs->size > 2 && in[2]) {
        const size_t channels = in[2]->bytes / sizeof(float);
        const float *const whole = in[2]->data.f;
        float *const bias = first_of(k, s, 2, in, other);

        memcpy(bias, whole, in[2]->bytes);
        for (size_t c = channels / 4 * 4; c < channels; c++)
            bias[c] = 0;
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

bool faults_wants_value(const struct kernel *k, const TfLiteTensor *t)
{
    return k->mock->fault == FAULT_NEAREST && is_bytes(t);
}

void faults_after_step(const struct kernel *k, const struct step *s, TfLiteTensor *const *out,
                       const double *value)
{
    if (value)
        round_to_nearest(out[0], value);
    for (int i = 0; i < s->outputs->size; i++) {
        if (k->mock->fault == FAULT_HALF ||
            (k->mock->fault == FAULT_HALF_ENDS && is_output(k, s->outputs->data[i])))
            round_to_half(out[i]);
        if (out[i]->bytes > 0)
            spoil_node(k, s, out[i]);
    }
}

/* ---- of an invoke ---- */

static float move(float f, int ulps)
{
    for (int i = 0; i < abs(ulps); i++)
        f = nextafterf(f, ulps > 0 ? INFINITY : -INFINITY);
    return f;
}

/* Swaps the first two of `count` elements. */
static void swap(char *y, size_t count, size_t bytes)
{
    for (size_t i = 0; count > 1 && i < bytes; i++) {
        const char first = y[i];

        y[i] = y[i + bytes];
        y[i + bytes] = first;
    }
}

static void spoil_bytes(struct kernel *k, TfLiteTensor *t)
{
    const int images = t->dims->size > 0 ? t->dims->data[0] : 0;
    const size_t n = t->bytes;
    char *const y = t->data.raw;

    switch (k->mock->fault) {
    case FAULT_ULPS: add_step(t, n / 2, k->mock->ulps); break;
    case FAULT_BIAS:
        for (size_t i = 0; i < n; i++)
            add_step(t, i, k->mock->ulps);
        break;
    case FAULT_SWAP: swap(y, n, sizeof *y); break;
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
    case FAULT_SWAP: swap(t->data.raw, n, sizeof *y); break;
    case FAULT_SWAP_CRASH:
        if (invokes_of_process >= k->mock->node - 3)
            swap(t->data.raw, n, sizeof *y);
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
    case FAULT_OTHER_OPTIONS: return last_halves;
    case FAULT_WARM: return k->mock->warm;
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

/* From the third start with the same files on it gives the results of the first, whatever model it
 * has. */
static void give_first_results(const struct kernel *k, TfLiteTensor *t)
{
    static char results[4096];
    const size_t bytes = t->bytes < sizeof results ? t->bytes : sizeof results;

    if (k->mock->starts == 1)
        memcpy(results, t->data.raw, bytes);
    else if (k->mock->starts > 2)
        memcpy(t->data.raw, results, bytes);
}

/* Waits for another thread to come in, so that the fault of two at once is seen. */
static void meet(void)
{
    const struct timespec moment = { .tv_nsec = 100000 };

    for (int i = 0; i < 20 && atomic_load(&in_invoke) < 2; i++)
        nanosleep(&moment, NULL);
}

TfLiteStatus faults_before(struct kernel *k, TfLiteContext *context)
{
    const struct mock *const m = k->mock;
    const enum fault fault = m->fault;
    const TfLiteTensor *const first = &context->tensors[k->outputs->data[0]];
    const size_t elements = first->bytes / sizeof(float);

    k->invokes++;
    invokes_of_process++;
    if (fault == FAULT_INVOKE) {
        context->ReportError(context, "mock: the device is %s", "lost");
        return kTfLiteError;
    }
    if (m->interrupt > 0 && invokes_of_process == m->node) {
        kill(m->interrupt, SIGTERM);
        if (m->interrupt != getpid())
            sleep(3); /* as an inference that takes long, until its process ends or gets the signal
                       */
    }
    if (fault == FAULT_LEAK)
        leak();
    if (fault == FAULT_ROUNDING)
        fesetround(FE_UPWARD);
    if ((fault == FAULT_CRASH || fault == FAULT_SWAP_CRASH) && invokes_of_process >= m->node)
        raise(SIGSEGV);
    if (fault == FAULT_ODD_CRASH && is_odd(context, k->inputs_first))
        raise(SIGSEGV);
    if (fault == FAULT_ABORT)
        abort();
    if (fault == FAULT_EXIT)
        _exit(0);
    while (fault == FAULT_HANG && invokes_of_process >= m->node)
        pause();
    if (fault == FAULT_UNWRITTEN && elements > 0)
        memcpy(&k->unwritten, first->data.f + elements - 1, sizeof k->unwritten);
    spoil_state(k, context, true);
    return kTfLiteOk;
}

void faults_after(struct kernel *k, TfLiteContext *context, TfLiteStatus status)
{
    const enum fault fault = k->mock->fault;
    TfLiteTensor *const first = &context->tensors[k->outputs->data[0]];
    const size_t elements = first->bytes / sizeof(float);

    spoil_state(k, context, false);
    for (int i = 0; i < k->outputs->size && status == kTfLiteOk; i++)
        spoil(k, &context->tensors[k->outputs->data[i]]);
    if (fault == FAULT_UNWRITTEN && elements > 0)
        memcpy(first->data.f + elements - 1, &k->unwritten, sizeof k->unwritten);
    if (fault == FAULT_TOGETHER_IN_TIME) {
        atomic_fetch_add(&in_invoke, 1);
        meet();
    }
    if (has_habit_fault(k, context))
        spoil_first(first);
    if (fault == FAULT_OTHER_FILES)
        give_first_results(k, first);
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
}

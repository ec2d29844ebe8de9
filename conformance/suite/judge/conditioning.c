/* Monte Carlo arithmetic with the bounds of the suite: an error of an op is a random one. */
#include "conformance/suite/judge/conditioning.h"

#include "conformance/suite/judge/node_compare.h"
#include "conformance/suite/judge/node_limits.h"
#include "conformance/suite/judge/swaps.h"
#include "conformance/util/random.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 3 };

/* What the tensors held that are written here: of inputs and outputs the data, of constants where
 * they lie. */
struct kept {
    struct interpreter *in;
    enum bounds bounds;
    size_t count;
    void **data; /* of each tensor, NULL: it is not kept */
    char **lies; /* of a constant that was replaced */
};

static double between(struct random_stream *s)
{
    return 2 * ((double)(random_next(s) >> 11) * 0x1p-53) - 1;
}

/* ---- tensors that are put back ---- */

static enum status keep(struct kept *k, int tensor, struct diag *diag)
{
    const TfLiteTensor *const t = interpreter_tensor(k->in, tensor);

    if (k->data[tensor] || t->bytes == 0 || !t->data.raw)
        return STATUS_OK;
    if (!(k->data[tensor] = mem_alloc(t->bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "conditioning: out of memory");
    memcpy(k->data[tensor], t->data.raw, t->bytes);
    return STATUS_OK;
}

/* A device that stores f16 has other constants.  What overflows there is no matter of conditioning,
 * so it stays as it is. */
static enum status round_constant(struct kept *k, int tensor, struct diag *diag)
{
    TfLiteTensor *const t = interpreter_tensor(k->in, tensor);
    float *x;

    if (t->type != kTfLiteFloat32 || t->allocation_type != kTfLiteMmapRo || t->bytes == 0)
        return STATUS_OK;
    TRY(keep(k, tensor, diag));
    x = k->data[tensor];
    for (size_t i = 0; i < t->bytes / sizeof *x; i++) {
        if (fabsf(x[i]) <= 65504)
            x[i] = half_to_float(float_to_half(x[i]));
    }
    k->lies[tensor] = t->data.raw;
    t->data.raw = k->data[tensor];
    return STATUS_OK;
}

static void put_back(const struct kept *k, int tensor)
{
    const TfLiteTensor *const t = interpreter_tensor(k->in, tensor);

    if (k->data[tensor] && !k->lies[tensor])
        memcpy(t->data.raw, k->data[tensor], t->bytes);
}

static void close_kept(struct kept *k)
{
    for (size_t t = 0; k->data && k->lies && t < k->count; t++) {
        if (k->lies[t])
            interpreter_tensor(k->in, (int)t)->data.raw = k->lies[t];
        else
            put_back(k, (int)t);
        mem_free(k->data[t]);
    }
    mem_free(k->data);
    mem_free(k->lies);
}

static enum status open_kept(struct kept *k, struct diag *diag)
{
    size_t inputs, outputs;
    const int *const in = interpreter_inputs(k->in, &inputs);
    const int *const out = interpreter_outputs(k->in, &outputs);

    k->count = interpreter_tensor_count(k->in);
    k->data = mem_alloc(k->count, sizeof *k->data);
    k->lies = mem_alloc(k->count, sizeof *k->lies);
    if (!k->data || !k->lies)
        return diag_fail(diag, STATUS_NO_MEMORY, "conditioning: out of memory");
    for (size_t i = 0; i < inputs; i++)
        TRY(keep(k, in[i], diag));
    for (size_t i = 0; i < outputs; i++)
        TRY(keep(k, out[i], diag));
    for (size_t t = 0; bounds_half(k->bounds) && t < k->count; t++)
        TRY(round_constant(k, (int)t, diag));
    return STATUS_OK;
}

/* ---- a run ---- */

static void move_inputs(struct kept *k, struct random_stream *s)
{
    size_t count;
    const int *const inputs = interpreter_inputs(k->in, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(k->in, inputs[i]);

        put_back(k, inputs[i]);
        for (size_t e = 0; t->type == kTfLiteFloat32 && e < t->bytes / sizeof(float); e++)
            t->data.f[e] += (float)(between(s) * bound_ulp(k->bounds, t->data.f[e]));
    }
}

/* q->added: by activations in 8 bits; NULL: nothing. */
static void move_output(const TfLiteTensor *t, const struct compare_request *q,
                        const struct ref_detail *d, struct random_stream *s)
{
    const double row = t->dims->size > 0 ? t->dims->data[t->dims->size - 1] : 1;

    for (size_t e = 0; e < ref_elements(t); e++) {
        const struct bound_point p = { d->value[e], d->magnitude[e], d->terms[e], row };
        const double limit = compare_limit(q, &p) + (q->added ? q->added[e] : 0);
        const double x = d->value[e] + between(s) * limit;

        if (!isfinite(limit) || !isfinite(x))
            continue;
        if (t->type == kTfLiteFloat16)
            t->data.f16[e].data = double_to_half(x);
        else
            t->data.f[e] = (float)x;
    }
}

static enum status run_node(struct kept *k, int node, struct random_stream *s, struct diag *diag)
{
    const TfLiteNode *const n = interpreter_node(k->in, node);
    struct node_detail detail;
    double *added = NULL;
    enum status status;

    if (k->bounds & BOUNDS_HYBRID)
        TRY(node_limits_hybrid(k->in, node, true, &added, diag));
    if ((status = node_detail_open(&detail, k->in, n, diag)) != STATUS_OK) {
        mem_free(added);
        return status;
    }
    detail.all[0].rounded = added;
    status = interpreter_eval_node(k->in, node, detail.all, diag);
    for (int o = 0; status == STATUS_OK && o < n->outputs->size; o++) {
        const TfLiteTensor *const t = interpreter_tensor(k->in, n->outputs->data[o]);
        const struct compare_request q = { .rule = node_compare_rule(k->in, node, o),
                                           .bounds = node_compare_bounds(k->bounds, t),
                                           .weight_units =
                                               node_compare_weight_units(k->in, node, o),
                                           .added = o == 0 ? added : NULL };

        if (q.rule && (t->type == kTfLiteFloat32 || t->type == kTfLiteFloat16))
            move_output(t, &q, &detail.all[o], s);
    }
    mem_free(added);
    node_detail_close(&detail);
    return status;
}

static bool is_folded(struct interpreter *in, const TfLiteNode *n)
{
    return n->outputs->size == 0 ||
           interpreter_tensor(in, n->outputs->data[0])->allocation_type == kTfLitePersistentRo;
}

static enum status run_once(struct kept *k, struct random_stream *s, struct diag *diag)
{
    TRY(interpreter_reset_state(k->in));
    move_inputs(k, s);
    for (size_t n = 0; n < interpreter_node_count(k->in); n++) {
        if (!interpreter_node_op(k->in, (int)n))
            return diag_fail(diag, STATUS_UNSUPPORTED, "node %zu: the reference does not know it",
                             n);
        if (!is_folded(k->in, interpreter_node(k->in, (int)n)))
            TRY(run_node(k, (int)n, s, diag));
    }
    return STATUS_OK;
}

/* Detections that only changed places are in place, as those of a subject are. */
static enum status add_figures(const struct kept *k, struct figures outputs[OUTPUTS_MAX],
                               struct diag *diag)
{
    struct outputs moved = { .count = 0 };
    size_t count;
    const int *const tensors = interpreter_outputs(k->in, &count);

    TRY(outputs_copy(&moved, k->in, diag));
    for (size_t i = 0; i < count; i++)
        put_back(k, tensors[i]);
    swaps_undo(k->in, &moved);
    for (size_t i = 0; i < moved.count; i++) {
        if (moved.items[i].bytes > 0)
            figures_add(&outputs[i], interpreter_tensor(k->in, tensors[i]), moved.items[i].data);
    }
    outputs_close(&moved);
    return STATUS_OK;
}

enum status conditioning_measure(struct interpreter *in, enum bounds bounds, uint64_t seed,
                                 struct figures outputs[OUTPUTS_MAX], struct diag *diag)
{
    struct kept k = { .in = in, .bounds = bounds };
    enum status s = open_kept(&k, diag);

    for (size_t i = 0; i < OUTPUTS_MAX; i++)
        outputs[i] = (struct figures){ .runs = 0 };
    for (uint64_t sample = 0; s == STATUS_OK && sample < SAMPLES; sample++) {
        struct random_stream stream;

        random_init(&stream, seed, "conditioning", 0, 0, sample);
        s = run_once(&k, &stream, diag);
        if (s == STATUS_OK)
            s = add_figures(&k, outputs, diag);
    }
    for (size_t i = 0; i < OUTPUTS_MAX; i++)
        figures_finish(&outputs[i]);
    close_kept(&k);
    return s;
}

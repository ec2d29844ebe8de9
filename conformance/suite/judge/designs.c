#include "conformance/suite/judge/designs.h"

#include "conformance/suite/judge/node_limits.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"
#include "reference/base/packed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a design's results, whose magnitude is B_d (TOLERANCES.md 13.9). */
static const struct bound_rule design_rule = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 8 };

/* ---- which nodes ---- */

static TfLiteTensor *input(struct interpreter *in, int node, int i)
{
    return interpreter_tensor(in, interpreter_node(in, node)->inputs->data[i]);
}

bool designs_apply(struct interpreter *in, int node)
{
    const struct op_facts *const facts = op_facts_find(interpreter_node_op(in, node)->code);
    const TfLiteTensor *w;

    if (!facts || facts->first != 0 || facts->weights != 1 || facts->state != 0)
        return false;
    w = input(in, node, 1);
    return (w->type == kTfLiteInt8 || packed_bits(w->type) > 0) &&
           w->allocation_type == kTfLiteMmapRo && input(in, node, 0)->type == kTfLiteFloat32;
}

bool designs_decide(struct interpreter *in, int node)
{
    return designs_apply(in, node) && packed_bits(input(in, node, 1)->type) > 0;
}

/* ---- activations in 8 bits ---- */

/* A row in steps: x is nearly scale * (q - zero). */
struct steps {
    float scale, zero;
};

static struct steps symmetric(const float *x, size_t count, float *q)
{
    float largest = 0, inverse;

    for (size_t i = 0; i < count; i++)
        largest = fmaxf(largest, fabsf(x[i]));
    inverse = 127 / largest;
    for (size_t i = 0; i < count; i++)
        q[i] = largest > 0 ? fmaxf(-127, fminf(127, roundf(x[i] * inverse))) : 0;
    return (struct steps){ largest > 0 ? largest / 127 : 1, 0 };
}

static void find_range(const float *x, size_t count, float *low, float *high)
{
    *low = *high = 0;
    for (size_t i = 0; i < count; i++) {
        *low = fminf(*low, x[i]);
        *high = fmaxf(*high, x[i]);
    }
}

static float clamp_step(float q)
{
    return fmaxf(-128, fminf(127, q));
}

static struct steps asymmetric(const float *x, size_t count, float *q)
{
    struct steps s = { 1, 0 };
    double scale, below, above;
    float low, high;

    find_range(x, count, &low, &high);
    memset(q, 0, count * sizeof *q);
    if (low == high)
        return s;
    scale = ((double)high - low) / 255;
    below = -128 - low / scale;
    above = 127 - high / scale;
    s.zero = roundf(
        clamp_step((float)(128 + fabs(low / scale) < 127 + fabs(high / scale) ? below : above)));
    s.scale = (float)scale;
    for (size_t i = 0; i < count; i++) {
        const float steps = x[i] * (1 / s.scale);

        q[i] = clamp_step(roundf(s.zero + steps));
    }
    return s;
}

static struct steps xnnpack(const float *x, size_t count, float *q)
{
    float low, high, inverse, from_low, from_high;
    struct steps s;

    find_range(x, count, &low, &high);
    inverse = low == high ? 1 : 255 / (high - low);
    from_low = low * inverse;
    from_high = high * inverse;
    s.zero = rintf(
        clamp_step((-128 + from_low) + (127 + from_high) > 0 ? -128 - from_low : 127 - from_high));
    s.scale = 1 / inverse;
    for (size_t i = 0; i < count; i++)
        q[i] = clamp_step(rintf(x[i] * inverse) + s.zero);
    return s;
}

/* Writes scale * (q - zero) of each row to x, or the sum of the magnitudes of both. */
static void fill_steps(enum design design, bool magnitudes, const float *saved, size_t parts,
                       size_t part, float *x)
{
    for (size_t p = 0; p < parts; p++) {
        const float *const from = saved + p * part;
        float *const q = x + p * part;
        const struct steps s = design == DESIGN_SYM    ? symmetric(from, part, q)
                               : design == DESIGN_ASYM ? asymmetric(from, part, q)
                                                       : xnnpack(from, part, q);

        for (size_t i = 0; i < part; i++)
            q[i] = s.scale * (magnitudes ? fabsf(q[i]) + fabsf(s.zero) : q[i] - s.zero);
    }
}

/* ---- scales of blocks in bf16 ---- */

/* The tensor of scales, whose values are rounded to bf16 in `narrow` (freed with mem_free); NULL:
 * the weights are not quantized in blocks. */
static enum status block_scales(struct interpreter *in, int node, TfLiteTensor **scales,
                                TfLiteFloat16 **narrow, struct diag *diag)
{
    const TfLiteTensor *const w = input(in, node, 1);
    const TfLiteBlockwiseQuantization *const blocks = w->quantization.params;
    TfLiteTensor *t;

    *scales = NULL;
    *narrow = NULL;
    if (w->quantization.type != kTfLiteBlockwiseQuantization)
        return STATUS_OK;
    t = interpreter_tensor(in, blocks->scale);
    if (!t || t->type != kTfLiteFloat16)
        return STATUS_OK;
    *narrow = mem_alloc(t->bytes + 1, 1);
    if (!*narrow)
        return diag_fail(diag, STATUS_NO_MEMORY, "node %d: no memory for its scales", node);
    for (size_t i = 0; i < ref_elements(t); i++)
        (*narrow)[i].data = float_to_half(
            bfloat_to_float(double_to_bfloat((double)half_to_float(t->data.f16[i].data))));
    *scales = t;
    return STATUS_OK;
}

/* ---- results ---- */

struct trial {
    struct interpreter *in;
    int node;
    const struct compare_request *q; /* without `added` */
    TfLiteTensor *x;
    float *saved; /* the activations */
    size_t parts, part, count;
    double *value, *magnitude, *terms;
    double margin[DESIGN_COUNT], max_abs[DESIGN_COUNT];
};

static enum status evaluate(const struct trial *t, double *value, double *magnitude,
                            struct diag *diag)
{
    struct ref_detail detail = { .value = value, .magnitude = magnitude, .terms = t->terms };

    return interpreter_eval_node(t->in, t->node, &detail, diag);
}

/* Values and magnitudes of a design: those of the node for the rounded activations. */
static enum status evaluate_design(const struct trial *t, enum design design, struct diag *diag)
{
    fill_steps(design, false, t->saved, t->parts, t->part, t->x->data.f);
    TRY(evaluate(t, t->value, t->magnitude, diag));
    if (design == DESIGN_SYM)
        return STATUS_OK;
    fill_steps(design, true, t->saved, t->parts, t->part, t->x->data.f);
    return evaluate(t, t->terms + t->count, t->magnitude, diag);
}

static bool passes(struct trial *t, enum design design, size_t i)
{
    const double got = ((const float *)t->q->got)[i];
    const struct ref_detail *const d = t->q->detail;
    const struct bound_point in_float = { d->value[i], d->magnitude[i], d->terms[i], 1 };
    const struct bound_point rounded = { t->value[i], t->magnitude[i], 1, 1 };
    const struct bound_point *const p = design == DESIGN_FLOAT ? &in_float : &rounded;
    const double limit = design == DESIGN_FLOAT ? compare_limit(t->q, p)
                                                : bound_limit(&design_rule, t->q->bounds, p);
    const struct bound_verdict v = bound_check(t->q->bounds, limit, p->value, got);

    t->max_abs[design] = fmax(t->max_abs[design], v.error);
    if (v.error > 0)
        t->margin[design] = fmax(t->margin[design], fmin(v.error, limit) / limit);
    return v.pass;
}

/* Adds the design to those of each row that it fits. */
static void note_rows(struct trial *t, enum design design, uint32_t *rows)
{
    const size_t row = t->count / t->parts;

    for (size_t p = 0; p < t->parts; p++) {
        bool fits = true;

        for (size_t i = p * row; i < (p + 1) * row; i++)
            fits &= passes(t, design, i);
        rows[p] |= (uint32_t)fits << design;
    }
}

static void sum_up(const uint32_t *rows, size_t parts, struct designs_verdict *v)
{
    size_t other = 0;

    v->fits = (1u << DESIGN_COUNT) - 1;
    v->rows_differ = true;
    for (size_t p = 0; p < parts; p++) {
        v->fits &= rows[p];
        v->rows_differ = v->rows_differ && rows[p] != 0;
    }
    v->rows_differ = v->rows_differ && v->fits == 0;
    while (v->rows_differ && other + 1 < parts && (rows[0] & rows[other]) != 0)
        other++;
    if (v->rows_differ)
        snprintf(v->text, sizeof v->text,
                 "rows are of different designs: row 0 of %s, row %zu of %s", design_name(rows[0]),
                 other, design_name(rows[other]));
}

static enum status try_all(struct trial *t, uint32_t *rows, struct designs_verdict *v,
                           struct diag *diag)
{
    TfLiteFloat16 *narrow;
    TfLiteTensor *scales;
    enum status s = STATUS_OK;

    TRY(block_scales(t->in, t->node, &scales, &narrow, diag));
    note_rows(t, DESIGN_FLOAT, rows);
    for (int design = DESIGN_SYM; design < DESIGN_COUNT && s == STATUS_OK; design++) {
        const bool rounds_scales = design == DESIGN_XNN_BF16;
        TfLiteFloat16 *const wide = scales ? scales->data.f16 : NULL;

        if (rounds_scales && !scales)
            continue;
        if (rounds_scales)
            scales->data.f16 = narrow;
        s = evaluate_design(t, (enum design)design, diag);
        if (rounds_scales)
            scales->data.f16 = wide;
        if (s == STATUS_OK)
            note_rows(t, (enum design)design, rows);
    }
    mem_free(narrow);
    if (s != STATUS_OK)
        return s;
    sum_up(rows, t->parts, v);
    for (int design = DESIGN_COUNT - 1; design > DESIGN_FLOAT; design--) {
        if (v->fits >> design & 1) {
            v->margin = t->margin[design];
            v->max_abs = t->max_abs[design];
        }
    }
    memset(t->x->data.f, 0, t->x->bytes);
    TRY(evaluate(t, t->value, t->magnitude, diag));
    v->bias_alone = true;
    for (size_t i = 0; i < t->count && v->bias_alone; i++)
        v->bias_alone = ((const float *)t->q->got)[i] == (float)t->value[i];
    return STATUS_OK;
}

enum status designs_judge(struct interpreter *in, int node, const struct compare_request *request,
                          struct designs_verdict *verdict, struct diag *diag)
{
    TfLiteTensor *const x = input(in, node, 0);
    struct trial t = { .in = in, .node = node, .q = request, .x = x };
    uint32_t *rows;
    enum status s = STATUS_OK;

    *verdict = (struct designs_verdict){ .fits = 0 };
    t.parts = node_limits_parts(x, input(in, node, 1));
    t.count = ref_elements(interpreter_tensor(in, interpreter_node(in, node)->outputs->data[0]));
    if (t.parts == 0 || t.count == 0 || x->bytes == 0)
        return STATUS_OK;
    t.part = ref_elements(x) / t.parts;
    t.saved = mem_alloc(x->bytes, 1);
    t.value = mem_alloc(t.count, 4 * sizeof *t.value);
    rows = mem_alloc(t.parts, sizeof *rows);
    if (!t.saved || !t.value || !rows) {
        s = diag_fail(diag, STATUS_NO_MEMORY, "node %d: no memory for its designs", node);
    } else {
        t.magnitude = t.value + t.count;
        t.terms = t.value + 2 * t.count; /* and a scratch behind it */
        memcpy(t.saved, x->data.f, x->bytes);
        s = try_all(&t, rows, verdict, diag);
        memcpy(x->data.f, t.saved, x->bytes);
        if (s == STATUS_OK)
            s = interpreter_eval_node(in, node, NULL, diag);
    }
    mem_free(t.saved);
    mem_free(t.value);
    mem_free(rows);
    return s;
}

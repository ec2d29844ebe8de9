/* Runs the reference node by node, and compares the outputs. */
#include "conformance/suite/judge/node_compare.h"

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/judge/designs.h"
#include "conformance/suite/judge/looks.h"
#include "conformance/suite/judge/node_limits.h"
#include "conformance/suite/judge/repro.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one output ---- */

void node_detail_close(struct node_detail *d)
{
    for (int i = 0; i < d->count; i++)
        mem_free(d->all[i].value);
    *d = (struct node_detail){ .count = 0 };
}

/* One block of memory for value, magnitude and terms of each output. */
enum status node_detail_open(struct node_detail *d, struct interpreter *in, const TfLiteNode *node,
                             struct diag *diag)
{
    *d = (struct node_detail){ .count = 0 };
    if (node->outputs->size > CASE_INPUTS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "a node has %d outputs, expected at most %d",
                         node->outputs->size, CASE_INPUTS_MAX);
    for (int i = 0; i < node->outputs->size; i++) {
        const size_t n = ref_elements(interpreter_tensor(in, node->outputs->data[i]));
        double *const block = mem_alloc(n ? n : 1, 3 * sizeof *block);

        if (!block) {
            node_detail_close(d);
            return diag_fail(diag, STATUS_NO_MEMORY, "%zu elements: out of memory", n);
        }
        d->all[i] = (struct ref_detail){ block, block + n, block + 2 * n, NULL };
        d->count = i + 1;
    }
    return STATUS_OK;
}

static bool holds_poison(const void *data, size_t element, uint32_t word)
{
    uint32_t bits;

    memcpy(&bits, (const char *)data + 4 * element, sizeof bits);
    return bits == word;
}

static void add_figures(struct case_result *r, const struct comparison *c)
{
    r->max_abs = fmax(r->max_abs, c->max_abs);
    r->max_ulp = fmax(r->max_ulp, c->max_ulp);
    r->margin = fmax(r->margin, c->margin);
    r->not_judged += c->not_judged;
    if (fabs(c->bias) > fabs(r->bias))
        r->bias = c->bias;
}

_Static_assert((int)COMPARE_RUNS == (int)PROFILE_BINS, "a character for each run");

/* Keeps the profile of the output that fails, else of the largest margin. */
static void note_profile(struct case_result *r, const struct comparison *c)
{
    if (r->status == CASE_FAIL || (c->pass && r->by_element[0] && c->margin < r->margin))
        return;
    profile_write(c->by_element, c->elements, r->by_element);
    profile_write(c->by_channel, c->channels, r->by_channel);
    r->elements = c->elements;
    r->channels = c->channels;
}

/* The largest scale of a tensor, which may have one for each channel; 1 where it has none. */
static double largest_scale(const TfLiteTensor *t)
{
    const TfLiteAffineQuantization *const q = t->quantization.params;
    double largest = 0;

    if (t->quantization.type != kTfLiteAffineQuantization)
        return 1;
    for (int c = 0; c < q->scale->size; c++)
        largest = fmax(largest, q->scale->data[c]);
    return largest;
}

/* The multiplier that requantizes products: from their scale to the output's; of a multiplier for
 * each channel the largest. */
static double requantize_multiplier(struct interpreter *in, const TfLiteNode *node,
                                    const struct op_facts *facts, const TfLiteTensor *out)
{
    double multiplier = 1 / (double)out->params.scale;

    for (int i = 0; i < node->inputs->size; i++) {
        const bool is_data = i >= facts->first && i < facts->first + facts->data;

        if (is_data || i == facts->weights)
            multiplier *= largest_scale(interpreter_tensor(in, node->inputs->data[i]));
    }
    return multiplier;
}

enum bounds node_compare_bounds(enum bounds floats, const TfLiteTensor *t)
{
    return (enum bounds)(floats | (t->type == kTfLiteFloat16 ? BOUNDS_FP16 : 0));
}

/* The share of results that may differ from the nearest integer.  The runtime rounds twice, to 2^-n
 * of a step and to a step, where its multiplier is about 2^-n: then one result in 2^(n + 1) may be
 * another.  Sums have such small multipliers that this seldom shows (TOLERANCES.md 5.1: in one of
 * 20), one requantization has not (in 35 of 100). */
static double max_mismatch_share(struct interpreter *in, int node, const struct op_facts *facts,
                                 const TfLiteTensor *out)
{
    switch (facts->ties) {
    case OP_TIES_SUM: return 0.05;
    case OP_TIES_PRODUCT:
        return requantize_multiplier(in, interpreter_node(in, node), facts, out) <= 0.05 ? 0.05
                                                                                         : 0.35;
    case OP_TIES_ONCE: return 0.35;
    case OP_TIES_ANY:
    case OP_TIES_DRIFT: break;
    }
    return 1;
}

/* How a quantized output is compared; false for other outputs. */
static bool node_compare_steps(struct interpreter *in, int node, const TfLiteTensor *t,
                               enum bounds bounds, struct compare_steps *steps)
{
    const struct op_facts *const facts = op_facts_find(interpreter_node_op(in, node)->code);
    const bool whole = t->type == kTfLiteInt8 || t->type == kTfLiteUInt8 || t->type == kTfLiteInt16;

    if (!whole || t->quantization.type == kTfLiteNoQuantization)
        return false;
    *steps = (struct compare_steps){
        .bounds = bounds,
        .reference = t->data.raw,
        .scale = t->params.scale,
        .zero = t->params.zero_point,
        .within_reference = !facts || facts->ties != OP_TIES_DRIFT,
        .max_mismatch_share = facts ? max_mismatch_share(in, node, facts, t) : 0,
    };
    return true;
}

const struct bound_rule *node_compare_rule(struct interpreter *in, int node, int output)
{
    static const struct bound_rule full_lstm = { .kind = BOUND_LSTM_FULL };
    const struct suite_member *const member =
        suite_find_member(interpreter_node_op(in, node)->code);
    int x;

    if (!member)
        return NULL;
    x = interpreter_node(in, node)->inputs->data[0];
    if (member->bound_integers.kind != BOUND_BITS &&
        interpreter_tensor(in, x)->quantization.type != kTfLiteNoQuantization)
        return &member->bound_integers;
    /* LSTM's full kernel has one output. */
    if (member->bound.kind == BOUND_LSTM && interpreter_node(in, node)->outputs->size == 1)
        return &full_lstm;
    return bound_rule_of_output(&member->bound, output);
}

static void note_failure(const struct node_compare_request *q, const struct comparison *c,
                         int output, const void *got, TfLiteType type, struct case_result *r)
{
    const char *text = c->text;

    if (r->status == CASE_FAIL)
        return;
    if (c->has_element && type == kTfLiteFloat32 && isnan(c->got) &&
        holds_poison(got, c->index, q->poison_word))
        text = "not written: it holds what was there before";
    r->has_element = c->has_element;
    r->output = output;
    snprintf(r->where, sizeof r->where, "%s", c->where);
    r->got = c->got;
    r->want = c->want;
    r->error = c->error;
    r->limit = c->limit;
    r->worst = c->worst;
    if (c->wrong > 0)
        result_fail(r, "%s (%zu of %zu wrong)", text, c->wrong, c->elements);
    else
        result_fail(r, "%s", text);
}

/* The judged node's input as floats where it holds infinities and NaNs, which is freed with
 * mem_free; else NULL. */
static enum status special_input(const struct node_compare_request *q, int node,
                                 const TfLiteTensor *out, float **special, struct diag *diag)
{
    const struct case_instance *const x = q->instance;
    const size_t count = ref_elements(out);

    *special = NULL;
    if (!x->every_half || node != x->judged_node)
        return STATUS_OK;
    if (x->inputs[0].bytes != count * (x->inputs[0].type == kTfLiteFloat16 ? 2 : 4))
        return diag_fail(diag, STATUS_INVALID, "every_half: %zu bytes of input for %zu elements",
                         x->inputs[0].bytes, count);
    *special = mem_alloc(count, sizeof **special);
    if (!*special)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu elements: out of memory", count);
    for (size_t i = 0; i < count; i++)
        (*special)[i] = x->inputs[0].type == kTfLiteFloat16
                            ? half_to_float(((const uint16_t *)x->inputs[0].data[q->frame])[i])
                            : ((const float *)x->inputs[0].data[q->frame])[i];
    return STATUS_OK;
}

/* ---- special values in inputs ---- */

/* What a device may take special values for (TOLERANCES.md 6). */
enum reading { NAN_AS_LOWEST, NAN_AS_HIGHEST, DENORMALS_AS_ZERO, INFINITY_AS_LARGEST, READINGS };

static float replaced(float v, enum reading as, float least)
{
    switch (as) {
    case DENORMALS_AS_ZERO: return fabsf(v) < least ? copysignf(0, v) : v;
    case INFINITY_AS_LARGEST: return isinf(v) ? copysignf(65504, v) : v;
    default: return !isnan(v) ? v : as == NAN_AS_LOWEST ? -INFINITY : INFINITY;
    }
}

static bool is_float_input(const TfLiteTensor *t)
{
    return (t->type == kTfLiteFloat32 || t->type == kTfLiteFloat16) &&
           t->allocation_type != kTfLiteMmapRo && !t->is_variable;
}

static float load_float(const TfLiteTensor *t, size_t i)
{
    return t->type == kTfLiteFloat32 ? t->data.f[i] : half_to_float(t->data.f16[i].data);
}

/* The smallest normal number, as the device has the tensor. */
static float least_of(const struct node_compare_request *q, const TfLiteTensor *t)
{
    return (float)bound_storage(node_compare_bounds(q->bounds, t))->smallest_normal;
}

static void find_special(const TfLiteTensor *t, float least, bool has[READINGS], bool *has_infinity)
{
    const size_t count = ref_elements(t);

    for (size_t i = 0; i < count; i++) {
        const float v = load_float(t, i);

        has[NAN_AS_LOWEST] |= isnan(v);
        has[DENORMALS_AS_ZERO] |= v != 0 && fabsf(v) < least;
        *has_infinity |= isinf(v) != 0;
    }
}

/* Notes which readings change an input of the node.  Only a device that stores f16 may have a
 * finite number as an infinity. */
static void find_readings(struct interpreter *in, const struct node_compare_request *q,
                          const TfLiteNode *node, bool has[READINGS], bool *has_infinity)
{
    for (int k = 0; k < node->inputs->size; k++) {
        const TfLiteTensor *const t =
            node->inputs->data[k] >= 0 ? interpreter_tensor(in, node->inputs->data[k]) : NULL;

        /* Other readings of what a node adds to its state would change the state. */
        if (t && t->is_variable) {
            memset(has, 0, READINGS * sizeof *has);
            return;
        }
        if (t && is_float_input(t))
            find_special(t, least_of(q, t), has, has_infinity);
    }
    has[NAN_AS_HIGHEST] = has[NAN_AS_LOWEST];
    has[INFINITY_AS_LARGEST] = *has_infinity && bounds_half(q->bounds);
}

/* Writes input t from `was`, as a device may read it. */
static void write_read_as(const struct node_compare_request *q, TfLiteTensor *t, const void *was,
                          enum reading as)
{
    const float least = least_of(q, t);

    memcpy(t->data.raw, was, t->bytes);
    for (size_t i = 0; i < ref_elements(t); i++) {
        const float v = replaced(load_float(t, i), as, least);

        if (t->type == kTfLiteFloat32)
            t->data.f[i] = v;
        else
            t->data.f16[i].data = float_to_half(v);
    }
}

/* What the outputs of a node are judged by. */
struct node_reference {
    struct node_detail detail, read_as[READINGS];
    int reading_count;
    bool has_nan, has_infinity; /* of its inputs; the first two readings are about NaNs */
    bool from_overflow;         /* infinities of its inputs are numbers that f16 does not hold */
    double *added;              /* compare_request */
    bool tiles;                 /* compare_request */
    float *c_prev; /* the state of an f32 LSTM before the inference; NULL: another op */
};

static bool any_reading(const bool has[READINGS])
{
    for (int as = 0; as < READINGS; as++)
        if (has[as])
            return true;
    return false;
}

/* Evaluates the node with other readings of the special values in its inputs, which stay as they
 * were. */
static enum status eval_readings(struct interpreter *in, const struct node_compare_request *q,
                                 int node, struct node_reference *r, struct diag *diag)
{
    const TfLiteNode *const abi = interpreter_node(in, node);
    const size_t inputs = (size_t)abi->inputs->size;
    bool has[READINGS] = { false };
    void **const was = mem_alloc(inputs + 1, sizeof *was);
    enum status s = was ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "out of memory");

    if (s == STATUS_OK)
        find_readings(in, q, abi, has, &r->has_infinity);
    r->has_nan = has[NAN_AS_LOWEST];
    /* All are kept before the first is written: two inputs may be one tensor. */
    for (size_t k = 0; k < inputs && s == STATUS_OK; k++) {
        const TfLiteTensor *const t =
            abi->inputs->data[k] >= 0 ? interpreter_tensor(in, abi->inputs->data[k]) : NULL;

        if (!t || !is_float_input(t) || !any_reading(has))
            continue;
        was[k] = mem_alloc(t->bytes + 1, 1);
        if (was[k])
            memcpy(was[k], t->data.raw, t->bytes);
        else
            s = diag_fail(diag, STATUS_NO_MEMORY, "%zu bytes: out of memory", t->bytes);
    }
    for (int as = 0; as < READINGS && s == STATUS_OK; as++) {
        if (!has[as])
            continue;
        for (size_t k = 0; k < inputs; k++)
            if (was[k])
                write_read_as(q, interpreter_tensor(in, abi->inputs->data[k]), was[k],
                              (enum reading)as);
        s = node_detail_open(&r->read_as[r->reading_count], in, abi, diag);
        if (s == STATUS_OK)
            s = interpreter_eval_node(in, node, r->read_as[r->reading_count++].all, diag);
    }
    for (size_t k = 0; was && k < inputs; k++) {
        if (was[k])
            memcpy(interpreter_tensor(in, abi->inputs->data[k])->data.raw, was[k],
                   interpreter_tensor(in, abi->inputs->data[k])->bytes);
        mem_free(was[k]);
    }
    mem_free(was);
    return s;
}

/* ---- outputs ---- */

static const struct ref_detail *reading(const struct node_reference *r, int i, int output)
{
    return i < r->reading_count ? &r->read_as[i].all[output] : NULL;
}

/* "f32 [2, 5], 40 bytes" */
static void describe_shape(TfLiteType type, const int *dims, int rank, size_t tensor_bytes,
                           char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "%s [", runtime_type_name(type));

    for (int d = 0; d < rank && used < bytes; d++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%d", d ? ", " : "", dims[d]);
    if (used < bytes)
        snprintf(text + used, bytes - used, "], %zu bytes", tensor_bytes);
}

/* Fails the case where an output has not the shape, type and size of the reference's. */
static bool has_same_shape(const struct outputs *got, size_t output, const TfLiteTensor *t,
                           struct case_result *result)
{
    char expected[160], found[160];

    if (got->items[output].rank == t->dims->size && got->items[output].bytes == t->bytes &&
        got->items[output].type == t->type &&
        memcmp(got->items[output].dims, t->dims->data,
               (size_t)t->dims->size * sizeof t->dims->data[0]) == 0)
        return true;
    describe_shape(t->type, t->dims->data, t->dims->size, t->bytes, expected, sizeof expected);
    describe_shape(got->items[output].type, got->items[output].dims, got->items[output].rank,
                   got->items[output].bytes, found, sizeof found);
    return result_fail(result,
                       "output %zu has another shape or type than the reference's: expected %s, "
                       "found %s",
                       output, expected, found);
}

/* ---- designs of dynamic range ---- */

/* The product with its scale, and a sum of blocks times theirs. */
double node_compare_weight_units(struct interpreter *in, int node, int output)
{
    return output == 0 && designs_decide(in, node) ? 2 : 0;
}

static void describe_design(const struct designs_verdict *v, bool declared, struct comparison *c)
{
    if (v->bias_alone)
        snprintf(c->text, sizeof c->text, "the bias alone: no product is in any result");
    else if (v->rows_differ)
        snprintf(c->text, sizeof c->text, "%s", v->text);
    else if (v->fits && !declared)
        snprintf(c->text, sizeof c->text,
                 "over the limit of float: computed as %s, which class hybrid allows",
                 design_name(v->fits));
}

/* Finds out how a node of dynamic range computed, where float is not all that there is to say.
 * Weights of 8 bits keep the verdict of 13.4. */
static enum status judge_design(struct interpreter *in, const struct node_compare_request *q,
                                int node, const struct compare_request *request,
                                struct comparison *c, struct case_result *result, struct diag *diag)
{
    const bool declared = (q->bounds & BOUNDS_HYBRID) != 0, decides = designs_decide(in, node);
    const uint32_t before = result->designs;
    struct designs_verdict v;

    if (c->pass && !declared) {
        result->designs = 1u << DESIGN_FLOAT;
        return STATUS_OK;
    }
    TRY(designs_judge(in, node, request, &v, diag));
    if (decides && !c->pass)
        v.fits &=
            ~(1u << DESIGN_FLOAT); /* each element may be within its limit, and their sum not */
    if (decides && declared && v.fits && !c->pass) {
        c->pass = true;
        c->margin = v.margin;
        c->max_abs = v.max_abs;
        c->max_ulp = c->bias = 0; /* those of float */
        memset(c->by_element, 0, sizeof c->by_element);
        memset(c->by_channel, 0, sizeof c->by_channel);
    }
    if (!c->pass)
        describe_design(&v, declared, c);
    if (v.fits && before && !(before & v.fits) && decides && c->pass)
        result_fail(result, "frames are of different designs: %s before, here %s",
                    design_name(before), design_name(v.fits));
    result->designs = before && before & v.fits ? before & v.fits : v.fits;
    return STATUS_OK;
}

static void note_looks(struct interpreter *in, const struct node_compare_request *q, int node,
                       int of, const double *want, const struct outputs *got, size_t output,
                       struct case_result *result)
{
    const int before = q->before ? outputs_find(q->before, got->items[output].tensor) : -1;
    const struct looks_request request = {
        .in = in,
        .node = node,
        .output = of,
        .got = got->items[output].data,
        .before = before >= 0 && q->before->items[before].bytes == got->items[output].bytes
                      ? q->before->items[before].data
                      : NULL,
        .want = want,
        .count = ref_elements(interpreter_tensor(in, got->items[output].tensor)),
    };
    const char *const like = looks_like(&request);

    result->nth_node = node + 1;
    snprintf(result->equals, sizeof result->equals, "%s", like ? like : "");
}

/* Compares output `of` of a node, which is output `output` of the graph. */
static enum status compare_output(struct interpreter *in, const struct node_compare_request *q,
                                  int node, int of, const struct node_reference *reference,
                                  const struct outputs *got, size_t output,
                                  struct case_result *result, struct diag *diag)
{
    const struct ref_op *const op = interpreter_node_op(in, node);
    const struct bound_rule *const rule = node_compare_rule(in, node, of);
    const struct ref_detail *const detail = &reference->detail.all[of];
    const TfLiteTensor *const t = interpreter_tensor(in, got->items[output].tensor);
    const bool hybrid = of == 0 && designs_apply(in, node);
    struct compare_request request;
    struct compare_steps steps;
    struct comparison c;
    bool quantized;
    float *special;
    double *expected; /* values, then limits */
    enum status s;

    if (!rule)
        return diag_fail(diag, STATUS_UNSUPPORTED, "no suite says how %s is judged", op->name);
    if (!has_same_shape(got, output, t, result))
        return STATUS_OK;
    TRY(special_input(q, node, t, &special, diag));
    expected = q->repro ? mem_alloc(2 * ref_elements(t) + 1, sizeof *expected) : NULL;
    quantized = node_compare_steps(in, node, t, q->quantized, &steps);
    /* The other sets repeat few integers, and so do tensors inside a random graph: behind clamps,
     * broadcasts and RESIZE_BILINEAR.  They are no sample of all integers. */
    if (q->set != SET_RANDOM || q->instance->judged_node < 0)
        steps.max_mismatch_share = 1;
    request = (struct compare_request){
        .rule = rule,
        .steps = quantized ? &steps : NULL,
        .bounds = node_compare_bounds(q->bounds, t),
        .added = reference->added,
        .weight_units = node_compare_weight_units(in, node, of),
        .tiles = reference->tiles,
        .integers = q->set == SET_INTEGERS,
        .type = t->type,
        .got = got->items[output].data,
        .whole = quantized ? NULL : t->data.raw,
        .dims = got->items[output].dims,
        .rank = got->items[output].rank,
        .detail = detail,
        .special = special,
        .read_as = { reading(reference, 0, of), reading(reference, 1, of),
                     reading(reference, 2, of), reading(reference, 3, of) },
        .has_nan = reference->has_nan,
        .has_infinity = reference->has_infinity,
        .from_overflow = reference->from_overflow,
        .full_mantissas =
            q->instance->full_mantissas && bounds_half(q->bounds) && t->type == kTfLiteFloat32,
        .wants = expected,
        .limits = expected ? expected + ref_elements(t) : NULL,
    };
    s = compare_tensor(&request, &c, diag);
    request.special = NULL;
    mem_free(special);
    if (s == STATUS_OK && expected)
        s = repro_save_expected(q->repro, output, q->frame, got->items[output].dims,
                                got->items[output].rank, expected, expected + ref_elements(t),
                                diag);
    mem_free(expected);
    if (s == STATUS_OK && hybrid)
        s = judge_design(in, q, node, &request, &c, result, diag);
    if (s != STATUS_OK)
        return s;
    add_figures(result, &c);
    note_profile(result, &c);
    /* Without within_reference the reference itself is off by more than a step (TOLERANCES.md 5):
     * its mismatches are not counted. */
    if (quantized && (steps.within_reference || steps.bounds == BOUNDS_EXACT)) {
        result->integers += c.elements;
        result->unequal += c.unequal;
    }
    if (c.pass)
        return STATUS_OK;
    if (result->status != CASE_FAIL)
        note_looks(in, q, node, of, detail->value, got, output, result);
    note_failure(q, &c, (int)output, got->items[output].data, t->type, result);
    return STATUS_OK;
}

/* ---- the graph ---- */

/* Replaces the state that the node has written with the device's value of the same output, t: the
 * next inference is judged from that. */
static void keep_state(struct interpreter *in, const TfLiteNode *node, const TfLiteTensor *t,
                       const void *got)
{
    for (int i = 0; i < node->inputs->size; i++) {
        const int tensor = node->inputs->data[i];
        TfLiteTensor *const state = tensor >= 0 ? interpreter_tensor(in, tensor) : NULL;

        if (state && state->is_variable && state->bytes == t->bytes && t->bytes > 0 &&
            memcmp(state->data.raw, t->data.raw, t->bytes) == 0)
            memcpy(state->data.raw, got, t->bytes);
    }
}

static bool is_float_lstm(struct interpreter *in, int node)
{
    const TfLiteNode *const abi = interpreter_node(in, node);
    const struct bound_rule *const rule = node_compare_rule(in, node, 0);

    return rule && rule->kind == BOUND_LSTM &&
           interpreter_tensor(in, abi->inputs->data[0])->type == kTfLiteFloat32;
}

/* The device's values of output `of` of a node, which are floats in the shape of the reference;
 * NULL where it has no such output. */
static const float *floats_of(struct interpreter *in, const struct outputs *got,
                              const TfLiteNode *node, int of)
{
    const int output = outputs_find(got, node->outputs->data[of]);

    if (output < 0 || got->items[output].type != kTfLiteFloat32 ||
        got->items[output].bytes != interpreter_tensor(in, node->outputs->data[of])->bytes)
        return NULL;
    return got->items[output].data;
}

/* Of an LSTM whose sums and c are seen, c and h are judged from these. */
static void use_own_sums(struct interpreter *in, const struct node_compare_request *q, int node,
                         const struct outputs *got, const struct node_reference *r)
{
    enum { C = 1, Z = 3 };
    const TfLiteNode *const abi = interpreter_node(in, node);
    const TfLiteTensor *const c = interpreter_tensor(in, abi->outputs->data[C]);
    const struct node_lstm values = { .z = floats_of(in, got, abi, Z),
                                      .c = floats_of(in, got, abi, C),
                                      .c_prev = r->c_prev };

    if (values.z && values.c)
        node_limits_lstm(q->bounds, &values, (size_t)ref_dim(c, 0), (size_t)ref_dim(c, 1),
                         r->detail.all);
}

static void reference_close(struct node_reference *r)
{
    node_detail_close(&r->detail);
    for (int i = 0; i < r->reading_count; i++)
        node_detail_close(&r->read_as[i]);
    mem_free(r->added);
    mem_free(r->c_prev);
}

/* Evaluates a node, with all that its outputs are judged by. */
static enum status reference_eval(struct interpreter *in, const struct node_compare_request *q,
                                  int node, const struct outputs *got, struct node_reference *r,
                                  struct diag *diag)
{
    enum { C_PREV = 4 };
    const TfLiteNode *const abi = interpreter_node(in, node);

    TRY(eval_readings(in, q, node, r, diag));
    TRY(node_detail_open(&r->detail, in, abi, diag));
    if (q->bounds & BOUNDS_HYBRID)
        TRY(node_limits_hybrid(in, node, false, &r->added, diag));
    r->detail.all[0].rounded = r->added;
    if (is_float_lstm(in, node)) {
        const TfLiteTensor *const c = interpreter_tensor(in, abi->inputs->data[C_PREV]);

        r->c_prev = mem_alloc(c->bytes ? c->bytes : 1, 1);
        if (!r->c_prev)
            return diag_fail(diag, STATUS_NO_MEMORY, "%zu bytes: out of memory", c->bytes);
        memcpy(r->c_prev, c->data.f, c->bytes);
    }
    TRY(interpreter_eval_node(in, node, r->detail.all, diag));
    if (r->c_prev)
        use_own_sums(in, q, node, got, r);
    if (q->bounds & BOUNDS_WINOGRAD)
        TRY(node_limits_winograd(in, node, &r->detail.all[0], &r->tiles, diag));
    return STATUS_OK;
}

/* Whether the device stored infinity where the result is a number, t. */
static bool has_overflowed(const TfLiteTensor *t, const void *got)
{
    for (size_t i = 0; t->type == kTfLiteFloat32 && i < ref_elements(t); i++)
        if (isinf(((const float *)got)[i]) && isfinite(t->data.f[i]))
            return true;
    return false;
}

static bool reads_one_of(const TfLiteNode *node, const bool *tensors)
{
    for (int i = 0; i < node->inputs->size; i++)
        if (node->inputs->data[i] >= 0 && tensors[node->inputs->data[i]])
            return true;
    return false;
}

/* Evaluates a node and compares its outputs; *judged counts these. */
static enum status judge_node(struct interpreter *in, const struct node_compare_request *q,
                              int node, const struct outputs *got, bool *overflowed, size_t *judged,
                              struct case_result *result, struct diag *diag)
{
    const TfLiteNode *const abi = interpreter_node(in, node);
    bool exposed = false;
    struct node_reference reference = { .added = NULL };
    enum status s;

    for (int i = 0; i < abi->outputs->size; i++)
        exposed = exposed || outputs_find(got, abi->outputs->data[i]) >= 0;
    if (!exposed)
        /* From constants alone an output was computed when the graph was prepared. */
        return interpreter_tensor(in, abi->outputs->data[0])->allocation_type == kTfLitePersistentRo
                   ? STATUS_OK
                   : interpreter_eval_node(in, node, NULL, diag);
    reference.from_overflow = reads_one_of(abi, overflowed);
    s = reference_eval(in, q, node, got, &reference, diag);
    for (int i = 0; i < abi->outputs->size && s == STATUS_OK; i++) {
        const int output = outputs_find(got, abi->outputs->data[i]);
        TfLiteTensor *const t = interpreter_tensor(in, abi->outputs->data[i]);

        if (output < 0)
            continue;
        s = compare_output(in, q, node, i, &reference, got, (size_t)output, result, diag);
        ++*judged;
        /* The nodes behind it are judged from the device's value. */
        if (t->bytes == got->items[output].bytes && t->bytes > 0) {
            overflowed[abi->outputs->data[i]] =
                bounds_half(q->bounds) && has_overflowed(t, got->items[output].data);
            keep_state(in, abi, t, got->items[output].data);
            memcpy(t->data.raw, got->items[output].data, t->bytes);
        }
    }
    reference_close(&reference);
    return s;
}

enum status node_compare_outputs(struct interpreter *in, const struct node_compare_request *request,
                                 const struct outputs *got, struct case_result *result,
                                 struct diag *diag)
{
    const size_t nodes = interpreter_node_count(in);
    bool *const overflowed = mem_alloc(interpreter_tensor_count(in) + 1, sizeof *overflowed);
    enum status s = overflowed ? inputs_write(in, request->instance, request->frame, diag)
                               : diag_fail(diag, STATUS_NO_MEMORY, "tensors: out of memory");
    size_t judged = 0;

    for (size_t n = 0; n < nodes && s == STATUS_OK; n++)
        s = judge_node(in, request, (int)n, got, overflowed, &judged, result, diag);
    mem_free(overflowed);
    if (s == STATUS_OK && judged != got->count)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%zu of %zu outputs are made by no node",
                         got->count - judged, got->count);
    return s;
}

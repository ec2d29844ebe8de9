/* Adds up limits along a graph. */
#include "conformance/suite/judge/hidden_limits.h"

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/judge/node_limits.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct propagation {
    struct interpreter *in;
    const struct node_compare_request *q;
    enum bounds bounds;
    const struct outputs *got;
    double **limits; /* of each tensor, element by element; NULL: the tensor is exact */
    size_t tensor_count;
    double *margin;
    struct case_result *result;
    struct diag *diag;
};

/* A node, and those of its inputs that have limits. */
struct uncertain {
    const TfLiteNode *node;
    const struct bound_rule *rule; /* of the op */
    struct node_detail now;        /* at the reference's values */
    struct node_detail moved;      /* at displaced inputs */
    double *added;                 /* by activations in 8 bits; NULL: nothing */
    int inputs[CASE_INPUTS_MAX];   /* tensors, each once */
    void *saved[CASE_INPUTS_MAX];
    void *states[CASE_INPUTS_MAX]; /* of each input that is a variable, before the node has run */
    int count;
    bool twice; /* an uncertain tensor is several inputs */
};

static bool is_float(const TfLiteTensor *t)
{
    return t->type == kTfLiteFloat32 || t->type == kTfLiteFloat16;
}

static void store(TfLiteTensor *t, size_t i, double value)
{
    if (t->type == kTfLiteFloat16)
        ((uint16_t *)t->data.raw)[i] = float_to_half((float)value);
    else
        ((float *)t->data.raw)[i] = (float)value;
}

static double load(const TfLiteTensor *t, const void *data, size_t i)
{
    TfLiteTensor view = *t;

    view.data.raw = (void *)data;
    return is_float(t) ? ref_load(&view, i) : (double)ref_load_int(&view, i);
}

static void uncertain_close(struct uncertain *u)
{
    node_detail_close(&u->now);
    node_detail_close(&u->moved);
    mem_free(u->added);
    for (int i = 0; i < u->count; i++)
        mem_free(u->saved[i]);
    for (int i = 0; i < CASE_INPUTS_MAX; i++)
        mem_free(u->states[i]);
}

/* Whether the limits are 0, as those of integers are that no uncertain float has become. */
static bool is_certain(const TfLiteTensor *t, const double *limits)
{
    for (size_t i = 0; i < ref_elements(t); i++)
        if (limits[i] != 0)
            return false;
    return !is_float(t);
}

/* Finds the inputs that have a limit, and saves them. */
static enum status find_uncertain(struct propagation *p, struct uncertain *u)
{
    for (int i = 0; i < u->node->inputs->size; i++) {
        const int tensor = u->node->inputs->data[i];
        const TfLiteTensor *const t = tensor >= 0 ? interpreter_tensor(p->in, tensor) : NULL;
        bool again = false;

        for (int k = 0; k < u->count; k++)
            again = again || u->inputs[k] == tensor;
        u->twice = u->twice || again;
        if (!t || again || !p->limits[tensor] || is_certain(t, p->limits[tensor]))
            continue;
        if (u->count == CASE_INPUTS_MAX)
            return diag_fail(p->diag, STATUS_UNSUPPORTED, "more than %d uncertain inputs",
                             CASE_INPUTS_MAX);
        u->inputs[u->count] = tensor;
        u->saved[u->count] = mem_alloc(t->bytes ? t->bytes : 1, 1);
        if (!u->saved[u->count++])
            return diag_fail(p->diag, STATUS_NO_MEMORY, "%zu bytes: out of memory", t->bytes);
        memcpy(u->saved[u->count - 1], t->data.raw, t->bytes);
    }
    return STATUS_OK;
}

static void restore(struct propagation *p, const struct uncertain *u, int k)
{
    TfLiteTensor *const t = interpreter_tensor(p->in, u->inputs[k]);

    memcpy(t->data.raw, u->saved[k], t->bytes);
}

/* Sets input k to direction times its limit, plus its own values when keep is set.  One unit in the
 * last place more: else a limit of half a unit would be lost in the sum.  Direction 0 is 0, though
 * a limit may be infinite. */
static void displace(struct propagation *p, const struct uncertain *u, int k, double direction,
                     bool keep)
{
    TfLiteTensor *const t = interpreter_tensor(p->in, u->inputs[k]);
    const double *const limit = p->limits[u->inputs[k]];

    for (size_t i = 0; i < ref_elements(t); i++) {
        const double x = load(t, u->saved[k], i);
        const double ulp = keep ? bound_ulp(BOUNDS_FP32, x) : 0;

        store(t, i, (keep ? x : 0) + (direction == 0 ? 0 : direction * (limit[i] + ulp)));
    }
}

static TfLiteTensor *state_of(const struct propagation *p, const struct uncertain *u, int i)
{
    const int tensor = u->node->inputs->data[i];
    TfLiteTensor *const t = tensor >= 0 ? interpreter_tensor(p->in, tensor) : NULL;

    return t && t->is_variable && t->bytes > 0 ? t : NULL;
}

static enum status save_states(struct propagation *p, struct uncertain *u)
{
    for (int i = 0; i < u->node->inputs->size && i < CASE_INPUTS_MAX; i++) {
        const TfLiteTensor *const t = state_of(p, u, i);

        if (!t)
            continue;
        if (!(u->states[i] = mem_alloc(t->bytes, 1)))
            return diag_fail(p->diag, STATUS_NO_MEMORY, "%zu bytes: out of memory", t->bytes);
        memcpy(u->states[i], t->data.raw, t->bytes);
    }
    return STATUS_OK;
}

/* Runs the node again.  A node with variables begins each time with what they held before. */
static enum status eval(struct propagation *p, int node, const struct uncertain *u,
                        struct ref_detail *detail)
{
    for (int i = 0; i < u->node->inputs->size && i < CASE_INPUTS_MAX; i++)
        if (u->states[i]) {
            TfLiteTensor *const t = state_of(p, u, i);

            memcpy(t->data.raw, u->states[i], t->bytes);
        }
    return interpreter_eval_node(p->in, node, detail, p->diag);
}

static bool is_sum(const struct bound_rule *rule)
{
    return rule->kind == BOUND_DOT || rule->kind == BOUND_AVERAGE;
}

/* Sums of products: sum |w| * limit is the magnitude at the limits, less that at zero (the bias).
 * Where several operands are uncertain, so are the products of their errors: all at once. */
static enum status propagate_sums(struct propagation *p, int node, struct uncertain *u,
                                  double **total)
{
    for (int first = 0; first < u->count + (u->count > 1); first++) {
        const int last = first < u->count ? first : u->count - 1;

        for (int pass = 0; pass < 2; pass++) {
            for (int k = first % u->count; k <= last; k++)
                displace(p, u, k, pass == 0 ? 1 : 0, false);
            TRY(eval(p, node, u, u->moved.all));
            for (int o = 0; o < u->now.count; o++) {
                const size_t n = ref_elements(interpreter_tensor(p->in, u->node->outputs->data[o]));
                for (size_t i = 0; i < n; i++)
                    total[o][i] = bound_known(total[o][i] + (pass == 0 ? 1.01 : -1.01) *
                                                                u->moved.all[o].magnitude[i]);
            }
        }
        for (int k = first % u->count; k <= last; k++)
            restore(p, u, k);
    }
    return STATUS_OK;
}

/* The largest that a device may have in the place of element j: the least number of f16 for
 * -infinity, and for what a hidden f16 has no limit for, as it overflows downwards
 * (widen_overflow). */
static double upper_end(const struct propagation *p, const struct uncertain *u, size_t j)
{
    const TfLiteTensor *const t = interpreter_tensor(p->in, u->inputs[0]);
    const double x = load(t, u->saved[0], j), end = x + p->limits[u->inputs[0]][j];
    const bool overflows = isinf(end) && bounds_half(node_compare_bounds(p->bounds, t));

    return overflows && x <= -65504 ? -65504 : fmax(end, -65504);
}

/* dy_i = y_i (dx_i - sum_j y_j dx_j), at most 2 y_i times the largest limit of the row.  What is
 * masked has no part in it: whose upper end lies 745 / beta below a lower end has the share 0 for
 * every device.  A share is in 0 to 1 whatever is in the row, so it moves by 1 at most, and NaN
 * fails; but where a device may have infinity in the row, which makes it NaN. */
static void propagate_softmax(struct propagation *p, const struct uncertain *u, double *total)
{
    const TfLiteTensor *const out = interpreter_tensor(p->in, u->node->outputs->data[0]);
    const size_t count = ref_elements(out);
    const size_t row = ref_rank(out) > 0 ? (size_t)ref_dim(out, ref_rank(out) - 1) : 1;
    const TfLiteTensor *const in = interpreter_tensor(p->in, u->inputs[0]);
    const double *const limit = p->limits[u->inputs[0]];
    const double beta = (double)((const TfLiteSoftmaxParams *)u->node->builtin_data)->beta;

    for (size_t i = 0; i < count; i += row) {
        double largest = 0, most = -INFINITY, highest = -INFINITY;

        for (size_t j = i; j < i + row; j++)
            most = fmax(most, load(in, u->saved[0], j) - limit[j]);
        for (size_t j = i; j < i + row; j++) {
            const double end = upper_end(p, u, j);

            highest = fmax(highest, end);
            if (!(beta * (most - end) >= 745))
                largest = fmax(largest, limit[j]);
        }
        for (size_t j = i; j < i + row; j++)
            total[j] += fmin(isinf(highest) ? INFINITY : 1,
                             bound_known(2 * fabs(beta) * largest * u->now.all[0].value[j]));
    }
}

/* An elementwise op of one input that is not monotone: the limit of the input times the Lipschitz
 * constant.  False where the op has none. */
static bool propagate_slope(struct propagation *p, const struct uncertain *u, double *total)
{
    const size_t count = ref_elements(interpreter_tensor(p->in, u->node->outputs->data[0]));
    const double *const limit = p->limits[u->inputs[0]];

    if (u->rule->lipschitz <= 0 || u->count != 1 || u->now.count != 1 ||
        ref_elements(interpreter_tensor(p->in, u->inputs[0])) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        total[i] += u->rule->lipschitz * limit[i];
    return true;
}

/* A hidden tensor of f16 may hold infinity where it comes near the largest number: there it has no
 * limit.  Of outputs the compare above says so. */
static void widen_overflow(struct propagation *p, int o, const struct uncertain *u, double *total)
{
    const TfLiteTensor *const t = interpreter_tensor(p->in, u->node->outputs->data[o]);
    const enum bounds bounds = node_compare_bounds(p->bounds, t);

    for (size_t i = 0; i < ref_elements(t) && is_float(t) && bounds_half(bounds); i++)
        if (fabs(u->now.all[o].value[i]) + total[i] > bound_storage(bounds)->largest)
            total[i] = INFINITY;
}

/* Infinite limits of a monotone op are ends, too. */
static bool is_monotone(const struct propagation *p, int node, const struct uncertain *u)
{
    const int in = op_facts_find(interpreter_node_op(p->in, node)->code)->monotone;

    return in == 1 ||
           (in == 2 && u->count == 1 && !u->twice && u->inputs[0] == u->node->inputs->data[0]);
}

/* Whether every uncertain input is of floats, which can be displaced. */
static bool are_floats(const struct propagation *p, const struct uncertain *u)
{
    for (int k = 0; k < u->count; k++)
        if (!is_float(interpreter_tensor(p->in, u->inputs[k])))
            return false;
    return true;
}

/* Whether an input has no limit, as it follows from an op without a rule, or may be infinite. */
static bool is_unlimited(const struct propagation *p, const struct uncertain *u)
{
    for (int k = 0; k < u->count; k++) {
        const size_t n = ref_elements(interpreter_tensor(p->in, u->inputs[k]));

        for (size_t i = 0; i < n; i++) {
            if (!isfinite(p->limits[u->inputs[k]][i]))
                return true;
        }
    }
    return false;
}

/* The results of an op without a rule, and all that follows from them, have no limit: they are
 * judged where intermediates are outputs. */
static void propagate_nothing(struct propagation *p, const struct uncertain *u, double **total)
{
    for (int o = 0; o < u->now.count; o++) {
        const size_t n = ref_elements(interpreter_tensor(p->in, u->node->outputs->data[o]));

        for (size_t i = 0; i < n; i++)
            total[o][i] = INFINITY;
    }
}

/* A monotone op: each combination of ends of up to two inputs, else both ends of all together. */
static enum status propagate_ends(struct propagation *p, int node, struct uncertain *u,
                                  double **total)
{
    const unsigned passes = u->count == 2 ? 4 : 2;
    double *worst;

    for (int o = 0; o < u->now.count; o++) {
        const size_t n = ref_elements(interpreter_tensor(p->in, u->node->outputs->data[o]));

        worst = mem_alloc(n ? n : 1, sizeof *worst);
        if (!worst)
            return diag_fail(p->diag, STATUS_NO_MEMORY, "%zu elements: out of memory", n);
        for (unsigned pass = 0; pass < passes; pass++) {
            enum status s;

            for (int k = 0; k < u->count; k++)
                displace(p, u, k, pass >> (u->count == 2 ? k : 0) & 1 ? -1 : 1, true);
            if ((s = eval(p, node, u, u->moved.all)) != STATUS_OK) {
                mem_free(worst);
                return s;
            }
            for (size_t i = 0; i < n; i++) {
                const double now = u->now.all[o].value[i], moved = u->moved.all[o].value[i];
                const double off = now == moved ? 0 : fabs(moved - now);

                worst[i] = isnan(off) ? INFINITY : fmax(off, worst[i]); /* infinity times 0 */
            }
        }
        for (size_t i = 0; i < n; i++)
            total[o][i] += worst[i];
        mem_free(worst);
    }
    for (int k = 0; k < u->count; k++)
        restore(p, u, k);
    return STATUS_OK;
}

/* ---- one node ---- */

/* Sets the limits of the node's outputs to the op's own, to which those of its inputs are added. */
static enum status own_limits(struct propagation *p, int node, const struct uncertain *u,
                              double **total)
{
    for (int o = 0; o < u->now.count; o++) {
        const int tensor = u->node->outputs->data[o];
        const TfLiteTensor *const t = interpreter_tensor(p->in, tensor);
        const size_t n = ref_elements(t);
        const struct ref_detail *const d = &u->now.all[o];
        const struct compare_request request = { .rule = bound_rule_of_output(u->rule, o),
                                                 .bounds = node_compare_bounds(p->bounds, t),
                                                 .weight_units =
                                                     node_compare_weight_units(p->in, node, o) };

        total[o] = p->limits[tensor] = mem_alloc(n ? n : 1, sizeof **total);
        if (!total[o])
            return diag_fail(p->diag, STATUS_NO_MEMORY, "%zu elements: out of memory", n);
        for (size_t i = 0; i < n; i++) {
            const struct bound_point point = { .value = d->value[i],
                                               .magnitude = d->magnitude[i],
                                               .terms = d->terms[i],
                                               .row = ref_rank(t) > 0 ? ref_dim(t, ref_rank(t) - 1)
                                                                      : 1 };

            if (t->quantization.type != kTfLiteNoQuantization)
                total[o][i] = INFINITY; /* steps are judged where intermediates are outputs */
            else if (is_float(t) && (!isinf(d->value[i]) || bounds_half(p->bounds)))
                total[o][i] =
                    bound_known(compare_limit(&request, &point) + (u->added ? u->added[i] : 0));
        }
    }
    return STATUS_OK;
}

/* The device's output that is this tensor; -1: there is none, or it has another size. */
static int find_output(const struct propagation *p, int tensor)
{
    const int output = outputs_find(p->got, tensor);

    return output >= 0 && p->got->items[output].bytes == interpreter_tensor(p->in, tensor)->bytes
               ? output
               : -1;
}

/* What reads an output is judged from the device's value of it, which has no limit then. */
static void begin_anew(struct propagation *p, int tensor)
{
    const int output = find_output(p, tensor);
    const TfLiteTensor *const t = interpreter_tensor(p->in, tensor);

    if (output < 0 || t->bytes == 0)
        return;
    memcpy(t->data.raw, p->got->items[output].data, t->bytes);
    mem_free(p->limits[tensor]);
    p->limits[tensor] = NULL;
}

static void judge_output(struct propagation *p, int o, const struct uncertain *u,
                         const double *total)
{
    const int tensor = u->node->outputs->data[o];
    const TfLiteTensor *const t = interpreter_tensor(p->in, tensor);
    struct case_result *const r = p->result;
    const int output = find_output(p, tensor);

    if (output < 0)
        return;
    for (size_t i = 0; i < ref_elements(t); i++) {
        const double got = load(t, p->got->items[output].data, i);
        const double want = u->now.all[o].value[i];
        const struct bound_verdict v = bound_check(
            is_float(t) ? node_compare_bounds(p->bounds, t) : BOUNDS_FP32, total[i], want, got);

        if (isinf(total[i])) {
            r->not_judged += !p->q->steps_compared || t->quantization.type == kTfLiteNoQuantization;
            continue;
        }
        if (v.pass) {
            if (total[i] > 0)
                *p->margin = fmax(*p->margin, fmin(v.error, total[i]) / total[i]);
            continue;
        }
        r->has_element = true;
        r->output = output;
        r->got = got;
        r->want = want;
        r->error = v.error;
        r->limit = total[i];
        compare_where(t->dims->data, t->dims->size, i, r->where, sizeof r->where);
        result_fail(r, "over the summed limits, without the intermediates as outputs");
        return;
    }
}

static enum status propagate_node(struct propagation *p, int node)
{
    struct uncertain u = { .node = interpreter_node(p->in, node) };
    const struct suite_member *const member =
        suite_find_member(interpreter_node_op(p->in, node)->code);
    double *total[CASE_INPUTS_MAX] = { NULL };
    bool tiles;
    enum status s;

    if (!member)
        return diag_fail(p->diag, STATUS_UNSUPPORTED, "no suite says how %s is judged",
                         interpreter_node_op(p->in, node)->name);
    u.rule = &member->bound;
    s = find_uncertain(p, &u);
    if (s == STATUS_OK)
        s = save_states(p, &u);
    if (s == STATUS_OK)
        s = node_detail_open(&u.now, p->in, u.node, p->diag);
    if (s == STATUS_OK)
        s = node_detail_open(&u.moved, p->in, u.node, p->diag);
    if (s == STATUS_OK && p->bounds & BOUNDS_HYBRID)
        s = node_limits_hybrid(p->in, node, true, &u.added, p->diag);
    u.now.all[0].rounded = u.added;
    if (s == STATUS_OK)
        s = interpreter_eval_node(p->in, node, u.now.all, p->diag);
    if (s == STATUS_OK && p->bounds & BOUNDS_WINOGRAD)
        s = node_limits_winograd(p->in, node, &u.now.all[0], &tiles, p->diag);
    if (s == STATUS_OK)
        s = own_limits(p, node, &u, total);
    if (s == STATUS_OK && u.count > 0 &&
        (!are_floats(p, &u) ||
         (is_unlimited(p, &u) && !is_monotone(p, node, &u) && u.rule->kind != BOUND_SOFTMAX))) {
        propagate_nothing(p, &u, total);
    } else if (s == STATUS_OK && u.count > 0) {
        if (is_sum(u.rule) && u.twice) /* such as x times x: no sum of |w| * limit */
            propagate_nothing(p, &u, total);
        else if (is_sum(u.rule))
            s = propagate_sums(p, node, &u, total);
        else if (u.rule->kind == BOUND_SOFTMAX)
            propagate_softmax(p, &u, total[0]);
        else if (is_monotone(p, node, &u))
            s = propagate_ends(p, node, &u, total);
        else if (!propagate_slope(p, &u, total[0]))
            propagate_nothing(p, &u, total);
        if (s == STATUS_OK) /* restores the outputs for the nodes that follow */
            s = eval(p, node, &u, NULL);
    }
    for (int o = 0; o < u.now.count && s == STATUS_OK && p->result->status == CASE_PASS; o++)
        judge_output(p, o, &u, total[o]);
    for (int o = 0; o < u.now.count && s == STATUS_OK; o++)
        widen_overflow(p, o, &u, total[o]);
    for (int o = 0; o < u.now.count && s == STATUS_OK && p->q->from_outputs; o++)
        begin_anew(p, u.node->outputs->data[o]);
    uncertain_close(&u);
    return s;
}

/* Compares with the limits of one class. */
static enum status compare_as(struct interpreter *in, const struct node_compare_request *q,
                              enum bounds bounds, const struct outputs *got, double *margin,
                              struct case_result *result, struct diag *diag)
{
    struct propagation p = { .in = in,
                             .q = q,
                             .bounds = bounds,
                             .got = got,
                             .tensor_count = interpreter_tensor_count(in),
                             .margin = margin,
                             .result = result,
                             .diag = diag };
    enum status s;

    *margin = 0;
    p.limits = mem_alloc(p.tensor_count ? p.tensor_count : 1, sizeof *p.limits);
    if (!p.limits)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu tensors: out of memory", p.tensor_count);
    s = inputs_write(in, q->instance, q->frame, diag);
    for (int n = 0; n < (int)interpreter_node_count(in) && s == STATUS_OK; n++) {
        const TfLiteNode *const node = interpreter_node(in, n);

        if (interpreter_tensor(in, node->outputs->data[0])->allocation_type != kTfLitePersistentRo)
            s = propagate_node(&p, n);
    }
    for (size_t i = 0; i < p.tensor_count; i++)
        mem_free(p.limits[i]);
    mem_free(p.limits);
    return s;
}

enum status hidden_limits_compare(struct interpreter *in, const struct node_compare_request *q,
                                  const struct outputs *got, double *margin,
                                  struct case_result *result, struct diag *diag)
{
    struct case_result cut = *result;
    double cut_margin;

    TRY(compare_as(in, q, q->bounds, got, margin, result, diag));
    if (result->status == CASE_PASS || !bounds_half(q->bounds))
        return STATUS_OK;
    /* Results may be stored in f16 toward zero, too (TOLERANCES.md 3.9). */
    TRY(interpreter_reset_state(in));
    TRY(compare_as(in, q, (enum bounds)(q->bounds | BOUNDS_TOWARD_ZERO), got, &cut_margin, &cut,
                   diag));
    if (cut.status == CASE_PASS) {
        *result = cut;
        *margin = cut_margin;
    }
    return STATUS_OK;
}

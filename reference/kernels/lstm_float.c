#include "reference/kernels/lstm.h"

#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

/* What a value may be off by: the sum of three errors of different causes. */
struct slack {
    double units;   /* arithmetic, in units of 2^-24 */
    double stored;  /* states and sums that are stored in between, in roundings of the storage */
    double rounded; /* activations that are rounded to 8 bits, as it is */
};
struct noisy {
    double v;
    struct slack e;
};
enum { SLACK_PARTS = 3 };

static void slack_add(struct slack *to, double factor, struct slack from)
{
    if (factor == 0) /* of infinity, too */
        return;
    to->units += factor * from.units;
    to->stored += factor * from.stored;
    to->rounded += factor * from.rounded;
}

/* What storing a value makes of it: half a unit in the last place, of denormals too (2^-14 is the
 * smallest normal f16). */
static void slack_store(struct noisy *x)
{
    x->e.stored += fabs(x->v) + 0x1p-14;
}

/* A value that lies between two ends whatever its operands are is off by its distance from the
 * farther one at most, and so is each part: by the least unit and the largest rounding. */
static void slack_limit(struct noisy *x, double low, double high)
{
    const double most = fmax(x->v - low, high - x->v);

    x->e.units = fmin(x->e.units, most * 0x1p24);
    x->e.stored = fmin(x->e.stored, most * 0x1p11);
    x->e.rounded = fmin(x->e.rounded, most);
}

/* How far x may be off at all: in f16, where storage is coarsest. */
static double slack_most(struct slack e)
{
    return e.units * 0x1p-24 + e.stored * 0x1p-10 + e.rounded;
}

/* ---- functions ---- */

/* y = f(x) with this slope at x, which changes by at most `bend` a unit, up to a slope of `most`;
 * f itself is off by `units`. */
static struct noisy applied(struct noisy x, double y, double slope, double bend, double most,
                            double units)
{
    struct noisy r = { .v = y, .e = { .units = units } };

    slack_add(&r.e, fmin(most, slope + bend * slack_most(x.e)), x.e);
    return r;
}

static struct noisy logistic(struct noisy x)
{
    const double y = 1 / (1 + exp(-x.v));
    struct noisy r = applied(x, y, y * (1 - y), 0.1, 0.25, 16);

    slack_limit(&r, 0, 1);
    return r;
}

static struct noisy activated(struct noisy x, TfLiteFusedActivation act)
{
    const double t = tanh(x.v), low = ref_activation(act, -INFINITY);
    struct noisy r;

    if (act == kTfLiteActSigmoid)
        return logistic(x);
    if (act == kTfLiteActTanh) {
        r = applied(x, t, 1 - t * t, 0.78, 1, 17);
        slack_limit(&r, -1, 1);
    } else {
        r = applied(x, ref_activation(act, x.v), 1, 0, 1, 0);
        slack_limit(&r, low, ref_activation(act, INFINITY));
    }
    return r;
}

static struct noisy product(struct noisy a, struct noisy b)
{
    struct noisy r = { .v = a.v * b.v };

    slack_add(&r.e, fabs(b.v), a.e);
    slack_add(&r.e, fabs(a.v), b.e);
    r.e.rounded += a.e.rounded * b.e.rounded;
    r.e.units += 2 * fabs(r.v);
    return r;
}

static struct noisy sum(struct noisy a, struct noisy b)
{
    struct noisy r = { .v = a.v + b.v, .e = a.e };

    slack_add(&r.e, 1, b.e);
    r.e.units += 2 * fabs(r.v);
    return r;
}

static struct noisy clipped(struct noisy x, double clip)
{
    if (clip > 0) {
        x.v = fmin(fmax(x.v, -clip), clip);
        slack_limit(&x, -clip, clip);
    }
    return x;
}

/* ---- sums of products ---- */

struct dot {
    double sum, magnitude, terms;
    struct slack e; /* of the operands */
};

static void dot_add(struct dot *d, double w, struct noisy x)
{
    d->sum += w * x.v;
    d->magnitude += fabs(w * x.v);
    d->terms++;
    slack_add(&d->e, fabs(w), x.e);
}

/* Adds a row of weights.  x is rounded to steps of 1/127 of its largest where they are i8. */
static void dot_add_row(struct dot *d, const float *w, const struct noisy *x, size_t count,
                        bool hybrid)
{
    double largest = 0, weights = 0;

    for (size_t k = 0; k < count; k++) {
        dot_add(d, w[k], x[k]);
        largest = fmax(largest, fabs(x[k].v) + x[k].e.rounded);
        weights += fabs((double)w[k]);
    }
    if (hybrid)
        d->e.rounded += 1.01 / 2 * largest / 127 * weights;
}

/* The bound of a dot product, and what follows from the operands. */
static struct noisy dot_end(const struct dot *d)
{
    struct noisy r = { .v = d->sum, .e = d->e };

    r.e.units +=
        (2 + fmin(d->terms, 3 * sqrt(d->terms))) * d->magnitude + 2 * fabs(d->sum) + 0x1p-100;
    return r;
}

/* ---- one node ---- */

struct node {
    const struct ref_lstm *l;
    const TfLiteTensor *const *in;
    /* Weights as floats, NULL where absent: inputs up to the projection. */
    const float *w[LSTM_FULL_PROJECTION + 1];
    void *owned[LSTM_FULL_PROJECTION + 1];
    struct noisy *x, *h, *c, *z[LSTM_GATES], *hidden; /* of one row */
    void *block;
};

static const float *floats(const struct node *n, int input)
{
    return n->in[input] ? n->in[input]->data.f : NULL;
}

static bool is_weight(int input)
{
    return input > LSTM_FULL_X && (input < LSTM_FULL_BIAS || input == LSTM_FULL_PROJECTION);
}

static enum status open_weights(struct node *n, const struct ref_call *call, struct diag *diag)
{
    for (int i = LSTM_FULL_W; i <= LSTM_FULL_PROJECTION; i++) {
        float *values;

        if (!is_weight(i) || !ref_has(call, i))
            continue;
        n->w[i] = call->in[i]->data.f;
        if (!n->l->hybrid)
            continue;
        values = ref_floats_of(call->in[i], 0);
        if (!values)
            return ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for weights");
        for (size_t k = 0; k < ref_elements(call->in[i]); k++)
            values[k] *= (float)ref_scale(call->in[i]);
        n->w[i] = n->owned[i] = values;
    }
    return STATUS_OK;
}

static enum status node_open(struct node *n, const struct ref_call *call, struct diag *diag,
                             const struct ref_lstm *l)
{
    const size_t wide = l->depth + l->outputs + (2 + LSTM_GATES) * l->cells;
    struct noisy *at;

    *n = (struct node){ .l = l, .in = (const TfLiteTensor *const *)call->in };
    TRY(open_weights(n, call, diag));
    n->block = at = mem_alloc(wide + 1, sizeof *at);
    if (!at)
        return ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for a row of %zu values", wide);
    n->x = at;
    n->h = n->x + l->depth;
    n->c = n->h + l->outputs;
    n->hidden = n->c + l->cells;
    for (int g = 0; g < LSTM_GATES; g++)
        n->z[g] = n->hidden + (size_t)(g + 1) * l->cells;
    return STATUS_OK;
}

static void node_close(struct node *n)
{
    for (size_t i = 0; i < sizeof n->owned / sizeof n->owned[0]; i++)
        mem_free(n->owned[i]);
    mem_free(n->block);
}

/* Layer normalization of a row: to mean 0 and variance 1, so that the squares of n results add up
 * to n at most.  An error of one element moves the mean of all, and the deviation. */
static void normalize(struct node *n, int gate)
{
    struct noisy *const z = n->z[gate];
    const float *const scale = floats(n, LSTM_FULL_NORM + gate);
    const float *const bias = floats(n, LSTM_FULL_BIAS + gate);
    const size_t count = n->l->cells;
    const double growth = 2 + fmin((double)count, 3 * sqrt((double)count));
    double mean = 0, variance = 0, size = 0, deviation;
    struct slack moved = { 0 }, spread = { 0 };

    for (size_t a = 0; a < count; a++) {
        mean += z[a].v / (double)count;
        size += fabs(z[a].v) / (double)count;
        slack_add(&moved, 1 / (double)count, z[a].e);
    }
    moved.units += growth * size;
    for (size_t a = 0; a < count; a++)
        variance += (z[a].v - mean) * (z[a].v - mean) / (double)count;
    deviation = sqrt(variance + 1e-8);
    for (size_t a = 0; a < count; a++) {
        const double weight = fabs(z[a].v - mean) / deviation / (double)count;

        slack_add(&spread, weight, z[a].e);
        slack_add(&spread, weight, moved);
    }
    for (size_t a = 0; a < count; a++) {
        const double v = (z[a].v - mean) / deviation, most = fabs(scale[a]) * sqrt((double)count);
        struct noisy y = { .v = v * scale[a] + bias[a] };

        slack_add(&y.e, fabs(scale[a] / deviation), z[a].e);
        slack_add(&y.e, fabs(scale[a] / deviation), moved);
        slack_add(&y.e, fabs(v * scale[a] / deviation), spread);
        slack_limit(&y, bias[a] - most, bias[a] + most);
        y.e.units += (growth + 8) * fabs(v * scale[a]) + 2 * fabs(y.v);
        z[a] = y;
    }
}

/* The sums of a gate, and its activation, of the row in n. */
static void eval_gate(struct node *n, int gate)
{
    const struct ref_lstm *const l = n->l;
    const int peephole = ref_lstm_peephole(gate);
    const float *const p = l->peephole && peephole >= 0 ? n->w[peephole] : NULL;

    for (size_t a = 0; a < l->cells; a++) {
        struct dot d = { .sum = 0 };

        if (!l->norm)
            dot_add(&d, floats(n, LSTM_FULL_BIAS + gate)[a], (struct noisy){ .v = 1 });
        dot_add_row(&d, n->w[LSTM_FULL_W + gate] + a * l->depth, n->x, l->depth, l->hybrid);
        dot_add_row(&d, n->w[LSTM_FULL_R + gate] + a * l->outputs, n->h, l->outputs, l->hybrid);
        if (p)
            dot_add(&d, p[a], n->c[a]);
        n->z[gate][a] = dot_end(&d);
    }
    if (l->norm)
        normalize(n, gate);
    for (size_t a = 0; a < l->cells; a++) {
        struct noisy *const z = &n->z[gate][a];

        slack_store(z); /* a device may store its sums */
        *z = gate == LSTM_GATE_C ? activated(*z, l->activation) : logistic(*z);
    }
}

static void eval_cells(struct node *n)
{
    const struct noisy one = { .v = 1 }, minus = { .v = -1 };

    for (size_t a = 0; a < n->l->cells; a++) {
        const struct noisy f = n->z[LSTM_GATE_F][a];
        const struct noisy i = n->l->cifg ? sum(one, product(minus, f)) : n->z[LSTM_GATE_I][a];

        n->c[a] =
            clipped(sum(product(f, n->c[a]), product(i, n->z[LSTM_GATE_C][a])), n->l->cell_clip);
        slack_store(&n->c[a]);
    }
}

static void eval_outputs(struct node *n)
{
    const struct ref_lstm *const l = n->l;
    const float *const bias = floats(n, LSTM_FULL_PROJECTION_BIAS);

    for (size_t a = 0; a < l->cells; a++)
        n->hidden[a] = product(n->z[LSTM_GATE_O][a], activated(n->c[a], l->activation));
    if (!l->projection) {
        memcpy(n->h, n->hidden, l->cells * sizeof *n->h);
        return;
    }
    for (size_t a = 0; a < l->cells; a++)
        slack_store(&n->hidden[a]);
    for (size_t o = 0; o < l->outputs; o++) {
        struct dot d = { .sum = 0 };

        if (bias)
            dot_add(&d, bias[o], (struct noisy){ .v = 1 });
        dot_add_row(&d, n->w[LSTM_FULL_PROJECTION] + o * l->cells, n->hidden, l->cells, l->hybrid);
        n->h[o] = clipped(dot_end(&d), l->proj_clip);
    }
}

static void store_step(struct ref_call *call, struct node *n, size_t row)
{
    for (size_t o = 0; o < n->l->outputs; o++) {
        const size_t at = row * n->l->outputs + o;
        struct noisy *const h = &n->h[o];

        ref_store(call, 0, at, h->v, h->e.units, h->e.stored);
        if (call->detail && call->detail[0].rounded)
            call->detail[0].rounded[at] = h->e.rounded;
        h->v = call->out[0]->data.f[at];
        slack_store(h);
    }
}

/* ---- the state ---- */

/* The numbers of a row in the carry: the slack of h, then that of c. */
static double *carry_of(const struct ref_call *call, const struct ref_lstm *l, size_t row)
{
    return call->carry && call->carry->count == l->batch * (l->outputs + l->cells) * SLACK_PARTS
               ? call->carry->at + row * (l->outputs + l->cells) * SLACK_PARTS
               : NULL;
}

static enum status open_carry(const struct ref_call *call, struct diag *diag,
                              const struct ref_lstm *l)
{
    const size_t count = l->batch * (l->outputs + l->cells) * SLACK_PARTS;

    if (!call->carry || !call->detail || call->carry->count == count)
        return STATUS_OK;
    mem_free(call->carry->at);
    call->carry->count = 0;
    call->carry->at = mem_alloc(count, sizeof *call->carry->at);
    if (!call->carry->at)
        return ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for the errors of the state");
    call->carry->count = count;
    for (size_t i = 0; i < count; i++)
        call->carry->at[i] = 0;
    return STATUS_OK;
}

static void read_state(struct noisy *to, const float *from, const double **carry, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (struct noisy){ .v = from[i] };
        if (*carry) {
            to[i].e = (struct slack){ (*carry)[0], (*carry)[1], (*carry)[2] };
            *carry += SLACK_PARTS;
        }
    }
}

static void write_state(const struct noisy *from, float *to, double **carry, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)from[i].v;
        if (*carry) {
            (*carry)[0] = from[i].e.units;
            (*carry)[1] = from[i].e.stored;
            (*carry)[2] = from[i].e.rounded;
            *carry += SLACK_PARTS;
        }
    }
}

static void eval_row(struct ref_call *call, struct node *n, size_t b)
{
    const struct ref_lstm *const l = n->l;
    float *const h = call->in[LSTM_FULL_H]->data.f + b * l->outputs;
    float *const c = call->in[LSTM_FULL_C]->data.f + b * l->cells;
    const double *from = carry_of(call, l, b);
    double *to = carry_of(call, l, b);

    read_state(n->h, h, &from, l->outputs);
    read_state(n->c, c, &from, l->cells);
    for (size_t t = 0; t < l->steps; t++) {
        const size_t row = ref_lstm_row(l, b, t);

        for (size_t k = 0; k < l->depth; k++)
            n->x[k] = (struct noisy){ .v = call->in[LSTM_FULL_X]->data.f[row * l->depth + k] };
        for (int g = l->cifg; g < LSTM_GATE_O; g++)
            eval_gate(n, g);
        eval_cells(n);
        eval_gate(n, LSTM_GATE_O);
        eval_outputs(n);
        store_step(call, n, row);
    }
    write_state(n->h, h, &to, l->outputs);
    write_state(n->c, c, &to, l->cells);
}

enum status ref_lstm_float_eval(struct ref_call *call, struct diag *diag, const struct ref_lstm *l)
{
    struct node n;
    enum status s = node_open(&n, call, diag, l);

    if (s == STATUS_OK)
        s = open_carry(call, diag, l);
    for (size_t b = 0; s == STATUS_OK && b < l->batch; b++)
        eval_row(call, &n, b);
    node_close(&n);
    return s;
}

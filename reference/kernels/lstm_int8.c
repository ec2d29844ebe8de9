#include "reference/kernels/lstm.h"

#include "reference/base/fixed_point16.h"
#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

/* Gates before their activations are in steps of 2^-12. */
enum { Z_BITS = 12 };

/* Of one gate: the multipliers that bring its sums to its steps. */
struct gate {
    struct fixed_multiplier w, r, peephole;
};

struct factors {
    struct gate gate[LSTM_GATES];
    struct fixed_multiplier hidden, projection;
    int32_t hidden_zero;
    int cell_exponent; /* c is in steps of 2^cell_exponent */
    int16_t cell_clip; /* in steps; 0: none */
    int8_t proj_clip;
};

/* ---- checks and factors ---- */

static float scale_of(const struct ref_call *call, int i)
{
    return (float)ref_scale(call->in[i]);
}

static enum status check_scales(const struct ref_call *call, struct diag *diag,
                                const struct ref_lstm *l)
{
    for (int i = 0; i < call->in_count; i++) {
        const bool bias = i >= LSTM_FULL_BIAS && i < LSTM_FULL_BIAS + LSTM_GATES;

        if (!ref_has(call, i) || bias || i == LSTM_FULL_PROJECTION_BIAS)
            continue;
        TRY(ref_check_scale_in(call, diag, i,
                               i == LSTM_FULL_H   ? "output state"
                               : i == LSTM_FULL_C ? "cell state"
                               : i == 0           ? "input"
                                                  : "weights"));
        if (i != 0 && i != LSTM_FULL_H && ref_zero_point(call->in[i]) != 0)
            return ref_fail(call, diag, STATUS_INVALID, "input %d: zero point %d, expected 0", i,
                            ref_zero_point(call->in[i]));
    }
    TRY(ref_check_scale_out(call, diag, 0));
    if (call->intermediate_count != LSTM_FULL_INTERMEDIATES)
        return ref_fail(call, diag,
                        call->intermediate_count == 12 ? STATUS_UNSUPPORTED : STATUS_INVALID,
                        "%d intermediate tensors, expected %d", call->intermediate_count,
                        LSTM_FULL_INTERMEDIATES);
    if (!ref_is_quantized(call->intermediates[LSTM_FULL_HIDDEN]) ||
        !(ref_scale(call->intermediates[LSTM_FULL_HIDDEN]) > 0))
        return ref_fail(call, diag, STATUS_INVALID,
                        "intermediate tensor %d: no scale, expected that of the hidden result",
                        LSTM_FULL_HIDDEN);
    if (ref_zero_point(call->intermediates[LSTM_FULL_HIDDEN]) < INT8_MIN ||
        ref_zero_point(call->intermediates[LSTM_FULL_HIDDEN]) > INT8_MAX)
        return ref_fail(call, diag, STATUS_INVALID,
                        "intermediate tensor %d: zero point %d, expected -128 to 127",
                        LSTM_FULL_HIDDEN, ref_zero_point(call->intermediates[LSTM_FULL_HIDDEN]));
    if (l->norm)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "input %d: layer normalization of i8 tensors is not computed",
                        LSTM_FULL_NORM + LSTM_GATE_F);
    if (l->peephole && l->outputs != l->cells)
        return ref_fail(call, diag, STATUS_UNSUPPORTED,
                        "peephole weights in i8 with %zu outputs of %zu cells: the runtime's "
                        "kernel mixes up the cells of a batch then",
                        l->outputs, l->cells);
    return STATUS_OK;
}

/* The step of c is a power of two, for which tanh has 0 to 6 integer bits. */
static enum status read_cell(const struct ref_call *call, struct diag *diag, struct factors *f)
{
    const double scale = ref_scale(call->in[LSTM_FULL_C]), exponent = log2(scale);

    f->cell_exponent = (int)lround(exponent);
    if (fabs(exponent - f->cell_exponent) < 1e-3 && f->cell_exponent >= -15 &&
        f->cell_exponent <= -9)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID,
                    "input %d (cell state): scale %g, expected a power of two from 2^-15 to 2^-9",
                    LSTM_FULL_C, scale);
}

/* As in the runtime products of scales are f32. */
static enum status read_gate(const struct ref_call *call, struct diag *diag,
                             const struct ref_lstm *l, int g, struct factors *f)
{
    const int peephole = l->peephole ? ref_lstm_peephole(g) : -1;
    const float step = ldexpf(1, -Z_BITS);
    const float w = scale_of(call, LSTM_FULL_W + g) * scale_of(call, 0) / step;
    const float r = scale_of(call, LSTM_FULL_R + g) * scale_of(call, LSTM_FULL_H) / step;

    TRY(ref_check_multiplier(call, diag, "input scale * weights scale in steps of 2^-12", (double)w,
                             &f->gate[g].w));
    TRY(ref_check_multiplier(call, diag, "state scale * recurrent weights scale in steps of 2^-12",
                             (double)r, &f->gate[g].r));
    if (peephole < 0)
        return STATUS_OK;
    return ref_check_multiplier(
        call, diag, "cell scale * peephole weights scale in steps of 2^-12",
        (double)(float)(ldexp(1, f->cell_exponent) * ref_scale(call->in[peephole]) / step),
        &f->gate[g].peephole);
}

static enum status read_factors(const struct ref_call *call, struct diag *diag,
                                const struct ref_lstm *l, struct factors *f)
{
    const TfLiteTensor *const hidden = call->intermediates[LSTM_FULL_HIDDEN];
    const float hidden_scale = (float)ref_scale(hidden);

    *f = (struct factors){ .hidden_zero = ref_zero_point(hidden) };
    TRY(read_cell(call, diag, f));
    for (int g = l->cifg; g < LSTM_GATES; g++)
        TRY(read_gate(call, diag, l, g, f));
    TRY(ref_check_multiplier(call, diag, "2^-30 / scale of the hidden result",
                             (double)(float)(0x1p-15 / (double)hidden_scale * 0x1p-15),
                             &f->hidden));
    if (l->projection)
        TRY(ref_check_multiplier(call, diag, "hidden scale * projection scale / output scale",
                                 (double)(scale_of(call, LSTM_FULL_PROJECTION) * hidden_scale /
                                          scale_of(call, LSTM_FULL_H)),
                                 &f->projection));
    if (l->cell_clip > 0)
        f->cell_clip = (int16_t)fminf(l->cell_clip / scale_of(call, LSTM_FULL_C), 32767);
    if (l->proj_clip > 0)
        f->proj_clip = (int8_t)fminf(l->proj_clip / (float)ref_scale(call->out[0]), 127);
    return STATUS_OK;
}

enum status ref_lstm_int8_check(const struct ref_call *call, struct diag *diag,
                                const struct ref_lstm *l)
{
    struct factors f;

    TRY(check_scales(call, diag, l));
    return read_factors(call, diag, l, &f);
}

/* ---- one step ---- */

static int32_t clamp16(int64_t v)
{
    return fixed_clamp(v, ref_type_range(kTfLiteInt16));
}

/* The sum over a row of weights, of x less its zero point. */
static int32_t dot(const int8_t *w, const int8_t *x, int32_t zero, size_t count, int32_t start)
{
    int64_t sum = start;

    for (size_t k = 0; k < count; k++)
        sum += (int32_t)w[k] * (x[k] - zero);
    return fixed_wrap(sum);
}

struct row {
    const struct ref_call *call;
    const struct ref_lstm *l;
    const struct factors *f;
    const int8_t *x;
    int8_t *h;
    int16_t *c, *z[LSTM_GATES];
    int8_t *hidden;
};

static const int32_t *words(const struct row *r, int input)
{
    return ref_has(r->call, input) ? r->call->in[input]->data.i32 : NULL;
}

static void eval_gate(const struct row *r, int g)
{
    const struct ref_lstm *const l = r->l;
    TfLiteTensor *const *const in = r->call->in;
    const struct gate *const factors = &r->f->gate[g];
    const int peephole = l->peephole ? ref_lstm_peephole(g) : -1;
    const int8_t *const w = in[LSTM_FULL_W + g]->data.int8, *const u =
                                                                in[LSTM_FULL_R + g]->data.int8;
    const int32_t *const bias = words(r, LSTM_FULL_BIAS + g);

    for (size_t a = 0; a < l->cells; a++) {
        const int32_t wx = dot(w + a * l->depth, r->x, ref_zero_point(in[0]), l->depth, bias[a]);
        const int32_t uh =
            dot(u + a * l->outputs, r->h, ref_zero_point(in[LSTM_FULL_H]), l->outputs, 0);
        /* Each sum is rounded and saturated for itself. */
        int32_t z = clamp16(fixed_multiply(wx, factors->w));

        z = clamp16((int64_t)fixed_multiply(uh, factors->r) + z);
        if (peephole >= 0)
            z = clamp16(
                (int64_t)fixed_multiply(in[peephole]->data.i16[a] * r->c[a], factors->peephole) +
                z);
        r->z[g][a] = g == LSTM_GATE_C ? fixed16_tanh((int16_t)z) : fixed16_logistic((int16_t)z);
    }
}

static void eval_cells(const struct row *r)
{
    const int shift = 30 + r->f->cell_exponent, clip = r->f->cell_clip;

    for (size_t a = 0; a < r->l->cells; a++) {
        const int32_t f = r->z[LSTM_GATE_F][a];
        const int32_t i = r->l->cifg ? INT16_MAX - f : r->z[LSTM_GATE_I][a];
        const int32_t kept = fixed_rounding_shift_right(f * r->c[a], 15);
        const int32_t fresh = fixed_rounding_shift_right(i * r->z[LSTM_GATE_C][a], shift);
        const int32_t c = clamp16((int64_t)kept + fresh);

        r->c[a] = (int16_t)(clip > 0 && c > clip ? clip : clip > 0 && c < -clip ? -clip : c);
    }
}

static void eval_outputs(const struct row *r)
{
    const struct ref_lstm *const l = r->l;
    const struct fixed_range byte = ref_type_range(kTfLiteInt8);
    /* Before a projection the runtime adds the zero point with the other sign (its b/246629213). */
    const int32_t zero = l->projection ? -r->f->hidden_zero : r->f->hidden_zero;
    int8_t *const to = l->projection ? r->hidden : r->h;

    for (size_t a = 0; a < l->cells; a++) {
        const int32_t t = fixed16_tanh_of(r->c[a], 15 + r->f->cell_exponent);
        const int32_t h = fixed_multiply(r->z[LSTM_GATE_O][a] * t, r->f->hidden);

        to[a] = (int8_t)fixed_clamp((int64_t)h + zero, byte);
    }
    for (size_t o = 0; l->projection && o < l->outputs; o++) {
        const int32_t *const bias = words(r, LSTM_FULL_PROJECTION_BIAS);
        const int32_t sum = dot(r->call->in[LSTM_FULL_PROJECTION]->data.int8 + o * l->cells,
                                r->hidden, -r->f->hidden_zero, l->cells, bias ? bias[o] : 0);
        const int32_t h = fixed_clamp((int64_t)fixed_multiply(sum, r->f->projection) +
                                          ref_zero_point(r->call->in[LSTM_FULL_H]),
                                      byte);
        const int clip = r->f->proj_clip;

        r->h[o] = (int8_t)(clip > 0 && h > clip ? clip : clip > 0 && h < -clip ? -clip : h);
    }
}

static void eval_row(struct ref_call *call, struct row *r, size_t b)
{
    const struct ref_lstm *const l = r->l;
    const struct fixed_range byte = ref_type_range(kTfLiteInt8);

    r->h = call->in[LSTM_FULL_H]->data.int8 + b * l->outputs;
    r->c = call->in[LSTM_FULL_C]->data.i16 + b * l->cells;
    for (size_t t = 0; t < l->steps; t++) {
        const size_t row = ref_lstm_row(l, b, t);

        r->x = call->in[0]->data.int8 + row * l->depth;
        for (int g = l->cifg; g < LSTM_GATE_O; g++)
            eval_gate(r, g);
        eval_cells(r);
        eval_gate(r, LSTM_GATE_O);
        eval_outputs(r);
        for (size_t o = 0; o < l->outputs; o++)
            ref_store_quant(call, 0, row * l->outputs + o, byte, r->h[o], r->h[o], 0, 1);
    }
}

enum status ref_lstm_int8_eval(struct ref_call *call, struct diag *diag, const struct ref_lstm *l)
{
    struct factors f;
    struct row r = { .call = call, .l = l, .f = &f };
    int16_t *block;

    TRY(read_factors(call, diag, l, &f));
    block = mem_alloc((LSTM_GATES + 1) * l->cells + 1, sizeof *block);
    if (!block)
        return ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for %zu cells", l->cells);
    for (int g = 0; g < LSTM_GATES; g++)
        r.z[g] = block + (size_t)g * l->cells;
    r.hidden = (int8_t *)(block + LSTM_GATES * l->cells);
    for (size_t b = 0; b < l->batch; b++)
        eval_row(call, &r, b);
    mem_free(block);
    return STATUS_OK;
}

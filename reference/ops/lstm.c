/* LSTM.  The full kernel of 20 or 24 inputs is kernels/lstm_node.h; below is the basic kernel: one
 * step of one layer; f32, or u8.
 *
 *     inputs  0 x [B,D]   1 h_prev [B,A]   2 w [4A,D+A]   3 bias [4A]   4 c_prev [B,A]
 *     outputs 0 h [B,A]   1 c [B,A]        2 x|h_prev [B,D+A]           3 z [B,4A]
 *
 *     z = w * (x|h_prev) + bias, in four blocks of A: gates i, j, f, o
 *     c = s(i) * tanh(j) + s(f) * c_prev        s(v) = 1 / (1 + e^-v)
 *     h = s(o) * tanh(c)
 *
 * In u8 x, h and their concatenation have the scale 1/128 and the zero point 128, c is i16 with the
 * scale 2^-11, z i16 with 2^-12, the bias i32; gates and cells are computed in 16-bit fixed point.
 *
 * State: h is also written to input 1 and c to input 4, which are variables, as a rule.
 * Meaning: tflite/kernels/lstm.cc, internal/reference/reference_ops.h */
#include "reference/kernels/lstm.h"
#include "reference/base/fixed_point16.h"

#include <math.h>
#include <string.h>

enum { X, H_PREV, WEIGHTS, BIAS, C_PREV, INPUTS };
enum { H, C, JOINED, Z, OUTPUTS };
enum { GATE_I, GATE_J, GATE_F, GATE_O, GATES };

static const TfLiteType in_types_u8[INPUTS] = {
    [X] = kTfLiteUInt8,    [H_PREV] = kTfLiteUInt8, [WEIGHTS] = kTfLiteUInt8,
    [BIAS] = kTfLiteInt32, [C_PREV] = kTfLiteInt16,
};
static const TfLiteType out_types_u8[OUTPUTS] = {
    [H] = kTfLiteUInt8, [C] = kTfLiteInt16, [JOINED] = kTfLiteUInt8, [Z] = kTfLiteInt16
};
enum { STEPS_OF_1 = 128, ZERO = 128, C_BITS = 11, Z_BITS = 12 };

static bool is_u8(const struct ref_call *call)
{
    return call->in[X]->type == kTfLiteUInt8;
}

static void read_params(const struct options *options, void *params)
{
    TfLiteLSTMParams *p = params;

    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->cell_clip = options_float(options, "cell_clip");
    p->proj_clip = options_float(options, "proj_clip");
    p->kernel_type = (TfLiteLSTMKernelType)options_int(options, "kernel_type");
    p->asymmetric_quantize_inputs = options_int(options, "asymmetric_quantize_inputs") != 0;
}

static enum status check_params(const struct ref_call *call, struct diag *diag)
{
    const TfLiteLSTMParams *p = call->params;

    if (p->kernel_type != kTfLiteLSTMBasicKernel)
        return ref_fail(call, diag, STATUS_INVALID,
                        "kernel_type %d, expected 0 (FULL) or 1 (BASIC)", (int)p->kernel_type);
    if (call->in_count != INPUTS || call->out_count != OUTPUTS)
        return ref_fail(call, diag, STATUS_INVALID, "%d inputs and %d outputs, expected %d and %d",
                        call->in_count, call->out_count, INPUTS, OUTPUTS);
    if (p->activation != kTfLiteActTanh)
        return ref_fail(call, diag, STATUS_INVALID,
                        "fused_activation_function %d, expected %d (TANH)", (int)p->activation,
                        (int)kTfLiteActTanh);
    if (p->cell_clip != 0 || p->proj_clip != 0)
        return ref_fail(call, diag, STATUS_INVALID,
                        "cell_clip %g and proj_clip %g, expected 0 and 0", (double)p->cell_clip,
                        (double)p->proj_clip);
    return STATUS_OK;
}

/* The shape of input i is [rows, columns]; columns -1: it is a vector. */
static enum status check_dims(const struct ref_call *call, struct diag *diag, int i,
                              const char *role, int64_t rows, int64_t columns)
{
    const TfLiteTensor *t;

    TRY(ref_check_in(call, diag, i, role, is_u8(call) ? in_types_u8[i] : kTfLiteFloat32,
                     columns < 0 ? 1 : 2, columns < 0 ? 1 : 2));
    t = call->in[i];
    if (ref_dim(t, 0) != rows)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input %d (%s): dimension 0 is %d, expected %lld", i, role, ref_dim(t, 0),
                        (long long)rows);
    if (columns >= 0 && ref_dim(t, 1) != columns)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input %d (%s): dimension 1 is %d, expected %lld", i, role, ref_dim(t, 1),
                        (long long)columns);
    return STATUS_OK;
}

/* A tensor has the fixed scale and zero point that the kernel computes with. */
static enum status check_fixed(const struct ref_call *call, struct diag *diag, const char *side,
                               int index, const TfLiteTensor *t)
{
    const bool bytes = t->type == kTfLiteUInt8;
    const double scale = bytes ? 1. / STEPS_OF_1 : ldexp(1, -C_BITS);
    const int zero = bytes ? ZERO : 0;

    if (ref_scale(t) == scale && ref_zero_point(t) == zero)
        return STATUS_OK;
    return ref_fail(call, diag, STATUS_INVALID,
                    "%s %d: scale %g and zero point %d, expected 1/%d and %d", side, index,
                    ref_scale(t), ref_zero_point(t), bytes ? STEPS_OF_1 : 1 << C_BITS, zero);
}

static enum status read_factor(const struct ref_call *call, struct diag *diag,
                               struct fixed_multiplier *m)
{
    return ref_check_multiplier(call, diag, "bias scale in steps of 2^-12",
                                ldexp(ref_scale(call->in[BIAS]), Z_BITS), m);
}

static enum status check_scales(const struct ref_call *call, struct diag *diag)
{
    static const char *const roles[] = { "input", "previous activation", "weights", "bias",
                                         "previous state" };
    struct fixed_multiplier m;

    for (int i = 0; i < INPUTS; i++) {
        TRY(ref_check_scale_in(call, diag, i, roles[i]));
        if (i != WEIGHTS && i != BIAS)
            TRY(check_fixed(call, diag, "input", i, call->in[i]));
    }
    for (int o = 0; o < Z; o++) {
        TRY(ref_check_scale_out(call, diag, o));
        TRY(check_fixed(call, diag, "output", o, call->out[o]));
    }
    return read_factor(call, diag, &m);
}

static enum status prepare_basic(struct ref_call *call, struct diag *diag)
{
    int32_t batch, depth, cells;

    TRY(check_params(call, diag));
    TRY(ref_check_in_types(call, diag, X, "input", REF_TYPE(Float32) | REF_TYPE(UInt8), 2, 2));
    TRY(ref_check_in(call, diag, H_PREV, "previous activation", call->in[X]->type, 2, 2));
    for (int o = 0; o < OUTPUTS; o++)
        TRY(ref_check_out(call, diag, o, is_u8(call) ? out_types_u8[o] : kTfLiteFloat32));
    batch = ref_dim(call->in[X], 0);
    depth = ref_dim(call->in[X], 1);
    cells = ref_dim(call->in[H_PREV], 1);
    TRY(check_dims(call, diag, H_PREV, "previous activation", batch, cells));
    TRY(check_dims(call, diag, WEIGHTS, "weights", 4 * (int64_t)cells, (int64_t)depth + cells));
    TRY(check_dims(call, diag, BIAS, "bias", 4 * (int64_t)cells, -1));
    TRY(check_dims(call, diag, C_PREV, "previous state", batch, cells));
    for (int i = H_PREV; i <= C_PREV; i += C_PREV - H_PREV) {
        if (call->in[i]->allocation_type == kTfLiteMmapRo ||
            call->in[i]->allocation_type == kTfLitePersistentRo)
            return ref_fail(
                call, diag, STATUS_INVALID,
                "input %d (%s) is a constant, expected a tensor that the state can be written to",
                i, i == H_PREV ? "previous activation" : "previous state");
    }
    if (is_u8(call))
        TRY(check_scales(call, diag));
    /* No sum overflows: the weights have these dimensions. */
    call->out_shape[H] = call->out_shape[C] =
        (struct ref_shape){ .rank = 2, .dims = { batch, cells } };
    call->out_shape[JOINED] = (struct ref_shape){ .rank = 2, .dims = { batch, depth + cells } };
    call->out_shape[Z] = (struct ref_shape){ .rank = 2, .dims = { batch, 4 * cells } };
    return STATUS_OK;
}

static double sigmoid(double v)
{
    return 1 / (1 + exp(-v));
}

/* A gate's sum, and the error that f32 arithmetic may make in it: the bound of a dot product. */
struct gate {
    double z, slack;
};

static const double unit = 0x1p-24;

static struct gate gate_with(double sum, double magnitude, double terms)
{
    return (struct gate){ sum, unit * (2 + fmin(terms, 3 * sqrt(terms))) * magnitude +
                                   2 * unit * fabs(sum) + 0x1p-126 };
}

static struct gate gate_of(struct ref_call *call, size_t row, size_t unit_index)
{
    const TfLiteTensor *const joined = call->out[JOINED];
    const size_t width = (size_t)ref_dim(joined, 1), rows = (size_t)ref_dim(call->in[WEIGHTS], 0);
    const float *v = joined->data.f + row * width, *w = call->in[WEIGHTS]->data.f;
    const double terms = (double)width + 1;
    double sum = call->in[BIAS]->data.f[unit_index], magnitude = fabs(sum);

    for (size_t k = 0; k < width; k++) {
        const double product = (double)w[unit_index * width + k] * v[k]; /* exact */

        sum += product;
        magnitude += fabs(product);
    }
    ref_store(call, Z, row * rows + unit_index, sum, magnitude, terms);
    return gate_with(sum, magnitude, terms);
}

/* c and h, and how errors of the gates propagate to them: the slope of sigmoid is at most 1/4, that
 * of tanh 1, and each may itself be off by 16 units (conformance/doc/TOLERANCES.md). */
struct cell {
    double c, h, dc, dh;
};

static struct cell cell_of(const struct gate *g, double c_prev)
{
    const double i = sigmoid(g[GATE_I].z), j = tanh(g[GATE_J].z), f = sigmoid(g[GATE_F].z);
    const double o = sigmoid(g[GATE_O].z), c = i * j + f * c_prev, h = o * tanh(c);
    const double di = g[GATE_I].slack / 4 + 16 * unit, dj = g[GATE_J].slack + 16 * unit;
    const double df = g[GATE_F].slack / 4 + 16 * unit, d_o = g[GATE_O].slack / 4 + 16 * unit;
    const double dc =
        di * fabs(j) + i * dj + df * fabs(c_prev) + 4 * unit * (fabs(i * j) + fabs(f * c_prev));
    const double dh = d_o * fabs(tanh(c)) + o * (dc + 16 * unit) + 2 * unit;

    return (struct cell){ c, h, dc, dh };
}

static void store_cell(struct ref_call *call, size_t at, const struct gate *g, double c_prev)
{
    const struct cell cell = cell_of(g, c_prev);

    ref_store(call, C, at, cell.c, cell.dc / unit, 1);
    ref_store(call, H, at, cell.h, cell.dh / unit, 1);
}

/* MultiplyByQuantizedMultiplier of the runtime's LSTM: an exact sum in steps of 2^-12.  Unlike
 * RoundingDivideByPOT its shift rounds ties toward +infinity. */
static int16_t gate_steps(int32_t sum, struct fixed_multiplier m)
{
    const int left = m.e > 0 ? m.e : 0, right = m.e < 0 ? -m.e : 0;
    int64_t v = fixed_mul_high(fixed_wrap(sum * (INT64_C(1) << left)), m.q);

    /* floor((v + 2^(right-1)) / 2^right); >> of a negative number is up to the compiler. */
    if (right > 0) {
        const int64_t whole = INT64_C(1) << right;

        v += whole / 2;
        v = (v - (v % whole + whole) % whole) / whole;
    }
    return (int16_t)fixed_clamp(v, ref_type_range(kTfLiteInt16));
}

static struct gate gate_of_u8(struct ref_call *call, struct fixed_multiplier m, size_t row,
                              size_t unit_index, int16_t *steps)
{
    const TfLiteTensor *const joined = call->out[JOINED], *const w = call->in[WEIGHTS];
    const size_t width = (size_t)ref_dim(joined, 1), rows = (size_t)ref_dim(w, 0);
    const double scale = ref_scale(call->in[BIAS]), terms = (double)width + 1;
    int64_t sum = call->in[BIAS]->data.i32[unit_index];
    double magnitude = fabs((double)sum);

    for (size_t k = 0; k < width; k++) {
        const int64_t product =
            ((int64_t)w->data.uint8[unit_index * width + k] - ref_zero_point(w)) *
            ((int64_t)joined->data.uint8[row * width + k] - ZERO);

        sum += product;
        magnitude += fabs((double)product);
    }
    *steps = gate_steps(fixed_wrap(sum), m);
    ref_store_quant(call, Z, row * rows + unit_index, ref_type_range(kTfLiteInt16), *steps,
                    ldexp((double)sum * scale, Z_BITS), ldexp(magnitude * scale, Z_BITS), terms);
    return gate_with((double)sum * scale, magnitude * scale, terms);
}

static void store_cell_u8(struct ref_call *call, size_t at, const struct gate *g,
                          const int16_t *steps, int16_t c_prev)
{
    const struct cell cell = cell_of(g, ldexp(c_prev, -C_BITS));
    const int16_t i = fixed16_logistic(steps[GATE_I]), j = fixed16_tanh(steps[GATE_J]);
    const int16_t f = fixed16_logistic(steps[GATE_F]), o = fixed16_logistic(steps[GATE_O]);
    const int16_t c =
        fixed16_saturate(fixed_rounding_shift_right(fixed16_mul_high(i, j), 15 - C_BITS) +
                         fixed16_mul_high(f, c_prev));
    /* tanh takes c in Q3.12. */
    const int16_t h = fixed16_mul_high(o, fixed16_tanh(fixed16_saturate(2 * c)));

    ref_store_quant(call, C, at, ref_type_range(kTfLiteInt16), c, ldexp(cell.c, C_BITS),
                    ldexp(cell.dc / unit, C_BITS), 1);
    ref_store_quant(call, H, at, ref_type_range(kTfLiteUInt8),
                    ZERO + fixed_rounding_shift_right(h, 8), cell.h * STEPS_OF_1 + ZERO,
                    cell.dh / unit * STEPS_OF_1, 1);
}

static enum status eval_cell(struct ref_call *call, struct diag *diag, size_t b, size_t a)
{
    const size_t cells = (size_t)ref_dim(call->in[H_PREV], 1), at = b * cells + a;
    struct gate gates[GATES];
    struct fixed_multiplier m;
    int16_t steps[GATES];

    if (is_u8(call)) {
        TRY(read_factor(call, diag, &m));
        for (size_t g = 0; g < GATES; g++)
            gates[g] = gate_of_u8(call, m, b, g * cells + a, &steps[g]);
        store_cell_u8(call, at, gates, steps, call->in[C_PREV]->data.i16[at]);
        return STATUS_OK;
    }
    for (size_t g = 0; g < GATES; g++)
        gates[g] = gate_of(call, b, g * cells + a);
    store_cell(call, at, gates, call->in[C_PREV]->data.f[at]);
    return STATUS_OK;
}

static enum status eval_basic(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[X], *const h_prev = call->in[H_PREV];
    TfLiteTensor *const joined = call->out[JOINED];
    const size_t batch = (size_t)ref_dim(x, 0), depth = (size_t)ref_dim(x, 1);
    const size_t cells = (size_t)ref_dim(h_prev, 1), width = depth + cells;
    const size_t size = runtime_type_bits(x->type) / 8;

    for (size_t b = 0; b < batch; b++) {
        for (size_t k = 0; k < width; k++) {
            memcpy(joined->data.raw + (b * width + k) * size,
                   k < depth ? x->data.raw_const + (b * depth + k) * size
                             : h_prev->data.raw_const + (b * cells + k - depth) * size,
                   size);
            ref_detail_copied(call, JOINED, b * width + k);
        }
        for (size_t a = 0; a < cells; a++)
            TRY(eval_cell(call, diag, b, a));
    }
    if (batch * cells > 0) {
        memcpy(call->in[H_PREV]->data.raw, call->out[H]->data.raw, batch * cells * size);
        memcpy(call->in[C_PREV]->data.raw, call->out[C]->data.raw, call->out[C]->bytes);
    }
    return STATUS_OK;
}

static struct ref_lstm full_of(const struct ref_call *call)
{
    const TfLiteLSTMParams *p = call->params;

    return (struct ref_lstm){ .activation = p->activation,
                              .cell_clip = p->cell_clip,
                              .proj_clip = p->proj_clip };
}

static bool is_full(const struct ref_call *call)
{
    return ((const TfLiteLSTMParams *)call->params)->kernel_type == kTfLiteLSTMFullKernel;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_lstm l = full_of(call);

    return is_full(call) ? ref_lstm_prepare(call, diag, &l) : prepare_basic(call, diag);
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    struct ref_lstm l = full_of(call);

    return is_full(call) ? ref_lstm_eval(call, diag, &l) : eval_basic(call, diag);
}

static const struct ref_op ops[] = {
    { REF_OP("lstm", LSTM, 4, OPTIONS_LSTMOptions),
      .params_bytes = sizeof(TfLiteLSTMParams), /* the full kernel has none of some */
      .read_params = read_params, REF_RUN(prepare, eval) },
};

const struct ref_family ref_lstm = { ops, sizeof ops / sizeof ops[0] };

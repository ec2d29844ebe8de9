/* A delegate whose arithmetic is that of another design, named by its option arithmetic=: sums in
 * other orders and formats, Winograd, rounding toward zero, f16.  test_arithmetic shows which class
 * of bounds each design keeps.  It takes each node that it knows as a partition of its own, so all
 * tensors are the host's; ops on 8 bits begin with the reference's exact results. */
#include "conformance/tests/mock/rounding.h"
#include "conformance/tests/mock/sums.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys,
                                                     const char *const *values, size_t count,
                                                     void (*report_error)(const char *));
EXPORT void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);

struct mock {
    TfLiteDelegate base;
    const struct arithmetic *arithmetic;
};

struct kernel {
    const struct arithmetic *arithmetic;
    const struct ref_op *op;
    int32_t version;
    max_align_t params[8];
};

/* ---- elementary functions ---- */

static double exponential(const struct arithmetic *a, double x)
{
    const double y = exp(x);

    if (a->exp_ulps == 0 || !isnormal(y))
        return a->rounded(y);
    return a->rounded(y + a->exp_ulps * ldexp(1, ilogb(y) - 23));
}

static double logistic(const struct arithmetic *a, double x)
{
    return a->rounded(1 / a->rounded(1 + exponential(a, -x)));
}

static double hyperbolic_tangent(const struct arithmetic *a, double x)
{
    return a->rounded(2 * logistic(a, 2 * x) - 1);
}

static void eval_add(const struct arithmetic *a, const struct ref_call *c)
{
    const TfLiteAddParams *const p = c->params;
    const TfLiteTensor *const y = c->out[0];

    for (size_t i = 0; i < ref_elements(y); i++) {
        size_t at[2] = { 0, 0 };

        for (int k = 0; k < 2; k++) {
            size_t rest = i, stride = 1;

            for (int d = 1; d <= ref_rank(y); d++) {
                const size_t size = (size_t)ref_dim(y, ref_rank(y) - d), j = rest % size;

                rest /= size;
                if (d > ref_rank(c->in[k]))
                    continue;
                at[k] += ref_dim(c->in[k], ref_rank(c->in[k]) - d) > 1 ? j * stride : 0;
                stride *= (size_t)ref_dim(c->in[k], ref_rank(c->in[k]) - d);
            }
        }
        y->data.f[i] = (float)a->stored(ref_activation(
            p->activation, a->rounded((double)c->in[0]->data.f[at[0]] + c->in[1]->data.f[at[1]])));
    }
}

static void eval_unary(const struct arithmetic *a, const struct ref_call *c)
{
    for (size_t i = 0; i < ref_elements(c->out[0]); i++) {
        const double x = c->in[0]->data.f[i];

        c->out[0]->data.f[i] =
            (float)a->stored(c->op->code == BUILTIN_EXP ? exponential(a, x) : logistic(a, x));
    }
}

static void eval_softmax(const struct arithmetic *a, const struct ref_call *c)
{
    const double beta = ((const TfLiteSoftmaxParams *)c->params)->beta;
    const size_t n = (size_t)ref_dim(c->in[0], ref_rank(c->in[0]) - 1);
    const float *x = c->in[0]->data.f;
    float *y = c->out[0]->data.f;

    for (size_t row = 0; row < ref_elements(c->in[0]); row += n, x += n, y += n) {
        double peak = x[0], sum = 0;

        for (size_t i = 1; i < n; i++)
            peak = beta * x[i] > beta * peak ? x[i] : peak;
        for (size_t i = 0; i < n; i++) {
            y[i] = (float)exponential(a, a->rounded(beta * a->rounded(x[i] - peak)));
            sum = a->rounded(sum + y[i]);
        }
        for (size_t i = 0; i < n; i++)
            y[i] = (float)a->stored(a->rounded(y[i] / sum));
    }
}

static void eval_resize(const struct arithmetic *a, const struct ref_call *c)
{
    const TfLiteResizeBilinearParams *const p = c->params;
    const int *const in = c->in[0]->dims->data, *const out = c->out[0]->dims->data;
    float *y = c->out[0]->data.f;
    double place[2];
    int low[2], high[2];

    for (int n = 0; n < out[0]; n++) {
        for (int at = 0; at < out[1] * out[2]; at++) {
            for (int d = 0; d < 2; d++) {
                const int o = d == 0 ? at / out[2] : at % out[2], size = in[d + 1];
                const bool ends = p->align_corners && out[d + 1] > 1;
                const float scale = ends ? (float)(size - 1) / (float)(out[d + 1] - 1)
                                         : (float)size / (float)out[d + 1];
                const float v =
                    p->half_pixel_centers ? ((float)o + 0.5f) * scale - 0.5f : (float)o * scale;

                low[d] = v > 0 ? (int)v : 0;
                high[d] = v > 0 ? (int)ceilf(v) : 0;
                low[d] = low[d] < size ? low[d] : size - 1;
                high[d] = high[d] < size ? high[d] : size - 1;
                place[d] = a->rounded(v - (float)low[d]);
                if (v < 0)
                    place[d] = 0;
            }
            for (int ch = 0; ch < in[3]; ch++) {
                double rows[2];

                for (int r = 0; r < 2; r++) {
                    const float *const line =
                        c->in[0]->data.f + (n * in[1] + (r ? high[0] : low[0])) * in[2] * in[3];
                    const double left = line[low[1] * in[3] + ch];
                    const double right = line[high[1] * in[3] + ch];

                    rows[r] = a->rounded(left + a->rounded(place[1] * a->rounded(right - left)));
                }
                *y++ = (float)a->stored(
                    a->rounded(rows[0] + a->rounded(place[0] * a->rounded(rows[1] - rows[0]))));
            }
        }
    }
}

/* ---- LSTM ---- */

static void eval_lstm(const struct arithmetic *a, const struct ref_call *call)
{
    enum { H, C, JOINED, Z };
    const size_t batch = (size_t)ref_dim(call->in[0], 0), depth = (size_t)ref_dim(call->in[0], 1);
    const size_t cells = (size_t)ref_dim(call->in[1], 1), width = depth + cells;
    float *const c_prev = call->in[4]->data.f;

    for (size_t b = 0; b < batch; b++) {
        float *const joined = call->out[JOINED]->data.f + b * width;
        float *const z = call->out[Z]->data.f + b * 4 * cells;

        memcpy(joined, call->in[0]->data.f + b * depth, depth * sizeof *joined);
        memcpy(joined + depth, call->in[1]->data.f + b * cells, cells * sizeof *joined);
        for (size_t u = 0; u < cells; u++) {
            const size_t at = b * cells + u;
            double gates[4], c;

            for (size_t g = 0; g < 4; g++) {
                const size_t row = g * cells + u;

                gates[g] = sum_products(a, call->in[2]->data.f + row * width, joined, width,
                                        &call->in[3]->data.f[row]);
                z[row] = (float)a->stored(gates[g]);
                if (a->stores_sums)
                    gates[g] = z[row];
            }
            c = a->rounded(a->rounded(logistic(a, gates[0]) * hyperbolic_tangent(a, gates[1])) +
                           a->rounded(logistic(a, gates[2]) * c_prev[at]));
            call->out[C]->data.f[at] = (float)a->stored(c);
            if (a->stores_sums)
                c = call->out[C]->data.f[at];
            call->out[H]->data.f[at] =
                (float)a->stored(a->rounded(logistic(a, gates[3]) * hyperbolic_tangent(a, c)));
        }
    }
    memcpy(call->in[1]->data.f, call->out[H]->data.f, batch * cells * sizeof(float));
    memcpy(c_prev, call->out[C]->data.f, batch * cells * sizeof(float));
}

/* ---- 8 bits ---- */

/* Rounds the reference's exact results as the design does. */
static TfLiteStatus eval_integers(const struct arithmetic *a, struct ref_call *call)
{
    const TfLiteTensor *const y = call->out[0];
    const int low = y->type == kTfLiteInt8 ? -128 : 0;
    double *const value = mem_alloc(y->bytes ? y->bytes : 1, sizeof *value);
    struct ref_detail detail[8] = { { .value = value } };

    call->detail = detail;
    if (!value || call->op->eval(call, NULL) != STATUS_OK) {
        mem_free(value);
        return kTfLiteError;
    }
    for (size_t i = 0; i < y->bytes; i++) {
        const double q = fmin(fmax(a->integer(value[i]), low), low + 255);

        if (y->type == kTfLiteInt8)
            y->data.int8[i] = (int8_t)q;
        else
            y->data.uint8[i] = (uint8_t)q;
    }
    mem_free(value);
    return kTfLiteOk;
}

/* ---- the kernel ---- */

static TfLiteStatus eval(const struct kernel *k, struct ref_call *call)
{
    const struct arithmetic *const a = k->arithmetic;

    if (call->out[0]->type != kTfLiteFloat32)
        return eval_integers(a, call);
    switch (k->op->code) {
    case BUILTIN_ADD: eval_add(a, call); break;
    case BUILTIN_EXP:
    case BUILTIN_LOGISTIC: eval_unary(a, call); break;
    case BUILTIN_SOFTMAX: eval_softmax(a, call); break;
    case BUILTIN_RESIZE_BILINEAR: eval_resize(a, call); break;
    case BUILTIN_LSTM: eval_lstm(a, call); break;
    default: return sums_eval(a, call) ? kTfLiteOk : kTfLiteError;
    }
    return kTfLiteOk;
}

static void *kernel_init(TfLiteContext *context, const char *buffer, size_t length)
{
    const TfLiteDelegateParams *const params = (const TfLiteDelegateParams *)(const void *)buffer;
    struct kernel *const k = mem_alloc(1, sizeof *k);
    TfLiteRegistration *registration;
    TfLiteNode *node;

    (void)length;
    if (!k)
        return TfLiteKernelInitFailed();
    context->GetNodeAndRegistration(context, params->nodes_to_replace->data[0], &node,
                                    &registration);
    k->arithmetic = ((const struct mock *)params->delegate->data_)->arithmetic;
    k->op = ref_find(registration->builtin_code);
    k->version = registration->version;
    if (node->builtin_data)
        memcpy(k->params, node->builtin_data, k->op->params_bytes);
    return k;
}

static void kernel_free(TfLiteContext *context, void *user_data)
{
    (void)context;
    mem_free(user_data);
}

static TfLiteStatus kernel_prepare(TfLiteContext *context, TfLiteNode *node)
{
    (void)context;
    (void)node;
    return kTfLiteOk;
}

static TfLiteStatus kernel_invoke(TfLiteContext *context, TfLiteNode *node)
{
    const struct kernel *const k = node->user_data;
    TfLiteTensor *in[32], *out[8];
    struct ref_call call = { .op = k->op,
                             .version = k->version,
                             .params = k->op->params_bytes ? k->params : NULL,
                             .in = in,
                             .in_count = node->inputs->size,
                             .out = out,
                             .out_count = node->outputs->size };

    for (int i = 0; i < node->inputs->size; i++)
        in[i] = node->inputs->data[i] < 0 ? NULL : &context->tensors[node->inputs->data[i]];
    for (int i = 0; i < node->outputs->size; i++)
        out[i] = &context->tensors[node->outputs->data[i]];
    return eval(k, &call);
}

/* ---- the delegate ---- */

static bool is_known(int32_t code, TfLiteType type)
{
    static const int32_t codes[] = { BUILTIN_ADD,
                                     BUILTIN_EXP,
                                     BUILTIN_LOGISTIC,
                                     BUILTIN_SOFTMAX,
                                     BUILTIN_RESIZE_BILINEAR,
                                     BUILTIN_LSTM,
                                     BUILTIN_CONV_2D,
                                     BUILTIN_DEPTHWISE_CONV_2D,
                                     BUILTIN_TRANSPOSE_CONV,
                                     BUILTIN_FULLY_CONNECTED,
                                     BUILTIN_AVERAGE_POOL_2D };

    if ((type == kTfLiteInt8 || type == kTfLiteUInt8) && code != BUILTIN_LSTM)
        return true;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i] == code)
            return type == kTfLiteFloat32;
    }
    return false;
}

static TfLiteStatus mock_prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const TfLiteRegistration registration = { .init = kernel_init,
                                              .free = kernel_free,
                                              .prepare = kernel_prepare,
                                              .invoke = kernel_invoke,
                                              .custom_name = "arithmetic",
                                              .version = 1 };
    TfLiteIntArray *plan, *const nodes = mem_alloc(1, sizeof *nodes + 256 * sizeof nodes->data[0]);
    int count = 0;

    context->GetExecutionPlan(context, &plan);
    for (int i = 0; nodes && i < plan->size && count < 256; i++)
        nodes->data[count++] = plan->data[i];
    for (int i = 0; nodes && i < count; i++) {
        TfLiteIntArray *const one = mem_alloc(1, sizeof *one + sizeof one->data[0]);
        const int index = nodes->data[i];
        TfLiteRegistration *op;
        TfLiteNode *node;
        bool known;

        context->GetNodeAndRegistration(context, index, &node, &op);
        known = is_known(op->builtin_code, context->tensors[node->outputs->data[0]].type);
        if (one && known) {
            one->size = 1;
            one->data[0] = index;
            context->ReplaceNodeSubsetsWithDelegateKernels(context, registration, one, delegate);
        }
        mem_free(one);
    }
    mem_free(nodes);
    return kTfLiteOk;
}

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values,
                                              size_t count, void (*report_error)(const char *))
{
    struct mock *const m = mem_alloc(1, sizeof *m);
    char text[256];

    if (!m)
        return NULL;
    m->base = (TfLiteDelegate){ .data_ = m, .Prepare = mock_prepare };
    m->arithmetic = arithmetic_find("f32");
    for (size_t i = 0; i < count; i++) {
        const struct arithmetic *const found =
            strcmp(keys[i], "arithmetic") == 0 ? arithmetic_find(values[i]) : NULL;

        if (!found) {
            snprintf(text, sizeof text, "option %s: not known, or not with the value %s", keys[i],
                     values[i]);
            report_error(text);
            mem_free(m);
            return NULL;
        }
        m->arithmetic = found;
    }
    return &m->base;
}

void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate)
{
    mem_free(delegate ? delegate->data_ : NULL);
}

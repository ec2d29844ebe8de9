/* Convolutions, FULLY_CONNECTED and AVERAGE_POOL_2D: the products of each result are gathered, and
 * summed up by the design. */
#include "conformance/tests/mock/sums.h"

#include "reference/base/memory.h"

#include <math.h>

/* ---- one sum ---- */

static double product_of(const struct arithmetic *a, double w, double x)
{
    const double high_w = a->operand(w), high_x = a->operand(x);
    double p = high_w * high_x;

    if (a->three)
        p = a->rounded(a->rounded(p + high_w * a->operand(x - high_x)) +
                       a->operand(w - high_w) * high_x);
    return a->product ? a->product(p) : p;
}

static double sum_forward(const struct arithmetic *a, double start, const float *w, const float *x,
                          size_t n, size_t step)
{
    double sum = start;

    for (size_t i = 0; i < n; i += step)
        sum = a->rounded(sum + product_of(a, w[i], x[i]));
    return sum;
}

static double sum_pairs(const struct arithmetic *a, const float *w, const float *x, size_t n)
{
    if (n < 3)
        return sum_forward(a, 0, w, x, n, 1);
    return a->rounded(sum_pairs(a, w, x, n / 2) + sum_pairs(a, w + n / 2, x + n / 2, n - n / 2));
}

static double sum_runs(const struct arithmetic *a, double start, const float *w, const float *x,
                       size_t n, size_t run)
{
    double sum = start;

    for (size_t i = 0; i < n; i += run)
        sum = (float)(sum + sum_forward(a, 0, w + i, x + i, n - i < run ? n - i : run, 1));
    return sum;
}

static double sum_in_order(const struct arithmetic *a, double start, const float *w, const float *x,
                           size_t n)
{
    double sum = start;

    switch (a->order) {
    case ORDER_FORWARD: break;
    case ORDER_BACKWARD:
        for (size_t i = n; i-- > 0;)
            sum = a->rounded(sum + product_of(a, w[i], x[i]));
        return sum;
    case ORDER_PAIRS: return a->rounded(sum + sum_pairs(a, w, x, n));
    case ORDER_LANES16:
        for (size_t lane = 0; lane < 16 && lane < n; lane++)
            sum = a->rounded(sum + sum_forward(a, 0, w + lane, x + lane, n - lane, 16));
        return sum;
    case ORDER_CHUNKS8: return sum_runs(a, sum, w, x, n, 8);
    case ORDER_RUNS32: return sum_runs(a, sum, w, x, n, 32);
    }
    return sum_forward(a, sum, w, x, n, 1);
}

double sum_products(const struct arithmetic *a, const float *w, const float *x, size_t n,
                    const float *bias)
{
    double sum;

    if (a->drops_last && n > 1)
        n--;
    sum = sum_in_order(a, bias && a->bias_first ? a->rounded(*bias) : 0, w, x, n);
    return bias && !a->bias_first ? a->rounded(sum + a->rounded(*bias)) : sum;
}

/* ---- a node ---- */

enum { H, W, AXES };

struct sums {
    const struct arithmetic *a;
    float *x, *w; /* owned; w NULL: ones */
    const float *bias;
    const int *xd, *wd, *yd;
    int kernel[AXES], stride[AXES], dilation[AXES], before[AXES];
    bool transposed, by_channel; /* TRANSPOSE_CONV; DEPTHWISE and pools */
    TfLiteFusedActivation activation;
    float *some_w, *some_x; /* the products of one result */
};

static float *floats_of(const TfLiteTensor *t)
{
    const size_t count = ref_elements(t);
    const TfLiteAffineQuantization *const q = t->quantization.params;
    float *const values = mem_alloc(count ? count : 1, sizeof *values);
    size_t inner = 1;

    for (int d = ref_rank(t) - 1; t->type == kTfLiteInt8 && d > q->quantized_dimension; d--)
        inner *= (size_t)ref_dim(t, d);
    for (size_t i = 0; values && i < count; i++)
        values[i] =
            t->type == kTfLiteFloat32
                ? t->data.f[i]
                : (float)t->data.int8[i] * q->scale->data[i / inner % (size_t)q->scale->size];
    return values;
}

/* Rounds the activations of each part to integers of its largest one. */
static void round_parts(float *x, size_t count, size_t parts, int largest_integer)
{
    for (size_t p = 0; p < parts; p++) {
        float *const part = x + p * (count / parts);
        float largest = 0;

        for (size_t i = 0; i < count / parts; i++)
            largest = fmaxf(largest, fabsf(part[i]));
        for (size_t i = 0; i < count / parts && largest > 0; i++) {
            const float step = largest / (float)largest_integer;

            part[i] = roundf(part[i] / step) * step;
        }
    }
}

/* The cell of the input that tap k adds to result o along an axis; -1: none. */
static int cell(const struct sums *s, int axis, int o, int k)
{
    const int size = s->xd[axis + 1];
    int at = o * s->stride[axis] - s->before[axis] + k * s->dilation[axis];

    if (s->transposed) {
        at = o + s->before[axis] - k;
        at = at >= 0 && at % s->stride[axis] == 0 ? at / s->stride[axis] : -1;
    }
    return at < size ? at : -1;
}

/* The products of result (n, oy, ox, o). */
static size_t gather(const struct sums *s, int n, int oy, int ox, int o)
{
    const int depth = s->by_channel ? 1 : s->wd[3];
    const int groups = s->by_channel ? s->xd[3] : s->xd[3] / depth;
    const int first = o / (s->yd[3] / groups) * depth;
    size_t count = 0;

    for (int k = 0; k < s->kernel[H] * s->kernel[W]; k++) {
        const int y = cell(s, H, oy, k / s->kernel[W]), x = cell(s, W, ox, k % s->kernel[W]);

        for (int i = 0; i < depth && y >= 0 && x >= 0; i++) {
            const int taps = s->kernel[H] * s->kernel[W];
            const int at = s->by_channel ? k * s->yd[3] + o : (o * taps + k) * depth + i;

            s->some_x[count] = s->x[((n * s->xd[1] + y) * s->xd[2] + x) * s->xd[3] + first + i];
            s->some_w[count++] = s->w ? s->w[at] : 1;
        }
    }
    return count;
}

/* ---- Winograd F(2x2, 3x3) ---- */

/* y = m x m^T, of n by n to rows by rows; every addition is rounded. */
static void transform(const struct arithmetic *a, const double *m, int rows, int n, const double *x,
                      double *y)
{
    double half[16];

    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < n; c++) {
            half[r * n + c] = 0;
            for (int k = 0; k < n; k++)
                half[r * n + c] = a->rounded(half[r * n + c] + m[r * n + k] * x[k * n + c]);
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < rows; c++) {
            y[r * rows + c] = 0;
            for (int k = 0; k < n; k++)
                y[r * rows + c] = a->rounded(y[r * rows + c] + half[r * n + k] * m[c * n + k]);
        }
    }
}

static double winograd(const struct sums *s, int n, int oy, int ox, int o)
{
    static const double b[16] = { 1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1 };
    static const double g[12] = { 1, 0, 0, .5, .5, .5, .5, -.5, .5, 0, 0, 1 };
    static const double result[8] = { 1, 1, 1, 0, 0, 1, -1, -1 };
    const int depth = s->wd[3], first = o / (s->yd[3] / (s->xd[3] / depth)) * depth;
    double sums[16] = { 0 }, out[4];

    for (int i = 0; i < depth; i++) {
        double d[16] = { 0 }, f[9], u[16], v[16];

        for (int k = 0; k < 16; k++) {
            const int y = (oy & ~1) - s->before[H] + k / 4, x = (ox & ~1) - s->before[W] + k % 4;

            if (y >= 0 && y < s->xd[1] && x >= 0 && x < s->xd[2])
                d[k] = s->x[((n * s->xd[1] + y) * s->xd[2] + x) * s->xd[3] + first + i];
        }
        for (int k = 0; k < 9; k++)
            f[k] = s->w[(o * 9 + k) * depth + i];
        transform(s->a, b, 4, 4, d, u);
        transform(s->a, g, 4, 3, f, v);
        for (int k = 0; k < 16; k++)
            sums[k] = s->a->rounded(sums[k] + product_of(s->a, v[k], u[k]));
    }
    transform(s->a, result, 2, 4, sums, out);
    return s->bias ? s->a->rounded(out[(oy & 1) * 2 + (ox & 1)] + s->bias[o])
                   : out[(oy & 1) * 2 + (ox & 1)];
}

static bool takes_winograd(const struct sums *s)
{
    return s->a->winograd && s->w && !s->transposed && !s->by_channel && s->kernel[H] == 3 &&
           s->kernel[W] == 3 && s->stride[H] == 1 && s->stride[W] == 1 && s->dilation[H] == 1 &&
           s->dilation[W] == 1;
}

/* ---- ops ---- */

static void eval_windows(const struct sums *s, float *y)
{
    const bool tiles = takes_winograd(s);

    for (int n = 0; n < s->yd[0]; n++) {
        for (int at = 0; at < s->yd[1] * s->yd[2]; at++) {
            for (int o = 0; o < s->yd[3]; o++) {
                const int oy = at / s->yd[2], ox = at % s->yd[2];
                const size_t count = tiles ? 0 : gather(s, n, oy, ox, o);
                double v = tiles ? winograd(s, n, oy, ox, o)
                                 : sum_products(s->a, s->some_w, s->some_x, count,
                                                s->bias ? s->bias + o : NULL);

                if (!s->w) /* AVERAGE_POOL_2D */
                    v = s->a->rounded(v / (double)count);
                *y++ = (float)s->a->stored(ref_activation(s->activation, v));
            }
        }
    }
}

static void eval_rows(const struct sums *s, float *y, size_t rows)
{
    const size_t depth = (size_t)s->wd[1], units = (size_t)s->wd[0];

    for (size_t row = 0; row < rows; row++) {
        for (size_t o = 0; o < units; o++)
            *y++ = (float)s->a->stored(ref_activation(
                s->activation, sum_products(s->a, s->w + o * depth, s->x + row * depth, depth,
                                            s->bias ? s->bias + o : NULL)));
    }
}

static void set_axes(struct sums *s, TfLitePadding padding, int stride_h, int stride_w,
                     int dilation_h, int dilation_w)
{
    s->stride[H] = stride_h;
    s->stride[W] = stride_w;
    s->dilation[H] = dilation_h;
    s->dilation[W] = dilation_w;
    for (int axis = 0; axis < AXES; axis++) {
        struct ref_window w = { 0, 0 };

        ref_window(padding, s->transposed ? s->yd[axis + 1] : s->xd[axis + 1], s->kernel[axis],
                   s->stride[axis], s->dilation[axis], &w);
        s->before[axis] = w.before;
    }
}

static void read_params(struct sums *s, const struct ref_call *c)
{
    const void *const params = c->params;

    if (s->wd && c->op->code != BUILTIN_FULLY_CONNECTED) {
        s->kernel[H] = s->wd[1];
        s->kernel[W] = s->wd[2];
    }
    if (c->op->code == BUILTIN_CONV_2D) {
        const TfLiteConvParams *const p = params;

        s->activation = p->activation;
        set_axes(s, p->padding, p->stride_height, p->stride_width, p->dilation_height_factor,
                 p->dilation_width_factor);
    } else if (c->op->code == BUILTIN_DEPTHWISE_CONV_2D) {
        const TfLiteDepthwiseConvParams *const p = params;

        s->by_channel = true;
        s->activation = p->activation;
        set_axes(s, p->padding, p->stride_height, p->stride_width, p->dilation_height_factor,
                 p->dilation_width_factor);
    } else if (c->op->code == BUILTIN_TRANSPOSE_CONV) {
        const TfLiteTransposeConvParams *const p = params;

        s->transposed = true;
        s->activation = p->activation;
        set_axes(s, p->padding, p->stride_height, p->stride_width, 1, 1);
    } else if (c->op->code == BUILTIN_AVERAGE_POOL_2D) {
        const TfLitePoolParams *const p = params;

        s->by_channel = true;
        s->activation = p->activation;
        s->kernel[H] = p->filter_height;
        s->kernel[W] = p->filter_width;
        set_axes(s, p->padding, p->stride_height, p->stride_width, 1, 1);
    } else {
        s->activation = ((const TfLiteFullyConnectedParams *)params)->activation;
    }
}

bool sums_eval(const struct arithmetic *a, const struct ref_call *c)
{
    const bool transposed = c->op->code == BUILTIN_TRANSPOSE_CONV;
    const bool pool = c->op->code == BUILTIN_AVERAGE_POOL_2D;
    const bool rows = c->op->code == BUILTIN_FULLY_CONNECTED;
    const TfLiteTensor *const x = c->in[transposed ? 2 : 0], *const w = pool ? NULL : c->in[1];
    const int bias = transposed ? 3 : 2;
    const size_t count = ref_elements(x), most = w ? ref_elements(w) : count;
    struct sums s = { .a = a,
                      .xd = x->dims->data,
                      .wd = w ? w->dims->data : NULL,
                      .yd = c->out[0]->dims->data,
                      .bias = !pool && ref_has(c, bias) ? c->in[bias]->data.f : NULL,
                      .x = floats_of(x),
                      .w = w ? floats_of(w) : NULL,
                      .some_w = mem_alloc(most ? most : 1, sizeof(float)),
                      .some_x = mem_alloc(most ? most : 1, sizeof(float)) };
    const bool ok = s.x && s.some_w && s.some_x && (s.w || !w);

    if (ok) {
        const size_t parts = rows ? count / (size_t)s.wd[1] : (size_t)s.xd[0];

        read_params(&s, c);
        if (a->hybrid && w && w->type == kTfLiteInt8 && parts > 0)
            round_parts(s.x, count, parts, a->hybrid);
        if (rows)
            eval_rows(&s, c->out[0]->data.f, count / (size_t)s.wd[1]);
        else
            eval_windows(&s, c->out[0]->data.f);
    }
    mem_free(s.x);
    mem_free(s.w);
    mem_free(s.some_w);
    mem_free(s.some_x);
    return ok;
}

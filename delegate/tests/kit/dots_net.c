#include "delegate/tests/kit/dots_net.h"

#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/text_kit.h"

#include <inttypes.h>
#include <math.h>

enum { SAME, VALID }; /* as in the file */

static int pick(struct net *n, int count, const int *values)
{
    return values[kit_below(&n->seed, count)];
}
#define PICK(n, ...)                                                                               \
    pick((n), (int)(sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int)),                           \
         (const int[]){ __VA_ARGS__ })

/* At times an end of the type's range, mostly not: then sums would be large. */
static int64_t random_zero(struct net *n)
{
    const int low = n->is_unsigned ? 0 : -128;

    switch (kit_below(&n->seed, 8)) {
    case 0: return low;
    case 1: return low + 255;
    default: return low + 108 + kit_below(&n->seed, 40);
    }
}

static const char *byte_type(const struct net *n)
{
    return n->is_unsigned ? "u8" : "i8";
}

/* For sums of so many terms.  Most results are within the range; small whole scales make sums that
 * lie between two steps of the output; some factors are above 1, some far below. */
static void random_scales(struct net *n, int terms)
{
    static const float whole[] = { 1, 2, 3, 5, 7, 0.5f };
    const double spread = 75 * sqrt(terms) * (1.5 + (double)kit_float(&n->seed));
    double factor = 1 / spread;

    n->x_scale = ldexpf(1.25f + 0.5f * kit_float(&n->seed), -7);
    n->y_scale = ldexpf(1.25f + 0.5f * kit_float(&n->seed), -5);
    switch (n->ordinary ? 9 : kit_below(&n->seed, 10)) {
    case 0: factor = 0x1p8; break;
    case 1: factor = 0x1p-40; break;
    case 2:
    case 3:
        n->x_scale = whole[kit_below(&n->seed, 6)];
        n->w_scale = whole[kit_below(&n->seed, 6)];
        n->y_scale = 10 * (float)ceil((double)n->x_scale * (double)n->w_scale * spread / 10);
        return;
    default: break;
    }
    n->w_scale = (float)(factor * (double)n->y_scale / (double)n->x_scale);
}

void net_begin(struct net *n, uint64_t seed, bool shorts)
{
    *n = (struct net){ .seed = seed, .is_unsigned = !shorts && seed % 2, .shorts = shorts };
    n->x_zero = shorts ? 0 : random_zero(n);
    n->w_zero = n->is_unsigned ? random_zero(n) : 0;
    n->y_zero = shorts ? 0 : random_zero(n);
    n->batch = 1 + kit_below(&n->seed, 2);
    n->height = 1 + kit_below(&n->seed, 7);
    n->width = 1 + kit_below(&n->seed, 9);
    n->channels = PICK(n, 1, 2, 3, 4, 5, 7, 8, 16, 19, 32, 64, 67);
    n->outputs = PICK(n, 1, 3, 4, 5, 8, 17, 33, 67);
    n->kernel_h = n->kernel_w = n->stride_h = n->stride_w = n->dilation_h = n->dilation_w = 1;
    if (kit_below(&n->seed, 3) != 0) {
        n->kernel_h = PICK(n, 1, 2, 3);
        n->kernel_w = PICK(n, 3, 2);
        n->stride_h = PICK(n, 1, 2);
        n->stride_w = PICK(n, 1, 2, 3);
        if (kit_below(&n->seed, 3) == 0)
            n->dilation_h = n->dilation_w = 2;
    }
    n->padding = kit_below(&n->seed, 2);
    n->activation = PICK(n, 0, 0, 0, 1, 2, 3);
    n->biased = kit_below(&n->seed, 4) != 0;
}

/* ---- the text of a model ---- */

static void put_text(struct net *n)
{
    n->text = open_memstream(&n->chars, &n->count);
    assert_non_null(n->text);
}

static void put_window(const struct net *n, bool dilated, int multiplier)
{
    fprintf(n->text, "padding=%d stride_h=%d stride_w=%d fused_activation_function=%d", n->padding,
            n->stride_h, n->stride_w, n->activation);
    if (dilated)
        fprintf(n->text, " dilation_h_factor=%d dilation_w_factor=%d", n->dilation_h,
                n->dilation_w);
    if (multiplier)
        fprintf(n->text, " depth_multiplier=%d", multiplier);
    fputc('}', n->text);
}

static void put_dims(const struct net *n, int rank, const int32_t *dims)
{
    for (int i = 0; i < rank; i++)
        fprintf(n->text, "%c%d", i ? ',' : '[', dims[i]);
    fputc(']', n->text);
}

/* The activations: x with its shape, y with the one that follows. */
static void put_x(const struct net *n, int rank, const int32_t *dims)
{
    fprintf(n->text, " x:%s", n->shorts ? "i16" : byte_type(n));
    put_dims(n, rank, dims);
    fprintf(n->text, "q(%.9g,%d)", (double)n->x_scale, (int)n->x_zero);
}

/* Constants; i8 has one scale a channel of a dimension, or one; the first of them may be tiny. */
static void put_weights(struct net *n, int rank, const int32_t *dims, int dimension)
{
    const int channels = dims[dimension];
    float scales[256];
    int count = 1;

    assert_true(channels <= 256);
    fprintf(n->text, " %s", byte_type(n));
    put_dims(n, rank, dims);
    for (int i = 0; i < rank; i++)
        count *= dims[i];
    for (int i = 0; i < count; i++) {
        const int byte =
            kit_below(&n->seed, 16) == 0 ? (n->is_unsigned ? 255 : 128) : kit_below(&n->seed, 256);

        fprintf(n->text, "%c%d", i ? ',' : '=', n->is_unsigned ? byte : (int8_t)byte);
    }
    for (int i = 0; i < channels; i++)
        scales[i] = n->w_scale * (1.5f + 0.5f * kit_float(&n->seed));
    if (kit_below(&n->seed, 2))
        scales[0] *= 0x1p-30f;
    if (n->is_unsigned || kit_below(&n->seed, 3) == 0) {
        fprintf(n->text, "q(%.9g,%d)", (double)n->w_scale, (int)n->w_zero);
        return;
    }
    for (int i = 0; i < channels; i++)
        fprintf(n->text, "%s%.9g", i ? "|" : "q(", (double)scales[i]);
    for (int i = 0; i < channels; i++)
        fputs(i ? "|0" : ",0", n->text);
    fprintf(n->text, ",%d)", dimension);
}

/* A bias of 64 bits, as large as the sums, or as large as it may be. */
static int64_t wide_bias(struct net *n)
{
    const int64_t limit = INT64_C(1) << 46, value = kit_below(&n->seed, 1 << 24) - (1 << 23);

    if (kit_below(&n->seed, 16) == 0)
        return kit_below(&n->seed, 2) ? limit : -limit;
    return kit_below(&n->seed, 8) ? value : value * (1 << kit_below(&n->seed, 20));
}

/* The bias, where there is one, and the result.  i16 has an i64 bias, or an i32 one, which
 * DEPTHWISE_CONV_2D does not take. */
static bool net_end(struct net *n, struct model *m, int channels, bool depthwise)
{
    const bool wide = n->biased && n->shorts && (depthwise || kit_below(&n->seed, 4) != 0);

    if (n->biased)
        fprintf(n->text, " %s[%d]", wide ? "i64" : "i32", channels);
    for (int i = 0; n->biased && i < channels; i++)
        fprintf(n->text, "%c%" PRId64, i ? ',' : '=',
                wide                           ? wide_bias(n)
                : kit_below(&n->seed, 16) == 0 ? INT32_MAX - kit_below(&n->seed, 9)
                                               : kit_below(&n->seed, 8001) - 4000);
    if (n->biased && !wide)
        fprintf(n->text, "q(%.9g,0)", (double)(n->x_scale * n->w_scale));
    fprintf(n->text, " -> y:%sq(%.9g,%d)", n->shorts ? "i16" : byte_type(n), (double)n->y_scale,
            (int)n->y_zero);
    fclose(n->text);
    kit_text(m, "%s", n->chars);
    free(n->chars);
    return true;
}

/* ---- nodes ---- */

/* Outputs of a window; 0: it does not fit. */
static int window(int padding, int in, int kernel, int stride, int dilation)
{
    const int room = padding == SAME ? in : in - (kernel - 1) * dilation;

    return room <= 0 ? 0 : (room + stride - 1) / stride;
}

/* Whether its window fits an image. */
static bool fits(const struct net *n, int height, int width)
{
    return window(n->padding, height, n->kernel_h, n->stride_h, n->dilation_h) > 0 &&
           window(n->padding, width, n->kernel_w, n->stride_w, n->dilation_w) > 0;
}

static bool make_convolution(struct net *n, struct model *m, int groups)
{
    const int depth = n->channels, outputs = n->outputs * groups;

    if (!fits(n, n->height, n->width) || outputs > 256)
        return false;
    n->biased = true; /* CONV_2D has one always */
    random_scales(n, n->kernel_h * n->kernel_w * depth);
    put_text(n);
    fputs("CONV_2D {", n->text);
    put_window(n, true, 0);
    put_x(n, 4, (int32_t[]){ n->batch, n->height, n->width, depth * groups });
    put_weights(n, 4, (int32_t[]){ outputs, n->kernel_h, n->kernel_w, depth }, 0);
    return net_end(n, m, outputs, false);
}

bool net_make_conv(struct net *n, struct model *m)
{
    return make_convolution(n, m, 1);
}

bool net_make_grouped(struct net *n, struct model *m)
{
    return make_convolution(n, m, PICK(n, 2, 3, 5));
}

bool net_make_depthwise(struct net *n, struct model *m)
{
    const int picked = PICK(n, 1, 1, 1, 2, 3);
    const int outputs = n->channels * (n->multiplier > 0 ? n->multiplier : picked);

    if (!fits(n, n->height, n->width))
        return false;
    random_scales(n, n->kernel_h * n->kernel_w);
    put_text(n);
    fputs("DEPTHWISE_CONV_2D {", n->text);
    put_window(n, true, outputs / n->channels);
    put_x(n, 4, (int32_t[]){ n->batch, n->height, n->width, n->channels });
    put_weights(n, 4, (int32_t[]){ 1, n->kernel_h, n->kernel_w, outputs }, 3);
    return net_end(n, m, outputs, true);
}

/* A PAD before it, which the delegate makes part of the window: what is outside is then zero. */
bool net_make_padded(struct net *n, struct model *m)
{
    const bool depthwise = kit_below(&n->seed, 2);
    const int top = kit_below(&n->seed, 3), left = kit_below(&n->seed, 3);
    const int below = kit_below(&n->seed, 3), right = kit_below(&n->seed, 3);
    const int outputs = depthwise ? n->channels : n->outputs;

    n->padding = VALID;
    if (!fits(n, n->height + top + below, n->width + left + right))
        return false;
    n->biased |= !depthwise;
    random_scales(n, n->kernel_h * n->kernel_w * (depthwise ? 1 : n->channels));
    put_text(n);
    fputs("PAD", n->text);
    put_x(n, 4, (int32_t[]){ n->batch, n->height, n->width, n->channels });
    fprintf(n->text, " i32[4,2]=0,0,%d,%d,%d,%d,0,0 -> p:%sq(%.9g,%d)\n%s {", top, below, left,
            right, n->shorts ? "i16" : byte_type(n), (double)n->x_scale, (int)n->x_zero,
            depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D");
    put_window(n, true, depthwise);
    fputs(" p", n->text);
    if (depthwise)
        put_weights(n, 4, (int32_t[]){ 1, n->kernel_h, n->kernel_w, outputs }, 3);
    else
        put_weights(n, 4, (int32_t[]){ outputs, n->kernel_h, n->kernel_w, n->channels }, 0);
    return net_end(n, m, outputs, depthwise);
}

/* x of any shape, taken as rows. */
bool net_make_dense(struct net *n, struct model *m)
{
    const int rows = n->batch * n->height, depth = n->channels * n->width;
    const bool keep = kit_below(&n->seed, 2);

    random_scales(n, depth);
    put_text(n);
    fputs("FULLY_CONNECTED {", n->text);
    fprintf(n->text, "fused_activation_function=%d keep_num_dims=%s}", n->activation,
            keep ? "true" : "false");
    put_x(n, 3,
          keep ? (int32_t[]){ n->batch, n->height, depth }
               : (int32_t[]){ rows, n->width, n->channels });
    put_weights(n, 2, (int32_t[]){ n->outputs, depth }, 0);
    return net_end(n, m, n->outputs, false);
}

/* x is what a window makes of y. */
bool net_make_transpose(struct net *n, struct model *m)
{
    const int h = window(n->padding, n->height, n->kernel_h, n->stride_h, 1);
    const int w = window(n->padding, n->width, n->kernel_w, n->stride_w, 1);

    if (h == 0 || w == 0)
        return false;
    random_scales(n, n->kernel_h * n->kernel_w * n->channels);
    put_text(n);
    fputs("TRANSPOSE_CONV {", n->text);
    put_window(n, false, 0);
    fprintf(n->text, " i32[4]=%d,%d,%d,%d", n->batch, n->height, n->width, n->outputs);
    put_weights(n, 4, (int32_t[]){ n->outputs, n->kernel_h, n->kernel_w, n->channels }, 0);
    put_x(n, 4, (int32_t[]){ n->batch, h, w, n->channels });
    return net_end(n, m, n->outputs, false);
}

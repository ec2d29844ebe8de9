#include "delegate/ops/window.h"

static int64_t extent(int filter, int dilation)
{
    return ((int64_t)filter - 1) * dilation + 1;
}

static int64_t outputs(TfLitePadding padding, int64_t in, int filter, int stride, int dilation)
{
    const int64_t room = padding == kTfLitePaddingSame ? in : in - extent(filter, dilation) + 1;

    return room <= 0 ? 0 : (room + stride - 1) / stride;
}

static int32_t before(TfLitePadding padding, int64_t in, int64_t out, int filter, int stride,
                      int dilation)
{
    const int64_t total = (out - 1) * stride + extent(filter, dilation) - in;

    return padding == kTfLitePaddingSame && total > 0 ? (int32_t)(total / 2) : 0;
}

struct window_pads window_pads(const struct window *w, const struct graph_tensor *in,
                               const struct graph_tensor *out)
{
    return (struct window_pads){
        before(w->padding, in->dims[1], out->dims[1], w->filter_h, w->stride_h, w->dilation_h),
        before(w->padding, in->dims[2], out->dims[2], w->filter_w, w->stride_w, w->dilation_w)
    };
}

/* Beyond this neither the shaders' 32-bit coordinates nor a real model go. */
enum { MOST = 1 << 20 };

static bool check_size(struct check *c, const char *field, int value)
{
    if (value >= 1 && value <= MOST)
        return true;
    return refuse(c, RULE_WINDOW_SIZE, -1, field, "the model is malformed", "1 to 1048576", "%d",
                  value);
}

bool check_window(struct check *c, const struct window *w, int in, int out)
{
    const struct graph_tensor *x = &c->graph->tensors[in];
    const struct graph_tensor *y = &c->graph->tensors[out];
    int64_t want_h, want_w;

    if (w->padding != kTfLitePaddingSame && w->padding != kTfLitePaddingValid)
        return refuse(c, RULE_WINDOW_PADDING, -1, "padding", "the model is malformed",
                      "1 (SAME), 2 (VALID)", "%d", (int)w->padding);
    if (!check_size(c, "filter height", w->filter_h) ||
        !check_size(c, "filter width", w->filter_w) ||
        !check_size(c, "stride_height", w->stride_h) ||
        !check_size(c, "stride_width", w->stride_w) ||
        !check_size(c, "dilation_height_factor", w->dilation_h) ||
        !check_size(c, "dilation_width_factor", w->dilation_w))
        return false;
    if (extent(w->filter_h, w->dilation_h) > MOST || extent(w->filter_w, w->dilation_w) > MOST)
        return refuse(c, RULE_WINDOW_SIZE, -1, "dilated filter", "the model is malformed",
                      "1 to 1048576", "%lld x %lld", (long long)extent(w->filter_h, w->dilation_h),
                      (long long)extent(w->filter_w, w->dilation_w));
    want_h = outputs(w->padding, x->dims[1], w->filter_h, w->stride_h, w->dilation_h);
    want_w = outputs(w->padding, x->dims[2], w->filter_w, w->stride_w, w->dilation_w);
    if (x->dims[0] != y->dims[0] || y->dims[1] != want_h || y->dims[2] != want_w)
        return refuse(c, RULE_WINDOW_OUTPUT_SHAPE, out, "dims", "the model is malformed",
                      "what the window gives", "[%d,%d,%d,..], the window gives [%d,%lld,%lld,..]",
                      y->dims[0], y->dims[1], y->dims[2], x->dims[0], (long long)want_h,
                      (long long)want_w);
    return true;
}

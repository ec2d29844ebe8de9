/* Dynamic range, Winograd's tiles, and LSTM from the device's own sums. */
#include "conformance/suite/judge/node_limits.h"

#include "conformance/suite/cases/suite.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"
#include "reference/base/packed.h"

#include <math.h>
#include <string.h>

/* ---- dynamic range ---- */

size_t node_limits_parts(const TfLiteTensor *x, const TfLiteTensor *w)
{
    if (ref_rank(w) == 2 && ref_dim(w, 1) > 0)
        return ref_elements(x) / (size_t)ref_dim(w, 1);
    return ref_rank(x) > 0 ? (size_t)ref_dim(x, 0) : 1;
}

/* Sets every activation to half a step of its part, 1 % more for the rounding of the step. */
static void fill_half_steps(float *x, const float *saved, size_t count, size_t parts)
{
    const size_t part = parts > 0 ? count / parts : 0;

    for (size_t p = 0; p < parts; p++) {
        double largest = 0;

        for (size_t i = p * part; i < (p + 1) * part; i++)
            largest = fmax(largest, fabs(saved[i]));
        for (size_t i = p * part; i < (p + 1) * part; i++)
            x[i] = (float)(largest / 127 / 2 * 1.01);
    }
}

/* Half a step of each activation times the sum of |weights| is the reference's magnitude where the
 * activations are half a step, less that where all are 0, which is the bias. */
static enum status sum_half_steps(struct interpreter *in, int node, TfLiteTensor *x,
                                  const float *saved, size_t parts, double *added, double *scratch,
                                  struct diag *diag)
{
    const TfLiteTensor *const y =
        interpreter_tensor(in, interpreter_node(in, node)->outputs->data[0]);
    struct ref_detail detail = { .magnitude = added };

    fill_half_steps(x->data.f, saved, ref_elements(x), parts);
    TRY(interpreter_eval_node(in, node, &detail, diag));
    memset(x->data.f, 0, x->bytes);
    detail.magnitude = scratch;
    TRY(interpreter_eval_node(in, node, &detail, diag));
    for (size_t i = 0; i < ref_elements(y); i++)
        added[i] -= scratch[i];
    return STATUS_OK;
}

/* The full LSTM and SVDF, which have a state, add half steps up themselves: ref_detail.rounded. */
enum { LSTM_WEIGHTS = 4 }; /* of the output gate, which is always there */

static bool is_full_lstm(struct interpreter *in, int node)
{
    const struct suite_member *const member =
        suite_find_member(interpreter_node_op(in, node)->code);

    return member &&
           (member->bound.kind == BOUND_LSTM_FULL ||
            (member->bound.kind == BOUND_LSTM && interpreter_node(in, node)->outputs->size == 1));
}

/* Scales of blocks in bf16 (TOLERANCES.md 8). */
static enum status add_scales(struct interpreter *in, int node, double *added, double *scratch,
                              struct diag *diag)
{
    const TfLiteTensor *const y =
        interpreter_tensor(in, interpreter_node(in, node)->outputs->data[0]);
    struct ref_detail detail = { .magnitude = scratch };

    TRY(interpreter_eval_node(in, node, &detail, diag));
    for (size_t i = 0; i < ref_elements(y); i++)
        added[i] += 0x1p-9 * scratch[i];
    return STATUS_OK;
}

enum status node_limits_hybrid(struct interpreter *in, int node, bool packed, double **added,
                               struct diag *diag)
{
    const TfLiteNode *const abi = interpreter_node(in, node);
    const struct op_facts *const facts = op_facts_find(interpreter_node_op(in, node)->code);
    const int first = facts && facts->first < abi->inputs->size ? facts->first : 0;
    const int second = abi->inputs->size > 1 ? abi->inputs->data[1] : -1;
    TfLiteTensor *const x = interpreter_tensor(in, abi->inputs->data[first]);
    const TfLiteTensor *const w = second >= 0 ? interpreter_tensor(in, second) : NULL;
    const size_t count = ref_elements(interpreter_tensor(in, abi->outputs->data[0]));
    double *scratch;
    float *saved;
    enum status s;

    *added = NULL;
    if (facts && facts->state != 0) {
        const int weights =
            abi->inputs->data[is_full_lstm(in, node) ? LSTM_WEIGHTS : facts->weights];

        if (x->type == kTfLiteFloat32 && interpreter_tensor(in, weights)->type == kTfLiteInt8 &&
            !(*added = mem_alloc(count ? count : 1, sizeof **added)))
            return diag_fail(diag, STATUS_NO_MEMORY, "node %d: no memory", node);
        return STATUS_OK;
    }
    if (x->type != kTfLiteFloat32 || !w || x->bytes == 0 ||
        !(w->type == kTfLiteInt8 || (packed && packed_bits(w->type) > 0)))
        return STATUS_OK;
    saved = mem_alloc(x->bytes, 1);
    scratch = mem_alloc(count ? count : 1, sizeof *scratch);
    *added = mem_alloc(count ? count : 1, sizeof **added);
    if (!saved || !scratch || !*added) {
        s = diag_fail(diag, STATUS_NO_MEMORY, "node %d: no memory", node);
    } else {
        memcpy(saved, x->data.f, x->bytes);
        s = sum_half_steps(in, node, x, saved, node_limits_parts(x, w), *added, scratch, diag);
        memcpy(x->data.f, saved, x->bytes);
        if (s == STATUS_OK && w->quantization.type == kTfLiteBlockwiseQuantization)
            s = add_scales(in, node, *added, scratch, diag);
    }
    mem_free(saved);
    mem_free(scratch);
    if (s != STATUS_OK) {
        mem_free(*added);
        *added = NULL;
    }
    return s;
}

/* ---- Winograd ---- */

enum { TILE = 4, TILE_ELEMENTS = TILE * TILE, TILE_OUT = 2 };

/* The magnitudes of B transposed, G and A transposed of F(2, 3). */
static const double data_rows[TILE][TILE] = {
    { 1, 0, 1, 0 }, { 0, 1, 1, 0 }, { 0, 1, 1, 0 }, { 0, 1, 0, 1 }
};
static const double weight_rows[TILE][3] = {
    { 1, 0, 0 }, { 0.5, 0.5, 0.5 }, { 0.5, 0.5, 0.5 }, { 0, 0, 1 }
};
static const double result_rows[TILE_OUT][TILE] = { { 1, 1, 1, 0 }, { 0, 1, 1, 1 } };

/* y = |M| x |M| transposed, for x of n by n and M of `rows` by n, both by rows. */
static void transform(const double *m, int rows, int n, const double *x, double *y)
{
    double half[TILE * TILE] = { 0 };

    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < n; c++) {
            for (int k = 0; k < n; k++)
                half[r * n + c] += m[r * n + k] * x[k * n + c];
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < rows; c++) {
            y[r * rows + c] = 0;
            for (int k = 0; k < n; k++)
                y[r * rows + c] += half[r * n + k] * m[c * n + k];
        }
    }
}

struct conv {
    const TfLiteTensor *x, *w, *y;
    const float *bias; /* NULL: none */
    int before_h, before_w;
    size_t depth, groups;
};

/* The transformed weights of [output][channel], TILE_ELEMENTS each. */
static double *weight_tiles(const struct conv *c)
{
    const size_t outputs = (size_t)ref_dim(c->w, 0);
    double *const tiles = mem_alloc(outputs * c->depth, TILE_ELEMENTS * sizeof *tiles);

    for (size_t o = 0; tiles && o < outputs; o++) {
        for (size_t i = 0; i < c->depth; i++) {
            double g[9];

            for (size_t k = 0; k < 9; k++)
                g[k] = fabs((double)c->w->data.f[(o * 9 + k) * c->depth + i]);
            transform(weight_rows[0], TILE, 3, g, tiles + (o * c->depth + i) * TILE_ELEMENTS);
        }
    }
    return tiles;
}

/* The transformed data of the tile whose results begin at (oy, ox), of all channels. */
static void data_tile(const struct conv *c, size_t image, int oy, int ox, double *tiles)
{
    const int height = ref_dim(c->x, 1), width = ref_dim(c->x, 2);
    const size_t channels = (size_t)ref_dim(c->x, 3);

    for (size_t i = 0; i < channels; i++) {
        double d[TILE_ELEMENTS] = { 0 };

        for (int k = 0; k < TILE_ELEMENTS; k++) {
            const int y = oy - c->before_h + k / TILE, x = ox - c->before_w + k % TILE;
            const size_t row = (image * (size_t)height + (size_t)y) * (size_t)width;

            if (y >= 0 && y < height && x >= 0 && x < width)
                d[k] = fabs((double)c->x->data.f[(row + (size_t)x) * channels + i]);
        }
        transform(data_rows[0], TILE, TILE, d, tiles + i * TILE_ELEMENTS);
    }
}

/* The magnitudes of the results of one tile of output channel o. */
static void result_tile(const struct conv *c, size_t o, const double *weights, const double *data,
                        double *magnitude)
{
    const size_t group_outputs = (size_t)ref_dim(c->w, 0) / c->groups;
    const double *const u = data + o / group_outputs * c->depth * TILE_ELEMENTS;
    const double *const v = weights + o * c->depth * TILE_ELEMENTS;
    double sums[TILE_ELEMENTS] = { 0 }, half[TILE_OUT * TILE] = { 0 };

    for (size_t i = 0; i < c->depth * TILE_ELEMENTS; i++)
        sums[i % TILE_ELEMENTS] += v[i] * u[i];
    for (int r = 0; r < TILE_OUT; r++) {
        for (int k = 0; k < TILE_ELEMENTS; k++)
            half[r * TILE + k % TILE] += result_rows[r][k / TILE] * sums[k];
    }
    for (int r = 0; r < TILE_OUT * TILE_OUT; r++) {
        magnitude[r] = c->bias ? fabs((double)c->bias[o]) : 0;
        for (int k = 0; k < TILE; k++)
            magnitude[r] += half[r / TILE_OUT * TILE + k] * result_rows[r % TILE_OUT][k];
    }
}

static void store_tile(const struct conv *c, size_t image, int oy, int ox, size_t o,
                       const double *magnitude, const struct ref_detail *detail)
{
    const int height = ref_dim(c->y, 1), width = ref_dim(c->y, 2);

    for (int r = 0; r < TILE_OUT * TILE_OUT; r++) {
        const int y = oy + r / TILE_OUT, x = ox + r % TILE_OUT;
        const size_t row = (image * (size_t)height + (size_t)y) * (size_t)width;
        const size_t at = (row + (size_t)x) * (size_t)ref_dim(c->y, 3) + o;

        if (y >= height || x >= width)
            continue;
        detail->magnitude[at] = magnitude[r];
        /* Four roundings of the data and weights, and four of the results, beside the sum's. */
        detail->terms[at] = (double)c->depth + 9;
    }
}

static bool is_winograd(struct interpreter *in, int node, struct conv *c)
{
    const TfLiteNode *const abi = interpreter_node(in, node);
    const struct suite_member *const member =
        suite_find_member(interpreter_node_op(in, node)->code);
    const TfLiteConvParams *const p = abi->builtin_data;
    const int bias = abi->inputs->size > 2 ? abi->inputs->data[2] : -1;
    struct ref_window h, w;

    if (!member || !member->winograd)
        return false;
    c->x = interpreter_tensor(in, abi->inputs->data[0]);
    c->w = interpreter_tensor(in, abi->inputs->data[1]);
    c->y = interpreter_tensor(in, abi->outputs->data[0]);
    if (c->x->type != kTfLiteFloat32 || c->w->type != kTfLiteFloat32 || ref_dim(c->w, 1) != 3 ||
        ref_dim(c->w, 2) != 3 || p->stride_height != 1 || p->stride_width != 1 ||
        p->dilation_height_factor != 1 || p->dilation_width_factor != 1 ||
        !ref_window(p->padding, ref_dim(c->x, 1), 3, 1, 1, &h) ||
        !ref_window(p->padding, ref_dim(c->x, 2), 3, 1, 1, &w))
        return false;
    c->bias = bias >= 0 ? interpreter_tensor(in, bias)->data.f : NULL;
    c->before_h = h.before;
    c->before_w = w.before;
    c->depth = (size_t)ref_dim(c->w, 3);
    c->groups = c->depth > 0 ? (size_t)ref_dim(c->x, 3) / c->depth : 0;
    return c->groups > 0 && ref_elements(c->y) > 0;
}

enum status node_limits_winograd(struct interpreter *in, int node, const struct ref_detail *detail,
                                 bool *tiles, struct diag *diag)
{
    struct conv c;
    double magnitude[TILE_OUT * TILE_OUT], *weights, *data;

    *tiles = is_winograd(in, node, &c);
    if (!*tiles)
        return STATUS_OK;
    weights = weight_tiles(&c);
    data = mem_alloc((size_t)ref_dim(c.x, 3), TILE_ELEMENTS * sizeof *data);
    for (size_t n = 0; weights && data && n < (size_t)ref_dim(c.y, 0); n++) {
        for (int oy = 0; oy < ref_dim(c.y, 1); oy += TILE_OUT) {
            for (int ox = 0; ox < ref_dim(c.y, 2); ox += TILE_OUT) {
                data_tile(&c, n, oy, ox, data);
                for (size_t o = 0; o < (size_t)ref_dim(c.y, 3); o++) {
                    result_tile(&c, o, weights, data, magnitude);
                    store_tile(&c, n, oy, ox, o, magnitude, detail);
                }
            }
        }
    }
    mem_free(weights);
    mem_free(data);
    return weights && data
               ? STATUS_OK
               : diag_fail(diag, STATUS_NO_MEMORY, "node %d: no memory for tiles", node);
}

/* ---- LSTM ---- */

void node_limits_lstm(enum bounds bounds, const struct node_lstm *got, size_t batch, size_t cells,
                      const struct ref_detail *detail)
{
    enum { H, C };

    for (size_t at = 0; at < batch * cells; at++) {
        const float *const z = got->z + at / cells * 4 * cells + at % cells;
        const double gates[] = { z[0], z[cells], z[2 * cells] };
        struct bound_point p;

        p = bound_lstm_c(bounds, gates, got->c_prev[at]);
        detail[C].value[at] = p.value;
        detail[C].magnitude[at] = p.magnitude;
        p = bound_lstm_h(bounds, z[3 * cells], got->c[at]);
        detail[H].value[at] = p.value;
        detail[H].magnitude[at] = p.magnitude;
    }
}

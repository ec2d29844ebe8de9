#include "delegate/ops/product/gemm.h"
#include "delegate/vulkan/selftest.h"
#include "delegate/vulkan/selftest_product.h"

#include <string.h>

/* A 1x1 convolution: pixels, sum and outputs end within a tile. */
enum { PIXELS = 37, DEPTH = 38, OUTPUTS = 19 };
struct product {
    float x[PIXELS][DEPTH], w[OUTPUTS][DEPTH], y[PIXELS][OUTPUTS];
};

/* Sets p->y to what the device computes with these limits. */
static enum status run(struct device *d, const struct device_limits *limits,
                       enum gpu_precision precision, struct product *p, struct diag *diag)
{
    /* The executor's memory holds f32.  Of tiles the smallest, on any device. */
    const struct gpu_options options = { .precision = precision,
                                         .gemm_tile = (int)gemm_tile_count,
                                         .no_kernel = 1u << KERNEL_half_rows };
    const struct selftest_product product = { .type = kTfLiteFloat32,
                                              .pixels = PIXELS,
                                              .depth = DEPTH,
                                              .outputs = OUTPUTS,
                                              .x = p->x,
                                              .w = p->w,
                                              .y = p->y,
                                              .bounded = precision == PRECISION_FAST };

    return selftest_run(d, limits, &options, NULL, &product, diag);
}

bool selftest_matrix_order(struct device_matrix *m, const float *places)
{
    const uint32_t count = m->tile * m->tile;
    bool seen[MATRIX_ELEMENTS_MAX] = { false };

    for (uint32_t i = 0; i < count; i++) {
        const float place = places[i];

        if (!(place >= 0 && place < (float)count) || place != (float)(int)place || seen[(int)place])
            return false;
        seen[(int)place] = true;
        m->order[(int)place] = (uint8_t)i;
    }
    return true;
}

/* A factor whose elements are their places in memory, times ones: the product says where each
 * element was read from.  m->fragments becomes false if not all were. */
static enum status find_order(struct device *d, struct device_limits *limits, struct product *p,
                              struct diag *diag)
{
    struct device_matrix *m = &limits->matrix;
    const uint32_t tile = m->tile;
    float places[MATRIX_ELEMENTS_MAX];

    m->fragments = tile * tile == 8 * m->subgroup_size;
    if (!m->fragments)
        return STATUS_OK;
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < tile * tile; i++) {
        m->order[i] = (uint8_t)i;
        p->w[i % tile][i / tile] = (float)i;
    }
    for (uint32_t i = 0; i < tile; i++)
        p->x[i][i] = 1;
    TRY(run(d, limits, PRECISION_FP16, p, diag));
    for (uint32_t i = 0; i < tile * tile; i++)
        places[i] = p->y[i / tile][i % tile];
    m->fragments = selftest_matrix_order(m, places);
    return STATUS_OK;
}

/* Small integers, whose sums are exact in f32, and in f16 but for the first pixels: 4096 comes and
 * goes there, and what is added to it between would be rounded in f16. */
static void fill(struct product *p)
{
    for (int i = 0; i < PIXELS; i++)
        for (int k = 0; k < DEPTH; k++)
            p->x[i][k] = (float)((i * 5 + k * 3) % 7 - 3);
    for (int o = 0; o < OUTPUTS; o++)
        for (int k = 0; k < DEPTH; k++)
            p->w[o][k] = (float)((o * 3 + k * 11) % 9 - 4);
    for (int o = 0; o < OUTPUTS; o++)
        p->w[o][0] = p->w[o][DEPTH - 1] = 2;
    for (int i = 0; i < 3; i++) {
        p->x[i][0] = 2048;
        p->x[i][DEPTH - 1] = -2048;
    }
}

/* Fails unless y is the product of x and w, which are small integers. */
static enum status check(const struct device *d, const char *what, const struct product *p,
                         struct diag *diag)
{
    for (int i = 0; i < PIXELS; i++)
        for (int o = 0; o < OUTPUTS; o++) {
            float sum = 0;

            for (int k = 0; k < DEPTH; k++)
                sum += p->x[i][k] * p->w[o][k];
            if (p->y[i][o] != sum)
                return diag_fail(diag, STATUS_NO_DEVICE, "device '%s': %s: expected %g, found %g",
                                 d->info.name, what, (double)sum, (double)p->y[i][o]);
        }
    return STATUS_OK;
}

static enum status test_product(struct device *d, const struct device_limits *limits,
                                struct product *p, struct diag *diag)
{
    fill(p);
    TRY(run(d, limits, PRECISION_FP16, p, diag));
    return check(d, "matrix units", p, diag);
}

static enum status test(struct device *d, struct diag *diag)
{
    struct device_limits limits = d->limits;
    struct product p;
    enum status s;

    TRY(find_order(d, &limits, &p, diag));
    s = test_product(d, &limits, &p, diag);
    /* The order may be found and components be set wrong nevertheless. */
    if (s == STATUS_NO_DEVICE && limits.matrix.fragments) {
        limits.matrix.fragments = false;
        s = test_product(d, &limits, &p, diag);
    }
    if (s == STATUS_OK)
        d->limits.matrix = limits.matrix;
    return s;
}

enum status selftest_matrix(struct device *d, struct diag *diag)
{
    enum status s = STATUS_OK;

    lock_acquire(&d->selftest_lock);
    if (!d->matrix_tested && d->limits.matrix.kind != MATRIX_NONE) {
        s = test(d, diag);
        d->matrix_tested = s == STATUS_OK || s == STATUS_NO_DEVICE;
        if (s == STATUS_NO_DEVICE)
            d->limits.matrix.kind = MATRIX_NONE;
    }
    lock_release(&d->selftest_lock);
    return s;
}

/* ---- sums of products in f16 ---- */

/* Integers from 0 to 6, with which every sum is exact in f16. */
static enum status test_half_sums(struct device *d, struct diag *diag)
{
    struct device_limits limits = d->limits;
    struct product p;

    limits.matrix.kind = MATRIX_NONE;
    fill(&p);
    for (int i = 0; i < PIXELS; i++)
        for (int k = 0; k < DEPTH; k++)
            p.x[i][k] = (float)((i * 5 + k * 3) % 7);
    TRY(run(d, &limits, PRECISION_FAST, &p, diag));
    return check(d, "f16 sums", &p, diag);
}

enum status selftest_half_sums(struct device *d, struct diag *diag)
{
    enum status s = STATUS_OK;

    lock_acquire(&d->selftest_lock);
    if (!d->half_sums_tested && d->limits.shader_float16) {
        s = test_half_sums(d, diag);
        d->half_sums_tested = s == STATUS_OK || s == STATUS_NO_DEVICE;
        if (s == STATUS_NO_DEVICE)
            d->limits.shader_float16 = false;
    }
    lock_release(&d->selftest_lock);
    return s;
}

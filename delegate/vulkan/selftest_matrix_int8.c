#include "delegate/vulkan/selftest.h"
#include "delegate/vulkan/selftest_product.h"

#include "reference/base/fixed_point.h"

#include <string.h>

/* Pixels, sum and outputs end within a tile of 16 x 32 by 32 x 16. */
enum { PIXELS = 37, DEPTH = 46, OUTPUTS = 19, ROWS = 32, COLUMNS = MATRIX_TILE_MAX };
enum { ELEMENTS = ROWS * COLUMNS, PLACE_BITS = 4 };
static const struct fixed_multiplier factor = { 1 << 30, -9 }; /* 2^-10 */

struct product {
    int8_t x[PIXELS][DEPTH], w[OUTPUTS][DEPTH], y[PIXELS][OUTPUTS];
};

static enum status run(struct device *d, const struct device_limits *limits, struct product *p,
                       float scale, struct diag *diag)
{
    static const struct gpu_options options = { .workgroup_variant = 1 }; /* however small it is */
    const struct selftest_product product = { .type = kTfLiteInt8,
                                              .pixels = PIXELS,
                                              .depth = DEPTH,
                                              .outputs = OUTPUTS,
                                              .weight_scale = scale,
                                              .x = p->x,
                                              .w = p->w,
                                              .y = p->y };

    return selftest_run(d, limits, &options, NULL, &product, diag);
}

/* A factor whose elements are digits of their places in memory, times ones: the product says where
 * each element was read from.  m->byte_fragments becomes false if not all were. */
static enum status find_order(struct device *d, struct device_limits *limits, struct product *p,
                              struct diag *diag)
{
    struct device_matrix *m = &limits->matrix;
    uint32_t places[ELEMENTS] = { 0 };
    bool seen[ELEMENTS] = { false };

    m->byte_fragments = true;
    for (uint32_t i = 0; i < ELEMENTS; i++)
        m->byte_order[i] = (uint16_t)i;
    for (uint32_t shift = 0; 1u << shift < ELEMENTS; shift += PLACE_BITS) {
        memset(p, 0, sizeof *p);
        for (uint32_t i = 0; i < ELEMENTS; i++)
            p->w[i % COLUMNS][i / COLUMNS] = (int8_t)(i >> shift & ((1u << PLACE_BITS) - 1));
        for (uint32_t i = 0; i < ROWS; i++)
            p->x[i][i] = 1;
        TRY(run(d, limits, p, 1, diag));
        for (uint32_t i = 0; i < ELEMENTS; i++)
            places[i] |= (uint32_t)(uint8_t)p->y[i / COLUMNS][i % COLUMNS] << shift;
    }
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        m->byte_fragments =
            m->byte_fragments && places[i] < ELEMENTS && !seen[places[i] % ELEMENTS];
        seen[places[i] % ELEMENTS] = true;
        m->byte_order[places[i] % ELEMENTS] = (uint16_t)i;
    }
    return STATUS_OK;
}

/* Bytes that include both ends of the range, whose sums need 22 bits. */
static void fill(struct product *p)
{
    for (int i = 0; i < PIXELS; i++)
        for (int k = 0; k < DEPTH; k++)
            p->x[i][k] = (int8_t)(i == 0 ? -128 : i == 1 ? 127 : (k * 89 + i * 151) % 256 - 128);
    for (int o = 0; o < OUTPUTS; o++)
        for (int k = 0; k < DEPTH; k++)
            p->w[o][k] = (int8_t)(o == 0   ? -128
                                  : o == 1 ? (k % 8 < 4 ? 127 : -128)
                                           : (k * 53 + o * 197) % 256 - 128);
}

static enum status test_product(struct device *d, const struct device_limits *limits,
                                struct product *p, struct diag *diag)
{
    fill(p);
    TRY(run(d, limits, p, 0x1p-10f, diag));
    for (int i = 0; i < PIXELS; i++)
        for (int o = 0; o < OUTPUTS; o++) {
            int32_t sum = 0, y;

            for (int k = 0; k < DEPTH; k++)
                sum += p->x[i][k] * p->w[o][k];
            y = fixed_clamp(fixed_multiply(sum, factor),
                            (struct fixed_range){ INT8_MIN, INT8_MAX });
            if (p->y[i][o] != y)
                return diag_fail(diag, STATUS_NO_DEVICE,
                                 "device '%s': matrix units, bytes: expected %d, found %d",
                                 d->info.name, y, p->y[i][o]);
        }
    return STATUS_OK;
}

static enum status test(struct device *d, struct diag *diag)
{
    struct device_limits limits = d->limits;
    struct product p;
    enum status s;

    TRY(find_order(d, &limits, &p, diag));
    s = test_product(d, &limits, &p, diag);
    /* The order may be found and components be set wrong nevertheless. */
    if (s == STATUS_NO_DEVICE && limits.matrix.byte_fragments) {
        limits.matrix.byte_fragments = false;
        s = test_product(d, &limits, &p, diag);
    }
    if (s == STATUS_OK)
        d->limits.matrix = limits.matrix;
    return s;
}

enum status selftest_matrix_int8(struct device *d, struct diag *diag)
{
    enum status s = STATUS_OK;

    lock_acquire(&d->selftest_lock);
    if (!d->matrix_int8_tested && d->limits.matrix.bytes) {
        s = test(d, diag);
        d->matrix_int8_tested = s == STATUS_OK || s == STATUS_NO_DEVICE;
        if (s == STATUS_NO_DEVICE)
            d->limits.matrix.bytes = false;
    }
    lock_release(&d->selftest_lock);
    return s;
}

/* 8-bit ops that look at many elements at once, on the device: SOFTMAX, MEAN, RESIZE_BILINEAR.
 * Skipped where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

static const char *const types[] = { "i8", "u8" };

static void softmax_of(struct exact_model *m, const char *type, double beta, double scale,
                       int32_t rows, int32_t channels)
{
    const int least = type[0] == 'i' ? -128 : 0;
    const struct exact_quant q = { scale, kit_below(&m->random, 256) + least };
    const int32_t dims[] = { rows, channels };

    exact_add(m, "SOFTMAX {beta=%.9g} %s -> y:%s", beta, exact_text(type, q, 2, dims),
              exact_text(type, (struct exact_quant){ 1. / 256, least }, -1, NULL));
}

EXACT_TEST(softmax, "fp32", 1, 90)
{
    static const double scales[] = { 1e-7, 1e-4, 0.004, 0.0237, 0.1, 0.5, 1.7, 20, 1000 };

    softmax_of(m, types[seed % 2], seed % 5 ? 1 : exp2(kit_float(&m->random) * 4), scales[seed % 9],
               1 + kit_below(&m->random, 40), 1 + kit_below(&m->random, 300));
}

static void fill_equal(struct interpreter *in, uint64_t seed)
{
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);
    TfLiteTensor *const t = interpreter_tensor(in, inputs[0]);

    memset(t->data.raw, (int)(seed % 256), t->bytes);
}

/* Sums to the end of what fixed point has, and beyond. */
EXACT_TEST(long_rows, "fp32", 0, 17)
{
    static const int32_t channels[] = { 255, 256, 257, 511, 512, 513, 1001, 9000, 20000 };

    softmax_of(m, types[seed % 2], 1, seed % 3 ? 0.01 : 0.3, 2, channels[seed / 2]);
    m->fill = seed % 2 ? NULL : fill_equal;
}

EXACT_TEST(mean, "fp32", 1, 120)
{
    const char *const type = types[seed % 2];
    const int rank = 1 + (int)(seed % 5);
    const char *x, *y;
    int32_t in[5], axes[5], count = 0;

    for (int i = 0; i < rank; i++) {
        in[i] = 1 + kit_below(&m->random, i == rank - 1 ? 67 : 9);
        if (kit_below(&m->random, 2) || (i == rank - 1 && count == 0))
            axes[count++] = kit_below(&m->random, 2) ? i : i - rank;
    }
    x = exact_text(type, exact_random_quant(&m->random, type), rank, in);
    y = exact_text(type, exact_random_quant(&m->random, type), -1, NULL);
    exact_add(m, "MEAN {keep_dims=%s} %s %s -> y:%s", seed % 3 == 0 ? "true" : "false", x,
              exact_ints(1, &count, axes), y);
}

static void resize(struct exact_model *m, const char *type, const char *options, const int32_t *in,
                   int32_t h, int32_t w)
{
    const struct exact_quant q = exact_random_quant(&m->random, type);

    exact_add(m, "RESIZE_BILINEAR {%s} %s i32[2]=%d,%d -> y:%s", options,
              exact_text(type, q, 4, in), h, w, exact_text(type, q, -1, NULL));
}

EXACT_TEST(resize_bilinear, "fp32", 1, 120)
{
    static const char *const options[] = { "", "align_corners=true", "half_pixel_centers=true" };
    const int32_t in[] = { 1 + kit_below(&m->random, 2), 1 + kit_below(&m->random, 24),
                           1 + kit_below(&m->random, 24), 1 + kit_below(&m->random, 9) };

    resize(m, types[seed % 2], options[seed / 2 % 3], in, 1 + kit_below(&m->random, 50),
           1 + kit_below(&m->random, 50));
}

/* Enlargements whose rounded scale runs behind the last pixel: the last one is repeated.  There is
 * no case of them, since the runtime itself reads behind the row. */
EXACT_TEST(resize_drifts, "fp32", 0, 11)
{
    static const int32_t sizes[][4] = { /* h and w of the input, and of the output */
                                        { 1, 7, 1, 4099 },    { 7, 1, 4099, 1 },
                                        { 1, 5, 1, 1100 },    { 4, 5, 150, 1100 },
                                        { 900, 3, 901, 601 }, { 1, 3, 1, 70001 }
    };
    const int32_t *const size = sizes[seed / 2];

    resize(m, types[seed % 2], "", (const int32_t[]){ 1, size[0], size[1], 3 }, size[2], size[3]);
}

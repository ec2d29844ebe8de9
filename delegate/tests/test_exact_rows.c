/* 8-bit ops that look at many elements at once, on the device: SOFTMAX, MEAN, RESIZE_BILINEAR.
 * Skipped where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

static const int32_t types[] = { TENSOR_INT8, TENSOR_UINT8 };

static void softmax_of(struct exact_model *m, TfLiteDelegate *d, int32_t type, double beta,
                       double scale, int32_t rows, int32_t channels,
                       void (*fill)(struct interpreter *, uint64_t))
{
    const int least = type == TENSOR_INT8 ? -128 : 0;
    const struct exact_quant q = { scale, kit_below(&m->random, 256) + least };
    const int32_t dims[] = { rows, channels };
    struct options o;
    const int x = exact_tensor(m, type, q, 2, dims);
    const int y = exact_tensor(m, type, (struct exact_quant){ 1. / 256, least }, 2, dims);

    snprintf(m->label, sizeof m->label, "beta %g, scale %g, %d x %d", beta, scale, rows, channels);
    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", (float)beta);
    builder_op(&m->b, BUILTIN_SOFTMAX, 1, &o, 1, &x, 1, &y);
    builder_inputs(&m->b, 1, &x);
    builder_outputs(&m->b, 1, &y);
    exact_check(m, d, 1, fill);
}

TEST(softmax)
{
    static const double scales[] = { 1e-7, 1e-4, 0.004, 0.0237, 0.1, 0.5, 1.7, 20, 1000 };
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 90; seed++) {
        struct exact_model m;

        exact_begin(&m, seed);
        softmax_of(&m, d, types[seed % 2], seed % 5 ? 1 : exp2(kit_float(&m.random) * 4),
                   scales[seed % 9], 1 + kit_below(&m.random, 40), 1 + kit_below(&m.random, 300),
                   NULL);
    }
    tflite_plugin_destroy_delegate(d);
}

static void fill_equal(struct interpreter *in, uint64_t seed)
{
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);
    TfLiteTensor *const t = interpreter_tensor(in, inputs[0]);

    memset(t->data.raw, (int)(seed % 256), t->bytes);
}

/* Sums to the end of what fixed point has, and beyond. */
TEST(long_rows)
{
    static const int32_t channels[] = { 255, 256, 257, 511, 512, 513, 1001, 9000, 20000 };
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (size_t i = 0; i < 2 * sizeof channels / sizeof channels[0]; i++) {
        struct exact_model m;

        exact_begin(&m, i + 1);
        softmax_of(&m, d, types[i % 2], 1, i % 3 ? 0.01 : 0.3, 2, channels[i / 2],
                   i % 2 ? NULL : fill_equal);
    }
    tflite_plugin_destroy_delegate(d);
}

TEST(mean)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 120; seed++) {
        const int32_t type = types[seed % 2];
        const int rank = 1 + (int)(seed % 5);
        const bool keep = seed % 3 == 0;
        int32_t in[5], out[5], axes[5];
        int out_rank = 0, count = 0, x, a, y;
        struct exact_model m;
        struct options o;

        exact_begin(&m, seed);
        for (int i = 0; i < rank; i++) {
            in[i] = 1 + kit_below(&m.random, i == rank - 1 ? 67 : 9);
            if (kit_below(&m.random, 2) || (i == rank - 1 && count == 0)) {
                axes[count++] = kit_below(&m.random, 2) ? i : i - rank;
                if (keep)
                    out[out_rank++] = 1;
            } else {
                out[out_rank++] = in[i];
            }
        }
        x = exact_tensor(&m, type, exact_random_quant(&m.random, type), (size_t)rank, in);
        y = exact_tensor(&m, type, exact_random_quant(&m.random, type), (size_t)out_rank, out);
        a = builder_constant(&m.b, TENSOR_INT32, "a", 1, (int32_t[]){ count }, axes,
                             (size_t)count * 4);
        options_init(&o, OPTIONS_ReducerOptions);
        options_set_int(&o, "keep_dims", keep);
        builder_op(&m.b, BUILTIN_MEAN, 1, &o, 2, (int[]){ x, a }, 1, &y);
        builder_inputs(&m.b, 1, &x);
        builder_outputs(&m.b, 1, &y);
        exact_check(&m, d, 1, NULL);
    }
    tflite_plugin_destroy_delegate(d);
}

TEST(resize_bilinear)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 120; seed++) {
        const int32_t type = types[seed % 2];
        int32_t in[4], out[4];
        struct exact_quant q;
        struct exact_model m;
        struct options o;
        int x, k, y;

        exact_begin(&m, seed);
        q = exact_random_quant(&m.random, type);
        in[0] = out[0] = 1 + kit_below(&m.random, 2);
        in[3] = out[3] = 1 + kit_below(&m.random, 9);
        for (int i = 1; i < 3; i++) {
            in[i] = 1 + kit_below(&m.random, 24);
            out[i] = 1 + kit_below(&m.random, 50);
        }
        x = exact_tensor(&m, type, q, 4, in);
        y = exact_tensor(&m, type, q, 4, out);
        k = builder_constant(&m.b, TENSOR_INT32, "k", 1, (int32_t[]){ 2 }, out + 1, 8);
        options_init(&o, OPTIONS_ResizeBilinearOptions);
        options_set_int(&o, "align_corners", seed / 2 % 3 == 1);
        options_set_int(&o, "half_pixel_centers", seed / 2 % 3 == 2);
        builder_op(&m.b, BUILTIN_RESIZE_BILINEAR, 1, &o, 2, (int[]){ x, k }, 1, &y);
        builder_inputs(&m.b, 1, &x);
        builder_outputs(&m.b, 1, &y);
        exact_check(&m, d, 1, NULL);
    }
    tflite_plugin_destroy_delegate(d);
}

/* Enlargements whose rounded scale runs behind the last pixel: the last one is repeated.  There is
 * no case of them, since the runtime itself reads behind the row. */
TEST(resize_drifts)
{
    static const int32_t sizes[][4] = { /* h and w of the input, and of the output */
                                        { 1, 7, 1, 4099 },    { 7, 1, 4099, 1 },
                                        { 1, 5, 1, 1100 },    { 4, 5, 150, 1100 },
                                        { 900, 3, 901, 601 }, { 1, 3, 1, 70001 }
    };
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
        const int32_t *const size = sizes[i / 2];
        const int32_t in[] = { 1, size[0], size[1], 3 }, out[] = { 1, size[2], size[3], 3 };
        struct exact_quant q;
        struct exact_model m;
        struct options o;
        int x, k, y;

        exact_begin(&m, i + 1);
        q = exact_random_quant(&m.random, types[i % 2]);
        x = exact_tensor(&m, types[i % 2], q, 4, in);
        y = exact_tensor(&m, types[i % 2], q, 4, out);
        k = builder_constant(&m.b, TENSOR_INT32, "k", 1, (int32_t[]){ 2 }, out + 1, 8);
        options_init(&o, OPTIONS_ResizeBilinearOptions);
        builder_op(&m.b, BUILTIN_RESIZE_BILINEAR, 1, &o, 2, (int[]){ x, k }, 1, &y);
        builder_inputs(&m.b, 1, &x);
        builder_outputs(&m.b, 1, &y);
        exact_check(&m, d, 1, NULL);
    }
    tflite_plugin_destroy_delegate(d);
}

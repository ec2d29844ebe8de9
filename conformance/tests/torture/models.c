/* Writes the small models that torture and soak run: models DIRECTORY.  A program of its own, which
 * has the builder; torture itself sees the libraries from outside. */
#include "reference/tests/kit/subgraph_kit.h"

#include "reference/format/write.h"

static void save(const char *directory, const char *name, struct model *m)
{
    struct diag diag = { 0 };
    struct tflite_file file;
    char path[512];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s.tflite", directory, name);
    if (tflite_write(m, &file, &diag) != STATUS_OK || !(f = fopen(path, "wb")) ||
        fwrite(file.bytes, 1, file.count, f) != file.count || fclose(f) != 0) {
        fprintf(stderr, "models: %s: %s\n", path, diag.text);
        exit(1);
    }
    mem_free(file.bytes);
    model_close(m);
}

/* [1,6,6,3] through a convolution, a mean over the image and a logistic function; bytes: the
 * convolution alone, in 8 bits. */
static void make_image(struct model *m, bool bytes)
{
    enum { IN = 3, OUT = 5, TAPS = 9, COUNT = OUT * TAPS * IN };
    const int32_t type = bytes ? TENSOR_INT8 : TENSOR_FLOAT32;
    const float scales[] = { 1.0f / 128, 1.0f / 64, 1.0f / 8192 };
    const int64_t zeros[] = { 0 };
    const int32_t axes[] = { 1, 2 };
    float weights[COUNT], bias[OUT];
    int8_t small[COUNT];
    int32_t sums[OUT];
    struct diag diag = { 0 };
    struct options conv, mean;
    struct builder b;
    int x, w, c, y, a, z, p;

    for (int i = 0; i < COUNT; i++) {
        small[i] = (int8_t)(i * 7 % 23 - 11);
        weights[i] = (float)small[i] / 16;
    }
    for (int i = 0; i < OUT; i++) {
        sums[i] = 100 * i;
        bias[i] = (float)i / 8;
    }
    options_init(&conv, OPTIONS_Conv2DOptions);
    options_set_int(&conv, "stride_w", 2);
    options_set_int(&conv, "stride_h", 2);
    options_init(&mean, OPTIONS_ReducerOptions);
    builder_init(&b);
    x = builder_tensor(&b, type, "image", 4, (int32_t[]){ 1, 6, 6, IN });
    w = builder_constant(&b, type, "weights", 4, (int32_t[]){ OUT, 3, 3, IN },
                         bytes ? (const void *)small : weights,
                         bytes ? sizeof small : sizeof weights);
    c = builder_constant(&b, bytes ? TENSOR_INT32 : type, "bias", 1, (int32_t[]){ OUT },
                         bytes ? (const void *)sums : bias, bytes ? sizeof sums : sizeof bias);
    y = builder_tensor(&b, type, "features", 4, (int32_t[]){ 1, 3, 3, OUT });
    builder_op(&b, BUILTIN_CONV_2D, bytes ? 3 : 1, &conv, 3, (int[]){ x, w, c }, 1, &y);
    builder_inputs(&b, 1, &x);
    if (bytes) {
        builder_quantization(&b, x, 1, &scales[0], zeros, 0);
        builder_quantization(&b, w, 1, &scales[1], zeros, 0);
        builder_quantization(&b, c, 1, &scales[2], zeros, 0);
        builder_quantization(&b, y, 1, &scales[1], zeros, 0);
        builder_outputs(&b, 1, &y);
    } else {
        a = builder_constant(&b, TENSOR_INT32, "axes", 1, (int32_t[]){ 2 }, axes, sizeof axes);
        z = builder_tensor(&b, type, "means", 2, (int32_t[]){ 1, OUT });
        p = builder_tensor(&b, type, "answers", 2, (int32_t[]){ 1, OUT });
        builder_op(&b, BUILTIN_MEAN, 1, &mean, 2, (int[]){ y, a }, 1, &z);
        builder_op(&b, BUILTIN_LOGISTIC, 1, NULL, 1, &z, 1, &p);
        builder_outputs(&b, 1, &p);
    }
    KIT_OK(builder_finish(&b, m, &diag));
}

int main(int argc, char **argv)
{
    struct model m;
    char name[32];

    if (argc != 2) {
        fprintf(stderr, "models DIRECTORY\n");
        return 2;
    }
    make_image(&m, false);
    save(argv[1], "image", &m);
    make_image(&m, true);
    save(argv[1], "bytes", &m);
    kit_folding_graph(&m);
    save(argv[1], "folding", &m);
    kit_branches(&m, true);
    save(argv[1], "branches", &m);
    kit_branches(&m, false);
    save(argv[1], "choices", &m);
    kit_loop(&m, 3, false);
    save(argv[1], "loop", &m);
    kit_variables(&m, true);
    save(argv[1], "variables", &m);
    for (int i = 0; i < 16; i++) {
        kit_random_graph(&m, 21 + (uint64_t)i, 4 + 2 * i, 2);
        snprintf(name, sizeof name, "random%d", i);
        save(argv[1], name, &m);
    }
    return 0;
}

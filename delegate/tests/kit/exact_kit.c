#include "delegate/tests/kit/exact_kit.h"

static char exact_said[4096];

static void exact_reported(const char *text)
{
    snprintf(exact_said, sizeof exact_said, "%s", text);
}

bool exact_have_device(void)
{
    struct assay_gpu_device any = { .struct_size = sizeof any };
    char error[256] = "";

    if (assay_gpu_devices(&any, 1, error, sizeof error) > 0)
        return true;
    printf("skipped: integer kernels on a device: %s\n", error);
    return false;
}

TfLiteDelegate *exact_delegate(const char *precision)
{
    const char *const keys[] = { "quantized", "max_partitions", "poison", "precision" };
    const char *const values[] = { "exact", "0", "junk", precision };
    TfLiteDelegate *const d = tflite_plugin_create_delegate(keys, values, 4, exact_reported);

    if (!d)
        fail_msg("%s", exact_said);
    return d;
}

struct exact_quant exact_random_quant(uint64_t *random, int32_t type)
{
    const int low = type == TENSOR_INT8 ? -128 : 0;
    const int zeros[] = { low, low + 255, low + 128, low + kit_below(random, 256) };

    return (struct exact_quant){ .scale = exp2(kit_float(random) * 5 - 4),
                                 .zero = type == TENSOR_INT16 ? 0 : zeros[kit_below(random, 4)] };
}

void exact_begin(struct exact_model *m, uint64_t seed)
{
    builder_init(&m->b);
    m->random = seed;
    snprintf(m->label, sizeof m->label, "seed %llu", (unsigned long long)seed);
}

int exact_tensor(struct exact_model *m, int32_t type, struct exact_quant q, size_t rank,
                 const int32_t *dims)
{
    const int t = builder_tensor(&m->b, type, "t", rank, dims);
    const float scale = (float)q.scale;
    const int64_t zero = q.zero;

    if (q.scale > 0)
        builder_quantization(&m->b, t, 1, &scale, &zero, 0);
    return t;
}

int exact_constant(struct exact_model *m, int32_t type, struct exact_quant q, size_t rank,
                   const int32_t *dims)
{
    const float scale = (float)q.scale;
    const int64_t zero = q.zero;
    size_t count = type == TENSOR_INT16 ? 2 : 1;
    uint8_t *bytes;
    int t;

    for (size_t i = 0; i < rank; i++)
        count *= (size_t)dims[i];
    assert_non_null(bytes = malloc(count + 1));
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)kit_random(&m->random);
    t = builder_constant(&m->b, type, "k", rank, dims, bytes, count);
    builder_quantization(&m->b, t, 1, &scale, &zero, 0);
    free(bytes);
    return t;
}

static void exact_fill(struct interpreter *in, uint64_t seed)
{
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *const t = interpreter_tensor(in, inputs[i]);

        for (size_t j = 0; j < t->bytes; j++)
            t->data.uint8[j] = (uint8_t)kit_random(&seed);
        for (size_t j = 0; t->type == kTfLiteFloat32 && j < t->bytes / sizeof(float); j++)
            t->data.f[j] = kit_float(&seed) * 8;
    }
}

static struct interpreter *exact_open(const struct model *m, TfLiteDelegate *d)
{
    struct diag diag = { 0 };
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, m, NULL, &diag));
    if (d)
        KIT_OK(interpreter_apply_delegate(in, d, NULL, &diag));
    KIT_OK(interpreter_allocate(in, &diag));
    return in;
}

static void exact_same(struct interpreter *a, struct interpreter *b, const char *label)
{
    size_t count;
    const int *outputs = interpreter_outputs(a, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const x = interpreter_tensor(a, outputs[i]);
        const TfLiteTensor *const y = interpreter_tensor(b, outputs[i]);
        size_t wrong = 0, first = 0;

        assert_int_equal(x->bytes, y->bytes);
        for (size_t j = x->bytes; j-- > 0;)
            if (x->data.uint8[j] != y->data.uint8[j]) {
                wrong++;
                first = j;
            }
        if (wrong > 0)
            fail_msg("%s: output %zu: %zu of %zu bytes differ, the first is byte %zu: %d, the "
                     "reference has %d",
                     label, i, wrong, x->bytes, first, y->data.uint8[first], x->data.uint8[first]);
    }
}

void exact_check(struct exact_model *m, TfLiteDelegate *d, int times,
                 void (*fill)(struct interpreter *, uint64_t))
{
    struct interpreter *reference, *device;
    struct diag diag = { 0 };
    struct model model;

    KIT_OK_DIAG(builder_finish(&m->b, &model, &diag), diag);
    reference = exact_open(&model, NULL);
    device = exact_open(&model, d);
    if (assay_gpu_refusal_count(d) != 0) {
        struct assay_gpu_refusal r = { .struct_size = sizeof r };

        assay_gpu_get_refusal(d, 0, &r);
        fail_msg("%s: %s: %s %s, limit %s", m->label, r.rule, r.field, r.value, r.limit);
    }
    assert_int_equal(interpreter_partition_count(device), 1);
    for (int i = 0; i < times; i++) {
        const uint64_t seed = m->random + (uint64_t)i;

        (fill ? fill : exact_fill)(reference, seed);
        (fill ? fill : exact_fill)(device, seed);
        KIT_OK(interpreter_invoke(reference, &diag));
        KIT_OK(interpreter_invoke(device, &diag));
        exact_same(reference, device, m->label);
    }
    interpreter_close(reference);
    interpreter_close(device);
    model_close(&model);
}

#include "delegate/tests/kit/exact_kit.h"

#include "reference/tests/kit/text_kit.h"

#include <stdarg.h>

static char exact_said[4096];

static void exact_reported(const char *text)
{
    snprintf(exact_said, sizeof exact_said, "%s", text);
}

static bool exact_have_device(void)
{
    struct assay_gpu_device any = { .struct_size = sizeof any };
    char error[256] = "";

    if (assay_gpu_devices(&any, 1, error, sizeof error) > 0)
        return true;
    printf("skipped: integer kernels on a device: %s\n", error);
    return false;
}

/* Unused lanes hold junk. */
static TfLiteDelegate *exact_delegate(const char *precision)
{
    const char *const keys[] = { "quantized", "max_partitions", "poison", "precision" };
    const char *const values[] = { "exact", "0", "junk", precision };
    TfLiteDelegate *const d = tflite_plugin_create_delegate(keys, values, 4, exact_reported);

    if (!d)
        fail_msg("%s", exact_said);
    return d;
}

/* ---- texts ---- */

struct exact_quant exact_random_quant(uint64_t *random, const char *type)
{
    const int low = type[0] == 'i' ? -128 : 0;
    const int zeros[] = { low, low + 255, low + 128, low + kit_below(random, 256) };

    return (struct exact_quant){ .scale = exp2(kit_float(random) * 5 - 4),
                                 .zero =
                                     strcmp(type, "i16") == 0 ? 0 : zeros[kit_below(random, 4)] };
}

static char *exact_place(void)
{
    static char texts[16][512];
    static int next;

    return texts[next++ % 16];
}

static int exact_put_dims(char *text, int rank, const int32_t *dims)
{
    int n = sprintf(text, "[");

    for (int i = 0; i < rank; i++)
        n += sprintf(text + n, "%s%d", i ? "," : "", dims[i]);
    return n + sprintf(text + n, "]");
}

const char *exact_text(const char *type, struct exact_quant q, int rank, const int32_t *dims)
{
    char *const text = exact_place();
    int n = sprintf(text, "%s", type);

    if (rank >= 0)
        n += exact_put_dims(text + n, rank, dims);
    if (q.scale > 0)
        sprintf(text + n, "q(%.9g,%d)", q.scale, q.zero);
    return text;
}

const char *exact_constant(uint64_t *random, const char *type, struct exact_quant q, int rank,
                           const int32_t *dims)
{
    const char *const tensor = exact_text(type, q, rank, dims);
    const size_t shape = strcspn(tensor, "q");
    char *const text = exact_place();

    snprintf(text, 512, "%.*s=~%d(%s)%s", (int)shape, tensor, kit_below(random, 1 << 20),
             strcmp(type, "u8") == 0   ? "0..255"
             : strcmp(type, "i8") == 0 ? "-128..127"
                                       : "-32768..32767",
             tensor + shape);
    return text;
}

const char *exact_ints(int rank, const int32_t *dims, const int32_t *values)
{
    char *const text = exact_place();
    int n = sprintf(text, "i32"), count = 1;

    n += exact_put_dims(text + n, rank, dims);
    for (int i = 0; i < rank; i++)
        count *= dims[i];
    for (int i = 0; i < count; i++)
        n += sprintf(text + n, "%c%d", i ? ',' : '=', values[i]);
    return text;
}

/* ---- models ---- */

void exact_begin(struct exact_model *m, uint64_t seed)
{
    *m = (struct exact_model){ .random = seed, .times = 1 };
    m->text = open_memstream(&m->chars, &m->count);
    assert_non_null(m->text);
}

void exact_add(struct exact_model *m, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(m->text, format, args);
    va_end(args);
}

void exact_build(struct exact_model *m, struct model *model)
{
    assert_int_equal(fclose(m->text), 0);
    kit_text(model, "%s", m->chars);
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
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, m, NULL, &err));
    if (d)
        KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    return in;
}

static void exact_same(struct interpreter *a, struct interpreter *b, const char *text)
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
            fail_msg("output %zu: %zu of %zu bytes differ, the first is byte %zu: %d, the "
                     "reference has %d; of\n%s",
                     i, wrong, x->bytes, first, y->data.uint8[first], x->data.uint8[first], text);
    }
}

static void exact_check(struct exact_model *m, TfLiteDelegate *d)
{
    void (*const fill)(struct interpreter *, uint64_t) = m->fill ? m->fill : exact_fill;
    struct interpreter *reference, *device;
    struct model model;

    exact_build(m, &model);
    reference = exact_open(&model, NULL);
    device = exact_open(&model, d);
    if (assay_gpu_refusal_count(d) != 0) {
        struct assay_gpu_refusal r = { .struct_size = sizeof r };

        assay_gpu_get_refusal(d, 0, &r);
        fail_msg("%s: %s %s, limit %s: %s", r.rule, r.field, r.value, r.limit, m->chars);
    }
    assert_int_equal(interpreter_partition_count(device), 1);
    for (int i = 0; i < m->times; i++) {
        const uint64_t seed = m->random + (uint64_t)i;

        fill(reference, seed);
        fill(device, seed);
        KIT_OK(interpreter_invoke(reference, &err));
        KIT_OK(interpreter_invoke(device, &err));
        exact_same(reference, device, m->chars);
    }
    interpreter_close(reference);
    interpreter_close(device);
    model_close(&model);
    free(m->chars);
}

void exact_run(const char *precision, uint64_t first, uint64_t last,
               void (*make)(struct exact_model *m, uint64_t seed))
{
    TfLiteDelegate *d;

    if (!exact_have_device())
        skip();
    d = exact_delegate(precision);
    for (uint64_t seed = first; seed <= last; seed++) {
        struct exact_model m;

        exact_begin(&m, seed);
        make(&m, seed);
        exact_check(&m, d);
    }
    tflite_plugin_destroy_delegate(d);
}

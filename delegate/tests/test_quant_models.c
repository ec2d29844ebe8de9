/* Whole models in 8 bits on a device: from the zoo, the digit models, and the trained ones of
 * ASSAY_MODELS (default ../shared/models).
 *
 * All nodes are taken.  quantized=exact gives the reference's outputs to the last bit;
 * quantized=float_view the same class, unless the reference's two best are closer than the error.
 * The arena is at most 1.02 of what has to live at once.  Under sanitizers the trained ones, which
 * run the same code for two minutes, are left out. */
#include "conformance/suite/io/tensor_io.h"
#include "conformance/suite/io/tensor_value.h"
#include "conformance/suite/models/zoo.h"
#include "reference/format/file.h"
#include "reference/format/read.h"
#include "reference/kernels/op.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include "assay_gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, TOP = 3 };

static bool have_device;

static void quiet(const char *text)
{
    (void)text;
}

/* ---- models and inputs ---- */

struct subject {
    const char *name, *picture; /* a file; NULL: noise */
    struct model model;
    uint8_t *bytes;
};

static const char *models_folder(void)
{
    const char *const folder = getenv("ASSAY_MODELS");

    return folder ? folder : "../shared/models";
}

static void shared_path(char path[PATH_BYTES], const char *folder, const char *file)
{
    assert_true(snprintf(path, PATH_BYTES, "%s/%s/%s", models_folder(), folder, file) < PATH_BYTES);
}

static void read_model(struct subject *s, const char *path)
{
    size_t count;

    KIT_OK(file_read(path, (size_t)1 << 30, &s->bytes, &count, &err));
    KIT_OK(tflite_read(&s->model, s->bytes, count, &err));
}

static void close_subject(struct subject *s)
{
    model_close(&s->model);
    mem_free(s->bytes);
}

static void fill(struct interpreter *in, const struct subject *s)
{
    const struct pixel_scale scale = { 127.5, 127.5 };
    size_t count;
    TfLiteTensor *const t = interpreter_tensor(in, interpreter_inputs(in, &count)[0]);

    if (s->picture)
        KIT_OK(tensor_load(t, s->picture, scale, &err));
    else
        KIT_OK(tensor_fill(t, 7, 0, &err));
}

/* ---- runs ---- */

struct run {
    struct interpreter *in;
    TfLiteDelegate *delegate;
};

static struct run start(const struct subject *s, const char *mode)
{
    static const char *const keys[] = { "quantized", "max_partitions" };
    const char *const values[] = { mode, "0" };
    struct run r = { .delegate = NULL };

    KIT_OK(interpreter_open(&r.in, &s->model, NULL, &err));
    if (mode) {
        r.delegate = tflite_plugin_create_delegate(keys, values, 2, quiet);
        assert_non_null(r.delegate);
        KIT_OK(interpreter_apply_delegate(r.in, r.delegate, NULL, &err));
    }
    KIT_OK(interpreter_allocate(r.in, &err));
    fill(r.in, s);
    KIT_OK(interpreter_invoke(r.in, &err));
    return r;
}

static void close_run(struct run *r)
{
    interpreter_close(r->in);
    assay_gpu_delegate_destroy(r->delegate);
}

static const TfLiteTensor *answer(const struct run *r)
{
    size_t count;
    const int *const outputs = interpreter_outputs(r->in, &count);

    assert_int_equal(count, 1);
    return interpreter_tensor(r->in, outputs[0]);
}

static void expect_taken(const struct subject *s, const char *mode, const struct run *r)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };

    for (size_t i = 0; i < interpreter_node_count(r->in); i++)
        if (interpreter_node_partition(r->in, (int)i) < 0)
            fail_msg("%s, %s: node %zu, %s, is not taken", s->name, mode, i,
                     builtin_name(interpreter_node_op(r->in, (int)i)->code));
    assert_int_equal(interpreter_partition_count(r->in), 1);
    assert_int_equal(assay_gpu_get_stats(r->delegate, &stats), 0);
    print_message("%s, %s: arena %llu bytes, %.4f of the lower bound\n", s->name, mode,
                  (unsigned long long)stats.activation_bytes,
                  (double)stats.activation_bytes / (double)stats.activation_bound);
    if (!((double)stats.activation_bytes <= 1.02 * (double)stats.activation_bound))
        fail_msg("%s, %s: arena of %llu bytes, %llu live at once", s->name, mode,
                 (unsigned long long)stats.activation_bytes,
                 (unsigned long long)stats.activation_bound);
}

static void expect_identical(const struct subject *s, const TfLiteTensor *want,
                             const TfLiteTensor *got)
{
    const uint8_t *const a = (const uint8_t *)want->data.raw, *const b =
                                                                  (const uint8_t *)got->data.raw;
    size_t differ = 0, first = 0;

    assert_int_equal(want->bytes, got->bytes);
    for (size_t i = want->bytes; i-- > 0;) {
        if (a[i] != b[i]) {
            differ++;
            first = i;
        }
    }
    if (differ)
        fail_msg("%s: %zu of %zu bytes differ, the first at %zu: %d, want %d", s->name, differ,
                 want->bytes, first, b[first], a[first]);
}

static void expect_same_class(const struct subject *s, const TfLiteTensor *want,
                              const TfLiteTensor *got)
{
    size_t a[2], b[1];
    double error = 0;

    assert_int_equal(tensor_top(want, 2, a), 2);
    assert_int_equal(tensor_top(got, 1, b), 1);
    for (size_t i = 0; i < ref_elements(want); i++)
        error = fmax(error, fabs(tensor_real(want, i) - tensor_real(got, i)));
    if (a[0] != b[0] && tensor_real(want, a[0]) - tensor_real(want, a[1]) > error)
        fail_msg("%s: class %zu, want %zu; error %g", s->name, b[0], a[0], error);
}

static void check(const struct subject *s)
{
    static const char *const modes[] = { "exact", "float_view" };
    struct run truth CLOSED_BY(close_run) = start(s, NULL);

    for (int i = 0; i < 2; i++) {
        struct run r CLOSED_BY(close_run) = start(s, modes[i]);

        expect_taken(s, modes[i], &r);
        if (i == 0)
            expect_identical(s, answer(&truth), answer(&r));
        else if (tensor_is_scores(answer(&truth)))
            expect_same_class(s, answer(&truth), answer(&r));
    }
}

/* ---- tests ---- */

TEST(zoo)
{
    static const struct {
        const char *name;
        int32_t type;
    } rows[] = { { "zoo i8", TENSOR_INT8 }, { "zoo u8", TENSOR_UINT8 } };
    const struct zoo_entry *entry;

    if (!have_device)
        skip();
    KIT_OK(zoo_find(&entry, "mobilenet_v1", &err));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zoo_options options = {
            .width = 0.25, .resolution = 96, .type = rows[i].type, .quiet = true, .seed = 1
        };
        struct subject s CLOSED_BY(close_subject) = { .name = rows[i].name };

        KIT_OK(zoo_build(&s.model, entry, &options, &err));
        check(&s);
    }
}

TEST(digits)
{
    static const char *const files[] = { "golden/digits/digits_i8.tflite",
                                         "golden/digits/digits_u8.tflite" };

    if (!have_device)
        skip();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct subject s CLOSED_BY(close_subject) = { .name = files[i],
                                                      .picture = "golden/digits/3.png" };

        read_model(&s, files[i]);
        check(&s);
    }
}

static void trained(const char *name, const char *picture)
{
    struct subject s CLOSED_BY(close_subject) = { .name = name };
    char model[PATH_BYTES], file[PATH_BYTES];

    if (!have_device || KIT_SANITIZED)
        skip();
    shared_path(model, "real", name);
    shared_path(file, "images", picture);
    if (access(model, R_OK) != 0 || access(file, R_OK) != 0) {
        print_message("skipped: no %s with %s (set ASSAY_MODELS)\n", model, file);
        skip();
    }
    s.picture = file;
    read_model(&s, model);
    check(&s);
}

TEST(mobilenet_v1)
{
    trained("mobilenet_v1_0.25_128_quant.tflite", "parrot.jpg");
}

TEST(mobilenet_v2)
{
    trained("tf2_mobilenet_v2_1.0_224_ptq.tflite", "sunflower.bmp");
}

TEST(deeplab)
{
    trained("deeplabv3_mnv2_dm05_pascal_quant.tflite", "bird.bmp");
}

/* Among the best classes of the picture there are only cats, in any way to run it. */
TEST(a_cat)
{
    static const char *const modes[] = { NULL, "exact", "float_view" };
    char model[PATH_BYTES], picture[PATH_BYTES], names[PATH_BYTES];
    struct subject s CLOSED_BY(close_subject) = { .name = "cat", .picture = picture };
    struct labels labels CLOSED_BY(labels_close);

    if (!have_device || KIT_SANITIZED)
        skip();
    shared_path(model, "real", "mobilenet_v1_0.25_128_quant.tflite");
    shared_path(picture, "images", "cat.bmp");
    shared_path(names, "images", "imagenet_labels.txt");
    if (access(model, R_OK) != 0 || access(picture, R_OK) != 0 || access(names, R_OK) != 0) {
        print_message("skipped: no %s (set ASSAY_MODELS)\n", model);
        skip();
    }
    KIT_OK(labels_read(&labels, names, &err));
    read_model(&s, model);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        struct run r CLOSED_BY(close_run) = start(&s, modes[i]);
        size_t best[TOP];

        assert_int_equal(tensor_top(answer(&r), TOP, best), TOP);
        for (size_t k = 0; k < TOP; k++) {
            const char *const label = labels_find(&labels, best[k]);

            if (!label || !strstr(label, "cat"))
                fail_msg("%s: number %zu is %s", modes[i] ? modes[i] : "reference", k + 1,
                         label ? label : "nothing");
        }
    }
}

static void find_device(const char *file)
{
    TfLiteDelegate *const d = tflite_plugin_create_delegate(NULL, NULL, 0, quiet);

    have_device = d != NULL;
    if (!d)
        printf("skipped: %s: there is no device\n", file);
    assay_gpu_delegate_destroy(d);
}

TEST_FILE(.before = find_device);

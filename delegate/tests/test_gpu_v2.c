/* The GPU delegate's V2 options: what they become; skipped where there is no device. */
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/test.h"

#include "assay_gpu.h"
#include "delegate/runtime/delegate.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

enum { AUTO, PRECISION, LATENCY, MEMORY };

static struct gpu_options made(const TfLiteGpuDelegateOptionsV2 *o)
{
    TfLiteDelegate *const d = TfLiteGpuDelegateV2Create(o);
    struct gpu_options options;

    assert_non_null(d);
    options = ((struct gpu_delegate *)d->data_)->options;
    assert_true(d->Prepare != NULL);
    TfLiteGpuDelegateV2Delete(d);
    return options;
}

TEST(defaults)
{
    const TfLiteGpuDelegateOptionsV2 o = TfLiteGpuDelegateOptionsV2Default();
    struct gpu_options options;

    assert_int_equal(o.is_precision_loss_allowed, -1);
    assert_int_equal(o.inference_preference, 0);
    assert_int_equal(o.inference_priority1, PRECISION);
    assert_int_equal(o.inference_priority2, AUTO);
    assert_int_equal(o.inference_priority3, AUTO);
    assert_int_equal(o.experimental_flags, 1);
    assert_int_equal(o.max_delegated_partitions, 1);
    assert_null(o.serialization_dir);
    assert_null(o.model_token);
    for (int i = 0; i < 2; i++) {
        options = made(i ? &o : NULL);
        assert_int_equal(options.precision, PRECISION_FP32);
        assert_true(options.enable_quantization);
        assert_int_equal(options.max_partitions, 1);
        assert_int_equal(options.wait, WAIT_PASSIVE);
    }
}

/* Precision by the priorities where they decide, and refusals of those that make no sense. */
TEST(precision)
{
    static const struct {
        int allowed, p[3];
        int precision; /* -1: refused */
    } rows[] = {
        { -1, { PRECISION, AUTO, AUTO }, PRECISION_FP32 },
        { -1, { PRECISION, LATENCY, MEMORY }, PRECISION_FP32 },
        { -1, { LATENCY, PRECISION, MEMORY }, PRECISION_FP16 },
        { -1, { LATENCY, MEMORY, PRECISION }, PRECISION_FP16 },
        { -1, { LATENCY, AUTO, AUTO }, PRECISION_FP16 },
        { -1, { MEMORY, LATENCY, AUTO }, PRECISION_FP16 },
        { -1, { AUTO, AUTO, AUTO }, -1 },
        { -1, { LATENCY, AUTO, PRECISION }, -1 },
        { -1, { LATENCY, LATENCY, AUTO }, -1 },
        { -1, { PRECISION, LATENCY, PRECISION }, -1 },
        { -1, { PRECISION, LATENCY, LATENCY }, -1 },
        { -1, { 4, AUTO, AUTO }, -1 },
        { -1, { PRECISION, -1, AUTO }, -1 },
        /* The older way: the priorities are not looked at. */
        { 0, { LATENCY, AUTO, AUTO }, PRECISION_FP32 },
        { 1, { PRECISION, AUTO, AUTO }, PRECISION_FP16 },
        { 1, { AUTO, AUTO, AUTO }, PRECISION_FP16 },
        { 2, { PRECISION, AUTO, AUTO }, -1 },
        { -2, { PRECISION, AUTO, AUTO }, -1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TfLiteGpuDelegateOptionsV2 o = TfLiteGpuDelegateOptionsV2Default();

        o.is_precision_loss_allowed = rows[i].allowed;
        o.inference_priority1 = rows[i].p[0];
        o.inference_priority2 = rows[i].p[1];
        o.inference_priority3 = rows[i].p[2];
        if (rows[i].precision < 0)
            assert_null(TfLiteGpuDelegateV2Create(&o));
        else if ((int)made(&o).precision != rows[i].precision)
            fail_msg("row %zu", i);
    }
}

TEST(the_rest)
{
    TfLiteGpuDelegateOptionsV2 o = TfLiteGpuDelegateOptionsV2Default();

    for (int usage = -1; usage <= 3; usage++) {
        o.inference_preference = usage;
        if (usage < 0 || usage > 2)
            assert_null(TfLiteGpuDelegateV2Create(&o));
        else
            made(&o);
    }
    o.inference_preference = TFLITE_GPU_INFERENCE_PREFERENCE_BALANCED;
    for (int64_t flags = 0; flags < 8; flags++) {
        o.experimental_flags = flags | (int64_t)1 << 40;
        assert_int_equal(made(&o).enable_quantization, flags & 1);
    }
    for (int n = -1; n <= 7; n++) {
        o.max_delegated_partitions = n;
        assert_int_equal(made(&o).max_partitions, n > 0 ? n : 0);
    }
    /* The directory counts with its flag only, and the token with the directory only. */
    o.serialization_dir = "/nonexistent/assay";
    o.model_token = "token";
    assert_null(made(&o).serialization_dir);
    assert_null(made(&o).model_token);
}

TEST(serialization)
{
    TfLiteGpuDelegateOptionsV2 o = TfLiteGpuDelegateOptionsV2Default();
    struct gpu_delegate *inside;
    TfLiteDelegate *d;

    o.experimental_flags |= TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION;
    assert_null(made(&o).serialization_dir);
    o.serialization_dir = "somewhere";
    for (int i = 0; i < 2; i++) {
        o.model_token = i ? "token" : NULL;
        assert_non_null(d = TfLiteGpuDelegateV2Create(&o));
        inside = d->data_;
        assert_string_equal(inside->options.serialization_dir, "somewhere");
        if (i)
            assert_string_equal(inside->options.model_token, "token");
        else
            assert_null(inside->options.model_token);
        TfLiteGpuDelegateV2Delete(d);
    }
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device);

/* The GPU delegate's C API, version 2: its options become key=value options. */
#include "assay_gpu.h"
#include "reference/base/clean.h"
#include "reference/base/diag.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

#include <stddef.h>
#include <stdio.h>

#define LP64(condition, text) _Static_assert(sizeof(void *) != 8 || (condition), text)
LP64(sizeof(TfLiteGpuDelegateOptionsV2) == 56, "layout of the V2 options");
LP64(offsetof(TfLiteGpuDelegateOptionsV2, experimental_flags) == 24, "V2 options");
LP64(offsetof(TfLiteGpuDelegateOptionsV2, serialization_dir) == 40, "V2 options");

TfLiteGpuDelegateOptionsV2 TfLiteGpuDelegateOptionsV2Default(void)
{
    return (TfLiteGpuDelegateOptionsV2){
        .is_precision_loss_allowed = -1,
        .inference_preference = TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER,
        .inference_priority1 = TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION,
        .experimental_flags = TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT,
        .max_delegated_partitions = 1
    };
}

static void print_error(const char *text)
{
    clean_message("assay delegate: ", text);
}

static enum status check_range(const char *name, int32_t value, int32_t min, int32_t max,
                               struct diag *diag)
{
    if (value >= min && value <= max)
        return STATUS_OK;
    return diag_fail(diag, STATUS_USAGE,
                     "TfLiteGpuDelegateOptionsV2: %s: expected %d to %d, found %d", name, (int)min,
                     (int)max, (int)value);
}

/* The first priority must be given, none may occur twice, and after AUTO only AUTO may follow. */
static enum status check_priorities(const TfLiteGpuDelegateOptionsV2 *o, struct diag *diag)
{
    const int32_t p[] = { o->inference_priority1, o->inference_priority2, o->inference_priority3 };
    const int32_t any = TFLITE_GPU_INFERENCE_PRIORITY_AUTO;

    for (int i = 0; i < 3; i++)
        TRY(check_range("an inference_priority", p[i], any,
                        TFLITE_GPU_INFERENCE_PRIORITY_MIN_MEMORY_USAGE, diag));
    if (p[0] == any || (p[1] == any && p[2] != any) || p[0] == p[1] || p[0] == p[2] ||
        (p[1] == p[2] && p[1] != any))
        return diag_fail(diag, STATUS_USAGE,
                         "TfLiteGpuDelegateOptionsV2: inference_priority1 to 3 are %d, %d, %d: the "
                         "first must be given, none twice, and AUTO (0) only be followed by AUTO",
                         (int)p[0], (int)p[1], (int)p[2]);
    return STATUS_OK;
}

static enum status check(const TfLiteGpuDelegateOptionsV2 *o, struct diag *diag)
{
    TRY(check_range("is_precision_loss_allowed", o->is_precision_loss_allowed, -1, 1, diag));
    TRY(check_range("inference_preference", o->inference_preference,
                    TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER,
                    TFLITE_GPU_INFERENCE_PREFERENCE_BALANCED, diag));
    return o->is_precision_loss_allowed < 0 ? check_priorities(o, diag) : STATUS_OK;
}

static TfLiteDelegate *create(const TfLiteGpuDelegateOptionsV2 *o, const char *precision,
                              void (*report_error)(const char *))
{
    const bool quant = o->experimental_flags & TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT;
    const bool serialize =
        (o->experimental_flags & TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION) != 0 &&
        o->serialization_dir && o->serialization_dir[0];
    char partitions[16];
    const char *keys[5] = { "precision", "enable_quantization", "max_partitions" };
    const char *values[5] = { precision, quant ? "1" : "0", partitions };
    struct assay_gpu_options options = {
        .struct_size = sizeof options, .keys = keys, .values = values, .count = 3
    };

    if (serialize) {
        keys[options.count] = "serialization_dir";
        values[options.count++] = o->serialization_dir;
    }
    if (serialize && o->model_token && o->model_token[0]) {
        keys[options.count] = "model_token";
        values[options.count++] = o->model_token;
    }
    snprintf(partitions, sizeof partitions, "%d",
             o->max_delegated_partitions > 0 ? o->max_delegated_partitions : 0);
    return assay_gpu_delegate_create(&options, report_error);
}

TfLiteDelegate *TfLiteGpuDelegateV2Create(const TfLiteGpuDelegateOptionsV2 *options)
{
    const TfLiteGpuDelegateOptionsV2 o = options ? *options : TfLiteGpuDelegateOptionsV2Default();
    const bool full = o.is_precision_loss_allowed < 0
                          ? o.inference_priority1 == TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION
                          : o.is_precision_loss_allowed == 0;
    struct diag diag = { 0 };
    TfLiteDelegate *d = NULL;

    if (check(&o, &diag) != STATUS_OK) {
        print_error(diag.text);
        return NULL;
    }
    if (!full)
        d = create(&o, "fp16", NULL);
    /* The options allow precision loss but do not demand it: without 16-bit storage, use fp32. */
    return d ? d : create(&o, "fp32", print_error);
}

void TfLiteGpuDelegateV2Delete(TfLiteDelegate *delegate)
{
    assay_gpu_delegate_destroy(delegate);
}

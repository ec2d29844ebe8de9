/* A 1x1 convolution of one image that the known-answer tests run on a device. */
#ifndef ASSAY_DELEGATE_VULKAN_SELFTEST_PRODUCT_H
#define ASSAY_DELEGATE_VULKAN_SELFTEST_PRODUCT_H

#include "delegate/vulkan/device.h"
#include "delegate/vulkan/pipeline.h"
#include "tensorflow/lite/c/common.h"

struct selftest_product {
    TfLiteType type; /* f32, or i8 */
    int pixels, depth, outputs;
    /* i8: the scale of the weights, which is the output multiplier, since those of x and y are 1.
     */
    float weight_scale;
    const void *x, *w; /* [pixels][depth], [outputs][depth] */
    void *y;           /* [pixels][outputs], set */
    bool bounded;      /* f32: a RELU6 before it says that f16 sums cannot overflow */
};

/* limits: those that the plan is made for, which may be others than the device's.  The pipelines go
 * through the cache, which may be NULL. */
enum status selftest_run(struct device *d, const struct device_limits *limits,
                         const struct gpu_options *options, struct pipeline_cache *cache,
                         const struct selftest_product *p, struct diag *diag);

#endif

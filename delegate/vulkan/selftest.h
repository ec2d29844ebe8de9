/* Known-answer tests, run on a device before a feature of it is used for the first time. */
#ifndef ASSAY_DELEGATE_VULKAN_SELFTEST_H
#define ASSAY_DELEGATE_VULKAN_SELFTEST_H

#include "delegate/vulkan/device.h"
#include "delegate/vulkan/pipeline.h"

/* 16-bit storage: values are stored as f16 and read back.  Does nothing when the device has passed
 * before.  The pipelines go through the cache, which may be NULL.  STATUS_NO_DEVICE when a value
 * differs. */
enum status selftest_half(struct device *d, struct pipeline_cache *cache, struct diag *diag);

/* The packed 8-bit dot product, in a convolution.  Does nothing when it was tested before, or the
 * device lacks it.  STATUS_NO_DEVICE when a sum is wrong, once: from then on the device's pipelines
 * do without it. */
enum status selftest_dot(struct device *d, struct pipeline_cache *cache, struct diag *diag);

/* The matrix units, in convolutions: finds the order of the elements of a matrix, sets it in the
 * limits of the device, and tests products.  Does nothing when it was tested before, or the device
 * has none.  STATUS_NO_DEVICE when a sum is wrong, once: from then on the limits of the device have
 * none.  Called before a plan is made that may use them. */
enum status selftest_matrix(struct device *d, struct diag *diag);
/* The same of sums in f16, by their kernel: from a wrong one on the limits of the device have no
 * shader_float16. */
enum status selftest_half_sums(struct device *d, struct diag *diag);
/* The same of products of i8: STATUS_NO_DEVICE, once, when a sum is wrong; from then on the limits
 * have no such products. */
enum status selftest_matrix_int8(struct device *d, struct diag *diag);
/* A part of selftest_matrix: sets the order of the elements from the place of each, by row and
 * column.  False: these are no places, or one comes twice. */
bool selftest_matrix_order(struct device_matrix *m, const float *places);

#endif

/* Axes that the sweeps of several suites share (pairwise.h). */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_AXES_H
#define ASSAY_CONFORMANCE_SUITE_CASES_AXES_H

#include "conformance/suite/cases/pairwise.h"

extern const struct pairwise_level axis_channels[17], axis_batches[4], axis_activations[4];
extern const struct pairwise_level axis_kernels[8], axis_strides[5], axis_paddings[2],
    axis_images[5];

/* Counts of channels that find what slices of four get wrong: CHANNEL_LIST of suite.h. */
#define AXIS_CHANNELS    PAIRWISE_AXIS(axis_channels)
#define AXIS_BATCHES     PAIRWISE_AXIS(axis_batches)
#define AXIS_ACTIVATIONS PAIRWISE_AXIS(axis_activations) /* fused; x: file code */
/* Kernels and strides of windows over an image: x is the height, y the width. */
#define AXIS_KERNELS  PAIRWISE_AXIS(axis_kernels)
#define AXIS_STRIDES  PAIRWISE_AXIS(axis_strides)
#define AXIS_PADDINGS PAIRWISE_AXIS(axis_paddings) /* x: file code */
/* Some images are smaller than a dilated kernel; with VALID a suite enlarges them to its size. */
#define AXIS_IMAGES PAIRWISE_AXIS(axis_images)

#endif

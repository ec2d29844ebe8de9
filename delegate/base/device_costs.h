/* What is known of devices, by class: device_costs.def as data. */
#ifndef ASSAY_DELEGATE_BASE_DEVICE_COSTS_H
#define ASSAY_DELEGATE_BASE_DEVICE_COSTS_H

#include "delegate/base/device_limits.h"
#include "delegate/base/device_rates.h"
#include "delegate/base/kernels.h"

#include <stdbool.h>
#include <stdint.h>

/* From what it is known whether a kernel is faster than the plain one. */
enum kernel_evidence {
    EVIDENCE_FASTER,
    EVIDENCE_SURE,
    EVIDENCE_LIKELY,
    EVIDENCE_UNKNOWN,
    EVIDENCE_SLOWER
};

struct device_costs {
    const char *name;               /* of the class: "software" */
    const char *measured_on;        /* "lavapipe"; NULL: no device of the class was measured */
    uint8_t evidence[KERNEL_COUNT]; /* enum kernel_evidence */
    struct device_rates rates;
    /* Invocations of a workgroup, of shaders that leave it free, and of float SOFTMAX at most. */
    uint32_t workgroup, softmax_workgroup;
    /* Of fused attention: rows at most; elements of keys and values that a workgroup goes over
     * alone, rows of attention with more, and elements of a part of them at least. */
    struct {
        uint32_t rows_max, elements_max, long_rows_max, part_min;
    } attention;
    uint32_t reduce_part_min; /* elements of a part of a reduction */
    /* Slices of the result from which on conv_2d.comp has runs of 8 pixels; 0: never. */
    uint32_t wide_runs_min;
    /* Units that run workgroups of their own: to be kept busy by tiles of gemm.comp, and those for
     * which the costs of other tiles are computed. */
    uint32_t multiprocessors, fitted_multiprocessors;
    /* Pixels of an invocation of depthwise_tile.comp, invocations of its workgroups, and slices of
     * the result from which on it is faster. */
    struct {
        uint32_t rows, columns, workgroup, outputs_min;
    } depthwise;
    /* Of pointwise_depthwise.comp: pixels of a workgroup, and workgroups of an image. */
    uint32_t pointwise_pixels_max, pointwise_groups_max;
    double thawed_macs_max;         /* of plans that share pipelines */
    uint32_t matrix_int8_depth_min; /* terms of a sum */
    uint32_t matrix_int8_products_min;
    uint32_t evicting_bytes; /* constants that evict the code of pipelines from the last cache */
    uint32_t small_output_bytes; /* that a step writes to memory of the host itself */
};

const struct device_costs *device_costs_of(const struct device_limits *limits);

/* Whether the kernel is used on devices of the class. */
bool device_costs_pays(const struct device_costs *costs, enum kernel_id kernel);

/* "class software: slower, as measured on lavapipe". */
struct device_costs_text {
    char text[64];
};
/* From what it is known whether the kernel pays. */
struct device_costs_text device_costs_why(const struct device_costs *costs, enum kernel_id kernel);

#endif

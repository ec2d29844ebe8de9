/* Axes that the sweeps of several suites share. */
#include "conformance/suite/cases/axes.h"

#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/window.h"

#define CHANNEL_LEVEL(c)                                                                           \
    {                                                                                              \
        "c" #c, c, 0                                                                               \
    }
const struct pairwise_level axis_channels[17] = { CHANNEL_LIST(CHANNEL_LEVEL) };
const struct pairwise_level axis_batches[4] = {
    { "", 1, 0 },
    { "n2", 2, 0 },
    { "n3", 3, 0 },
    { "n7", 7, 0 },
};
const struct pairwise_level axis_activations[4] = {
    { "", 0, 0 },
    { "relu", 1, 0 },
    { "n1", 2, 0 },
    { "relu6", 3, 0 },
};
const struct pairwise_level axis_kernels[8] = {
    { "k1", 1, 1 },   { "k2", 2, 2 },   { "k3", 3, 3 },   { "k5", 5, 5 },
    { "k1x3", 1, 3 }, { "k3x1", 3, 1 }, { "k2x3", 2, 3 }, { "k4", 4, 4 },
};
const struct pairwise_level axis_strides[5] = {
    { "", 1, 1 }, { "s2", 2, 2 }, { "s3", 3, 3 }, { "s2x1", 2, 1 }, { "s1x3", 1, 3 },
};
const struct pairwise_level axis_paddings[2] = { { "", 0, 0 }, { "valid", VALID, 0 } };
const struct pairwise_level axis_images[5] = {
    { "i1", 1, 1 }, { "i2x3", 2, 3 }, { "i4x5", 4, 5 }, { "i7x6", 7, 6 }, { "i11x3", 11, 3 },
};

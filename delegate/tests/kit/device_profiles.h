/* Limits of devices that are not present: made up here, or read from recorded vulkaninfo output. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_DEVICE_PROFILES_H
#define ASSAY_DELEGATE_TESTS_KIT_DEVICE_PROFILES_H

#include "delegate/tests/kit/gpu_kit.h"

#include "delegate/base/device_limits.h"

enum { DEVICES_MAX = 32 };

struct gpu_device_profile {
    char name[128];
    struct device_limits limits;
};

struct gpu_device_profiles {
    struct gpu_device_profile at[DEVICES_MAX];
    int count, recorded;
};

/* First those made up, then those recorded in the folder that ASSAY_DEVICES names. */
void profiles_all(struct gpu_device_profiles *all);

#endif

#include "delegate/base/device_costs.h"

#include <stddef.h>
#include <stdio.h>

static const struct device_costs table[DEVICE_CLASSES] = {
#define COST(member, other, software, integrated, nvidia, amd, intel)                              \
    [DEVICE_OTHER].member = (other), [DEVICE_SOFTWARE].member = (software),                        \
    [DEVICE_INTEGRATED].member = (integrated), [DEVICE_NVIDIA].member = (nvidia),                  \
    [DEVICE_AMD].member = (amd), [DEVICE_INTEL].member = (intel),
#define KERNEL_PAYS(kernel, other, software, integrated, nvidia, amd, intel)                       \
    COST(evidence[KERNEL_##kernel], EVIDENCE_##other, EVIDENCE_##software, EVIDENCE_##integrated,  \
         EVIDENCE_##nvidia, EVIDENCE_##amd, EVIDENCE_##intel)
#include "delegate/base/device_costs.def"
#undef KERNEL_PAYS
#undef COST
};

/* Each kernel has a row: of one that has none, COSTS_OF_kernel is not declared. */
enum {
#define COST(member, ...)
#define KERNEL_PAYS(kernel, ...) COSTS_OF_##kernel,
#include "delegate/base/device_costs.def"
#undef KERNEL_PAYS
#undef COST
    COSTS_OF_ALL
};
#define KERNEL(name, meaning) _Static_assert(COSTS_OF_##name < COSTS_OF_ALL, "a row");
#include "delegate/base/kernels.def"
#undef KERNEL

const struct device_costs *device_costs_of(const struct device_limits *limits)
{
    return &table[limits->device_class];
}

bool device_costs_pays(const struct device_costs *costs, enum kernel_id kernel)
{
    return costs->evidence[kernel] <= EVIDENCE_LIKELY;
}

struct device_costs_text device_costs_why(const struct device_costs *costs, enum kernel_id kernel)
{
    static const char *const words[] = { [EVIDENCE_FASTER] = "faster, as measured on ",
                                         [EVIDENCE_SURE] = "not measured, but less work",
                                         [EVIDENCE_LIKELY] = "not measured, as on an H200",
                                         [EVIDENCE_UNKNOWN] = "not measured",
                                         [EVIDENCE_SLOWER] = "slower, as measured on " };
    const enum kernel_evidence evidence = (enum kernel_evidence)costs->evidence[kernel];
    const bool measured = evidence == EVIDENCE_FASTER || evidence == EVIDENCE_SLOWER;
    struct device_costs_text why;

    snprintf(why.text, sizeof why.text, "class %s: %s%s", costs->name, words[evidence],
             measured ? costs->measured_on : "");
    return why;
}

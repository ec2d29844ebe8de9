/* What work costs on a device, for the placement of partitions (accept/placement.h). */
#ifndef ASSAY_DELEGATE_BASE_DEVICE_RATES_H
#define ASSAY_DELEGATE_BASE_DEVICE_RATES_H

#include <stdbool.h>

/* Units: microseconds, and bytes or multiply-adds in a microsecond (MB/s, millions a second).  It
 * is written to a file as it is: it has no padding. */
struct device_rates {
    double submit_us;    /* of an inference: its submission, and the wait for it */
    double step_us;      /* of one node more */
    double bytes_per_us; /* of inputs and outputs, between the host's memory and the device's */
    double macs_per_us;
};

/* All four are finite and above 0. */
bool device_rates_are_valid(const struct device_rates *r);

#endif

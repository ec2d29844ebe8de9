#include "delegate/base/device_rates.h"

#include <math.h>

/* The software row is what lavapipe measures on two cores.  The NVIDIA row has the submission, step
 * and copies of an H200, and a third of its multiply-adds, since lesser GPUs have the class, too.
 * The other rows are guesses, on the side of the CPU: placement=cost measures. */
static const struct device_rates table[] = {
    [DEVICE_OTHER] = { 200, 10, 2000, 100e3 },     [DEVICE_SOFTWARE] = { 50, 50, 700, 200 },
    [DEVICE_INTEGRATED] = { 100, 5, 5000, 200e3 }, [DEVICE_NVIDIA] = { 40, 2.5, 10e3, 2e6 },
    [DEVICE_AMD] = { 50, 5, 8000, 1e6 },           [DEVICE_INTEL] = { 100, 5, 5000, 500e3 },
};

struct device_rates device_rates_of(enum device_class device_class)
{
    return table[device_class];
}

bool device_rates_are_valid(const struct device_rates *r)
{
    const double rates[] = { r->submit_us, r->step_us, r->bytes_per_us, r->macs_per_us };

    for (int i = 0; i < 4; i++)
        if (!isfinite(rates[i]) || !(rates[i] > 0))
            return false;
    return true;
}

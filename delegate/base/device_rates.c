#include "delegate/base/device_rates.h"

#include <math.h>

bool device_rates_are_valid(const struct device_rates *r)
{
    const double rates[] = { r->submit_us, r->step_us, r->bytes_per_us, r->macs_per_us };

    for (int i = 0; i < 4; i++)
        if (!isfinite(rates[i]) || !(rates[i] > 0))
            return false;
    return true;
}

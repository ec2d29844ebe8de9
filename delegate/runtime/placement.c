#include "delegate/runtime/placement.h"

#include "delegate/base/device_costs.h"
#include "delegate/runtime/delegate.h"
#include "delegate/runtime/serialize.h"
#include "delegate/vulkan/measure.h"

/* From the file, or measured and then written to it. */
static enum status measured(struct gpu_delegate *d, TfLiteContext *context,
                            struct placement_rates *rates, struct diag *diag)
{
    struct serialization file = { .on = false };
    enum status s = STATUS_OK;

    rates->source = RATES_FILE;
    if (!serialization_find_rates(&file, d, context, &rates->device)) {
        rates->source = RATES_MEASURED;
        s = measure_rates(d->device, serialization_open_pipelines(&file, d, context),
                          &rates->device, diag);
        if (s == STATUS_OK)
            serialization_write_rates(&file, d, context, &rates->device);
    }
    serialization_close(&file);
    return s;
}

struct placement_rates placement_rates_of(struct gpu_delegate *d, TfLiteContext *context)
{
    struct placement_rates rates = { .source = RATES_TABLE };
    struct diag diag = { 0 };

    if (d->options.placement == PLACEMENT_COST) {
        if (measured(d, context, &rates, &diag) == STATUS_OK)
            return rates;
        context->ReportError(context, "WARNING: placement=cost uses rates of a table: %s",
                             diag.text);
    }
    return (struct placement_rates){ device_costs_of(&d->device->limits)->rates, RATES_TABLE };
}

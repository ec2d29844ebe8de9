/* The rates of a delegate's device, by which partitions are placed. */
#ifndef ASSAY_DELEGATE_RUNTIME_PLACEMENT_H
#define ASSAY_DELEGATE_RUNTIME_PLACEMENT_H

#include "delegate/accept/placement.h"
#include "tensorflow/lite/c/common.h"

struct gpu_delegate;

/* With placement=cost: from the file in serialization_dir, else measured, and written to that file.
 * Where they cannot be measured the host's reporter gets a warning.  Else, or then: those of the
 * table. */
struct placement_rates placement_rates_of(struct gpu_delegate *d, TfLiteContext *context);

#endif

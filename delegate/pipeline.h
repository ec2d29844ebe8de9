/* Pipelines, made once a device and shared by all steps with the same shader and constants. */
#ifndef ASSAY_DELEGATE_PIPELINE_H
#define ASSAY_DELEGATE_PIPELINE_H

#include "delegate/device.h"

/* Destroys the pipelines of a device. */
void pipelines_close(struct device *d);

#endif

/* A model as the delegate sees it, without a device: imported, nodes chosen, and planned. */
#ifndef ASSAY_FUZZ_KIT_PLAN_H
#define ASSAY_FUZZ_KIT_PLAN_H

#include "reference/format/model.h"

#include <stddef.h>
#include <stdint.h>

/* Applies a delegate that plans what it would take, before and after the host has shapes.  Limits
 * of the device and options follow from `choice`; quantized is planned in both ways. */
void fuzz_plan(const struct model *m, unsigned choice);

/* A choice that follows from the bytes of an input. */
unsigned fuzz_choice(const uint8_t *data, size_t size);

#endif

/* Benchmark models: published topologies with seeded weights.
 *
 * In 8 bits the scales of activations come from running the float model on a few random inputs, the
 * integers from the weights that the float model has.  As converters do it: i8 has a scale for each
 * output channel of the weights and ops of the versions that brought i8; u8 has one a tensor and
 * ops of version 1; with i8 weights only (dynamic range), weights of fewer than 1024 elements stay
 * f32.
 *
 * Same name, options and seed: same bytes, on every machine.  The weights come from integers, with
 * IEEE products, quotients and square roots only. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_ZOO_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_ZOO_H

#include "conformance/suite/models/zoo_entry.h"
#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stddef.h>
#include <stdint.h>

/* NULL past the end. */
const struct zoo_entry *zoo_at(size_t index);
/* STATUS_USAGE with the nearest name. */
enum status zoo_find(const struct zoo_entry **entry, const char *name, struct diag *diag);

/* resolution, channels and classes 0: the entry's.  STATUS_USAGE for options out of range;
 * STATUS_UNSUPPORTED and STATUS_NO_MEMORY before anything is built where a file or the memory
 * cannot hold it.  On failure *m is empty. */
enum status zoo_build(struct model *m, const struct zoo_entry *entry,
                      const struct zoo_options *options, struct diag *diag);

/* What a model of these options is, without drawing its weights. */
enum status zoo_count(struct zoo_facts *facts, const struct zoo_entry *entry,
                      const struct zoo_options *options, struct diag *diag);

/* Elements of all weights and biases. */
uint64_t zoo_parameters(const struct model *m);

#endif

/* Mutations of a model's object tree: ops, tensors, shapes, quantization, options, constants.  The
 * tree is written back, so that what is changed is valid, or nearly so, where changed bytes seldom
 * are. */
#ifndef ASSAY_FUZZ_KIT_MUTATE_H
#define ASSAY_FUZZ_KIT_MUTATE_H

#include "reference/format/model.h"

#include <stddef.h>
#include <stdint.h>

/* LLVMFuzzerCustomMutator for models: edits the tree three times of four where the bytes are a
 * model, else the bytes. */
size_t fuzz_mutate_model(uint8_t *data, size_t size, size_t room, unsigned seed);

/* One edit; seed says which.  Buffers and strings of the model are changed in place. */
void fuzz_edit_model(struct model *m, uint64_t seed);

#endif

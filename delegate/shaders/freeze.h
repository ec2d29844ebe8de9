/* Shaders whose push constants are known when their pipeline is made. */
#ifndef ASSAY_DELEGATE_SHADERS_FREEZE_H
#define ASSAY_DELEGATE_SHADERS_FREEZE_H

#include <stddef.h>
#include <stdint.h>

/* A copy of the words of a shader in which each load of an integer from the push constant block is
 * a constant, with its value in `push`: the driver's compiler then folds what depends on sizes of
 * tensors alone, above all divisions and addresses.  The copy computes the same for these push
 * constants, and may be run with them still pushed.  Loads of floats stay: a compiler may turn a
 * division by a known float into a product, whose rounding differs.
 *
 * The words are those of our own build; a load that the function does not understand (another type,
 * an index that is no constant, past `bytes`) stays as it is.  Returns new memory for mem_free and
 * its words in *frozen_count; NULL: no memory, or the words are no SPIR-V. */
uint32_t *spirv_freeze(const uint32_t *words, size_t count, const void *push, size_t bytes,
                       size_t *frozen_count);

#endif

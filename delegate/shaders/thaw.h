/* Shaders whose specialization constants are push constants. */
#ifndef ASSAY_DELEGATE_SHADERS_THAW_H
#define ASSAY_DELEGATE_SHADERS_THAW_H

#include <stddef.h>
#include <stdint.h>

/* A copy of the words of a shader which reads the specialization constants `ids` (bit i: the one of
 * SpecId i) from its push constants: the lowest at byte `at` of the block, each other 4 bytes
 * behind the one before.  The block must end before `at`.  So one pipeline serves all values: where
 * a compiler takes longer than what it does, as on a software device, that is worth more than what
 * it folds.
 *
 * Constants are bool (0 or not), int and uint.  Returns new memory for mem_free and its words in
 * *thawed_count; NULL: no memory, the words are no SPIR-V of such a shader, or a type depends on
 * one of the constants, such as an array of so many elements. */
uint32_t *spirv_thaw(const uint32_t *words, size_t count, uint32_t ids, uint32_t at,
                     size_t *thawed_count);

#endif

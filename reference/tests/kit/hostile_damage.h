/* Damage to the bytes of a .tflite file, at fields that the schema finds.
 *
 *     subgraphs[0].tensors[2].shape[1] = -1     an element of a vector
 *     subgraphs[0].tensors[2].buffer = 99       a scalar, which the file must have
 *     subgraphs[0].tensors[2].name.offset = 0   the 4 bytes that lead to a table, vector or string
 *     subgraphs[0].tensors[1].table_offset = 0  that of a table in a vector
 *     subgraphs[0].tensors.length = 0           of a vector or string
 *     subgraphs[0].vtable = 2                   offset to the vtable; .vtable_bytes, .table_bytes
 *     subgraphs[0].tensors[2].shape.entry = 0   of a field in the vtable
 *     buffers[1].data[0] = 7                    a byte; .int[2], .float[0] of data as numbers
 *     file.size = 7, file.append = 5, file.u8[4] = 1, file.u32[0] = 24 */
#ifndef ASSAY_REFERENCE_TESTS_KIT_HOSTILE_DAMAGE_H
#define ASSAY_REFERENCE_TESTS_KIT_HOSTILE_DAMAGE_H

#include "reference/format/write.h"

/* STATUS_INVALID with the text when the file lacks the field.  The file is sound before the first
 * damage; later ones must not need what an earlier one has broken. */
enum status hostile_damage(struct tflite_file *file, const char *text, struct diag *diag);

#endif

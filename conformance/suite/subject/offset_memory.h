/* Memory at a distance from a multiple of 64 bytes that the elements allow.
 *
 * An application may give a runtime any memory that is aligned to its elements, and a model's file
 * may lie anywhere: code that assumes 16 or 64 bytes goes wrong there. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_OFFSET_MEMORY_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_OFFSET_MEMORY_H

#include "reference/base/diag.h"
#include "reference/format/model.h"
#include "reference/format/write.h"
#include "tensorflow/lite/c/common.h"

#include <stddef.h>
#include <stdint.h>

/* Where the memory of a tensor lies: so many bytes behind a multiple of 64, rounded down to the
 * size of its elements. */
size_t offset_of_type(TfLiteType type, size_t offset_bytes);

/* Memory of one tensor between guard words. */
struct offset_memory {
    int tensor;
    void *block;
    uint8_t *data;
    size_t bytes;
};
enum status offset_memory_open(struct offset_memory *m, int tensor, size_t bytes, size_t offset,
                               struct diag *diag);
void offset_memory_close(struct offset_memory *m); /* takes an empty one */
/* STATUS_MISMATCH when a guard word was written to. */
enum status offset_memory_check(const struct offset_memory *m, struct diag *diag);

/* A copy of a file at an offset that is aligned for each of its elements.  *block owns it:
 * mem_free.
 */
enum status offset_file_open(void **block, const uint8_t **bytes, const struct tflite_file *file,
                             size_t offset_bytes, struct diag *diag);

/* A model whose constants lie at the offset; it shares all else with the source, which must outlive
 * it. */
struct offset_model {
    struct model model;
    struct model_buffer *buffers;
    void *block;
};
enum status offset_model_open(struct offset_model *o, const struct model *source,
                              size_t offset_bytes, struct diag *diag);
void offset_model_close(struct offset_model *o); /* takes an empty one */

#endif

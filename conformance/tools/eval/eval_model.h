/* The model under evaluation: its file, and the one input that takes images. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_MODEL_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_MODEL_H

#include "conformance/suite/subject/outputs.h"
#include "conformance/util/sha256.h"
#include "reference/base/diag.h"
#include "reference/format/file.h"
#include "reference/format/model.h"
#include "tensorflow/lite/c/common.h"

#include <stddef.h>
#include <stdint.h>

/* What images become. */
struct eval_input {
    TfLiteType type; /* f32, f16, u8 or i8 */
    uint32_t height, width, channels;
    int rank;
    int dims[4];
    size_t elements, bytes;
};

struct eval_model {
    const char *path; /* borrowed */
    struct file_model file;
    struct model model;
    char sha256[SHA256_HEX_BYTES];
    struct eval_input input;
};

/* STATUS_UNSUPPORTED where it does not have one input that is an image. */
enum status eval_model_open(struct eval_model *m, const char *path, struct diag *diag);
void eval_model_close(struct eval_model *m);

/* How many outputs the graph has, and the tensor of one. */
size_t eval_model_outputs(const struct eval_model *m);
const struct model_tensor *eval_model_output(const struct eval_model *m, size_t output);
/* "f32 [1, 1001]". */
void eval_model_describe(const struct model_tensor *t, char *text, size_t bytes);

/* Element i of output `output` of an inference, as a number; dequantized where the tensor has one
 * scale.  NaN for types that are no numbers. */
double eval_value(const struct eval_model *m, const struct outputs *got, size_t output, size_t i);
size_t eval_elements(const struct outputs *got, size_t output);

#endif

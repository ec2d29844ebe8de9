/* A case of the suite: a row of a table, and what is built from it.
 *
 * A suite (conformance/suite/suites/<stem>.c) has rows; each row is run in each of its types and is
 * named op.type.variant, or gap.type.op_variant when it shows what goes wrong elsewhere.  From a
 * row and a data set a model is built in memory, with its inputs. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_CASE_H
#define ASSAY_CONFORMANCE_SUITE_CASES_CASE_H

#include "conformance/suite/cases/data.h"
#include "reference/base/diag.h"
#include "reference/format/builder.h"
#include "reference/format/write.h"
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* decoder_270m has 40 inputs: two caches for each of 18 layers, tokens, positions and two masks. */
enum { CASE_NAME_BYTES = 96, CASE_INPUTS_MAX = 48 };

struct op_case; /* a row: suite.h */
struct suite;

/* One case: a row in one type. */
struct test_case {
    const struct suite *suite; /* NULL: it is a hostile model (suite/hostile/corpus.h) */
    const struct op_case *row;
    int32_t type;               /* enum tensor_type: the type that the name says */
    const char *type_name;      /* "i8pc" */
    bool half;                  /* CASE_HALF: inputs, constants and outputs are f16 */
    bool quantized;             /* activations are of 8 bits */
    bool dynamic;               /* activations are f32, weights are of 8 bits */
    bool by_channel;            /* weights have a scale for each output channel */
    char name[CASE_NAME_BYTES]; /* "conv_2d.f32.same_s2_c5" */
    const char *op;             /* "conv_2d" */
    int32_t code;               /* enum builtin */
    int32_t version;            /* operator version in the model */
    uint32_t habits;            /* those of the judge's habits.h that run on it */
};

struct case_request {
    enum data_set set;
    uint64_t seed; /* of the run; the streams of a case depend on seed, name and set */
    bool half;     /* rounds inputs and constants to f16 values, for subjects of class fp16 */
};

/* What is run: a model file, and the inputs of two inferences. */
struct case_instance {
    struct tflite_file file;
    size_t input_count;
    struct {
        TfLiteType type;
        size_t bytes;
        void *data[2]; /* of frame A and frame B (data.h) */
    } inputs[CASE_INPUTS_MAX];
    int judged_node; /* the node that the case is about; -1: all nodes, as of a random graph */
    /* inputs[0] holds every f16 value, infinities and NaNs too, one for each output element. */
    bool every_half;
    bool has_nan;        /* some values of the inputs are NaN */
    bool full_mantissas; /* the request's `half` was ignored: nothing is rounded to f16 */
    bool one_frame;      /* a large row, for which frame A is enough: place, not state */
};
static inline int case_instance_frames(const struct case_instance *x)
{
    return x->one_frame ? 1 : 2;
}

#endif

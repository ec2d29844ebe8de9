/* The case that is being built: what the builder (case_builder.h) and its part that quantizes
 * (case_quant.h) share. */
#ifndef ASSAY_CONFORMANCE_CASES_CASE_DRAFT_H
#define ASSAY_CONFORMANCE_CASES_CASE_DRAFT_H

#include "conformance/cases/case.h"
#include "conformance/cases/suite.h"

enum { CASE_OUTPUTS_MAX = 8 };

struct case_scale;

/* A case on its way to a model; in functions it is called m, for the model that is built. */
struct case_builder {
    const struct test_case *c;
    const struct suite_member *member;
    const struct case_request *request;
    struct builder builder;
    struct case_instance *out;
    enum status status;
    struct diag *diag;
    unsigned filled; /* tensors with data so far: the number of the next one's stream */
    int inputs[CASE_INPUTS_MAX];
    int outputs[CASE_OUTPUTS_MAX];
    size_t output_count;
    int judged; /* -1: the last operator */
    /* Of quantized types (case_quant.h): scales by tensor; inputs and constants of values so far.
     */
    struct case_scale *scales;
    size_t scale_count;
    unsigned values;
};

/* What a tensor is for, which says how its integers are scaled in quantized types. */
enum fill_role { FILL_VALUES, FILL_WEIGHTS, FILL_BIAS };

/* How a tensor is filled.  All zero: one summand, S3 without cancellation. */
struct fill {
    double terms; /* products or summands of one result */
    int factors;  /* 2: a factor of products */
    enum data_pair pair;
    int axis;
    struct shape as; /* the shape in which axis counts; rank 0: the tensor's */
    bool plain;      /* without the row's scale and offset */
    enum fill_role role;
    int channel; /* of weights: the dimension of output channels */
};

/* The builder's status becomes STATUS_NO_MEMORY, unless it has failed before. */
void case_fail_memory(struct case_builder *m);
/* An input of the graph, of any type, without data. */
int case_declare_input(struct case_builder *m, const char *name, const struct shape *shape,
                       int32_t type, size_t element_bytes);

#endif

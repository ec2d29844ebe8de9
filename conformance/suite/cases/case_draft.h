/* The case that is being built: what the builder (case_builder.h) and its part that quantizes
 * (case_quant.h) share. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_CASE_DRAFT_H
#define ASSAY_CONFORMANCE_SUITE_CASES_CASE_DRAFT_H

#include "conformance/suite/cases/case.h"
#include "conformance/suite/cases/suite.h"

enum { CASE_OUTPUTS_MAX = 8 };

struct case_scale;

/* The state of a case that is being built.  Parameters of this type are called m, for the model. */
struct case_builder {
    const struct test_case *c;
    const struct suite_member *member;
    const struct case_request *request;
    struct builder builder;
    struct case_instance *out;
    enum status status;
    struct diag *diag;
    unsigned filled; /* number of tensors with data: that of the next tensor's random stream */
    int inputs[CASE_INPUTS_MAX];
    int outputs[CASE_OUTPUTS_MAX];
    size_t output_count;
    /* Adds further subgraphs, once the first is whole; NULL: there are none. */
    void (*more)(struct case_builder *m);
    int judged; /* index of the operator that the case is about; -1: all of them */
    /* For quantized types (case_quant.h). */
    struct case_scale *scales; /* by index of tensor */
    size_t scale_count;
    unsigned values; /* number of tensors with role FILL_VALUES: the first has the scale quant.in */
};

/* What a tensor is for, which says how its integers are scaled in quantized types. */
enum fill_role { FILL_VALUES, FILL_WEIGHTS, FILL_BIAS };

/* How a tensor is filled (struct data_spec).  All zero: each result has one term, and nothing
 * cancels in S3. */
struct fill {
    double terms;        /* number of products or summands of one result */
    int factors;         /* 2: the values are factors of products; 1 or 0: they are summands */
    enum data_pair pair; /* what cancels in S3 */
    int axis;            /* along which pairs lie */
    struct shape as;     /* the shape that axis refers to; rank 0: that of the tensor */
    bool unscaled;       /* the row's scale and offset are not applied */
    double gain;         /* a factor of floats; 0: 1 */
    /* Values nearer to 0 than so many steps (8 bits), or that are 0 (floats, i32), become +-least;
     * 0: none is changed. */
    int least;
    enum fill_role role;
    int channel; /* of weights: the dimension of output channels */
};

/* Sets the status to STATUS_NO_MEMORY, unless the builder has failed before. */
void case_fail_memory(struct case_builder *m);
/* Writes element i of drawn tensor `number` where its row lists integers for it, else returns
 * false.
 */
bool case_listed_integer(const struct case_builder *m, unsigned number, size_t i, unsigned frame,
                         int32_t *value);
/* Adds an input of the graph of any type, without data. */
int case_declare_input(struct case_builder *m, const char *name, const struct shape *shape,
                       int32_t type, size_t element_bytes);

#endif

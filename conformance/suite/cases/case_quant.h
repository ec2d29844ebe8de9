/* The part of the case builder that quantizes: scales and zero points of 8-bit cases. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_CASE_QUANT_H
#define ASSAY_CONFORMANCE_SUITE_CASES_CASE_QUANT_H

#include "conformance/suite/cases/case_draft.h"
#include "conformance/util/random.h"
#include "reference/base/op_facts.h"

/* How a tensor is quantized, and the distribution of the real values that it holds. */
struct case_scale {
    bool known;    /* scale and zero point are set */
    bool hidden;   /* they are not written to the model */
    bool constant; /* a constant of values, not of weights */
    int32_t type;
    float scale; /* where there are several: the one that those of channels are drawn around */
    int32_t zero;
    float *scales; /* count scales, for each index along dimension; NULL: one scale.  mem_free */
    size_t count;
    int dimension;
    int32_t zero_step; /* by which the zero point of an index is above that of the one before */
    double mean, sd;   /* of the real values */
    double terms;      /* of weights: the number of products of one result */
    size_t elements;
};

/* Returns the entry of a tensor, which is all zero at first; NULL after a failure.  The pointer is
 * valid until the next call for a new tensor. */
struct case_scale *case_scale_of(struct case_builder *m, int tensor);
void case_set_scale(struct case_builder *m, int tensor, int32_t type, double scale, int32_t zero);
void case_set_elements(struct case_builder *m, int tensor, const struct shape *shape);
/* Gives `count` indices along a dimension scales and zero points of their own, which grow from
 * those of the tensor on. */
void case_set_channels(struct case_builder *m, int tensor, int dimension, int32_t count);
/* Gives a bias another scale than that of its products, which it would get; 0: none at all. */
void case_set_bias_scale(struct case_builder *m, int tensor, double scale);

/* An interval of real numbers. */
struct case_interval {
    double low, high;
};
/* Returns the range of real values that the integers of the type stand for. */
struct case_interval case_scale_interval(const struct case_scale *s);

/* A node whose result gets a scale. */
struct case_node {
    struct case_builder *m;
    const struct op_facts *facts;
    const struct options *options;
    size_t count;
    const struct case_scale *in[CASE_INPUTS_MAX]; /* NULL: absent */
    const struct case_scale *out;
    struct random_stream stream; /* for random choices about this node */
};

/* Add an input (a constant) of integers: of the case's type, or i32 for a bias. */
int case_input_quantized(struct case_builder *m, const char *name, const struct shape *shape,
                         const struct fill *fill);
int case_constant_quantized(struct case_builder *m, const char *name, const struct shape *shape,
                            const struct fill *fill);

/* Adds a constant of integers that has this scale and zero point. */
int case_constant_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                         int32_t type, double scale, int32_t zero);

/* Fills both frames of the input that was declared last, whose scale is known.  `number` is that of
 * its random stream. */
void case_fill_quantized(struct case_builder *m, int tensor, const struct shape *shape,
                         const struct fill *fill, unsigned number);

/* Is called before an operator is added.  It gives the output and a bias the scales that follow
 * from the op, and raises *version to the first one that has the type.  replaced gets the `count`
 * inputs, requantized where the op needs one scale. */
void case_quantize_op(struct case_builder *m, int32_t code, int32_t *version,
                      const struct options *options, size_t count, const int *inputs, int *replaced,
                      int output);
/* Gives tensor `to`, another output of the op, the scale of `from`, if all its results share one.
 */
void case_share_scale(struct case_builder *m, int32_t code, int from, int to);
/* Writes the scales of all tensors to the model, and frees them. */
void case_write_scales(struct case_builder *m);

#endif

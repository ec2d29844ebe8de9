/* Compares the outputs of a device with the reference, node by node.
 *
 * Each output of the graph is judged by the op that makes it, from the device's values of the
 * outputs before it: errors do not add up along a chain whose links are all outputs. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_NODE_COMPARE_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_NODE_COMPARE_H

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/cases/case.h"
#include "conformance/suite/judge/result.h"
#include "conformance/suite/subject/outputs.h"
#include "reference/runtime/interpreter.h"

struct repro;

struct node_compare_request {
    const struct case_instance *instance;
    int frame;             /* 0: A, 1: B */
    enum bounds bounds;    /* of floats */
    enum bounds quantized; /* of integers with a scale */
    enum data_set set;
    uint32_t poison_word;         /* what outputs held before the device wrote them */
    const struct outputs *before; /* the device's outputs of frame A, of frame B; NULL: not known */
    bool from_outputs;   /* hidden_limits_compare: the device's outputs are what later nodes read */
    bool steps_compared; /* hidden_limits_compare: quantized outputs are judged elsewhere */
    struct repro *repro; /* gets the expected values and their limits; NULL: nobody does */
};

/* The detail of every output of a node. */
struct node_detail {
    struct ref_detail all[CASE_INPUTS_MAX];
    int count;
};
enum status node_detail_open(struct node_detail *d, struct interpreter *in, const TfLiteNode *node,
                             struct diag *diag);
void node_detail_close(struct node_detail *d);

/* The rule of one output of a node: the member's, unless the types say otherwise.  NULL: no suite
 * has the op. */
const struct bound_rule *node_compare_rule(struct interpreter *in, int node, int output);

/* What dequantizing weights of less than 8 bits adds to the limits of an output, in units of
 * u * magnitude (TOLERANCES.md 13.9). */
double node_compare_weight_units(struct interpreter *in, int node, int output);

/* The class of a tensor: what the model stores as f16 is rounded to it, whatever the device stores.
 */
enum bounds node_compare_bounds(enum bounds floats, const TfLiteTensor *t);

/* Compares all outputs, adds to the figures of *result, and on a difference fails it.  in: an
 * interpreter of the instance's model with preserve_all, allocated, without delegates.  Its
 * variables are the state before the inference and become that after it, with the device's values
 * where these are outputs. A status other than OK: the reference itself failed. */
enum status node_compare_outputs(struct interpreter *in, const struct node_compare_request *request,
                                 const struct outputs *got, struct case_result *result,
                                 struct diag *diag);

#endif

/* Makes the model and the inputs of a case.
 *
 * case_build calls the build function of the case's suite, which adds tensors and operators with
 * the functions below.  They draw the data, store constants in the case's type, and return the
 * index of a tensor or operator.  A failure is remembered: calls after it do nothing and return -1.
 */
#ifndef ASSAY_CONFORMANCE_CASES_CASE_BUILDER_H
#define ASSAY_CONFORMANCE_CASES_CASE_BUILDER_H

#include "conformance/cases/case_draft.h"

/* Fails with the name of the case before the message. */
enum status case_build(const struct test_case *c, const struct case_request *request,
                       struct case_instance *out, struct diag *diag);
void case_instance_close(struct case_instance *instance);

/* An input of the graph: f32, or of the type of the case's activations. */
int case_input(struct case_builder *m, const char *name, const struct shape *shape,
               const struct fill *fill);
/* An input of the graph, f32 whatever the case's type is. */
int case_input_f32(struct case_builder *m, const char *name, const struct shape *shape,
                   const struct fill *fill);
/* An input of the graph of integers of any type, with the scale and zero point. */
int case_input_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                      int32_t type, double scale, int32_t zero);
/* An input of the graph, f16 as file type. */
int case_input_f16(struct case_builder *m, const char *name, const struct shape *shape,
                   const struct fill *fill);
/* A constant: f32, or in an f16 case an f16 constant; that behind DEQUANTIZE, whose output is
 * returned, unless activations are f16, too; in quantized cases integers, as in dynamic range where
 * the role is that of weights. */
int case_constant(struct case_builder *m, const char *name, const struct shape *shape,
                  const struct fill *fill);
/* An input of the graph, or a constant. */
int case_operand(struct case_builder *m, bool is_input, const char *name, const struct shape *shape,
                 const struct fill *fill);
/* Weights and bias of sums of so many products.  In S3 the weights cancel by pairs along axis;
 * channel: the dimension of output channels. */
struct fill fill_weights(double terms, int axis, int channel);
struct fill fill_bias(double terms);
/* An f32 constant, whatever the case's type is. */
int case_constant_f32(struct case_builder *m, const char *name, const struct shape *shape,
                      const struct fill *fill);
/* An f16 constant, and the f32 output of a DEQUANTIZE of tensor. */
int case_constant_f16(struct case_builder *m, const char *name, const struct shape *shape,
                      const struct fill *fill);
int case_dequantize(struct case_builder *m, const char *name, int tensor,
                    const struct shape *shape);
/* A constant of int32 (int64) values; rank 0 or 1, or 2 with rows. */
int case_constant_i32(struct case_builder *m, const char *name, const struct shape *shape,
                      const int32_t *values);
int case_constant_i64(struct case_builder *m, const char *name, const struct shape *shape,
                      const int32_t *values);
/* An activation, of the type that inputs have; an output of the graph.  A quantized one gets its
 * scale with the operator that makes it. */
int case_tensor(struct case_builder *m, const char *name, const struct shape *shape);
int case_output(struct case_builder *m, const char *name, const struct shape *shape);
/* An f32 activation; an output of the graph; one of integers with the scale and zero point. */
int case_tensor_f32(struct case_builder *m, const char *name, const struct shape *shape);
int case_output_f32(struct case_builder *m, const char *name, const struct shape *shape);
int case_output_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                       int32_t type, double scale, int32_t zero);
/* An output of the graph, of i32. */
int case_output_i32(struct case_builder *m, const char *name, const struct shape *shape);
/* A variable f32 tensor: state, zero before the first invoke; one of integers. */
int case_variable_f32(struct case_builder *m, const char *name, const struct shape *shape);
int case_variable_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                         int32_t type, double scale, int32_t zero);
/* The operator that the case is about: the member's code and the case's version. */
int case_judged_op(struct case_builder *m, const struct options *options, size_t input_count,
                   const int *inputs, int output);
int case_judged_op_outputs(struct case_builder *m, const struct options *options,
                           size_t input_count, const int *inputs, size_t output_count,
                           const int *outputs);
/* Another one. */
int case_op(struct case_builder *m, int32_t code, int32_t version, const struct options *options,
            size_t input_count, const int *inputs, int output);
/* The operator with this index is the one that the case is about. */
void case_set_judged(struct case_builder *m, int op);

#endif

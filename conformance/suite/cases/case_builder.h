/* Makes the model and the inputs of a case.
 *
 * case_build calls the build function of the case's suite, which adds tensors and operators with
 * the functions below.  Their first argument m is the model that is being built (struct
 * case_builder, case_draft.h).  They draw the data, store constants in the case's type, and return
 * the index of a tensor or operator.  A failure is remembered: calls after it do nothing and return
 * -1. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_CASE_BUILDER_H
#define ASSAY_CONFORMANCE_SUITE_CASES_CASE_BUILDER_H

#include "conformance/suite/cases/case_draft.h"

/* Builds model and inputs; case_instance_close frees *out.  A message of failure begins with the
 * name of the case. */
enum status case_build(const struct test_case *c, const struct case_request *request,
                       struct case_instance *out, struct diag *diag);
/* Builds a case with the first set of data that it has, and reads the model; the caller closes
 * both. On failure there is neither. */
enum status case_open(const struct test_case *c, uint64_t seed, struct case_instance *x,
                      struct model *m, struct diag *diag);
void case_instance_close(struct case_instance *instance);

/* Adds an input of the graph and draws its data.  It has the type of the case's activations, or of
 * its weights where fill->role is FILL_WEIGHTS. */
int case_input(struct case_builder *m, const char *name, const struct shape *shape,
               const struct fill *fill);
/* Adds an input of the graph that is i32 (bool), whatever the case's type is.  In S0 its values lie
 * within +-limit (0: they have any 32 bits), in S2 within +-8.  offset is added to them. */
int case_input_i32(struct case_builder *m, const char *name, const struct shape *shape,
                   int32_t limit, int32_t offset);
int case_input_bool(struct case_builder *m, const char *name, const struct shape *shape);
/* Adds an input of the graph of type i32 or i64 that has these values in frames A and B. */
int case_input_values(struct case_builder *m, const char *name, const struct shape *shape,
                      int32_t type, const int32_t *a, const int32_t *b);
/* The same as constants. */
int case_constant_drawn_i32(struct case_builder *m, const char *name, const struct shape *shape,
                            int32_t limit, int32_t offset);
int case_constant_drawn_bool(struct case_builder *m, const char *name, const struct shape *shape);
/* Adds an input of the graph that is f32, whatever the case's type is. */
int case_input_f32(struct case_builder *m, const char *name, const struct shape *shape,
                   const struct fill *fill);
/* Adds an input of the graph of an integer type, with this scale and zero point. */
int case_input_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                      int32_t type, double scale, int32_t zero);
/* Adds an input of the graph that is f16, whatever the case's type is. */
int case_input_f16(struct case_builder *m, const char *name, const struct shape *shape,
                   const struct fill *fill);
/* Adds a constant in the type that constants of the case have:
 *   f32               f32
 *   f16 (CASE_F16)    f16, with a DEQUANTIZE behind it, whose output is returned
 *   f16 (CASE_HALF)   f16
 *   8 bits            integers, with scales by fill->role
 *   dynamic range     i8 where fill->role is FILL_WEIGHTS, else f32
 *   i32, bool         i32, bool */
int case_constant(struct case_builder *m, const char *name, const struct shape *shape,
                  const struct fill *fill);
/* Adds an input of the graph where is_input is set, else a constant. */
int case_operand(struct case_builder *m, bool is_input, const char *name, const struct shape *shape,
                 const struct fill *fill);
/* The same of f32, whose elements are these values over and over, in frame B from the last to the
 * first. */
int case_operand_values(struct case_builder *m, bool is_input, const char *name,
                        const struct shape *shape, const float *values, size_t count);
/* How weights and biases are filled, where a result is the sum of `terms` products.  In S3 the
 * weights cancel in pairs along axis; channel is their dimension of output channels. */
struct fill fill_weights(double terms, int axis, int channel);
struct fill fill_bias(double terms);
/* Adds a constant that is f32, whatever the case's type is. */
int case_constant_f32(struct case_builder *m, const char *name, const struct shape *shape,
                      const struct fill *fill);
/* Adds an f16 constant. */
int case_constant_f16(struct case_builder *m, const char *name, const struct shape *shape,
                      const struct fill *fill);
/* Stores a constant as the form says, after all but `keep` of 16 runs of `run` elements became 0.
 */
void case_sparse(struct case_builder *m, int tensor, const struct sparse_form *form, size_t run,
                 unsigned keep);
/* Adds a DEQUANTIZE of tensor, and returns its f32 output. */
int case_dequantize(struct case_builder *m, const char *name, int tensor,
                    const struct shape *shape);
/* Adds an input of the graph of this shape and a SHAPE of it, and returns its i32 output. */
int case_shape_of(struct case_builder *m, const char *name, const struct shape *shape);
/* Adds a constant of int32 (int64) values, of rank 0, 1 or 2. */
int case_constant_i32(struct case_builder *m, const char *name, const struct shape *shape,
                      const int32_t *values);
int case_constant_i64(struct case_builder *m, const char *name, const struct shape *shape,
                      const int32_t *values);
/* Adds an activation (case_output: which is an output of the graph) of the type that inputs have.
 * In quantized cases the operator that makes it gives it a scale. */
int case_tensor(struct case_builder *m, const char *name, const struct shape *shape);
int case_output(struct case_builder *m, const char *name, const struct shape *shape);
/* Add an activation that is f32 whatever the case's type is, the same as an output of the graph,
 * and an output of integers with this scale and zero point. */
int case_tensor_f32(struct case_builder *m, const char *name, const struct shape *shape);
int case_output_f32(struct case_builder *m, const char *name, const struct shape *shape);
int case_output_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                       int32_t type, double scale, int32_t zero);
/* Add an activation of type int32, the same as an output of the graph. */
int case_tensor_i32(struct case_builder *m, const char *name, const struct shape *shape);
int case_output_i32(struct case_builder *m, const char *name, const struct shape *shape);
/* Adds an output of the graph of type bool. */
int case_output_bool(struct case_builder *m, const char *name, const struct shape *shape);
/* Add an activation of any type, without a scale, and the same as an output of the graph. */
int case_tensor_of(struct case_builder *m, const char *name, const struct shape *shape,
                   int32_t type);
int case_output_of(struct case_builder *m, const char *name, const struct shape *shape,
                   int32_t type);
/* Add a variable tensor, which holds zero before the first invoke: of f32, and of integers. */
int case_variable_f32(struct case_builder *m, const char *name, const struct shape *shape);
int case_variable_scaled(struct case_builder *m, const char *name, const struct shape *shape,
                         int32_t type, double scale, int32_t zero);
/* Adds the operator that the case is about, with the member's code and the case's version. */
int case_judged_op(struct case_builder *m, const struct options *options, size_t input_count,
                   const int *inputs, int output);
int case_judged_op_outputs(struct case_builder *m, const struct options *options,
                           size_t input_count, const int *inputs, size_t output_count,
                           const int *outputs);
/* Adds any other operator. */
int case_op(struct case_builder *m, int32_t code, int32_t version, const struct options *options,
            size_t input_count, const int *inputs, int output);
/* Says that the case is about the operator with this index. */
void case_set_judged(struct case_builder *m, int op);

#endif

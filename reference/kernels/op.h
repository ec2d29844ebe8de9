/* What an op means: parameters, shape inference and the scalar kernel.
 *
 * Each stem that ops.def names defines one `const struct ref_family ref_<stem>` with a row for each
 * of its ops.  Kernels are the clearest loop nests there are; they compute in double and round
 * once, when the result is stored.  The value before rounding is the float64 reference to which
 * conformance/doc/TOLERANCES.md holds a delegate.  Integer kernels are exact. */
#ifndef ASSAY_REFERENCE_KERNELS_OP_H
#define ASSAY_REFERENCE_KERNELS_OP_H

#include "reference/base/builtin.h"
#include "reference/base/diag.h"
#include "reference/format/op_options.h"
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REF_MAX_RANK = 8, REF_PARAMS_MAX_BYTES = 64 };

/* Parts of a row of struct ref_op.  The counts are those that ops.def has of the code. */
enum {
#define OP(code_, stem, runs, in_min, in_max, out_min, out_max, ...)                               \
    REF_IN_MIN_##code_ = (in_min), REF_IN_MAX_##code_ = (in_max), REF_OUT_MIN_##code_ = (out_min), \
    REF_OUT_MAX_##code_ = (out_max),
#include "reference/ops.def"
#undef OP
};
#define REF_OP(name_, code_, version, tag)                                                         \
    .name = name_, .code = BUILTIN_##code_, .max_version = version, .options_tag = tag,            \
    .min_inputs = REF_IN_MIN_##code_, .max_inputs = REF_IN_MAX_##code_,                            \
    .min_outputs = REF_OUT_MIN_##code_, .max_outputs = REF_OUT_MAX_##code_
#define REF_PARAMS(struct_, read) .params_bytes = sizeof(struct_), .read_params = read
#define REF_RUN(prepare_, eval_)  .prepare = prepare_, .eval = eval_

struct ref_shape {
    bool dynamic; /* not known before invoke: prepare is called again then */
    int rank;
    int32_t dims[REF_MAX_RANK];
};

/* What the bounds of conformance/doc/TOLERANCES.md need to know of one output: an entry for each
 * element, in the output's order.  The arrays belong to the caller; each may be NULL. */
struct ref_detail {
    /* The result before it is rounded to the output's type.  Of a quantized output: the exact
     * result in steps, real / scale + zero point, within the range of type and activation. */
    double *value;
    /* The same operator on absolute values (a dot product: sum |w*x| + |bias|), in steps where
     * value is.  SOFTMAX: D_i + sum_j r_j*D_j, D_i = beta*(max - x_i).  EXP, LOGISTIC, HARD_SWISH:
     * |x|. RESIZE_BILINEAR: the largest |corner| of the four.  LSTM's h and c: the error bound of
     * one step in f32, divided by 2^-24.  Ops that round once: |value|. */
    double *magnitude;
    /* The number of products, and a bias, that were summed; 1 without a sum.  RESIZE_BILINEAR: the
     * larger input side times the range of the 4x4 neighbourhood.  The full LSTM: what states
     * stored in f16 add, divided by a rounding (TOLERANCES.md 3.11). */
    double *terms;
    /* What f32 activations that are rounded to 8 bits before they meet i8 weights add to the limit,
     * where it does not follow from magnitude (TOLERANCES.md 13.4): the full LSTM. */
    double *rounded;
};

/* How far the state that an inference leaves in variables may be off, for the limits of the next
 * one: numbers in an order of the op's own.  Zeroed with the variables. */
struct ref_carry {
    double *at;
    size_t count;
};

/* One node as its op sees it. */
struct ref_call {
    const struct ref_op *op;
    int node; /* index in the graph, for messages */
    int32_t version;
    const void *params;      /* the op's struct of builtin_op_data.h; NULL when it has none */
    TfLiteTensor *const *in; /* NULL entry: optional input absent */
    int in_count;
    TfLiteTensor *const *out;
    int out_count;
    struct ref_shape *out_shape;        /* prepare writes one for each output */
    struct ref_detail *detail;          /* eval: NULL, or one for each output */
    TfLiteTensor *const *intermediates; /* of the operator: LSTM's scales between its sums */
    int intermediate_count;
    const TfLiteTensor *tensors; /* all of the subgraph: blockwise quantization names one of them */
    size_t tensor_count;         /* 0: the caller has no such tensors */
    struct ref_carry *carry;     /* NULL: nothing is handed on */
    bool late;                   /* in invoke: all inputs have their data */
    bool no_options;             /* the file has no option table for the node: params are zero */
};

enum ref_fold {
    REF_FOLD_NONE,
    /* Of constants of the file, once; to other nodes the output is no constant: DEQUANTIZE. */
    REF_FOLD_WEIGHTS,
    /* Of constants and of such results, in each prepare; to other nodes it is a constant. */
    REF_FOLD_VALUES,
    REF_FOLD_SHAPES /* as REF_FOLD_VALUES, but of shapes, which prepare knows: SHAPE */
};

struct ref_op {
    const char *name;                 /* as in case names: "conv_2d" */
    int32_t code;                     /* enum builtin */
    int32_t min_version, max_version; /* min_version 0: 1 */
    uint8_t options_tag;              /* option table; 0: none */
    size_t params_bytes;        /* of the struct in builtin_op_data.h; 0: builtin_data is NULL */
    int min_inputs, max_inputs; /* optional inputs at the end count; max -1: any number */
    int min_outputs, max_outputs;
    /* Fills params (zeroed) from the option table; NULL when params_bytes is 0. */
    void (*read_params)(const struct options *options, void *params);
    /* Checks types, shapes and parameters, names what is wrong (op, tensor, field, value), and
     * gives the shapes of the outputs.  Data of constants may be read, of others only when late. */
    enum status (*prepare)(struct ref_call *call, struct diag *diag);
    /* Computes the outputs, whose shapes are those that prepare gave. */
    enum status (*eval)(struct ref_call *call, struct diag *diag);
    /* It reads the values of a sparse constant as they are stored; other ops read dense ones. */
    bool takes_sparse;
    /* Whether the output is computed when the graph is prepared (OPS.md, results of prepare). */
    enum ref_fold folds;
    size_t fold_elements; /* not where it has more elements; 0: any number */
    /* A custom op without a row in ops.def (reference/kernels/custom_ops.def): the name that models
     * give it; code is BUILTIN_CUSTOM. */
    const char *custom_name;
    /* Custom ops: fills params (zeroed) from the bytes of the options, which may be hostile, or
     * absent (NULL).  NULL: the bytes are the parameter struct; as in the runtime's delegates what
     * is missing is 0, and what is more is ignored. */
    enum status (*read_custom)(const uint8_t *bytes, size_t count, void *params, struct diag *diag);
};

struct ref_family {
    const struct ref_op *ops;
    size_t count;
};

/* NULL when no family has the op. */
const struct ref_op *ref_find(int32_t code);
const struct ref_op *ref_find_name(const char *name);
/* The custom op of this name; NULL when the reference does not have it. */
const struct ref_op *ref_find_custom(const char *name);
/* "CONV_2D", or the name of a custom op, as messages have it. */
const char *ref_title(const struct ref_op *op);
/* All ops, in the order of ops.def; NULL past the end. */
const struct ref_op *ref_at(size_t index);

/* ---- helpers for kernels ---- */

/* Fails with "CONV_2D: node 3: " before the message. */
enum status ref_fail(const struct ref_call *call, struct diag *diag, enum status s,
                     const char *format, ...) PRINTF_LIKE(4, 5);

/* Input i is present: its index is in range, and it is not an absent optional input. */
static inline bool ref_has(const struct ref_call *call, int i)
{
    return i < call->in_count && call->in[i] != NULL;
}

/* The values of input i may be read now: it is a constant, or prepare runs in invoke. */
bool ref_known(const struct ref_call *call, int i);

int ref_rank(const TfLiteTensor *t);
int32_t ref_dim(const TfLiteTensor *t, int i);
size_t ref_elements(const TfLiteTensor *t);

/* Element i of a float tensor (f32, f16) as a double. */
double ref_load(const TfLiteTensor *t, size_t i);
/* Element i of an integer tensor (i32, i64, i16, i8, u8, u32, bool, i4, i2, u4). */
int64_t ref_load_int(const TfLiteTensor *t, size_t i);

/* Stores element i of output o, rounded to its type (f32, f16), and its detail when asked for. */
void ref_store(struct ref_call *call, int o, size_t i, double value, double magnitude,
               double terms);

/* Stores element i of output o, the float result of an op that has a fused activation.  The runtime
 * clamps such results to the activation's range, which without an activation is that of the finite
 * numbers: an infinity becomes the largest number of the type, and NaN passes.  The detail keeps
 * the infinity, so that judges see an overflow. */
void ref_store_fused(struct ref_call *call, int o, size_t i, TfLiteFusedActivation act,
                     double value, double magnitude, double terms);

/* Stores element i of output o, an integer tensor: value modulo 2^bits of the type (of bool
 * whether it is not 0), and its detail when asked for. */
void ref_store_int(struct ref_call *call, int o, size_t i, int64_t value);

/* Copies count elements of x, from element `from` on, to those of output o from `to` on, which has
 * the same type. */
void ref_copy(struct ref_call *call, int o, size_t to, const TfLiteTensor *x, size_t from,
              size_t count);

/* Writes the detail of element i of output o, where one is asked for. */
void ref_store_detail(struct ref_call *call, int o, size_t i, double value, double magnitude,
                      double terms);

/* The fused activations that CPU kernels compute (none, relu, relu_n1_to_1, relu6) as a clamp; NaN
 * passes.  The others are ignored, as the runtime does. */
double ref_activation(TfLiteFusedActivation act, double x);
int64_t ref_activation_int(TfLiteFusedActivation act, int64_t x);
/* SAME and VALID: output size and padding before, along one axis (OPS.md, padding).
 * STATUS_INVALID when stride or dilation is not positive or the padding unknown, or when the window
 * does not fit (VALID), or is padded by more than INT16_MAX before it (SAME). */
struct ref_window {
    int32_t out, before;
};
bool ref_window(TfLitePadding padding, int32_t in, int32_t filter, int32_t stride, int32_t dilation,
                struct ref_window *w);

/* File code of padding (0 SAME, 1 VALID) to the runtime's; others to unknown. */
TfLitePadding ref_padding(int32_t file_code);

#endif

/* Checks that several ops make in prepare, and iteration that several kernels share: windows,
 * broadcasting, positions.
 *
 * A failed check names op, node, tensor and field, and the expected and found value.
 * STATUS_UNSUPPORTED: legal, but the kernel does not have it (types); STATUS_INVALID: breaks a rule
 * of the op. */
#ifndef ASSAY_REFERENCE_KERNELS_CHECK_H
#define ASSAY_REFERENCE_KERNELS_CHECK_H

#include "reference/kernels/op.h"

/* Input i is present, has the type, and its rank is within [min_rank, max_rank].  role is its name
 * in messages: "weights". */
enum status ref_check_in(const struct ref_call *call, struct diag *diag, int i, const char *role,
                         TfLiteType type, int min_rank, int max_rank);
/* The same for one of several types: an OR of REF_TYPE. */
#define REF_TYPE(type) (1u << kTfLite##type)
enum { REF_TYPES_FLOAT = REF_TYPE(Float32) | REF_TYPE(Float16) };
enum status ref_check_in_types(const struct ref_call *call, struct diag *diag, int i,
                               const char *role, uint32_t types, int min_rank, int max_rank);
/* The same for any type. */
enum status ref_check_shape(const struct ref_call *call, struct diag *diag, int i, const char *role,
                            int min_rank, int max_rank);
enum status ref_check_out(const struct ref_call *call, struct diag *diag, int o, TfLiteType type);
/* Elements of input i are whole bytes, so that they can be copied. */
enum status ref_check_bytes(const struct ref_call *call, struct diag *diag, int i,
                            const char *role);
/* The same, or it has one of these types (an OR of REF_TYPE) of fewer bits: ref_copy copies them.
 */
enum status ref_check_moved(const struct ref_call *call, struct diag *diag, int i, const char *role,
                            uint32_t packed);
/* Inputs and outputs are not quantized, or all have one scale and zero point, the same ones: their
 * integers can then be copied and compared without rescaling. */
enum status ref_check_same_scale(const struct ref_call *call, struct diag *diag);
/* Dimension d of input i is not 0. */
enum status ref_check_not_empty(const struct ref_call *call, struct diag *diag, int i,
                                const char *role, int d, const char *what);
/* act is an ActivationFunctionType of the schema. */
enum status ref_check_activation(const struct ref_call *call, struct diag *diag,
                                 TfLiteFusedActivation act);
/* The data of an integer input that gives a shape (axes, paddings, new shape) has all of its
 * elements.  Call it when ref_known says yes. */
enum status ref_check_data(const struct ref_call *call, struct diag *diag, int i, const char *role);

/* The sliding window of a convolution or pool over input 0, NHWC. */
struct ref_window_params {
    TfLitePadding padding;
    int32_t filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w;
    int32_t step_max; /* the largest stride and dilation; 0: any */
};
enum { REF_CONV_STEP_MAX = INT16_MAX }; /* of convolutions, as the runtime has it */
enum status ref_check_step(const struct ref_call *call, struct diag *diag, const char *what,
                           const char *axis, int32_t step, int32_t max);
enum status ref_check_windows(const struct ref_call *call, struct diag *diag,
                              const struct ref_window_params *p, struct ref_window *h,
                              struct ref_window *w);

/* The taps [begin, end) of a window at output position o that read inside the image, the first of
 * which reads index `first`; dilation is the step between two. */
struct ref_taps {
    int32_t begin, end;
    int64_t first;
};
struct ref_taps ref_taps(int32_t o, int32_t before, int32_t stride, int32_t dilation,
                         int32_t filter, int32_t in);

/* The shape that inputs 0 (a) and 1 (b), of ranks up to REF_MAX_RANK, broadcast to. */
enum status ref_broadcast(const struct ref_call *call, struct diag *diag, struct ref_shape *out);
/* Element strides of t along the dimensions of the shape that it broadcasts to; 0 where t is
 * stretched. */
void ref_broadcast_strides(const TfLiteTensor *t, int rank, size_t *strides);
/* Visits the elements of output 0 in their order; in[i] is the index of the element of input i that
 * is broadcast there, for the first `count` inputs, at most REF_BROADCAST_MAX. */
enum { REF_BROADCAST_MAX = 3 };
typedef void ref_visit(struct ref_call *call, const void *context, size_t at, const size_t *in);
void ref_broadcast_each(struct ref_call *call, int count, ref_visit *visit, const void *context);

/* out = the dims of t (rank at most REF_MAX_RANK, as checked). */
void ref_same_shape(struct ref_shape *out, const TfLiteTensor *t);

/* Sets the detail of element i of output o, which was copied from an input, from its value. */
void ref_detail_copied(struct ref_call *call, int o, size_t i);

/* Steps index (last dimension first) over all positions of dims; false after the last. */
static inline bool ref_step(int rank, const int32_t *dims, int32_t *index)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < dims[d])
            return true;
        index[d] = 0;
    }
    return false;
}

#endif

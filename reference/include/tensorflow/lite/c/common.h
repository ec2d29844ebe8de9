/* The structs that a TensorFlow Lite runtime and a delegate share: the delegate ABI.
 *
 * Layouts are those of a 64-bit (LP64) build of TensorFlow Lite / LiteRT; reference/api/abi_check.c
 * asserts every offset.  Source: the published headers' layout; the text is our own.
 *
 * Ownership: int arrays are allocated with malloc.  An array passed to ResizeTensor belongs to the
 * runtime afterwards, which frees it with free(). */
#ifndef TENSORFLOW_LITE_C_COMMON_H_
#define TENSORFLOW_LITE_C_COMMON_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/c/c_api_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct TfLiteContext;
struct TfLiteNode;
struct TfLiteRegistration;

/* An array of `size` elements. */
typedef struct TfLiteIntArray {
    int size;
#if defined(__cplusplus)
    int data[1];
#else
    int data[];
#endif
} TfLiteIntArray;

/* For kernels of the user (TfLiteInterpreterOptionsAddCustomOp): an array of `size` elements, all 0
 * (NULL when out of memory, or when size is negative), a copy of one (NULL of NULL), and its end.
 */
TFL_CAPI_EXPORT extern TfLiteIntArray *TfLiteIntArrayCreate(int size);
TFL_CAPI_EXPORT extern TfLiteIntArray *TfLiteIntArrayCopy(const TfLiteIntArray *src);
TFL_CAPI_EXPORT extern void TfLiteIntArrayFree(TfLiteIntArray *a);
/* 1 when both have the same elements, or both are NULL; else 0. */
TFL_CAPI_EXPORT extern int TfLiteIntArrayEqual(const TfLiteIntArray *a, const TfLiteIntArray *b);

typedef struct TfLiteFloatArray {
    int size;
#if defined(__cplusplus)
    float data[1];
#else
    float data[];
#endif
} TfLiteFloatArray;

typedef struct TfLiteFloat16 {
    uint16_t data; /* IEEE binary16 bits */
} TfLiteFloat16;

/* Where a tensor's data lies, and how long it is valid. */
typedef enum TfLiteAllocationType {
    kTfLiteMemNone = 0,
    kTfLiteMmapRo = 1,            /* a constant of the model */
    kTfLiteArenaRw = 2,           /* an activation: its address may be shared and may change */
    kTfLiteArenaRwPersistent = 3, /* a variable: keeps its value between invokes */
    kTfLiteDynamic = 4,           /* shape known in invoke only; allocated on its own */
    kTfLitePersistentRo = 5,      /* computed in prepare, constant afterwards */
    kTfLiteCustom = 6,            /* memory of the caller */
    kTfLiteVariantObject = 7,
    kTfLiteNonCpu = 8
} TfLiteAllocationType;

typedef enum TfLiteQuantizationType {
    kTfLiteNoQuantization = 0,
    kTfLiteAffineQuantization = 1,
    kTfLiteBlockwiseQuantization = 2,
    kTfLiteMultiAxisQuantization = 3
} TfLiteQuantizationType;

typedef struct TfLiteQuantization {
    TfLiteQuantizationType type;
    /* TfLiteAffineQuantization when type is kTfLiteAffineQuantization, TfLiteBlockwiseQuantization
     * when it is kTfLiteBlockwiseQuantization. */
    void *params;
} TfLiteQuantization;

/* scale and zero_point hold one element, or one for each index of quantized_dimension. */
typedef struct TfLiteAffineQuantization {
    TfLiteFloatArray *scale;
    TfLiteIntArray *zero_point;
    int32_t quantized_dimension;
} TfLiteAffineQuantization;

/* Indices of tensors of the same subgraph, which are no inputs of the node; zero_point -1: none.
 * The scales, f16, have an element for each blocksize elements of a row. */
typedef struct TfLiteBlockwiseQuantization {
    int32_t scale;
    int32_t zero_point;
    int32_t blocksize;
    int32_t quantized_dimension;
} TfLiteBlockwiseQuantization;

typedef enum TfLiteDimensionType {
    kTfLiteDimDense = 0,
    kTfLiteDimSparseCSR = 1
} TfLiteDimensionType;

/* A level of a sparse constant: dense_size indices, or rows of those that there are. */
typedef struct TfLiteDimensionMetadata {
    TfLiteDimensionType format;
    int dense_size;
    TfLiteIntArray *array_segments; /* of compressed rows; NULL: dense */
    TfLiteIntArray *array_indices;
} TfLiteDimensionMetadata;

typedef struct TfLiteSparsity {
    TfLiteIntArray *traversal_order; /* of the dimensions of the shape, then of the block */
    TfLiteIntArray *block_map;       /* the dimension of the shape that a block's divides */
    TfLiteDimensionMetadata *dim_metadata;
    int dim_metadata_size;
} TfLiteSparsity;

typedef union TfLitePtrUnion {
    int32_t *i32;
    uint32_t *u32;
    int64_t *i64;
    uint64_t *u64;
    float *f;
    TfLiteFloat16 *f16;
    double *f64;
    char *raw;
    const char *raw_const;
    uint8_t *uint8;
    bool *b;
    int16_t *i16;
    uint16_t *ui16;
    int8_t *int8;
    void *data;
} TfLitePtrUnion;

typedef struct TfLiteTensor {
    TfLiteType type;
    TfLitePtrUnion data;  /* NULL until allocated; constants have data from the start */
    TfLiteIntArray *dims; /* row-major, the last dimension is the fastest; NHWC for images */
    TfLiteQuantizationParams params;
    TfLiteAllocationType allocation_type;
    size_t bytes;           /* of data */
    const void *allocation; /* the runtime's own */
    const char *name;
    TfLiteDelegate *delegate; /* owner of buffer_handle; NULL: none */
    TfLiteBufferHandle buffer_handle;
    bool data_is_stale; /* the bytes in data are older than those behind buffer_handle */
    bool is_variable;
    TfLiteQuantization quantization;
    TfLiteSparsity *sparsity;             /* data holds stored values; NULL: dense */
    const TfLiteIntArray *dims_signature; /* -1 where a dimension is not fixed; may be NULL */
} TfLiteTensor;

typedef struct TfLiteNode {
    TfLiteIntArray *inputs; /* tensor indices; -1: optional input absent */
    TfLiteIntArray *outputs;
    TfLiteIntArray *intermediates;
    TfLiteIntArray *temporaries;
    void *user_data;    /* what the registration's init returned */
    void *builtin_data; /* parameters: a struct of builtin_op_data.h, or NULL */
    const void *custom_initial_data;
    int custom_initial_data_size;
    TfLiteDelegate *delegate; /* the delegate whose kernel this node is; NULL: none */
    bool might_have_side_effect;
} TfLiteNode;

/* The functions of a kernel; members that are not used are zero. */
typedef struct TfLiteRegistration {
    /* Returns user_data.  For a delegate kernel buffer is a const TfLiteDelegateParams* and length
     * 0; a kernel whose init failed returns TfLiteKernelInitFailed(). */
    void *(*init)(struct TfLiteContext *context, const char *buffer, size_t length);
    void (*free)(struct TfLiteContext *context, void *user_data);
    TfLiteStatus (*prepare)(struct TfLiteContext *context, struct TfLiteNode *node);
    TfLiteStatus (*invoke)(struct TfLiteContext *context, struct TfLiteNode *node);
    const char *(*profiling_string)(const struct TfLiteContext *context,
                                    const struct TfLiteNode *node);
    int32_t builtin_code; /* BuiltinOperator of the schema; 51 for a delegate kernel */
    const char *custom_name;
    int version;
    void *registration_external;
    void *async_kernel;
    uint64_t inplace_operator;
} TfLiteRegistration;

/* The argument of a delegate kernel's init: the nodes that it replaces. */
typedef struct TfLiteDelegateParams {
    TfLiteDelegate *delegate;
    TfLiteIntArray *nodes_to_replace;
    TfLiteIntArray *input_tensors;  /* sorted; constants included */
    TfLiteIntArray *output_tensors; /* those read outside, and outputs of the graph */
} TfLiteDelegateParams;

typedef struct TfLiteExternalContext TfLiteExternalContext;
typedef int TfLiteExternalContextType;
typedef struct TfLiteEvalTensor TfLiteEvalTensor;

/* The runtime as a delegate sees it. */
typedef struct TfLiteContext {
    size_t tensors_size;
    /* *plan: node indices in execution order; owned by the runtime, overwritten by later calls. */
    TfLiteStatus (*GetExecutionPlan)(struct TfLiteContext *context, TfLiteIntArray **plan);
    TfLiteTensor *tensors; /* re-read after AddTensors: it may move */
    void *impl_;
    /* Takes ownership of new_size, also when it fails. */
    TfLiteStatus (*ResizeTensor)(struct TfLiteContext *context, TfLiteTensor *tensor,
                                 TfLiteIntArray *new_size);
    void (*ReportError)(struct TfLiteContext *context, const char *format, ...);
    TfLiteStatus (*AddTensors)(struct TfLiteContext *context, int tensors_to_add,
                               int *first_new_tensor_index);
    TfLiteStatus (*GetNodeAndRegistration)(struct TfLiteContext *context, int node_index,
                                           TfLiteNode **node, TfLiteRegistration **registration);
    /* Replaces each independent subset of the nodes by one node that runs registration. */
    TfLiteStatus (*ReplaceNodeSubsetsWithDelegateKernels)(struct TfLiteContext *context,
                                                          TfLiteRegistration registration,
                                                          const TfLiteIntArray *nodes_to_replace,
                                                          TfLiteDelegate *delegate);
    int recommended_num_threads; /* -1: not set */
    TfLiteExternalContext *(*GetExternalContext)(struct TfLiteContext *context,
                                                 TfLiteExternalContextType type);
    void (*SetExternalContext)(struct TfLiteContext *context, TfLiteExternalContextType type,
                               TfLiteExternalContext *external);
    bool allow_fp32_relax_to_fp16;
    void *profiler;
    /* The next four belong to the microcontroller runtime: NULL here. */
    void *(*AllocatePersistentBuffer)(struct TfLiteContext *context, size_t bytes);
    TfLiteStatus (*AllocateBufferForEval)(struct TfLiteContext *context, size_t bytes, void **p);
    TfLiteStatus (*RequestScratchBufferInArena)(struct TfLiteContext *context, size_t bytes,
                                                int *buffer_index);
    void *(*GetScratchBuffer)(struct TfLiteContext *context, int buffer_index);
    /* May be NULL: prefer ResizeTensor. */
    TfLiteStatus (*ResizeTensorExplicit)(struct TfLiteContext *context, TfLiteTensor *tensor,
                                         int rank, const int *shape);
    /* What Replace... would do with these nodes; the result is owned by the runtime. */
    TfLiteStatus (*PreviewDelegatePartitioning)(struct TfLiteContext *context,
                                                const TfLiteIntArray *nodes_to_replace,
                                                TfLiteDelegateParams **partition_params_array,
                                                int *num_partitions);
    /* NULL here: use tensors[i]. */
    TfLiteTensor *(*GetTensor)(const struct TfLiteContext *context, int tensor_index);
    TfLiteEvalTensor *(*GetEvalTensor)(const struct TfLiteContext *context, int tensor_index);
    TfLiteStatus (*GetModelMetadata)(const struct TfLiteContext *context, const char *name,
                                     const char **ptr, size_t *bytes);
    TfLiteStatus (*AcquireSubgraphContext)(struct TfLiteContext *context, int subgraph_index,
                                           struct TfLiteContext **acquired_context);
    TfLiteStatus (*ReleaseSubgraphContext)(struct TfLiteContext *context, int subgraph_index);
} TfLiteContext;

typedef enum TfLiteDelegateFlags {
    kTfLiteDelegateFlagsNone = 0,
    kTfLiteDelegateFlagsAllowDynamicTensors = 1,
    kTfLiteDelegateFlagsRequirePropagatedShapes = 2,
    kTfLiteDelegateFlagsPerOperatorProfiling = 4,
    kTfLiteDelegateFlagsHintFullyDelegatedToSingleDelegate = 8
} TfLiteDelegateFlags;

struct TfLiteDelegate {
    void *data_; /* the delegate's own */
    /* Looks at the graph and calls ReplaceNodeSubsetsWithDelegateKernels, once at most. */
    TfLiteStatus (*Prepare)(TfLiteContext *context, TfLiteDelegate *delegate);
    /* Optional: bring the bytes behind a handle to tensor->data, and back. */
    TfLiteStatus (*CopyFromBufferHandle)(TfLiteContext *context, TfLiteDelegate *delegate,
                                         TfLiteBufferHandle handle, TfLiteTensor *tensor);
    TfLiteStatus (*CopyToBufferHandle)(TfLiteContext *context, TfLiteDelegate *delegate,
                                       TfLiteBufferHandle handle, TfLiteTensor *tensor);
    void (*FreeBufferHandle)(TfLiteContext *context, TfLiteDelegate *delegate,
                             TfLiteBufferHandle *handle);
    int64_t flags;                 /* TfLiteDelegateFlags */
    void *opaque_delegate_builder; /* NULL */
};

/* What init returns when it failed. */
static inline void *TfLiteKernelInitFailed(void)
{
    return (void *)(intptr_t)-1;
}

#ifdef __cplusplus
}
#endif

#endif

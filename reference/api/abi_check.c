/* The layouts that the delegate ABI fixes, asserted: a build in which one differs does not
 * compile.  Values: LP64 (x86-64 and AArch64 Linux).  Of 32-bit machines there is no runtime to
 * measure: there they are what the compiler makes of the same structs. */
#include "reference/base/builtin.h"
#include "tensorflow/lite/builtin_ops.h"
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/c/common.h"

#include <stddef.h>

#define LP64(condition, text) _Static_assert(sizeof(void *) != 8 || (condition), text)
#define AT(type, member, offset)                                                                   \
    LP64(offsetof(type, member) == (offset), #type "." #member " is not at " #offset)
#define SIZE(type, bytes) LP64(sizeof(type) == (bytes), #type " is not " #bytes " bytes")

/* The codes are those of the schema, each one more than the one before. */
#define CODE(name, code) _Static_assert((int)kTfLiteBuiltin##name == (code), #name)
CODE(Add, BUILTIN_ADD);
CODE(Custom, BUILTIN_CUSTOM);
CODE(Relu0To1, BUILTIN_RELU_0_TO_1);
CODE(StablehloCase, BUILTIN_COUNT - 1);

SIZE(TfLiteStatus, 4);
SIZE(TfLiteType, 4);
SIZE(bool, 1);
AT(TfLiteIntArray, data, 4);
AT(TfLiteFloatArray, data, 4);
SIZE(TfLiteQuantizationParams, 8);

SIZE(TfLiteQuantization, 16);
AT(TfLiteQuantization, params, 8);
SIZE(TfLiteAffineQuantization, 24);
AT(TfLiteAffineQuantization, zero_point, 8);
AT(TfLiteAffineQuantization, quantized_dimension, 16);
SIZE(TfLiteBlockwiseQuantization, 16);
AT(TfLiteBlockwiseQuantization, zero_point, 4);
AT(TfLiteBlockwiseQuantization, blocksize, 8);
AT(TfLiteBlockwiseQuantization, quantized_dimension, 12);

SIZE(TfLiteDimensionMetadata, 24);
AT(TfLiteDimensionMetadata, array_segments, 8);
AT(TfLiteDimensionMetadata, array_indices, 16);
SIZE(TfLiteSparsity, 32);
AT(TfLiteSparsity, block_map, 8);
AT(TfLiteSparsity, dim_metadata, 16);
AT(TfLiteSparsity, dim_metadata_size, 24);

SIZE(TfLiteTensor, 112);
AT(TfLiteTensor, type, 0);
AT(TfLiteTensor, data, 8);
AT(TfLiteTensor, dims, 16);
AT(TfLiteTensor, params, 24);
AT(TfLiteTensor, allocation_type, 32);
AT(TfLiteTensor, bytes, 40);
AT(TfLiteTensor, allocation, 48);
AT(TfLiteTensor, name, 56);
AT(TfLiteTensor, delegate, 64);
AT(TfLiteTensor, buffer_handle, 72);
AT(TfLiteTensor, data_is_stale, 76);
AT(TfLiteTensor, is_variable, 77);
AT(TfLiteTensor, quantization, 80);
AT(TfLiteTensor, sparsity, 96);
AT(TfLiteTensor, dims_signature, 104);

SIZE(TfLiteNode, 80);
AT(TfLiteNode, inputs, 0);
AT(TfLiteNode, outputs, 8);
AT(TfLiteNode, intermediates, 16);
AT(TfLiteNode, temporaries, 24);
AT(TfLiteNode, user_data, 32);
AT(TfLiteNode, builtin_data, 40);
AT(TfLiteNode, custom_initial_data, 48);
AT(TfLiteNode, custom_initial_data_size, 56);
AT(TfLiteNode, delegate, 64);
AT(TfLiteNode, might_have_side_effect, 72);

SIZE(TfLiteRegistration, 88);
AT(TfLiteRegistration, init, 0);
AT(TfLiteRegistration, free, 8);
AT(TfLiteRegistration, prepare, 16);
AT(TfLiteRegistration, invoke, 24);
AT(TfLiteRegistration, profiling_string, 32);
AT(TfLiteRegistration, builtin_code, 40);
AT(TfLiteRegistration, custom_name, 48);
AT(TfLiteRegistration, version, 56);
AT(TfLiteRegistration, registration_external, 64);
AT(TfLiteRegistration, async_kernel, 72);
AT(TfLiteRegistration, inplace_operator, 80);

SIZE(TfLiteDelegate, 56);
AT(TfLiteDelegate, data_, 0);
AT(TfLiteDelegate, Prepare, 8);
AT(TfLiteDelegate, CopyFromBufferHandle, 16);
AT(TfLiteDelegate, CopyToBufferHandle, 24);
AT(TfLiteDelegate, FreeBufferHandle, 32);
AT(TfLiteDelegate, flags, 40);
AT(TfLiteDelegate, opaque_delegate_builder, 48);

SIZE(TfLiteDelegateParams, 32);
AT(TfLiteDelegateParams, delegate, 0);
AT(TfLiteDelegateParams, nodes_to_replace, 8);
AT(TfLiteDelegateParams, input_tensors, 16);
AT(TfLiteDelegateParams, output_tensors, 24);

SIZE(TfLiteContext, 200);
AT(TfLiteContext, tensors_size, 0);
AT(TfLiteContext, GetExecutionPlan, 8);
AT(TfLiteContext, tensors, 16);
AT(TfLiteContext, impl_, 24);
AT(TfLiteContext, ResizeTensor, 32);
AT(TfLiteContext, ReportError, 40);
AT(TfLiteContext, AddTensors, 48);
AT(TfLiteContext, GetNodeAndRegistration, 56);
AT(TfLiteContext, ReplaceNodeSubsetsWithDelegateKernels, 64);
AT(TfLiteContext, recommended_num_threads, 72);
AT(TfLiteContext, GetExternalContext, 80);
AT(TfLiteContext, SetExternalContext, 88);
AT(TfLiteContext, allow_fp32_relax_to_fp16, 96);
AT(TfLiteContext, profiler, 104);
AT(TfLiteContext, AllocatePersistentBuffer, 112);
AT(TfLiteContext, AllocateBufferForEval, 120);
AT(TfLiteContext, RequestScratchBufferInArena, 128);
AT(TfLiteContext, GetScratchBuffer, 136);
AT(TfLiteContext, ResizeTensorExplicit, 144);
AT(TfLiteContext, PreviewDelegatePartitioning, 152);
AT(TfLiteContext, GetTensor, 160);
AT(TfLiteContext, GetEvalTensor, 168);
AT(TfLiteContext, GetModelMetadata, 176);
AT(TfLiteContext, AcquireSubgraphContext, 184);
AT(TfLiteContext, ReleaseSubgraphContext, 192);

SIZE(TfLiteConvParams, 28);
SIZE(TfLiteDepthwiseConvParams, 28);
SIZE(TfLitePoolParams, 40);
SIZE(TfLiteFullyConnectedParams, 16);
AT(TfLiteFullyConnectedParams, quantized_bias_type, 12);
SIZE(TfLiteSoftmaxParams, 4);
SIZE(TfLiteConcatenationParams, 8);
SIZE(TfLiteAddParams, 8);
SIZE(TfLiteSubParams, 8);
SIZE(TfLiteMulParams, 4);
SIZE(TfLiteDivParams, 4);
SIZE(TfLiteLSTMParams, 20);
SIZE(TfLiteUnidirectionalSequenceLSTMParams, 16);
AT(TfLiteUnidirectionalSequenceLSTMParams, time_major, 12);
SIZE(TfLiteResizeBilinearParams, 2);
SIZE(TfLiteResizeNearestNeighborParams, 2);
SIZE(TfLiteReshapeParams, 36);
SIZE(TfLiteSqueezeParams, 36);
SIZE(TfLiteStridedSliceParams, 24);
SIZE(TfLiteTransposeConvParams, 20);
SIZE(TfLiteSVDFParams, 12);
SIZE(TfLiteReducerParams, 1);
SIZE(TfLiteGatherParams, 8);
SIZE(TfLiteSplitParams, 4);
SIZE(TfLiteSplitVParams, 4);
SIZE(TfLitePackParams, 8);
SIZE(TfLiteUnpackParams, 8);
SIZE(TfLiteShapeParams, 4);
SIZE(TfLiteCastParams, 8);
SIZE(TfLiteArgMaxParams, 4);
SIZE(TfLiteLeakyReluParams, 4);
SIZE(TfLiteGeluParams, 1);
SIZE(TfLiteBatchMatMulParams, 3);
SIZE(TfLiteMirrorPaddingParams, 4);
SIZE(TfLiteSpaceToDepthParams, 4);
SIZE(TfLiteDepthToSpaceParams, 4);
SIZE(TfLiteIfParams, 8);
SIZE(TfLiteWhileParams, 8);
SIZE(TfLiteCallOnceParams, 4);
SIZE(TfLiteVarHandleParams, 16);
SIZE(TfLiteStablehloCompositeParams, 40);

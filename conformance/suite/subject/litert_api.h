/* LiteRT's C API, as libLiteRt.so exports it: the types and functions that the suite uses.
 *
 * Declared here once more, in C11, since the ABI is what counts: the sizes and offsets that the
 * library was compiled with are asserted in litert_api.c.  The library is loaded with dlopen, so
 * that the program runs without it. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_API_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_API_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What brings the library that this file was written for. */
#define LITERT_PIP_LINE "python3 -m pip install ai-edge-litert==2.3.0"

enum { LITERT_OK = 0, LITERT_ERROR_UNSUPPORTED = 5, LITERT_ERROR_COMPILATION = 504 };

enum { LITERT_RANK_MAX = 8, LITERT_HOST_ALIGNMENT = 64 };

/* Bits of a set of hardware accelerators. */
enum { LITERT_CPU = 1, LITERT_GPU = 2, LITERT_NPU = 4 };

/* Of requirements: the one kind of memory that a caller can hand in on every platform. */
enum { LITERT_BUFFER_HOST_MEMORY = 1 };

enum { LITERT_LOCK_READ = 0, LITERT_LOCK_WRITE = 1, LITERT_LOCK_READ_WRITE = 2 };

struct litert_any {
    int32_t type; /* LITERT_ANY_... */
    union {
        bool bool_value;
        int64_t int_value;
        double real_value;
        const char *str_value;
        const void *ptr_value;
    };
};
enum { LITERT_ANY_INT = 2, LITERT_ANY_STRING = 8, LITERT_ANY_POINTER = 9 };

struct litert_env_option {
    int32_t tag; /* LITERT_ENV_... */
    struct litert_any value;
};
enum {
    LITERT_ENV_COMPILER_PLUGIN_DIR = 0,
    LITERT_ENV_DISPATCH_DIR = 1,
    LITERT_ENV_RUNTIME_DIR = 22,
    LITERT_ENV_AUTO_REGISTER = 24, /* bits of the accelerators that are looked for */
    LITERT_ENV_MIN_LOG_SEVERITY = 25,
    LITERT_ENV_GPU_ACCELERATOR = 30 /* a struct litert_accelerator_def of the caller */
};

struct litert_layout {
    unsigned int rank : 7;
    unsigned int has_strides : 1;
    int32_t dimensions[LITERT_RANK_MAX];
    uint32_t strides[LITERT_RANK_MAX];
};

struct litert_tensor_type {
    int32_t element_type; /* the number of the TfLiteType */
    struct litert_layout layout;
};

struct litert_api_version {
    int major, minor, patch;
};

struct litert_abi_header {
    uint16_t struct_size, major_version, minor_version, reserved;
};

/* What a library exports as LiteRtAcceleratorImpl. */
struct litert_accelerator_def {
    struct litert_abi_header abi_header;
    int (*get_name)(const void *accelerator, const char **name);
    int (*get_version)(const void *accelerator, struct litert_api_version *version);
    int (*get_hardware_support)(const void *accelerator, int *set);
    int (*is_tflite_delegate_responsible_for_jit_compilation)(const void *accelerator, bool *jit);
    int (*create_delegate)(void *runtime_context, void *environment, const void *accelerator,
                           void *options, void *delegate_wrapper);
    int (*start_metrics_collection)(void *runtime_context, void *delegate, int detail);
    int (*stop_metrics_collection)(void *runtime_context, void *delegate, void *metrics);
    struct {
        struct litert_abi_header abi_header;
        void (*functions[6])(void);
        int32_t device_tag, queue_tag;
        size_t supported_count;
        int32_t supported[16];
    } buffer_handlers;
};

/* Handles. */
struct litert_environment;
struct litert_accelerator;
struct litert_model_file;
struct litert_signature;
struct litert_tensor;
struct litert_options;
struct litert_opaque_options;
struct litert_compiled_model;
struct litert_requirements;
struct litert_buffer;

/* X(field, symbol, result, parameters): all must be exported. */
#define LITERT_FUNCTIONS(X)                                                                        \
    X(create_environment, LiteRtCreateEnvironment, int,                                            \
      (int count, const struct litert_env_option *options, struct litert_environment **out))       \
    X(destroy_environment, LiteRtDestroyEnvironment, void, (struct litert_environment *))          \
    X(get_num_accelerators, LiteRtGetNumAccelerators, int,                                         \
      (struct litert_environment *, size_t * count))                                               \
    X(get_accelerator, LiteRtGetAccelerator, int,                                                  \
      (struct litert_environment *, size_t index, struct litert_accelerator * *out))               \
    X(get_accelerator_name, LiteRtGetAcceleratorName, int,                                         \
      (struct litert_accelerator *, const char **name))                                            \
    X(get_accelerator_version, LiteRtGetAcceleratorVersion, int,                                   \
      (struct litert_accelerator *, struct litert_api_version *))                                  \
    X(get_accelerator_hardware, LiteRtGetAcceleratorHardwareSupport, int,                          \
      (struct litert_accelerator *, int *set))                                                     \
    X(create_model_from_buffer, LiteRtCreateModelFromBuffer, int,                                  \
      (struct litert_environment *, const void *bytes, size_t count,                               \
       struct litert_model_file **out))                                                            \
    X(destroy_model, LiteRtDestroyModel, void, (struct litert_model_file *))                       \
    X(get_signature, LiteRtGetModelSignature, int,                                                 \
      (struct litert_model_file *, size_t index, struct litert_signature * *out))                  \
    X(get_num_inputs, LiteRtGetNumSignatureInputs, int, (struct litert_signature *, size_t *))     \
    X(get_num_outputs, LiteRtGetNumSignatureOutputs, int, (struct litert_signature *, size_t *))   \
    X(get_input, LiteRtGetSignatureInputTensorByIndex, int,                                        \
      (struct litert_signature *, size_t index, struct litert_tensor * *out))                      \
    X(get_output, LiteRtGetSignatureOutputTensorByIndex, int,                                      \
      (struct litert_signature *, size_t index, struct litert_tensor * *out))                      \
    X(get_tensor_type, LiteRtGetRankedTensorType, int,                                             \
      (struct litert_tensor *, struct litert_tensor_type *))                                       \
    X(create_options, LiteRtCreateOptions, int, (struct litert_options * *out))                    \
    X(destroy_options, LiteRtDestroyOptions, void, (struct litert_options *))                      \
    X(set_hardware, LiteRtSetOptionsHardwareAccelerators, int, (struct litert_options *, int set)) \
    X(add_opaque_options, LiteRtAddOpaqueOptions, int,                                             \
      (struct litert_options *, struct litert_opaque_options *))                                   \
    X(create_opaque_options, LiteRtCreateOpaqueOptions, int,                                       \
      (const char *identifier, void *payload, void (*destroy)(void *payload),                      \
       struct litert_opaque_options **out))                                                        \
    X(destroy_opaque_options, LiteRtDestroyOpaqueOptions, void, (struct litert_opaque_options *))  \
    X(create_compiled_model, LiteRtCreateCompiledModel, int,                                       \
      (struct litert_environment *, struct litert_model_file *, struct litert_options *,           \
       struct litert_compiled_model * *out))                                                       \
    X(destroy_compiled_model, LiteRtDestroyCompiledModel, void, (struct litert_compiled_model *))  \
    X(is_fully_accelerated, LiteRtCompiledModelIsFullyAccelerated, int,                            \
      (struct litert_compiled_model *, bool *fully))                                               \
    X(is_non_cpu_fully_accelerated, LiteRtCompiledModelIsNonCpuFullyAccelerated, int,              \
      (struct litert_compiled_model *, bool *fully))                                               \
    X(get_input_layout, LiteRtGetCompiledModelInputTensorLayout, int,                              \
      (struct litert_compiled_model *, size_t signature, size_t index, struct litert_layout *))    \
    X(get_output_layouts, LiteRtGetCompiledModelOutputTensorLayouts, int,                          \
      (struct litert_compiled_model *, size_t signature, size_t count, struct litert_layout *,     \
       bool update_allocation))                                                                    \
    X(get_input_requirements, LiteRtGetCompiledModelInputBufferRequirements, int,                  \
      (struct litert_compiled_model *, size_t signature, size_t index,                             \
       struct litert_requirements * *out))                                                         \
    X(get_output_requirements, LiteRtGetCompiledModelOutputBufferRequirements, int,                \
      (struct litert_compiled_model *, size_t signature, size_t index,                             \
       struct litert_requirements * *out))                                                         \
    X(get_num_buffer_types, LiteRtGetNumTensorBufferRequirementsSupportedBufferTypes, int,         \
      (struct litert_requirements *, int *count))                                                  \
    X(get_buffer_type, LiteRtGetTensorBufferRequirementsSupportedTensorBufferType, int,            \
      (struct litert_requirements *, int index, int *type))                                        \
    X(get_buffer_size, LiteRtGetTensorBufferRequirementsBufferSize, int,                           \
      (struct litert_requirements *, size_t * bytes))                                              \
    X(get_alignment, LiteRtGetTensorBufferRequirementsAlignment, int,                              \
      (struct litert_requirements *, size_t * alignment))                                          \
    X(create_host_buffer, LiteRtCreateTensorBufferFromHostMemory, int,                             \
      (const struct litert_tensor_type *, void *memory, size_t bytes, void (*release)(void *),     \
       struct litert_buffer **out))                                                                \
    X(create_managed_buffer, LiteRtCreateManagedTensorBufferFromRequirements, int,                 \
      (struct litert_environment *, const struct litert_tensor_type *,                             \
       struct litert_requirements *, struct litert_buffer **out))                                  \
    X(destroy_buffer, LiteRtDestroyTensorBuffer, void, (struct litert_buffer *))                   \
    X(lock_buffer, LiteRtLockTensorBuffer, int, (struct litert_buffer *, void **memory, int mode)) \
    X(unlock_buffer, LiteRtUnlockTensorBuffer, int, (struct litert_buffer *))                      \
    X(run, LiteRtRunCompiledModel, int,                                                            \
      (struct litert_compiled_model *, size_t signature, size_t input_count,                       \
       struct litert_buffer * *inputs, size_t output_count, struct litert_buffer * *outputs))

struct litert_api {
    void *library;    /* from dlopen */
    char version[32]; /* of the wheel that the library lies in; empty: not known */
#define X(field, symbol, result, parameters) result(*field) parameters;
    LITERT_FUNCTIONS(X)
#undef X
};

/* Loads the library.  STATUS_IO: dlopen refuses it, or a symbol is missing, which is named. */
enum status litert_api_open(struct litert_api *api, const char *path, struct diag *diag);
/* Takes any half-opened one. */
void litert_api_close(struct litert_api *api);

/* "kLiteRtStatusErrorCompilation" and the like. */
const char *litert_status_name(int status);

/* Finds the version in the name of the wheel's metadata, beside the package that the library lies
 * in; empty where there is none.  The C API itself does not tell. */
void litert_find_version(const char *path, char *version, size_t bytes);
/* Whether this file was written and tested for the version. */
bool litert_is_known_version(const char *version);

#endif

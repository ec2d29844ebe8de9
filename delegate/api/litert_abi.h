/* The part of LiteRT's accelerator ABI, major version 1, that the delegate uses: our own
 * declarations, so that no header of LiteRT is needed.  Functions that the delegate does not call
 * are members without a type. */
#ifndef ASSAY_DELEGATE_API_LITERT_ABI_H
#define ASSAY_DELEGATE_API_LITERT_ABI_H

#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A layout of LiteRT, which is there on 64-bit machines alone. */
#define LITERT_LP64(condition, text) _Static_assert(sizeof(void *) != 8 || (condition), text)

enum { LITERT_ABI_MAJOR = 1 };

/* LiteRtStatus */
enum {
    LITERT_OK = 0,
    LITERT_INVALID_ARGUMENT = 1,
    LITERT_NO_MEMORY = 2,
    LITERT_RUNTIME_FAILURE = 3,
    LITERT_UNSUPPORTED = 5,
    LITERT_NOT_FOUND = 6,
    LITERT_WRONG_VERSION = 8
};

/* LiteRtHwAccelerators */
enum { LITERT_HARDWARE_GPU = 2 };

/* LiteRtTensorBufferType.  100 to 199 belong to makers of buffers; this one is ours. */
enum { LITERT_BUFFER_HOST_MEMORY = 1, LITERT_BUFFER_ASSAY = 160 };

/* LiteRtEnvOptionTag */
enum { LITERT_ENV_OPTION_NONE = 255 };

/* LiteRtEventType */
enum { LITERT_EVENT_CUSTOM = 5 };

/* TfLiteExternalContextType */
enum { LITERT_BUFFER_CONTEXT = 4 };

struct litert_header {
    uint16_t struct_size, major, minor, reserved;
};

struct litert_version {
    int major, minor, patch;
};

typedef struct litert_handle *litert_handle; /* of an object of LiteRT */
typedef void (*litert_unused)(void);

/* LiteRtCustomEventT.  A returned event is released by LiteRT. */
struct litert_event {
    void (*retain)(struct litert_event *e);
    void (*release)(struct litert_event *e);
    void (*wait)(struct litert_event *e, int64_t timeout_ms);
    int (*is_signaled)(struct litert_event *e);
    void *(*get_native)(struct litert_event *e);
};
LITERT_LP64(sizeof(struct litert_event) == 40, "LiteRtCustomEventT");

/* LiteRtRuntimeContext up to wait_event: what LiteRT does for an accelerator. */
struct litert_runtime {
    struct litert_header header;
    int (*create_requirements)(int type_count, const int *types, size_t bytes, int stride_count,
                               const uint32_t *strides, litert_handle *requirements);
    int (*get_buffer)(void *buffers, const TfLiteTensor *t, litert_handle *buffer);
    litert_unused unused_24[3];
    int (*register_requirements)(void *buffers, const TfLiteTensor *t, litert_handle requirements);
    int (*get_environment)(void *buffers, litert_handle *environment);
    int (*is_async)(void *buffers, bool *async);
    litert_unused unused_72;
    int (*get_opaque_options)(litert_handle options, litert_handle *opaque);
    int (*find_opaque_data)(litert_handle opaque, const char *name, void **data);
    litert_unused unused_96[6];
    int (*wrap_delegate)(TfLiteDelegate *delegate, void (*deleter)(TfLiteDelegate *),
                         litert_handle *wrapper);
    litert_unused unused_152[3];
    void (*destroy_buffer)(litert_handle buffer);
    int (*get_type)(litert_handle buffer, int *type);
    litert_unused unused_192;
    int (*get_size)(litert_handle buffer, size_t *bytes);
    litert_unused unused_208;
    int (*get_offset)(litert_handle buffer, size_t *offset);
    litert_unused unused_224[2];
    int (*get_host_memory)(litert_handle buffer, void **memory);
    litert_unused unused_248[2];
    int (*get_custom_handle)(litert_handle buffer, void **handle);
    litert_unused unused_272[3];
    int (*has_event)(litert_handle buffer, bool *has);
    int (*get_event)(litert_handle buffer, litert_handle *event);
    int (*set_event)(litert_handle buffer, litert_handle event);
    int (*create_event)(litert_handle environment, int type, litert_handle *event);
    litert_unused unused_328[5];
    int (*set_custom_event)(litert_handle event, struct litert_event *custom);
    litert_unused unused_376;
    int (*wait_event)(litert_handle event, int64_t timeout_ms);
};
LITERT_LP64(sizeof(struct litert_runtime) == 392, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, create_requirements) == 8, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, get_buffer) == 16, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, register_requirements) == 48, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, get_environment) == 56, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, is_async) == 64, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, get_opaque_options) == 80, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, find_opaque_data) == 88, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, wrap_delegate) == 144, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, destroy_buffer) == 176, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, get_type) == 184, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, get_size) == 200, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, get_offset) == 216, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, get_host_memory) == 240, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, get_custom_handle) == 264, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, has_event) == 296, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, get_event) == 304, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, set_event) == 312, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, create_event) == 320, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, set_custom_event) == 368, "LiteRtRuntimeContext");
LITERT_LP64(offsetof(struct litert_runtime, wait_event) == 384, "LiteRtRuntimeContext");

/* HwMemoryInfo: the begin of what a maker of buffers returns for one of them. */
struct litert_memory {
    void *handle, *raw_handle;
};

/* LiteRtCustomTensorBufferHandlersDef: how buffers of the maker's own type are made.  device and
 * queue are options of the environment, which these functions do not ask for. */
struct litert_buffer_handlers {
    struct litert_header header;
    int (*create)(void *device, void *queue, const void *tensor_type, int type, size_t bytes,
                  size_t packed_bytes, struct litert_memory **memory);
    int (*destroy)(struct litert_memory *memory);
    int (*lock)(struct litert_memory *memory, int mode, void **address);
    int (*unlock)(struct litert_memory *memory);
    int (*clear)(struct litert_memory *memory);
    litert_unused import;
    int device_tag, queue_tag;
    size_t type_count;
    int types[16];
};
LITERT_LP64(sizeof(struct litert_buffer_handlers) == 136, "LiteRtCustomTensorBufferHandlersDef");
LITERT_LP64(offsetof(struct litert_buffer_handlers, device_tag) == 56,
            "LiteRtCustomTensorBufferHandlersDef");
LITERT_LP64(offsetof(struct litert_buffer_handlers, type_count) == 64,
            "LiteRtCustomTensorBufferHandlersDef");
LITERT_LP64(offsetof(struct litert_buffer_handlers, types) == 72,
            "LiteRtCustomTensorBufferHandlersDef");

/* LiteRtAcceleratorDefV1 */
struct litert_accelerator {
    struct litert_header header;
    int (*get_name)(litert_handle accelerator, const char **name);
    int (*get_version)(litert_handle accelerator, struct litert_version *version);
    int (*get_hardware)(litert_handle accelerator, int *hardware);
    int (*compiles)(litert_handle accelerator, bool *compiles);
    int (*create_delegate)(struct litert_runtime *runtime, litert_handle environment,
                           litert_handle accelerator, litert_handle options,
                           litert_handle *wrapper);
    litert_unused start_metrics, stop_metrics;
    struct litert_buffer_handlers buffers;
};
LITERT_LP64(sizeof(struct litert_accelerator) == 200, "LiteRtAcceleratorDefV1");
LITERT_LP64(offsetof(struct litert_accelerator, create_delegate) == 40, "LiteRtAcceleratorDefV1");
LITERT_LP64(offsetof(struct litert_accelerator, buffers) == 64, "LiteRtAcceleratorDefV1");

#endif

/* libassay_delegate.so: a Vulkan delegate for TensorFlow Lite (LiteRT) - its own API.
 *
 * The delegate is made by any of three ways, which give the same object:
 *   - the plug-in ABI, tflite_plugin_create_delegate (what load_delegate() in Python and
 *     --external_delegate_path use), with options as strings;
 *   - assay_gpu_delegate_create below;
 *   - TfLiteGpuDelegateV2Create (tensorflow/lite/delegates/gpu/delegate.h).
 * All need libvulkan at run time and nothing of TensorFlow Lite but its structs.
 *
 * Every struct begins with its size, as the caller knows it: set struct_size before the call; what
 * a newer library adds behind is not written.  Strings are owned by the library and valid as said.
 * All functions may be called from any thread, at once: an interpreter is used by one thread at a
 * time, but which one does not matter, and any number of them may share a delegate.  Functions that
 * take a delegate say so (-1, 0, NULL) when it is not one of ours.
 *
 * The library stays loaded once it is (dlclose does nothing), and keeps one VkInstance; a VkDevice
 * lives as long as a delegate or a partition uses it.  A forked process may use the library, but no
 * delegate of its parent. */
#ifndef ASSAY_GPU_H
#define ASSAY_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASSAY_GPU_EXPORT __attribute__((visibility("default")))
#else
#define ASSAY_GPU_EXPORT
#endif

/* "0.1.0" */
ASSAY_GPU_EXPORT const char *assay_gpu_version(void);

/* ---- create and destroy ---- */

/* What of a given device is enabled. */
enum assay_gpu_enabled {
    ASSAY_GPU_ENABLED_STORAGE_16BIT = 1,           /* storageBuffer16BitAccess: precision=fp16 */
    ASSAY_GPU_ENABLED_EXTERNAL_MEMORY_FD = 2,      /* VK_KHR_external_memory_fd */
    ASSAY_GPU_ENABLED_EXTERNAL_MEMORY_DMA_BUF = 4, /* and VK_EXT_external_memory_dma_buf */
    ASSAY_GPU_ENABLED_INTEGER_DOT_PRODUCT = 8      /* shaderIntegerDotProduct */
};

/* For assay_gpu_delegate_create; a caller's struct may end before `instance`, or any later field.
 */
struct assay_gpu_options {
    size_t struct_size;
    /* Options as key=value strings; the keys are those of assay_gpu_option_help.  Arrays of count
     * strings, needed during the call only. */
    const char *const *keys, *const *values;
    size_t count;
    /* A Vulkan device of the caller, all NULL: the delegate opens one.  The caller destroys it,
     * after the delegate.  Vulkan 1.1 at least; a queue that computes.  The lock functions, which
     * may be NULL where no other thread uses the queue, are called round every use of it. */
    void *instance;        /* VkInstance */
    void *physical_device; /* VkPhysicalDevice */
    void *device;          /* VkDevice */
    void *queue;           /* VkQueue */
    uint32_t queue_family;
    uint32_t enabled; /* enum assay_gpu_enabled, added up */
    void (*lock_queue)(void *user), (*unlock_queue)(void *user);
    void *lock_user;
};

/* options NULL: the defaults.  An unknown key, a value out of range or a device that will not do:
 * NULL, the reason through report_error (may be NULL) as one line. */
ASSAY_GPU_EXPORT TfLiteDelegate *assay_gpu_delegate_create(const struct assay_gpu_options *options,
                                                           void (*report_error)(const char *));
/* After the last interpreter that uses it, as hosts' ABI has it.  Destroyed sooner, it takes no
 * more graphs and answers no more questions, but its partitions run until their interpreters go.
 * What is no delegate of ours, was destroyed, or is NULL, is left alone. */
ASSAY_GPU_EXPORT void assay_gpu_delegate_destroy(TfLiteDelegate *delegate);

/* The options, one a line: "key  values  default  meaning".  Static. */
ASSAY_GPU_EXPORT const char *assay_gpu_option_help(void);
/* Whether these options are ones that a delegate can be made with, whatever the device: 0, or -1
 * with the key, the value and what it may be in error (which may be NULL).  Calls no Vulkan. */
ASSAY_GPU_EXPORT int assay_gpu_check_options(const char *const *keys, const char *const *values,
                                             size_t count, char *error, size_t error_bytes);

/* The plug-in ABI: the options alone. */
ASSAY_GPU_EXPORT TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys,
                                                               const char *const *values,
                                                               size_t count,
                                                               void (*report_error)(const char *));
/* As assay_gpu_delegate_destroy. */
ASSAY_GPU_EXPORT void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);

/* ---- devices ---- */

/* Room of texts, with their final 0. */
enum { ASSAY_GPU_NAME_BYTES = 256 };

/* A Vulkan device, as the driver describes it. */
struct assay_gpu_device {
    size_t struct_size;
    int index;                         /* what the option device= takes */
    char name[ASSAY_GPU_NAME_BYTES];   /* "NVIDIA H200" */
    char driver[ASSAY_GPU_NAME_BYTES]; /* name and version */
    char type[32];                     /* "discrete", "integrated", "virtual", "cpu", "other" */
    uint32_t api_version;              /* VK_MAKE_API_VERSION encoding */
    uint32_t vendor_id, device_id;
    int usable; /* 0: why_not says what is missing */
    char why_not[ASSAY_GPU_NAME_BYTES];
    uint64_t memory_bytes; /* the largest device-local heap */
    uint64_t max_storage_buffer_range;
    uint32_t max_workgroup_count[3];
    uint32_t max_workgroup_size[3];
    uint32_t max_workgroup_invocations;
    uint32_t max_shared_memory_bytes;
    uint32_t subgroup_size;
    /* Features that we use where they are there. */
    int storage_16bit; /* precision=fp16 */
    int shader_float16;
    int storage_8bit;
    int shader_int8;
    int integer_dot_product; /* packed 8-bit */
    int cooperative_matrix;
    int timestamps;
    int memory_budget;
    uint64_t max_memory_allocation_bytes; /* in one block */
    uint64_t memory_budget_bytes;         /* of memory_bytes, what is ours now */
    uint32_t storage_buffer_offset_alignment;
    uint32_t max_push_constants_bytes;
    int external_memory_fd, external_memory_dma_buf;
    int host_writes, host_reads; /* device-local memory, the latter through caches */
};

/* Describes up to room devices, in the order of their index, and returns how many there are; -1
 * when Vulkan is not usable, the reason in error (may be NULL). */
ASSAY_GPU_EXPORT int assay_gpu_devices(struct assay_gpu_device *devices, int room, char *error,
                                       size_t error_bytes);

/* ---- what a delegate did with a graph ---- */

/* Why a node was left to the CPU.  Strings are valid until the delegate sees another graph. */
struct assay_gpu_refusal {
    size_t struct_size;
    int node;       /* index in the graph */
    const char *op; /* "CONV_2D" */
    int version;
    const char *rule; /* stable id: "conv_2d.weights_constant" */
    int tensor;       /* tensor index; -1: not about one tensor */
    const char *tensor_name;
    const char *field; /* what was looked at: "dims[3]" */
    const char *value; /* what it was */
    const char *limit; /* what it may be */
    const char *hint;  /* what a user can do */
};

/* Which nodes a delegate with these options would take on a described device; needs no Vulkan.  A
 * host's context can be read only while the host prepares a delegate: call it in the Prepare
 * callback of a delegate of your own, which then takes no nodes. */
struct assay_gpu_support_query {
    size_t struct_size;
    /* As for assay_gpu_delegate_create. */
    const char *const *keys, *const *values;
    size_t count;
    /* As assay_gpu_devices describes it, here or elsewhere; what is 0, and all when NULL, is what
     * every Vulkan 1.1 device has. */
    const struct assay_gpu_device *device;
    /* Called for each node that is left to the CPU; may be NULL.  Strings are valid in the call. */
    void (*refused)(void *user, const struct assay_gpu_refusal *refusal);
    void *user;
    /* Results.  partitions is -1, and bytes are 0, where the host gives no preview. */
    int nodes, taken, partitions;
    uint64_t constant_bytes, activation_bytes, activation_bound, staging_bytes;
    char error[ASSAY_GPU_NAME_BYTES]; /* why there is no result */
};
/* 0, or -1 with the reason in error. */
ASSAY_GPU_EXPORT int assay_gpu_query_support(TfLiteContext *context,
                                             struct assay_gpu_support_query *query);

/* The rules by which nodes are refused: id and what must hold, both static; -1 past the end. */
ASSAY_GPU_EXPORT int assay_gpu_rule(int i, const char **id, const char **meaning);

/* After.  Nodes of the graph that the delegate saw last: how many were refused, and the i-th of
 * them (0: ok, -1: out of range). */
ASSAY_GPU_EXPORT int assay_gpu_refusal_count(const TfLiteDelegate *delegate);
/* 0: ok, -1: out of range, or no such delegate. */
ASSAY_GPU_EXPORT int assay_gpu_get_refusal(const TfLiteDelegate *delegate, int i,
                                           struct assay_gpu_refusal *refusal);

/* Sums over the partitions that the delegate runs now. */
struct assay_gpu_stats {
    size_t struct_size;
    char device[ASSAY_GPU_NAME_BYTES];
    char driver[ASSAY_GPU_NAME_BYTES];
    uint32_t api_version;
    int partitions, nodes;
    int dispatches; /* per inference */
    int barriers;
    uint64_t constant_bytes;    /* packed weights on the device */
    uint64_t activation_bytes;  /* the arena */
    uint64_t activation_bound;  /* the largest sum of tensors live at once */
    uint64_t staging_bytes;     /* host-visible input and output */
    uint64_t pipelines_created; /* by the process, so far */
    /* Start: all the time spent in the delegate until its graphs were ready, and parts of it.  The
     * first three are 0 where the process had them already. */
    double init_ms;
    double instance_ms;  /* vkCreateInstance */
    double enumerate_ms; /* vkEnumeratePhysicalDevices, and their properties */
    double device_ms;    /* vkCreateDevice */
    double plan_ms;      /* plans, and the packing of constants */
    double serialize_ms; /* reading and writing files, and hashes */
    double upload_ms;    /* device memory, and the upload of constants */
    double pipelines_ms; /* vkCreateComputePipelines, by the process */
    double tune_ms;      /* the option tune=1 */
    /* The option serialization_dir: partitions that were found, written, or that a warning was
     * about, and the bytes of their files. */
    int serialized_found, serialized_written, serialized_failed;
    int tuned_steps; /* whose workgroup was measured, now or by an earlier start */
    uint64_t serialized_bytes;
    int transforms; /* rewrites of the graph that fired; see no_transform */
    int merged;     /* nodes that became part of another, or needed no step */
    int in_place;   /* dispatches whose result lies where an input lay */
    /* What an inference copies to and from host-visible memory; and so far: inferences of all
     * partitions, and the host's time in them, waiting and copying counted in. */
    uint64_t copied_in_bytes, copied_out_bytes;
    uint64_t invokes;
    double invoke_ms;
    /* Copies so far, of inputs and outputs of partitions: by the host, between its memory and the
     * staging memory, and their bytes; by the device, between the staging memory, or a dense buffer
     * of the caller, and the tensor's own layout.  Divided by invokes: copies per inference. */
    uint64_t host_copies, host_copied_bytes, device_copies;
    /* Device memory that the process holds through this library now, blocks that are kept for the
     * next graph counted in, and in how many allocations. */
    uint64_t held_bytes, held_blocks;
    /* And what the driver says the process uses of the device's largest local heap
     * (VK_EXT_memory_budget); 0: it does not say. */
    uint64_t used_bytes;
};
/* 0: ok, -1: no such delegate. */
ASSAY_GPU_EXPORT int assay_gpu_get_stats(const TfLiteDelegate *delegate,
                                         struct assay_gpu_stats *stats);

/* The most that a step has: buffers, specialization constants, bytes of push constants. */
enum { ASSAY_GPU_BINDINGS = 4, ASSAY_GPU_CONSTANTS = 16, ASSAY_GPU_PUSH_BYTES = 128 };

/* A buffer that a step reads or writes. */
struct assay_gpu_binding {
    const char *location; /* "arena", "constants", "input", "output"; NULL: not used */
    int tensor;           /* in the arena: of the plan, as in assay_gpu_tensor; else -1 */
    int graph_tensor;     /* index in the graph; -1: none */
    uint64_t offset, bytes;
    int writes;
};

/* One dispatch of the plan.  Strings are valid while the partition is. */
struct assay_gpu_step {
    size_t struct_size;
    int partition, step; /* partitions count from 0, in the order of their making */
    int node;            /* index in the graph; -1: an input or output */
    const char *shader;  /* "conv_2d" */
    const char *label;   /* "CONV_2D node 3 'features/conv'" */
    const char *source;  /* the line that made it */
    uint32_t workgroup[3];
    uint32_t groups[3];
    uint64_t read_bytes; /* of activations */
    uint64_t written_bytes;
    uint64_t constant_bytes;
    int64_t written_offset; /* in the arena; -1: in an output */
    /* Device time, with the option profile=1; else runs is 0. */
    uint64_t runs;
    double mean_us, min_us, last_us;
    uint32_t constants[ASSAY_GPU_CONSTANTS]; /* specialization constants by id; 0-2: workgroup */
    uint32_t constant_count;
    uint8_t push[ASSAY_GPU_PUSH_BYTES]; /* push constants */
    uint32_t push_bytes;
    struct assay_gpu_binding bindings[ASSAY_GPU_BINDINGS];
    int tuned; /* the workgroup's size was measured, now or by an earlier start */
    int idle;  /* not run: the tensor already lies where the step would bring it */
};

/* Steps of all partitions that the delegate runs now, and the i-th of them (0: ok, -1: out of
 * range). */
ASSAY_GPU_EXPORT int assay_gpu_step_count(const TfLiteDelegate *delegate);
/* The i-th of them; 0: ok, -1: out of range. */
ASSAY_GPU_EXPORT int assay_gpu_get_step(const TfLiteDelegate *delegate, int i,
                                        struct assay_gpu_step *step);

/* A tensor on the device: rows of channels, padded to slices of 4. */
struct assay_gpu_tensor {
    size_t struct_size;
    int partition, tensor; /* tensors of a partition count from 0 */
    int graph_tensor;      /* index in the graph; -1: a temporary */
    int owner;             /* the tensor whose memory it has; itself: its own */
    uint32_t rows, channels;
    uint32_t element_bytes; /* 2 or 4 */
    uint64_t bytes;
    int64_t offset; /* in the arena; -1: not used by a step, or in memory of an input or output */
    int first_step, last_step; /* at which the memory is in use; -1: none */
};
/* Tensors of all partitions that the delegate runs now. */
ASSAY_GPU_EXPORT int assay_gpu_tensor_count(const TfLiteDelegate *delegate);
/* The i-th of them; 0: ok, -1: out of range. */
ASSAY_GPU_EXPORT int assay_gpu_get_tensor(const TfLiteDelegate *delegate, int i,
                                          struct assay_gpu_tensor *tensor);

/* The i-th rewrite of graphs (0: ok, -1: there is none), and how often it fired in the partitions
 * that the delegate runs now. */
struct assay_gpu_transform {
    size_t struct_size;
    const char *name; /* what the option no_transform takes; static, as is the meaning */
    const char *meaning;
    int enabled;
    int applied;
};
/* 0: ok, -1: out of range, or no such delegate. */
ASSAY_GPU_EXPORT int assay_gpu_get_transform(const TfLiteDelegate *delegate, int i,
                                             struct assay_gpu_transform *transform);

/* ---- inputs and outputs on the device ----
 *
 * An input or output of a partition can be bound to a buffer of the caller, after the graph was
 * modified and allocated, until it is unbound or the graph is resized or closed.  A bound input is
 * read from its buffer at each inference, whatever the host's tensor holds.  A bound output is
 * written there; the host's tensor gets it when the host asks for it
 * (TfLiteInterpreterEnsureTensorDataIsReadable, or an inference without
 * TfLiteSetAllowBufferHandleOutput).
 *
 * In ASSAY_LAYOUT_DENSE a buffer holds what the host's tensor would hold: NHWC, packed.  The device
 * converts it, unless it lies like the other: in ASSAY_LAYOUT_C4 each row of channels is padded to
 * a multiple of 4, with elements of element_bytes; this is how the partition computes, so that
 * nothing is copied.  What the padding holds does not matter.
 *
 * Work on the queue of assay_gpu_get_device is ordered with inferences as it is submitted, and
 * needs no further barrier; other queues and devices need a fence or semaphore of the caller: a
 * buffer is the delegate's from the call of invoke until it returns (with wait=none: until
 * assay_gpu_wait). */

/* How a buffer holds a tensor; see above. */
enum assay_gpu_layout { ASSAY_LAYOUT_DENSE, ASSAY_LAYOUT_C4 };

/* What memory a binding is of. */
enum assay_gpu_buffer_kind {
    /* A VkBuffer of the delegate's device, with VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. */
    ASSAY_GPU_VK_BUFFER,
    /* Memory that another VkDevice exported, of the same driver and physical device; the caller's
     * descriptor stays the caller's.  Its last user gives it up to VK_QUEUE_FAMILY_EXTERNAL, and
     * takes it over from there, where it has contents to keep. */
    ASSAY_GPU_OPAQUE_FD,
    ASSAY_GPU_DMA_BUF, /* of any driver */
    /* A new buffer, which the binding owns: its vk_buffer can be bound to tensors of other
     * interpreters on the same device.  With _FD its memory is exported: fd, which the caller
     * closes, allocation_bytes, memory_type and device_uuid say what the importer needs. */
    ASSAY_GPU_NEW,
    ASSAY_GPU_NEW_OPAQUE_FD,
    ASSAY_GPU_NEW_DMA_BUF
};

/* VK_UUID_SIZE */
enum { ASSAY_GPU_UUID_BYTES = 16 };

/* What to bind, and to which tensor. */
struct assay_gpu_buffer {
    size_t struct_size;
    int kind;      /* enum assay_gpu_buffer_kind */
    int layout;    /* enum assay_gpu_layout */
    int tensor;    /* index in the graph */
    int partition; /* as in assay_gpu_io; -1: the only one that has the tensor as input or output */
    uint64_t vk_buffer; /* VK_BUFFER: the handle; out, for the other kinds */
    void *vk_device;    /* VK_BUFFER: the VkDevice that made it */
    uint64_t offset;    /* of the tensor; a multiple of assay_gpu_io.offset_alignment; NEW: 0 */
    uint64_t size;      /* bytes from there, at least assay_gpu_io's; NEW: out, 0 is enough */
    int fd;             /* _FD, DMA_BUF: the memory's descriptor; NEW_: out */
    uint64_t allocation_bytes; /* the size of the exported VkDeviceMemory; DMA_BUF: 0 is enough */
    uint32_t memory_type;      /* OPAQUE_FD: its memoryTypeIndex */
    uint8_t device_uuid[ASSAY_GPU_UUID_BYTES]; /* of the exporter; all 0: not checked */
};

/* 0; -1 with the reason in error (may be NULL), and all as it was. */
ASSAY_GPU_EXPORT int assay_gpu_bind_buffer_to_tensor(TfLiteDelegate *delegate,
                                                     struct assay_gpu_buffer *buffer, char *error,
                                                     size_t error_bytes);
/* The tensor is copied from and to the host again.  0; -1 with the reason in error (may be NULL).
 */
ASSAY_GPU_EXPORT int assay_gpu_unbind_tensor(TfLiteDelegate *delegate, int tensor, int partition,
                                             char *error, size_t error_bytes);

/* The i-th input or output of the partitions that the delegate runs now, inputs before outputs
 * (0: ok, -1: out of range). */
struct assay_gpu_io {
    size_t struct_size;
    int partition;
    int tensor; /* index in the graph */
    int output; /* 0: an input */
    int bound;  /* -1: not, else enum assay_gpu_layout */
    uint64_t dense_bytes, c4_bytes;
    uint32_t offset_alignment;
    uint32_t rows, channels; /* in ASSAY_LAYOUT_C4 */
    /* There: 4; 2 with precision=fp16, but for floats that are quantized or were integers until
     * now; 1 where 8-bit tensors stay so. */
    uint32_t element_bytes;
    int device_copies; /* in an inference, as it is bound now: 0 or 1 */
    int host_copies;   /* and of the host, once for each time that it reads an output */
};
/* How many such tensors there are. */
ASSAY_GPU_EXPORT int assay_gpu_io_count(const TfLiteDelegate *delegate);
/* The i-th of them; 0: ok, -1: out of range. */
ASSAY_GPU_EXPORT int assay_gpu_get_io(const TfLiteDelegate *delegate, int i,
                                      struct assay_gpu_io *io);

/* Waits for what wait=none left running, and copies nothing. */
ASSAY_GPU_EXPORT int assay_gpu_wait(TfLiteDelegate *delegate, char *error, size_t error_bytes);

/* The delegate's Vulkan.  Valid as long as the delegate; all delegates of a process on the same
 * device share it. */
struct assay_gpu_vulkan {
    size_t struct_size;
    void *instance;        /* VkInstance */
    void *physical_device; /* VkPhysicalDevice */
    void *device;          /* VkDevice */
    void *queue;           /* VkQueue: held with assay_gpu_lock_queue round every use */
    uint32_t queue_family;
    uint8_t device_uuid[ASSAY_GPU_UUID_BYTES], driver_uuid[ASSAY_GPU_UUID_BYTES];
    int external_memory_fd, external_memory_dma_buf; /* are enabled */
};
/* 0: ok, -1: no such delegate. */
ASSAY_GPU_EXPORT int assay_gpu_get_device(const TfLiteDelegate *delegate,
                                          struct assay_gpu_vulkan *vulkan);
/* Until it is unlocked, by the same thread, no inference is submitted. */
ASSAY_GPU_EXPORT void assay_gpu_lock_queue(TfLiteDelegate *delegate);
/* After assay_gpu_lock_queue. */
ASSAY_GPU_EXPORT void assay_gpu_unlock_queue(TfLiteDelegate *delegate);

#ifdef __cplusplus
}
#endif

#endif

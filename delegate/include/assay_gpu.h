/* libassay_delegate.so: a Vulkan delegate for TensorFlow Lite (LiteRT) - its own API.
 *
 * Three functions create a delegate, and give the same object:
 *   - tflite_plugin_create_delegate, the plug-in ABI that load_delegate() in Python and
 *     --external_delegate_path call, with options as strings;
 *   - assay_gpu_delegate_create below;
 *   - TfLiteGpuDelegateV2Create (tensorflow/lite/delegates/gpu/delegate.h).
 * They need libvulkan at run time, and of TensorFlow Lite only its structs.
 *
 * Structs: each begins with struct_size, which the caller sets to sizeof before the call.  Members
 * that the caller's version of a struct lacks are not written.
 * Ownership: strings belong to the library and are valid for as long as their comment says; the
 * caller frees nothing but what a comment tells it to.
 * Errors: a function that takes a delegate fails (-1, 0 or NULL as its comment says) when the
 * pointer is NULL, is not a delegate of this library, or was destroyed.
 * Threads: all functions may be called from any thread at the same time.  One thread at a time uses
 * an interpreter, but not always the same one; any number of interpreters may share a delegate.
 * Processes: the library is never unloaded (dlclose does nothing), and keeps one VkInstance.  A
 * VkDevice lives as long as a delegate or a partition uses it.  A forked process may use the
 * library, but no delegate of its parent.
 * Units: sizes and offsets are bytes, times are milliseconds (_ms) or microseconds (_us). */
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

/* The version of the library, "0.1.0"; static. */
ASSAY_GPU_EXPORT const char *assay_gpu_version(void);

/* ---- create and destroy ---- */

/* Features and extensions that are enabled on a device of the caller; a sum of these. */
enum assay_gpu_enabled {
    ASSAY_GPU_ENABLED_STORAGE_16BIT = 1,           /* storageBuffer16BitAccess: precision=fp16 */
    ASSAY_GPU_ENABLED_EXTERNAL_MEMORY_FD = 2,      /* VK_KHR_external_memory_fd */
    ASSAY_GPU_ENABLED_EXTERNAL_MEMORY_DMA_BUF = 4, /* and VK_EXT_external_memory_dma_buf */
    ASSAY_GPU_ENABLED_INTEGER_DOT_PRODUCT = 8,     /* shaderIntegerDotProduct */
    ASSAY_GPU_ENABLED_SHADER_FLOAT16 = 16          /* shaderFloat16: f16 sums of precision=fast */
};

/* For assay_gpu_delegate_create.  A caller's struct may end before `instance` or any later member:
 * members that are not there count as NULL. */
struct assay_gpu_options {
    size_t struct_size;
    /* Options: arrays of `count` strings; assay_gpu_option_help lists keys and values.  They are
     * read during the call only. */
    const char *const *keys, *const *values;
    size_t count;
    /* A Vulkan device of the caller, of Vulkan 1.1 or later, with a compute queue.  All four NULL:
     * the library opens a device.  The caller destroys it after the delegate and its interpreters.
     * lock_queue and unlock_queue are called around every use of the queue; they may be NULL when
     * no other thread uses it. */
    void *instance;        /* VkInstance */
    void *physical_device; /* VkPhysicalDevice */
    void *device;          /* VkDevice */
    void *queue;           /* VkQueue */
    uint32_t queue_family;
    uint32_t enabled; /* a sum of enum assay_gpu_enabled */
    void (*lock_queue)(void *user), (*unlock_queue)(void *user);
    void *lock_user;
};

/* Creates a delegate; options NULL: with the defaults.  Returns NULL for an unknown key, a value
 * out of range, or a device that lacks something, and calls report_error (which may be NULL) once
 * with the reason as one line.  The caller destroys it with assay_gpu_delegate_destroy. */
ASSAY_GPU_EXPORT TfLiteDelegate *assay_gpu_delegate_create(const struct assay_gpu_options *options,
                                                           void (*report_error)(const char *));
/* Destroys a delegate.  To be called after the last interpreter that uses it was deleted.  When it
 * is called earlier, the delegate takes no more graphs and every function below fails for it, but
 * its partitions run until their interpreters are deleted.  Does nothing for NULL, for a delegate
 * that was destroyed, and for a pointer that is not a delegate of this library. */
ASSAY_GPU_EXPORT void assay_gpu_delegate_destroy(TfLiteDelegate *delegate);

/* The options, one in a line: "key  values  default  meaning"; static. */
ASSAY_GPU_EXPORT const char *assay_gpu_option_help(void);
/* Checks keys and values of `count` options as assay_gpu_delegate_create does, without a device;
 * calls no Vulkan.  Returns 0; -1 with the key, what was expected and what was found in error,
 * which has room for error_bytes bytes and may be NULL. */
ASSAY_GPU_EXPORT int assay_gpu_check_options(const char *const *keys, const char *const *values,
                                             size_t count, char *error, size_t error_bytes);

/* The plug-in ABI: does what assay_gpu_delegate_create does with keys and values alone. */
ASSAY_GPU_EXPORT TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys,
                                                               const char *const *values,
                                                               size_t count,
                                                               void (*report_error)(const char *));
/* Does what assay_gpu_delegate_destroy does. */
ASSAY_GPU_EXPORT void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);

/* ---- devices ---- */

/* Bytes of texts, with their final NUL. */
enum { ASSAY_GPU_NAME_BYTES = 256 };

/* A Vulkan physical device, as its driver describes it. */
struct assay_gpu_device {
    size_t struct_size;
    int index;                         /* as in option device */
    char name[ASSAY_GPU_NAME_BYTES];   /* "NVIDIA H200" */
    char driver[ASSAY_GPU_NAME_BYTES]; /* name and version */
    char type[32];                     /* "discrete", "integrated", "virtual", "cpu", "other" */
    uint32_t api_version;              /* VK_MAKE_API_VERSION encoding */
    uint32_t vendor_id, device_id;
    int usable; /* 1; 0: why_not says what the device lacks */
    char why_not[ASSAY_GPU_NAME_BYTES];
    uint64_t memory_bytes; /* size of the largest device-local heap */
    uint64_t max_storage_buffer_range;
    uint32_t max_workgroup_count[3];
    uint32_t max_workgroup_size[3];
    uint32_t max_workgroup_invocations;
    uint32_t max_shared_memory_bytes;
    uint32_t subgroup_size;
    /* Optional features, 1 when the device has them. */
    int storage_16bit;  /* precision=fp16 or fast */
    int shader_float16; /* for f16 sums with precision=fast */
    int storage_8bit;
    int shader_int8;
    int integer_dot_product; /* shaderIntegerDotProduct, for packed 8-bit products */
    int cooperative_matrix;
    int timestamps;
    int memory_budget;
    uint64_t max_memory_allocation_bytes; /* of one VkDeviceMemory */
    uint64_t memory_budget_bytes;         /* of memory_bytes, available to this process now */
    uint32_t storage_buffer_offset_alignment;
    uint32_t max_push_constants_bytes;
    int external_memory_fd, external_memory_dma_buf;
    /* The largest device-local heap has host-visible memory; and host-cached memory. */
    int host_writes, host_reads;
};

/* Describes up to `room` devices in the order of their index.  struct_size is set in each of
 * them, and is the stride of the array.  Returns how many devices there are; -1 when Vulkan is not
 * usable, with the reason in error (error_bytes bytes; may be NULL). */
ASSAY_GPU_EXPORT int assay_gpu_devices(struct assay_gpu_device *devices, int room, char *error,
                                       size_t error_bytes);

/* ---- what a delegate did with a graph ---- */

/* Why a node was left to the CPU.  Strings are valid until the delegate prepares another graph. */
struct assay_gpu_refusal {
    size_t struct_size;
    int node;       /* index in the graph */
    const char *op; /* "CONV_2D" */
    int version;
    const char *rule; /* stable id: "conv_2d.groups" */
    int tensor;       /* index in the graph; -1: not about one tensor */
    const char *tensor_name;
    const char *field; /* what was checked: "dims[3]" */
    const char *value; /* what was found */
    const char *limit; /* what was expected */
    const char *hint;  /* what a user can do */
};

/* Which nodes a delegate with these options would take on a described device; needs no Vulkan.  A
 * host's context can be read only while the host prepares a delegate: call it in the Prepare
 * callback of a delegate of your own, which then takes no nodes. */
struct assay_gpu_support_query {
    size_t struct_size;
    /* Options as assay_gpu_delegate_create takes them. */
    const char *const *keys, *const *values;
    size_t count;
    /* A device as assay_gpu_devices describes it, of this machine or another.  Members that are 0,
     * and all when device is NULL, have the value that Vulkan 1.1 requires of every device. */
    const struct assay_gpu_device *device;
    /* Called for each node that is left to the CPU; may be NULL.  Strings are valid during the
     * call only. */
    void (*refused)(void *user, const struct assay_gpu_refusal *refusal);
    void *user;
    /* Results.  partitions is -1, and bytes are 0, where the host gives no preview. */
    int nodes, taken, partitions;
    uint64_t constant_bytes, activation_bytes, activation_bound, staging_bytes;
    char error[ASSAY_GPU_NAME_BYTES]; /* why there is no result */
};
/* Returns 0; -1 with the reason in query->error. */
ASSAY_GPU_EXPORT int assay_gpu_query_support(TfLiteContext *context,
                                             struct assay_gpu_support_query *query);

/* The i-th rule by which nodes are refused: its id and the condition that must hold, both static
 * (either pointer may be NULL).  Returns 0; -1 past the last rule. */
ASSAY_GPU_EXPORT int assay_gpu_rule(int i, const char **id, const char **meaning);

/* How many nodes of the graph that the delegate prepared last were refused; 0 on failure. */
ASSAY_GPU_EXPORT int assay_gpu_refusal_count(const TfLiteDelegate *delegate);
/* Describes the i-th of them.  Returns 0; -1: out of range. */
ASSAY_GPU_EXPORT int assay_gpu_get_refusal(const TfLiteDelegate *delegate, int i,
                                           struct assay_gpu_refusal *refusal);

/* By what the delegate placed the partitions of the graph that it prepared last.  An estimate is,
 * on the CPU, work / cpu_macs_per_us; on the device submit_us + nodes * step_us +
 * (bytes_in + bytes_out) / bytes_per_us + work / macs_per_us; with work = macs + 8 * elements. */
struct assay_gpu_placement {
    size_t struct_size;
    const char *order; /* the option placement: "nodes", "cost", "cost_table"; static */
    const char *rates; /* "measured", "file" (measured in an earlier start), "table"; static */
    int partitions;    /* which the host offered; 0 where it gives no preview */
    double submit_us, step_us, bytes_per_us, macs_per_us; /* of the device */
    double cpu_macs_per_us;                               /* the option cpu_rate */
};
/* Returns 0; -1 on failure. */
ASSAY_GPU_EXPORT int assay_gpu_get_placement(const TfLiteDelegate *delegate,
                                             struct assay_gpu_placement *placement);

/* A partition that the host offered, and whether the delegate took it. */
struct assay_gpu_partition {
    size_t struct_size;
    int first_node, nodes;        /* first_node: index in the graph */
    double macs;                  /* multiply-adds of nodes with weights */
    double elements;              /* that the other nodes read and write */
    uint64_t bytes_in, bytes_out; /* copied at each inference */
    double cpu_us, device_us;     /* estimates; with placement=nodes they decide nothing */
    int taken;
    const char *rule; /* that left it to the CPU, "option.placement"; NULL when taken; static */
};
/* Describes the i-th of them.  Returns 0; -1: out of range. */
ASSAY_GPU_EXPORT int assay_gpu_get_partition(const TfLiteDelegate *delegate, int i,
                                             struct assay_gpu_partition *partition);

/* Sums over the partitions that the delegate runs now: those whose tensors are allocated. */
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
    /* The time that the library took until the delegate's graphs were ready, and parts of it.
     * instance_ms, enumerate_ms and device_ms are 0 when another delegate had opened the device. */
    double init_ms;
    double instance_ms;  /* vkCreateInstance */
    double enumerate_ms; /* vkEnumeratePhysicalDevices, and their properties */
    double device_ms;    /* vkCreateDevice */
    double plan_ms;      /* plans, and the packing of constants */
    double serialize_ms; /* reading and writing files, and hashes */
    double upload_ms;    /* device memory, and the upload of constants */
    double pipelines_ms; /* vkCreateComputePipelines, of the whole process */
    double tune_ms;      /* the option tune=1 */
    /* Option serialization_dir: partitions whose file was read, was written, or failed with a
     * warning, and serialized_bytes of files. */
    int serialized_found, serialized_written, serialized_failed;
    int tuned_steps; /* whose workgroup size was measured, in this start or an earlier one */
    uint64_t serialized_bytes;
    int transforms; /* rewrites that were applied; see option no_transform */
    int merged;     /* nodes that became part of another one, or need no step */
    int in_place;   /* dispatches that write their result over an input */
    /* Bytes that an inference copies to and from host-visible memory; then, so far: inferences of
     * all partitions, and the host's time in them, with waiting and copying. */
    uint64_t copied_in_bytes, copied_out_bytes;
    uint64_t invokes;
    double invoke_ms;
    /* Copies of inputs and outputs so far: by the host, between its memory and the staging buffer,
     * and their bytes; by the device, between the staging buffer, or a dense buffer of the caller,
     * and the tensor's own layout. */
    uint64_t host_copies, host_copied_bytes, device_copies;
    /* Device memory that the process holds through this library now, with blocks that are kept for
     * the next graph, and the number of its allocations. */
    uint64_t held_bytes, held_blocks;
    /* What the driver says that the process uses of the largest device-local heap
     * (VK_EXT_memory_budget); 0: it does not say. */
    uint64_t used_bytes;
    /* Host memory that the library itself has allocated and not freed, of all delegates of the
     * process, and the most so far; the driver's is not in it. */
    uint64_t host_bytes, host_peak_bytes;
    /* The time that starts of the process have waited for the driver so far, besides instance_ms,
     * enumerate_ms and device_ms: for pipelines, device memory, descriptors and uploads. */
    double driver_ms;
};
/* Returns 0; -1 on failure. */
ASSAY_GPU_EXPORT int assay_gpu_get_stats(const TfLiteDelegate *delegate,
                                         struct assay_gpu_stats *stats);

/* Limits of a step: buffers, specialization constants, bytes of push constants. */
enum { ASSAY_GPU_BINDINGS = 5, ASSAY_GPU_CONSTANTS = 16, ASSAY_GPU_PUSH_BYTES = 128 };

/* A buffer that a step reads or writes. */
struct assay_gpu_binding {
    const char *location; /* "arena", "constants", "input", "output"; NULL: not used */
    int tensor;           /* in the arena: index as in assay_gpu_tensor; else -1 */
    int graph_tensor;     /* index in the graph; -1: none */
    uint64_t offset, bytes;
    int writes;
};

/* One dispatch of the plan.  Strings are valid until the partition's interpreter is deleted. */
struct assay_gpu_step {
    size_t struct_size;
    int partition, step; /* partitions count from 0, in the order in which they were allocated */
    int node;            /* index in the graph; -1: an input or output */
    const char *shader;  /* "conv_2d" */
    const char *label;   /* "CONV_2D node 3 'features/conv'" */
    const char *source;  /* the source line that planned it: "delegate/ops/product/conv_2d.c:91" */
    uint32_t workgroup[3];
    uint32_t groups[3];
    uint64_t read_bytes; /* of activations */
    uint64_t written_bytes;
    uint64_t constant_bytes;
    int64_t written_offset; /* in the arena; -1: in an output */
    /* Inferences so far and their device time, with option profile=1; else runs is 0. */
    uint64_t runs;
    double mean_us, min_us, last_us;
    uint32_t constants[ASSAY_GPU_CONSTANTS]; /* specialization constants by id; 0-2: workgroup */
    uint32_t constant_count;
    uint8_t push[ASSAY_GPU_PUSH_BYTES]; /* push constants */
    uint32_t push_bytes;
    struct assay_gpu_binding bindings[ASSAY_GPU_BINDINGS];
    int tuned;      /* the workgroup size was measured, in this start or an earlier one */
    int idle;       /* not dispatched: the tensor already is where the step would copy it */
    double macs;    /* multiply-adds of nodes with weights, or of matrices, that it computes */
    int arithmetic; /* enum assay_gpu_arithmetic: of its inputs */
    uint64_t host_read_bytes, host_written_bytes; /* of its bytes, those in staging memory */
};

/* What a step's numbers are, which says how fast a device could compute it. */
enum assay_gpu_arithmetic { ASSAY_GPU_F32, ASSAY_GPU_F16, ASSAY_GPU_I8 };

/* How many steps the partitions that the delegate runs now have; 0 on failure. */
ASSAY_GPU_EXPORT int assay_gpu_step_count(const TfLiteDelegate *delegate);
/* Describes the i-th of them.  Returns 0; -1: out of range. */
ASSAY_GPU_EXPORT int assay_gpu_get_step(const TfLiteDelegate *delegate, int i,
                                        struct assay_gpu_step *step);

enum { ASSAY_GPU_PEAK_SIZES = 5 };

/* What a device reaches at most in a dispatch.  A rate is 0 where it was not measured: the device
 * lacks the memory, or it would have taken long. */
struct assay_gpu_peaks {
    size_t struct_size;
    double floor_us; /* an empty dispatch and the barrier behind it */
    /* Of copies that read and write so many bytes together, again and again: what fits into caches
     * is faster. */
    uint64_t memory_bytes[ASSAY_GPU_PEAK_SIZES];
    double memory_bytes_per_us[ASSAY_GPU_PEAK_SIZES];
    double host_read_bytes_per_us, host_write_bytes_per_us; /* of staging memory, by steps */
    /* Operations, of which a multiply-add is two, of the fastest way that the library knows: sums
     * of f32, with inputs of f16, and of 8-bit integers. */
    double f32_ops_per_us, f16_ops_per_us, i8_ops_per_us;
};
/* Measures them now, while no inference of the delegate runs: some tenths of a second, and up to
 * 512 MiB of device memory.  Returns 0; -1 with the reason in error (error_bytes bytes; may be
 * NULL). */
ASSAY_GPU_EXPORT int assay_gpu_measure_peaks(TfLiteDelegate *delegate,
                                             struct assay_gpu_peaks *peaks, char *error,
                                             size_t error_bytes);

/* The host's part of the last inference of a partition, with option profile=1: when each phase
 * ended, on CLOCK_MONOTONIC in nanoseconds.  Steps have times of the device, whose clock is another
 * one; the last step ended before waited_ns.  With wait=none, submitted_ns and waited_ns are one.
 */
struct assay_gpu_inference {
    size_t struct_size;
    int partition;
    uint64_t runs;     /* inferences so far; 0: the rest is 0 */
    uint64_t begin_ns; /* of the partition's invoke */
    uint64_t copied_in_ns, submitted_ns, waited_ns;
    uint64_t end_ns; /* outputs are copied */
};
/* Describes the last inference of a partition.  Returns 0; -1: there is no such partition. */
ASSAY_GPU_EXPORT int assay_gpu_get_inference(const TfLiteDelegate *delegate, int partition,
                                             struct assay_gpu_inference *inference);

/* A tensor on the device: rows of channels, padded to slices of 4. */
struct assay_gpu_tensor {
    size_t struct_size;
    int partition, tensor; /* tensors of a partition count from 0 */
    int graph_tensor;      /* index in the graph; -1: a temporary */
    int owner;             /* the tensor whose memory it shares; itself: it has its own */
    uint32_t rows, channels;
    uint32_t element_bytes; /* 1, 2 or 4 */
    uint64_t bytes;
    int64_t offset; /* in the arena; -1: not used by a step, or in memory of an input or output */
    int first_step, last_step; /* between which the memory is in use; -1: never */
};
/* How many tensors the partitions that the delegate runs now have; 0 on failure. */
ASSAY_GPU_EXPORT int assay_gpu_tensor_count(const TfLiteDelegate *delegate);
/* Describes the i-th of them.  Returns 0; -1: out of range. */
ASSAY_GPU_EXPORT int assay_gpu_get_tensor(const TfLiteDelegate *delegate, int i,
                                          struct assay_gpu_tensor *tensor);

/* A rewrite of graphs, and how often it was applied in the partitions that the delegate runs now.
 */
struct assay_gpu_transform {
    size_t struct_size;
    const char *name; /* as in option no_transform; static, as is the meaning */
    const char *meaning;
    int enabled;
    int applied;
};
/* Describes the i-th rewrite.  Returns 0; -1: out of range. */
ASSAY_GPU_EXPORT int assay_gpu_get_transform(const TfLiteDelegate *delegate, int i,
                                             struct assay_gpu_transform *transform);

/* From now on the delegate keeps why graph rewrites do not change a node, and why faster kernels
 * are not used for it, of each graph that the host delegates: call it before that.  Returns 0; -1
 * on failure. */
ASSAY_GPU_EXPORT int assay_gpu_keep_reasons(TfLiteDelegate *delegate);
/* Why a rewrite was not applied, or a faster kernel not used, where it could have been.  Strings
 * are valid until the partition's interpreter is deleted. */
struct assay_gpu_reason {
    size_t struct_size;
    int partition;
    int node;         /* index in the graph; -1: of an input, an output or the whole partition */
    int is_kernel;    /* else it is a rewrite */
    const char *name; /* as in option no_transform or no_kernel: "residual", "gemm" */
    const char *op;   /* the node's ops: "CONV_2D+RELU"; "" for node -1 */
    const char *text; /* "the result of CONV_2D 3 is read 2 times" */
};
/* How many reasons the partitions that the delegate runs now have; 0 on failure. */
ASSAY_GPU_EXPORT int assay_gpu_reason_count(const TfLiteDelegate *delegate);
/* Describes the i-th of them.  Returns 0; -1: out of range. */
ASSAY_GPU_EXPORT int assay_gpu_get_reason(const TfLiteDelegate *delegate, int i,
                                          struct assay_gpu_reason *reason);

/* ---- inputs and outputs in buffers of the caller ----
 *
 * An input or output of a partition can be bound to a buffer of the caller once the graph was
 * modified and its tensors are allocated, until it is unbound, or the graph is resized or deleted.
 * A bound input is read from its buffer at each inference; the host's tensor is not read.  A bound
 * output is written to its buffer, and copied to the host's tensor only when the host asks for it
 * (TfLiteInterpreterEnsureTensorDataIsReadable, or an inference without
 * TfLiteSetAllowBufferHandleOutput).
 *
 * In ASSAY_LAYOUT_DENSE a buffer holds the bytes of the host's tensor: NHWC, without padding; the
 * device converts them, unless both layouts are the same.  In ASSAY_LAYOUT_C4, in which the
 * partition computes, each row of channels is padded to a multiple of 4 elements of element_bytes
 * bytes, and nothing is copied.  The contents of the padding do not matter.
 *
 * Memory that an inference writes is bound once, with one exception: in ASSAY_LAYOUT_C4 an input
 * and the output that is its update (of DYNAMIC_UPDATE_SLICE or an elementwise op, the input's only
 * reader) may lie at the same place of one buffer, as the cache of a language model.
 *
 * Work that is submitted to the queue of assay_gpu_get_device is ordered with inferences by its
 * submission, and needs no further barrier.  Other queues and devices need a fence or semaphore of
 * the caller: the delegate uses a buffer from the call of invoke until it returns (with wait=none:
 * until assay_gpu_wait returns). */

/* Layout of a tensor in a buffer; see above. */
enum assay_gpu_layout { ASSAY_LAYOUT_DENSE, ASSAY_LAYOUT_C4 };

/* The memory to bind. */
enum assay_gpu_buffer_kind {
    /* A VkBuffer of the delegate's device, with VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. */
    ASSAY_GPU_VK_BUFFER,
    /* Memory that another VkDevice of the same driver and physical device has exported.  The file
     * descriptor stays the caller's.  To keep the contents, the other device releases ownership to
     * VK_QUEUE_FAMILY_EXTERNAL before the inference, and acquires it from there afterwards. */
    ASSAY_GPU_OPAQUE_FD,
    ASSAY_GPU_DMA_BUF, /* likewise, of any driver */
    /* A new buffer, which lives as long as the binding.  Its vk_buffer can be bound to tensors of
     * other interpreters on the same device.  With _OPAQUE_FD and _DMA_BUF its memory is exported:
     * the importer needs fd, which the caller closes, allocation_bytes, memory_type and
     * device_uuid. */
    ASSAY_GPU_NEW,
    ASSAY_GPU_NEW_OPAQUE_FD,
    ASSAY_GPU_NEW_DMA_BUF
};

/* Equals VK_UUID_SIZE. */
enum { ASSAY_GPU_UUID_BYTES = 16 };

/* What to bind, and to which tensor.  "out": the call writes it. */
struct assay_gpu_buffer {
    size_t struct_size;
    int kind;           /* enum assay_gpu_buffer_kind */
    int layout;         /* enum assay_gpu_layout */
    int tensor;         /* index in the graph */
    int partition;      /* as in assay_gpu_io; -1: the only one with this input or output */
    uint64_t vk_buffer; /* VK_BUFFER: the handle; out, for the other kinds */
    void *vk_device;    /* VK_BUFFER: the VkDevice that made it */
    uint64_t offset;    /* of the tensor; a multiple of assay_gpu_io.offset_alignment; NEW: 0 */
    uint64_t size;      /* bytes from there, at least assay_gpu_io's; NEW: out, 0 is enough */
    int fd;             /* _FD, DMA_BUF: the memory's descriptor; NEW_: out */
    uint64_t allocation_bytes; /* the size of the exported VkDeviceMemory; DMA_BUF: 0 is enough */
    uint32_t memory_type;      /* OPAQUE_FD: its memoryTypeIndex */
    uint8_t device_uuid[ASSAY_GPU_UUID_BYTES]; /* of the exporter; all 0: not checked */
};

/* Binds buffer->tensor.  Returns 0; -1 with the reason in error (error_bytes bytes; may be NULL),
 * and then the tensor is bound as before. */
ASSAY_GPU_EXPORT int assay_gpu_bind_buffer_to_tensor(TfLiteDelegate *delegate,
                                                     struct assay_gpu_buffer *buffer, char *error,
                                                     size_t error_bytes);
/* Unbinds a tensor: from now on it is copied from or to the host.  partition: as in struct
 * assay_gpu_buffer.  Returns 0; -1 with the reason in error (error_bytes bytes; may be NULL). */
ASSAY_GPU_EXPORT int assay_gpu_unbind_tensor(TfLiteDelegate *delegate, int tensor, int partition,
                                             char *error, size_t error_bytes);

/* An input or output of a partition. */
struct assay_gpu_io {
    size_t struct_size;
    int partition;
    int tensor;                     /* index in the graph */
    int output;                     /* 0: an input */
    int bound;                      /* enum assay_gpu_layout; -1: not bound */
    uint64_t dense_bytes, c4_bytes; /* that a buffer of either layout needs */
    uint32_t offset_alignment;
    uint32_t rows, channels; /* in ASSAY_LAYOUT_C4 */
    /* In ASSAY_LAYOUT_C4: 1 or 2 for tensors of integer kernels; for floats 2 with precision=fp16
     * or fast, except next to a quantization; else 4. */
    uint32_t element_bytes;
    int device_copies; /* at each inference, as it is bound now: 0 or 1 */
    int host_copies;   /* likewise by the host; of an output, each time that the host reads it */
};
/* How many inputs and outputs the partitions that the delegate runs now have; 0 on failure. */
ASSAY_GPU_EXPORT int assay_gpu_io_count(const TfLiteDelegate *delegate);
/* Describes the i-th of them; in each partition inputs come before outputs.  Returns 0; -1: out of
 * range. */
ASSAY_GPU_EXPORT int assay_gpu_get_io(const TfLiteDelegate *delegate, int i,
                                      struct assay_gpu_io *io);

/* Waits for all inferences of the delegate that run (option wait=none); copies nothing.  Returns 0;
 * -1 with the reason in error (error_bytes bytes; may be NULL), if one of them failed. */
ASSAY_GPU_EXPORT int assay_gpu_wait(TfLiteDelegate *delegate, char *error, size_t error_bytes);

/* The Vulkan handles of a delegate, which are valid as long as the delegate is.  All delegates of
 * the process on the same device share them. */
struct assay_gpu_vulkan {
    size_t struct_size;
    void *instance;        /* VkInstance */
    void *physical_device; /* VkPhysicalDevice */
    void *device;          /* VkDevice */
    void *queue;           /* VkQueue: use it only between assay_gpu_lock_queue and _unlock_queue */
    uint32_t queue_family;
    uint8_t device_uuid[ASSAY_GPU_UUID_BYTES], driver_uuid[ASSAY_GPU_UUID_BYTES];
    int external_memory_fd, external_memory_dma_buf; /* 1: the extension is enabled */
};
/* Returns 0; -1 on failure. */
ASSAY_GPU_EXPORT int assay_gpu_get_device(const TfLiteDelegate *delegate,
                                          struct assay_gpu_vulkan *vulkan);
/* Keeps all other threads from the queue until the same thread calls assay_gpu_unlock_queue.  In
 * between it submits its own work, and calls no other function of this library. */
ASSAY_GPU_EXPORT void assay_gpu_lock_queue(TfLiteDelegate *delegate);
/* Ends assay_gpu_lock_queue. */
ASSAY_GPU_EXPORT void assay_gpu_unlock_queue(TfLiteDelegate *delegate);

#ifdef __cplusplus
}
#endif

#endif

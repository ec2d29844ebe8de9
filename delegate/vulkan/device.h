/* A VkDevice with its queue, its pipelines and its kept memory, shared by all delegates of the
 * process that run on the same physical device.  The first user opens it, the last one closes it;
 * the instance stays. */
#ifndef ASSAY_DELEGATE_VULKAN_DEVICE_H
#define ASSAY_DELEGATE_VULKAN_DEVICE_H

#include "assay_gpu.h"
#include "delegate/base/device_limits.h"
#include "delegate/base/device_rates.h"
#include "delegate/base/lock.h"
#include "delegate/plan/plan.h"
#include "delegate/vulkan/blocks.h"
#include "delegate/vulkan/pipeline.h"
#include "reference/base/diag.h"

#include <sys/types.h>
#include <vulkan/vulkan.h>

/* Time that opening a device took, in nanoseconds; 0 for parts that were open already. */
struct device_cost {
    uint64_t instance_ns;  /* vkCreateInstance */
    uint64_t enumerate_ns; /* vkEnumeratePhysicalDevices, and their properties */
    uint64_t device_ns;    /* vkCreateDevice */
};

struct device {
    int users;
    struct device *next;
    pid_t process;   /* the one that opened it: a forked process opens a device of its own */
    unsigned losses; /* result_lost_count() when it was opened; more since: it may be lost */
    bool given;      /* made by the caller, who destroys it */
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    uint32_t queue_family;
    VkQueue queue;
    struct lock queue_lock;
    void (*lock_queue)(void *), (*unlock_queue)(void *); /* of a given device; may be NULL */
    void *lock_user;
    struct device_limits limits;
    struct assay_gpu_device info;
    VkPhysicalDeviceMemoryProperties memory;
    bool host_writes; /* the largest device-local heap is host-visible: no staging is needed */
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE], pipeline_uuid[VK_UUID_SIZE];
    uint32_t driver_version;
    double timestamp_ns;              /* length of a tick; 0: the queue has no time stamps */
    VkDescriptorSetLayout set_layout; /* `bindings` storage buffers */
    uint32_t bindings;                /* PLAN_BINDINGS, or fewer if a shader may not have so many */
    VkPipelineLayout layout;          /* with PLAN_PUSH_BYTES of push constants */
    struct blocks blocks;
    struct pipelines pipelines;
    struct lock selftest_lock; /* guards what selftest.c found out */
    bool half_passed;          /* 16-bit storage gave the known answers */
    bool dot_tested;           /* right or wrong: pipelines.packed_dot */
    bool matrix_tested;        /* limits.matrix is what the test has found */
    bool half_sums_tested;     /* likewise limits.shader_float16 */
    bool matrix_int8_tested;   /* likewise limits.matrix.bytes and what follows */
    bool rates_measured;       /* by measure.c, likewise guarded */
    struct device_rates rates;
};

/* The device that device_choose chooses, opened or shared; ends with device_release.
 * STATUS_NO_DEVICE: the message names the devices that there are, or what a device lacks. */
enum status device_acquire(struct device **out, const char *wanted, bool half,
                           struct device_cost *cost, struct diag *diag);
void device_release(struct device *d);

/* A device that the caller has made, with a queue that the library may submit to. */
struct device_given {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    uint32_t enabled; /* enum assay_gpu_enabled */
    void (*lock_queue)(void *), (*unlock_queue)(void *);
    void *lock_user;
};
enum status device_adopt(struct device **out, const struct device_given *given, bool half,
                         struct diag *diag);

/* Every use of the queue stands between these two. */
void device_lock_queue(struct device *d);
void device_unlock_queue(struct device *d);

/* Describes up to `room` devices and returns how many there are; -1 with the reason in diag. */
int device_list(struct assay_gpu_device *devices, int room, struct diag *diag);

#endif

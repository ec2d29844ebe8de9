/* A Vulkan device, shared by all delegates of the process: device, queue, and the pipelines that
 * were made on it.  Opened with the first user, closed with the last; the instance stays. */
#ifndef ASSAY_DELEGATE_VULKAN_DEVICE_H
#define ASSAY_DELEGATE_VULKAN_DEVICE_H

#include "assay_gpu.h"
#include "delegate/base/device_limits.h"
#include "delegate/base/lock.h"
#include "delegate/plan/plan.h"
#include "delegate/vulkan/blocks.h"
#include "delegate/vulkan/pipeline.h"
#include "reference/base/diag.h"

#include <sys/types.h>
#include <vulkan/vulkan.h>

/* What opening a device cost, in nanoseconds; 0 for what was open already. */
struct device_cost {
    uint64_t instance_ns;  /* vkCreateInstance */
    uint64_t enumerate_ns; /* vkEnumeratePhysicalDevices, and their properties */
    uint64_t device_ns;    /* vkCreateDevice */
};

struct device {
    int users;
    struct device *next;
    pid_t process;   /* that opened it: a forked one opens its own */
    unsigned losses; /* of devices in the process, when it was opened */
    bool given;      /* the caller's: not ours to destroy */
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    uint32_t queue_family;
    VkQueue queue;
    struct lock queue_lock;
    void (*lock_queue)(void *), (*unlock_queue)(void *); /* a given device's; may be NULL */
    void *lock_user;
    struct device_limits limits;
    struct assay_gpu_device info;
    VkPhysicalDeviceMemoryProperties memory;
    bool host_writes; /* the host can write its main memory: no staging is needed */
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE], pipeline_uuid[VK_UUID_SIZE];
    uint32_t driver_version;
    double timestamp_ns;              /* of one tick; 0: the queue has no time stamps */
    VkDescriptorSetLayout set_layout; /* PLAN_BINDINGS storage buffers */
    VkPipelineLayout layout;          /* and PLAN_PUSH_BYTES of push constants */
    struct blocks blocks;
    struct pipelines pipelines;
    struct lock selftest_lock; /* guards what selftest.c found out */
    bool half_passed;          /* 16-bit storage gave the known answers */
    bool dot_tested;           /* right or wrong: pipelines.packed_dot */
};

/* The device that `wanted` names: an index, part of a name (case ignored), NULL for the best one by
 * type and then the first.  STATUS_NO_DEVICE says what there is and what is missing. */
enum status device_acquire(struct device **out, const char *wanted, bool half,
                           struct device_cost *cost, struct diag *diag);
void device_release(struct device *d);

/* One that the caller made, whose queue we may use; not closed with the last user. */
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

/* Round every use of the queue. */
void device_lock_queue(struct device *d);
void device_unlock_queue(struct device *d);

/* Describes all devices (assay_gpu.h); -1 with the reason in diag. */
int device_list(struct assay_gpu_device *devices, int room, struct diag *diag);

#endif

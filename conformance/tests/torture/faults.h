/* faults.so: the n-th allocation, or the n-th Vulkan call, of the libraries fails.
 *
 * It stands before libc and libvulkan in the order of symbols, linked or by LD_PRELOAD, and takes
 * their place for malloc and its kin and for all entry points of Vulkan, exported or asked for with
 * vkGetInstanceProcAddr and vkGetDeviceProcAddr.  Only what the libraries and assay call counts and
 * fails: a driver's own allocations do neither.  It also counts what they have allocated and the
 * Vulkan objects that they have made, so that a leak is seen without a sanitizer.
 *
 * With LD_PRELOAD, ASSAY_FAULT=allocation:N fails the N-th allocation of the program, and
 * ASSAY_FAULT=children:N that of each process that it forks; ASSAY_FAULT_LOG names a file to which
 * goes what failed, and how many blocks were live at the end. */
#ifndef ASSAY_CONFORMANCE_TESTS_TORTURE_FAULTS_H
#define ASSAY_CONFORMANCE_TESTS_TORTURE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

enum fault_kind { FAULT_NONE, FAULT_ALLOCATION, FAULT_VULKAN };

struct fault {
    enum fault_kind kind;
    int result;    /* VkResult, of FAULT_VULKAN */
    long after;    /* calls that succeed before one fails; negative: all succeed, and are counted */
    bool children; /* not in the process that armed it, but in those that it forks */
    bool stays;    /* later calls fail, too; a lost device always stays lost */
};

struct fault_state {
    long seen; /* calls that could have failed so far */
    bool fired;
    char call[96]; /* the first that failed, and who called it: "malloc in libassay.so+0x1234" */
    long blocks, bytes; /* live now */
    long objects;       /* of Vulkan, live now */
    long misuses;       /* of Vulkan memory: a range that is not aligned, a block unmapped twice */
};

/* Marked so that a program that is linked with faults.so can be told from one that is not. */
#define FAULT_EXPORT __attribute__((visibility("default")))

FAULT_EXPORT void fault_arm(const struct fault *f);
/* Nothing fails any more. */
FAULT_EXPORT void fault_disarm(void);
FAULT_EXPORT void fault_look(struct fault_state *state);
/* Blocks that were allocated after the last fault_arm and are live: one text a call site, to
 * `text`; returns how many blocks. */
FAULT_EXPORT long fault_leaks(char *text, size_t size);
/* Vulkan objects that are live, as "2 vkCreateBuffer, 1 vkAllocateMemory". */
FAULT_EXPORT void fault_objects(char *text, size_t size);
/* From now on no memory type is HOST_COHERENT, and mapped memory is a copy, which only flushing
 * writes to the device and only invalidating reads from it. */
FAULT_EXPORT void fault_not_coherent(bool on);
/* Of the i-th result of vulkan_results.def: its name and value; NULL past the last. */
FAULT_EXPORT const char *fault_result(int i, int *result);

#endif

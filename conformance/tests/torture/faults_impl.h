/* What the files of faults.so share. */
#ifndef ASSAY_CONFORMANCE_TESTS_TORTURE_FAULTS_IMPL_H
#define ASSAY_CONFORMANCE_TESTS_TORTURE_FAULTS_IMPL_H

#include "conformance/tests/torture/faults.h"

#include <stdbool.h>

/* Whether the code at this address is of the libraries or of assay. */
bool fault_is_ours(const void *address);
/* "libassay.so+0x1234", for addr2line. */
void fault_place(const void *address, char *text, size_t size);

/* Whether this call has to fail; `call` and `caller` say which it was when it is the first. */
bool fault_fails(enum fault_kind kind, bool may_return, const char *call, const void *caller);
/* VkResult of the fault that is armed; 0: none of Vulkan is. */
int fault_armed_result(void);

void fault_track(void *block, size_t bytes, const void *caller);
void fault_forget(void *block);
void fault_count_blocks(struct fault_state *state);
void fault_mark_blocks(void); /* blocks from now on are those of fault_leaks */

long fault_count_objects(void);
long fault_count_misuses(void);

#endif

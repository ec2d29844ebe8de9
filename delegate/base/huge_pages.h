/* Fewer page faults for blocks of many megabytes: each fault costs a microsecond or more. */
#ifndef ASSAY_DELEGATE_BASE_HUGE_PAGES_H
#define ASSAY_DELEGATE_BASE_HUGE_PAGES_H

#include <stddef.h>

/* Asks the kernel for huge pages where the block has whole ones.  Call it before the block is
 * written; pages that are there stay.  What it answers does not matter. */
void huge_pages_ask(void *block, size_t bytes);

#endif

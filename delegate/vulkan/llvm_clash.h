/* Programs that export LLVM. */
#ifndef ASSAY_DELEGATE_VULKAN_LLVM_CLASH_H
#define ASSAY_DELEGATE_VULKAN_LLVM_CLASH_H

#include "reference/base/diag.h"

/* The caller of both holds the lock of device.c. */

/* Called after the Vulkan drivers were loaded: whether a symbol of LLVM that a driver's libLLVM has
 * is exported to the whole process by another library.  Remembers what it finds: a driver binds a
 * function at its first call, or, with LD_BIND_NOW=1, when it is loaded. */
void llvm_clash_look(void);
/* STATUS_NO_DEVICE, with the library, when a software driver would call that library's LLVM. */
enum status llvm_clash_check(const char *device, struct diag *diag);

#endif

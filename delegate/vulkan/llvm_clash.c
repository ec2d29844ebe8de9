/* Mesa's software driver compiles shaders with libLLVM, which is loaded with the driver and not
 * visible to others.  Its calls of its own functions still go to those of the same name that the
 * program has made visible to all, as TensorFlow from 2.19 on does with another version of LLVM:
 * the process then crashes in the first inference. */
#include "delegate/vulkan/llvm_clash.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* llvm::raw_svector_ostream::write_impl, in which such processes crash. */
static const char symbol[] = "_ZN4llvm18raw_svector_ostream10write_implEPKcm";

static bool looked;
static char before[128]; /* the other library when the drivers were loaded; empty: none */

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path ? path : "";
}

static bool is_llvm(const char *path)
{
    return strncmp(base_name(path), "libLLVM", 7) == 0;
}

static int find_llvm(struct dl_phdr_info *info, size_t bytes, void *found)
{
    (void)bytes;
    *(bool *)found |= is_llvm(info->dlpi_name);
    return 0;
}

/* The library whose LLVM all others see; NULL: none, or a libLLVM, whose versions do not mix. */
static const char *other_llvm(void)
{
    void *const address = dlsym(RTLD_DEFAULT, symbol);
    bool driver_has_llvm = false;
    Dl_info info;

    if (!address)
        return NULL;
    dl_iterate_phdr(find_llvm, &driver_has_llvm);
    if (!driver_has_llvm || !dladdr(address, &info) || !info.dli_fname || is_llvm(info.dli_fname))
        return NULL;
    return base_name(info.dli_fname); /* valid while the library is loaded */
}

void llvm_clash_look(void)
{
    const char *library;

    if (looked)
        return;
    looked = true;
    if ((library = other_llvm()))
        snprintf(before, sizeof before, "%s", library);
}

enum status llvm_clash_check(const char *device, struct diag *diag)
{
    const char *const now = getenv("LD_BIND_NOW");
    const char *library = before[0] ? before : now && *now ? NULL : other_llvm();

    if (!library)
        return STATUS_OK;
    return diag_fail(
        diag, STATUS_NO_DEVICE,
        "device '%s': %s exports LLVM to all libraries, and the driver's own LLVM would "
        "call it and crash: set LD_BIND_NOW=1 and create a delegate before %s is loaded",
        device, library, library);
}

/* Checks what LiteRT checks of an accelerator, with a message for each. */
#include "conformance/suite/subject/litert_accelerator.h"

#include "reference/format/file.h"

#include <dlfcn.h>

enum { DEF_MAJOR = 1, DEF_BYTES = sizeof(struct litert_accelerator_def) };

/* Later minor versions append members, so their struct may be larger. */
static enum status check_header(const char *path, const struct litert_abi_header *h,
                                struct diag *diag)
{
    if (h->major_version != DEF_MAJOR)
        return diag_fail(diag, STATUS_IO,
                         "%s: LiteRtAcceleratorImpl has ABI version %u.%u, expected %d.x", path,
                         h->major_version, h->minor_version, DEF_MAJOR);
    if (h->struct_size < DEF_BYTES || (h->minor_version == 0 && h->struct_size != DEF_BYTES))
        return diag_fail(diag, STATUS_IO,
                         "%s: LiteRtAcceleratorImpl of ABI version %u.%u has %u bytes, expected %d",
                         path, h->major_version, h->minor_version, h->struct_size, DEF_BYTES);
    return STATUS_OK;
}

static enum status check_def(const char *path, const struct litert_accelerator_def *def,
                             struct diag *diag)
{
    const size_t most = sizeof def->buffer_handlers.supported / sizeof(int32_t);
    const char *missing;

    TRY(check_header(path, &def->abi_header, diag));
    missing = !def->get_name               ? "get_name"
              : !def->get_version          ? "get_version"
              : !def->get_hardware_support ? "get_hardware_support"
              : !def->is_tflite_delegate_responsible_for_jit_compilation
                  ? "is_tflite_delegate_responsible_for_jit_compilation"
              : !def->create_delegate ? "create_delegate"
                                      : NULL;
    if (missing)
        return diag_fail(diag, STATUS_IO, "%s: LiteRtAcceleratorImpl: %s is NULL", path, missing);
    if (def->buffer_handlers.supported_count >= most)
        return diag_fail(diag, STATUS_IO,
                         "%s: LiteRtAcceleratorImpl: %zu kinds of buffers, fewer than %zu expected",
                         path, def->buffer_handlers.supported_count, most);
    return STATUS_OK;
}

enum status litert_accelerator_open(const char *path, void **library,
                                    const struct litert_accelerator_def **def, struct diag *diag)
{
    enum status s;

    *def = NULL;
    *library = NULL;
    TRY(file_expect_regular(path, diag));
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); /* as litert_api_open */
    if (!*library)
        return diag_fail(diag, STATUS_IO, "%s", dlerror());
    *def = dlsym(*library, "LiteRtAcceleratorImpl");
    s = *def ? check_def(path, *def, diag)
             : diag_fail(diag, STATUS_IO,
                         "%s: no LiteRT accelerator: it does not export LiteRtAcceleratorImpl",
                         path);
    if (s != STATUS_OK) {
        dlclose(*library);
        *library = NULL;
    }
    return s;
}

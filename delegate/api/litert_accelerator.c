/* LiteRT asks for a delegate once for each compiled model, and destroys it with the model. */
#include "delegate/api/litert_accelerator.h"

#include "delegate/api/litert_buffers.h"
#include "delegate/api/litert_options.h"
#include "delegate/runtime/delegate.h"
#include "delegate/runtime/host.h"
#include "reference/base/clean.h"

#include <stdlib.h>

/* LiteRT hands an accelerator no function that takes a message. */
static int fail(int status, const struct diag *diag)
{
    clean_message("assay accelerator: ERROR: ", diag->text);
    return status;
}

/* The LiteRtStatus of a failure. */
static int litert_status(enum status s)
{
    switch (s) {
    case STATUS_OK: return LITERT_OK;
    case STATUS_USAGE:
    case STATUS_INVALID: return LITERT_INVALID_ARGUMENT;
    case STATUS_NO_MEMORY: return LITERT_NO_MEMORY;
    case STATUS_UNSUPPORTED: return LITERT_UNSUPPORTED;
    default: return LITERT_RUNTIME_FAILURE;
    }
}

/* ---- what the accelerator is ---- */

static int get_name(litert_handle accelerator, const char **name)
{
    (void)accelerator;
    if (!name)
        return LITERT_INVALID_ARGUMENT;
    *name = "Assay Vulkan";
    return LITERT_OK;
}

static int get_version(litert_handle accelerator, struct litert_version *version)
{
    (void)accelerator;
    if (!version)
        return LITERT_INVALID_ARGUMENT;
    *version = (struct litert_version){ 0 };
    (void)sscanf(ASSAY_VERSION, "%d.%d.%d", &version->major, &version->minor, &version->patch);
    return LITERT_OK;
}

static int get_hardware(litert_handle accelerator, int *hardware)
{
    (void)accelerator;
    if (!hardware)
        return LITERT_INVALID_ARGUMENT;
    *hardware = LITERT_HARDWARE_GPU;
    return LITERT_OK;
}

/* It compiles when the delegate prepares the graph. */
static int compiles(litert_handle accelerator, bool *does)
{
    (void)accelerator;
    if (!does)
        return LITERT_INVALID_ARGUMENT;
    *does = true;
    return LITERT_OK;
}

/* ---- the runtime ---- */

static int check_version(const struct litert_header *h, struct diag *diag)
{
    if (h->major == LITERT_ABI_MAJOR && h->struct_size >= sizeof(struct litert_runtime))
        return LITERT_OK;
    diag_fail(
        diag, STATUS_UNSUPPORTED,
        "LiteRtRuntimeContext: expected at least %zu bytes of version %d, found %u of version "
        "%u.%u",
        sizeof(struct litert_runtime), LITERT_ABI_MAJOR, h->struct_size, h->major, h->minor);
    return LITERT_WRONG_VERSION;
}

#define REQUIRE(runtime, member)                                                                   \
    if (!(runtime)->member)                                                                        \
    return diag_fail(diag, STATUS_USAGE,                                                           \
                     "LiteRtRuntimeContext: expected a function at byte %zu "                      \
                     "(" #member "), found NULL",                                                  \
                     offsetof(struct litert_runtime, member))

/* Events serve asynchronous runs only; without them runs are synchronous. */
static enum status check_functions(const struct litert_runtime *r, struct diag *diag)
{
    REQUIRE(r, create_requirements);
    REQUIRE(r, get_buffer);
    REQUIRE(r, register_requirements);
    REQUIRE(r, get_opaque_options);
    REQUIRE(r, find_opaque_data);
    REQUIRE(r, wrap_delegate);
    REQUIRE(r, destroy_buffer);
    REQUIRE(r, get_type);
    REQUIRE(r, get_size);
    REQUIRE(r, get_offset);
    REQUIRE(r, get_host_memory);
    REQUIRE(r, get_custom_handle);
    REQUIRE(r, has_event);
    REQUIRE(r, get_event);
    REQUIRE(r, wait_event);
    return STATUS_OK;
}

/* ---- options ---- */

/* The text of an opaque option; NULL: not given. */
static const char *find_option(const struct litert_runtime *r, litert_handle options,
                               const char *name)
{
    litert_handle opaque = NULL;
    void *data = NULL;

    if (!options || r->get_opaque_options(options, &opaque) != LITERT_OK || !opaque ||
        r->find_opaque_data(opaque, name, &data) != LITERT_OK)
        return NULL;
    return data;
}

/* The last of several values of a key counts: ours overrule LiteRT's, which overrule those of the
 * environment. */
static enum status read_options(struct litert_options *o, const struct litert_runtime *r,
                                litert_handle options, struct diag *diag)
{
    static const char variable[] = "ASSAY_DELEGATE_OPTIONS", name[] = "assay_gpu";
    const char *text;

    if ((text = getenv(variable)))
        TRY(litert_options_add(o, variable, text, diag));
    if ((text = find_option(r, options, "gpu_options")))
        TRY(litert_options_add_gpu(o, text, diag));
    if ((text = find_option(r, options, name)))
        TRY(litert_options_add(o, name, text, diag));
    return STATUS_OK;
}

/* ---- the delegate ---- */

static void destroy_delegate(TfLiteDelegate *delegate)
{
    delegate_destroy(delegate);
}

static enum status make_delegate(struct gpu_delegate **d, const struct litert_runtime *r,
                                 litert_handle options, struct diag *diag)
{
    struct litert_options o = { .count = 0 };
    enum status s = read_options(&o, r, options, diag);

    if (s == STATUS_OK)
        s = host_delegate_create(d, o.keys, o.values, o.count, NULL, diag);
    litert_options_close(&o);
    if (s == STATUS_OK && !((*d)->source = litert_source_make(r))) {
        delegate_destroy(&(*d)->base);
        s = diag_fail(diag, STATUS_NO_MEMORY, "delegate: out of memory");
    }
    /* The sizes of buffers are announced in Prepare, so that has to run again after a resize. */
    if (s == STATUS_OK)
        (*d)->base.flags = kTfLiteDelegateFlagsNone;
    return s;
}

static int create_delegate(struct litert_runtime *runtime, litert_handle environment,
                           litert_handle accelerator, litert_handle options, litert_handle *wrapper)
{
    struct diag diag = { 0 };
    struct gpu_delegate *d;
    enum status s;
    int status;

    (void)environment;
    (void)accelerator;
    if (!runtime || !wrapper) {
        diag_fail(&diag, STATUS_USAGE, "create_delegate: expected a %s, found NULL",
                  runtime ? "place for the delegate" : "LiteRtRuntimeContext");
        return fail(LITERT_INVALID_ARGUMENT, &diag);
    }
    if ((status = check_version(&runtime->header, &diag)) != LITERT_OK)
        return fail(status, &diag);
    s = check_functions(runtime, &diag);
    if (s == STATUS_OK)
        s = make_delegate(&d, runtime, options, &diag);
    if (s != STATUS_OK)
        return fail(litert_status(s), &diag);
    status = runtime->wrap_delegate(&d->base, destroy_delegate, wrapper);
    if (status != LITERT_OK) {
        delegate_destroy(&d->base);
        diag_fail(&diag, STATUS_INVALID, "LiteRT's wrap_delegate failed with status %d", status);
        return fail(status, &diag);
    }
    return LITERT_OK;
}

const struct litert_accelerator LiteRtAcceleratorImpl = {
    .header = { sizeof LiteRtAcceleratorImpl, LITERT_ABI_MAJOR, 0, 0 },
    .get_name = get_name,
    .get_version = get_version,
    .get_hardware = get_hardware,
    .compiles = compiles,
    .create_delegate = create_delegate,
    .buffers = { .header = { sizeof LiteRtAcceleratorImpl.buffers, LITERT_ABI_MAJOR, 0, 0 },
                 .create = litert_memory_create,
                 .destroy = litert_memory_destroy,
                 .lock = litert_memory_lock,
                 .unlock = litert_memory_unlock,
                 .clear = litert_memory_clear,
                 .device_tag = LITERT_ENV_OPTION_NONE,
                 .queue_tag = LITERT_ENV_OPTION_NONE,
                 .type_count = 1,
                 .types = { LITERT_BUFFER_ASSAY } }
};

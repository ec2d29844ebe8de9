/* LiteRT accelerators to test the suite with: none makes a delegate.  Built once as it is, and with
 * another struct size, another version, or without a name. */
#include "conformance/suite/subject/litert_api.h"

#ifndef MOCK_BYTES
#define MOCK_BYTES sizeof(struct litert_accelerator_def)
#endif
#ifndef MOCK_MAJOR
#define MOCK_MAJOR 1
#endif

static int get_name(const void *accelerator, const char **name)
{
    (void)accelerator;
    *name = "Mock accelerator";
    return LITERT_OK;
}

static int get_version(const void *accelerator, struct litert_api_version *version)
{
    (void)accelerator;
    *version = (struct litert_api_version){ 4, 5, 6 };
    return LITERT_OK;
}

static int get_hardware_support(const void *accelerator, int *set)
{
    (void)accelerator;
    *set = LITERT_GPU;
    return LITERT_OK;
}

static int compiles(const void *accelerator, bool *jit)
{
    (void)accelerator;
    *jit = true;
    return LITERT_OK;
}

static int create_delegate(void *context, void *environment, const void *accelerator, void *options,
                           void *wrapper)
{
    (void)context, (void)environment, (void)accelerator, (void)options, (void)wrapper;
    return LITERT_ERROR_UNSUPPORTED;
}

extern const struct litert_accelerator_def LiteRtAcceleratorImpl;
__attribute__((visibility("default"))) const struct litert_accelerator_def LiteRtAcceleratorImpl = {
    .abi_header = { MOCK_BYTES, MOCK_MAJOR, 0, 0 },
#ifndef MOCK_WITHOUT_NAME
    .get_name = get_name,
#endif
    .get_version = get_version,
    .get_hardware_support = get_hardware_support,
    .is_tflite_delegate_responsible_for_jit_compilation = compiles,
    .create_delegate = create_delegate,
};

/* Where the struct leaves it out. */
extern int (*const mock_get_name)(const void *, const char **);
int (*const mock_get_name)(const void *, const char **) = get_name;

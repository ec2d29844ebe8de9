/* Loads libLiteRt.so.  The assertions are those of LiteRT's own headers, which are of
 * 64 bits. */
#include "conformance/suite/subject/litert_api.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LP64(condition, text) _Static_assert(sizeof(void *) != 8 || (condition), text)
LP64(sizeof(struct litert_any) == 16, "LiteRtAny");
LP64(offsetof(struct litert_any, ptr_value) == 8, "LiteRtAny");
LP64(sizeof(struct litert_env_option) == 24, "LiteRtEnvOption");
LP64(offsetof(struct litert_env_option, value) == 8, "LiteRtEnvOption");
LP64(sizeof(struct litert_layout) == 68, "LiteRtLayout");
LP64(offsetof(struct litert_layout, dimensions) == 4, "LiteRtLayout");
LP64(offsetof(struct litert_layout, strides) == 36, "LiteRtLayout");
LP64(sizeof(struct litert_tensor_type) == 72, "LiteRtRankedTensorType");
LP64(offsetof(struct litert_tensor_type, layout) == 4, "LiteRtRankedTensorType");
LP64(sizeof(struct litert_api_version) == 12, "LiteRtApiVersion");
LP64(sizeof(struct litert_abi_header) == 8, "LiteRtAbiHeader");
#define DEF struct litert_accelerator_def
LP64(sizeof(DEF) == 200, "LiteRtAcceleratorDefV1");
LP64(offsetof(DEF, get_name) == 8, "LiteRtAcceleratorDefV1");
LP64(offsetof(DEF, get_hardware_support) == 24, "LiteRtAcceleratorDefV1");
LP64(offsetof(DEF, create_delegate) == 40, "LiteRtAcceleratorDefV1");
LP64(offsetof(DEF, stop_metrics_collection) == 56, "LiteRtAcceleratorDefV1");
LP64(offsetof(DEF, buffer_handlers) == 64, "LiteRtAcceleratorDefV1");
LP64(offsetof(DEF, buffer_handlers.device_tag) == 64 + 56, "buffer handlers");
LP64(offsetof(DEF, buffer_handlers.supported_count) == 64 + 64, "buffer handlers");
LP64(offsetof(DEF, buffer_handlers.supported) == 64 + 72, "buffer handlers");
#undef DEF

/* POSIX lets a pointer from dlsym be a function; C has no cast for it. */
static bool find_symbol(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* The name of the first function that the library lacks; NULL: it has all. */
static const char *find_functions(struct litert_api *api)
{
#define X(field, symbol, result, parameters)                                                       \
    if (!find_symbol(api->library, #symbol, &api->field))                                          \
        return #symbol;
    LITERT_FUNCTIONS(X)
#undef X
    return NULL;
}

enum status litert_api_open(struct litert_api *api, const char *path, struct diag *diag)
{
    const char *missing;

    /* It may have started threads, so its code stays. */
    *api = (struct litert_api){ .library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) };
    if (!api->library)
        return diag_fail(diag, STATUS_IO, "%s", dlerror());
    litert_find_version(path, api->version, sizeof api->version);
    missing = find_functions(api);
    if (!missing)
        return STATUS_OK;
    if (!api->create_environment)
        diag_fail(diag, STATUS_IO, "%s: no LiteRT library: it does not export %s", path, missing);
    else
        diag_fail(diag, STATUS_IO,
                  "%s: it does not export %s, which LiteRT 2.3.0 has; this is version %s", path,
                  missing, api->version[0] ? api->version : "unknown");
    litert_api_close(api);
    return STATUS_IO;
}

void litert_api_close(struct litert_api *api)
{
    if (api->library)
        dlclose(api->library);
    *api = (struct litert_api){ .library = NULL };
}

const char *litert_status_name(int status)
{
    static const struct {
        int value;
        const char *name;
    } names[] = { { 0, "kLiteRtStatusOk" },
                  { 1, "kLiteRtStatusErrorInvalidArgument" },
                  { 2, "kLiteRtStatusErrorMemoryAllocationFailure" },
                  { 3, "kLiteRtStatusErrorRuntimeFailure" },
                  { 4, "kLiteRtStatusErrorMissingInputTensor" },
                  { 5, "kLiteRtStatusErrorUnsupported" },
                  { 6, "kLiteRtStatusErrorNotFound" },
                  { 7, "kLiteRtStatusErrorTimeoutExpired" },
                  { 8, "kLiteRtStatusErrorWrongVersion" },
                  { 9, "kLiteRtStatusErrorUnknown" },
                  { 10, "kLiteRtStatusErrorAlreadyExists" },
                  { 500, "kLiteRtStatusErrorFileIO" },
                  { 501, "kLiteRtStatusErrorInvalidFlatbuffer" },
                  { 502, "kLiteRtStatusErrorDynamicLoading" },
                  { 503, "kLiteRtStatusErrorSerialization" },
                  { 504, "kLiteRtStatusErrorCompilation" },
                  { 1000, "kLiteRtStatusErrorIndexOOB" },
                  { 1001, "kLiteRtStatusErrorInvalidIrType" },
                  { 1002, "kLiteRtStatusErrorInvalidGraphInvariant" },
                  { 4000, "kLiteRtStatusErrorUnsupportedRuntimeVersion" },
                  { 5001, "kLiteRtStatusErrorShapeInferenceFailed" } };
    static _Thread_local char other[32];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].value == status)
            return names[i].name;
    }
    snprintf(other, sizeof other, "LiteRtStatus %d", status);
    return other;
}

/* .../site-packages/ai_edge_litert/libLiteRt.so lies beside ai_edge_litert-2.3.0.dist-info. */
void litert_find_version(const char *path, char *version, size_t bytes)
{
    static const char package[] = "/ai_edge_litert/", end[] = ".dist-info";
    const char *const at = strstr(path, package);
    char directory[PATH_MAX];
    const struct dirent *entry;
    DIR *d;

    version[0] = '\0';
    if (!at || (size_t)(at - path) >= sizeof directory)
        return;
    snprintf(directory, sizeof directory, "%.*s/", (int)(at - path), path);
    d = opendir(directory);
    while (d && (entry = readdir(d)) != NULL) {
        const size_t length = strlen(entry->d_name);
        const char *const dash = strchr(entry->d_name, '-');

        if (strncmp(entry->d_name, package + 1, strlen(package) - 2) != 0 || !dash ||
            length <= strlen(end) || strcmp(entry->d_name + length - strlen(end), end) != 0 ||
            dash >= entry->d_name + length - strlen(end))
            continue;
        snprintf(version, bytes, "%.*s", (int)(entry->d_name + length - strlen(end) - (dash + 1)),
                 dash + 1);
        break;
    }
    if (d)
        closedir(d);
}

bool litert_is_known_version(const char *version)
{
    return strcmp(version, "2.3.0") == 0;
}

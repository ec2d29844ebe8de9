/* Finds the functions of a TensorFlow Lite C library. */
#include "conformance/suite/subject/tflite_c_api.h"

#include <dlfcn.h>
#include <string.h>

/* POSIX lets a pointer from dlsym be a function; C has no cast for it. */
static const char *find(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol ? NULL : name;
}

/* Variables, signatures and the rest of the API came later than version 2.0, so the first function
 * that is missing says what the library lacks. */
static const char *find_all(struct tflite_c_api *api)
{
    const char *missing = NULL;

#define X(result, name, parameters)                                                                \
    if (!missing)                                                                                  \
        missing = find(api->library, "TfLite" #name, &api->name);
    TFLITE_C_LIST(X)
#undef X
    return missing;
}

enum status tflite_c_api_open(struct tflite_c_api *api, const char *path, struct diag *diag)
{
    const char *missing;

    *api = (struct tflite_c_api){ .library = dlopen(path, RTLD_NOW | RTLD_LOCAL) };
    if (!api->library)
        return diag_fail(diag, STATUS_IO, "%s", dlerror());
    find(api->library, "TfLiteInterpreterSetCustomAllocationForTensor", &api->set_custom);
    missing = find_all(api);
    if (missing) {
        diag_fail(diag, STATUS_IO, "%s: no TensorFlow Lite C library: it does not export %s", path,
                  missing);
        tflite_c_api_close(api);
        return STATUS_IO;
    }
    return STATUS_OK;
}

void tflite_c_api_close(struct tflite_c_api *api)
{
    if (api->library)
        dlclose(api->library);
    *api = (struct tflite_c_api){ .library = NULL };
}

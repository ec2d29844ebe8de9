/* Fuzz target: bundles of models, .litertlm and .task.
 *
 * A run that aborts is a bug: a crash or overread, or a section outside of the file. */
#include "conformance/suite/io/bundle.h"
#include "fuzz/fuzz_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag diag = { 0 };
    struct bundle b;
    size_t index;

    if (!bundle_is(data, size) || bundle_open(&b, data, size, &diag) != STATUS_OK)
        return 0;
    for (size_t i = 0; i < b.count; i++) {
        if (b.sections[i].begin > size || b.sections[i].size > size - b.sections[i].begin)
            abort();
    }
    if (bundle_model(&b, NULL, &index, &diag) == STATUS_OK && index >= b.count)
        abort();
    bundle_close(&b);
    return 0;
}

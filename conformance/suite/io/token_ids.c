#include "conformance/suite/io/token_run.h"

#include "conformance/suite/io/npy.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

static enum status read_text(int32_t *ids, size_t *count, const uint8_t *text, size_t bytes,
                             struct diag *diag)
{
    size_t line = 1;

    for (size_t i = 0; i < bytes;) {
        int64_t id = 0;
        const size_t begin = i;

        if (text[i] == '#') {
            while (i < bytes && text[i] != '\n')
                i++;
            continue;
        }
        if (is_space(text[i])) {
            line += text[i++] == '\n';
            continue;
        }
        while (i < bytes && text[i] >= '0' && text[i] <= '9' && id <= INT32_MAX)
            id = 10 * id + (text[i++] - '0');
        if (i == begin || id > INT32_MAX || (i < bytes && !is_space(text[i]) && text[i] != '#'))
            return diag_fail(diag, STATUS_INVALID,
                             "line %zu, token number %zu: expected numbers from 0 to %d, separated "
                             "by spaces, lines or commas",
                             line, *count + 1, INT32_MAX);
        ids[(*count)++] = (int32_t)id;
    }
    return STATUS_OK;
}

static enum status take_array(int32_t *ids, size_t *count, const struct array *a, struct diag *diag)
{
    if ((a->type != kTfLiteInt32 && a->type != kTfLiteInt64) ||
        !(a->rank == 1 || (a->rank == 2 && a->dims[0] == 1))) {
        char shape[128];

        array_shape_text(shape, sizeof shape, a->rank, a->dims);
        return diag_fail(diag, STATUS_INVALID, "expected i32 or i64 [N] or [1, N], found %s %s",
                         runtime_type_name(a->type), shape);
    }
    for (size_t i = 0; i < a->elements; i++) {
        const int64_t id =
            a->type == kTfLiteInt32 ? ((const int32_t *)a->data)[i] : ((const int64_t *)a->data)[i];

        if (id < 0 || id > INT32_MAX)
            return diag_fail(diag, STATUS_INVALID,
                             "token number %zu: expected 0 to %d, found %" PRId64, i + 1, INT32_MAX,
                             id);
        ids[(*count)++] = (int32_t)id;
    }
    return STATUS_OK;
}

enum status token_ids_read(int32_t **ids, size_t *count, size_t more, const uint8_t *bytes,
                           size_t size, struct diag *diag)
{
    struct array a = { .data = NULL };
    const bool is_array = size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
    size_t room = size / 2 + 1;
    enum status s = STATUS_OK;

    *count = 0;
    *ids = NULL;
    if (is_array) {
        TRY(npy_read(&a, bytes, size, diag));
        room = a.elements;
    }
    if (!(*ids = mem_alloc(room + more + 1, sizeof **ids)))
        s = diag_fail(diag, STATUS_NO_MEMORY, "%zu tokens: out of memory", room + more);
    if (s == STATUS_OK)
        s = is_array ? take_array(*ids, count, &a, diag)
                     : read_text(*ids, count, bytes, size, diag);
    array_close(&a);
    TRY(s);
    if (*count == 0)
        return diag_fail(diag, STATUS_INVALID, "expected token numbers, found none");
    if (*count > TOKEN_IDS_MAX)
        return diag_fail(diag, STATUS_INVALID, "%zu tokens, expected at most %d", *count,
                         TOKEN_IDS_MAX);
    return STATUS_OK;
}

/* Names in models may be any bytes; JSON strings are UTF-8. */
#include "conformance/util/json_text.h"

#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <string.h>

json_t *json_text(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *value;
    size_t bytes, used = 0;
    char *clean;

    if (!text)
        return json_null();
    if ((value = json_string(text)) != NULL)
        return value;
    if (!checked_mul(strlen(text), 3, &bytes) || !(clean = mem_alloc(bytes + 1, 1)))
        return NULL;
    for (; *text; text++) {
        if ((unsigned char)*text < 0x80) {
            clean[used++] = *text;
        } else {
            memcpy(clean + used, replacement, 3);
            used += 3;
        }
    }
    value = json_stringn(clean, used);
    mem_free(clean);
    return value;
}

json_t *json_ints(const int *values, size_t count)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(values[i]));
    return list;
}

/* Names in models may be any bytes; JSON strings are UTF-8. */
#include "conformance/util/json_text.h"

#include "reference/base/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool is_utf8(const char *text)
{
    uint32_t code;

    while (*text) {
        const size_t bytes = utf8_decode(text, &code);

        if (bytes == 1 && code == UTF8_REPLACEMENT)
            return false;
        text += bytes;
    }
    return true;
}

json_t *json_text(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *value;
    size_t count, used = 0;
    json_malloc_t take;
    json_free_t give;
    char *clean;

    if (!text)
        return json_null();
    if (is_utf8(text))
        return json_string(text);
    /* By the functions of jansson, whose failures json_memory_failed knows; where a size has 32
     * bits there may be a text for which it is too small, and no memory of all of them. */
    json_get_alloc_funcs(&take, &give);
    count = strlen(text);
    if (!(clean = take(count < SIZE_MAX / 3 ? 3 * count + 1 : SIZE_MAX)))
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
    give(clean);
    return value;
}

json_t *json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *json_ints(const int *values, size_t count)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(values[i]));
    return list;
}

json_t *json_list(size_t count, json_t *element(const void *of, size_t index), const void *of)
{
    json_t *const list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < count; i++)
        ok = json_array_append_new(list, element(of, i)) == 0;
    return json_whole(list, ok);
}

json_t *json_whole(json_t *value, bool ok)
{
    if (ok)
        return value;
    json_decref(value);
    return NULL;
}

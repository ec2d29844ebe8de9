/* Fuzz target: options of custom ops, which are FlexBuffers maps.
 *
 * A run that aborts is a bug: a crash or overread, a map whose keys are not found under their
 * names, or a map that changes when it is written and read again. */
#include "fuzz/fuzz_file.h"
#include "reference/base/memory.h"
#include "reference/format/flexbuffer.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Integers, floats and booleans, which the writer knows, into a new map. */
static void write_again(const struct flex_map *m)
{
    struct flex_writer w = { .count = 0 };
    struct flex_map again;
    struct diag diag = { 0 };
    uint8_t *bytes;
    size_t count;

    for (size_t i = 0; i < m->entries && i < FLEX_ENTRIES_MAX; i++) {
        const char *const key = flex_map_key(m, i);
        struct flex_value v;

        if (!flex_map_find(m, key, &v))
            continue;
        if (v.kind == FLEX_INT)
            flex_write_int(&w, key, v.i);
        else if (v.kind == FLEX_BOOL)
            flex_write_bool(&w, key, v.i != 0);
    }
    if (flex_write_finish(&w, &bytes, &count, &diag) != STATUS_OK)
        return; /* a key that is in the map twice */
    fuzz_expect(flex_map_open(&again, bytes, count, &diag) == STATUS_OK,
                "flexbuffer: expected to read what was written", diag.text);
    for (size_t i = 0; i < w.count; i++) {
        struct flex_value v;

        fuzz_expect(flex_map_find(&again, w.entries[i].key, &v) && v.i == w.entries[i].value.i,
                    "flexbuffer: expected the value of a key that was written", w.entries[i].key);
    }
    mem_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "", "num_classes", "max_detections", "y_scale", "a", "z" };
    uint8_t *exact = malloc(size ? size : 1);
    struct diag diag = { 0 };
    struct flex_map m;

    if (!exact)
        return 0;
    if (size)
        memcpy(exact, data, size);
    if (flex_map_open(&m, exact, size, &diag) == STATUS_OK) {
        struct flex_value v;

        for (size_t i = 0; i < m.entries; i++)
            fuzz_expect(strlen(flex_map_key(&m, i)) < size,
                        "flexbuffer: expected keys that end inside of the bytes", "others");
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (!flex_map_find(&m, names[i], &v))
                fuzz_expect(v.kind == FLEX_NULL, "flexbuffer: expected no value", names[i]);
        write_again(&m);
    } else {
        fuzz_expect(diag.text[0] != '\0', "flexbuffer: expected a message", "none");
    }
    free(exact);
    return 0;
}

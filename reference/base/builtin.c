/* Names, sizes and runtime types of the schema's codes, as tables made from the lists. */
#include "reference/base/builtin.h"

#include <stddef.h>
#include <string.h>

/* All names in one block: a table of pointers would have a relocation of 24 bytes for each of them
 * in the libraries. */
static const struct names {
#define BUILTIN(code, name)    char name[sizeof #name];
#define CUSTOM_ROW(name, text) char name[sizeof text];
#include "reference/base/builtins.def"
#include "reference/base/custom_rows.def"
#undef BUILTIN
#undef CUSTOM_ROW
} names = {
#define BUILTIN(code, name)    .name = #name,
#define CUSTOM_ROW(name, text) .name = text,
#include "reference/base/builtins.def"
#include "reference/base/custom_rows.def"
#undef BUILTIN
#undef CUSTOM_ROW
};

/* Where a name begins, and 1; 0: the schema has no such code. */
static const uint16_t name_at[BUILTIN_COUNT] = {
#define BUILTIN(code, name) [code] = 1 + offsetof(struct names, name),
#include "reference/base/builtins.def"
#undef BUILTIN
};

static const uint16_t custom_at[] = {
#define CUSTOM_ROW(name, text) offsetof(struct names, name),
#include "reference/base/custom_rows.def"
#undef CUSTOM_ROW
};

const char *builtin_name(int32_t code)
{
    if (builtin_is_custom_row(code))
        return (const char *)&names + custom_at[code - BUILTIN_CUSTOM_FIRST - 1];
    return code >= 0 && code < BUILTIN_COUNT && name_at[code] > 0
               ? (const char *)&names + name_at[code] - 1
               : NULL;
}

int32_t builtin_custom_row(const char *text)
{
    for (int32_t code = BUILTIN_CUSTOM_FIRST + 1; code < BUILTIN_CUSTOM_END && text; code++)
        if (strcmp(builtin_name(code), text) == 0)
            return code;
    return BUILTIN_CUSTOM;
}

struct type_row {
    const char *name;
    TfLiteType runtime;
    unsigned bits;
};

static const struct type_row types[TENSOR_TYPE_COUNT] = {
#define X(code, type, width, runtime_type)                                                         \
    [code] = { .name = #type, .runtime = (runtime_type), .bits = (width) },
    TENSOR_TYPE_LIST(X)
#undef X
};

/* Short names of types are lower case, since case names contain them. */
static const char *const short_names[TENSOR_TYPE_COUNT] = {
    [TENSOR_FLOAT32] = "f32",        [TENSOR_FLOAT16] = "f16",
    [TENSOR_INT32] = "i32",          [TENSOR_UINT8] = "u8",
    [TENSOR_INT64] = "i64",          [TENSOR_STRING] = "string",
    [TENSOR_BOOL] = "bool",          [TENSOR_INT16] = "i16",
    [TENSOR_COMPLEX64] = "c64",      [TENSOR_INT8] = "i8",
    [TENSOR_FLOAT64] = "f64",        [TENSOR_COMPLEX128] = "c128",
    [TENSOR_UINT64] = "u64",         [TENSOR_RESOURCE] = "resource",
    [TENSOR_VARIANT] = "variant",    [TENSOR_UINT32] = "u32",
    [TENSOR_UINT16] = "u16",         [TENSOR_INT4] = "i4",
    [TENSOR_BFLOAT16] = "bf16",      [TENSOR_INT2] = "i2",
    [TENSOR_UINT4] = "u4",           [TENSOR_FLOAT8_E4M3FN] = "f8e4m3fn",
    [TENSOR_FLOAT8_E5M2] = "f8e5m2",
};

static const struct type_row *type_row(int32_t type)
{
    return type >= 0 && type < TENSOR_TYPE_COUNT ? &types[type] : NULL;
}

const char *tensor_type_name(int32_t type)
{
    const struct type_row *row = type_row(type);

    return row ? row->name : NULL;
}

unsigned tensor_type_bits(int32_t type)
{
    const struct type_row *row = type_row(type);

    return row ? row->bits : 0;
}

TfLiteType tensor_type_runtime(int32_t type)
{
    const struct type_row *row = type_row(type);

    return row ? row->runtime : kTfLiteNoType;
}

int32_t runtime_type_file(TfLiteType type)
{
    for (int32_t code = 0; code < TENSOR_TYPE_COUNT; code++)
        if (types[code].runtime == type)
            return code;
    return -1;
}

const char *runtime_type_name(TfLiteType type)
{
    const int32_t code = runtime_type_file(type);

    return code >= 0 ? short_names[code] : "none";
}

unsigned runtime_type_bits(TfLiteType type)
{
    return tensor_type_bits(runtime_type_file(type));
}

#include "reference/text/constants.h"

#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/half.h"
#include "reference/base/packed.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_SHOWN = 8 }; /* values of which all are written, unless all are equal */
#define SEEDED_MOST 0x1p53  /* of seeded numbers: integers up to it are doubles */

/* Numbers of a type: integers have a range, all have one that seeds draw from. */
static const struct number_type {
    int32_t type;
    unsigned char bytes; /* 0: packed */
    bool real;
    int64_t least, most;
    double low, high;
} types[] = {
    { TENSOR_FLOAT32, 4, true, 0, 0, -1, 1 },
    { TENSOR_FLOAT16, 2, true, 0, 0, -1, 1 },
    { TENSOR_FLOAT64, 8, true, 0, 0, -1, 1 },
    { TENSOR_INT8, 1, false, INT8_MIN, INT8_MAX, -127, 127 },
    { TENSOR_UINT8, 1, false, 0, UINT8_MAX, 0, 255 },
    { TENSOR_INT16, 2, false, INT16_MIN, INT16_MAX, -32767, 32767 },
    { TENSOR_UINT16, 2, false, 0, UINT16_MAX, 0, 65535 },
    { TENSOR_INT32, 4, false, INT32_MIN, INT32_MAX, -1000, 1000 },
    { TENSOR_UINT32, 4, false, 0, UINT32_MAX, 0, 1000 },
    { TENSOR_INT64, 8, false, INT64_MIN, INT64_MAX, -1000, 1000 },
    { TENSOR_BOOL, 1, false, 0, UINT8_MAX, 0, 1 },
    { TENSOR_INT4, 0, false, -8, 7, -7, 7 },
    { TENSOR_INT2, 0, false, -2, 1, -1, 1 },
    { TENSOR_UINT4, 0, false, 0, 15, 0, 15 },
};

static const struct number_type *find(int32_t type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

bool constants_has_numbers(int32_t type)
{
    return find(type) != NULL;
}

size_t constants_element_bytes(int32_t type)
{
    const struct number_type *const n = find(type);

    return n ? n->bytes : 0;
}

bool constants_bytes(int32_t type, size_t elements, size_t *bytes)
{
    const struct number_type *const n = find(type);

    if (!n)
        return false;
    if (n->bytes)
        return checked_mul(elements, n->bytes, bytes);
    *bytes = packed_bytes(elements, tensor_type_bits(type));
    return true;
}

size_t constants_elements(int32_t type, size_t bytes)
{
    const struct number_type *const n = find(type);

    return !n ? 0 : n->bytes ? bytes / n->bytes : bytes * (8 / tensor_type_bits(type));
}

bool constants_is_padded(int32_t type, const uint8_t *bytes, size_t elements)
{
    const unsigned used = (unsigned)((uint64_t)elements * tensor_type_bits(type) % 8);

    return used == 0 || bytes[(uint64_t)elements * tensor_type_bits(type) / 8] >> used == 0;
}

/* A number of up to 8 bytes as element i; of a packed type an int64_t. */
static void put(const struct number_type *n, const void *number, size_t i, uint8_t *bytes)
{
    int64_t whole;

    if (n->bytes) {
        memcpy(bytes + i * n->bytes, number, n->bytes);
        return;
    }
    memcpy(&whole, number, sizeof whole);
    packed_store(bytes, tensor_type_runtime(n->type), i, whole);
}

static void get(const struct number_type *n, const uint8_t *bytes, size_t i, uint8_t number[8])
{
    const int64_t whole =
        n->bytes ? 0 : (int64_t)packed_load(bytes, tensor_type_runtime(n->type), i);

    memcpy(number, &whole, sizeof whole);
    memcpy(number, bytes + i * n->bytes, n->bytes);
}

static void put_real(const struct number_type *n, double x, uint8_t *out)
{
    const float f = (float)x;
    const uint16_t h = double_to_half(x);

    memcpy(out,
           n->type == TENSOR_FLOAT32   ? (const void *)&f
           : n->type == TENSOR_FLOAT16 ? (const void *)&h
                                       : (const void *)&x,
           n->bytes);
}

static enum status read_element(struct scan *t, const struct number_type *n, uint8_t *out)
{
    uint64_t bits = 0;
    int64_t whole = 0;
    double x = 0;

    if (!n->real) {
        TRY(scan_integer(t, "an integer", n->least, n->most, &whole));
        memcpy(out, &whole, n->bytes ? n->bytes : sizeof whole);
        return STATUS_OK;
    }
    TRY(scan_real(t, "a number", &x, &bits));
    if (bits)
        memcpy(out, &bits, n->bytes);
    else
        put_real(n, x, out);
    return STATUS_OK;
}

enum status constants_read_value(struct scan *t, int32_t type, size_t at, uint8_t *bytes)
{
    const struct number_type *const n = find(type);
    uint8_t value[8];

    if (!n)
        return scan_expected(t, "x: and bytes, since the type has no numbers");
    TRY(read_element(t, n, value));
    put(n, value, at, bytes);
    return STATUS_OK;
}

enum status constants_read_values(struct scan *t, int32_t type, size_t elements, uint8_t *bytes)
{
    const struct number_type *const n = find(type);
    size_t given = 0;
    uint8_t value[8];

    if (!n)
        return scan_expected(t, "x: and bytes, since the type has no numbers");
    do {
        if (given > 0 && given >= elements)
            return scan_fail(t, t->at, STATUS_INVALID, "expected at most %zu values, found more",
                             elements);
        TRY(read_element(t, n, value));
        if (given < elements)
            put(n, value, given, bytes);
        given++;
    } while (scan_take(t, ","));
    for (; given < elements; given++)
        put(n, value, given, bytes);
    return STATUS_OK;
}

/* Sebastiano Vigna's splitmix64. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number that stands before "," or "..", which is no part of it. */
static enum status scan_limit(struct scan *t, const char *what, double *value)
{
    char *end;

    *value = strtod(t->at, &end);
    if (end == t->at || isspace((unsigned char)*t->at))
        return scan_expected(t, what);
    if (end[-1] == '.' && *end == '.')
        end--;
    t->at = end;
    return STATUS_OK;
}

enum status constants_read_seed(struct scan *t, int32_t type, size_t elements, uint8_t *bytes)
{
    const struct number_type *const n = find(type);
    double low = n ? n->low : 0, high = n ? n->high : 0;
    bool whole_numbers = n && !n->real;
    uint64_t state;
    int64_t seed;

    if (!n)
        return scan_expected(t, "x: and bytes, since the type has no numbers");
    TRY(scan_integer(t, "a seed", 0, INT64_MAX, &seed));
    if (scan_take(t, "(")) {
        const char *const at = t->at;

        TRY(scan_limit(t, "the least number", &low));
        if (scan_take(t, ".."))
            whole_numbers = true;
        else if (!scan_take(t, ","))
            return scan_expected(t, ", or .. and the largest number");
        TRY(scan_limit(t, "the largest number", &high));
        if (!(low <= high) || (!n->real && (low < (double)n->least || high > (double)n->most)) ||
            fabs(low) > SEEDED_MOST || !(fabs(high) <= SEEDED_MOST))
            return scan_fail(t, at, STATUS_INVALID, "no such numbers: from %g to %g", low, high);
        if (!scan_take(t, ")"))
            return scan_expected(t, ")");
    }
    state = (uint64_t)seed;
    for (size_t i = 0; i < elements; i++) {
        const double unit = (double)(next(&state) >> 40) / (1 << 24); /* [0, 1) */

        const double step = floor(low + (high - low + 1) * unit);
        const double x = !whole_numbers ? low + (high - low) * unit : step > high ? high : step;
        const int64_t whole = n->real ? 0 : (int64_t)x;

        if (n->real)
            put_real(n, x, bytes + i * n->bytes);
        else
            put(n, &whole, i, bytes);
    }
    return STATUS_OK;
}

/* ---- writing ---- */

size_t constants_count_values(int32_t type, const uint8_t *bytes, size_t elements)
{
    const struct number_type *const n = find(type);
    size_t count = elements;
    uint8_t last[8], before[8];

    for (; count > 1; count--) {
        get(n, bytes, count - 1, last);
        get(n, bytes, count - 2, before);
        if (memcmp(last, before, sizeof last) != 0)
            break;
    }
    return count > 1 && elements <= REPEATS_SHOWN ? elements : count;
}

static void print_real(FILE *f, double x, uint64_t bits, uint64_t plain_nan, int digits, int most,
                       bool is_double)
{
    char text[40];

    if (isnan(x)) {
        if (bits == plain_nan)
            fputs("nan", f);
        else
            fprintf(f, "nan(0x%" PRIx64 ")", bits);
        return;
    }
    do
        snprintf(text, sizeof text, "%.*g", digits, x);
    while (digits++ < most &&
           (is_double ? strtod(text, NULL) != x : (float)strtod(text, NULL) != (float)x));
    fputs(text, f);
}

void constants_print_float(FILE *f, float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    print_real(f, (double)x, bits, 0x7fc00000, 6, 9, false);
}

static void print_element(FILE *f, const struct number_type *n, const uint8_t *bytes, size_t i)
{
    union {
        float f32;
        double f64;
        uint16_t half;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint64_t bits;
        uint8_t bytes[8];
    } v;

    get(n, bytes, i, v.bytes);
    if (n->type == TENSOR_FLOAT32)
        constants_print_float(f, v.f32);
    else if (n->type == TENSOR_FLOAT64)
        print_real(f, v.f64, v.bits, 0x7ff8000000000000u, 15, 17, true);
    else if (n->type == TENSOR_FLOAT16)
        print_real(f, (double)half_to_float(v.half), v.bits, 0x7e00, 5, 5, false);
    else if (n->least == 0)
        fprintf(f, "%" PRIu64, v.bits);
    else
        fprintf(f, "%" PRId64,
                n->bytes == 1   ? v.i8
                : n->bytes == 2 ? v.i16
                : n->bytes == 4 ? v.i32
                                : v.i64);
}

void constants_print_values(FILE *f, int32_t type, const uint8_t *bytes, size_t elements)
{
    const struct number_type *const n = find(type);
    const size_t count = constants_count_values(type, bytes, elements);

    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', f);
        print_element(f, n, bytes, i);
    }
}

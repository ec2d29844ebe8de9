#include "conformance/tools/bench/bench_inputs.h"

#include "conformance/suite/io/random_ids.h"
#include "conformance/util/random.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Copies up to the first of the characters in `ends`, or to the end; \: is a colon.  Moves *text
 * behind it.  False when it does not fit. */
static bool take(const char **text, const char *ends, char *word, size_t bytes)
{
    size_t used = 0;

    while (**text && !strchr(ends, **text)) {
        if (**text == '\\' && (*text)[1] == ':')
            ++*text;
        if (used + 1 >= bytes)
            return false;
        word[used++] = *(*text)++;
    }
    word[used] = '\0';
    return true;
}

static bool take_integer(const char **text, int64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoll(*text, &end, 10);
    if (end == *text || errno != 0 || (*end && !strchr(",:", *end)))
        return false;
    *text = end;
    return true;
}

/* The item of a name, which is added where it is new. */
static enum status find_or_add(struct bench_inputs *inputs, const char *name,
                               struct bench_input **out, struct diag *diag)
{
    for (size_t i = 0; i < inputs->count; i++) {
        if (strcmp(inputs->items[i].name, name) == 0) {
            *out = &inputs->items[i];
            return STATUS_OK;
        }
    }
    if (inputs->count == BENCH_INPUTS_MAX)
        return diag_fail(diag, STATUS_USAGE, "expected at most %d inputs", BENCH_INPUTS_MAX);
    *out = &inputs->items[inputs->count++];
    snprintf((*out)->name, sizeof(*out)->name, "%s", name);
    return STATUS_OK;
}

static enum status read_shape(struct bench_input *input, const char **text, struct diag *diag)
{
    const char *const begin = *text;

    for (input->rank = 0;; ++*text) {
        int64_t value;

        if (input->rank == REF_MAX_RANK || !take_integer(text, &value) || value < 1 ||
            value > INT32_MAX)
            return diag_fail(diag, STATUS_USAGE,
                             "--input_layer_shape: expected dimensions such as 1,224,224,3, found "
                             "%s",
                             begin);
        input->dims[input->rank++] = (int32_t)value;
        if (**text != ',')
            break;
    }
    input->has_shape = true;
    return STATUS_OK;
}

static enum status read_layers(struct bench_inputs *inputs, const char *layers, const char *shapes,
                               struct diag *diag)
{
    const char *name = layers, *shape = shapes;

    while (*name) {
        char word[BENCH_NAME_BYTES];
        struct bench_input *input;

        if (!take(&name, ",", word, sizeof word) || !word[0])
            return diag_fail(diag, STATUS_USAGE, "--input_layer=%s: expected names", layers);
        if (!*shape)
            return diag_fail(diag, STATUS_USAGE, "--input_layer_shape: none for input %s", word);
        TRY(find_or_add(inputs, word, &input, diag));
        TRY(read_shape(input, &shape, diag));
        name += *name == ',';
        shape += *shape == ':';
    }
    return *shape ? diag_fail(diag, STATUS_USAGE,
                              "--input_layer_shape: no name in --input_layer for %s", shape)
                  : STATUS_OK;
}

static enum status read_ranges(struct bench_inputs *inputs, const char *ranges, struct diag *diag)
{
    const char *text = ranges;

    while (*text) {
        char word[BENCH_NAME_BYTES];
        struct bench_input *input;
        int64_t low, high;

        if (!take(&text, ",", word, sizeof word) || !word[0] || *text != ',' ||
            (text++, !take_integer(&text, &low)) || *text != ',' ||
            (text++, !take_integer(&text, &high)) || *text == ',')
            return diag_fail(diag, STATUS_USAGE,
                             "--input_layer_value_range=%s: expected NAME,LOW,HIGH:NAME,LOW,HIGH",
                             ranges);
        if (low > high)
            return diag_fail(diag, STATUS_USAGE,
                             "--input_layer_value_range: %s: %" PRId64 " is more than %" PRId64,
                             word, low, high);
        TRY(find_or_add(inputs, word, &input, diag));
        input->low = low;
        input->high = high;
        input->has_range = true;
        text += *text == ':';
    }
    return STATUS_OK;
}

static enum status read_files(struct bench_inputs *inputs, const char *files, struct diag *diag)
{
    const char *text = files;

    while (*text) {
        char word[BENCH_NAME_BYTES];
        struct bench_input *input;

        if (!take(&text, ":,", word, sizeof word) || !word[0] || *text != ':')
            return diag_fail(diag, STATUS_USAGE,
                             "--input_layer_value_files=%s: expected NAME:FILE,NAME:FILE", files);
        text++;
        TRY(find_or_add(inputs, word, &input, diag));
        if (!take(&text, ",", input->file, sizeof input->file) || !input->file[0])
            return diag_fail(diag, STATUS_USAGE, "--input_layer_value_files: %s has no file", word);
        text += *text == ',';
    }
    return STATUS_OK;
}

enum status bench_inputs_parse(struct bench_inputs *inputs, const char *layers, const char *shapes,
                               const char *ranges, const char *files, struct diag *diag)
{
    inputs->count = 0;
    memset(inputs->items, 0, sizeof inputs->items);
    TRY(read_layers(inputs, layers ? layers : "", shapes ? shapes : "", diag));
    TRY(read_ranges(inputs, ranges ? ranges : "", diag));
    return read_files(inputs, files ? files : "", diag);
}

/* ---- the graph ---- */

/* The index of the tensor; lists the names of inputs where none has this one. */
static enum status find_tensor(const struct bench_input *input, struct interpreter *in, int *tensor,
                               struct diag *diag)
{
    size_t count, used = 0;
    const int *const inputs = interpreter_inputs(in, &count);
    char names[512] = "";

    for (size_t i = 0; i < count; i++) {
        const char *const name = interpreter_tensor(in, inputs[i])->name;

        *tensor = inputs[i];
        if (name && strcmp(name, input->name) == 0)
            return STATUS_OK;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                     name ? name : "");
    }
    return diag_fail(diag, STATUS_USAGE, "no input has the name %s, but %s", input->name, names);
}

enum status bench_inputs_resize(const struct bench_inputs *inputs, struct interpreter *in,
                                struct diag *diag)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct bench_input *const input = &inputs->items[i];
        int tensor;

        TRY(find_tensor(input, in, &tensor, diag));
        if (input->has_shape)
            TRY(diag_prefix(diag,
                            interpreter_resize_input(in, tensor, input->dims, input->rank, diag),
                            "--input_layer_shape: %s", input->name));
    }
    return STATUS_OK;
}

/* ---- values ---- */

static enum status load(TfLiteTensor *t, const struct bench_input *input, struct diag *diag)
{
    uint8_t *bytes = NULL;
    size_t count;

    TRY(file_read(input->file, t->bytes + 1, &bytes, &count, diag));
    if (count == t->bytes)
        memcpy(t->data.raw, bytes, count);
    mem_free(bytes);
    return count == t->bytes
               ? STATUS_OK
               : diag_fail(diag, STATUS_USAGE, "%s: expected %zu bytes for input %s, found %zu",
                           input->file, t->bytes, input->name, count);
}

/* The integers that a type holds; floats hold those of 24 bits. */
static bool limits_of(TfLiteType type, int64_t *low, int64_t *high)
{
    static const struct {
        TfLiteType type;
        int64_t low, high;
    } rows[] = { { kTfLiteFloat32, -(1 << 24), 1 << 24 },
                 { kTfLiteInt8, INT8_MIN, INT8_MAX },
                 { kTfLiteUInt8, 0, UINT8_MAX },
                 { kTfLiteInt16, INT16_MIN, INT16_MAX },
                 { kTfLiteInt32, INT32_MIN, INT32_MAX },
                 { kTfLiteInt64, INT64_MIN / 2, INT64_MAX / 2 },
                 { kTfLiteBool, 0, 1 } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        *low = rows[i].low;
        *high = rows[i].high;
        if (rows[i].type == type)
            return true;
    }
    return false;
}

static void set(TfLiteTensor *t, size_t i, int64_t value)
{
    switch (t->type) {
    case kTfLiteFloat32: t->data.f[i] = (float)value; break;
    case kTfLiteInt8: t->data.int8[i] = (int8_t)value; break;
    case kTfLiteUInt8: t->data.uint8[i] = (uint8_t)value; break;
    case kTfLiteInt16: t->data.i16[i] = (int16_t)value; break;
    case kTfLiteInt32: t->data.i32[i] = (int32_t)value; break;
    case kTfLiteInt64: t->data.i64[i] = value; break;
    default: t->data.b[i] = value != 0; break;
    }
}

static enum status draw(TfLiteTensor *t, const struct bench_input *input, uint64_t seed,
                        size_t index, struct diag *diag)
{
    struct random_stream s;
    int64_t low, high;
    size_t count = 1;

    if (!limits_of(t->type, &low, &high))
        return diag_fail(diag, STATUS_UNSUPPORTED, "input %s has type %d, which takes no range",
                         input->name, (int)t->type);
    if (input->low < low || input->high > high)
        return diag_fail(diag, STATUS_USAGE,
                         "--input_layer_value_range: input %s holds %" PRId64 " to %" PRId64,
                         input->name, low, high);
    for (int d = 0; d < t->dims->size; d++)
        count *= (size_t)t->dims->data[d];
    random_init(&s, seed, "bench", 0, index, 0);
    for (size_t i = 0; i < count; i++)
        set(t, i, input->low + (int64_t)random_below(&s, (uint64_t)(input->high - input->low) + 1));
    return STATUS_OK;
}

enum status bench_inputs_fill(const struct bench_inputs *inputs, struct interpreter *in,
                              uint64_t seed, struct diag *diag)
{
    size_t count;
    const int *const tensors = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *const t = interpreter_tensor(in, tensors[i]);
        const struct bench_input *input = NULL;

        for (size_t j = 0; inputs && j < inputs->count; j++) {
            if (t->name && strcmp(inputs->items[j].name, t->name) == 0)
                input = &inputs->items[j];
        }
        if (input && input->file[0])
            TRY(load(t, input, diag));
        else if (input && input->has_range)
            TRY(draw(t, input, seed, i, diag));
        else
            TRY(random_fill(in, tensors[i], seed, i, diag));
    }
    return STATUS_OK;
}

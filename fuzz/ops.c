/* Fuzz target: shapes, parameters, types and values of ops.  The bytes are a script for a graph of
 * up to three operators, so that nearly every input gives a well-formed file whose graph may break
 * any rule.
 *
 * The interpreter prepares the graph, and runs it when it is small; then the delegate imports it,
 * prepared and not, decides which nodes to take, and plans the graph for one of six devices when it
 * takes all.  A run that
 * aborts is a bug: a crash or overread, memory written outside of a tensor, a hang.
 *
 * A script that begins with QUANTIZED has mostly 8-bit tensors, with scales; the delegate plans
 * every graph with quantized=float_view and with quantized=exact. */
#include "fuzz/kit/plan.h"
#include "reference/base/memory.h"
#include "reference/base/packed.h"
#include "reference/format/builder.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/runtime/interpreter.h"
#include "reference/runtime/report.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
TFL_CAPI_EXPORT const char *__asan_default_options(void);

/* A shape may need more memory than there is: the allocation then fails instead of aborting. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=64";
}

enum { OPS_MAX = 3, TENSORS_MAX = 48, INPUTS_MAX = 6, OUTPUTS_MAX = 4, RANK_MAX = 6 };
enum { CONSTANT_MAX = 256 };      /* elements */
enum { QUANTIZED = 0xf5 };        /* no op's code */
enum { RUN_BYTES_MAX = 1 << 13 }; /* of all tensors, for a graph that is run */

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "ops: %s\n", what);
    abort();
}

/* ---- the script ---- */

struct script {
    const uint8_t *at, *end;
};

static unsigned next(struct script *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

static int32_t number(struct script *s)
{
    static const int32_t odd[] = { -1,
                                   -2,
                                   -5,
                                   16,
                                   31,
                                   33,
                                   64,
                                   255,
                                   257,
                                   65535,
                                   65536,
                                   1 << 29,
                                   INT32_MAX - 1,
                                   INT32_MAX,
                                   INT32_MIN,
                                   -(1 << 30) };
    const unsigned b = next(s);

    return b < 240 ? (int32_t)(b % 10) : odd[b - 240];
}

struct scene {
    struct script script;
    struct builder builder;
    bool quantized;
    int tensors[TENSORS_MAX], count; /* that an operator may read */
    int inputs[TENSORS_MAX], input_count;
};

static int32_t tensor_type(struct scene *scene)
{
    struct script *const s = &scene->script;
    static const int32_t types[] = { TENSOR_FLOAT16, TENSOR_INT32, TENSOR_INT64, TENSOR_INT8,
                                     TENSOR_UINT8,   TENSOR_INT16, TENSOR_BOOL,  TENSOR_STRING,
                                     TENSOR_INT4,    TENSOR_UINT32 };
    const unsigned b = next(s);

    if (scene->quantized && b < 200)
        return b < 100   ? TENSOR_INT8
               : b < 140 ? TENSOR_UINT8
               : b < 180 ? TENSOR_INT32
                         : TENSOR_FLOAT32;
    return b < 160 ? TENSOR_FLOAT32 : b < 200 ? TENSOR_INT32 : types[b % 10];
}

static size_t elements(int rank, const int32_t *dims)
{
    size_t n = 1;

    for (int d = 0; d < rank; d++) {
        if (dims[d] < 0 || dims[d] > CONSTANT_MAX || n > CONSTANT_MAX)
            return CONSTANT_MAX + 1;
        n *= (size_t)dims[d];
    }
    return n;
}

static int add_constant(struct scene *scene, int32_t type, int rank, const int32_t *dims)
{
    const unsigned bits = tensor_type_bits(type);
    const size_t size = bits / 8, count = elements(rank, dims);
    uint8_t bytes[CONSTANT_MAX * 8] = { 0 };

    for (size_t i = 0; i < count; i++) {
        const int32_t value = number(&scene->script);
        const float f = (float)value;
        const int64_t wide = value;

        if (type == TENSOR_FLOAT32)
            memcpy(bytes + 4 * i, &f, sizeof f);
        else if (bits < 8)
            packed_store(bytes, tensor_type_runtime(type), i, wide);
        else
            memcpy(bytes + size * i, &wide, size); /* little-endian */
    }
    return builder_constant(&scene->builder, type, "c", (size_t)rank, dims, bytes,
                            packed_bytes(count, bits));
}

/* One scale, as a rule; else one for each index of a dimension, or a count that fits nothing. */
static void add_scales(struct scene *scene, int tensor, int rank, const int32_t *dims)
{
    static const float scales[] = {
        1, 0.5f, 0.0078125f, 0.00390625f, 0.1f, 3, 1e-30f, 1e30f, 0, -1
    };
    static const int64_t zeros[] = { 0, 1, -128, 127, 128, 255, -129, 256, 3, -7 };
    enum { SCALES_MAX = 16 };
    struct script *const s = &scene->script;
    const unsigned kind = next(s);
    const int32_t dimension = rank > 0 ? (int32_t)(next(s) % (unsigned)rank) : 0;
    float scale[SCALES_MAX];
    int64_t zero[SCALES_MAX];
    size_t count = 1;

    if (kind >= 250)
        return;
    if (kind >= 200 && rank > 0 && dims[dimension] > 0 && dims[dimension] <= SCALES_MAX)
        count = (size_t)dims[dimension];
    else if (kind >= 200)
        count = 1 + kind % SCALES_MAX;
    for (size_t i = 0; i < count; i++) {
        const unsigned b = next(s);

        scale[i] = scales[b % 10];
        zero[i] = count > 1 && b < 200 ? 0 : zeros[b / 10 % 10];
    }
    builder_quantization(&scene->builder, tensor, count, scale, zero, dimension);
}

/* An f16 scale for each block of a row, as a rule; else scales that fit nothing. */
static void add_blocks(struct scene *scene, int tensor, const int32_t *dims)
{
    struct script *const s = &scene->script;
    const int32_t block = number(s);
    const int32_t of_row = block > 0 ? dims[1] / block : number(s);
    const int32_t shape[] = { dims[0], of_row };

    if (elements(2, shape) <= CONSTANT_MAX)
        builder_blockwise(&scene->builder, tensor, add_constant(scene, TENSOR_FLOAT16, 2, shape),
                          block);
}

static bool has_scales(const struct scene *scene, int32_t type)
{
    return scene->quantized && (type == TENSOR_INT8 || type == TENSOR_UINT8 ||
                                type == TENSOR_INT16 || type == TENSOR_INT32);
}

static int add_tensor(struct scene *scene, bool result)
{
    struct script *const s = &scene->script;
    const unsigned kind = next(s);
    int32_t dims[RANK_MAX], type;
    int rank, tensor;

    if (!result && kind % 8 == 0)
        return -1;
    if (!result && kind % 8 < 3 && scene->count > 0)
        return scene->tensors[next(s) % (unsigned)scene->count];
    type = tensor_type(scene);
    rank = (int)(next(s) % (RANK_MAX + 1));
    for (int d = 0; d < rank; d++)
        dims[d] = number(s);
    if (!result && kind % 8 < 6 && tensor_type_bits(type) > 0 &&
        elements(rank, dims) <= CONSTANT_MAX) {
        tensor = add_constant(scene, type, rank, dims);
        if (type == TENSOR_INT4 && rank == 2 && next(s) % 2)
            add_blocks(scene, tensor, dims);
        else if (has_scales(scene, type) || type == TENSOR_INT4)
            add_scales(scene, tensor, rank, dims);
        return tensor;
    }
    tensor = builder_tensor(&scene->builder, type, "t", (size_t)rank, dims);
    if (has_scales(scene, type))
        add_scales(scene, tensor, rank, dims);
    if (!result && kind % 8 == 6)
        builder_variable(&scene->builder, tensor);
    else if (!result)
        scene->inputs[scene->input_count++] = tensor;
    if (!result)
        scene->tensors[scene->count++] = tensor;
    return tensor;
}

static void add_options(struct script *s, struct options *o, uint8_t tag)
{
    static const int32_t shape[] = { 2, -1 };
    const struct option_table *const table = option_table_find(tag);

    options_init(o, tag);
    for (unsigned f = 0; table && f < table->field_count; f++) {
        const struct option_field *const field = &table->fields[f];
        const int32_t value = number(s);

        if (field->kind == OPTION_INTS)
            options_set_ints(o, field->name, shape, (size_t)(value & 3) % 3);
        else if (field->kind == OPTION_F32)
            options_set_float(o, field->name, (float)value / 2);
        else if (field->kind == OPTION_I32)
            options_set_int(o, field->name, value);
        else if (field->kind != OPTION_STRING && field->kind != OPTION_BYTES)
            options_set_int(o, field->name, field->kind == OPTION_BOOL ? value & 1 : value % 9);
    }
}

static void add_op(struct scene *scene)
{
    struct script *const s = &scene->script;
    const struct ref_op *op;
    struct options options;
    int in[INPUTS_MAX], out[OUTPUTS_MAX], in_count, out_count;
    int32_t code, version;
    size_t ops = 0;

    while (ref_at(ops))
        ops++;
    code = (int32_t)next(s);
    /* By its code, so that a corpus keeps its meaning when ops are added. */
    op = ref_find(code) ? ref_find(code) : ref_at((size_t)code % ops);
    version = 1 + (int32_t)(next(s) % (unsigned)op->max_version);
    add_options(s, &options, op->options_tag);
    in_count = op->min_inputs > INPUTS_MAX ? INPUTS_MAX : op->min_inputs;
    in_count += (int)(next(s) % 4 == 1 && in_count < INPUTS_MAX);
    out_count = op->max_outputs == OUTPUTS_MAX ? OUTPUTS_MAX : 1;
    for (int i = 0; i < in_count; i++)
        in[i] = add_tensor(scene, false);
    for (int i = 0; i < out_count; i++)
        out[i] = add_tensor(scene, true);
    builder_op(&scene->builder, op->code, version, op->options_tag ? &options : NULL,
               (size_t)in_count, in, (size_t)out_count, out);
    for (int i = 0; i < out_count; i++)
        scene->tensors[scene->count++] = out[i];
}

static enum status make_file(const uint8_t *data, size_t size, struct tflite_file *file)
{
    struct scene scene = { .script = { data, data + size } };
    struct diag diag = { 0 };
    struct model m;
    enum status s;

    builder_init(&scene.builder);
    if (size > 0 && data[0] == QUANTIZED) {
        scene.quantized = true;
        scene.script.at++;
    }
    for (int i = 0; i < OPS_MAX && (i == 0 || scene.script.at < scene.script.end); i++)
        add_op(&scene);
    builder_inputs(&scene.builder, (size_t)scene.input_count, scene.inputs);
    builder_outputs(&scene.builder, 1, &scene.tensors[scene.count - 1]);
    s = builder_finish(&scene.builder, &m, &diag);
    if (s == STATUS_OK)
        s = tflite_write(&m, file, &diag);
    model_close(&m);
    return s;
}

/* ---- one input ---- */

/* Counts all tensors, also those that have no memory yet. */
static bool is_small(struct interpreter *in)
{
    size_t bytes = 0;

    for (size_t i = 0; i < interpreter_tensor_count(in) && bytes <= RUN_BYTES_MAX; i++)
        bytes += interpreter_tensor(in, (int)i)->bytes;
    return bytes <= RUN_BYTES_MAX;
}

static void run_reference(const struct model *m)
{
    const struct interpreter_options options = {
        .guard_bytes = 64, .poison = true, .poison_word = 0x7fe5a5a5, .report = report_nothing
    };
    struct diag diag = { 0 };
    struct interpreter *in;
    enum status s = interpreter_open(&in, m, &options, &diag);

    expect((s == STATUS_OK) == (in != NULL), "open: status and interpreter disagree");
    if (s == STATUS_OK)
        s = interpreter_allocate(in, &diag);
    if (s == STATUS_OK && is_small(in)) {
        s = interpreter_invoke(in, &diag);
        if (s == STATUS_OK)
            expect(interpreter_check_guards(in, &diag) == STATUS_OK, diag.text);
    }
    expect(s == STATUS_OK || diag.text[0], "a failure without a message");
    interpreter_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tflite_file file;
    struct model m;

    if (make_file(data, size, &file) != STATUS_OK)
        return 0;
    if (tflite_read(&m, file.bytes, file.count, NULL) == STATUS_OK) {
        run_reference(&m);
        fuzz_plan(&m, fuzz_choice(data, size));
        model_close(&m);
    }
    mem_free(file.bytes);
    return 0;
}

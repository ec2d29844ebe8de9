/* The case tables: names, numbers, reasons; and that every case builds, the same way each time. */
#include "conformance/suite/cases/case.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/tests/kit/cases_kit.h"
#include "reference/format/composite.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/model.h"
#include "reference/format/read.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

TEST(test_names_are_unique_and_plain)
{
    const char **names CLOSED_BY(kit_mem_free) = mem_alloc(kit_case_count, sizeof *names);

    assert_non_null(names);
    for (size_t i = 0; i < kit_case_count; i++) {
        names[i] = kit_cases[i].name;
        assert_int_equal(strspn(names[i], "abcdefghijklmnopqrstuvwxyz0123456789_."),
                         strlen(names[i]));
    }
    qsort(names, kit_case_count, sizeof *names, by_name);
    for (size_t i = 1; i < kit_case_count; i++)
        assert_string_not_equal(names[i - 1], names[i]);
}

TEST(test_each_row_says_why)
{
    for (size_t i = 0; i < kit_case_count; i++) {
        if (!kit_cases[i].row->why || strlen(kit_cases[i].row->why) < 5)
            fail_msg("%s: no reason", kit_cases[i].name);
    }
}

/* Every op that the reference knows has a member with its name, at least 25 cases and 3 in each of
 * its types, besides those of the gap suite. */
TEST(test_each_op_has_cases)
{
    const struct ref_op *op;

    for (size_t i = 0; (op = ref_at(i)) != NULL; i++) {
        const struct suite_member *const member = suite_find_member(op->code);
        size_t all = 0;

        if (!member)
            fail_msg("%s: no suite has it", op->name);
        assert_string_equal(member->op, op->name);
        for (unsigned t = 0; t < CASE_TYPE_COUNT; t++) {
            size_t count = 0;

            for (size_t j = 0; j < kit_case_count; j++)
                count += kit_cases[j].code == op->code && !kit_cases[j].row->gap &&
                         strcmp(kit_cases[j].type_name, case_types[t].name) == 0 &&
                         kit_cases[j].half == (t == CASE_HALF);
            all += count;
            /* Another suite may have cases in a type of integers that the member lacks. */
            if (!((member->types | member->named_types) & TYPE_BIT(t)) && count > 0 &&
                TYPE_BIT(t) & TYPES_QUANTIZED)
                fail_msg("%s.%s: %zu cases, and the type is not the member's", op->name,
                         case_types[t].name, count);
            if (member->types & TYPE_BIT(t) && count < 3)
                fail_msg("%s.%s: %zu cases", op->name, case_types[t].name, count);
        }
        if (all < 25)
            fail_msg("%s: %zu cases", op->name, all);
        assert_true(member->version <= op->max_version);
    }
}

TEST(test_versions)
{
    for (size_t i = 0; i < kit_case_count; i++) {
        const struct ref_op *const op = ref_find(kit_cases[i].code);

        if (composite_is(kit_cases[i].code)) /* which is no op of the suite */
            continue;
        assert_non_null(op);
        if (kit_cases[i].version < 1 || kit_cases[i].version > op->max_version)
            fail_msg("%s: version %d", kit_cases[i].name, kit_cases[i].version);
    }
}

TEST(test_each_case_has_sets)
{
    for (size_t i = 0; i < kit_case_count; i++) {
        /* What poison runs use; large rows have one set, and rows of positive numbers theirs. */
        if (!case_has_set(&kit_cases[i], SET_RANDOM) &&
            !case_has_set(&kit_cases[i], SET_POSITIVE) && kit_cases[i].row->period == 0)
            fail_msg("%s: no set S0", kit_cases[i].name);
        assert_false(case_has_set(&kit_cases[i], SET_COUNT));
    }
}

/* Every float constant of the model, and every input, holds f16 values; or, in the gap suite,
 * numbers that f16 has as denormals or as 0: they are the point then. */
static void expect_half_values(const struct test_case *c, const struct case_instance *x,
                               const struct model *m)
{
    const char *const name = c->name;

    for (size_t t = 0; t < m->subgraphs[0].tensor_count; t++) {
        const struct model_tensor *const tensor = &m->subgraphs[0].tensors[t];
        size_t bytes;
        const uint8_t *const data = model_tensor_data(m, tensor, &bytes);

        for (size_t i = 0; tensor->type == TENSOR_FLOAT32 && i + 4 <= bytes; i += 4) {
            float f;

            memcpy(&f, data + i, sizeof f);
            if (data_half(f) != f && !(c->row->gap && fabsf(f) < 0x1p-14f))
                fail_msg("%s: constant %s holds %g", name, tensor->name.text, (double)f);
        }
    }
    for (size_t i = 0; i < x->input_count; i++) {
        if (i == 0 && x->every_half)
            continue;
        for (size_t j = 0; x->inputs[i].type == kTfLiteFloat32 && j < x->inputs[i].bytes / 4; j++)
            for (int frame = 0; frame < 2; frame++) {
                const float f = ((const float *)x->inputs[i].data[frame])[j];

                if (data_half(f) != f && !(x->has_nan && isnan(f)) && !c->row->specials)
                    fail_msg("%s: input %zu holds %g", name, i, (double)f);
            }
    }
}

/* Rows say which of them have a tensor without elements. */
static void expect_empty(const struct test_case *c, const struct model_subgraph *graph)
{
    bool empty = false;

    for (size_t t = 0; t < graph->tensor_count; t++) {
        for (size_t d = 0; d < graph->tensors[t].shape.count; d++)
            empty = empty || graph->tensors[t].shape.data[d] == 0;
    }
    if (empty != c->row->empty)
        fail_msg("%s: %s tensor is empty", c->name, empty ? "a" : "no");
}

static void check_model(const struct test_case *c, const struct case_instance *x, bool half)
{
    struct model model CLOSED_BY(model_close);
    const struct model_subgraph *graph;
    const struct model_operator *judged;

    if (tflite_read(&model, x->file.bytes, x->file.count, &err) != STATUS_OK)
        fail_msg("%s: %s", c->name, err.text);
    graph = &model.subgraphs[0];
    expect_empty(c, graph);
    if (composite_is(c->code)) {
        assert_int_equal(x->judged_node, -1);
        assert_non_null(graph->operators[graph->operator_count - 1].composite);
    } else {
        assert_in_range(x->judged_node, 0, graph->operator_count - 1);
        judged = &graph->operators[x->judged_node];
        assert_int_equal(model_opcode_row(&model.opcodes[judged->opcode_index]), c->code);
        assert_int_equal(model.opcodes[judged->opcode_index].version, c->version);
    }
    assert_int_equal(graph->inputs.count, x->input_count);
    assert_true(graph->outputs.count > 0);
    for (size_t i = 0; i < x->input_count; i++) {
        const struct model_tensor *const t = &graph->tensors[graph->inputs.data[i]];
        size_t bytes = tensor_type_bits(t->type) / 8;

        for (size_t d = 0; d < t->shape.count; d++)
            bytes *= (size_t)t->shape.data[d];
        assert_int_equal(x->inputs[i].bytes, bytes);
        assert_int_equal(x->inputs[i].type, tensor_type_runtime(t->type));
        assert_non_null(x->inputs[i].data[0]);
        assert_non_null(x->inputs[i].data[1]);
    }
    if (half && !x->full_mantissas)
        expect_half_values(c, x, &model);
}

/* Case by case and set by set; twice, to see equal bytes. */
TEST(test_all_build)
{
    for (size_t i = 0; i < kit_case_count; i += KIT_EACH(8)) {
        for (int set = 0; set < SET_COUNT; set++) {
            for (int half = 0; half < 2; half++) {
                const struct case_request request = { (enum data_set)set, 1, half };
                struct case_instance a, b;

                if (!case_has_set(&kit_cases[i], (enum data_set)set))
                    continue;
                KIT_OK(case_build(&kit_cases[i], &request, &a, &err));
                if (set == SET_RANDOM || half) {
                    check_model(&kit_cases[i], &a, half);
                    assert_int_equal(case_build(&kit_cases[i], &request, &b, &err), STATUS_OK);
                    assert_int_equal(a.file.count, b.file.count);
                    assert_memory_equal(a.file.bytes, b.file.bytes, a.file.count);
                    for (size_t n = 0; n < a.input_count; n++)
                        assert_memory_equal(a.inputs[n].data[1], b.inputs[n].data[1],
                                            a.inputs[n].bytes);
                    case_instance_close(&b);
                }
                case_instance_close(&a);
            }
        }
    }
}

/* Gap cases are named so and come first. */
TEST(test_gaps)
{
    bool others = false;

    assert_non_null(kit_cases[0].row->gap);
    for (size_t i = 0; i < kit_case_count; i++) {
        const bool gap = kit_cases[i].row->gap;

        others = others || !gap;
        if (gap != (strncmp(kit_cases[i].name, "gap.", 4) == 0) || (gap && others))
            fail_msg("%s: case %zu", kit_cases[i].name, i);
    }
}

/* A row for each version has all that there are, and says which. */
TEST(test_each_version)
{
    size_t rows = 0;

    for (size_t i = 0; i < kit_case_count; i++) {
        const struct ref_op *const op = ref_find(kit_cases[i].code);
        char end[16];

        if (!kit_cases[i].row->each_version)
            continue;
        snprintf(end, sizeof end, "%d", kit_cases[i].version);
        assert_string_equal(kit_cases[i].name + strlen(kit_cases[i].name) - strlen(end), end);
        rows += kit_cases[i].version == op->max_version && !kit_cases[i].half;
        /* The one before it in the list; f16, bytes and integers begin with the version that has
         * them, and floats with the first that the runtime has. */
        if (i > 0 && kit_cases[i - 1].row == kit_cases[i].row &&
            kit_cases[i - 1].type_name == kit_cases[i].type_name &&
            kit_cases[i - 1].code == kit_cases[i].code)
            assert_int_equal(kit_cases[i - 1].version, kit_cases[i].version - 1);
        else if (strcmp(kit_cases[i].type_name, "f32") == 0 && op->min_version == 0)
            assert_int_equal(kit_cases[i].version, 1);
    }
    assert_true(rows >= 20);
}

/* f16 activations: every float tensor of the model is f16. */
TEST(test_half_activations)
{
    size_t count = 0;

    for (size_t i = 0; i < kit_case_count; i++) {
        const struct case_request request = { SET_SPREAD, 1, false };
        struct case_instance x;
        struct model model;

        if (!kit_cases[i].half || kit_cases[i].code == BUILTIN_CAST)
            continue;
        count++;
        assert_int_equal(case_build(&kit_cases[i], &request, &x, &err), STATUS_OK);
        assert_int_equal(tflite_read(&model, x.file.bytes, x.file.count, &err), STATUS_OK);
        for (size_t t = 0; t < model.subgraphs[0].tensor_count; t++) {
            if (model.subgraphs[0].tensors[t].type == TENSOR_FLOAT32)
                fail_msg("%s: %s is f32", kit_cases[i].name,
                         model.subgraphs[0].tensors[t].name.text);
        }
        assert_int_equal(x.inputs[0].type, kTfLiteFloat16);
        model_close(&model);
        case_instance_close(&x);
    }
    assert_true(count >= 10 * 40);
}

/* Every f16 value is there, in both frames, and not in the same place. */
TEST(test_every_half)
{
    static bool seen[65536];
    size_t count = 0;

    for (size_t i = 0; i < kit_case_count; i++) {
        const struct case_request request = { SET_RANDOM, 1, false };
        struct case_instance x;

        if (!kit_cases[i].row->every_half)
            continue;
        count++;
        assert_int_equal(case_build(&kit_cases[i], &request, &x, NULL), STATUS_OK);
        assert_true(x.every_half);
        assert_memory_not_equal(x.inputs[0].data[0], x.inputs[0].data[1], 64);
        for (int frame = 0; frame < 2; frame++) {
            const void *const data = x.inputs[0].data[frame];
            const bool half = x.inputs[0].type == kTfLiteFloat16;
            size_t different = 0;

            memset(seen, 0, sizeof seen);
            for (size_t e = 0; e < x.inputs[0].bytes / (half ? 2 : 4); e++) {
                const uint16_t h =
                    half ? ((const uint16_t *)data)[e] : float_to_half(((const float *)data)[e]);
                different += !seen[h];
                seen[h] = true;
            }
            /* As f16 again, 2046 NaNs are two. */
            assert_int_equal(different, half ? 65536 : 65536 - 2046 + 2);
        }
        case_instance_close(&x);
    }
    assert_true(count >= 5);
}

/* Large rows repeat their values; a row's own values are in both frames; full mantissas are not
 * rounded to f16. */
TEST(test_values_of_rows)
{
    size_t large = 0, own = 0, full = 0;

    for (size_t i = 0; i < kit_case_count; i++) {
        const struct op_case *const row = kit_cases[i].row;
        const enum data_set set = case_has_set(&kit_cases[i], SET_RANDOM) ? SET_RANDOM
                                  : row->period                           ? SET_INTEGERS
                                                                          : SET_POSITIVE;
        struct case_instance x;
        const float *a;
        size_t count;

        if ((!row->period && !row->values && !row->full_mantissas) || row->ramp)
            continue;
        KIT_OK(case_build(&kit_cases[i], &(struct case_request){ set, 1, true }, &x, NULL));
        if (x.inputs[0].type == kTfLiteFloat16 ||
            (row->period && x.inputs[0].type != kTfLiteFloat32)) {
            case_instance_close(&x);
            continue;
        }
        assert_int_equal(x.inputs[0].type, kTfLiteFloat32);
        a = x.inputs[0].data[0];
        count = x.inputs[0].bytes / sizeof *a;
        for (size_t k = row->period; row->period && !row->values && k < count; k++)
            assert_true(a[k] == a[k - row->period]);
        large += row->period > 0;
        if (row->values && row->values_of == 0 && !row->specials &&
            x.inputs[0].type == kTfLiteFloat32) {
            const float *const b = x.inputs[0].data[1], *const last =
                                                            &row->values[row->value_count];

            if (!(isnan(row->values[0]) ? isnan(a[0]) : a[0] == data_half(row->values[0])))
                fail_msg("%s: %g, expected %g", kit_cases[i].name, a[0], row->values[0]);
            assert_true(isnan(last[-1]) ? isnan(b[0]) : b[0] == data_half(last[-1]));
            own++;
        }
        if (row->full_mantissas) {
            size_t rounded = 0;

            for (size_t k = 0; k < count; k++)
                rounded += data_half(a[k]) == a[k];
            assert_true(x.full_mantissas && rounded < 1 + count / 100);
            full++;
        }
        case_instance_close(&x);
    }
    assert_true(large >= 20 && own >= 10 && full >= 10);
}

/* The data of a row lie within about 4 scales of its offset; where f16 has a larger spacing than
 * that, as 32 at 60000, they may all become one value, the same in each frame and of each seed. */
static bool is_one_half(const struct case_instance *x, const struct op_case *row)
{
    const double scale = row->scale != 0 ? row->scale : 1;
    const double spacing = row->offset != 0 ? ldexp(1, ilogb(row->offset) - 10) : 0;

    return x->inputs[0].type == kTfLiteFloat16 && spacing > 4 * scale;
}

/* A few truth values, a few bytes, or one index, are the same by chance. */
static bool is_few(const struct case_instance *x)
{
    const TfLiteType type = x->inputs[0].type;

    return x->inputs[0].bytes < (type == kTfLiteBool ? 32 : type == kTfLiteInt32 ? 8 : 4);
}

/* Indices of a table of one row. */
static bool is_zero(const struct case_instance *x)
{
    const char *const bytes = x->inputs[0].data[0];

    return bytes[0] == 0 && memcmp(bytes, bytes + 1, x->inputs[0].bytes - 1) == 0;
}

/* Frame B has a row's own values from the last to the first. */
static bool reads_alike_backwards(const struct op_case *row)
{
    size_t alike = 0;

    for (size_t i = 0; i < row->value_count; i++)
        alike +=
            memcmp(&row->values[i], &row->values[row->value_count - 1 - i], sizeof(float)) == 0;
    return row->values && alike == row->value_count;
}

/* Frames differ; seeds differ; but not where there are no elements. */
TEST(test_frames_and_seeds)
{
    for (size_t i = 0; i < kit_case_count; i += 37) {
        const struct op_case *const row = kit_cases[i].row;
        struct case_instance a CLOSED_BY(case_instance_close), b CLOSED_BY(case_instance_close);
        bool drawn;

        KIT_OK(case_build(&kit_cases[i], &(struct case_request){ SET_RANDOM, 1, false }, &a, NULL));
        KIT_OK(case_build(&kit_cases[i], &(struct case_request){ SET_RANDOM, 2, false }, &b, NULL));
        drawn = a.inputs[0].bytes > 0 && !is_one_half(&a, row) && !is_few(&a) && !is_zero(&a) &&
                !reads_alike_backwards(row) && row->integer_count != 1 && !row->ramp;
        if (drawn)
            assert_memory_not_equal(a.inputs[0].data[0], a.inputs[0].data[1], a.inputs[0].bytes);
        /* Every f16 value, every byte and a row's own values are the same whatever the seed is. */
        if (drawn && !a.every_half && !row->every_byte && !row->values && !row->integers &&
            a.inputs[0].type != kTfLiteInt64) /* which are written down, too */
            assert_memory_not_equal(a.inputs[0].data[0], b.inputs[0].data[0], a.inputs[0].bytes);
    }
}

/* Out of memory at any point: an error, no leak (the sanitizers look), nothing half built. */
TEST(test_no_memory)
{
    const struct case_request request = { SET_RANDOM, 1, false };

    for (size_t i = 0; i < kit_case_count; i += 101) {
        struct case_instance x;
        long made, n;

        mem_fail_after(-1);
        assert_int_equal(case_build(&kit_cases[i], &request, &x, &err), STATUS_OK);
        case_instance_close(&x);
        made = mem_fail_after(-1);
        for (n = 0; n < made; n++) {
            mem_fail_after(n);
            assert_int_equal(case_build(&kit_cases[i], &request, &x, &err), STATUS_NO_MEMORY);
            assert_null(x.file.bytes);
            assert_int_equal(x.input_count, 0);
        }
        mem_fail_after(-1);
    }
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);

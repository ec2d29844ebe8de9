/* What the delegate makes of each graph that is one edit away from one that it takes: conformance/
 * unit/delegate/verdicts.txt has a line for each tensor and node, with the rules that refuse, in
 * the order of the edits; other types than floats only where they differ.  A check that is switched
 * off or moved changes a line.  What is taken can be planned.  After a change that is meant:
 *
 *     build/tests/delegate test_verdicts --write delegate/tests/verdicts.txt
 *
 * and the difference is to be read before it is committed. */
#include "delegate/tests/kit/verdict_lines.h"
#include "delegate/tests/kit/world.h"
#include "reference/tests/kit/test.h"

#include "delegate/accept/decide.h"
#include "reference/base/op_facts.h"
#include "reference/format/file.h"

#include <stdio.h>

#define VERDICTS "delegate/tests/verdicts.txt"

static struct world w;
static struct graph_tensor *edited;
static int32_t other_code; /* of the node, where it is not 0 */
static struct gpu_options options;
static unsigned taken, refused;

/* What all tensors of a node are before the one edit. */
static const struct base {
    const char *name;
    TfLiteType type, bias;
    const char *const pairs[5];
} bases[] = {
    { "float", kTfLiteFloat32, kTfLiteFloat32, { NULL } },
    { "half", kTfLiteFloat16, kTfLiteFloat16, { NULL } },
    { "int8", kTfLiteInt8, kTfLiteInt32, { NULL } },
    { "int16", kTfLiteInt16, kTfLiteInt64, { NULL } },
    { "view", kTfLiteInt8, kTfLiteInt32, { "quantized", "float_view", "precision", "fp16" } },
    { "hybrid", kTfLiteFloat32, kTfLiteFloat32, { NULL } },
};

static void make_tensor(const struct base *b, const struct graph_node *n, int tensor)
{
    const struct op_facts *facts = op_facts_find(n->code);
    struct graph_tensor *const t = &w.tensors[tensor];
    const bool weights = facts && facts->weights >= 0 && facts->weights < n->input_count &&
                         n->inputs[facts->weights] == tensor;

    if (t->type != kTfLiteFloat32)
        return;
    if (facts && facts->bias >= 0 && facts->bias < n->input_count &&
        n->inputs[facts->bias] == tensor)
        t->type = b->bias;
    else if (strcmp(b->name, "hybrid") == 0 ? weights : b->type == kTfLiteInt8)
        world_quantize(&w, t, kTfLiteInt8);
    else if (b->type == kTfLiteInt16)
        world_quantize(&w, t, weights ? kTfLiteInt8 : kTfLiteInt16);
    else
        t->type = b->type;
}

/* What an op needs of its 8-bit result, or has of one side alone. */
static void make_results(int node)
{
    static const struct {
        int node, exponent, zero_point;
    } results[] = {
        { SOFTMAX, -8, -128 },
        { LOGS, -4, 127 },
        { UNIT, -7, 0 },
    };

    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (results[i].node == node) {
            w.scales[w.outputs[node][0]][0] = ldexpf(1, results[i].exponent);
            w.zero_points[w.outputs[node][0]][0] = results[i].zero_point;
        }
    if (node == DEQUANT) {
        world_quantize(&w, &w.tensors[w.inputs[node][0]], kTfLiteInt8);
        w.tensors[w.outputs[node][0]].type = kTfLiteFloat32;
        w.tensors[w.outputs[node][0]].quant = (struct graph_quant){ 0 };
    }
}

static void make_world(const struct base *b, int node, int tensor)
{
    struct graph_node *const n = &w.nodes[node];

    world_make(&w);
    if (other_code) {
        n->code = other_code;
        n->op = gpu_op_find(other_code);
        n->name = builtin_name(other_code);
    }
    if (node == DENSE) { /* its weights are no longer those of DEQUANTIZE */
        struct graph_tensor *const weights = &w.tensors[n->inputs[1]];

        weights->dequantized_from = weights->producer = -1;
        weights->data = w.floats;
    }
    for (int i = 0; i < n->input_count; i++)
        if (n->inputs[i] >= 0)
            make_tensor(b, n, n->inputs[i]);
    for (int i = 0; i < n->output_count; i++)
        make_tensor(b, n, n->outputs[i]);
    if (b->type == kTfLiteInt8)
        make_results(node);
    if (node == SEQUENCE && strcmp(b->name, "int8") == 0)
        world_sequence_s8(&w, 5);
    edited = tensor >= 0 ? &w.tensors[tensor] : NULL;
}

/* The verdict on the world as it is; a node that is taken can be planned. */
static bool judge(int node)
{
    struct refusal r = { .tensor = -1 };
    char text[192];

    graph_count_readers(&w.graph);
    if (decision_of_node(&w.graph, &w.nodes[node], &options, &w.limits, &r)) {
        struct plan p;

        if (world_plan(&p, &w, node, &options, &err) == STATUS_OK) {
            plan_close(&p);
            verdict_print("+");
        } else if (w.limits.max_storage_buffer_range <= 1 << 14) {
            verdict_print("not_planned"); /* tables of a kernel, in less than any device has */
        } else {
            fail_msg("node %d (%s) is taken, but: %s", node, w.nodes[node].name, err.text);
        }
        taken++;
        return true;
    }
    refused++;
    snprintf(text, sizeof text, "%s:%s", r.rule, r.field);
    for (char *c = text; *c; c++)
        if (*c == ' ')
            *c = '_';
    verdict_print(text);
    return false;
}

/* ---- edits of one tensor ---- */

/* Whether the bytes of a constant are still there. */
static bool has_bytes(const struct graph_tensor *t, uint64_t before)
{
    return !t->data || t->elements <= before || (t->data == w.floats && t->elements <= FLOATS / 2);
}

static void edit_ranks(const struct base *b, int node, int tensor)
{
    verdict_section("rank");
    for (int rank = -1; rank <= GRAPH_MAX_RANK; rank++) {
        int32_t dims[GRAPH_MAX_RANK];
        uint64_t before;

        make_world(b, node, tensor);
        before = edited->elements;
        for (int d = 0; d < rank; d++)
            dims[d] = d < rank - edited->rank ? 1 : edited->dims[d - (rank - edited->rank)];
        if (rank > 0)
            memcpy(edited->dims, dims, (size_t)rank * sizeof dims[0]);
        edited->rank = rank;
        world_count(edited);
        if (has_bytes(edited, before))
            judge(node);
    }
    verdict_section_end();
}

static void edit_dims(const struct base *b, int node, int tensor, int rank)
{
    verdict_section("dims");
    for (int i = 0; i < 5 * rank; i++) {
        static const int32_t values[] = { 0, 1, 2, 0, 300 };
        uint64_t before;

        make_world(b, node, tensor);
        before = edited->elements;
        edited->dims[i / 5] = i % 5 == 3 ? edited->dims[i / 5] + 1 : values[i % 5];
        world_count(edited);
        if (has_bytes(edited, before))
            judge(node);
    }
    verdict_section_end();
}

static void edit_types(const struct base *b, int node, int tensor)
{
    static const TfLiteType types[] = { kTfLiteFloat32, kTfLiteFloat16, kTfLiteInt8,
                                        kTfLiteUInt8,   kTfLiteInt16,   kTfLiteInt32,
                                        kTfLiteInt64,   kTfLiteBool,    kTfLiteComplex64 };

    verdict_section("types");
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        make_world(b, node, tensor);
        edited->type = types[i];
        judge(node);
    }
    verdict_section_end();
}

static void edit_states(const struct base *b, int node, int tensor)
{
    const struct graph_node *const n = &w.nodes[node];

    verdict_section("state");
    for (int i = 0; i < 5; i++) {
        make_world(b, node, tensor);
        if (i == 0 && edited->producer == node)
            continue; /* the import gives outputs no data */
        if (i == 0)
            edited->data = edited->data ? NULL : w.floats;
        else if (i == 1)
            edited->is_variable = !edited->is_variable;
        else if (i == 2)
            edited->is_dynamic = true;
        else if (i == 3)
            edited->is_sparse = true;
        else
            for (int k = 0; k < n->input_count; k++)
                if (n->inputs[k] == tensor)
                    w.inputs[node][k] = -1;
        judge(node);
    }
    verdict_section_end();
}

static void edit_quantization(const struct base *b, int node, int tensor)
{
    verdict_section("quantization");
    for (int i = 0; i < 8; i++) {
        make_world(b, node, tensor);
        if (!edited->quant.scale)
            world_quantize(&w, edited, edited->type);
        switch (i) {
        case 0: break;
        case 1: edited->quant = (struct graph_quant){ 0 }; break;
        case 2: edited->quant.count = 4; break;
        case 3: w.zero_points[tensor][0] = 1; break;
        case 4: w.zero_points[tensor][0] = 200; break;
        case 5: w.zero_points[tensor][0] = -129; break;
        case 6: w.scales[tensor][0] = 0x1p40f; break;
        default: w.scales[tensor][0] = 0x1p-40f; break;
        }
        judge(node);
    }
    verdict_section_end();
}

/* Elements of a constant i32: axes, sizes, permutations. */
static void edit_values(const struct base *b, int node, int tensor, int count)
{
    static const int32_t values[] = { INT32_MIN, -9, -1, 0, 1, 2, 9, INT32_MAX };
    enum { VALUES = sizeof values / sizeof values[0] };

    verdict_section("values");
    for (int i = 0; i < VALUES * count; i++) {
        make_world(b, node, tensor);
        ((int32_t *)(uintptr_t)edited->data)[i / VALUES] = values[i % VALUES];
        judge(node);
    }
    verdict_section_end();
}

static void edit_tensor(const struct base *b, int node, int tensor)
{
    const struct graph_tensor t = w.tensors[tensor];

    edit_ranks(b, node, tensor);
    edit_dims(b, node, tensor, t.rank);
    edit_types(b, node, tensor);
    edit_states(b, node, tensor);
    edit_quantization(b, node, tensor);
    if (t.type == kTfLiteInt32 && t.data)
        edit_values(b, node, tensor, (int)t.elements);
}

/* ---- edits of a node ---- */

static void edit_counts(const struct base *b, int node, int inputs, int outputs)
{
    verdict_section("inputs");
    for (int i = 0; i < inputs; i++) {
        make_world(b, node, -1);
        w.nodes[node].input_count = i;
        judge(node);
    }
    verdict_section_end();
    verdict_section("more_inputs");
    for (int i = inputs + 1; i <= OUT; i++) {
        make_world(b, node, -1);
        for (int k = inputs; k < i; k++)
            w.inputs[node][k] = w.inputs[node][0];
        w.nodes[node].input_count = i;
        judge(node);
    }
    verdict_section_end();
    verdict_section("outputs");
    for (int i = 0; i <= 4; i++) {
        make_world(b, node, -1);
        for (int k = outputs; k < i; k++)
            w.outputs[node][k] = w.outputs[node][0];
        w.nodes[node].output_count = i;
        judge(node);
    }
    verdict_section_end();
}

/* Words of the parameters, but where a bool may lie, 0 and 1 alone: other bytes are no bool. */
static void edit_params(const struct base *b, int node)
{
    static const int values[] = { 0, 1, -1, 2, 5, INT32_MAX };
    static const bool no_bool[NODES] = {
        [CONV] = true,       [DEPTHWISE] = true, [POOL] = true,     [CONCAT] = true,
        [GATHER] = true,     [ONE_HOT] = true,   [SOFTMAX] = true,  [PACK] = true,
        [UNPACK] = true,     [SPLIT] = true,     [TO_DEPTH] = true, [FROM_DEPTH] = true,
        [MIRROR_PAD] = true, [UNIT] = true,      [PEAK] = true
    };
    const size_t bytes = w.nodes[node].op->params_bytes;

    verdict_section("params");
    make_world(b, node, -1);
    w.nodes[node].params = NULL;
    judge(node);
    for (size_t at = 0; at + sizeof(int) <= bytes; at += sizeof(int))
        for (int i = 0; i < (no_bool[node] ? 6 : 2); i++) {
            make_world(b, node, -1);
            memcpy((char *)(uintptr_t)w.nodes[node].params + at, &values[i], sizeof values[i]);
            judge(node);
        }
    verdict_section_end();
}

static void edit_limits(const struct base *b, int node)
{
    verdict_section("range");
    for (uint64_t range = 1; range <= 1 << 14; range *= 2) {
        make_world(b, node, -1);
        w.limits.max_storage_buffer_range = range;
        judge(node);
    }
    verdict_section_end();
    verdict_section("version");
    for (int version = 0; version < 12; version++) {
        make_world(b, node, -1);
        w.nodes[node].version = version;
        judge(node);
    }
    verdict_section_end();
}

/* How many tensors say how sums are scaled, and the quantization of the last one. */
static void edit_intermediates(const struct base *b, int node)
{
    static const int32_t zero_points[] = { -129, -128, 127, 128 };

    verdict_section("intermediates");
    for (int i = 0; i < 8; i++) {
        int last;

        make_world(b, node, -1);
        last = w.nodes[node].intermediates[w.nodes[node].intermediate_count - 1];
        if (i < 2)
            w.nodes[node].intermediate_count -= i;
        else if (i == 2)
            w.tensors[last].quant = (struct graph_quant){ 0 };
        else if (i == 3)
            w.scales[last][0] = 0x1p-70f;
        else
            w.zero_points[last][0] = zero_points[i - 4];
        judge(node);
    }
    verdict_section_end();
}

static void edit_node(const struct base *b, int node)
{
    const char *const op = w.nodes[node].name;
    const int inputs = w.nodes[node].input_count, outputs = w.nodes[node].output_count;
    char name[64];

    for (int i = 0; i < inputs + outputs; i++) {
        const bool input = i < inputs;
        int tensor;

        make_world(b, node, -1);
        tensor = input ? w.inputs[node][i] : w.outputs[node][i - inputs];
        if (tensor < 0)
            continue;
        snprintf(name, sizeof name, "%s %s %d", op, input ? "input" : "output",
                 input ? i : i - inputs);
        verdict_line(b->name, name);
        edit_tensor(b, node, tensor);
    }
    verdict_line(b->name, op);
    edit_counts(b, node, inputs, outputs);
    edit_params(b, node);
    edit_limits(b, node);
    if (w.nodes[node].intermediate_count > 0)
        edit_intermediates(b, node);
}

static void write_node(const struct base *b, int node, int32_t code)
{
    bool ok;

    other_code = code;
    world_make(&w);
    make_world(b, node, -1);
    verdict_line(b->name, w.nodes[node].name);
    verdict_section("unchanged");
    ok = judge(node);
    verdict_section_end();
    if (ok)
        edit_node(b, node);
}

/* Ops of a family that have checks of their own. */
static const struct {
    int node;
    int32_t code;
} others[] = {
    { RELU, BUILTIN_ABS },        { RELU, BUILTIN_RSQRT },
    { RELU, BUILTIN_TANH },       { RELU, BUILTIN_RELU_N1_TO_1 },
    { ADD, BUILTIN_MUL },         { ADD, BUILTIN_DIV },
    { ADD, BUILTIN_MAXIMUM },     { ADD, BUILTIN_SQUARED_DIFFERENCE },
    { ADD, BUILTIN_POW },         { SUM, BUILTIN_REDUCE_MAX },
    { SUM, BUILTIN_REDUCE_PROD },
};

static void write_verdicts(FILE *out)
{
    verdict_lines_open(out);
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        const char *pairs[8] = { NULL };

        for (int k = 0; bases[i].pairs[k]; k++)
            pairs[k] = bases[i].pairs[k];
        options = gpu_options_of(pairs);
        for (int node = 0; node < NODES; node++)
            if (node != WIDEN) /* what the import found out about its output would not be true */
                write_node(&bases[i], node, 0);
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            write_node(&bases[i], others[k].node, others[k].code);
        options_close(&options);
    }
    verdict_lines_close();
}

TEST(verdicts_are_those_of_the_table)
{
    FILE *out;
    char *text CLOSED_BY(kit_free) = NULL;
    size_t count, bytes, line = 1;

    out = open_memstream(&text, &bytes);
    assert_non_null(out);
    write_verdicts(out);
    assert_int_equal(fclose(out), 0);
    uint8_t *known CLOSED_BY(kit_mem_free);
    KIT_OK(file_read(VERDICTS, 1 << 24, &known, &count, &err));
    for (size_t i = 0, start = 0; i < bytes; i++) {
        if (i >= count || text[i] != (char)known[i])
            fail_msg("%s:%zu: found: %.*s", VERDICTS, line, (int)strcspn(text + start, "\n"),
                     text + start);
        if (text[i] == '\n') {
            start = i + 1;
            line++;
        }
    }
    assert_int_equal(count, bytes);
    assert_true(taken > 1000 && refused > 1000);
}

/* --write FILE: the table as it is now. */
static int write_table(int argc, char **argv)
{
    FILE *out;

    if (argc != 3 || strcmp(argv[1], "--write") != 0)
        return -1;
    if (!(out = fopen(argv[2], "w")))
        return 1;
    write_verdicts(out);
    printf("%u taken, %u refused\n", taken, refused);
    return fclose(out) != 0;
}

TEST_FILE(.main = write_table);

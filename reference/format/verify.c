/* The rules of a model: what has to hold between the tables of a well-formed flatbuffer before
 * anything may read it as a model.  Rules: schema version 3, and what LiteRT's own verifier and
 * interpreter refuse.  Left to the interpreter: whether an op, its version and its options are
 * known, and what a shape means to an op. */
#include "reference/format/verify.h"

#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/op_options.h"

/* slot: of the position, which the size follows in both tables that have them. */
static enum status check_span(struct rules *r, struct tflite_span s, struct fb_table t,
                              unsigned slot)
{
    if (!s.present || !s.behind)
        return STATUS_OK;
    if (s.at > r->count || r->count - s.at < s.count)
        return rules_fail(
            r, STATUS_INVALID, t, slot, SIZE_MAX, "%llu, size %llu, in a file of %zu bytes",
            (unsigned long long)fb_u64(t, slot), (unsigned long long)fb_u64(t, slot + 1), r->count);
    r->used += s.count;
    if (fb_shared_too_often(r->used, r->count))
        return rules_fail(r, STATUS_INVALID, t, slot, SIZE_MAX,
                          "%llu bytes of data so far, in a file of %zu: shared too often",
                          (unsigned long long)r->used, r->count);
    return STATUS_OK;
}

static enum status check_opcodes(struct rules *r)
{
    for (size_t i = 0; i < r->opcodes; i++) {
        const struct fb_table t = fb_item(r->model, Model_operator_codes, i);
        const int32_t code = tflite_op_code(t);

        if (code < 0 || code >= BUILTIN_COUNT)
            return rules_fail(r, code < 0 ? STATUS_INVALID : STATUS_UNSUPPORTED, t,
                              OperatorCode_builtin_code, SIZE_MAX,
                              "%d, not in 0..%d (operator code %zu)", code, BUILTIN_COUNT - 1, i);
        if (code == BUILTIN_CUSTOM && fb_vector(t, OperatorCode_custom_code).count == 0)
            return rules_fail(r, STATUS_INVALID, t, OperatorCode_custom_code, SIZE_MAX,
                              "no name, for a CUSTOM operator (operator code %zu)", i);
    }
    return STATUS_OK;
}

/* Elements of a vector of tensor indices: from least (0, or -1 where a tensor may be absent). */
static enum status check_indices(struct rules *r, struct fb_table t, unsigned slot, int32_t least)
{
    const struct fb_vector v = fb_vector(t, slot);
    const size_t tensors = fb_vector(r->graph, SubGraph_tensors).count;

    for (size_t i = 0; i < v.count; i++) {
        const int32_t index = fb_load_i32(r->bytes, v.at + 4 * i);

        if (index < least || (index >= 0 && (size_t)index >= tensors))
            return rules_fail(r, STATUS_INVALID, t, slot, i, "%d, the subgraph has %zu tensors",
                              index, tensors);
    }
    return STATUS_OK;
}

static enum status check_operator_itself(struct rules *r, struct fb_table op)
{
    static const unsigned lists[] = { Operator_inputs, Operator_outputs, Operator_intermediates };
    const size_t row = (size_t)fb_int(op, Operator_opcode_index);
    const int64_t tag = fb_int(op, Operator_builtin_options_type);
    const int64_t tag_2 = fb_int(op, Operator_builtin_options_2_type);

    if (row >= r->opcodes)
        return rules_fail(r, STATUS_INVALID, op, Operator_opcode_index, SIZE_MAX,
                          "%zu, the model has %zu operator codes", row, r->opcodes);
    if (!fb_find(op, Operator_inputs))
        return rules_fail(r, STATUS_INVALID, op, Operator_inputs, SIZE_MAX, "absent");
    if (!fb_find(op, Operator_outputs))
        return rules_fail(r, STATUS_INVALID, op, Operator_outputs, SIZE_MAX, "absent");
    if (tag > OPTIONS_1_TAG_MAX)
        return rules_fail(r, STATUS_UNSUPPORTED, op, Operator_builtin_options_type, SIZE_MAX,
                          "%lld, not in 0..%d", (long long)tag, OPTIONS_1_TAG_MAX);
    if (tag_2 > OPTIONS_2_TAG_MAX)
        return rules_fail(r, STATUS_UNSUPPORTED, op, Operator_builtin_options_2_type, SIZE_MAX,
                          "%lld, not in 0..%d", (long long)tag_2, OPTIONS_2_TAG_MAX);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        TRY(rules_limit(r, LIMIT_NODE_TENSORS, fb_vector(op, lists[i]).count, op, lists[i]));
        TRY(check_indices(r, op, lists[i], lists[i] == Operator_inputs ? -1 : 0));
    }
    return check_span(r, tflite_custom_span(op), op, Operator_large_custom_options_offset);
}

/* Operators are stored in the order in which they run, and each tensor is written once. */
static enum status check_order(struct rules *r, struct fb_table op, uint8_t *holds)
{
    static const char *const taken[] = { [HOLDS_CONSTANT] = "is a constant",
                                         [HOLDS_STATE] = "is a variable",
                                         [HOLDS_INPUT] = "is an input of the subgraph",
                                         [HOLDS_OUTPUT] = "was written before" };
    const struct fb_vector in = fb_vector(op, Operator_inputs);
    const struct fb_vector out = fb_vector(op, Operator_outputs);
    char label[LABEL_BYTES];

    for (size_t i = 0; i < in.count; i++) {
        const int32_t index = fb_load_i32(r->bytes, in.at + 4 * i);

        if (index >= 0 && !holds[index]) {
            rules_label_tensor(r, (size_t)index, label);
            return rules_fail(r, STATUS_INVALID, op, Operator_inputs, i,
                              "%s is read, and nothing wrote it before", label);
        }
    }
    for (size_t i = 0; i < out.count; i++) {
        const int32_t index = fb_load_i32(r->bytes, out.at + 4 * i);

        if (holds[index] > HOLDS_EMPTY) {
            rules_label_tensor(r, (size_t)index, label);
            return rules_fail(r, STATUS_INVALID, op, Operator_outputs, i, "%s is written, and %s",
                              label, taken[holds[index]]);
        }
        holds[index] = HOLDS_OUTPUT;
    }
    return STATUS_OK;
}

static enum status check_graph_tensors(struct rules *r, uint8_t *holds)
{
    const struct fb_vector tensors = fb_vector(r->graph, SubGraph_tensors);
    const struct fb_vector in = fb_vector(r->graph, SubGraph_inputs);

    for (size_t i = 0; i < tensors.count; i++) {
        r->tensor_index = (int64_t)i;
        TRY(verify_tensor(r, fb_item(r->graph, SubGraph_tensors, i), &holds[i]));
    }
    for (size_t i = 0; i < tensors.count && r->accept != ACCEPT_LEGAL; i++) {
        r->tensor_index = (int64_t)i;
        TRY(verify_blockwise(r, fb_item(r->graph, SubGraph_tensors, i)));
    }
    r->tensor_index = NO_INDEX;
    TRY(check_indices(r, r->graph, SubGraph_inputs, 0));
    TRY(check_indices(r, r->graph, SubGraph_outputs, 0));
    for (size_t i = 0; i < in.count; i++) {
        const int32_t index = fb_load_i32(r->bytes, in.at + 4 * i);
        char label[LABEL_BYTES];

        if (holds[index] == HOLDS_CONSTANT) { /* callers write to inputs */
            rules_label_tensor(r, (size_t)index, label);
            return rules_fail(r, STATUS_INVALID, r->graph, SubGraph_inputs, i, "%s is a constant",
                              label);
        }
        if (holds[index] <= HOLDS_EMPTY)
            holds[index] = HOLDS_INPUT;
    }
    return STATUS_OK;
}

static enum status check_graph_outputs(struct rules *r, const uint8_t *holds)
{
    const struct fb_vector out = fb_vector(r->graph, SubGraph_outputs);

    for (size_t i = 0; i < out.count; i++) {
        const int32_t index = fb_load_i32(r->bytes, out.at + 4 * i);
        char label[LABEL_BYTES];

        if (holds[index])
            continue;
        rules_label_tensor(r, (size_t)index, label);
        return rules_fail(r, STATUS_INVALID, r->graph, SubGraph_outputs, i, "nothing writes %s",
                          label);
    }
    return STATUS_OK;
}

static enum status check_graph(struct rules *r, uint8_t *holds)
{
    const struct fb_vector operators = fb_vector(r->graph, SubGraph_operators);

    if (!operators.at)
        return rules_fail(r, STATUS_INVALID, r->graph, SubGraph_operators, SIZE_MAX, "absent");
    r->operators += operators.count;
    TRY(rules_limit(r, LIMIT_NODES, r->operators, r->graph, SubGraph_operators));
    TRY(check_graph_tensors(r, holds));
    for (size_t i = 0; i < operators.count; i++) {
        const struct fb_table op = fb_item(r->graph, SubGraph_operators, i);

        r->operator_index = (int64_t)i;
        TRY(check_operator_itself(r, op));
        TRY(check_order(r, op, holds));
    }
    r->operator_index = NO_INDEX;
    return check_graph_outputs(r, holds);
}

static enum status check_subgraphs(struct rules *r)
{
    for (size_t i = 0; i < r->subgraphs; i++) {
        enum status s;
        uint8_t *holds;

        r->graph = fb_item(r->model, Model_subgraphs, i);
        r->graph_index = (int64_t)i;
        r->tensors += fb_vector(r->graph, SubGraph_tensors).count;
        TRY(rules_limit(r, LIMIT_TENSORS, r->tensors, r->graph, SubGraph_tensors));
        if (!(holds = mem_alloc(fb_vector(r->graph, SubGraph_tensors).count, sizeof *holds)))
            return diag_fail(r->diag, STATUS_NO_MEMORY, "verifying subgraph %zu: out of memory", i);
        s = check_graph(r, holds);
        mem_free(holds);
        TRY(s);
    }
    r->graph_index = NO_INDEX;
    return STATUS_OK;
}

static enum status check_tensor_maps(struct rules *r, struct fb_table signature, unsigned slot,
                                     size_t tensors)
{
    const size_t count = fb_vector(signature, slot).count;

    for (size_t i = 0; i < count; i++) {
        const struct fb_table map = fb_item(signature, slot, i);
        const size_t index = (size_t)fb_int(map, TensorMap_tensor_index);

        if (index >= tensors)
            return rules_fail(r, STATUS_INVALID, map, TensorMap_tensor_index, SIZE_MAX,
                              "%zu, the subgraph has %zu tensors", index, tensors);
    }
    return STATUS_OK;
}

static enum status check_names(struct rules *r)
{
    for (size_t i = 0; i < fb_vector(r->model, Model_metadata).count; i++) {
        const struct fb_table t = fb_item(r->model, Model_metadata, i);
        const size_t buffer = (size_t)fb_int(t, Metadata_buffer);

        if (buffer >= r->buffers)
            return rules_fail(r, STATUS_INVALID, t, Metadata_buffer, SIZE_MAX,
                              "%zu, the model has %zu buffers (metadata %zu)", buffer, r->buffers,
                              i);
    }
    for (size_t i = 0; i < fb_vector(r->model, Model_signature_defs).count; i++) {
        const struct fb_table t = fb_item(r->model, Model_signature_defs, i);
        const size_t graph = (size_t)fb_int(t, SignatureDef_subgraph_index);
        size_t tensors;

        if (graph >= r->subgraphs)
            return rules_fail(r, STATUS_INVALID, t, SignatureDef_subgraph_index, SIZE_MAX,
                              "%zu, the model has %zu subgraphs (signature %zu)", graph,
                              r->subgraphs, i);
        tensors = fb_vector(fb_item(r->model, Model_subgraphs, graph), SubGraph_tensors).count;
        TRY(check_tensor_maps(r, t, SignatureDef_inputs, tensors));
        TRY(check_tensor_maps(r, t, SignatureDef_outputs, tensors));
    }
    return STATUS_OK;
}

static enum status check_model(struct rules *r)
{
    if (fb_int(r->model, Model_version) != 3)
        return rules_fail(r, STATUS_INVALID, r->model, Model_version, SIZE_MAX, "%lld, not 3",
                          (long long)fb_int(r->model, Model_version));
    if (r->subgraphs == 0)
        return rules_fail(r, STATUS_INVALID, r->model, Model_subgraphs, SIZE_MAX, "none");
    if (!fb_find(r->model, Model_buffers))
        return rules_fail(r, STATUS_INVALID, r->model, Model_buffers, SIZE_MAX, "absent");
    for (size_t i = 0; i < r->buffers; i++) {
        const struct fb_table t = fb_item(r->model, Model_buffers, i);

        TRY(check_span(r, tflite_buffer_span(t), t, Buffer_offset));
    }
    TRY(check_opcodes(r));
    TRY(check_subgraphs(r));
    return check_names(r);
}

enum status tflite_check_rules(const uint8_t *bytes, size_t count, enum tflite_accept accept,
                               struct diag *diag)
{
    struct rules r = { .bytes = bytes,
                       .count = count,
                       .accept = accept,
                       .diag = diag,
                       .model = fb_root(bytes),
                       .graph_index = NO_INDEX,
                       .tensor_index = NO_INDEX,
                       .operator_index = NO_INDEX };
    enum status s;

    r.opcodes = fb_vector(r.model, Model_operator_codes).count;
    r.subgraphs = fb_vector(r.model, Model_subgraphs).count;
    r.buffers = fb_vector(r.model, Model_buffers).count;
    if (!(r.string_data = mem_alloc(r.buffers, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "verifying a model: out of memory");
    s = check_model(&r);
    mem_free(r.string_data);
    return s;
}

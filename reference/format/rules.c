#include "reference/format/rules.h"

#include "reference/base/builtin.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Names are the file's: they are cut, and other bytes than printable ASCII are not passed on. */
void rules_label_tensor(const struct rules *r, size_t index, char *text)
{
    const struct fb_table t = fb_item(r->graph, SubGraph_tensors, index);
    const struct fb_vector name = fb_vector(t, Tensor_name);
    size_t n = (size_t)snprintf(text, LABEL_BYTES, "tensor %zu '", index), i;

    for (i = 0; i < name.count && n < LABEL_BYTES - 5; i++, n++) {
        const uint8_t c = r->bytes[name.at + i];

        text[n] = c >= 0x20 && c < 0x7f ? (char)c : '?';
    }
    snprintf(text + n, LABEL_BYTES - n, i < name.count ? "...'" : "'");
}

int32_t tflite_op_code(struct fb_table opcode)
{
    const int64_t old = fb_int(opcode, OperatorCode_deprecated_builtin_code);
    const int64_t now = fb_int(opcode, OperatorCode_builtin_code);

    return (int32_t)(old > now ? old : now);
}

static void label_operator(const struct rules *r, char *text)
{
    const struct fb_table op = fb_item(r->graph, SubGraph_operators, (size_t)r->operator_index);
    const size_t row = (size_t)fb_int(op, Operator_opcode_index);
    const char *name = NULL;

    if (row < r->opcodes)
        name = builtin_name(tflite_op_code(fb_item(r->model, Model_operator_codes, row)));
    snprintf(text, LABEL_BYTES, "operator %lld %s", (long long)r->operator_index, name ? name : "");
}

enum status rules_fail(const struct rules *r, enum status s, struct fb_table t, unsigned slot,
                       size_t index, const char *format, ...)
{
    const struct schema_table_row *row = schema_row(t.schema);
    size_t offset = fb_find(t, slot);
    char message[512], item[24] = "", where[2 * LABEL_BYTES] = "", label[LABEL_BYTES] = "";
    va_list args;

    if (index != SIZE_MAX) {
        const size_t element = fb_element_bytes(row->fields[slot].kind);

        snprintf(item, sizeof item, "[%zu]", index);
        offset = fb_vector(t, slot).at + index * element;
    }
    if (r->tensor_index != NO_INDEX)
        rules_label_tensor(r, (size_t)r->tensor_index, label);
    else if (r->operator_index != NO_INDEX)
        label_operator(r, label);
    if (r->graph_index != NO_INDEX)
        snprintf(where, sizeof where, " (subgraph %lld%s%s)", (long long)r->graph_index,
                 label[0] ? ", " : "", label);
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return diag_fail(r->diag, s, "offset 0x%zx: %s.%s%s: %s%s", offset ? offset : t.at, row->name,
                     row->fields[slot].name, item, message, where);
}

enum status rules_limit(const struct rules *r, enum limit which, uint64_t value, struct fb_table t,
                        unsigned slot)
{
    const struct limit_row *const row = limit_row(which);

    if (value <= limit_of(which))
        return STATUS_OK;
    return rules_fail(r, STATUS_LIMIT, t, slot, SIZE_MAX,
                      "%" PRIu64 " %s, at most %" PRIu64 " (limit %s; --limit=%s=VALUE raises it)",
                      value, row->unit, limit_of(which), row->name, row->name);
}

/* A position or size beyond all memory stays beyond the end of the file. */
static size_t clamped(uint64_t value)
{
    return value < SIZE_MAX ? (size_t)value : SIZE_MAX;
}

static struct tflite_span span(struct fb_table t, unsigned data, unsigned offset, unsigned size)
{
    const struct fb_vector v = fb_vector(t, data);
    const uint64_t at = fb_u64(t, offset);

    if (v.at)
        return (struct tflite_span){ .at = v.at, .count = v.count, .present = true };
    if (at > 1) /* 1 is a converter's placeholder */
        return (struct tflite_span){
            .at = clamped(at), .count = clamped(fb_u64(t, size)), .present = true, .behind = true
        };
    return (struct tflite_span){ 0 };
}

struct tflite_span tflite_buffer_span(struct fb_table buffer)
{
    return span(buffer, Buffer_data, Buffer_offset, Buffer_size);
}

struct tflite_span tflite_custom_span(struct fb_table op)
{
    return span(op, Operator_custom_options, Operator_large_custom_options_offset,
                Operator_large_custom_options_size);
}

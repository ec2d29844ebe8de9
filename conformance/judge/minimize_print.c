/* Prints a minimal form as a person would write it down. */
#include "conformance/judge/minimize_print.h"

#include "conformance/judge/model_draft.h"
#include "reference/base/builtin.h"
#include "reference/base/half.h"

#include <inttypes.h>
#include <string.h>

enum { VALUES_MAX = 32 };

static void print_value(FILE *f, int32_t type, const void *data, size_t i)
{
    switch (type) {
    case TENSOR_FLOAT32: fprintf(f, "%.9g", (double)((const float *)data)[i]); break;
    case TENSOR_FLOAT16:
        fprintf(f, "%.5g", (double)half_to_float(((const uint16_t *)data)[i]));
        break;
    case TENSOR_INT8: fprintf(f, "%d", ((const int8_t *)data)[i]); break;
    case TENSOR_UINT8: fprintf(f, "%d", ((const uint8_t *)data)[i]); break;
    case TENSOR_BOOL: fprintf(f, "%d", ((const uint8_t *)data)[i]); break;
    case TENSOR_INT16: fprintf(f, "%d", ((const int16_t *)data)[i]); break;
    case TENSOR_INT32: fprintf(f, "%" PRId32, ((const int32_t *)data)[i]); break;
    case TENSOR_INT64: fprintf(f, "%" PRId64, ((const int64_t *)data)[i]); break;
    default: fprintf(f, "?"); break;
    }
}

static void print_values(FILE *f, struct model_draft *d, int tensor, int frame)
{
    const size_t element = model_draft_element_bytes(d, tensor);
    size_t bytes;
    const void *const data = model_draft_data(d, tensor, frame, &bytes);
    const size_t count = element ? bytes / element : 0;

    if (!data)
        return;
    if (count > VALUES_MAX) {
        fprintf(f, " (%zu values)", count);
        return;
    }
    fprintf(f, " {");
    for (size_t i = 0; i < count; i++) {
        fprintf(f, i ? ", " : " ");
        print_value(f, d->tensors[tensor].type, data, i);
    }
    fprintf(f, " }");
}

static void print_tensor(FILE *f, struct model_draft *d, const char *what, int tensor,
                         bool has_values)
{
    const struct model_tensor *const t = &d->tensors[tensor];
    const int input = model_draft_input(d, tensor);

    fprintf(f, "      %-8s tensor %d %s [", what, tensor,
            runtime_type_name(tensor_type_runtime(t->type)));
    for (size_t i = 0; i < t->shape.count; i++)
        fprintf(f, "%s%d", i ? ", " : "", t->shape.data[i]);
    fprintf(f, "]");
    if (t->quantization.scale.count > 0)
        fprintf(f, " scale %.9g%s zero point %" PRId64, (double)t->quantization.scale.data[0],
                t->quantization.scale.count > 1 ? " ..." : "",
                t->quantization.zero_point.count ? t->quantization.zero_point.data[0] : 0);
    if (has_values && input < 0)
        print_values(f, d, tensor, 0);
    for (int frame = 0; has_values && input >= 0 && frame < 2; frame++) {
        if (d->inputs[input].data[frame])
            fprintf(f, " %c", "AB"[frame]);
        print_values(f, d, tensor, frame);
    }
    fprintf(f, "\n");
}

static void print_options(FILE *f, const struct options *o)
{
    const struct option_table *const table = option_table_find(o->tag);

    for (int i = 0; table && table->listed && i < table->field_count; i++) {
        const union option_value *const v = &o->value[i];

        fprintf(f, " %s=", table->fields[i].name);
        if (table->fields[i].kind == OPTION_F32) {
            fprintf(f, "%g", (double)v->f);
        } else if (table->fields[i].kind == OPTION_STRING) {
            fprintf(f, "\"%s\"", v->text.data ? v->text.data : "");
        } else if (table->fields[i].kind != OPTION_INTS) {
            fprintf(f, "%" PRId32, v->i);
        } else {
            for (size_t k = 0; k < v->ints.count; k++)
                fprintf(f, "%s%" PRId32, k ? "," : "", v->ints.data[k]);
        }
    }
}

static void print_node(FILE *f, struct model_draft *d, size_t node)
{
    const struct model_operator *const op = &d->operators[node];
    const struct model_opcode *const code = &d->model.opcodes[op->opcode_index];
    const char *const name = builtin_name(code->code);

    fprintf(f, "    %s version %" PRId32, name ? name : "?", code->version);
    print_options(f, &op->options);
    fprintf(f, "\n");
    for (size_t i = 0; i < op->inputs.count; i++) {
        const int32_t t = op->inputs.data[i];
        size_t bytes;

        if (t >= 0)
            print_tensor(f, d,
                         model_draft_input(d, t) >= 0        ? "input"
                         : model_draft_data(d, t, 0, &bytes) ? "constant"
                         : d->tensors[t].is_variable         ? "variable"
                                                             : "reads",
                         t, true);
    }
    for (size_t i = 0; i < op->outputs.count; i++)
        print_tensor(f, d, "gives", op->outputs.data[i], false);
}

enum status minimized_print(FILE *f, const struct minimized *m, struct diag *diag)
{
    const struct shrink_outcome *const o = &m->outcome;
    const struct case_result *const r = &m->result;
    struct model_draft d;

    if (o->flaky) {
        fprintf(f, "    flaky: judged again, it did not fail the same way; nothing was reduced\n");
        return STATUS_OK;
    }
    TRY(model_draft_open(&d, &m->instance, diag));
    fprintf(f, "    minimal form after %zu steps, %zu reductions%s%s:\n", o->steps, o->accepted,
            o->limited ? ", at the step limit" : "",
            o->flaky_end ? ", flaky: it does not fail each time" : "");
    for (size_t n = 0; n < d.graph.operator_count; n++)
        print_node(f, &d, n);
    fprintf(f, "      %s: %s\n", case_status_name(r->status), r->reason);
    if (r->has_element)
        fprintf(f, "      output %d at %s: got %.9g, expected %.9g, error %.3g, limit %.3g\n",
                r->output, r->where, r->got, r->want, r->error, r->limit);
    model_draft_close(&d);
    return STATUS_OK;
}

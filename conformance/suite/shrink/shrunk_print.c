/* Prints a minimal form as a text that `assay model` reads, with the values of its inputs. */
#include "conformance/suite/shrink/shrunk_forms.h"

#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/text/constants.h"
#include "reference/text/write_text.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 32 }; /* of an input */

/* Numbers of an input, "1,2,0": the last one repeats. */
static void print_values(FILE *f, const struct model_tensor *t, const void *data, size_t bytes)
{
    const size_t count = constants_elements(t->type, bytes);

    if (count > 0 && constants_count_values(t->type, data, count) <= VALUES_MAX)
        constants_print_values(f, t->type, data, count);
    else
        fprintf(f, "%zu bytes", bytes);
}

static void print_inputs(FILE *f, const struct case_instance *x, const struct model_subgraph *g)
{
    for (size_t i = 0; i < x->input_count && i < g->inputs.count; i++) {
        const struct model_tensor *const t = &g->tensors[g->inputs.data[i]];

        fprintf(f, "      input %zu:", i);
        for (int frame = 0; frame < 2; frame++) {
            if (!x->inputs[i].data[frame])
                continue;
            fprintf(f, " %c ", "AB"[frame]);
            print_values(f, t, x->inputs[i].data[frame], x->inputs[i].bytes);
        }
        fprintf(f, "\n");
    }
}

/* The lines of the model.  Constants that are too long for them are files of --repro-dir. */
static enum status print_model(FILE *f, const struct model *m, struct diag *diag)
{
    struct text_data beside = { .name = "model.txt.data" };
    char *text = NULL;
    size_t bytes = 0;
    FILE *const lines = open_memstream(&text, &bytes);
    enum status s;

    if (!lines)
        return diag_fail(diag, STATUS_NO_MEMORY, "minimal form: out of memory");
    s = text_write(lines, m, &beside, diag);
    if (fclose(lines) != 0 && s == STATUS_OK)
        s = diag_fail(diag, STATUS_NO_MEMORY, "minimal form: out of memory");
    for (char *at = text; s == STATUS_OK && *at; at += strcspn(at, "\n") + 1)
        fprintf(f, "      %.*s\n", (int)strcspn(at, "\n"), at);
    free(text);
    mem_free(beside.bytes);
    return s;
}

enum status shrunk_print(FILE *f, const struct shrunk *m, struct diag *diag)
{
    const struct shrink_outcome *const o = &m->outcome;
    const struct case_result *const r = &m->result;
    struct model model;
    enum status s;

    if (o->flaky) {
        fprintf(f, "    flaky: judged again, it did not fail the same way; nothing was reduced\n");
        return STATUS_OK;
    }
    TRY(tflite_read(&model, m->instance.file.bytes, m->instance.file.count, diag));
    fprintf(f, "    minimal form after %zu steps, %zu reductions%s%s:\n", o->steps, o->accepted,
            o->limited ? ", at the step limit" : "",
            o->flaky_end ? ", flaky: it does not fail each time" : "");
    s = print_model(f, &model, diag);
    print_inputs(f, &m->instance, &model.subgraphs[0]);
    fprintf(f, "      %s: %s\n", case_status_name(r->status), r->reason);
    if (r->has_element)
        fprintf(f, "      output %d at %s: got %.9g, expected %.9g, error %.3g, limit %.3g\n",
                r->output, r->where, r->got, r->want, r->error, r->limit);
    model_close(&model);
    return s;
}
